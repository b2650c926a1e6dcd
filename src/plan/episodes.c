/*
 * What a search for episodes costs: stretches of the recording are mined, each longer than the one
 * before, and two of them again as ranks would mine them.
 */
#include <math.h>
#include <stdlib.h>

#include "base/deadline.h"
#include "base/memory.h"
#include "base/options.h"
#include "engine/facts.h"
#include "episode/engine/policy.h"
#include "plan/measure.h"
#include "spikemine/plan.h"

enum {
    FIRST_EVENTS = 20000, /* of the first stretch */
    FIRST_COUNT = 30,     /* support in it, at least */
    MOST_RUNS = 24,
    MOST_FORMATTED = 20000, /* results of a size that are written, to see how long that takes */
    PLAYED_RANKS = 8,
    BLOCK_EPISODES = 1 << 20 /* episode/run.c: candidates that are exchanged together */
};

static const double GROWTH = 4, FIRST_PART = 0.6, SHORT_RUN = 0.05, PLAYED_PART = 0.15;
static const double PROGRAM_BYTES = 20e6;
static const double RECORDING_BYTES = 16; /* for each event: time, unit, and its place by unit */

/* One search of a stretch. */
typedef struct stretch_run {
    uint64_t n_events;
    uint64_t candidates; /* of sizes from 2 on */
    bool ended;
    double all_s; /* by the clock of costs */
    double opening_s, counting_s, writing_s, repeat_s;
    double peak_bytes; /* beside the stretch */
    spk_episode_summary summary;
} stretch_run;

typedef struct measurement {
    spk_context *context;
    const spk_recording *recording;
    spk_events events;
    spk_episode_options options;
    const spk_episode_engine *engine; /* that the options name */
    int threads;
    double began;
    double seconds;
    stretch_run *run;
    uint32_t n_runs;
    spk_plan_costs *out;
} measurement;

/* ---- one search ------------------------------------------------------------------------------ */

typedef struct writing {
    const spk_recording *recording;
    double wall_s;
} writing;

/* What writing costs: the text of each episode. */
static spk_status write_nowhere(void *user, const spk_episode_columns *found)
{
    writing *w = user;
    char text[8192];
    double begin = spk_seconds_now();
    uint64_t n = found->n < MOST_FORMATTED ? found->n : MOST_FORMATTED;
    for (uint64_t i = 0; i < n; i++)
        (void)spk_episode_format(w->recording, found, i, text, sizeof text);
    if (n > 0)
        w->wall_s += (spk_seconds_now() - begin) * (double)found->n / (double)n;
    return SPK_OK;
}

static double seconds_left(const measurement *m)
{
    double left = m->seconds - (spk_seconds_now() - m->began);
    return left > 0 ? left : 0;
}

/* Phases come by the clock; where the processor was shared they took less of it. */
static void note_phases(stretch_run *r, double wall_s, double written_wall_s)
{
    const spk_episode_phases *p = &r->summary.phases;
    const double share = wall_s > 0 && r->all_s < wall_s ? r->all_s / wall_s : 1;
    r->opening_s = p->opening * share;
    r->counting_s = (p->counting + p->bounding) * share;
    r->writing_s = written_wall_s * share;
    r->repeat_s = fmax(0, r->all_s - r->opening_s - r->counting_s - r->writing_s);
    r->candidates = 0;
    for (uint32_t k = 0; k < r->summary.n_levels; k++)
        r->candidates += r->summary.level[k].size > 1 ? r->summary.level[k].candidates : 0;
}

/* Mines a recording, as a played rank or (NULL) alone; what does not end in `seconds` is no error.
 */
static spk_status run_search(const measurement *m, const spk_recording *recording,
                             const spk_episode_options *options, double seconds, spk_played *played,
                             stretch_run *r)
{
    spk_deadline deadline;
    writing w = {.recording = recording};
    *r = (stretch_run){.n_events = spk_recording_events(recording).n_events};
    spk_status status = spk_deadline_begin(m->context, seconds, &deadline);
    if (status != SPK_OK)
        return status;
    spk_context_hush(deadline.own);
    if (played != NULL)
        status = spk_context_set_ranks(deadline.own, &played->ranks);
    const double peak = spk_peak_begin(), wall = spk_seconds_now();
    const double begin = spk_work_seconds(m->threads);
    if (status == SPK_OK)
        status = spk_episode_mine(deadline.own, recording, options, write_nowhere, &w, &r->summary);
    r->all_s = spk_work_seconds(m->threads) - begin;
    note_phases(r, spk_seconds_now() - wall, w.wall_s);
    r->peak_bytes = spk_peak_end(peak);
    r->ended = status == SPK_OK;
    return spk_deadline_leave(m->context, &deadline, status);
}

/* The first events of the recording, or all of them: *out is NULL then. */
static spk_status take_stretch(const measurement *m, uint64_t n, spk_recording **out)
{
    *out = NULL;
    return n >= m->events.n_events ? SPK_OK
                                   : spk_recording_slice(m->context, m->recording, NULL,
                                                         &m->events.time[n], 0, NULL, out);
}

static uint64_t support_in(const measurement *m, double n_events)
{
    double support =
        ceil((double)m->options.support * n_events / (double)m->events.n_events - 1e-9);
    return support > 1 ? (uint64_t)support : 1;
}

/* Mines the first n events; support in proportion to `counted` of them. */
static spk_status run_stretch(const measurement *m, uint64_t n, double counted, spk_divide divide,
                              double seconds, spk_played *played, stretch_run *r)
{
    spk_recording *stretch = NULL;
    spk_status status = take_stretch(m, n, &stretch);
    const spk_recording *recording = stretch != NULL ? stretch : m->recording;
    spk_episode_options options = m->options;
    options.divide = divide;
    options.support = support_in(m, counted);
    if (status == SPK_OK)
        status = run_search(m, recording, &options, seconds, played, r);
    spk_recording_free(stretch);
    return status;
}

/* ---- stretches that grow --------------------------------------------------------------------- */

static uint64_t first_stretch(const measurement *m)
{
    const double n = (double)m->events.n_events;
    const double wanted = fmax(FIRST_EVENTS, FIRST_COUNT * n / (double)m->options.support);
    return wanted < n ? (uint64_t)wanted : m->events.n_events;
}

/* Events of the next stretch; 0: the time does not suffice, or nothing is left. */
static uint64_t next_stretch(const measurement *m, const stretch_run *last)
{
    const double n = (double)m->events.n_events, here = (double)last->n_events;
    const double left = FIRST_PART * m->seconds - (m->seconds - seconds_left(m));
    const double times = last->all_s > 0 ? fmin(GROWTH, left / last->all_s) : GROWTH;
    if (!last->ended || last->n_events >= m->events.n_events || times * here < 1.5 * here)
        return 0;
    return times * here < n ? (uint64_t)(times * here) : m->events.n_events;
}

static spk_status grow_stretches(measurement *m)
{
    spk_status status = SPK_OK;
    for (uint64_t n = first_stretch(m); n > 0 && m->n_runs < MOST_RUNS && status == SPK_OK;) {
        stretch_run *r = &m->run[m->n_runs];
        status = run_stretch(m, n, (double)n, SPK_DIVIDE_CANDIDATES, seconds_left(m), NULL, r);
        m->n_runs += status == SPK_OK;
        n = status == SPK_OK ? next_stretch(m, r) : 0;
    }
    /* What ran a short time is run again: the first time finds cold caches. */
    while (status == SPK_OK && m->n_runs < MOST_RUNS && m->run[m->n_runs - 1].ended) {
        const stretch_run *last = &m->run[m->n_runs - 1];
        stretch_run again;
        if (last->all_s > SHORT_RUN * m->seconds || last->all_s * 3 > seconds_left(m) ||
            (m->n_runs > 2 && m->run[m->n_runs - 3].n_events == last->n_events))
            break;
        status = run_stretch(m, last->n_events, (double)last->n_events, SPK_DIVIDE_CANDIDATES,
                             seconds_left(m), NULL, &again);
        m->run[m->n_runs++] = again;
    }
    return status;
}

/* The longest stretch that ended, the faster one where there are two; else the last one. */
static const stretch_run *best_run(const measurement *m)
{
    const stretch_run *best = &m->run[m->n_runs - 1];
    for (uint32_t k = 0; k < m->n_runs; k++) {
        const stretch_run *r = &m->run[k];
        if (r->ended && (!best->ended || r->n_events > best->n_events ||
                         (r->n_events == best->n_events && r->all_s < best->all_s)))
            best = r;
    }
    return best;
}

/* ---- costs ----------------------------------------------------------------------------------- */

/* Counting a candidate: a + b * events. It is exact at the best run. */
static void fit_counting(const measurement *m, const stretch_run *best, double *a, double *b)
{
    double x[MOST_RUNS], y[MOST_RUNS];
    size_t n = 0;
    *a = *b = 0;
    for (uint32_t k = 0; k < m->n_runs; k++) {
        const stretch_run *r = &m->run[k];
        if (!(r->ended || r == best) || r->candidates == 0 || r->n_events * 16 < best->n_events)
            continue;
        x[n] = (double)r->n_events;
        y[n++] = r->counting_s / (double)r->candidates;
    }
    spk_plan_fit(n, x, y, a, b);
    const double here = (double)best->candidates * (*a + *b * (double)best->n_events);
    const double times = here > 0 ? best->counting_s / here : 0;
    *a *= times;
    *b *= times;
}

static void put_rounds(const measurement *m, const stretch_run *best, double a, double b)
{
    const spk_episode_summary *s = &best->summary;
    double all = 0;
    for (uint32_t k = 0; k < s->n_levels; k++)
        all += s->level[k].size > 1 ? s->level[k].seconds : 0;
    for (uint32_t k = 0; k < s->n_levels; k++) {
        const spk_episode_level *level = &s->level[k];
        if (level->size < 2 || level->candidates == 0)
            continue;
        const double share = (double)best->candidates * (all > 0 ? level->seconds / all : 0);
        m->out->round[m->out->n_rounds++] =
            (spk_plan_round){.items = level->candidates,
                             .fixed_s = a * share,
                             .event_s = b * share,
                             .bytes = (double)level->candidates * sizeof(uint64_t),
                             .exchanges = ceil((double)level->candidates / BLOCK_EPISODES)};
    }
}

static void put_memory(const measurement *m)
{
    double x[MOST_RUNS], y[MOST_RUNS], a = 0, b = 0;
    size_t n = 0;
    for (uint32_t k = 0; k < m->n_runs; k++) {
        if (!m->run[k].ended)
            continue;
        x[n] = (double)m->run[k].n_events;
        y[n++] = m->run[k].peak_bytes;
    }
    spk_plan_fit(n, x, y, &a, &b);
    m->out->bytes_an_event = RECORDING_BYTES + b;
    m->out->bytes_fixed = PROGRAM_BYTES + a;
}

/* The events before its stretch that a rank holds, by time. */
static double margin_events(const measurement *m)
{
    const spk_rate rate = spk_recording_rate(m->recording);
    const double n = (double)m->events.n_events;
    const double length =
        (double)spk_recording_stop(m->recording) - (double)spk_recording_start(m->recording);
    double longest = 0;
    for (size_t d = 0; d < m->options.n_delays; d++)
        longest = fmax(longest, (double)spk_duration_ticks(m->options.delays[d].hi, rate));
    const double reach = longest * (m->options.max_size - 1);
    return length > 0 && reach < length ? n * reach / length : n;
}

static void put_costs(measurement *m, const stretch_run *best)
{
    spk_plan_costs *c = m->out;
    double a, b;
    fit_counting(m, best, &a, &b);
    c->n_events = m->events.n_events;
    c->prepare_s = best->opening_s * (double)c->n_events / (double)best->n_events;
    c->repeat_s = best->repeat_s;
    c->write_s = best->writing_s;
    put_rounds(m, best, a, b);
    put_memory(m);
    c->margin_events = margin_events(m);
    c->pieces_per_rank = 8;
    c->measured_events = best->n_events;
    c->is_least = !best->ended;
    if (best->summary.n_levels > 0)
        c->reached_size = best->summary.level[best->summary.n_levels - 1].size;
}

/* ---- the same as ranks ----------------------------------------------------------------------- */

/* A stretch that is short enough to be mined again; NULL: there is none. */
static const stretch_run *run_to_repeat(const measurement *m)
{
    const stretch_run *out = NULL;
    for (uint32_t k = 0; k < m->n_runs; k++)
        if (m->run[k].ended && m->run[k].candidates > 0 &&
            m->run[k].all_s <= PLAYED_PART * m->seconds &&
            (out == NULL || m->run[k].all_s > out->all_s))
            out = &m->run[k];
    return out;
}

/* The largest piece of the size with most work, times its mean piece. */
static double largest_piece(const spk_played *played)
{
    double most = 0, out = 1;
    for (uint64_t first = 0; first + played->n_pieces <= played->n; first += played->n_pieces) {
        double all = 0, largest = 0;
        uint64_t taken = 0; /* pieces of a size with few candidates are empty */
        for (uint64_t k = first; k < first + played->n_pieces; k++) {
            all += played->piece_s[k];
            largest = fmax(largest, played->piece_s[k]);
            taken += played->piece_s[k] > 1e-6;
        }
        if (all > most && taken > 0)
            out = largest * (double)taken / all;
        most = fmax(most, all);
    }
    return fmax(1, out);
}

static spk_status measure_pieces(measurement *m, const stretch_run *alone)
{
    spk_played played;
    stretch_run r;
    double all = 0, pieces = 0;
    spk_played_begin(&played, 0, PLAYED_RANKS, m->threads);
    spk_status status = run_stretch(m, alone->n_events, (double)alone->n_events,
                                    SPK_DIVIDE_CANDIDATES, seconds_left(m), &played, &r);
    if (status == SPK_OK && r.ended && played.n > 0) {
        for (uint64_t k = 0; k < played.n; k++)
            all += played.piece_s[k];
        for (uint32_t k = 0; k < r.summary.n_levels; k++)
            pieces += r.summary.level[k].size < 2
                          ? 0
                          : fmin((double)played.n_pieces, (double)r.summary.level[k].candidates);
        if (pieces > 0)
            m->out->piece_event_s =
                fmax(0, all - alone->counting_s) / pieces / (double)alone->n_events;
        m->out->largest_piece = m->out->last_piece = largest_piece(&played);
    }
    spk_played_free(&played);
    return status;
}

static bool can_divide_time(const measurement *m)
{
    return m->engine->resume != NULL && m->options.two_pass != SPK_TWO_PASS_ON;
}

/* The second half of a stretch, as the last of two ranks. */
static spk_status measure_time(measurement *m, const stretch_run *alone)
{
    spk_played played;
    stretch_run r;
    const double half = (double)alone->n_events / 2;
    const double one = alone->counting_s / (double)alone->candidates;
    spk_played_begin(&played, 1, 2, m->threads);
    spk_status status =
        run_stretch(m, alone->n_events, half, SPK_DIVIDE_TIME, seconds_left(m), &played, &r);
    if (status == SPK_OK && r.ended && r.candidates > 0 && one > 0) {
        const double held = fmin((double)alone->n_events, half + m->out->margin_events);
        const double pieces = 16.0 * fmax(1, r.summary.n_levels - 1);
        const double own = fmax(0, r.counting_s - pieces * m->out->piece_event_s * held);
        m->out->time_work =
            fmax(0.1, own / (double)r.candidates / (one * held / (double)alone->n_events));
    }
    spk_played_free(&played);
    return status;
}

static spk_status measure_ranks(measurement *m)
{
    const stretch_run *alone = run_to_repeat(m);
    m->out->divides_time = can_divide_time(m);
    if (alone == NULL)
        return SPK_OK;
    spk_status status = measure_pieces(m, alone);
    if (status == SPK_OK && m->out->divides_time)
        status = measure_time(m, alone);
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static spk_status check(spk_context *context, const measurement *m)
{
    if (!(m->seconds > 0))
        return spk_fail(context, SPK_ERR_ARGUMENT, "a measurement needs more than 0 seconds");
    if (m->events.n_events == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "a plan needs a recording with events");
    return SPK_OK;
}

static spk_status take_engine(spk_context *context, measurement *m)
{
    const spk_engine_request asked = {.engine = m->options.engine};
    spk_engine_choice choice;
    m->options.gpus = 0;
    if (spk_engine_is_auto(&asked))
        m->options.engine = spk_engine_usual(SPK_EPISODES, false)->name;
    const spk_engine_list list = spk_engines_of(SPK_EPISODES);
    const spk_engine_facts *engine = spk_engine_named(&list, m->options.engine);
    if (engine != NULL && engine->on_gpu)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a plan knows engines on processors only; take auto or %s in place of '%s'",
                        spk_engine_usual(SPK_EPISODES, false)->name, engine->name);
    spk_status status =
        spk_engine_take(context, SPK_EPISODES, &asked, m->options.engine, "", &choice);
    if (status == SPK_OK)
        m->engine = spk_episode_engine_table(choice.engine);
    return status;
}

spk_status spk_plan_measure_episodes(spk_context *context, const spk_recording *recording,
                                     const spk_episode_options *options, double seconds,
                                     spk_plan_costs *out)
{
    measurement m = {.context = context,
                     .recording = recording,
                     .events = spk_recording_events(recording),
                     .threads = spk_context_threads(context),
                     .began = spk_seconds_now(),
                     .seconds = seconds,
                     .out = out};
    spk_plan_costs_init(out, sizeof *out);
    spk_status status = SPK_OPTIONS_TAKE(context, options, &m.options, spk_episode_options);
    if (status == SPK_OK)
        status = check(context, &m);
    if (status == SPK_OK)
        status = take_engine(context, &m);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &m.run, MOST_RUNS, "a measurement");
    if (status == SPK_OK) {
        status = grow_stretches(&m);
    }
    if (status == SPK_OK) {
        put_costs(&m, best_run(&m));
        status = measure_ranks(&m);
    }
    out->measured_s = spk_seconds_now() - m.began;
    free(m.run);
    return status;
}
