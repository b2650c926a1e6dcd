/*
 * Counts given episodes: sorts them by size and prefix, so that engines can share work between
 * neighbours, counts block by block, and puts the counts back in the list's order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "episode/list.h"
#include "episode/run.h"

static uint64_t size_of(const spk_episode_list *list, uint32_t episode)
{
    return list->offset[episode + 1] - list->offset[episode];
}

/* By size, then lexicographically as engines want it. */
static int compare_episodes(const void *user, uint32_t a, uint32_t b)
{
    const spk_episode_list *list = user;
    uint64_t size_a = size_of(list, a);
    uint64_t size_b = size_of(list, b);
    if (size_a != size_b)
        return size_a < size_b ? -1 : 1;
    for (uint64_t p = 0; p < size_a; p++) {
        uint64_t x = list->offset[a] + p;
        uint64_t y = list->offset[b] + p;
        if (list->delay[x] != list->delay[y])
            return list->delay[x] < list->delay[y] ? -1 : 1;
        if (list->unit[x] != list->unit[y])
            return list->unit[x] < list->unit[y] ? -1 : 1;
    }
    return 0;
}

/* Counts order[from .. to), all of one size. */
static spk_status count_size(spk_context *context, episode_run *run, const spk_episode_list *list,
                             const uint32_t *order, uint64_t from, uint64_t to)
{
    uint32_t size = (uint32_t)size_of(list, order[from]);
    uint64_t n = to - from;
    uint32_t *unit = NULL;
    uint16_t *delay = NULL;
    uint64_t *counts = NULL;
    uint64_t eliminated = 0;
    spk_status status = spk_alloc_columns(context, "episodes", SPK_COLUMN(&unit, n * size),
                                          SPK_COLUMN(&delay, n * size), SPK_COLUMN(&counts, n));
    if (status != SPK_OK)
        goto done;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t offset = list->offset[order[from + k]];
        memcpy(unit + k * size, list->unit + offset, size * sizeof *unit);
        memcpy(delay + k * size, list->delay + offset, size * sizeof *delay);
    }
    spk_episode_block block = {.size = size, .n = n, .unit = unit, .delay = delay};
    status = episode_run_count(context, run, &block, counts, &eliminated);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++)
        list->count[order[from + k]] = counts[k];
done:
    spk_free_all(unit, delay, counts);
    return status;
}

static spk_status count_all(spk_context *context, episode_run *run, const spk_episode_list *list)
{
    uint32_t *order = NULL;
    spk_status status = spk_alloc(context, &order, list->n, "episodes");
    if (status != SPK_OK)
        return status;
    for (uint64_t k = 0; k < list->n; k++)
        order[k] = (uint32_t)k;
    status = spk_sort_indices(context, list->n, order, compare_episodes, list);
    for (uint64_t from = 0; from < list->n && status == SPK_OK;) {
        uint64_t size = size_of(list, order[from]);
        uint64_t most = episode_run_block_capacity(run, (uint32_t)size, 16 * size + 8);
        uint64_t to = from + 1;
        while (to < list->n && to - from < most && size_of(list, order[to]) == size)
            to++;
        status = count_size(context, run, list, order, from, to);
        from = to;
        spk_progress(context, "counting", from, list->n);
    }
    free(order);
    return status;
}

static uint32_t longest_of(const spk_episode_list *list)
{
    uint64_t longest = 1;
    for (uint64_t k = 0; k < list->n; k++) {
        uint64_t size = list->offset[k + 1] - list->offset[k];
        longest = size > longest ? size : longest;
    }
    return (uint32_t)longest;
}

static spk_status check_units(spk_context *context, const spk_recording *recording,
                              const spk_episode_list *list)
{
    uint32_t n_units = spk_recording_events(recording).n_units;
    for (uint64_t k = 0; k < list->n_positions; k++)
        if (list->unit[k] >= n_units)
            return spk_fail(context, SPK_ERR_ARGUMENT, "the recording has %u units, not unit %u",
                            n_units, list->unit[k]);
    if (list->n > UINT32_MAX)
        return spk_fail(context, SPK_ERR_RANGE, "more than 4 billion episodes in one list");
    return SPK_OK;
}

spk_status spk_episode_count(spk_context *context, const spk_recording *recording,
                             const spk_episode_options *given, spk_episode_list *list,
                             spk_episode_summary *summary)
{
    spk_episode_options options;
    spk_episode_summary unwanted = {.choice = ""};
    summary = summary != NULL ? summary : &unwanted;
    *summary = (spk_episode_summary){.choice = ""};
    episode_run *run = NULL;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &options, spk_episode_options);
    if (status == SPK_OK)
        status = check_units(context, recording, list);
    options.delays = list->delays;
    options.n_delays = list->n_delays;
    options.two_pass = SPK_TWO_PASS_OFF; /* every count is wanted */
    options.max_size = longest_of(list);
    if (status == SPK_OK)
        status = episode_run_open(context, recording, &options, list->n, &run);
    if (status == SPK_OK)
        status = episode_run_start(context, run);
    if (status == SPK_OK)
        status = count_all(context, run, list);
    episode_run_report(run, status, summary);
    episode_run_close(run);
    return status;
}
