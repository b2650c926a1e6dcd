/*
 * Rounds: the search of a recording and of its surrogates, p by rank, and the recording without the
 * spikes of what was found.
 *
 *     round 1    recording       best sequence, p among surrogates    accepted: its spikes go
 *     round 2    what is left    best sequence, p among surrogates    not accepted: the end
 *
 * Invariant: a round's surrogates are draws of what is left, with a seed of the round's own, and
 * each is searched as the recording is: then p is a rank. Cost: a search for each surrogate of each
 * round.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/fraction.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "sequence/sequence.h"
#include "significance/exact/exact.h"
#include "significance/maxima/job.h"
#include "significance/maxima/maxima.h"
#include "spikemine/describe.h"

static const uint32_t usual_sequences = 10;
static const spk_duration usual_jitter = {5, -2, 0};
enum { STEPS_OF_A_JITTER = 8, STEPS_OF_A_LAG = 32 }; /* of a clock that is coarse */

/* Goes up when statistics change, so that files of other ones are told apart. */
enum { STATISTIC_VERSION = 3 };

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
    char *job; /* as text */
    sequence_candidate best;
    double p;      /* of it */
    bool hurries;  /* no surrogate is made once p must be above alpha */
    bool is_least; /* some were not, and p may be larger */
} finder;

/* ---- options --------------------------------------------------------------------------------- */

void spk_sequence_options_init(spk_sequence_options *options, size_t struct_size)
{
    const spk_sequence_options defaults = {.longest_lag = {2, -1, 0},
                                           .n_surrogates = 99,
                                           .alpha = SPK_USUAL_ALPHA,
                                           .max_sequences = usual_sequences,
                                           .shard = 1,
                                           .n_shards = 1};
    spk_options_init(options, struct_size, &defaults, sizeof defaults);
}

/* "8/30s", say: so many steps of a clock. */
static spk_duration steps_of(spk_rate rate, unsigned steps, spk_duration otherwise)
{
    spk_duration out;
    return spk_duration_of_tick(steps, rate, &out) ? out : otherwise;
}

bool spk_sequences_usual_lengths(const spk_recording *recording, spk_duration *jitter,
                                 spk_duration *longest_lag)
{
    spk_time_grid grid;
    spk_sequence_options usual;
    spk_recording_find_grid(recording, &grid);
    spk_sequence_options_init(&usual, sizeof usual);
    const spk_rate rate = grid.points_per_second.numerator > 0 ? grid.points_per_second
                                                               : spk_recording_rate(recording);
    const spk_duration coarse = steps_of(rate, STEPS_OF_A_JITTER, usual_jitter);
    const bool is_coarse = spk_duration_seconds(coarse) > spk_duration_seconds(usual_jitter);
    *jitter = is_coarse ? coarse : usual_jitter;
    *longest_lag =
        is_coarse ? steps_of(rate, STEPS_OF_A_LAG, usual.longest_lag) : usual.longest_lag;
    return is_coarse;
}

static spk_status take_null(spk_context *context, finder *f)
{
    spk_surrogate_options_init(&f->null, sizeof f->null);
    f->null.method = "shift-apart";
    f->null.dither = usual_jitter;
    if (f->options.surrogates == NULL)
        return SPK_OK;
    return SPK_OPTIONS_TAKE(context, f->options.surrogates, &f->null, spk_surrogate_options);
}

/* In a window of one tick nothing moves; units and trials that move as a whole need none. */
static double least_dither(const char *method)
{
    return strcmp(method, "shift-apart") == 0 || strcmp(method, "deal-trials") == 0 ? 1 : 2;
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
    /* A cell is a part of the distance that surrogates move spikes by. */
    f->step = dither / SEQUENCE_CELLS;
    f->reach = (double)spk_duration_ticks(f->options.longest_lag, rate);
    /* Comparisons stand the way round in which a NaN fails. */
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
    if (dither >= least_dither(f->null.method) && f->reach >= dither / 4)
        return SPK_OK;
    char jitter[48], lag[48];
    spk_duration_format(f->null.dither, jitter, sizeof jitter);
    spk_duration_format(f->options.longest_lag, lag, sizeof lag);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "a jitter of %s and a longest lag of %s: sequences need a jitter of at least "
                    "%g tick%s of the recording, and at most 4 times the longest lag",
                    jitter, lag, least_dither(f->null.method),
                    spk_plural((uint64_t)least_dither(f->null.method)));
}

/* ---- a search -------------------------------------------------------------------------------- */

/* The best sequence of the recording or of a surrogate; `best` begins zeroed. The work is counted,
 * unless `nanoseconds` is NULL. What it takes goes with its stage, so that any number of rounds
 * needs the memory of one. */
static spk_status search(spk_context *own, const finder *f, const spk_recording *recording,
                         sequence_candidate *best, uint64_t *nanoseconds)
{
    sequence_axis axis = {0};
    sequence_work work = {0};
    const spk_stage stage = spk_stage_open(own);
    spk_status status = spk_sequence_axis_create(own, recording, f->reach, f->step, &axis);
    if (status == SPK_OK)
        status = spk_sequence_work_create(own, &axis, &work);
    if (status == SPK_OK)
        status = spk_sequence_candidate_create(own, &axis, best);
    if (status == SPK_OK)
        status = spk_sequence_search(own, &work, best);
    if (nanoseconds != NULL)
        *nanoseconds = spk_sequence_work_ns(&work);
    spk_sequence_work_free(&work);
    spk_sequence_axis_free(&axis);
    spk_stage_close(own, &stage);
    return status;
}

/* Statistics are compared, and kept in files, in thousandths. */
static uint32_t score_of(const sequence_candidate *best)
{
    const double score = floor(1000 * best->statistic + 0.5);
    return best->n == 0 ? 0 : score < UINT32_MAX ? (uint32_t)score : UINT32_MAX;
}

/* A spk_maxima_find; `user` is a finder. */
static spk_status search_surrogate(spk_context *own, const void *user, uint64_t k,
                                   spk_maxima_entry **entry, size_t *n)
{
    const finder *f = user;
    spk_recording *surrogate = NULL;
    sequence_candidate best = {0};
    *entry = NULL;
    spk_status status = spk_surrogates_make(own, f->surrogates, k, &surrogate);
    if (status == SPK_OK)
        status = search(own, f, surrogate, &best, NULL);
    if (status == SPK_OK)
        status = spk_alloc(own, entry, 1, "scores");
    if (status == SPK_OK)
        (*entry)->step = (spk_score_step){.score = score_of(&best), .results = 1};
    *n = score_of(&best) > 0;
    spk_sequence_candidate_free(&best);
    spk_recording_free(surrogate);
    return status;
}

/* ---- the surrogates of a round --------------------------------------------------------------- */

/* A round's seed depends on nothing but the seed and its number. */
static uint64_t seed_of(const finder *f)
{
    spk_random random = spk_random_start(f->null.seed, SPK_RANDOM_SEQUENCE_ROUND, f->number);
    return f->number == 1 ? f->null.seed : spk_random_u64(&random);
}

static spk_status write_job(spk_context *context, finder *f, const spk_surrogate_options *null)
{
    spk_job_text out = {.context = context};
    spk_job_put_recording(&out, f->recording);
    spk_job_put(&out, "test: exact\nsearch: sequences\n");
    spk_job_put_duration(&out, "longest-lag", f->options.longest_lag);
    spk_job_put_duration(&out, "jitter", null->dither);
    if (null->history.digits >= 0)
        spk_job_put_duration(&out, "history", null->history);
    spk_job_put_surrogates(&out, null);
    spk_job_put(&out, "score: %d\n", STATISTIC_VERSION);
    f->job = out.text;
    return out.status;
}

static spk_status begin_round(spk_context *context, finder *f)
{
    spk_surrogate_options null = f->null;
    f->number++;
    f->seed = null.seed = seed_of(f);
    spk_sequence_candidate_free(&f->best);
    f->best = (sequence_candidate){0};
    spk_surrogates_free(f->surrogates);
    f->surrogates = NULL;
    free(f->job);
    f->job = NULL;
    spk_status status = write_job(context, f, &null);
    if (status == SPK_OK)
        status = spk_surrogates_create(context, f->recording, &null, &f->surrogates);
    if (status == SPK_OK && f->number == 1) /* peeling leaves the trials as they are */
        status = spk_exact_check_trials(context, f->surrogates);
    return status;
}

/* FILE, FILE.round-2, FILE.round-3 ...; free() frees it. NULL where none is kept. */
static spk_status name_checkpoint(spk_context *context, const finder *f, char **out)
{
    const char *path = f->options.checkpoint;
    const size_t room = path != NULL ? strlen(path) + 32 : 0;
    *out = NULL;
    if (path == NULL)
        return SPK_OK;
    spk_status status = spk_alloc(context, out, room, "the name of a checkpoint");
    if (status == SPK_OK)
        snprintf(*out, room, f->number > 1 ? "%s.round-%" PRIu32 : "%s", path, f->number);
    return status;
}

static spk_status make_maxima(spk_context *context, const finder *f, spk_maxima **out)
{
    const spk_maxima_part part = {.job = f->job,
                                  .n_surrogates = f->options.n_surrogates,
                                  .shard = f->options.shard,
                                  .n_shards = f->options.n_shards,
                                  .n_scales = 1};
    char *checkpoint = NULL;
    spk_status status = name_checkpoint(context, f, &checkpoint);
    if (status == SPK_OK)
        status = spk_maxima_run_part(context, &part, checkpoint, search_surrogate, f, out);
    free(checkpoint);
    return status;
}

/* ---- a round --------------------------------------------------------------------------------- */

static bool is_given(const finder *f)
{
    return f->number <= f->options.n_maxima;
}

/* How many of the surrogates have as large a statistic. */
static uint64_t as_large(const finder *f, const spk_maxima *maxima)
{
    const spk_exact_columns c = spk_exact_columns_of(maxima);
    const uint32_t score = score_of(&f->best);
    uint64_t n = 0;
    for (uint64_t i = 0; i < c.n; i++)
        n += c.first[i] < c.first[i + 1] && c.step[c.first[i]].score >= score;
    return n;
}

static double p_of(const finder *f, uint64_t n_as_large, uint64_t n_surrogates)
{
    return f->best.n == 0 ? 1 : (double)(1 + n_as_large) / ((double)n_surrogates + 1);
}

enum { A_BLOCK = 8 }; /* surrogates of a round that hurries: made, then looked at */

static spk_status test_blocks(spk_context *context, finder *f)
{
    const uint64_t n = f->options.n_surrogates;
    uint64_t n_large = 0;
    spk_status status = SPK_OK;
    f->options.n_shards = (uint32_t)((n + A_BLOCK - 1) / A_BLOCK);
    f->options.shard = 0;
    f->p = p_of(f, 0, n);
    while (f->options.shard < f->options.n_shards && f->p <= f->options.alpha && status == SPK_OK) {
        spk_maxima *made = NULL;
        f->options.shard++;
        status = make_maxima(context, f, &made);
        if (status == SPK_OK)
            n_large += as_large(f, made);
        f->p = p_of(f, n_large, n);
        spk_maxima_free(made);
    }
    f->is_least = f->best.n > 0 && f->options.shard < f->options.n_shards;
    return status;
}

static spk_status test_all(spk_context *context, finder *f)
{
    spk_maxima *made = NULL;
    spk_status status = SPK_OK;
    if (is_given(f))
        status = spk_maxima_check_text(context, f->options.maxima[f->number - 1], f->job,
                                       f->options.n_surrogates);
    else
        status = make_maxima(context, f, &made);
    const spk_maxima *maxima = is_given(f) ? f->options.maxima[f->number - 1] : made;
    if (status == SPK_OK)
        f->p = p_of(f, as_large(f, maxima), spk_exact_columns_of(maxima).n);
    spk_maxima_free(made);
    return status;
}

static spk_status test_round(spk_context *context, finder *f)
{
    spk_status status = search(context, f, f->recording, &f->best, NULL);
    if (status != SPK_OK)
        return status;
    return f->hurries ? test_blocks(context, f) : test_all(context, f);
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

static spk_status accept(spk_context *context, finder *f, spk_sequences *out)
{
    const uint64_t first_spike = out->n_spikes;
    sequence_axis axis = {0};
    sequence_work work = {0};
    uint8_t *gone = NULL;
    const spk_stage stage = spk_stage_open(context);
    spk_status status =
        spk_alloc_zero(context, &gone, spk_recording_events(f->recording).n_events, "spikes");
    if (status == SPK_OK)
        status = spk_sequence_axis_create(context, f->recording, f->reach, f->step, &axis);
    if (status == SPK_OK)
        status = spk_sequence_work_create(context, &axis, &work);
    if (status == SPK_OK)
        status = spk_sequences_add(context, &work, &f->options, f->seed, f->p, &f->best, out, gone);
    if (status == SPK_OK) {
        /* Numbers are put right before the events go: removing them numbers those that are left
         * anew. */
        renumber(f, first_spike, out);
        status = remove_events(context, f, gone);
    }
    spk_sequence_work_free(&work);
    spk_sequence_axis_free(&axis);
    free(gone);
    spk_stage_close(context, &stage);
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

static spk_status open_search(spk_context *context, const spk_sequence_options *options, finder *f)
{
    spk_status status = put_on_grid(context, f);
    if (status == SPK_OK)
        status = take_options(context, options, f);
    const uint64_t n = spk_recording_events(f->recording).n_events;
    if (status == SPK_OK)
        status = spk_alloc(context, &f->event, n, "the search for sequences");
    for (uint64_t e = 0; e < n && status == SPK_OK; e++)
        f->event[e] = e;
    return status;
}

static void close_search(finder *f)
{
    spk_surrogates_free(f->surrogates);
    spk_recording_free(f->reduced);
    spk_recording_free(f->on_grid);
    spk_sequence_candidate_free(&f->best);
    free(f->job);
    free(f->event);
}

static uint32_t count_cut(const spk_sequences *found, double reach)
{
    const spk_sequence_columns c = spk_sequences_columns(found);
    uint32_t n = 0;
    for (uint32_t k = 0; k < c.n; k++) {
        const double *lag = c.lag_ticks + c.member_first[k];
        const uint64_t steps = c.member_first[k + 1] - c.member_first[k] - 1;
        n += steps > 1 && (lag[steps] - lag[0]) * (1 + 1 / (double)steps) > reach;
    }
    return n;
}

/* Rounds up to the first one that accepts nothing, at most so many. What never occurs is accepted
 * by no round: it would take no spike away, and all rounds behind it would find it again. */
static spk_status find_all(spk_context *context, finder *f, uint64_t most, spk_sequences *out,
                           spk_sequence_summary *summary)
{
    spk_status status = SPK_OK;
    for (uint64_t k = 0; status == SPK_OK && k == out->n && k < most; k++) {
        status = begin_round(context, f);
        summary->n_rounds = f->number;
        if (status == SPK_OK)
            status = test_round(context, f);
        if (status != SPK_OK)
            break;
        *summary = (spk_sequence_summary){
            f->number, f->options.n_surrogates, f->p, f->best.statistic, 0, f->is_least, 1};
        if (f->p > f->options.alpha || f->best.moments.n == 0) /* alpha may be 1 */
            break;
        status = accept(context, f, out);
    }
    if (status == SPK_OK)
        summary->n_cut = count_cut(out, f->reach);
    return status;
}

/* Notes maxima of rounds behind the last one: nothing compared them with this job. */
static void tell_unused(spk_context *context, const finder *f)
{
    if (f->options.n_maxima > f->number)
        spk_note(context,
                 "the scores of round %" PRIu32 " are of no use, and were not looked at: the "
                 "search ends with round %" PRIu32,
                 f->number + 1, f->number);
}

static spk_status find(spk_context *context, const spk_recording *recording,
                       const spk_sequence_options *options, bool hurries, spk_sequences **out,
                       spk_sequence_summary *summary)
{
    finder f = {.recording = recording, .hurries = hurries};
    spk_sequences *made = NULL;
    *out = NULL;
    spk_stage stage = spk_stage_open(context);
    spk_status status = open_search(context, options, &f);
    if (status == SPK_OK && f.options.n_shards != 1)
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "a shard of the surrogates finds no sequences; join the shards of the "
                          "round, and give its maxima");
    if (status == SPK_OK)
        status = spk_sequences_create(context, &made);
    if (status == SPK_OK)
        status = find_all(context, &f, f.options.max_sequences, made, summary);
    if (status == SPK_OK)
        tell_unused(context, &f);
    if (status == SPK_OK && made->n > 0 && strcmp(f.null.method, "shift-apart") == 0)
        status = spk_sequence_rates_together(context, f.recording, f.reach, f.null.seed,
                                             &summary->together_p);
    const bool stays =
        status == SPK_OK || (hurries && status == SPK_ERR_CANCELLED && made != NULL && made->n > 0);
    /* A search on the grid counts in its points; lags and times go back to ticks. */
    if (stays)
        leave_grid(&f, recording, made);
    spk_stage_close(context, &stage);
    close_search(&f);
    if (stays) {
        spk_sequences_hold(context, made);
        *out = made;
    } else {
        spk_sequences_free(made);
    }
    return status;
}

spk_status spk_sequences_find(spk_context *context, const spk_recording *recording,
                              const spk_sequence_options *options, spk_sequences **out,
                              spk_sequence_summary *summary)
{
    spk_sequence_summary own;
    return find(context, recording, options, false, out, summary != NULL ? summary : &own);
}

spk_status spk_sequences_find_in_time(spk_context *context, const spk_recording *recording,
                                      const spk_sequence_options *options, spk_sequences **out,
                                      spk_sequence_summary *summary)
{
    return find(context, recording, options, true, out, summary);
}

/* ---- what it takes --------------------------------------------------------------------------- */

spk_status spk_sequences_count_work(spk_context *context, const spk_recording *recording,
                                    const spk_sequence_options *options, uint64_t *nanoseconds)
{
    finder f = {.recording = recording};
    spk_recording *surrogate = NULL;
    *nanoseconds = 0;
    spk_status status = open_search(context, options, &f);
    if (status == SPK_OK)
        status = begin_round(context, &f);
    if (status == SPK_OK)
        status = spk_surrogates_make(context, f.surrogates, 1, &surrogate);
    if (status == SPK_OK)
        status = search(context, &f, surrogate, &f.best, nanoseconds);
    spk_recording_free(surrogate);
    close_search(&f);
    return status;
}

/* ---- shards ---------------------------------------------------------------------------------- */

/* The rounds whose maxima are given; each must accept a sequence. */
static spk_status repeat_rounds(spk_context *context, finder *f, spk_sequences *found)
{
    spk_sequence_summary last;
    spk_status status = find_all(context, f, f->options.n_maxima, found, &last);
    if (status == SPK_OK && found->n < f->options.n_maxima)
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "round %" PRIu32 " accepts no sequence, with p = %.3g; no further round "
                          "has surrogates to be made",
                          f->number, f->p);
    return status;
}

/* The round behind those whose maxima are given: later rounds search what earlier ones left, whose
 * searches are made again. */
static spk_status open_round(spk_context *context, const spk_sequence_options *options, finder *f)
{
    spk_sequences *found = NULL;
    spk_status status = open_search(context, options, f);
    if (status == SPK_OK)
        status = spk_maxima_check_shard(context, f->options.shard, f->options.n_shards);
    if (status == SPK_OK)
        status = spk_sequences_create(context, &found);
    if (status == SPK_OK)
        status = repeat_rounds(context, f, found);
    if (status == SPK_OK)
        status = begin_round(context, f);
    spk_sequences_free(found);
    return status;
}

spk_status spk_sequences_run(spk_context *context, const spk_recording *recording,
                             const spk_sequence_options *options, spk_maxima **out)
{
    finder f = {.recording = recording};
    *out = NULL;
    spk_stage stage = spk_stage_open(context);
    spk_status status = open_round(context, options, &f);
    if (status == SPK_OK)
        status = make_maxima(context, &f, out);
    spk_stage_close(context, &stage);
    close_search(&f);
    return status;
}
