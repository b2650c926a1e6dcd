/*
 * Replay of a recording as if it were live: segment after segment, each spike when its time has
 * come. Time between segments is left out. The position is the time observed so far, in all
 * segments together.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "live/sources/link.h"
#include "live/sources/source.h"
#include "recording/segments.h"
#include "spikemine/formats.h"

typedef struct replay {
    const spk_recording *recording;
    spk_recording *own; /* NULL: it is the caller's */
    size_t n_segments;
    size_t segment;    /* the one under way */
    bool announced;    /* its border was handed over */
    uint64_t next;     /* its next event, by number */
    double before_s;   /* observed time of the segments before it */
    double duration_s; /* of all */
    double speed;      /* 0: as fast as possible */
    bool paused;
    double position_s; /* at the moment `since_ns` */
    int64_t since_ns;  /* 0: the first poll sets it */
} replay;

static double seconds(const replay *r, uint64_t ticks)
{
    const spk_rate rate = spk_recording_rate(r->recording);
    return (double)ticks * (double)rate.denominator / (double)rate.numerator;
}

static double length_s(const replay *r, size_t k)
{
    size_t n = 0;
    const spk_segment *s = spk_recording_segments(r->recording, &n);
    return seconds(r, (uint64_t)s[k].stop - (uint64_t)s[k].start);
}

/* ---- the clock ------------------------------------------------------------------------------- */

/* Where an unhindered replay is now. */
static double position_now(const replay *r, int64_t now_ns)
{
    if (r->paused || r->speed == 0 || r->since_ns == 0)
        return r->position_s;
    return r->position_s + (double)(now_ns - r->since_ns) * 1e-9 * r->speed;
}

/* From now on the clock counts from where it is. */
static void set_mark(replay *r, int64_t now_ns)
{
    r->position_s = position_now(r, now_ns);
    r->since_ns = now_ns;
}

/* The moment at which the replay reaches a position. */
static int64_t moment_of(const replay *r, double position_s)
{
    if (r->paused)
        return INT64_MAX;
    if (r->speed == 0)
        return 0;
    const double wait_ns = (position_s - r->position_s) / r->speed * 1e9;
    return wait_ns < 4e18 ? r->since_ns + (int64_t)wait_ns + 1 : INT64_MAX;
}

/* ---- spikes ---------------------------------------------------------------------------------- */

/* Collects the events of the segment that are due. */
static void collect_due(replay *r, spk_collector *c, int64_t now_ns)
{
    const spk_events events = spk_recording_events(r->recording);
    const spk_event_range range = spk_segment_events(r->recording, r->segment);
    size_t n = 0;
    const int64_t start = spk_recording_segments(r->recording, &n)[r->segment].start;
    const double reached_s = position_now(r, now_ns) - r->before_s;
    c->now_ns = now_ns;
    for (; r->next < range.last && !spk_collector_full(c); r->next++) {
        const uint64_t ticks = (uint64_t)events.time[r->next] - (uint64_t)start;
        if (r->speed > 0 && seconds(r, ticks) > reached_s)
            break;
        spk_collect(c, events.time[r->next], events.unit[r->next]);
    }
    if (r->speed == 0 && r->next > range.first) {
        r->position_s =
            r->before_s + seconds(r, (uint64_t)events.time[r->next - 1] - (uint64_t)start);
        r->since_ns = now_ns;
    }
}

/* What comes next in the segment, an event or its end, as a position. */
static double next_position(const replay *r)
{
    const spk_event_range range = spk_segment_events(r->recording, r->segment);
    if (r->next >= range.last)
        return r->before_s + length_s(r, r->segment);
    size_t n = 0;
    const int64_t start = spk_recording_segments(r->recording, &n)[r->segment].start;
    const int64_t time = spk_recording_events(r->recording).time[r->next];
    return r->before_s + seconds(r, (uint64_t)time - (uint64_t)start);
}

static void announce(replay *r, spk_collector *c)
{
    spk_time_range bounds;
    /* A recording without events may have a segment without length, which has no bounds. */
    const bool exact = spk_recording_segment_times(r->recording, r->segment, &bounds) &&
                       spk_duration_compare(bounds.start, bounds.stop) < 0;
    r->announced = spk_collect_border(c, exact ? &bounds.start : NULL, exact ? &bounds.stop : NULL);
    if (r->announced)
        spk_collect_trial(c, spk_recording_trial(r->recording, r->segment),
                          spk_recording_trials(r->recording));
    r->next = spk_segment_events(r->recording, r->segment).first;
}

/* Behind the last event, when the segment's end is reached; false: not yet. */
static bool end_segment(replay *r, spk_collector *c, int64_t now_ns)
{
    const double end_s = r->before_s + length_s(r, r->segment);
    if (r->next < spk_segment_events(r->recording, r->segment).last || now_ns < moment_of(r, end_s))
        return false;
    r->before_s = end_s;
    if (r->speed == 0)
        r->position_s = end_s;
    r->segment++;
    r->announced = false;
    c->head.ended = r->segment == r->n_segments;
    return true;
}

static spk_status poll_replay(spk_context *context, spk_live_source *source, int64_t until_ns)
{
    replay *r = source->own;
    spk_collector *c = &source->collector;
    spk_status status = SPK_OK;
    bool waiting = true;
    if (r->since_ns == 0)
        r->since_ns = spk_now_ns();
    while (waiting && status == SPK_OK) {
        int64_t now_ns = spk_now_ns();
        if (!r->announced)
            announce(r, c);
        if (!r->paused)
            collect_due(r, c, now_ns);
        if (!spk_collector_full(c) && !r->paused && end_segment(r, c, now_ns) && !c->head.ended &&
            !spk_collector_has_news(c))
            continue;
        const int64_t due_ns = c->head.ended ? 0 : moment_of(r, next_position(r));
        waiting = !spk_collector_has_news(c) && now_ns < until_ns;
        if (waiting) {
            const int64_t slice_ns = now_ns + 200000000; /* a cancel is seen */
            const int64_t wake_ns = due_ns < until_ns ? due_ns : until_ns;
            spk_live_sleep_until(wake_ns < slice_ns ? wake_ns : slice_ns);
            status = spk_check_cancel(context);
        }
    }
    return status;
}

/* ---- life ------------------------------------------------------------------------------------ */

static spk_status take_labels(spk_context *context, spk_live_source *source, const replay *r)
{
    spk_status status = SPK_OK;
    const char *label;
    uint32_t number = 0;
    for (uint32_t u = 0; status == SPK_OK && (label = spk_recording_label(r->recording, u)) != NULL;
         u++)
        if (!spk_collect_label(&source->collector, label, strlen(label), &number, &status) &&
            status == SPK_OK)
            status = spk_fail(context, SPK_ERR_RANGE,
                              "%s: over %u units, or a label that is no text or has over %u "
                              "bytes; select units",
                              source->address, source->collector.max_units, SPK_LIVE_MAX_LABEL);
    return status;
}

static spk_status open_replay(spk_context *context, spk_live_source *source, const char *rest)
{
    replay *r = NULL;
    spk_status status = spk_alloc_zero(context, &r, 1, "a replay");
    if (status != SPK_OK)
        return status;
    source->own = r;
    r->speed = source->options.speed;
    r->recording = source->options.recording;
    if (r->recording == NULL) {
        status = spk_recording_read(context, rest, source->options.read, &r->own);
        r->recording = r->own;
    }
    if (status != SPK_OK)
        return status;
    spk_recording_segments(r->recording, &r->n_segments);
    for (size_t k = 0; k < r->n_segments; k++)
        r->duration_s += length_s(r, k);
    source->collector.rate = spk_recording_rate(r->recording);
    source->collector.context = context;
    return take_labels(context, source, r);
}

static void close_replay(spk_live_source *source)
{
    replay *r = source->own;
    if (r != NULL)
        spk_recording_free(r->own);
    free(r);
}

static void state_of_replay(const spk_live_source *source, spk_live_source_facts *facts)
{
    const replay *r = source->own;
    const double at_s = position_now(r, spk_now_ns());
    facts->replay = true;
    facts->paused = r->paused;
    facts->speed = r->speed;
    facts->duration_s = r->duration_s;
    facts->position_s = at_s < r->duration_s ? at_s : r->duration_s;
    snprintf(facts->state, sizeof facts->state, r->paused ? "paused" : "replaying");
}

static void set_speed(spk_live_source *source, double speed)
{
    replay *r = source->own;
    set_mark(r, spk_now_ns());
    r->speed = speed;
}

static void pause_replay(spk_live_source *source, bool pause)
{
    replay *r = source->own;
    set_mark(r, spk_now_ns());
    r->paused = pause;
}

extern const spk_live_kind spk_live_replay;
const spk_live_kind spk_live_replay = {.name = "replay",
                                       .scheme = "",
                                       .address = "FILE",
                                       .summary = "a recording of any format, replayed",
                                       .open = open_replay,
                                       .poll = poll_replay,
                                       .close = close_replay,
                                       .state = state_of_replay,
                                       .set_speed = set_speed,
                                       .pause = pause_replay};
