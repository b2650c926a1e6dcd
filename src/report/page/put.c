/* Pieces of JSON and of HTML. */
#include "report/page/put.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

/* ---- text ------------------------------------------------------------------------------------ */

/* Calls `put` for each character, and for U+FFFD in place of a byte that begins none. */
static void put_characters(FILE *out, const char *text, void (*put)(FILE *, const char *, size_t))
{
    static const char REPLACEMENT[] = "\xEF\xBF\xBD";
    for (size_t left = strlen(text); left > 0;) {
        size_t length = spk_utf8_character(text, left);
        if (length > 0)
            put(out, text, length);
        else
            put(out, REPLACEMENT, sizeof REPLACEMENT - 1);
        length = length > 0 ? length : 1;
        text += length;
        left -= length;
    }
}

/* Marks of HTML are escaped, too: whatever a browser looks for in a script, it does not find. */
static void put_json_character(FILE *out, const char *at, size_t length)
{
    unsigned char c = (unsigned char)at[0];
    if (length == 1 && (c < 0x20 || c == 0x7f || strchr("<>&'", c) != NULL))
        fprintf(out, "\\u%04x", c);
    else if (length == 1 && (c == '"' || c == '\\'))
        fprintf(out, "\\%c", c);
    else
        fwrite(at, 1, length, out);
}

void page_put_string(FILE *out, const char *text)
{
    fputc('"', out);
    put_characters(out, text, put_json_character);
    fputc('"', out);
}

static void put_html_character(FILE *out, const char *at, size_t length)
{
    unsigned char c = (unsigned char)at[0];
    if (length == 1 && (c < 0x20 || c == 0x7f))
        fputc(' ', out);
    else if (length == 1 && strchr("<>&'\"", c) != NULL)
        fprintf(out, "&#%d;", c);
    else
        fwrite(at, 1, length, out);
}

void page_put_html(FILE *out, const char *text)
{
    put_characters(out, text, put_html_character);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void put_digits(FILE *out, double value, int digits)
{
    char text[40];
    if (!isfinite(value)) {
        fputs("null", out);
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, value);
    for (char *at = text; *at != '\0'; at++) /* the locale's */
        if (*at == ',')
            *at = '.';
    fputs(text, out);
}

void page_put_real(FILE *out, double value)
{
    put_digits(out, value, 12);
}

void page_put_exact_real(FILE *out, double value)
{
    put_digits(out, value, 17);
}

/* ---- packed numbers -------------------------------------------------------------------------- */

static void put_sextets(const page_base64 *b, int n)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int k = 0; k < 4; k++)
        fputc(k < n ? DIGITS[b->bits >> (18 - 6 * k) & 63] : '=', b->out);
}

void page_base64_put(page_base64 *b, unsigned char byte)
{
    b->bits |= (uint32_t)byte << (16 - 8 * b->n);
    if (++b->n < 3)
        return;
    put_sextets(b, 4);
    b->bits = 0;
    b->n = 0;
}

void page_base64_end(page_base64 *b)
{
    if (b->n > 0)
        put_sextets(b, b->n + 1);
    b->bits = 0;
    b->n = 0;
}

int page_varint(uint64_t number, unsigned char *out)
{
    int n = 0;
    for (; number > 127; number >>= 7)
        out[n++] = (unsigned char)(number & 127) | 128;
    out[n++] = (unsigned char)number;
    return n;
}

void page_base64_put_number(page_base64 *b, uint64_t number)
{
    unsigned char bytes[PAGE_VARINT_BYTES];
    int n = page_varint(number, bytes);
    for (int k = 0; k < n; k++)
        page_base64_put(b, bytes[k]);
}
