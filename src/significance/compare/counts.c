/* Counts of results by trial, with the library's own definition of an occurrence. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "distribute/queue.h"
#include "significance/compare/compare.h"
#include "spikemine/occurrences.h"

/* So many results are a task. */
enum { BATCH = 64 };

typedef struct counting {
    const spk_recording *recording;
    const spk_trials *trials;
    const spk_windows *windows;
    const spk_episode_columns *episodes;
    const spk_pattern_columns *patterns;
    spk_trial_counts *out;
} counting;

void spk_trial_counts_free(spk_trial_counts *counts)
{
    spk_free_all(counts->first, counts->used, counts->trial, counts->count);
    *counts = (spk_trial_counts){.n = 0};
}

/* ---- one result ------------------------------------------------------------------------------ */

/* Where an occurrence goes; occurrences come segment by segment. */
typedef struct target {
    const counting *job;
    uint64_t i;     /* number of the result */
    uint64_t total; /* occurrences so far */
} target;

static uint64_t count_of(const counting *c, uint64_t i)
{
    return c->patterns != NULL ? c->patterns->count[i] : c->episodes->count[i];
}

static spk_status fail_count(spk_context *context, const target *t)
{
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "result %" PRIu64 " has the count %" PRIu64
                    " on the list and another one in this recording; compare results of a search "
                    "in the same recording",
                    t->i + 1, count_of(t->job, t->i));
}

/* False where there are more occurrences than the list says. Segments of a trial come one behind
 * the other unless trials overlap, so that the place is found at the end, mostly. */
static bool add_occurrence(target *t, size_t segment)
{
    spk_trial_counts *c = t->job->out;
    const uint32_t number = (uint32_t)t->job->trials->of_segment[segment];
    uint32_t *trial = c->trial + c->first[t->i], *count = c->count + c->first[t->i];
    uint32_t *used = &c->used[t->i], at = *used;
    if (++t->total > count_of(t->job, t->i))
        return false;
    while (at > 0 && trial[at - 1] > number)
        at--;
    if (at > 0 && trial[at - 1] == number) {
        count[at - 1]++;
        return true;
    }
    memmove(trial + at + 1, trial + at, (*used - at) * sizeof *trial);
    memmove(count + at + 1, count + at, (*used - at) * sizeof *count);
    trial[at] = number;
    count[at] = 1;
    ++*used;
    return true;
}

static spk_status add_of_segment(void *user, size_t segment, uint32_t size, const int64_t *time)
{
    target *t = user;
    (void)size;
    (void)time;
    return add_occurrence(t, segment) ? SPK_OK : SPK_ERR_ARGUMENT;
}

static spk_status count_episode(spk_context *own, target *t)
{
    const spk_episode_columns *e = t->job->episodes;
    const uint64_t i = t->i, at = e->offset[i];
    const uint32_t size = (uint32_t)(e->offset[i + 1] - at);
    spk_delay delay[SPK_EPISODE_MAX_SIZE];
    for (uint32_t p = 1; p < size && p < SPK_EPISODE_MAX_SIZE; p++)
        delay[p - 1] = e->delays[e->delay[at + p]];
    spk_status status = spk_episode_occurrences_in_segments(own, t->job->recording, size,
                                                            e->unit + at, delay, add_of_segment, t);
    bool too_many = status == SPK_ERR_ARGUMENT && t->total > count_of(t->job, t->i);
    bool too_few = status == SPK_OK && t->total < count_of(t->job, t->i);
    return too_many || too_few ? fail_count(own, t) : status;
}

static spk_status count_pattern(spk_context *context, spk_pattern_locator *locator, target *t)
{
    const spk_pattern_columns *p = t->job->patterns;
    const uint64_t i = t->i;
    const uint32_t *segment = spk_windows_columns(t->job->windows).trial;
    const uint32_t *window = NULL;
    uint32_t n = 0;
    spk_status status = spk_pattern_locate(locator, (uint32_t)(p->offset[i + 1] - p->offset[i]),
                                           p->item + p->offset[i], &window, &n);
    if (status == SPK_OK && n != p->count[i])
        return fail_count(context, t);
    for (uint32_t k = 0; k < n && status == SPK_OK; k++)
        (void)add_occurrence(t, segment[window[k]]); /* there is room, as n is the count */
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static spk_status count_batch(spk_context *own, uint64_t task, void *user)
{
    const counting *c = user;
    const uint64_t begin = task * BATCH;
    const uint64_t end = c->out->n - begin < BATCH ? c->out->n : begin + BATCH;
    spk_status status = SPK_OK;
    for (uint64_t i = begin; i < end && status == SPK_OK; i++) {
        target to = {c, i, 0};
        c->out->used[i] = 0;
        status = count_episode(own, &to);
        if (status == SPK_OK)
            status = spk_check_cancel(own);
    }
    return status;
}

/* Of patterns: the index of a locator is large, so that one thread has it. */
static spk_status count_patterns(spk_context *context, const counting *c)
{
    spk_pattern_locator *locator = NULL;
    spk_status status = spk_pattern_locator_create(context, c->windows, &locator);
    for (uint64_t i = 0; i < c->out->n && status == SPK_OK; i++) {
        target to = {c, i, 0};
        c->out->used[i] = 0;
        status = count_pattern(context, locator, &to);
        if (status == SPK_OK && i % BATCH == 0) {
            spk_progress(context, "counts by trial", i, c->out->n);
            status = spk_check_cancel(context);
        }
    }
    spk_pattern_locator_free(locator);
    return status;
}

/* A result occurs in no more trials than it has occurrences. */
static spk_status reserve(spk_context *context, const counting *c, uint64_t n,
                          spk_trial_counts *out)
{
    const size_t n_trials = c->trials->n;
    *out = (spk_trial_counts){.n = n, .n_trials = n_trials};
    spk_status status = spk_alloc_columns(
        context, "counts by trial", SPK_COLUMN(&out->first, n + 1), SPK_COLUMN(&out->used, n));
    if (status != SPK_OK)
        return status;
    out->first[0] = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t count = count_of(c, i);
        if (count > UINT32_MAX)
            return spk_fail(context, SPK_ERR_RANGE,
                            "a result occurs %" PRIu64 " times, and %u are the most that can be "
                            "compared; leave it out",
                            count, UINT32_MAX);
        out->first[i + 1] = out->first[i] + (count < n_trials ? count : n_trials);
    }
    return spk_alloc_columns(context, "counts by trial", SPK_COLUMN(&out->trial, out->first[n]),
                             SPK_COLUMN(&out->count, out->first[n]));
}

spk_status spk_trial_counts_of_episodes(spk_context *context, const spk_recording *recording,
                                        const spk_trials *trials,
                                        const spk_episode_columns *episodes, spk_trial_counts *out)
{
    const uint64_t n = episodes->n;
    counting c = {.recording = recording, .trials = trials, .episodes = episodes, .out = out};
    const spk_queue_job queue = {
        .n = (n + BATCH - 1) / BATCH, .what = "counts by trial", .task = count_batch, .user = &c};
    spk_status status = reserve(context, &c, n, out);
    return status == SPK_OK ? spk_queue_run(context, &queue) : status;
}

spk_status spk_trial_counts_of_patterns(spk_context *context, const spk_recording *recording,
                                        const spk_windows *windows, const spk_trials *trials,
                                        const spk_pattern_columns *patterns, spk_trial_counts *out)
{
    counting c = {.trials = trials, .windows = windows, .patterns = patterns, .out = out};
    const spk_window_columns w = spk_windows_columns(windows);
    size_t n_segments = 0;
    (void)spk_recording_segments(recording, &n_segments);
    if (w.n_windows > 0 && w.trial[w.n_windows - 1] >= n_segments)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the windows lie in more segments than the recording has (%zu); cut the "
                        "recording at its segments only",
                        n_segments);
    spk_status status = reserve(context, &c, patterns->n, out);
    return status == SPK_OK ? count_patterns(context, &c) : status;
}
