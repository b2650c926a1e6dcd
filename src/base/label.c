/* The quoted form of labels: what is put is taken back, whatever bytes it has. */
#include "base/label.h"

#include <string.h>

#include "base/decimal.h"
#include "base/utf8.h"

/* ---- writing --------------------------------------------------------------------------------- */

void spk_text_put_char(spk_text_buffer *buffer, char c)
{
    if (buffer->length + 1 < buffer->size)
        buffer->at[buffer->length] = c;
    buffer->length++;
}

void spk_text_put(spk_text_buffer *buffer, const char *text)
{
    for (; *text != '\0'; text++)
        spk_text_put_char(buffer, *text);
}

size_t spk_text_end(const spk_text_buffer *buffer)
{
    if (buffer->size > 0)
        buffer->at[buffer->length < buffer->size ? buffer->length : buffer->size - 1] = '\0';
    return buffer->length;
}

bool spk_label_needs_quotes(const char *label, const char *separators)
{
    size_t rest = strlen(label);
    if (rest == 0 || label[0] == '#' || strncmp(label, "\xef\xbb\xbf", 3) == 0 ||
        strpbrk(label, " \"") != NULL || strpbrk(label, separators) != NULL)
        return true;
    while (rest > 0) {
        size_t n = spk_printable_character(label, rest);
        if (n == 0)
            return true;
        label += n;
        rest -= n;
    }
    return false;
}

/* The character at `label`, or the escape of its first byte; returns the bytes that are done. */
static size_t put_quoted_character(spk_text_buffer *buffer, const char *label, size_t rest)
{
    char escape[SPK_ESCAPE_BYTES];
    size_t n = spk_printable_character(label, rest);
    if (n == 0) {
        size_t length = spk_printable_escape(*label, escape);
        for (size_t k = 0; k < length; k++)
            spk_text_put_char(buffer, escape[k]);
        return 1;
    }
    if (*label == '"' || *label == '\\')
        spk_text_put_char(buffer, *label);
    for (size_t k = 0; k < n; k++)
        spk_text_put_char(buffer, label[k]);
    return n;
}

void spk_label_put(spk_text_buffer *buffer, const char *label, bool quoted)
{
    if (!quoted) {
        spk_text_put(buffer, label);
        return;
    }
    spk_text_put_char(buffer, '"');
    for (size_t rest = strlen(label); rest > 0;) {
        size_t n = put_quoted_character(buffer, label, rest);
        label += n;
        rest -= n;
    }
    spk_text_put_char(buffer, '"');
}

/* ---- reading --------------------------------------------------------------------------------- */

static int hexadecimal(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c != '\0' ? strchr(digits, c) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

/* The byte that the escape at `at`, a backslash, stands for; *length is that of the escape. A
 * backslash before anything else stands for itself. */
static char take_escape(const char *at, size_t *length)
{
    static const char letters[] = "\\tnr";
    const char *found = at[1] != '\0' ? strchr(letters, at[1]) : NULL;
    *length = 2;
    if (found != NULL)
        return "\\\t\n\r"[found - letters];
    int high = at[1] == 'x' ? hexadecimal(at[2]) : -1;
    int low = high >= 0 ? hexadecimal(at[3]) : -1;
    *length = 4;
    if (low >= 0 && high * 16 + low > 0) /* a label has no zero byte */
        return (char)(high * 16 + low);
    *length = 1;
    return '\\';
}

static const char *take_quoted(const char *at, char *label)
{
    while (*at != '\0') {
        size_t length = 1;
        if (*at == '"' && at[1] != '"') {
            *label = '\0';
            return at + 1;
        }
        if (*at == '\\') {
            *label++ = take_escape(at, &length);
        } else {
            at += *at == '"';
            *label++ = *at;
        }
        at += length;
    }
    return NULL;
}

const char *spk_label_take(const char *at, const char *separators, char *label)
{
    if (*at == '"')
        return take_quoted(at + 1, label);
    while (*at != '\0' && strchr(" \t\r\n\"", *at) == NULL && strchr(separators, *at) == NULL)
        *label++ = *at++;
    *label = '\0';
    return at;
}

/* ---- whole numbers --------------------------------------------------------------------------- */

static const char DECIMAL[] = ".0";

/* Digits that a label begins with; 0 where an alias would have no room. */
static size_t count_digits(const char *label)
{
    const size_t n = strspn(label, "0123456789");
    return n + sizeof DECIMAL <= SPK_LABEL_NUMBER ? n : 0;
}

size_t spk_label_whole(const char *label)
{
    const size_t n = count_digits(label);
    return strcmp(label + n, DECIMAL) == 0 ? n : 0;
}

bool spk_label_alias(const char *label, char alias[SPK_LABEL_NUMBER])
{
    const size_t n = count_digits(label);
    if (n == 0 || (label[n] != '\0' && spk_label_whole(label) == 0))
        return false;
    memcpy(alias, label, n);
    memcpy(alias + n, label[n] == '\0' ? DECIMAL : "", label[n] == '\0' ? sizeof DECIMAL : 1);
    return true;
}

/* ---- natural order --------------------------------------------------------------------------- */

/* Compares the digit runs at *a and *b by value and steps past them. */
static int compare_numbers(const char **a, const char **b)
{
    while (**a == '0')
        (*a)++;
    while (**b == '0')
        (*b)++;
    size_t a_length = 0;
    size_t b_length = 0;
    while (spk_is_digit((*a)[a_length]))
        a_length++;
    while (spk_is_digit((*b)[b_length]))
        b_length++;
    int order = a_length != b_length ? (a_length < b_length ? -1 : 1) : memcmp(*a, *b, a_length);
    *a += a_length;
    *b += b_length;
    return order;
}

int spk_natural_compare(const char *a, const char *b)
{
    const char *x = a;
    const char *y = b;
    while (*x != '\0' && *y != '\0') {
        if (spk_is_digit(*x) && spk_is_digit(*y)) {
            int order = compare_numbers(&x, &y);
            if (order != 0)
                return order;
        } else if (*x != *y) {
            return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
        } else {
            x++;
            y++;
        }
    }
    if (*x != *y)
        return *x == '\0' ? -1 : 1;
    /* Equal but for leading zeros. */
    size_t a_bytes = strlen(a);
    size_t b_bytes = strlen(b);
    return a_bytes != b_bytes ? (a_bytes < b_bytes ? -1 : 1) : strcmp(a, b);
}
