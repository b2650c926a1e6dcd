/* params.py: the one assignment. */
#include "recording/readers/sorter_params.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/decimal.h"
#include "base/utf8.h"

static const char VARIABLE[] = "sample_rate";

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* Where the number at `at` ends; it is copied without the underscores and the last point that
 * Python allows. NULL: it is too long. */
static const char *copy_number(const char *at, const char *end, char *out, size_t size)
{
    size_t n = 0;
    for (; at < end && (spk_is_digit(*at) || strchr("._eE+-", *at) != NULL) && *at != '\0'; at++) {
        bool point_ends = *at == '.' && (at + 1 == end || !spk_is_digit(at[1]));
        if (*at == '_' || point_ends)
            continue;
        if (n + 1 == size)
            return NULL;
        out[n++] = *at;
    }
    out[n] = '\0';
    return at;
}

/* Reads what stands behind the name: "= NUMBER", a comment, nothing more. */
static bool read_value(const char *at, const char *end, spk_rate *out)
{
    char number[64];
    at = skip_blanks(at, end);
    if (at == end || *at++ != '=')
        return false;
    at = copy_number(skip_blanks(at, end), end, number, sizeof number);
    if (at == NULL || spk_rate_parse(NULL, number, strlen(number), out) != SPK_OK)
        return false;
    at = skip_blanks(at, end);
    return at == end || *at == '#' || *at == '\r';
}

/* Whether the line begins with the name; *after is what follows it. */
static bool names_it(const char *text, const char *end, const char **after)
{
    const size_t n = sizeof VARIABLE - 1;
    const char *at = skip_blanks(text, end);
    if ((size_t)(end - at) < n || memcmp(at, VARIABLE, n) != 0)
        return false;
    *after = at + n;
    at = skip_blanks(*after, end);
    return at < end && strchr("=+-*/%&|^>:,", *at) != NULL;
}

static spk_status fail_line(spk_context *context, const char *name, uint64_t line, const char *text,
                            const char *end, const char *why)
{
    size_t n = (size_t)(end - text) < 60 ? (size_t)(end - text) : 60;
    while (n > 0 && (text[n - 1] == '\r' || !spk_utf8_is_text(text, n)))
        n--;
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64 ": '%.*s' %s, and the file is never run; write sample_rate = "
                    "30000, or pass --time-unit samples@RATE",
                    name, line, (int)n, text, why);
}

spk_status spk_sorter_params_rate(spk_context *context, const char *name, const char *text,
                                  size_t n, spk_rate *out)
{
    const char *at = text, *const end = text + n;
    uint64_t line = 0;
    *out = (spk_rate){0, 1};
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *after;
        spk_rate rate;
        stop = stop != NULL ? stop : end;
        line++;
        if (names_it(at, stop, &after)) {
            if (!read_value(after, stop, &rate))
                return fail_line(context, name, line, at, stop, "is no plain number");
            if (*at == ' ' || *at == '\t')
                return fail_line(context, name, line, at, stop, "is assigned under a condition");
            if (out->numerator > 0 &&
                (out->numerator != rate.numerator || out->denominator != rate.denominator))
                return fail_line(context, name, line, at, stop, "is a second value");
            *out = rate;
        }
        at = stop < end ? stop + 1 : end;
    }
    return SPK_OK;
}
