/* From decimals in lines to ticks. */
#include "live/sources/lines.h"

#include <assert.h>

#include "base/fraction.h"

bool spk_line_scale_make(spk_rate tick, int unit_decimals, spk_line_scale *out)
{
    assert(tick.numerator > 0 && tick.denominator > 0);
    unsigned __int128 power = tick.denominator;
    for (int k = 0; k < unit_decimals; k++)
        if (__builtin_mul_overflow(power, 10, &power))
            return false;
    for (int d = 0; d < SPK_LINE_DECIMALS; d++) {
        const unsigned __int128 common = spk_greatest_divisor(power, tick.numerator);
        out->factor[d] = (uint64_t)(tick.numerator / common);
        out->divisor[d] = power / common;
        if (__builtin_mul_overflow(power, 10, &power))
            return false;
    }
    return true;
}

bool spk_line_written_ticks(const spk_line_scale *scale, const spk_text_time *time, int64_t *ticks,
                            bool *cut)
{
    unsigned __int128 m = time->digits;
    int64_t exponent = time->exponent;
    bool lost = time->more;
    *ticks = 0;
    *cut = false;
    if (m == 0)
        return true;
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(m, 10, &m) || m > UINT64_MAX)
            return false;
    for (; exponent <= -SPK_LINE_DECIMALS || (exponent < 0 && m > INT64_MAX); exponent++) {
        lost |= m % 10 != 0;
        m /= 10;
        if (m == 0 && exponent < -SPK_LINE_DECIMALS)
            exponent = -SPK_LINE_DECIMALS; /* nothing is left to divide */
    }
    if (m > UINT64_MAX)
        return false;
    /* What was cut lies below the last digit kept: downwards it counts as a whole one. */
    const bool good =
        spk_line_ticks(scale, (uint64_t)m, (unsigned)-exponent, time->negative, ticks, cut);
    if (good && lost && time->negative && !*cut)
        *ticks -= 1;
    *cut |= lost;
    return good;
}
