/*
 * What a spike sorter may have got wrong: intervals too short for one neuron, and units that share
 * their events because they are one neuron.
 */
#include <math.h>

#include "base/memory.h"
#include "base/options.h"
#include "recording/recording.h"
#include "recording/segments.h"
#include "spikemine/describe.h"

SPK_OPTIONS_INIT(spk_unit_check_options, .refractory = {2, -3, 0}, .coincidence = {25, -5, 0});

/* Both are in the same recording, and `late` is not before `early`. */
static uint64_t apart(int64_t early, int64_t late)
{
    return (uint64_t)late - (uint64_t)early;
}

/* ---- intervals ------------------------------------------------------------------------------- */

/* Mean and sum of squares in one pass (Welford). */
typedef struct moments {
    uint64_t n;
    double mean;
    double squares;
} moments;

static void add_interval(moments *m, double interval)
{
    double off = interval - m->mean;
    m->n++;
    m->mean += off / (double)m->n;
    m->squares += off * (interval - m->mean);
}

/* The intervals of one unit within one segment. */
static void add_segment(const spk_events *e, uint32_t unit, spk_segment segment, uint64_t limit,
                        moments *m, spk_unit_check *out)
{
    uint64_t first = spk_unit_first_from(e, unit, segment.start);
    uint64_t end = spk_unit_first_from(e, unit, segment.stop);
    for (uint64_t k = first + 1; k < end; k++) {
        uint64_t interval = apart(e->time[e->by_unit[k - 1]], e->time[e->by_unit[k]]);
        add_interval(m, (double)interval);
        out->n_short += interval < limit;
    }
}

static void check_intervals(const spk_recording *recording, uint32_t unit, uint64_t limit,
                            spk_unit_check *out)
{
    size_t n = 0;
    moments m = {.n = 0};
    const spk_segment *segment = spk_recording_segments(recording, &n);
    for (size_t k = 0; k < n; k++)
        add_segment(&recording->events, unit, segment[k], limit, &m, out);
    out->n_intervals = m.n;
    out->interval_cv = m.n > 1 && m.mean > 0 ? sqrt(m.squares / (double)m.n) / m.mean : -1;
}

/* ---- coincidences ---------------------------------------------------------------------------- */

/* Shared events of one unit with each other one. `seen` holds the last event of the unit that was
 * counted with it, + 1; all entries go back to 0 for the next unit. */
typedef struct shares {
    uint64_t *count;
    uint64_t *seen;
    uint32_t *touched;
    uint32_t n_touched;
} shares;

static void meet(shares *s, uint32_t other, uint64_t event)
{
    if (s->seen[other] == event + 1)
        return;
    if (s->seen[other] == 0)
        s->touched[s->n_touched++] = other;
    s->seen[other] = event + 1;
    s->count[other]++;
}

/* The other units with an event at most `window` ticks from event i. */
static void meet_neighbours(const spk_events *e, uint64_t i, uint64_t window, shares *s)
{
    for (uint64_t k = i; k > 0 && apart(e->time[k - 1], e->time[i]) <= window; k--)
        if (e->unit[k - 1] != e->unit[i])
            meet(s, e->unit[k - 1], i);
    for (uint64_t k = i + 1; k < e->n_events && apart(e->time[i], e->time[k]) <= window; k++)
        if (e->unit[k] != e->unit[i])
            meet(s, e->unit[k], i);
}

static void find_twin(const spk_events *e, uint32_t unit, uint64_t window, shares *s,
                      spk_unit_check *out)
{
    s->n_touched = 0;
    for (uint64_t k = e->unit_first[unit]; k < e->unit_first[unit + 1]; k++)
        meet_neighbours(e, e->by_unit[k], window, s);
    out->twin = UINT32_MAX;
    for (uint32_t k = 0; k < s->n_touched; k++) {
        uint32_t other = s->touched[k];
        const uint64_t n_shared = s->count[other];
        if (n_shared > out->n_shared || (n_shared == out->n_shared && other < out->twin)) {
            out->n_shared = n_shared;
            out->twin = other;
        }
        s->count[other] = s->seen[other] = 0;
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

spk_status spk_recording_check_units(spk_context *context, const spk_recording *recording,
                                     const spk_unit_check_options *given, spk_unit_check *out)
{
    shares s = {.n_touched = 0};
    spk_unit_check_options o;
    const spk_events *e = &recording->events;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &o, spk_unit_check_options);
    if (status == SPK_OK && (o.refractory.exponent == SPK_DURATION_INFINITE ||
                             o.coincidence.exponent == SPK_DURATION_INFINITE))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a limit of the check of units is infinite; give a time");
    if (status == SPK_OK)
        status = spk_alloc_columns(
            context, "the check of units", SPK_COLUMN_ZERO(&s.count, e->n_units),
            SPK_COLUMN_ZERO(&s.seen, e->n_units), SPK_COLUMN(&s.touched, e->n_units));
    if (status != SPK_OK)
        return status;
    /* The first tick that is not before the limit: shorter in ticks is shorter in time. */
    int64_t limit = spk_duration_first_tick(o.refractory, recording->rate);
    uint64_t window = spk_duration_ticks(o.coincidence, recording->rate);
    for (uint32_t u = 0; u < e->n_units && status == SPK_OK; u++) {
        out[u] = (spk_unit_check){.n_intervals = 0};
        check_intervals(recording, u, limit > 0 ? (uint64_t)limit : 0, &out[u]);
        find_twin(e, u, window, &s, &out[u]);
        status = spk_check_cancel(context);
    }
    spk_free_all(s.count, s.seen, s.touched);
    return status;
}
