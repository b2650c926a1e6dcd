/* What the picture of SPADE patterns is made from, gathered while they are mined. */
#pragma once

#include "base/context.h"
#include "base/stage.h"
#include "spikemine/figure.h"

/* More patterns are kept than are ever drawn: one that comes late may drive out several. */
enum { PATTERN_KEPT = 24, PATTERN_MAX_SIZE = 64 };

/* A pattern that may be drawn. */
typedef struct top_pattern {
    uint32_t size;
    uint32_t n_units;
    uint32_t count;
    bool significant; /* after a test, like p */
    double p;
    double p_corrected;
    uint64_t row;                    /* of the exact test */
    uint32_t item[PATTERN_MAX_SIZE]; /* by lag, then unit */
} top_pattern;

struct spk_pattern_figure {
    spk_context *context;
    spk_holding holding;
    const spk_recording *recording;
    const spk_windows *windows;
    uint32_t window; /* bins */
    uint32_t n_units;
    double bin_ticks;
    bool has_test;
    spk_significance test;
    bool has_exact;
    spk_exact_report exact;
    uint64_t n_patterns;
    uint64_t *by_unit;                      /* patterns that a unit takes part in */
    uint64_t *by_lag;                       /* spikes behind the first, by lag */
    uint64_t *by_count;                     /* n_windows + 1 */
    uint64_t by_size[PATTERN_MAX_SIZE + 1]; /* the last entry holds all larger ones */
    uint32_t n_top;                         /* of those that are kept, best first */
    top_pattern top[PATTERN_KEPT];
};
