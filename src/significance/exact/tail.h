/* The chance that a sum of independent whole numbers reaches a number, by adding one after the
 * other. Chances down to 1e-30 keep their digits; those below 1e-40 are 0. */
#pragma once

#include <stdint.h>

#include "base/context.h"

/* chance[k] of the sum being k, of `wanted` of being that or more; 0 outside low .. high. */
typedef struct exact_tail {
    uint64_t wanted;
    uint64_t low;
    uint64_t high;
    double *chance;
    double *next; /* room for the next sum */
    double *term; /* room for the chances of one number */
    uint64_t capacity;
} exact_tail;

/* The sum of no numbers; `tail` begins zeroed, and keeps its room. */
spk_status exact_tail_start(spk_context *context, uint64_t wanted, exact_tail *tail);

/* Adds a number that is 1 with this chance, else 0. */
void exact_tail_add_chance(exact_tail *tail, double chance);

/* Adds a hypergeometric number: how many of n_events events, which take distinct places of
 * n_places, lie in n_targets of them. */
void exact_tail_add_hits(exact_tail *tail, uint64_t n_places, uint64_t n_targets,
                         uint64_t n_events);

/* The chance that the sum is at least the number wanted. */
double exact_tail_chance(const exact_tail *tail);

void exact_tail_free(exact_tail *tail);
