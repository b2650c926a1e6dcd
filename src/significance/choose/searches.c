/* What all ways of choosing share: surrogates, how they are searched, and how long that may take.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/facts.h"
#include "significance/choose/choose.h"
#include "significance/exact/exact.h"

enum { MOST_PAIRS = 1000000 }; /* that are counted in a surrogate */

uint64_t choose_surrogate(uint64_t k)
{
    return (UINT64_C(1) << 61) + k;
}

uint64_t choose_steps(double seconds, double n_searches)
{
    return (uint64_t)(seconds / n_searches * EPISODE_STEPS_A_SECOND) + 1;
}

void choose_search_options(const choose_job *job, uint32_t max_size, spk_episode_options *out)
{
    spk_episode_options_init(out, sizeof *out);
    out->delays = job->delays;
    out->n_delays = job->n_delays;
    out->max_size = max_size;
    out->engine = spk_engine_usual(SPK_EPISODES, false)->name; /* short jobs: no GPU is started */
}

episode_limits choose_limits(const choose_job *job)
{
    return (episode_limits){
        .most_steps = job->most_steps, .most_frequent = UINT64_MAX, .deadline = job->deadline};
}

spk_status choose_surrogates(spk_context *context, const spk_recording *recording,
                             const spk_choose_options *options, spk_duration bin,
                             spk_surrogates **out)
{
    spk_surrogate_options making;
    const exact_null *null = NULL;
    spk_exact_options test = {.null = options->null, .jitter = &options->jitter, .n_jitter = 1};
    if (test.null == NULL && options->most_by_chance > 0) /* for a test: as the test itself */
        test.null = "shift";
    spk_status status = spk_exact_null_find(context, recording, &test, &null);
    if (status != SPK_OK)
        return status;
    spk_surrogate_options_init(&making, sizeof making);
    making.method = null->facts.method;
    making.history = options->history;
    making.dither = options->jitter;
    making.bin = bin;
    making.seed = options->seed;
    return spk_surrogates_create(context, recording, &making, out);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* Numbers of events are the same in every surrogate. */
spk_status choose_least_support(spk_context *context, const choose_job *job, uint64_t *out)
{
    const spk_events events = spk_recording_events(job->recording);
    uint64_t *n_events = NULL, most = 1;
    spk_status status = spk_alloc(context, &n_events, events.n_units, "units");
    if (status != SPK_OK)
        return status;
    for (uint32_t u = 0; u < events.n_units; u++)
        n_events[u] = events.unit_first[u + 1] - events.unit_first[u];
    qsort(n_events, events.n_units, sizeof *n_events, compare_numbers);
    while ((most + 1) * (most + 1) * job->n_delays <= MOST_PAIRS)
        most++;
    *out = job->options.least_support > 0 ? job->options.least_support : 1;
    if (events.n_units > most && n_events[most] >= *out)
        *out = n_events[most] + 1;
    spk_free(context, n_events);
    return SPK_OK;
}
