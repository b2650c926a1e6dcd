/*
 * What a search for patterns costs: pieces of the division that ranks take, spread over the search,
 * mined by one of them that plays its part alone.
 *
 * The branches that the search begins with are prepared by all parts together. One that plays alone
 * prepares all of them, and says what no other says. A piece that turns out large would be shared
 * again, which is not played.
 */
#include <math.h>
#include <stdlib.h>

#include "base/deadline.h"
#include "base/memory.h"
#include "base/options.h"
#include "engine/facts.h"
#include "pattern/engine/policy.h"
#include "pattern/moving_window.h"
#include "pattern/run.h"
#include "plan/measure.h"
#include "spikemine/plan.h"

enum {
    SPREAD_FIRST = 16,      /* pieces from all over, before the largest ones are taken */
    MOST_LARGEST = 8,       /* which count by themselves */
    MOST_FORMATTED = 20000, /* patterns that are written, to see how long that takes */
    MOST_KEPT = 200000,     /* patterns on which the moving-window step is tried */
    MOST_PIECES = 1 << 24,
    ROUNDS = 4,          /* how often the rest of a search is shared again, about */
    MOST_PARTS = 1 << 12 /* of a played search; more ranks are taken to be as many */
};

static const double OTHER_COLUMNS = 10;    /* bytes of a line beside the pattern */
static const double COPIED_A_SECOND = 2e9; /* bytes from rank to rank into a file */
static const double PROGRAM_BYTES = 20e6;
static const double RECORDING_BYTES = 16; /* for each event: time, unit, and its place by unit */

/* A played search: one range of sizes, cut for n_parts parts. */
typedef struct division {
    spk_context *context;
    int n_parts;
    double end;    /* on the clock of spk_seconds_now: no piece is taken after it */
    double since;  /* when the piece in work was taken; below 0: none is */
    double talk_s; /* in the sink, of that piece */
    double begin;
    double planning_s;    /* until the pieces */
    double planned_bytes; /* what all parts learn of the branches */
    int n_begun;          /* counters: of branches, then of pieces */
    uint64_t branch;      /* the next one */
    uint64_t n_pieces;
    uint64_t step; /* from piece to piece, in the order that spreads them */
    uint64_t at;
    uint64_t asked; /* pieces that were handed out */
    uint64_t piece; /* in work */
    bool *taken;
    double *piece_s; /* of the pieces that have ended; below 0: not taken */
    /* what was found */
    uint64_t n_found;
    uint64_t n_items;
    uint64_t n_written;
    double writing_s;
    double text_bytes; /* of what was written */
    double keeping_s;
    spk_pattern_list *kept;
} division;

/* ---- the share ------------------------------------------------------------------------------- */

static spk_status exchange(void *user, const void *mine, uint64_t n, const void **all,
                           uint64_t *n_all)
{
    division *d = user;
    d->planned_bytes = fmax(d->planned_bytes, (double)n);
    *all = mine;
    *n_all = n;
    return SPK_OK;
}

static spk_status begin(void *user)
{
    ((division *)user)->n_begun++;
    return SPK_OK;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

static void planned(void *user, uint64_t n_pieces)
{
    division *d = user;
    d->planning_s = spk_work_seconds(1) - d->begin;
    d->n_pieces = n_pieces < MOST_PIECES ? n_pieces : MOST_PIECES;
    d->step = (uint64_t)((double)d->n_pieces * 0.6180339887498949); /* every run of it is even */
    d->step = d->step > 0 ? d->step : 1;
    while (d->n_pieces > 1 && common_divisor(d->step, d->n_pieces) > 1)
        d->step++;
    free(d->taken);
    free(d->piece_s);
    if (spk_alloc_columns(d->context, "pieces", SPK_COLUMN_ZERO(&d->taken, d->n_pieces),
                          SPK_COLUMN(&d->piece_s, d->n_pieces)) != SPK_OK)
        d->n_pieces = 0; /* none is taken */
    for (uint64_t k = 0; k < d->n_pieces; k++)
        d->piece_s[k] = -1;
}

static uint64_t n_largest(const division *d)
{
    uint64_t n = d->n_pieces / 8;
    return n < MOST_LARGEST ? n : MOST_LARGEST;
}

/* Some from all over, then the largest ones, which come first, then the others. */
static uint64_t choose_piece(division *d)
{
    if (d->asked >= SPREAD_FIRST)
        for (uint64_t k = 0; k < n_largest(d); k++)
            if (!d->taken[k])
                return k;
    do
        d->at = (d->at + d->step) % d->n_pieces;
    while (d->taken[d->at]);
    return d->at;
}

static void end_piece(division *d)
{
    if (d->since >= 0)
        d->piece_s[d->piece] = fmax(0, spk_work_seconds(1) - d->since - d->talk_s);
    d->since = -1;
}

static spk_status next(void *user, uint64_t *number)
{
    division *d = user;
    if (d->n_begun < 2) {
        *number = d->branch++;
        return SPK_OK;
    }
    end_piece(d);
    *number = UINT64_MAX;
    if (d->asked >= d->n_pieces || spk_seconds_now() >= d->end)
        return SPK_OK;
    *number = d->piece = choose_piece(d);
    d->taken[d->piece] = true;
    d->asked++;
    d->talk_s = 0;
    d->since = spk_work_seconds(1);
    return SPK_OK;
}

static spk_status leave_place(void *user, const uint32_t *place, uint32_t n)
{
    (void)user, (void)place, (void)n;
    return SPK_OK;
}

/* Writes some patterns nowhere, and keeps some. */
static spk_status look_at(void *user, const spk_pattern_columns *p)
{
    division *d = user;
    char text[4096];
    const double begin = spk_work_seconds(1);
    spk_status status = SPK_OK;
    uint64_t n = d->n_written < MOST_FORMATTED ? MOST_FORMATTED - d->n_written : 0;
    n = n < p->n ? n : p->n;
    for (uint64_t i = 0; i < n; i++)
        d->text_bytes += OTHER_COLUMNS + (double)spk_pattern_format(NULL, p, i, text, sizeof text);
    if (n > 0)
        d->writing_s += spk_work_seconds(1) - begin;
    d->n_written += n;
    d->n_found += p->n;
    d->n_items += p->offset[p->n] - p->offset[0];
    const double keeping = spk_work_seconds(1);
    if (d->kept != NULL && spk_pattern_list_columns(d->kept).n < MOST_KEPT) {
        status = spk_pattern_list_add(d->kept, p);
        d->keeping_s += spk_work_seconds(1) - keeping;
    }
    d->talk_s += spk_work_seconds(1) - begin;
    return status;
}

/* ---- one division ---------------------------------------------------------------------------- */

/* What a range of sizes costs in one division. */
typedef struct range_costs {
    uint64_t n_pieces;
    double all_s;      /* of all pieces, those that were not mined after the others */
    double share;      /* of the pieces that were mined */
    double planning_s; /* before the first piece */
    double planned_bytes;
    double n_found; /* patterns of all pieces */
    double n_items;
    double writing_s;
    double text_bytes;
    double filter_s;
    bool ended; /* no piece was given up */
} range_costs;

/* Mean of the mined pieces of [first, end); 0: none. */
static double mean_of(const division *d, uint64_t first, uint64_t end, uint64_t *n)
{
    double all = 0;
    *n = 0;
    for (uint64_t k = first; k < end; k++) {
        all += d->piece_s[k] >= 0 ? d->piece_s[k] : 0;
        *n += d->piece_s[k] >= 0;
    }
    return *n > 0 ? all / (double)*n : 0;
}

static void add_up(const division *d, range_costs *out)
{
    uint64_t large = 0, other = 0;
    const uint64_t border = n_largest(d), n = d->n_pieces;
    double of_other = mean_of(d, border, n, &other), of_large = mean_of(d, 0, border, &large);
    of_large = large > 0 ? of_large : of_other;
    of_other = other > 0 ? of_other : of_large;
    out->n_pieces = n;
    out->all_s = of_large * (double)border + of_other * (double)(n - border);
    out->share = n > 0 ? (double)(large + other) / (double)n : 1;
    out->planning_s = d->planning_s;
    out->planned_bytes = d->planned_bytes;
    const double times = large + other > 0 ? (double)n / (double)(large + other) : 0;
    out->n_found = (double)d->n_found * times;
    out->n_items = (double)d->n_items * times;
    const double of_written = d->n_written > 0 ? out->n_found / (double)d->n_written : 0;
    out->writing_s = d->writing_s * of_written;
    out->text_bytes = d->text_bytes * of_written;
}

static spk_status try_filter(spk_context *context, const spk_window_columns *windows,
                             const division *d, range_costs *out)
{
    uint8_t *keep = NULL;
    spk_pattern_columns c = spk_pattern_list_columns(d->kept);
    spk_status status = c.n > 0 ? spk_alloc(context, &keep, c.n, "the moving-window step") : SPK_OK;
    const double begin = spk_work_seconds(1);
    if (status == SPK_OK && c.n > 0)
        status = spk_moving_window_filter(context, windows, &c, keep);
    if (c.n > 0)
        out->filter_s = (d->keeping_s + spk_work_seconds(1) - begin) * out->n_found / (double)c.n;
    free(keep);
    return status;
}

static spk_status run_division(spk_context *context, const spk_pattern_engine *engine,
                               const spk_pattern_job *job, int n_parts, bool filters,
                               double seconds, range_costs *out)
{
    spk_deadline deadline;
    division d = {.context = context, .n_parts = n_parts, .since = -1};
    const spk_pattern_share share = {.n_parts = n_parts,
                                     .exchange = exchange,
                                     .begin = begin,
                                     .next = next,
                                     .at = leave_place,
                                     .planned = planned,
                                     .user = &d};
    *out = (range_costs){.share = 0};
    spk_status status =
        filters ? spk_pattern_list_create(context, job->windows->window, &d.kept) : SPK_OK;
    if (status == SPK_OK)
        status = spk_deadline_begin(context, 2 * seconds, &deadline);
    if (status == SPK_OK) {
        spk_context_hush(deadline.own);
        d.end = spk_seconds_now() + seconds;
        d.begin = spk_work_seconds(1);
        status = engine->mine_shared(deadline.own, job, &share, look_at, &d);
        out->ended = status == SPK_OK;
        status = spk_deadline_leave(context, &deadline, status);
    }
    const bool ended = out->ended;
    if (status == SPK_OK && d.n_pieces > 0)
        add_up(&d, out);
    else if (ended)
        out->share = 1; /* nothing to mine */
    out->ended = ended;
    if (status == SPK_OK && d.kept != NULL)
        status = try_filter(context, job->windows, &d, out);
    spk_pattern_list_free(d.kept);
    free(d.taken);
    free(d.piece_s);
    return status;
}

/* ---- a range of sizes ------------------------------------------------------------------------ */

typedef struct measurement {
    spk_context *context;
    spk_window_columns windows;
    spk_pattern_options options;
    const spk_pattern_engine *engine;
    spk_pattern_step step;
    uint64_t n_dropped;
    int n_parts;
    double seconds; /* for each range */
    spk_plan_costs *out;
} measurement;

static uint32_t at_most_32(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static spk_pattern_job make_job(measurement *m, const spk_pattern_range *range)
{
    const uint64_t max = m->options.max_count != 0 ? m->options.max_count : UINT32_MAX;
    return (spk_pattern_job){.windows = &m->windows,
                             .limits = {.min_spikes = range->begin,
                                        .max_spikes = range->end,
                                        .min_support = at_most_32(range->support),
                                        .max_count = at_most_32(max),
                                        .min_neurons = m->options.min_neurons},
                             .threads = 1,
                             .drop_ends_of = m->step == SPK_PATTERN_STEP_INSIDE
                                                 ? spk_pattern_most_spikes(&m->options)
                                                 : 0,
                             .n_dropped = &m->n_dropped};
}

/* Every rank gets all patterns where the moving-window step comes after the search. Else each makes
 * lines of its own, and rank 0 gets these. */
static void add_results(measurement *m, const range_costs *shared, spk_plan_round *round)
{
    spk_plan_costs *c = m->out;
    if (m->step == SPK_PATTERN_STEP_AFTER) {
        round->bytes += 8 * shared->n_found + 4 * shared->n_items;
        c->bytes_fixed += 2 * (12 * shared->n_found + 4 * shared->n_items);
        c->repeat_s += shared->filter_s;
        c->write_s += shared->writing_s;
        return;
    }
    round->bytes += shared->text_bytes;
    c->bytes_shared += shared->text_bytes;
    c->lines_s += shared->writing_s;
    c->write_s += shared->text_bytes / COPIED_A_SECOND;
}

/* Adds what a range costs, from the search as one part and as one of n_parts. It is exact for these
 * two numbers: what pieces add is what lies between them. */
static void add_range(measurement *m, const range_costs *alone, const range_costs *shared)
{
    spk_plan_costs *c = m->out;
    const double n = (double)c->n_events, parts = m->n_parts;
    const double more = fmax(0, shared->all_s - alone->all_s) + shared->planning_s;
    if (parts > 1 && shared->n_pieces > 0)
        c->piece_event_s = fmax(c->piece_event_s, more / (double)shared->n_pieces / n);
    c->round[c->n_rounds++] =
        (spk_plan_round){.items = shared->n_pieces * 1024, /* pieces are cut on demand */
                         .event_s = alone->all_s / n,
                         .bytes = shared->planned_bytes,
                         .exchanges = ROUNDS};
    c->pieces_per_rank = fmax(c->pieces_per_rank, (double)shared->n_pieces / parts);
    c->bytes_results += shared->planned_bytes;
    add_results(m, shared, &c->round[c->n_rounds - 1]);
    c->measured_share = fmin(c->measured_share, shared->share);
    c->is_least |= alone->share <= 0 || shared->share <= 0;
}

static spk_status measure_range(measurement *m, const spk_pattern_range *range)
{
    range_costs alone, shared;
    const spk_pattern_job job = make_job(m, range);
    const bool filters = m->step == SPK_PATTERN_STEP_AFTER;
    const double part = m->n_parts > 1 ? 0.5 : 0.9;
    spk_status status =
        run_division(m->context, m->engine, &job, 1, filters, part * m->seconds, &alone);
    shared = alone;
    if (status == SPK_OK && m->n_parts > 1)
        status = run_division(m->context, m->engine, &job, m->n_parts, filters, 0.45 * m->seconds,
                              &shared);
    if (status == SPK_OK)
        add_range(m, &alone, &shared);
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static spk_status check(spk_context *context, const measurement *m, uint64_t n_events,
                        uint32_t ranks)
{
    if (!(m->seconds > 0))
        return spk_fail(context, SPK_ERR_ARGUMENT, "a measurement needs more than 0 seconds");
    if (n_events == 0 || ranks == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a plan needs a recording with events, and at least one rank");
    return spk_pattern_check_options(context, &m->options);
}

static spk_status take_engine(spk_context *context, measurement *m)
{
    const char *usual = spk_engine_usual(SPK_PATTERNS, false)->name;
    const spk_engine_request asked = {.engine = m->options.engine};
    spk_engine_choice choice;
    spk_status status =
        spk_engine_take(context, SPK_PATTERNS, &asked,
                        spk_engine_is_auto(&asked) ? usual : asked.engine, "", &choice);
    if (status != SPK_OK)
        return status;
    m->engine = spk_pattern_engine_table(choice.engine);
    return m->engine->mine_shared != NULL
               ? SPK_OK
               : spk_fail(context, SPK_ERR_ARGUMENT,
                          "a plan knows engines whose search ranks share; take %s or auto in place "
                          "of '%s'",
                          usual, asked.engine);
}

static double window_bytes(const spk_window_columns *w)
{
    return (double)w->n_windows * (8 + 4 + 8 + 8) +
           4.0 * (w->n_windows > 0 ? (double)w->first[w->n_windows] : 0);
}

static spk_status measure_ranges(measurement *m)
{
    spk_pattern_range range[SPK_PATTERN_MAX_ESTIMATE];
    const uint32_t n = spk_pattern_ranges(&m->options, range);
    const double whole = m->seconds;
    spk_status status = SPK_OK;
    m->seconds = n > 0 ? whole / n : whole;
    for (uint32_t k = 0; k < n && status == SPK_OK; k++)
        if (range[k].support <= m->windows.n_windows)
            status = measure_range(m, &range[k]);
    return status;
}

spk_status spk_plan_measure_patterns(spk_context *context, const spk_windows *windows,
                                     uint64_t n_events, const spk_pattern_options *options,
                                     uint32_t ranks, double seconds, spk_plan_costs *out)
{
    measurement m = {.context = context,
                     .windows = spk_windows_columns(windows),
                     .n_parts = (int)(ranks < MOST_PARTS ? ranks : MOST_PARTS),
                     .seconds = seconds,
                     .out = out};
    const double began = spk_seconds_now();
    const int threads = spk_context_threads(context);
    spk_plan_costs_init(out, sizeof *out);
    out->n_events = n_events;
    out->bytes_fixed = PROGRAM_BYTES;
    spk_status status = SPK_OPTIONS_TAKE(context, options, &m.options, spk_pattern_options);
    if (status == SPK_OK)
        status = check(context, &m, n_events, ranks);
    if (status == SPK_OK)
        status = take_engine(context, &m);
    if (status != SPK_OK)
        return status;
    m.step = spk_pattern_step_of(m.engine, &m.windows, &m.options);
    const double peak = spk_peak_begin();
    status = measure_ranges(&m);
    out->bytes_an_event =
        RECORDING_BYTES + (window_bytes(&m.windows) + spk_peak_end(peak)) / (double)n_events;
    for (uint32_t k = 0; k < out->n_rounds; k++)
        out->round[k].event_s /= threads;
    out->piece_event_s /= threads;
    out->measured_events = n_events;
    out->measured_s = spk_seconds_now() - began;
    return status;
}
