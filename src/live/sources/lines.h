/*
 * Lines of text as they come in: two columns, time and unit, as in files (recording/text_line.h).
 * What files report as an error is garbage here: it is counted, and the next line is read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "live/sources/collector.h"
#include "recording/text_line.h"
#include "recording/text_time.h"
#include "spikemine/duration.h"

/* ---- times as ticks -------------------------------------------------------------------------- */

/* From decimals in lines to ticks, fast for those of usual length.
 *
 * A number of d decimals is floor(digits * factor[d] / divisor[d]) ticks. */
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

/* ---- lines ----------------------------------------------------------------------------------- */

typedef struct spk_lines {
    spk_columns columns;     /* asked for, then what was found */
    spk_time_unit time_unit; /* the same; SPK_TIME_GUESS becomes seconds with the first line */
    bool unit_is_asked;      /* for, by the options: comments and headers do not change it */
    bool columns_are_asked;
    spk_rate tick;
    spk_rate samples; /* {0, 0}: not known */
    spk_line_scale scale;
    bool started;               /* columns and unit of time are known, the scale is made */
    bool skipping;              /* within a line that is too long */
    bool headed;                /* this connection has brought its header or a spike */
    spk_text_comments comments; /* segments that were announced */
    size_t next_segment;        /* the next one that begins */
    bool inside;                /* some announced segment has begun */
    bool due;                   /* the next segment begins before the next spike */
    bool had_spike;             /* in this segment */
    spk_status failure;         /* that ended the reading */
    int64_t start, stop;        /* ticks of the segment; the whole of int64 where it is open */
} spk_lines;

/* Takes the options that make sense here. Errors: SPK_ERR_ARGUMENT, SPK_ERR_UNSUPPORTED (those that
 * make none). */
spk_status spk_lines_init(spk_context *context, spk_lines *lines,
                          const spk_live_source_options *options);
void spk_lines_clear(spk_lines *lines);

/* A new connection. */
void spk_lines_renew(void *parser);

/* A spk_bytes_take; `parser` is a spk_lines. Errors: SPK_ERR_FORMAT (the first header contradicts
 * the options), SPK_ERR_MEMORY. */
spk_status spk_lines_take(void *parser, spk_collector *collector, const char *bytes, size_t n,
                          bool urge, size_t *consumed);
