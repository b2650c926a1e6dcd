/* Whole sequences of a first look: round by round, as far as the work lasts. */
#include "analysis/explore.h"

#include <math.h>
#include <string.h>

#include "base/fraction.h"
#include "episode/search.h"
#include "sequence/sequence.h"
#include "spikemine/calibrate.h"

static const char *const NULL_NAME = "shift-apart"; /* as the operation */

enum {
    MOST_ROUNDS = 10,  /* as the operation */
    WANTED_ROUNDS = 3, /* where the steps do not suffice for them, there are fewer surrogates */
    FEWER_SURROGATES = 39
};

/* Less of a recording is not worth a search. */
static const double LEAST_SHARE = 0.02;

static const double NANOSECONDS_A_STEP = 1e9 / EPISODE_STEPS_A_SECOND;

/* As spk_sequence_work_ns counts a step of a correlogram. */
static const double NANOSECONDS_A_PAIR = 2;

static void take_search(spk_explore *e, const spk_recording *recording)
{
    spk_sequence_options *o = &e->search;
    spk_surrogate_options_init(&e->null, sizeof e->null);
    for (size_t k = 0; k < spk_exact_null_count(); k++)
        if (strcmp(spk_exact_null_get(k)->name, NULL_NAME) == 0)
            e->null.method = spk_exact_null_get(k)->method;
    e->null.seed = e->options.seed;
    spk_sequence_options_init(o, sizeof *o);
    spk_sequences_usual_lengths(recording, &e->null.dither, &o->longest_lag);
    o->surrogates = &e->null;
    o->alpha = e->alpha;
    spk_sequence_report_init(&e->report, sizeof e->report);
    e->report.longest_lag = o->longest_lag;
    e->report.null = NULL_NAME;
    e->report.jitter = e->null.dither;
    e->report.seed = e->null.seed;
    e->report.alpha = o->alpha;
}

/* The share of a recording that so many steps may suffice for: each search counts at least the
 * pairs of spikes within the longest lag, in so many of them. */
static double share_at_most(const spk_explore *e, const spk_recording *recording, double searches)
{
    const double n = (double)spk_recording_events(recording).n_events;
    const double about = e->description.rate_total_hz * spk_duration_seconds(e->search.longest_lag);
    const double steps = spk_explore_steps_in_time(e, e->steps, EPISODE_STEPS_A_SECOND, 1);
    return steps / (searches * n * about * NANOSECONDS_A_PAIR / NANOSECONDS_A_STEP + 1);
}

/* A spk_explore_pilot: a search. */
static spk_status run_pilot(spk_explore *e, const spk_recording *recording, double *steps)
{
    uint64_t nanoseconds = 0;
    spk_status status = spk_sequences_count_work(e->own, recording, &e->search, &nanoseconds);
    *steps = (double)nanoseconds / NANOSECONDS_A_STEP + 1;
    return status;
}

/* How many surrogates, how much of the recording, and how many rounds the steps suffice for. A
 * search that comes to its end says more than a smaller p. */
static spk_status fit(spk_explore *e, const spk_recording *recording)
{
    const uint64_t least = spk_exact_least_surrogates(e->alpha, 1);
    const uint64_t numbers[] = {e->search.n_surrogates, FEWER_SURROGATES, least};
    const double most = fmin(1, share_at_most(e, recording, (double)(1 + least)));
    double share = 0, in_time = 0, one = 0, seconds = 0;
    explore_part whole;
    spk_status status = spk_check_cancel(e->own);
    if (status != SPK_OK || most < LEAST_SHARE)
        return status;
    status = spk_explore_take_part(e, recording, most, &whole);
    if (status == SPK_OK)
        status = spk_explore_time(e, whole.recording, run_pilot, &one, &seconds);
    const double steps = spk_explore_steps_in_time(e, e->steps, one, seconds);
    for (size_t k = 0;
         k < sizeof numbers / sizeof numbers[0] && (share < WANTED_ROUNDS || in_time < 1); k++) {
        e->search.n_surrogates = numbers[k] > least ? numbers[k] : least;
        const double round = one * (double)(1 + e->search.n_surrogates);
        share = e->steps / round;
        in_time = steps / round;
    }
    e->is_slow |= in_time < fmin(1, share);
    spk_explore_drop_part(&whole);
    /* The clock may end further rounds, which leaves what was found before. */
    const double looked = most * fmin(1, fmin(share, in_time));
    if (status != SPK_OK || looked < LEAST_SHARE)
        return status;
    e->n_rounds = in_time < 1 ? 1 : (uint32_t)fmin(fmax(share, 1), MOST_ROUNDS);
    return spk_explore_take_part(e, recording, looked, &e->searched);
}

spk_status spk_explore_find_sequences(spk_explore *e, const spk_recording *recording)
{
    spk_sequence_summary *summary = &e->report.summary;
    take_search(e, recording);
    spk_status status = fit(e, recording);
    if (status == SPK_OK && e->n_rounds > 0) {
        e->search.max_sequences = e->n_rounds;
        status = spk_sequences_find_in_time(e->own, e->searched.recording, &e->search,
                                            &e->sequences, summary);
        e->search_ended =
            status == SPK_OK && (summary->last_p > e->search.alpha || e->n_rounds == MOST_ROUNDS ||
                                 spk_sequences_columns(e->sequences).n < e->n_rounds);
    }
    e->search_late = status == SPK_ERR_CANCELLED;
    e->search_large = status == SPK_ERR_MEMORY;
    return e->search_large ? SPK_OK : status; /* what the test found is not lost by it */
}
