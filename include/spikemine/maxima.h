/*
 * The largest counts of surrogates: what tests of signatures rest on (significance.h).
 */
#ifndef SPIKEMINE_MAXIMA_H
#define SPIKEMINE_MAXIMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The maxima of n surrogates: surrogate[i] is the number of the i-th, ascending, from 1; its steps
 * are maximum[first[i]] .. maximum[first[i + 1] - 1] as spk_pattern_find_maxima gives them: by
 * duration, then size, and within a duration counts fall. */
typedef struct spk_maxima_columns {
    uint64_t n;
    bool by_duration;
    const uint64_t *surrogate;          /* n */
    const uint64_t *first;              /* n + 1 */
    const spk_pattern_maximum *maximum; /* durations are 0 unless by_duration */
} spk_maxima_columns;

#ifdef __cplusplus
}
#endif

#endif
