/* All patterns in any order: the job and its threads. */
#include "pattern/engine/bitmap/anchored.h"

#include "base/memory.h"

bool spk_bitmap_can_mine_anchored(const spk_bitmap_job *job)
{
    enum { SEVERAL_NEURONS = 3 };
    const spk_pattern_limits *limits = &job->limits;
    return job->unordered && limits->min_neurons >= SEVERAL_NEURONS && job->ends.row != NULL &&
           job->ends.most_spikes == UINT32_MAX && limits->max_spikes == UINT32_MAX &&
           limits->max_count == UINT32_MAX && limits->min_spikes > 1 && spk_bitmap_can_anchor(job);
}

/* ---- the search ------------------------------------------------------------------------------ */

static spk_status mine(spk_bitmap_bounds *shared, spk_anchored_output *output, uint64_t *n_dropped)
{
    for (int k = 0; k < shared->n_searches; k++) {
        shared->search[k].output = &output[k];
        if (!spk_anchored_output_create(shared, &output[k]))
            return spk_fail_memory(shared->context, 1u << 20, "a search");
    }
    shared->floor = shared->job->limits.min_support;
    shared->ceiling = UINT32_MAX;
    spk_maxima_run_pass(shared);
    for (int k = 0; k < shared->n_searches; k++) {
        spk_anchored_output_leave(&shared->search[k]);
        *n_dropped += output[k].n_dropped;
    }
    for (int k = 0; k < shared->n_searches; k++)
        if (output[k].refused) /* the sink has said why */
            return (spk_status)atomic_load(&shared->status);
    return spk_maxima_status(shared);
}

spk_status spk_bitmap_mine_anchored(spk_context *context, const spk_pattern_job *given,
                                    const spk_bitmap_job *job, spk_pattern_sink *sink, void *user)
{
    const spk_pattern_maxima_job searched = {.job = *given};
    spk_maxima_table table;
    spk_bitmap_bounds shared = {
        .context = context, .job = job, .given = &searched, .table = &table};
    pthread_mutex_t lock;
    spk_anchored_output *output = NULL;
    spk_status status = spk_maxima_table_create(context, 1, &table);
    if (status != SPK_OK)
        return status;
    status = spk_maxima_open(&shared);
    if (status == SPK_OK && shared.n_searches > 0)
        status = spk_alloc_zero(context, &output, (uint64_t)shared.n_searches, "a search");
    /* The sink is called by one thread at a time: all outputs share a lock, which outlives them. */
    pthread_mutex_init(&lock, NULL);
    for (int k = 0; k < shared.n_searches && output != NULL; k++)
        output[k] = (spk_anchored_output){.lock = &lock, .sink = sink, .user = user, .maker = k};
    if (output != NULL)
        status = mine(&shared, output, given->n_dropped);
    for (int k = 0; k < shared.n_searches && output != NULL; k++)
        spk_anchored_output_free(&output[k]);
    spk_free(context, output);
    pthread_mutex_destroy(&lock);
    spk_maxima_close(&shared);
    spk_maxima_table_free(&table);
    return status;
}
