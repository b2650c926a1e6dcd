/*
 * How many surrogates reach a count, for one size and duration after the other.
 *
 *     spk_reached_open(context, maxima, published, &reached);
 *     spk_reached_select(&reached, size, duration);
 *     spk_reached_n_above(&reached, 12); spk_reached_most(&reached);
 *     spk_reached_close(&reached);
 */
#pragma once

#include "base/context.h"
#include "spikemine/maxima.h"

typedef struct spk_reached {
    const spk_maxima_columns *maxima;
    bool published;     /* counts as Elephant holds them, in 16 bits */
    uint32_t *count;    /* M_k of what is selected, ascending */
    uint32_t *duration; /* the durations that occur, ascending; one, 0, without durations */
    uint64_t n_durations;
    uint32_t largest_size;
} spk_reached;

/* Opens them; `maxima` is borrowed. Errors: SPK_ERR_ARGUMENT (no surrogates, maxima out of order),
 * SPK_ERR_MEMORY. Close it in any case. */
spk_status spk_reached_open(spk_context *context, const spk_maxima_columns *maxima, bool published,
                            spk_reached *reached);
void spk_reached_close(spk_reached *reached);

/* Looks at the counts of patterns of `size` spikes and more, of this duration. */
void spk_reached_select(spk_reached *reached, uint32_t size, uint32_t duration);

/* Surrogates that reach `count`; the largest count of all. */
uint64_t spk_reached_n_above(const spk_reached *reached, uint64_t count);
uint32_t spk_reached_most(const spk_reached *reached);

/* The two forms of a p-value. */
double spk_reached_p(const spk_reached *reached, uint64_t n_above);
double spk_reached_p_published(const spk_reached *reached, uint64_t n_above);
