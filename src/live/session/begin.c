/* What a session makes when its source has told the rate. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/fraction.h"
#include "base/memory.h"
#include "base/options.h"
#include "live/page/page.h"
#include "live/session/session.h"

/* ---- units ----------------------------------------------------------------------------------- */

/* What a label takes of the page's thread, whose memory has no context: a copy, and a pointer to it
 * in a list that grows by half. */
static uint64_t page_bytes(const char *label)
{
    return strlen(label) + 1 + 3 * sizeof(void *) + 2 * sizeof(void *) * 3 / 2;
}

spk_status live_session_take_units(spk_live_session *s)
{
    const uint32_t n = spk_live_source_n_units(s->source);
    if (s->n_units >= n)
        return SPK_OK;
    const spk_stage stage = spk_stage_open(s->context);
    spk_status status = spk_grow(s->context, &s->unit, &s->unit_capacity, n, "units");
    spk_stage_keep(s->context, &stage, &s->holding);
    for (; s->n_units < n && status == SPK_OK; s->n_units++) {
        const char *label = spk_live_source_label(s->source, (uint32_t)s->n_units);
        if (s->page != NULL)
            spk_holding_set(s->context, &s->holding, s->holding.bytes + page_bytes(label));
        status = spk_live_stream_unit(s->context, s->stream, label, &s->unit[s->n_units]);
    }
    return status;
}

/* ---- the watch ------------------------------------------------------------------------------- */

/* Tells the page of an item whose units have these numbers in `labels`. */
static spk_status show_item(spk_live_session *s, const spk_recording *labels, bool is_pattern,
                            uint64_t item, uint32_t size, uint32_t *unit)
{
    spk_status status = SPK_OK;
    for (uint32_t k = 0; k < size && status == SPK_OK; k++)
        status = spk_live_stream_unit(s->context, s->stream, spk_recording_label(labels, unit[k]),
                                      &unit[k]);
    return status == SPK_OK
               ? spk_live_page_item(s->context, s->page, is_pattern, item,
                                    spk_live_watch_name(s->watch, is_pattern, item), size, unit)
               : status;
}

static spk_status show_episodes(spk_live_session *s)
{
    uint32_t unit[SPK_EPISODE_MAX_SIZE];
    spk_episode_columns columns = spk_episode_list_columns(s->episodes.episodes);
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < columns.n && status == SPK_OK; i++) {
        const uint32_t size = (uint32_t)(columns.offset[i + 1] - columns.offset[i]);
        for (uint32_t k = 0; k < size; k++)
            unit[k] = columns.unit[columns.offset[i] + k];
        status = show_item(s, s->episodes.labels, false, i, size, unit);
    }
    return status;
}

static spk_status show_patterns(spk_live_session *s)
{
    spk_pattern_columns columns = spk_pattern_list_columns(s->patterns.patterns);
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < columns.n && status == SPK_OK; i++) {
        const uint32_t size = (uint32_t)(columns.offset[i + 1] - columns.offset[i]);
        uint32_t *unit = NULL;
        status = spk_alloc(s->context, &unit, size, "a pattern");
        for (uint32_t k = 0; k < size && status == SPK_OK; k++)
            unit[k] = columns.item[columns.offset[i] + k] / columns.window;
        if (status == SPK_OK)
            status = show_item(s, s->patterns.labels, true, i, size, unit);
        free(unit);
    }
    return status;
}

static spk_status add_items(spk_live_session *s)
{
    spk_status status = SPK_OK;
    if (s->episodes.episodes != NULL) {
        spk_episode_columns columns = spk_episode_list_columns(s->episodes.episodes);
        status = spk_live_watch_add_episodes(s->context, s->watch, s->episodes.labels, &columns);
    }
    if (status == SPK_OK && s->patterns.patterns != NULL) {
        spk_pattern_columns columns = spk_pattern_list_columns(s->patterns.patterns);
        status = spk_live_watch_add_patterns(s->context, s->watch, s->patterns.labels, &columns);
    }
    if (status == SPK_OK && s->page != NULL && s->episodes.episodes != NULL)
        status = show_episodes(s);
    if (status == SPK_OK && s->page != NULL && s->patterns.patterns != NULL)
        status = show_patterns(s);
    return status;
}

static spk_status load_state(spk_live_session *s)
{
    if (s->options.state == NULL || (access(s->options.state, F_OK) != 0 && errno == ENOENT))
        return SPK_OK;
    spk_status status = spk_live_state_load(s->context, s->stream, s->watch, s->options.state);
    if (status == SPK_OK)
        spk_note(s->context, "%s: the counts go on from there", s->options.state);
    return status;
}

static spk_status begin_watch(spk_live_session *s)
{
    spk_live_watch_options options;
    spk_live_watch_options_init(&options, sizeof options);
    options.window = s->options.recent;
    if (s->patterns.patterns != NULL) {
        options.bin = s->options.bin;
        options.bins = s->options.window;
    }
    const bool may_choose = s->page != NULL && page_may_watch(s->page);
    if (s->episodes.episodes == NULL && s->patterns.patterns == NULL && !may_choose)
        return SPK_OK;
    spk_status status = spk_live_watch_create(s->context, s->stream, &options, &s->watch);
    if (status != SPK_OK)
        return status;
    spk_live_watch_set_sink(s->watch, live_session_occurrence, s);
    status = add_items(s);
    return status == SPK_OK ? load_state(s) : status;
}

/* ---- partitions ------------------------------------------------------------------------------ */

/* A length of 0 fits the source: 60 s, and a fifth of a replay that would have fewer than five. A
 * step of 0 is a twelfth of the length, and all of it where a test needs the time. */
static void fit_partitions(const spk_live_session *s, spk_partitions_options *options)
{
    enum { USUAL_MS = 60000, PARTS = 5, STEPS = 12 };
    spk_live_source_facts source;
    spk_live_source_get_facts(s->source, &source);
    const double part_ms = source.replay ? source.duration_s * 1000 / PARTS : 0;
    const bool is_short = part_ms >= STEPS && part_ms < USUAL_MS;
    if (options->length.digits == 0)
        options->length = (spk_duration){is_short ? (int64_t)part_ms : USUAL_MS, -3, 0};
    if (options->step.digits == 0) {
        const int steps = options->exact_test ? 1 : STEPS;
        const double step_us = ceil(spk_duration_seconds(options->length) / steps * 1e6 - 1e-3);
        options->step = (spk_duration){(int64_t)step_us, -6, 0};
    }
}

static spk_status begin_partitions(spk_live_session *s)
{
    spk_partitions_options options;
    spk_status status =
        SPK_OPTIONS_TAKE(s->context, s->options.partitions, &options, spk_partitions_options);
    if (status != SPK_OK)
        return status;
    fit_partitions(s, &options);
    return spk_partitions_create(s->context, s->stream, &options, &s->partitions);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The recorder is first, so that it has what made another sink fail. */
spk_status live_session_begin(spk_live_session *s)
{
    spk_live_stream_options options;
    spk_live_stream_options_init(&options, sizeof options);
    options.rate = spk_live_source_rate(s->source);
    if (options.rate.numerator == 0) /* no spike will come */
        options.rate = (spk_rate){1000000000, 1};
    options.tolerance = s->options.tolerance;
    spk_status status = spk_live_stream_create(s->context, &options, &s->stream);
    if (status != SPK_OK)
        return status;
    spk_live_emit_set_stream(s->emit, s->stream);
    if (s->options.record != NULL)
        status = spk_live_recorder_open(s->context, s->stream, s->options.record, &s->recorder);
    if (status == SPK_OK && s->options.page != NULL)
        status = spk_live_page_set_stream(s->context, s->page, s->stream);
    if (status == SPK_OK)
        status = begin_watch(s);
    if (status == SPK_OK && s->options.partitions != NULL)
        status = begin_partitions(s);
    if (status == SPK_OK)
        status = live_session_take_units(s);
    s->begun = status == SPK_OK;
    s->tolerance_ns = (int64_t)(spk_duration_seconds(s->options.tolerance) * 1e9);
    s->arrived_ns = s->saved_ns = s->counted_ns = s->measured_ns = spk_now_ns();
    return status;
}
