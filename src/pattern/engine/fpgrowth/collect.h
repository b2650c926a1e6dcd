/*
 * Pattern collector of the fpgrowth engine (Porrmann et al. 2021, section 2.5.2): one per header
 * entry, so that threads never share one and the patterns keep the order of the entries. Every
 * pattern passes the filter (their Algorithm 1) on arrival; survivors are stored in blocks that
 * grow from small to large, because most of the thousands of collectors stay nearly empty. The
 * blocks are no arena: nothing is released before the end, and patterns are walked through.
 */
#ifndef SPK_PATTERN_ENGINE_FPGROWTH_COLLECT_H
#define SPK_PATTERN_ENGINE_FPGROWTH_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "pattern/engine/pattern_order.h"

/* What a pattern must fulfil to be stored. Sizes in spikes, occurrences in windows. */
typedef struct spk_fp_filter {
    uint32_t window; /* length in bins: item = unit * window + lag */
    uint32_t min_support;
    uint32_t max_count;
    uint32_t min_spikes;
    uint32_t max_spikes;
    uint32_t min_neurons;
} spk_fp_filter;

/* The pattern being grown: its items with the counts that the filter asks for kept up to date, so
 * that a pattern that is thrown away costs nothing more. */
typedef struct spk_fp_prefix {
    const spk_fp_filter *filter;
    uint32_t *item;
    uint32_t n;
    uint32_t n_first_bin; /* items with lag 0 */
    uint32_t n_neurons;   /* distinct units */
    uint32_t *per_unit;   /* items per unit */
} spk_fp_prefix;

void spk_fp_prefix_push(spk_fp_prefix *prefix, uint32_t item);
void spk_fp_prefix_pop_to(spk_fp_prefix *prefix, uint32_t n);

typedef struct spk_fp_block spk_fp_block;
typedef struct spk_fp_collector {
    spk_fp_block *first;
    spk_fp_block *last;
    uint64_t n_patterns;
} spk_fp_collector;

/* Filters and stores the prefix. false: over the memory budget. */
bool spk_fp_collect(spk_fp_collector *collector, spk_budget *budget, const spk_fp_prefix *prefix,
                    uint32_t count, uint64_t signature);

/* Iterates in order of arrival: starts with {.block = NULL}; NULL at the end, where the cursor is
 * ready to start again. */
typedef struct spk_fp_cursor {
    spk_fp_block *block;
    size_t at;
} spk_fp_cursor;
spk_found_pattern *spk_fp_collector_next(const spk_fp_collector *collector, spk_fp_cursor *cursor);

void spk_fp_collector_free(spk_fp_collector *collector, spk_budget *budget);

#endif
