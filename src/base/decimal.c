/* Exact decimal numbers from text, and back. */
#include "base/decimal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

const int64_t spk_power_of_ten[SPK_POWERS_OF_TEN] = {1,
                                                     10,
                                                     100,
                                                     1000,
                                                     10000,
                                                     100000,
                                                     1000000,
                                                     10000000,
                                                     100000000,
                                                     1000000000,
                                                     10000000000,
                                                     100000000000,
                                                     1000000000000,
                                                     10000000000000,
                                                     100000000000000,
                                                     1000000000000000,
                                                     10000000000000000,
                                                     100000000000000000,
                                                     1000000000000000000};

/* ---- as written ------------------------------------------------------------------------------ */

typedef struct scanner {
    const char *at;
    const char *end;
    spk_written_decimal *number;
    int kept; /* significant digits in number->digits */
    bool any;
} scanner;

static void take_digits(scanner *s, bool fraction)
{
    spk_written_decimal *number = s->number;
    for (; s->at < s->end && spk_is_digit(*s->at); s->at++) {
        unsigned digit = (unsigned)(*s->at - '0');
        s->any = true;
        number->decimals += fraction;
        if (s->kept == SPK_DECIMAL_MAX_DIGITS) {
            number->more |= digit != 0;
            number->exponent += !fraction;
            continue;
        }
        number->digits = number->digits * 10 + digit;
        s->kept += number->digits != 0;
        number->exponent -= fraction;
    }
}

static void take_exponent(scanner *s)
{
    const int64_t enough = 100000000000000000; /* text is never so long that more digits matter */
    const char *start = s->at;
    if (s->at >= s->end || (*s->at != 'e' && *s->at != 'E'))
        return;
    s->at++;
    bool negative = s->at < s->end && *s->at == '-';
    if (s->at < s->end && (*s->at == '-' || *s->at == '+'))
        s->at++;
    if (s->at >= s->end || !spk_is_digit(*s->at)) {
        s->at = start; /* an 'e' that starts something else */
        return;
    }
    int64_t exponent = 0;
    for (; s->at < s->end && spk_is_digit(*s->at); s->at++)
        if (exponent < enough)
            exponent = exponent * 10 + (*s->at - '0');
    s->number->exponent += negative ? -exponent : exponent;
    s->number->decimals -= negative ? -exponent : exponent;
}

bool spk_decimal_scan(const char *text, const char *end, spk_written_decimal *out,
                      const char **rest)
{
    assert(text <= end);
    *out = (spk_written_decimal){.digits = 0};
    scanner s = {.at = text, .end = end, .number = out};
    out->negative = s.at < end && *s.at == '-';
    if (s.at < end && (*s.at == '-' || *s.at == '+'))
        s.at++;
    take_digits(&s, false);
    if (s.at < end && *s.at == '.') {
        s.at++;
        take_digits(&s, true);
    }
    if (s.any)
        take_exponent(&s);
    *rest = s.at;
    out->decimals = out->decimals < 0 ? 0 : out->decimals;
    return s.any;
}

/* ---- in few digits --------------------------------------------------------------------------- */

spk_decimal_result spk_decimal_parse(const char *text, const char *end, spk_decimal *out,
                                     const char **rest)
{
    const uint64_t most = (uint64_t)spk_power_of_ten[SPK_POWERS_OF_TEN - 1] - 1; /* 18 digits */
    spk_written_decimal number;
    *out = (spk_decimal){0, 0};
    if (!spk_decimal_scan(text, end, &number, rest))
        return SPK_DECIMAL_NOT_A_NUMBER;
    if (number.digits == 0)
        return SPK_DECIMAL_OK;
    while (number.digits % 10 == 0) {
        number.digits /= 10;
        number.exponent++;
    }
    if (number.more || number.digits > most || number.exponent > SPK_DECIMAL_MAX_EXPONENT ||
        number.exponent < -SPK_DECIMAL_MAX_EXPONENT)
        return SPK_DECIMAL_TOO_LONG;
    assert(number.digits <= most);
    int64_t digits = (int64_t)number.digits;
    *out = (spk_decimal){number.negative ? -digits : digits, (int32_t)number.exponent};
    return SPK_DECIMAL_OK;
}

size_t spk_decimal_format(int64_t value, int decimals, char *buffer, size_t size)
{
    char digits[24];
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    int n = snprintf(digits, sizeof digits, "%0*" PRIu64, decimals + 1, magnitude);
    int whole = n - decimals;
    return (size_t)snprintf(buffer, size, "%s%.*s%s%s", value < 0 ? "-" : "", whole, digits,
                            decimals > 0 ? "." : "", digits + whole);
}

const char *spk_group_digits(uint64_t number, char buffer[SPK_GROUPED_BYTES])
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, number), used = 0;
    for (int k = 0; k < n; k++) {
        if (k > 0 && (n - k) % 3 == 0)
            buffer[used++] = ',';
        buffer[used++] = digits[k];
    }
    buffer[used] = '\0';
    return buffer;
}
