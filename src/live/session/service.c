/* What a session does now and then: results of partitions, files, meters, wishes of the page. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "live/session/session.h"

enum { RECORD_NS = 50000000, METER_NS = 200000000 };
static const int64_t save_ns = 10000000000, measure_ns = 1000000000;

/* ---- occurrences and partitions -------------------------------------------------------------- */

spk_status live_session_occurrence(void *user, const spk_live_occurrence *occurrence)
{
    spk_live_session *s = user;
    s->occurrences++;
    spk_status status = live_session_allow_pipe(s, spk_live_emit_occurrence(s->emit, occurrence));
    if (status == SPK_OK && s->page != NULL)
        status = spk_live_page_occurrence(s->page, occurrence);
    if (status == SPK_OK && s->options.occurrence != NULL)
        status = live_session_allow_pipe(s, s->options.occurrence(s->options.user, occurrence));
    return status;
}

static spk_status tell_partition(spk_live_session *s, const spk_partition_result *result)
{
    /* What the interrupt skips tells nothing of what to change. */
    if (result->state == SPK_PARTITION_SKIPPED && !(s->interrupted && s->skipped_why[0] != '\0'))
        snprintf(s->skipped_why, sizeof s->skipped_why, "%s", result->why);
    spk_status status = live_session_allow_pipe(s, spk_live_emit_partition(s->emit, result));
    if (status == SPK_OK && s->page != NULL)
        status = spk_live_page_partition(s->context, s->page, result);
    if (status == SPK_OK && s->options.partition != NULL)
        status = live_session_allow_pipe(s, s->options.partition(s->options.user, result));
    return status;
}

/* *result is NULL where none was there in time. */
static spk_status take_partition(spk_live_session *s, int timeout_ms,
                                 const spk_partition_result **result)
{
    *result = NULL;
    if (s->partitions == NULL)
        return SPK_OK;
    spk_status status = spk_partitions_take(s->context, s->partitions, timeout_ms, result);
    return status == SPK_OK && *result != NULL ? tell_partition(s, *result) : status;
}

static spk_status take_partitions(spk_live_session *s)
{
    const spk_partition_result *result = NULL;
    spk_status status;
    do
        status = take_partition(s, 0, &result);
    while (status == SPK_OK && result != NULL);
    return status;
}

spk_status live_session_take_last(spk_live_session *s)
{
    const spk_partition_result *result = NULL;
    spk_status status;
    do {
        int64_t left_ms = s->interrupted ? (s->patience_ns - spk_now_ns()) / 1000000 : -1;
        if (s->interrupted && left_ms <= 0)
            spk_context_cancel(s->context);
        status = take_partition(s, left_ms > 0 ? (int)left_ms : -1, &result);
    } while (status == SPK_OK &&
             (result != NULL ||
              (s->partitions != NULL && spk_partitions_totals(s->partitions).waiting > 0)));
    return status;
}

/* ---- meters ---------------------------------------------------------------------------------- */

/* Spikes a second: of a replay in seconds of the recording, whatever its speed. */
static void measure(spk_live_session *s, int64_t now, bool last)
{
    const uint64_t accepted = spk_live_stream_counts(s->stream).accepted;
    if (now - s->measured_ns < measure_ns && !(last && s->spikes_per_s == 0))
        return;
    spk_live_source_facts source;
    spk_live_source_get_facts(s->source, &source);
    const double passed_s = source.replay ? source.position_s - s->measured_position_s
                                          : (double)(now - s->measured_ns) * 1e-9;
    s->spikes_per_s = passed_s > 0 ? (double)(accepted - s->measured) / passed_s : 0;
    s->measured = accepted;
    s->measured_ns = now;
    s->measured_position_s = source.position_s;
}

static void show_meters(spk_live_session *s)
{
    spk_live_session_facts facts;
    spk_live_meters meters = {.counts = {0}};
    spk_live_session_get_facts(s, &facts);
    meters.counts = facts.counts;
    meters.spikes_per_s = facts.spikes_per_s;
    for (size_t k = 0; k < 3; k++)
        meters.latency_ms[k] =
            spk_live_emit_latency(s->emit)->n > 0 ? facts.latency_ms[k] : (double)NAN;
    snprintf(meters.source, sizeof meters.source, "%s", s->options.source);
    snprintf(meters.state, sizeof meters.state, "%s", facts.source.state);
    meters.reconnects = facts.source.reconnects;
    meters.garbage = facts.source.garbage;
    meters.partitions_mined = facts.partitions.mined;
    meters.partitions_skipped = facts.partitions.skipped;
    memcpy(meters.skipped_why, facts.skipped_why, sizeof meters.skipped_why);
    meters.partitions_tested = facts.partitions.tested;
    meters.tests_due = facts.tests_due;
    memcpy(meters.untested, facts.untested, sizeof meters.untested);
    meters.position_s = facts.source.position_s;
    meters.speed = facts.source.speed;
    meters.duration_s = facts.source.duration_s;
    meters.replay = facts.source.replay;
    meters.paused = facts.source.paused;
    spk_live_page_meters(s->page, &meters);
}

/* A mark is on the page already. It is kept, and told to everybody else. */
static spk_status keep_mark(spk_live_session *s, const spk_live_page_action *action)
{
    const spk_live_mark mark = {action->segment, action->time, action->text, action->trial};
    spk_status status = s->recorder != NULL && s->recorder_lost == SPK_OK
                            ? spk_live_recorder_mark(s->recorder, &mark)
                            : SPK_OK;
    if (status == SPK_OK)
        status = live_session_allow_pipe(s, spk_live_emit_mark(s->emit, &mark));
    if (status == SPK_OK && s->options.mark != NULL)
        status = live_session_allow_pipe(s, s->options.mark(s->options.user, &mark));
    return status;
}

static spk_status obey(spk_live_session *s, const spk_live_page_action *action)
{
    switch (action->request) {
    case SPK_LIVE_PAGE_SPEED:
        if (action->value >= 0)
            spk_live_source_set_speed(s->source, action->value);
        return SPK_OK;
    case SPK_LIVE_PAGE_PAUSE:
        spk_live_source_pause(s->source, action->value > 0);
        return SPK_OK;
    case SPK_LIVE_PAGE_MARK:
        return keep_mark(s, action);
    case SPK_LIVE_PAGE_WATCH:
        return live_session_choose(s, action->text);
    case SPK_LIVE_PAGE_UNWATCH:
        return live_session_unchoose(s, action->item);
    }
    return SPK_OK;
}

static spk_status obey_page(spk_live_session *s)
{
    spk_live_page_action action;
    spk_status status = SPK_OK;
    while (status == SPK_OK && spk_live_page_next_action(s->page, &action))
        status = obey(s, &action);
    return status;
}

spk_status live_session_serve_page(spk_live_session *s, bool always)
{
    const int64_t now = spk_now_ns();
    if (s->page == NULL || (!always && now - s->metered_ns < METER_NS))
        return SPK_OK;
    s->metered_ns = now;
    show_meters(s);
    return obey_page(s);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A recorder that fails is told of, and the rest goes on. */
static void flush_recorder(spk_live_session *s)
{
    if (s->recorder == NULL || s->recorder_lost != SPK_OK)
        return;
    s->recorder_lost = spk_live_recorder_flush(s->recorder);
    if (s->recorder_lost == SPK_OK)
        return;
    snprintf(s->problem, sizeof s->problem, "%s", spk_context_message(s->context));
    spk_note(s->context, "%s; spikes are no longer recorded, everything else goes on", s->problem);
}

spk_status live_session_save(spk_live_session *s)
{
    return s->options.state != NULL && s->watch != NULL && s->begun && !s->finished
               ? spk_live_state_save(s->context, s->stream, s->watch, s->options.state)
               : SPK_OK;
}

/* As often as was asked for, and once when all is finished. */
static spk_status tell_counts(spk_live_session *s, int64_t now)
{
    const double since_s = (double)(now - s->counted_ns) * 1e-9;
    const bool due = s->options.counts_s > 0 && since_s >= s->options.counts_s;
    if (s->watch == NULL || s->last_counts || !(s->finished || due) ||
        spk_live_watch_n_episodes(s->watch) + spk_live_watch_n_patterns(s->watch) == 0)
        return SPK_OK;
    s->counted_ns = now;
    s->last_counts = s->finished;
    return live_session_allow_pipe(s, spk_live_emit_counts(s->emit, s->watch));
}

spk_status live_session_service(spk_live_session *s, bool all)
{
    const int64_t now = spk_now_ns();
    spk_status status = all ? live_session_take_last(s) : take_partitions(s);
    if (status == SPK_OK)
        status = live_session_allow_pipe(s, spk_live_emit_flush(s->emit));
    if (status == SPK_OK)
        status = tell_counts(s, now);
    measure(s, now, all);
    if (status == SPK_OK)
        status = live_session_serve_page(s, all);
    if (all || now - s->recorded_ns >= RECORD_NS) {
        flush_recorder(s);
        s->recorded_ns = now;
    }
    if (status == SPK_OK && !s->finished && now - s->saved_ns >= save_ns) {
        status = live_session_save(s);
        s->saved_ns = now;
    }
    return status;
}
