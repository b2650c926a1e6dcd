/* The watch: making it, and adding what it follows. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "episode/list.h"
#include "live/watch.h"

SPK_OPTIONS_INIT(spk_live_watch_options, .bins = 0);

/* ---- life ------------------------------------------------------------------------------------ */

static spk_status check_options(spk_context *context, const spk_live_watch_options *options)
{
    if (options->window.digits < 0 || options->window.exponent == SPK_DURATION_INFINITE)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the window of recent counts must be 0 or more and finite, for example "
                        "60s");
    if (options->bin.digits < 0 || options->bin.exponent == SPK_DURATION_INFINITE)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the bin width must be above 0 and finite, for example 5ms");
    if (options->bins > SPK_MAX_WINDOW_BINS)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "window of %" PRIu32 " bins: give a length up to %u bins", options->bins,
                        SPK_MAX_WINDOW_BINS);
    return SPK_OK;
}

static spk_status set_up(spk_context *context, spk_live_watch *watch)
{
    const spk_live_watch_options *options = &watch->options;
    watch->window = (watch_window){.now = INT64_MIN};
    if (options->window.digits > 0)
        watch->window.ticks = (uint64_t)spk_duration_first_tick(options->window, watch->rate);
    watch->patterns.rate = watch->rate;
    if (options->bin.digits > 0)
        return spk_bin_width_find(context, options->bin, watch->rate, &watch->patterns.width);
    return SPK_OK;
}

spk_status spk_live_watch_create(spk_context *context, spk_live_stream *stream,
                                 const spk_live_watch_options *options, spk_live_watch **out)
{
    spk_live_watch_options own;
    spk_live_watch *watch = NULL;
    *out = NULL;
    spk_status status = SPK_OPTIONS_TAKE(context, options, &own, spk_live_watch_options);
    if (status == SPK_OK)
        status = check_options(context, &own);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &watch, 1, "a watch");
    if (status != SPK_OK)
        return status;
    watch->options = own;
    watch->rate = spk_live_stream_rate(stream);
    status = set_up(context, watch);
    if (status == SPK_OK)
        status = spk_live_stream_add_sink(context, stream, watch_take_batch, watch);
    if (status != SPK_OK) {
        spk_live_watch_free(watch);
        return status;
    }
    watch->stream = stream;
    *out = watch;
    return SPK_OK;
}

static void clear_names(watch_names *names)
{
    free(names->bytes);
    free(names->first);
}

void spk_live_watch_free(spk_live_watch *watch)
{
    if (watch == NULL)
        return;
    if (watch->stream != NULL)
        spk_live_stream_remove_sink(watch->stream, watch_take_batch, watch);
    watch_units_clear(&watch->units);
    watch_trie_clear(&watch->trie);
    watch_patterns_clear(&watch->patterns);
    clear_names(&watch->episode_names);
    clear_names(&watch->pattern_names);
    spk_free_all(watch->out_unit, watch->out_time, watch);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Room for a name of `length` bytes and its zero. */
static spk_status reserve_name(spk_context *context, watch_names *names, size_t length)
{
    spk_status status = spk_grow(context, &names->bytes, &names->capacity,
                                 names->n_bytes + length + 1, "names of watched items");
    if (status == SPK_OK)
        status = spk_grow(context, &names->first, &names->first_capacity, names->n + 1,
                          "names of watched items");
    return status;
}

static void add_name(watch_names *names, size_t length)
{
    names->first[names->n++] = names->n_bytes;
    names->n_bytes += length + 1;
}

static spk_status name_episode(spk_context *context, watch_names *names,
                               const spk_recording *labels, const spk_episode_columns *episodes,
                               uint64_t k)
{
    size_t length = spk_episode_format(labels, episodes, k, NULL, 0);
    spk_status status = reserve_name(context, names, length);
    if (status != SPK_OK)
        return status;
    spk_episode_format(labels, episodes, k, names->bytes + names->n_bytes, length + 1);
    add_name(names, length);
    return SPK_OK;
}

static spk_status name_pattern(spk_context *context, watch_names *names,
                               const spk_recording *labels, const spk_pattern_columns *patterns,
                               uint64_t k)
{
    size_t length = spk_pattern_format(labels, patterns, k, NULL, 0);
    spk_status status = reserve_name(context, names, length);
    if (status != SPK_OK)
        return status;
    spk_pattern_format(labels, patterns, k, names->bytes + names->n_bytes, length + 1);
    add_name(names, length);
    return SPK_OK;
}

/* ---- units ----------------------------------------------------------------------------------- */

static spk_status reserve_out(spk_context *context, spk_live_watch *watch, uint64_t size)
{
    return spk_grow_columns(context, &watch->out_capacity, size, "an occurrence",
                            SPK_COLUMN(&watch->out_unit, 1), SPK_COLUMN(&watch->out_time, 1));
}

static spk_status number_unit(spk_context *context, spk_live_watch *watch,
                              const spk_recording *labels, uint32_t unit, uint32_t *number)
{
    const char *label = spk_recording_label(labels, unit);
    if (label == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the labels have %u units, not unit %u",
                        spk_recording_events(labels).n_units, unit);
    return watch_units_number(context, &watch->units, label, number);
}

/* ---- episodes -------------------------------------------------------------------------------- */

static spk_status check_episode(spk_context *context, const spk_episode_columns *episodes,
                                uint64_t k)
{
    uint64_t size = episodes->offset[k + 1] - episodes->offset[k];
    if (size == 0 || size > SPK_EPISODE_MAX_SIZE)
        return spk_fail(context, SPK_ERR_ARGUMENT, "an episode has 1 to %u positions, not %" PRIu64,
                        SPK_EPISODE_MAX_SIZE, size);
    for (uint64_t p = episodes->offset[k] + 1; p < episodes->offset[k + 1]; p++)
        if (episodes->delay[p] >= episodes->n_delays)
            return spk_fail(context, SPK_ERR_ARGUMENT, "an episode has an unknown interval");
    return SPK_OK;
}

static spk_status add_episode(spk_context *context, spk_live_watch *watch,
                              const spk_recording *labels, const spk_episode_columns *episodes,
                              uint64_t k, const uint32_t *number)
{
    uint32_t unit[SPK_EPISODE_MAX_SIZE], delay[SPK_EPISODE_MAX_SIZE];
    uint64_t offset = episodes->offset[k];
    spk_status status = check_episode(context, episodes, k);
    if (status != SPK_OK)
        return status;
    uint32_t size = (uint32_t)(episodes->offset[k + 1] - offset);
    for (uint32_t p = 0; p < size && status == SPK_OK; p++) {
        status = number_unit(context, watch, labels, episodes->unit[offset + p], &unit[p]);
        delay[p] = p > 0 ? number[episodes->delay[offset + p]] : 0;
    }
    if (status == SPK_OK)
        status = name_episode(context, &watch->episode_names, labels, episodes, k);
    return status == SPK_OK ? watch_trie_add(context, &watch->trie, size, unit, delay) : status;
}

/* The numbers that the table's intervals have in the watch. */
static spk_status number_delays(spk_context *context, spk_live_watch *watch,
                                const spk_episode_columns *episodes, uint32_t **number)
{
    spk_tick_delay *ticks = NULL;
    spk_status status = spk_delays_check(context, episodes->delays, episodes->n_delays);
    if (status == SPK_OK)
        status =
            spk_delays_to_ticks(context, episodes->delays, episodes->n_delays, watch->rate, &ticks);
    if (status == SPK_OK)
        status = spk_alloc(context, number, episodes->n_delays, "delay intervals");
    for (size_t d = 0; d < episodes->n_delays && status == SPK_OK; d++)
        status = watch_trie_delay(context, &watch->trie, ticks[d], &(*number)[d]);
    free(ticks);
    return status;
}

/* Those that pass share no beginning with any other one. */
static spk_status add_all(spk_context *context, spk_live_watch *watch, const spk_recording *labels,
                          const spk_episode_columns *episodes, bool passing)
{
    uint32_t *number = NULL;
    spk_status status = reserve_out(context, watch, SPK_EPISODE_MAX_SIZE);
    if (status == SPK_OK)
        status = number_delays(context, watch, episodes, &number);
    for (uint64_t k = 0; k < episodes->n && status == SPK_OK; k++) {
        if (passing)
            watch_trie_begin_generation(&watch->trie);
        status = add_episode(context, watch, labels, episodes, k, number);
    }
    free(number);
    return status;
}

spk_status spk_live_watch_add_episodes(spk_context *context, spk_live_watch *watch,
                                       const spk_recording *labels,
                                       const spk_episode_columns *episodes)
{
    if (watch->has_passing)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "episodes that are followed to the end come before those that are followed "
                        "for a while; add them first, or with spk_live_watch_begin_episodes");
    if (watch->running)
        watch_trie_begin_generation(&watch->trie);
    watch->running = false;
    return add_all(context, watch, labels, episodes, false);
}

/* ---- episodes for a while -------------------------------------------------------------------- */

watch_extent watch_kept(const spk_live_watch *watch)
{
    const watch_trie *trie = &watch->trie;
    return watch->has_passing ? watch->kept
                              : (watch_extent){.nodes = trie->n_nodes,
                                               .queues = trie->n_queues,
                                               .ends = trie->n_ends,
                                               .episodes = trie->n_episodes,
                                               .name_bytes = watch->episode_names.n_bytes};
}

spk_status spk_live_watch_begin_episodes(spk_context *context, spk_live_watch *watch,
                                         const spk_recording *labels,
                                         const spk_episode_columns *episodes)
{
    watch->kept = watch_kept(watch);
    watch->has_passing = true;
    return add_all(context, watch, labels, episodes, true);
}

spk_status spk_live_watch_end_episode(spk_context *context, spk_live_watch *watch, uint64_t item)
{
    if (!watch->has_passing || item < watch->kept.episodes || item >= watch->trie.n_episodes)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "episode %" PRIu64 " is followed to the end, or there is none; end those "
                        "of spk_live_watch_begin_episodes",
                        item);
    if (!watch->trie.episode[item].over)
        watch_trie_stop(context, &watch->trie, item);
    return SPK_OK;
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* The items by lag, then unit: lag in the upper half. */
static spk_status sort_items(spk_context *context, const spk_live_watch *watch,
                             const spk_pattern_columns *patterns, uint64_t k, uint64_t *item)
{
    uint64_t offset = patterns->offset[k], size = patterns->offset[k + 1] - offset;
    uint32_t bins = watch->options.bins > 0 ? watch->options.bins : patterns->window;
    for (uint64_t i = 0; i < size; i++) {
        uint32_t number = patterns->item[offset + i];
        uint32_t lag = number % patterns->window;
        if (lag >= bins)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "a pattern with lag %" PRIu32 " in windows of %" PRIu32
                            " bins; take longer windows",
                            lag, bins);
        item[i] = (uint64_t)lag << 32 | number / patterns->window;
    }
    qsort(item, size, sizeof *item, spk_compare_uint64);
    for (uint64_t i = 1; i < size; i++)
        if (item[i] == item[i - 1])
            return spk_fail(context, SPK_ERR_ARGUMENT, "a pattern has one of its spikes twice");
    if (size == 0 || item[0] >> 32 != 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a pattern has no spike at lag 0; count lags from its first spike");
    return SPK_OK;
}

static spk_status add_pattern(spk_context *context, spk_live_watch *watch,
                              const spk_recording *labels, const spk_pattern_columns *patterns,
                              uint64_t k)
{
    uint64_t *item = NULL;
    uint32_t *unit = NULL, *lag = NULL;
    uint64_t size = patterns->offset[k + 1] - patterns->offset[k];
    if (size >= UINT32_MAX)
        return spk_fail(context, SPK_ERR_RANGE, "a pattern of more than 32 bit spikes");
    spk_status status = spk_alloc_columns(context, "a pattern", SPK_COLUMN(&item, size),
                                          SPK_COLUMN(&unit, size), SPK_COLUMN(&lag, size));
    if (status == SPK_OK)
        status = sort_items(context, watch, patterns, k, item);
    for (uint64_t i = 0; i < size && status == SPK_OK; i++) {
        lag[i] = (uint32_t)(item[i] >> 32);
        status = number_unit(context, watch, labels, (uint32_t)item[i], &unit[i]);
    }
    if (status == SPK_OK)
        status = reserve_out(context, watch, size);
    if (status == SPK_OK)
        status = name_pattern(context, &watch->pattern_names, labels, patterns, k);
    if (status == SPK_OK)
        status = watch_patterns_add(context, &watch->patterns, (uint32_t)size, unit, lag);
    spk_free_all(item, unit, lag);
    return status;
}

spk_status spk_live_watch_add_patterns(spk_context *context, spk_live_watch *watch,
                                       const spk_recording *labels,
                                       const spk_pattern_columns *patterns)
{
    spk_status status = SPK_OK;
    if (watch->patterns.width.numerator == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a watch of patterns needs the width of a bin, for example 5ms");
    if (patterns->n > 0 && (patterns->window < 1 || patterns->window > SPK_MAX_WINDOW_BINS))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "window of %" PRIu32 " bins: give a length from 1 to %u bins",
                        patterns->window, SPK_MAX_WINDOW_BINS);
    if (watch->patterns.n_patterns + patterns->n >= UINT32_MAX)
        return spk_fail(context, SPK_ERR_RANGE, "more watched patterns than 32 bit number");
    for (uint64_t k = 0; k < patterns->n && status == SPK_OK; k++)
        status = add_pattern(context, watch, labels, patterns, k);
    return status;
}
