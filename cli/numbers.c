/* The one reader of numbers on the command line. */
#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool cli_whole_parse(const char *text, size_t length, uint64_t least, uint64_t most, uint64_t *out)
{
    uint64_t value = 0;
    if (length == 0)
        return false;
    for (size_t k = 0; k < length; k++)
        if (!is_digit(text[k]) || __builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[k] - '0'), &value))
            return false;
    if (value < least || value > most)
        return false;
    *out = value;
    return true;
}

bool cli_whole_list_parse(const char *text, char separator, uint32_t n, uint32_t most,
                          uint32_t *out)
{
    for (uint32_t k = 0; k < n; k++) {
        const char *end = k + 1 < n ? strchr(text, separator) : text + strlen(text);
        uint64_t value = 0;
        if (end == NULL || !cli_whole_parse(text, (size_t)(end - text), 0, most, &value))
            return false;
        out[k] = (uint32_t)value;
        text = end + 1;
    }
    return true;
}

/* Steps over digits; false when there are none. */
static bool skip_digits(const char **at)
{
    const char *start = *at;
    while (is_digit(**at))
        (*at)++;
    return *at > start;
}

/* Where the decimal number at `text` ends; NULL when there is none. strtod alone would also take
 * blanks, signs, hexadecimal numbers, infinities and what is no number. */
static const char *decimal_end(const char *text, bool exponent)
{
    const char *at = text;
    bool digits = skip_digits(&at);
    if (*at == '.') {
        at++;
        digits |= skip_digits(&at);
    }
    if (!digits)
        return NULL;
    if (!exponent || (*at != 'e' && *at != 'E'))
        return at;
    at++;
    at += *at == '+' || *at == '-';
    return skip_digits(&at) ? at : NULL;
}

bool cli_number_parse(const char *text, double least, double most, double *out)
{
    const char *end = decimal_end(text + (text[0] == '-' && least < 0), true);
    if (end == NULL || *end != '\0')
        return false;
    double value = strtod(text, NULL);
    if (!isfinite(value) || value < least || value > most)
        return false;
    *out = value;
    return true;
}

bool cli_list_parse(const char *text, char separator, uint32_t n, double most, double *out)
{
    for (uint32_t k = 0; k < n; k++) {
        char number[64];
        const char *end = k + 1 < n ? strchr(text, separator) : text + strlen(text);
        const size_t length = end != NULL ? (size_t)(end - text) : 0;
        if (length == 0 || length >= sizeof number)
            return false;
        memcpy(number, text, length);
        number[length] = '\0';
        if (!cli_number_parse(number, 0, most, &out[k]))
            return false;
        text = end + 1;
    }
    return true;
}

bool cli_bytes_parse(const char *text, uint64_t *out)
{
    static const struct {
        const char *suffix;
        double factor;
    } suffixes[] = {{"k", 1e3},           {"K", 1e3},
                    {"kB", 1e3},          {"KB", 1e3},
                    {"M", 1e6},           {"MB", 1e6},
                    {"G", 1e9},           {"GB", 1e9},
                    {"T", 1e12},          {"TB", 1e12},
                    {"KiB", 1024},        {"MiB", 1048576},
                    {"GiB", 1073741824.}, {"TiB", 1099511627776.}};
    const char *end = decimal_end(text, false);
    if (end == NULL)
        return false;
    if (*end == '\0')
        return cli_whole_parse(text, strlen(text), 1, INT64_MAX, out);
    double value = strtod(text, NULL);
    for (size_t k = 0; k < sizeof suffixes / sizeof suffixes[0]; k++) {
        double bytes = value * suffixes[k].factor;
        if (strcmp(end, suffixes[k].suffix) == 0 && bytes >= 1 && bytes < 9e18) {
            *out = (uint64_t)bytes;
            return true;
        }
    }
    return false;
}
