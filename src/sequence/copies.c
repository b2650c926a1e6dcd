/* Sequences that are nearly the same as a better one. */
#include "sequence/sequence.h"

uint64_t sequence_count_units(const spk_sequence_columns *c, uint32_t of, uint64_t n,
                              const uint32_t *unit)
{
    uint64_t n_common = 0;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = c->member_first[of]; k < c->member_first[of + 1]; k++)
            if (unit[i] == c->unit[k]) {
                n_common++;
                break;
            }
    return n_common;
}

bool sequence_occurs(const spk_sequence_columns *c, uint32_t of, int64_t first, double lasts)
{
    const double of_lasts = c->lag_ticks[c->member_first[of + 1] - 1];
    for (uint64_t k = c->occurrence_first[of]; k < c->occurrence_first[of + 1]; k++) {
        const double later = (double)(first - c->time[k]);
        if (later <= of_lasts && -later <= lasts)
            return true;
    }
    return false;
}

/* Occurrences of a that begin or end while b occurs. */
static uint64_t count_common_times(const spk_sequence_columns *c, uint32_t a, uint32_t b)
{
    const double a_lasts = c->lag_ticks[c->member_first[a + 1] - 1];
    uint64_t n = 0;
    for (uint64_t i = c->occurrence_first[a]; i < c->occurrence_first[a + 1]; i++)
        n += sequence_occurs(c, b, c->time[i], a_lasts);
    return n;
}

sequence_copy sequence_find_copy(const spk_sequence_columns *c, uint32_t i)
{
    const uint64_t n_units = c->member_first[i + 1] - c->member_first[i];
    const uint64_t n_times = c->occurrence_first[i + 1] - c->occurrence_first[i];
    for (uint32_t of = 0; of < i; of++) {
        const sequence_copy found = {
            of, sequence_count_units(c, of, n_units, c->unit + c->member_first[i]),
            count_common_times(c, i, of)};
        if (2 * found.n_units > n_units && 2 * found.n_occurrences > n_times &&
            (of == 0 || sequence_find_copy(c, of).of == of))
            return found;
    }
    return (sequence_copy){.of = i};
}
