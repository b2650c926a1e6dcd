/*
 * Partners of a pattern: the patterns that begin at one distance from it so often that the
 * reduction judges the pair.
 *
 * Pattern i has n occurrences. Pattern j is its partner at a shift when j begins `shift` bins after
 * i at least m times, and the two then have a spike in common. All spikes of j then stand at fixed
 * places beside m occurrences of i or more. So the spikes around the occurrences of i are counted
 * by place, and only places with m spikes matter:
 *
 *     occurrences of a@0 b@3     n = 5, m = 4:  spikes around them, by place
 *      a . . b c                                     0 1 2 3 4
 *      a c . b c                                  a  5 . . . .
 *      a . . b .                                  b  . 1 . 5 .
 *      a b . b c                                  c  . 1 . . 4
 *      a . . b c                                  j has spikes of a@0 b@3 c@4 only
 *
 * A pattern is a word, its spikes in order are the letters, and the places that matter are letters
 * too: the partners are the words that can be written with them. Words are sorted as in a
 * dictionary, so that those which begin with other letters are passed over at once.
 *
 * Time grows with the number of patterns, of occurrences and of spikes around them. Pairs of
 * patterns that have spikes in common, but few occurrences, cost nothing.
 */
#pragma once

#include "spikemine/pattern.h"

/* Where patterns occur: window[first[i]] .. window[first[i + 1] - 1], ascending. */
typedef struct spk_partner_columns {
    const uint64_t *first;
    const uint32_t *window;
    const int64_t *place; /* by window: its first bin on a line of all windows, ascending */
    const int64_t *least; /* by pattern: fewest common occurrences with any partner, at least 1 */
} spk_partner_columns;

typedef struct spk_partners spk_partners;

/* Borrows the columns. Items of patterns must be those of windows. */
spk_status spk_partners_create(spk_context *context, const spk_window_columns *windows,
                               const spk_pattern_columns *patterns,
                               const spk_partner_columns *occurrences, spk_partners **out);
void spk_partners_free(spk_partners *partners);

/* Takes a pattern that may be a partner: it begins `shift` bins after the one that was asked for
 * and has `shared` spikes in common with it, at least one. */
typedef void spk_partner_visit(void *user, uint64_t partner, int64_t shift, uint32_t shared);

/* Visits every partner of pattern i that occurs more often, or as often and comes before it; others
 * may be visited, too. */
void spk_partners_find(spk_partners *partners, uint64_t i, spk_partner_visit *visit, void *user);
