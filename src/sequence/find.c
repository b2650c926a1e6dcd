/* Rounds: the search of a recording and of its surrogates, p by rank, and the recording without the
 * spikes of what was found. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "distribute/queue.h"
#include "sequence/sequence.h"
#include "significance/exact/exact.h"
#include "significance/exact/peel.h"

static const uint32_t usual_sequences = 10;

typedef struct finder {
    spk_sequence_options options;
    spk_surrogate_options null;
    spk_recording *on_grid;         /* NULL: ticks are the points where times may lie */
    const spk_recording *recording; /* what is left */
    spk_recording *reduced;         /* the same, NULL in round 1 */
    uint64_t *event;                /* of what is left: its number in the recording */
    double step;                    /* ticks of a cell */
    double reach;                   /* ticks */
    /* Of a round. */
    uint32_t number; /* from 1 */
    uint64_t seed;
    spk_surrogates *surrogates;
    sequence_candidate best;
    double *statistic; /* by task: of the recording, then of surrogates */
} finder;

/* ---- options --------------------------------------------------------------------------------- */

void spk_sequence_options_init(spk_sequence_options *options, size_t struct_size)
{
    const spk_sequence_options defaults = {.longest_lag = {2, -1, 0},
                                           .n_surrogates = 99,
                                           .alpha = 0.05,
                                           .max_sequences = usual_sequences};
    spk_options_init(options, struct_size, &defaults, sizeof defaults);
}

static spk_status take_null(spk_context *context, finder *f)
{
    spk_surrogate_options_init(&f->null, sizeof f->null);
    f->null.method = "shift-apart";
    f->null.dither = (spk_duration){5, -2, 0};
    if (f->options.surrogates == NULL)
        return SPK_OK;
    return SPK_OPTIONS_TAKE(context, f->options.surrogates, &f->null, spk_surrogate_options);
}

static spk_status take_options(spk_context *context, const spk_sequence_options *given, finder *f)
{
    spk_status status = SPK_OPTIONS_TAKE(context, given, &f->options, spk_sequence_options);
    if (status == SPK_OK)
        status = take_null(context, f);
    if (status != SPK_OK)
        return status;
    const spk_rate rate = spk_recording_rate(f->recording);
    const double dither = (double)spk_duration_ticks(f->null.dither, rate);
    f->step = dither / SEQUENCE_CELLS;
    f->reach = (double)spk_duration_ticks(f->options.longest_lag, rate);
    if (!(f->options.alpha > 0 && f->options.alpha <= 1))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "sequences need an alpha above 0 and at most 1, not %g", f->options.alpha);
    if (!(f->options.member_q >= 0 && f->options.member_q <= 1))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the largest q of a member must be from 0 to 1, not %g",
                        f->options.member_q);
    if (f->options.n_surrogates == 0 || f->options.max_sequences == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "sequences need at least 1 surrogate, and 1 sequence to look for");
    if (!(dither >= 1) || !(f->reach >= dither / 4))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the largest lag of a sequence must be at least 1/4 of the distance that "
                        "surrogates move spikes by, and this at least a tick");
    return SPK_OK;
}

/* ---- a round --------------------------------------------------------------------------------- */

/* Task 0 is the recording, task k surrogate k. */
static spk_status search_one(spk_context *own, uint64_t task, void *user)
{
    finder *f = user;
    spk_recording *surrogate = NULL;
    sequence_axis axis = {0};
    sequence_work work = {0};
    sequence_candidate best = {0};
    spk_status status =
        task > 0 ? spk_surrogates_make(own, f->surrogates, task, &surrogate) : SPK_OK;
    if (status == SPK_OK)
        status = spk_sequence_axis_create(own, task > 0 ? surrogate : f->recording, f->reach,
                                          f->step, &axis);
    if (status == SPK_OK)
        status = spk_sequence_work_create(own, &axis, &work);
    if (status == SPK_OK)
        status = spk_sequence_candidate_create(own, &axis, &best);
    if (status == SPK_OK)
        status = spk_sequence_search(own, &work, &best);
    if (status == SPK_OK)
        f->statistic[task] = best.statistic;
    if (status == SPK_OK && task == 0)
        f->best = best;
    else
        spk_sequence_candidate_free(&best);
    spk_sequence_work_free(&work);
    spk_sequence_axis_free(&axis);
    spk_recording_free(surrogate);
    return status;
}

static double p_of(const finder *f)
{
    uint64_t as_large = 1;
    if (f->best.n == 0)
        return 1;
    for (uint64_t k = 1; k <= f->options.n_surrogates; k++)
        as_large += f->statistic[k] >= f->statistic[0];
    return (double)as_large / ((double)f->options.n_surrogates + 1);
}

/* A round's seed depends on nothing but the seed and its number. */
static uint64_t seed_of(const finder *f)
{
    spk_random random = spk_random_start(f->null.seed, SPK_RANDOM_SEQUENCE_ROUND, f->number);
    return f->number == 1 ? f->null.seed : spk_random_u64(&random);
}

static spk_status search_round(spk_context *context, finder *f)
{
    spk_surrogate_options null = f->null;
    const spk_queue_job job = {.n = f->options.n_surrogates + 1,
                               .what = f->number == 1 ? "sequences" : "further sequences",
                               .task = search_one,
                               .user = f};
    f->number++;
    f->seed = null.seed = seed_of(f);
    spk_sequence_candidate_free(&f->best);
    f->best = (sequence_candidate){0};
    spk_surrogates_free(f->surrogates);
    f->surrogates = NULL;
    spk_status status = spk_surrogates_create(context, f->recording, &null, &f->surrogates);
    return status == SPK_OK ? spk_queue_run(context, &job) : status;
}

/* ---- what is left ---------------------------------------------------------------------------- */

/* Event numbers of this round's recording become those of the first one. */
static void renumber(const finder *f, uint64_t first_spike, spk_sequences *out)
{
    for (uint64_t k = first_spike; k < out->n_spikes; k++)
        if (out->spike[k] != SPK_SEQUENCE_MISSING)
            out->spike[k] = (uint32_t)f->event[out->spike[k]];
}

static spk_status remove_events(spk_context *context, finder *f, const uint8_t *gone)
{
    spk_recording *reduced = NULL;
    const uint64_t n = spk_recording_events(f->recording).n_events;
    uint64_t left = 0;
    spk_status status = spk_peel_remove(context, f->recording, gone, &reduced);
    if (status != SPK_OK)
        return status;
    for (uint64_t e = 0; e < n; e++)
        if (!gone[e])
            f->event[left++] = f->event[e];
    spk_recording_free(f->reduced);
    f->reduced = reduced;
    f->recording = reduced;
    return SPK_OK;
}

static spk_status accept(spk_context *context, finder *f, double p, spk_sequences *out)
{
    const uint64_t first_spike = out->n_spikes;
    sequence_axis axis = {0};
    sequence_work work = {0};
    uint8_t *gone = NULL;
    spk_status status =
        spk_alloc_zero(context, &gone, spk_recording_events(f->recording).n_events, "spikes");
    if (status == SPK_OK)
        status = spk_sequence_axis_create(context, f->recording, f->reach, f->step, &axis);
    if (status == SPK_OK)
        status = spk_sequence_work_create(context, &axis, &work);
    if (status == SPK_OK)
        status = spk_sequences_add(context, &work, &f->options, f->seed, p, &f->best, out, gone);
    if (status == SPK_OK) {
        renumber(f, first_spike, out);
        status = remove_events(context, f, gone);
    }
    spk_sequence_work_free(&work);
    spk_sequence_axis_free(&axis);
    free(gone);
    return status;
}

/* ---- the grid -------------------------------------------------------------------------------- */

/* Spikes of surrogates lie on the points where those of the recording do. */
static spk_status put_on_grid(spk_context *context, finder *f)
{
    spk_status status = spk_exact_on_grid(context, f->recording, NULL, 0, &f->on_grid);
    if (f->on_grid != NULL)
        f->recording = f->on_grid;
    return status;
}

static void leave_grid(const finder *f, const spk_recording *recording, spk_sequences *out)
{
    if (f->on_grid == NULL || out->n == 0)
        return;
    const spk_rate ticks = spk_recording_rate(recording), points = spk_recording_rate(f->on_grid);
    const double step = (double)ticks.numerator / (double)ticks.denominator *
                        (double)points.denominator / (double)points.numerator;
    spk_sequences_rescale(out, spk_recording_events(recording).time[0], step);
}

/* ---- all rounds ------------------------------------------------------------------------------ */

static spk_status find_all(spk_context *context, finder *f, spk_sequences *out,
                           spk_sequence_summary *summary)
{
    const uint64_t n = spk_recording_events(f->recording).n_events;
    spk_status status = spk_alloc_columns(context, "the search for sequences",
                                          SPK_COLUMN(&f->statistic, f->options.n_surrogates + 1),
                                          SPK_COLUMN(&f->event, n));
    for (uint64_t e = 0; e < n && status == SPK_OK; e++)
        f->event[e] = e;
    while (status == SPK_OK && out->n < f->options.max_sequences) {
        status = search_round(context, f);
        if (status != SPK_OK)
            break;
        const double p = p_of(f);
        *summary = (spk_sequence_summary){f->number, f->options.n_surrogates, p, f->statistic[0]};
        if (p > f->options.alpha)
            break;
        status = accept(context, f, p, out);
    }
    return status;
}

spk_status spk_sequences_find(spk_context *context, const spk_recording *recording,
                              const spk_sequence_options *options, spk_sequences **out,
                              spk_sequence_summary *summary)
{
    finder f = {.recording = recording};
    spk_sequence_summary own;
    spk_sequences *made = NULL;
    *out = NULL;
    spk_stage stage = spk_stage_open(context);
    spk_status status = put_on_grid(context, &f);
    if (status == SPK_OK)
        status = take_options(context, options, &f);
    if (status == SPK_OK)
        status = spk_sequences_create(context, &made);
    if (status == SPK_OK)
        status = find_all(context, &f, made, summary != NULL ? summary : &own);
    if (status == SPK_OK)
        leave_grid(&f, recording, made);
    spk_stage_close(context, &stage);
    spk_surrogates_free(f.surrogates);
    spk_recording_free(f.reduced);
    spk_recording_free(f.on_grid);
    spk_sequence_candidate_free(&f.best);
    free(f.statistic);
    free(f.event);
    if (status == SPK_OK) {
        spk_sequences_hold(context, made);
        *out = made;
    } else {
        spk_sequences_free(made);
    }
    return status;
}
