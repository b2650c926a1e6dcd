/* What tests of simulated recordings share. */
#include "support/simulated.h"

#include "support/test.h"

uint64_t test_hash_columns(const spk_recording *recording)
{
    spk_events events = spk_recording_events(recording);
    uint64_t hash = 14695981039346656037u;
    for (uint64_t i = 0; i < events.n_events; i++) {
        for (int k = 0; k < 64; k += 8)
            hash = (hash ^ ((uint64_t)events.time[i] >> k & 0xff)) * 1099511628211u;
        for (int k = 0; k < 32; k += 8)
            hash = (hash ^ (events.unit[i] >> k & 0xff)) * 1099511628211u;
    }
    return hash;
}

static bool fires_at(const spk_recording *recording, uint32_t unit, int64_t time)
{
    spk_events events = spk_recording_events(recording);
    uint64_t low = events.unit_first[unit];
    uint64_t high = events.unit_first[unit + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (events.time[events.by_unit[middle]] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < events.unit_first[unit + 1] && events.time[events.by_unit[low]] == time;
}

void test_check_truth(const spk_recording *recording, const spk_truth *truth)
{
    const char *reason = "";
    if (!spk_recording_validate(recording, &reason))
        fail_msg("invalid recording: %s", reason);
    for (uint32_t k = 0; k < spk_truth_n_chains(truth); k++) {
        spk_truth_chain chain = spk_truth_get_chain(truth, k);
        assert_true(chain.planted > 0 && chain.kept <= chain.planted);
        for (uint64_t i = 0; i < chain.kept; i++) {
            const int64_t *row = chain.time + i * chain.size;
            for (uint32_t p = 0; p < chain.size; p++) {
                assert_true(fires_at(recording, chain.unit[p], row[p]));
                if (p == 0)
                    continue;
                int64_t delay = row[p] - row[p - 1];
                assert_true(delay >= chain.delay_ticks[p - 1] - chain.jitter_ticks);
                assert_true(delay <= chain.delay_ticks[p - 1] + chain.jitter_ticks);
            }
        }
    }
}

static int compare_ends(const void *a, const void *b)
{
    int64_t x = ((const int64_t *)a)[1];
    int64_t y = ((const int64_t *)b)[1];
    return (x > y) - (x < y);
}

uint64_t test_count_planted(const spk_truth_chain *chain)
{
    int64_t(*span)[2] = malloc((chain->kept + 1) * sizeof *span);
    assert_non_null(span);
    for (uint64_t i = 0; i < chain->kept; i++) {
        span[i][0] = chain->time[i * chain->size];
        span[i][1] = chain->time[i * chain->size + chain->size - 1];
    }
    qsort(span, chain->kept, sizeof *span, compare_ends);
    uint64_t count = 0;
    int64_t last = INT64_MIN;
    for (uint64_t i = 0; i < chain->kept; i++) {
        if (span[i][0] <= last)
            continue;
        last = span[i][1];
        count++;
    }
    free(span);
    return count;
}
