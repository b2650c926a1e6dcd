/* From decimals in lines to ticks, fast for those of usual length. */
#ifndef SPK_LIVE_SOURCES_LINE_TIME_H
#define SPK_LIVE_SOURCES_LINE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/text_time.h"
#include "spikemine/duration.h"

/* A number of d decimals is floor(digits * factor[d] / divisor[d]) ticks. */
enum { SPK_LINE_DECIMALS = 19 };

typedef struct spk_line_scale {
    uint64_t factor[SPK_LINE_DECIMALS];
    unsigned __int128 divisor[SPK_LINE_DECIMALS];
} spk_line_scale;

/* `tick` ticks a second; the numbers are in units of 10^-unit_decimals seconds. False: too fine. */
bool spk_line_scale_make(spk_rate tick, int unit_decimals, spk_line_scale *out);

/* digits * 10^-decimals, of at most 18 digits and decimals; false: no tick holds it. */
static inline bool spk_line_ticks(const spk_line_scale *scale, uint64_t digits, unsigned decimals,
                                  bool negative, int64_t *ticks, bool *cut)
{
    unsigned __int128 m = (unsigned __int128)digits * scale->factor[decimals];
    bool rest = false;
    if (scale->divisor[decimals] != 1) {
        const unsigned __int128 whole = m / scale->divisor[decimals];
        rest = m != whole * scale->divisor[decimals];
        m = whole + (rest && negative);
    }
    *cut = rest;
    if (m > (uint64_t)SPK_MAX_TICK)
        return false;
    *ticks = negative ? -(int64_t)m : (int64_t)m;
    return true;
}

/* The same of a number as it was written, of any length. */
bool spk_line_written_ticks(const spk_line_scale *scale, const spk_text_time *time, int64_t *ticks,
                            bool *cut);

#endif
