/* Exact decimal numbers from text. */
#include "base/decimal.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct scanner {
    const char *at;
    const char *end;
    uint64_t digits;
    int64_t exponent;
    int64_t pending_zeros; /* zeros seen but not yet multiplied in: trailing ones never are */
    bool any;
    bool too_long;
} scanner;

static void take_digits(scanner *s, bool fraction)
{
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
        unsigned digit = (unsigned)(*s->at - '0');
        s->any = true;
        if (fraction)
            s->exponent--;
        if (digit == 0) {
            s->pending_zeros += s->digits != 0;
            continue;
        }
        for (; s->pending_zeros >= 0; s->pending_zeros--) {
            if (s->digits > 99999999999999999u)
                s->too_long = true;
            else
                s->digits *= 10;
        }
        s->pending_zeros = 0;
        s->digits += digit;
    }
}

static void take_exponent(scanner *s)
{
    const char *start = s->at;
    if (s->at >= s->end || (*s->at != 'e' && *s->at != 'E'))
        return;
    s->at++;
    bool negative = s->at < s->end && *s->at == '-';
    if (s->at < s->end && (*s->at == '-' || *s->at == '+'))
        s->at++;
    if (s->at >= s->end || *s->at < '0' || *s->at > '9') {
        s->at = start; /* an 'e' that starts something else */
        return;
    }
    int64_t exponent = 0;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
        if (exponent <= SPK_DECIMAL_MAX_EXPONENT)
            exponent = exponent * 10 + (*s->at - '0');
        else
            s->too_long = true; /* whatever the decimals before it */
    }
    s->exponent += negative ? -exponent : exponent;
}

spk_decimal_result spk_decimal_parse(const char *text, const char *end, spk_decimal *out,
                                     const char **rest)
{
    assert(text <= end);
    scanner s = {.at = text, .end = end};
    bool negative = s.at < end && *s.at == '-';
    if (s.at < end && (*s.at == '-' || *s.at == '+'))
        s.at++;
    take_digits(&s, false);
    if (s.at < end && *s.at == '.') {
        s.at++;
        take_digits(&s, true);
    }
    *rest = s.at;
    *out = (spk_decimal){0, 0};
    if (!s.any)
        return SPK_DECIMAL_NOT_A_NUMBER;
    take_exponent(&s);
    *rest = s.at;
    s.exponent += s.pending_zeros;
    if (s.digits == 0)
        return SPK_DECIMAL_OK;
    if (s.too_long || s.exponent > SPK_DECIMAL_MAX_EXPONENT ||
        s.exponent < -SPK_DECIMAL_MAX_EXPONENT)
        return SPK_DECIMAL_TOO_LONG;
    assert(s.digits <= 999999999999999999u);
    *out = (spk_decimal){negative ? -(int64_t)s.digits : (int64_t)s.digits, (int32_t)s.exponent};
    return SPK_DECIMAL_OK;
}
