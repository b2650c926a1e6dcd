/* Sequences that are nearly the same as a better one. */
#include "sequence/sequence.h"

static uint64_t count_common_units(const spk_sequence_columns *c, uint32_t a, uint32_t b)
{
    uint64_t n = 0;
    for (uint64_t i = c->member_first[a]; i < c->member_first[a + 1]; i++)
        for (uint64_t k = c->member_first[b]; k < c->member_first[b + 1]; k++)
            if (c->unit[i] == c->unit[k]) {
                n++;
                break;
            }
    return n;
}

/* Occurrences of a that begin or end while b occurs. */
static uint64_t count_common_times(const spk_sequence_columns *c, uint32_t a, uint32_t b)
{
    const double a_lasts = c->lag_ticks[c->member_first[a + 1] - 1];
    const double b_lasts = c->lag_ticks[c->member_first[b + 1] - 1];
    uint64_t n = 0;
    for (uint64_t i = c->occurrence_first[a]; i < c->occurrence_first[a + 1]; i++)
        for (uint64_t k = c->occurrence_first[b]; k < c->occurrence_first[b + 1]; k++) {
            const double later = (double)(c->time[i] - c->time[k]);
            if (later <= b_lasts && -later <= a_lasts) {
                n++;
                break;
            }
        }
    return n;
}

sequence_copy sequence_find_copy(const spk_sequence_columns *c, uint32_t i)
{
    const uint64_t n_units = c->member_first[i + 1] - c->member_first[i];
    const uint64_t n_times = c->occurrence_first[i + 1] - c->occurrence_first[i];
    for (uint32_t of = 0; of < i; of++) {
        const sequence_copy found = {of, count_common_units(c, i, of),
                                     count_common_times(c, i, of)};
        if (2 * found.n_units > n_units && 2 * found.n_occurrences > n_times &&
            (of == 0 || sequence_find_copy(c, of).of == of))
            return found;
    }
    return (sequence_copy){.of = i};
}
