/*
 * Making surrogates: the recording's spikes unit by unit and stretch by stretch are laid out once;
 * a surrogate is made run by run into columns, which become a recording.
 *
 * A surrogate's random numbers: the seed, the method's number and k give it a seed of its own, from
 * which every run takes the sequence of its unit and stretch.
 *
 * Layout:
 *     time    unit 0: |stretch 0 ...|stretch 2 ...|   unit 1: |stretch 1 ...| ...
 *     run     {0, 0, first, n}  {0, 2, first, n}          {1, 1, first, n}
 *
 * Invariant: a run's random numbers depend on seed, method, k, unit and stretch alone, so that
 * surrogate k is the same whoever makes it and in whatever order. Cost: laying out is a pass over
 * the events; a surrogate is a pass, and the assembling of a recording. Bytes: 8 an event for the
 * layout; 12 an event and up to three numbers for each event of the longest run while one is made.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/subset.h"
#include "significance/surrogates/surrogates.h"

/* ---- runs ------------------------------------------------------------------------------------ */

/* Lists the runs, or only counts them where surrogates->run is NULL. */
static void list_runs(spk_surrogates *s)
{
    spk_events events = spk_recording_events(s->recording);
    s->n_runs = 0;
    for (uint32_t u = 0; u < events.n_units; u++) {
        size_t k = 0;
        for (uint64_t at = events.unit_first[u], end = events.unit_first[u + 1]; at < end;) {
            uint64_t first = at;
            if (s->time[at] >= s->where.stretch[k].stop)
                k = spk_stretches_behind(&s->where, k + 1, s->time[at]);
            while (at < end && s->time[at] < s->where.stretch[k].stop)
                at++;
            s->most = at - first > s->most ? at - first : s->most;
            if (s->run != NULL)
                s->run[s->n_runs] = (surrogate_run){u, (uint32_t)k, first, at - first};
            s->n_runs++;
        }
    }
}

static spk_status lay_out(spk_context *context, spk_surrogates *s)
{
    spk_events events = spk_recording_events(s->recording);
    spk_status status =
        spk_alloc_columns(context, "surrogates", SPK_COLUMN(&s->label, events.n_units),
                          SPK_COLUMN(&s->time, events.n_events));
    if (status == SPK_OK)
        status = spk_stretches_find(context, s->recording, &s->where);
    if (status == SPK_OK && s->where.n > UINT32_MAX)
        status = spk_fail(context, SPK_ERR_RANGE,
                          "%zu stretches of segments are more than 32 bit "
                          "number; take a part of the recording",
                          s->where.n);
    if (status != SPK_OK)
        return status;
    for (uint32_t u = 0; u < events.n_units; u++)
        s->label[u] = spk_recording_label(s->recording, u);
    for (uint64_t i = 0; i < events.n_events; i++)
        s->time[i] = events.time[events.by_unit[i]];
    /* Once to count the runs, once to list them. */
    list_runs(s);
    status = spk_alloc(context, &s->run, s->n_runs, "surrogates");
    if (status == SPK_OK)
        list_runs(s);
    return status;
}

/* ---- create and free ------------------------------------------------------------------------- */

spk_status spk_surrogates_create(spk_context *context, const spk_recording *recording,
                                 const spk_surrogate_options *options, spk_surrogates **out)
{
    spk_surrogate_options own;
    spk_surrogates *s = NULL;
    *out = NULL;
    spk_status status = SPK_OPTIONS_TAKE(context, options, &own, spk_surrogate_options);
    if (status != SPK_OK)
        return status;
    spk_stage stage = spk_stage_open(context);
    status = spk_alloc_zero(context, &s, 1, "surrogates");
    if (status != SPK_OK)
        goto done;
    s->recording = recording;
    s->seed = own.seed;
    s->edges = own.edges;
    /* Spikes are laid out before the method prepares: it may read the runs. */
    status = spk_surrogate_method_find(context, own.method, &s->method);
    if (status == SPK_OK)
        status = lay_out(context, s);
    if (status == SPK_OK)
        status = s->method->prepare(context, &own, s);
done:
    if (status == SPK_OK) {
        spk_stage_keep(context, &stage, &s->holding);
        *out = s;
    } else {
        spk_stage_close(context, &stage);
        spk_surrogates_free(s);
    }
    return status;
}

void spk_surrogates_free(spk_surrogates *surrogates)
{
    if (surrogates == NULL)
        return;
    /* What the method does not use is NULL. */
    spk_free_all(surrogates->label, surrogates->time, surrogates->run);
    spk_stretches_free(&surrogates->where);
    spk_free_all(surrogates->refractory, surrogates->intervals.step, surrogates->intervals.table_of,
                 surrogates->intervals.weight, surrogates->windows.first_group,
                 surrogates->windows.group, surrogates->windows.grid, surrogates->windows.in_bin,
                 surrogates->windows.first_bin, surrogates->pieces.place,
                 surrogates->pieces.first_place, surrogates->pieces.first_piece,
                 surrogates->pieces.piece, surrogates->pieces.ratio);
    spk_holding_release(&surrogates->holding);
    free(surrogates);
}

/* ---- make ------------------------------------------------------------------------------------ */

static uint64_t seed_of(const spk_surrogates *s, uint64_t k)
{
    spk_random random =
        spk_random_start(s->seed, SPK_RANDOM_SURROGATE_KEY | s->method->number << 16, k);
    return spk_random_u64(&random);
}

/* The spikes of run r, and where the method makes a unit at a time of all its runs: how many of
 * these there are. */
static uint64_t make_some(const spk_surrogates *s, uint64_t seed, uint64_t r,
                          const surrogate_space *space, int64_t *out, uint64_t *n_runs)
{
    const surrogate_run *run = &s->run[r];
    uint64_t index = run->unit, n = run->n;
    *n_runs = 1;
    if (s->method->make_unit == NULL)
        index |= (uint64_t)run->stretch << 32;
    spk_random random = spk_random_start(seed, SPK_RANDOM_SURROGATE_UNIT, index);
    if (s->method->make_unit == NULL)
        return s->method->make(s, run, &random, space, out);
    for (; r + *n_runs < s->n_runs && run[*n_runs].unit == run->unit; (*n_runs)++)
        n += run[*n_runs].n;
    s->method->make_unit(s, run, *n_runs, &random, space, out);
    return n;
}

/* Fills the columns run by run. */
static spk_status make_runs(spk_context *context, const spk_surrogates *s, uint64_t k,
                            const surrogate_space *space, spk_recording_parts *parts)
{
    enum { EVENTS_A_CHECK = 1 << 16 };
    uint64_t seed = seed_of(s, k), checked = 0;
    for (uint64_t r = 0, n_runs; r < s->n_runs; r += n_runs) {
        const surrogate_run *run = &s->run[r];
        /* Each run is written behind the one before. A method may leave spikes out, and adds
         * none. */
        uint64_t n = make_some(s, seed, r, space, parts->time + parts->n_events, &n_runs);
        for (uint64_t i = 0; i < n; i++)
            parts->unit[parts->n_events + i] = run->unit;
        parts->n_events += n;
        assert(parts->n_events <= run[n_runs - 1].first + run[n_runs - 1].n);
        checked += n + 1;
        if (checked < EVENTS_A_CHECK)
            continue;
        checked = 0;
        spk_status status = spk_check_cancel(context);
        if (status != SPK_OK)
            return status;
    }
    return spk_check_cancel(context);
}

static spk_status make(spk_context *context, const spk_surrogates *s, uint64_t k,
                       spk_recording **out)
{
    const spk_recording *r = s->recording;
    spk_recording_parts parts = spk_recording_frame(r);
    surrogate_space space = {NULL, NULL, NULL};
    parts.n_units = r->events.n_units;
    parts.labels = s->label;
    /* Room for the longest run, or for a number for each stretch, which dealing trials takes. */
    const uint64_t most = s->most > s->where.n ? s->most : s->where.n;
    spk_status status =
        spk_alloc_columns(context, "surrogates", SPK_COLUMN(&parts.time, r->events.n_events),
                          SPK_COLUMN(&parts.unit, r->events.n_events),
                          SPK_COLUMN(&space.words, spk_number_set_words(most)),
                          SPK_COLUMN(&space.number, most), SPK_COLUMN(&space.other, most));
    if (status == SPK_OK)
        status = make_runs(context, s, k, &space, &parts);
    spk_free(context, space.words);
    spk_free(context, space.number);
    spk_free(context, space.other);
    if (status == SPK_OK)
        return spk_recording_assemble(context, &parts, out);
    free(parts.time);
    free(parts.unit);
    return status;
}

spk_status spk_surrogates_make(spk_context *context, const spk_surrogates *surrogates, uint64_t k,
                               spk_recording **out)
{
    *out = NULL;
    if (k == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "surrogate 0: they are numbered from 1");
    spk_stage stage = spk_stage_open(context);
    spk_status status = make(context, surrogates, k, out);
    spk_stage_close(context, &stage);
    assert(status != SPK_OK || (*out)->facts.duplicates == 0);
    return status;
}
