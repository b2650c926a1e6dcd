/* Cutting work into parts. */
#include "distribute/split.h"

void spk_split(uint64_t n, const uint64_t *weight_before, int n_parts, uint64_t *first)
{
    uint64_t all = weight_before[n];
    uint64_t at = 0;
    first[0] = 0;
    for (int k = 1; k < n_parts; k++) {
        /* all * k may pass 64 bits */
        uint64_t goal = (uint64_t)((unsigned __int128)all * (unsigned)k / (unsigned)n_parts);
        while (at < n && weight_before[at] < goal)
            at++;
        first[k] = at;
    }
    first[n_parts] = n;
}
