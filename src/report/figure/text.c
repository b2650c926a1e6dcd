/* Texts for pictures. Labels come from files, so nothing is assumed about their bytes. */
#include "report/figure/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

/* Bytes of the character at `text`, 0 when it is none that a picture may hold: no UTF-8, a control
 * character other than newline, or one that XML does not know. */
static size_t drawable_length(const char *text, size_t left)
{
    size_t length = spk_utf8_character(text, left);
    unsigned char first = (unsigned char)text[0], second = (unsigned char)text[length > 1];
    if (length == 1)
        return first == '\n' || (first >= 0x20 && first != 0x7f);
    bool control = first == 0xc2 && second < 0xa0;
    bool unknown = first == 0xef && second == 0xbf && (unsigned char)text[2] >= 0xbe;
    return control || unknown ? 0 : length;
}

spk_status spk_text_utf8(spk_context *context, const char *text, char **out)
{
    spk_status status = spk_strdup(context, out, text);
    size_t left = *out != NULL ? strlen(*out) : 0;
    for (char *at = *out; left > 0;) {
        size_t length = drawable_length(at, left);
        if (length == 0)
            *at = '?';
        at += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    return status;
}

int spk_text_decimals(double value)
{
    const int MOST = 9;
    return value <= 0 ? 0 : value >= 1 ? 1 : (int)fmin(MOST, 1 + ceil(-log10(value)));
}

const char *spk_text_fixed(double value, int decimals, char *buffer)
{
    char digits[SPK_TEXT_FIXED_SIZE];
    int used = 0;
    bool point = false;
    int n = snprintf(digits, sizeof digits, "%.*f", decimals, value);
    bool zero = strspn(digits, "-0.,") == strlen(digits);
    for (int k = 0; k < n && digits[k] != '\0'; k++) {
        if (digits[k] == '-' && !zero) {
            memcpy(buffer + used, SPK_MINUS, sizeof SPK_MINUS - 1);
            used += (int)sizeof SPK_MINUS - 1;
        } else if (digits[k] >= '0' && digits[k] <= '9') {
            buffer[used++] = digits[k];
            point = false;
        } else if (digits[k] != '-' && !point) { /* whatever the locale puts here */
            buffer[used++] = '.';
            point = true;
        }
    }
    buffer[used] = '\0';
    return buffer;
}

const char *spk_text_short(double value, char *buffer)
{
    const double ENOUGH = 1e-6;
    double scaled = value;
    int decimals = 0;
    while (decimals < 6 && fabs(scaled - round(scaled)) >= ENOUGH) {
        scaled *= 10;
        decimals++;
    }
    return spk_text_fixed(value, decimals, buffer);
}

spk_status spk_text_add(spk_context *context, spk_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        return spk_fail(context, SPK_ERR_INTERNAL, "a text of the picture cannot be formatted");
    uint64_t needed = text->length + (uint64_t)length + 1;
    spk_status status = spk_grow(context, &text->bytes, &text->capacity, needed, "a text");
    if (status != SPK_OK)
        return status;
    va_start(arguments, format);
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (uint64_t)length;
    return SPK_OK;
}
