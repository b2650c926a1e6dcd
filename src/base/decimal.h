/* Decimal numbers as text: read exactly into digits and exponent, never through floating point. */
#ifndef SPK_BASE_DECIMAL_H
#define SPK_BASE_DECIMAL_H

#include <stdint.h>

/* Exponents that are read lie within plus and minus this. */
#define SPK_DECIMAL_MAX_EXPONENT 10000

/* digits * 10^exponent */
typedef struct spk_decimal {
    int64_t digits;
    int32_t exponent;
} spk_decimal;

typedef enum spk_decimal_result {
    SPK_DECIMAL_OK,
    SPK_DECIMAL_NOT_A_NUMBER, /* no digits where a number should start */
    SPK_DECIMAL_TOO_LONG      /* more than 18 significant digits, or an exponent out of range */
} spk_decimal_result;

/* Reads [+-]digits[.digits][e[+-]digits] from [text, end); *rest is where it stopped. Leading zeros
 * and trailing zeros after the point do not count as digits. Reads nothing beyond `end`. */
spk_decimal_result spk_decimal_parse(const char *text, const char *end, spk_decimal *out,
                                     const char **rest);

#endif
