/* The columns of a result: members, occurrences and their spikes, sequence by sequence. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/order.h"
#include "sequence/sequence.h"

/* Spreads on both sides of a lag in which a spike belongs to an occurrence. */
static const double reach_in_spreads = 3;

/* ---- spikes ---------------------------------------------------------------------------------- */

/* The entry of the axis that is nearest to where the member is expected; UINT64_MAX: none is near
 * enough. */
static uint64_t spike_of(const sequence_axis *axis, const sequence_member *m, double moment)
{
    const double centre = moment + m->lag;
    double nearest = reach_in_spreads * m->spread;
    uint64_t found = UINT64_MAX;
    uint64_t i = spk_sequence_first_spike(axis, m->unit, centre - nearest);
    for (; i < axis->first[m->unit + 1] && axis->at[i] <= centre + nearest; i++)
        if (fabs(axis->at[i] - centre) <= nearest) {
            nearest = fabs(axis->at[i] - centre);
            found = i;
        }
    return found;
}

/* ---- occurrences ----------------------------------------------------------------------------- */

static spk_status find_peaks(spk_context *context, sequence_work *work, sequence_candidate *c)
{
    const double apart = spk_sequence_apart(c->member, c->n);
    spk_status status = SPK_OK;
    for (int round = 0; round < 2 && status == SPK_OK; round++) {
        spk_sequence_fit(work->axis, &c->moments, c->member, c->n);
        spk_sequence_filter_run(work->axis, c->member, c->n, &work->filter);
        status =
            spk_sequence_filter_peaks(context, work->axis, &work->filter, NULL, apart, &c->moments);
    }
    return status;
}

static void fill_presence(const sequence_axis *axis, const sequence_member *by_lag,
                          const sequence_moments *moments, sequence_presence *p)
{
    for (uint64_t k = 0; k < p->n; k++) {
        uint32_t *before = p->before + k * (p->width + 1ULL);
        before[0] = 0;
        for (uint32_t m = 0; m < p->width; m++)
            before[m + 1] = before[m] + (spike_of(axis, &by_lag[m], moments->at[k]) != UINT64_MAX);
    }
}

/* Leaves out occurrences of a part of the sequence alone, and fits the members to the others. */
static spk_status leave_part(spk_context *context, sequence_work *work, sequence_candidate *c)
{
    sequence_presence p = {.n = c->moments.n, .width = c->n};
    uint8_t *is_part = NULL;
    uint64_t n = 0;
    spk_status status =
        spk_alloc_columns(context, "occurrences of a sequence",
                          SPK_COLUMN(&p.before, p.n * (p.width + 1ULL)), SPK_COLUMN(&is_part, p.n));
    if (status != SPK_OK)
        return status;
    memcpy(work->joined, c->member, c->n * sizeof *c->member);
    spk_sequence_sort_members(work->joined, c->n);
    fill_presence(work->axis, work->joined, &c->moments, &p);
    if (spk_sequence_find_part(&p, is_part)) {
        for (uint64_t k = 0; k < p.n; k++)
            if (!is_part[k]) {
                c->moments.at[n] = c->moments.at[k];
                c->moments.score[n++] = c->moments.score[k];
            }
        c->moments.n = n;
        spk_sequence_fit(work->axis, &c->moments, c->member, c->n);
    }
    spk_free(context, p.before);
    spk_free(context, is_part);
    return SPK_OK;
}

/* Occurrences of these members, and the members as these occurrences have them. */
static spk_status find_occurrences(spk_context *context, sequence_work *work, sequence_candidate *c)
{
    spk_status status = find_peaks(context, work, c);
    return status == SPK_OK ? leave_part(context, work, c) : status;
}

/* ---- spikes that go -------------------------------------------------------------------------- */

/* Units with a q up to it are likely members: their spikes go, too, whether they are listed or not,
 * so that the next round does not find what this one left of the same sequence. */
static const double likely_q = 0.1;

/* All spikes of a member that are near enough to an occurrence. */
static void mark_gone(const sequence_axis *axis, const sequence_candidate *c, uint8_t *gone)
{
    for (uint32_t m = 0; m < c->n; m++)
        for (uint64_t k = 0; k < c->moments.n; k++) {
            const double centre = c->moments.at[k] + c->member[m].lag;
            const double reach = reach_in_spreads * c->member[m].spread;
            uint64_t i = spk_sequence_first_spike(axis, c->member[m].unit, centre - reach);
            for (; i < axis->first[c->member[m].unit + 1] && axis->at[i] <= centre + reach; i++)
                gone[axis->event[i]] = 1;
        }
}

/* Where the member has no spike its lag is that of the template. `room` has an entry for each
 * occurrence. */
static double median_lag(const sequence_axis *axis, const sequence_candidate *c,
                         const sequence_member *m, double *room)
{
    uint64_t n = 0;
    for (uint64_t k = 0; k < c->moments.n; k++) {
        const uint64_t i = spike_of(axis, m, c->moments.at[k]);
        if (i != UINT64_MAX)
            room[n++] = axis->at[i] - c->moments.at[k];
    }
    if (n == 0)
        return m->lag;
    qsort(room, n, sizeof *room, spk_rising_f64);
    return (room[(n - 1) / 2] + room[n / 2]) / 2;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static spk_status make_room_for_one(spk_context *context, spk_sequences *out)
{
    return spk_grow_columns(
        context, &out->capacity, out->n + 2ULL, "sequences", SPK_COLUMN(&out->p, 1),
        SPK_COLUMN(&out->statistic, 1), SPK_COLUMN(&out->member_first, 1),
        SPK_COLUMN(&out->occurrence_first, 1), SPK_COLUMN(&out->spike_first, 1));
}

/* For one more, with so many members and occurrences. */
static spk_status make_room(spk_context *context, uint64_t n_members, uint64_t n_times,
                            spk_sequences *out)
{
    spk_status status = make_room_for_one(context, out);
    if (status == SPK_OK)
        status = spk_grow_columns(context, &out->member_capacity, out->n_members + n_members,
                                  "members of sequences", SPK_COLUMN(&out->unit, 1),
                                  SPK_COLUMN(&out->lag_ticks, 1), SPK_COLUMN(&out->spread_ticks, 1),
                                  SPK_COLUMN(&out->share, 1), SPK_COLUMN(&out->score, 1),
                                  SPK_COLUMN(&out->member_p, 1), SPK_COLUMN(&out->member_q, 1),
                                  SPK_COLUMN(&out->split_p, 1));
    if (status == SPK_OK)
        status = spk_grow_columns(context, &out->occurrence_capacity, out->n_occurrences + n_times,
                                  "occurrences of sequences", SPK_COLUMN(&out->time, 1),
                                  SPK_COLUMN(&out->occurrence_score, 1),
                                  SPK_COLUMN(&out->occurrence_p, 1), SPK_COLUMN(&out->missing, 1));
    if (status == SPK_OK)
        status = spk_grow(context, &out->spike, &out->spike_capacity,
                          out->n_spikes + n_times * n_members, "spikes of sequences");
    return status;
}

static void add_occurrence(const sequence_axis *axis, const sequence_candidate *c, uint64_t k,
                           spk_sequences *out)
{
    const uint64_t row = out->n_occurrences++;
    out->time[row] = spk_sequence_tick(axis, c->moments.at[k] + c->member[0].lag);
    out->occurrence_score[row] = (double)c->moments.score[k];
    out->missing[row] = 0;
    for (uint32_t m = 0; m < c->n; m++) {
        const uint64_t i = spike_of(axis, &c->member[m], c->moments.at[k]);
        out->missing[row] += i == UINT64_MAX;
        out->spike[out->n_spikes++] = i == UINT64_MAX ? SPK_SEQUENCE_MISSING : axis->event[i];
    }
}

static void add_member(const sequence_axis *axis, const sequence_candidate *c, uint32_t m,
                       const sequence_verdict *verdict, spk_sequences *out)
{
    const uint64_t row = out->n_members++;
    out->unit[row] = c->member[m].unit;
    out->lag_ticks[row] = (c->member[m].lag - c->member[0].lag) * axis->step;
    out->spread_ticks[row] = c->member[m].spread * axis->step;
    out->share[row] = c->member[m].share;
    out->score[row] = c->member[m].score;
    out->member_p[row] = verdict->p;
    out->member_q[row] = verdict->q;
    out->split_p[row] = verdict->split_p;
}

static void add_rows(const sequence_axis *axis, const sequence_candidate *c,
                     const sequence_verdict *verdict, double p, spk_sequences *out)
{
    const uint32_t i = out->n++;
    out->p[i] = p;
    out->statistic[i] = c->statistic;
    out->member_first[i] = out->n_members;
    out->occurrence_first[i] = out->n_occurrences;
    out->spike_first[i] = out->n_spikes;
    for (uint32_t m = 0; m < c->n; m++)
        add_member(axis, c, m, &verdict[m], out);
    for (uint64_t k = 0; k < c->moments.n; k++)
        add_occurrence(axis, c, k, out);
    out->member_first[i + 1] = out->n_members;
    out->occurrence_first[i + 1] = out->n_occurrences;
    out->spike_first[i + 1] = out->n_spikes;
}

/* Lags become medians, and members stand in order of them; `verdict` moves with them. */
static spk_status set_medians(spk_context *context, const sequence_axis *axis,
                              sequence_candidate *c, sequence_verdict *verdict)
{
    double *room = NULL;
    spk_status status = spk_alloc(context, &room, c->moments.n, "lags");
    if (status != SPK_OK)
        return status;
    for (uint32_t m = 0; m < c->n; m++)
        c->member[m].lag = median_lag(axis, c, &c->member[m], room);
    for (uint32_t m = 1; m < c->n; m++)
        for (uint32_t k = m; k > 0 && c->member[k].lag < c->member[k - 1].lag; k--) {
            const sequence_member member = c->member[k];
            const sequence_verdict own = verdict[k];
            c->member[k] = c->member[k - 1], verdict[k] = verdict[k - 1];
            c->member[k - 1] = member, verdict[k - 1] = own;
        }
    spk_free(context, room);
    return SPK_OK;
}

/* Judges the units, and removes the spikes of all likely members. */
static spk_status judge_and_remove(spk_context *context, sequence_work *work,
                                   const spk_sequence_options *options, uint64_t seed,
                                   sequence_candidate *c, sequence_verdict *verdict, uint8_t *gone)
{
    spk_sequence_options likely = *options;
    likely.member_q = fmax(options->member_q, likely_q);
    spk_status status = spk_sequence_judge(context, work, &likely, seed, c, verdict);
    if (status == SPK_OK)
        status = find_occurrences(context, work, c);
    if (status == SPK_OK)
        mark_gone(work->axis, c, gone);
    return status;
}

/* Leaves the members that the options allow, and the best two in any case. */
static void keep_listed(const spk_sequence_options *options, sequence_candidate *c,
                        sequence_verdict *verdict)
{
    uint32_t n = 0;
    for (uint32_t m = 0; m < c->n; m++)
        if (m < 2 || verdict[m].p <= options->alpha || verdict[m].q <= options->member_q) {
            c->member[n] = c->member[m];
            verdict[n++] = verdict[m];
        }
    c->n = n;
}

spk_status spk_sequences_add(spk_context *context, sequence_work *work,
                             const spk_sequence_options *options, uint64_t seed, double p,
                             sequence_candidate *candidate, spk_sequences *out, uint8_t *gone)
{
    sequence_verdict *verdict = NULL;
    spk_status status = spk_alloc(context, &verdict, work->axis->n_units, "members of a sequence");
    if (status == SPK_OK)
        status = judge_and_remove(context, work, options, seed, candidate, verdict, gone);
    if (status == SPK_OK) {
        keep_listed(options, candidate, verdict);
        status = find_occurrences(context, work, candidate);
    }
    if (status == SPK_OK && candidate->moments.n == 0) { /* members that were left find nothing */
        spk_free(context, verdict);
        return SPK_OK;
    }
    if (status == SPK_OK)
        status = set_medians(context, work->axis, candidate, verdict);
    if (status == SPK_OK)
        status = make_room(context, candidate->n, candidate->moments.n, out);
    if (status == SPK_OK)
        status = spk_sequence_rank(context, work, candidate, seed,
                                   out->occurrence_p + out->n_occurrences);
    if (status == SPK_OK) {
        mark_gone(work->axis, candidate, gone);
        add_rows(work->axis, candidate, verdict, p, out);
    }
    spk_free(context, verdict);
    return status;
}

/* ---- the handle ------------------------------------------------------------------------------ */

spk_status spk_sequences_create(spk_context *context, spk_sequences **out)
{
    spk_status status = spk_alloc_zero(context, out, 1, "sequences");
    if (status == SPK_OK)
        status = make_room_for_one(context, *out);
    if (status == SPK_OK)
        (*out)->member_first[0] = (*out)->occurrence_first[0] = (*out)->spike_first[0] = 0;
    return status;
}

/* Sequence i of another result behind those that are there; there is room for it. */
static void append(const spk_sequence_columns *from, uint32_t i, spk_sequences *out)
{
    const uint64_t member = from->member_first[i], n = from->member_first[i + 1] - member;
    const uint64_t moment = from->occurrence_first[i];
    const uint64_t n_times = from->occurrence_first[i + 1] - moment;
    double *const member_to[] = {out->lag_ticks, out->spread_ticks, out->share,  out->score,
                                 out->member_p,  out->member_q,     out->split_p};
    const double *const member_from[] = {from->lag_ticks, from->spread_ticks, from->share,
                                         from->score,     from->member_p,     from->member_q,
                                         from->split_p};
    out->p[out->n] = from->p[i];
    out->statistic[out->n] = from->statistic[i];
    for (size_t k = 0; k < sizeof member_to / sizeof *member_to; k++)
        memcpy(member_to[k] + out->n_members, member_from[k] + member, n * sizeof **member_to);
    memcpy(out->unit + out->n_members, from->unit + member, n * sizeof *out->unit);
    for (uint64_t k = 0; k < n_times; k++) {
        const uint64_t row = out->n_occurrences + k;
        out->time[row] = from->time[moment + k];
        out->occurrence_score[row] = from->occurrence_score[moment + k];
        out->occurrence_p[row] = from->occurrence_p[moment + k];
        out->missing[row] = from->missing[moment + k];
    }
    memcpy(out->spike + out->n_spikes, from->spike + from->spike_first[i],
           n * n_times * sizeof *out->spike);
    out->member_first[++out->n] = out->n_members += n;
    out->occurrence_first[out->n] = out->n_occurrences += n_times;
    out->spike_first[out->n] = out->n_spikes += n * n_times;
}

/* `row` NULL: all of them. */
static spk_status copy_rows(spk_context *context, const spk_sequence_columns *from, uint64_t n,
                            const uint32_t *row, spk_sequences **out)
{
    spk_status status = spk_sequences_create(context, out);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        const uint32_t i = row != NULL ? row[k] : (uint32_t)k;
        if (i >= from->n) {
            status = spk_fail(context, SPK_ERR_ARGUMENT,
                              "sequence %" PRIu32 ": the result has %" PRIu32, i, from->n);
            break;
        }
        status = make_room(context, from->member_first[i + 1] - from->member_first[i],
                           from->occurrence_first[i + 1] - from->occurrence_first[i], *out);
        if (status == SPK_OK)
            append(from, i, *out);
    }
    if (status != SPK_OK) {
        spk_sequences_free(*out);
        *out = NULL;
        return status;
    }
    spk_sequences_hold(context, *out);
    return SPK_OK;
}

spk_status spk_sequences_select(spk_context *context, const spk_sequences *from, uint64_t n,
                                const uint32_t *row, spk_sequences **out)
{
    const spk_sequence_columns columns = spk_sequences_columns(from);
    return copy_rows(context, &columns, n, row, out);
}

spk_status spk_sequences_copy(spk_context *context, const spk_sequence_columns *from,
                              spk_sequences **out)
{
    return copy_rows(context, from, from->n, NULL, out);
}

void spk_sequences_rescale(spk_sequences *s, int64_t first, double step)
{
    for (uint64_t k = 0; k < s->n_members; k++) {
        s->lag_ticks[k] *= step;
        s->spread_ticks[k] *= step;
    }
    for (uint64_t k = 0; k < s->n_occurrences; k++)
        s->time[k] = first + (int64_t)floor((double)s->time[k] * step + 0.5);
}

void spk_sequences_hold(spk_context *context, spk_sequences *s)
{
    const uint64_t words = 5 * s->capacity + 8 * s->member_capacity + 4 * s->occurrence_capacity;
    spk_holding_set(context, &s->holding,
                    sizeof *s + words * sizeof(uint64_t) + s->spike_capacity * sizeof *s->spike);
}

void spk_sequences_free(spk_sequences *s)
{
    if (s == NULL)
        return;
    spk_holding_release(&s->holding);
    void *const columns[] = {s->p,       s->statistic, s->member_first,     s->occurrence_first,
                             s->unit,    s->lag_ticks, s->spread_ticks,     s->spike_first,
                             s->share,   s->score,     s->member_p,         s->member_q,
                             s->split_p, s->time,      s->occurrence_score, s->occurrence_p,
                             s->missing, s->spike};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        free(columns[k]);
    free(s);
}

spk_sequence_columns spk_sequences_columns(const spk_sequences *s)
{
    /* Borrowed: they are the object's until it is freed. */
    return (spk_sequence_columns){.n = s->n,
                                  .p = s->p,
                                  .statistic = s->statistic,
                                  .member_first = s->member_first,
                                  .occurrence_first = s->occurrence_first,
                                  .spike_first = s->spike_first,
                                  .unit = s->unit,
                                  .lag_ticks = s->lag_ticks,
                                  .spread_ticks = s->spread_ticks,
                                  .share = s->share,
                                  .score = s->score,
                                  .member_p = s->member_p,
                                  .member_q = s->member_q,
                                  .split_p = s->split_p,
                                  .time = s->time,
                                  .occurrence_score = s->occurrence_score,
                                  .occurrence_p = s->occurrence_p,
                                  .missing = s->missing,
                                  .spike = s->spike};
}

/* ---- sequences that are nearly the same as a better one -------------------------------------- */

uint64_t sequence_count_units(const spk_sequence_columns *c, uint32_t of, uint64_t n,
                              const uint32_t *unit)
{
    uint64_t n_common = 0;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = c->member_first[of]; k < c->member_first[of + 1]; k++)
            if (unit[i] == c->unit[k]) {
                n_common++;
                break;
            }
    return n_common;
}

bool sequence_occurs(const spk_sequence_columns *c, uint32_t of, int64_t first, double lasts)
{
    const double of_lasts = c->lag_ticks[c->member_first[of + 1] - 1];
    for (uint64_t k = c->occurrence_first[of]; k < c->occurrence_first[of + 1]; k++) {
        const double later = (double)(first - c->time[k]);
        if (later <= of_lasts && -later <= lasts)
            return true;
    }
    return false;
}

/* Occurrences of a that begin or end while b occurs. */
static uint64_t count_common_times(const spk_sequence_columns *c, uint32_t a, uint32_t b)
{
    const double a_lasts = c->lag_ticks[c->member_first[a + 1] - 1];
    uint64_t n = 0;
    for (uint64_t i = c->occurrence_first[a]; i < c->occurrence_first[a + 1]; i++)
        n += sequence_occurs(c, b, c->time[i], a_lasts);
    return n;
}

sequence_copy sequence_find_copy(const spk_sequence_columns *c, uint32_t i)
{
    const uint64_t n_units = c->member_first[i + 1] - c->member_first[i];
    const uint64_t n_times = c->occurrence_first[i + 1] - c->occurrence_first[i];
    for (uint32_t of = 0; of < i; of++) {
        const sequence_copy found = {
            of, sequence_count_units(c, of, n_units, c->unit + c->member_first[i]),
            count_common_times(c, i, of)};
        if (2 * found.n_units > n_units && 2 * found.n_occurrences > n_times &&
            (of == 0 || sequence_find_copy(c, of).of == of))
            return found;
    }
    return (sequence_copy){.of = i};
}
