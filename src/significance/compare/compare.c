/* The comparison of two conditions: which results are tested, their p-values and intervals. */
#include <math.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/order.h"
#include "base/stage.h"
#include "significance/compare/compare.h"

SPK_OPTIONS_INIT(spk_compare_options, .n_permutations = 9999, .alpha = SPK_USUAL_ALPHA);

/* The results of either language, and what is made of them. */
typedef struct comparison {
    spk_compare_options options;
    const spk_recording *recording;
    const spk_windows *windows;
    const spk_episode_columns *episodes;
    const spk_pattern_columns *patterns;
    uint64_t n;
    uint64_t n_tested;
    uint64_t *tested; /* numbers of the results that are, ascending */
    spk_trials trials;
    spk_trial_counts counts;
    spk_contrast *contrast;
    spk_labellings labellings;
    double *largest; /* from the largest down */
} comparison;

/* ---- options --------------------------------------------------------------------------------- */

static spk_status check_options(spk_context *context, const comparison *c)
{
    const spk_compare_options *o = &c->options;
    const size_t n_trials = spk_recording_trials(c->recording);
    if (o->condition == NULL || o->n_trials != n_trials)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "there are conditions of %zu trials, and the recording has %zu; give one "
                        "for each",
                        o->condition != NULL ? o->n_trials : 0, n_trials);
    for (size_t t = 0; t < n_trials; t++)
        if (o->condition[t] > 1)
            return spk_fail(context, SPK_ERR_ARGUMENT, "trial %zu has condition %u; give 0 or 1",
                            t + 1, o->condition[t]);
    if (n_trials > UINT32_MAX)
        return spk_fail(context, SPK_ERR_RANGE, "%zu trials are more than %u; give fewer", n_trials,
                        UINT32_MAX);
    if (!(o->alpha > 0 && o->alpha < 1))
        return spk_fail(context, SPK_ERR_ARGUMENT, "alpha %g: give more than 0 and less than 1",
                        o->alpha);
    return SPK_OK;
}

/* Whether trials of both conditions are left; tells of those that are not. */
static spk_status check_left(spk_context *context, const comparison *c)
{
    const size_t n_lost = c->options.n_trials - c->trials.n;
    const int missing = c->trials.n_of[0] == 0 ? 0 : 1;
    if (n_lost > 0)
        spk_note(context, "nothing is left of %zu of %zu trials; their conditions are not used",
                 n_lost, c->options.n_trials);
    if (c->trials.n_of[missing] > 0)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "no trial%s has condition %d; a comparison needs trials of both",
                    n_lost > 0 ? " of which something is left" : "", missing);
}

/* ---- which results --------------------------------------------------------------------------- */

static const uint64_t *offsets_of(const comparison *c)
{
    return c->patterns != NULL ? c->patterns->offset : c->episodes->offset;
}

static uint64_t count_of(const comparison *c, uint64_t i)
{
    return c->patterns != NULL ? c->patterns->count[i] : c->episodes->count[i];
}

static uint32_t unit_of(const comparison *c, uint64_t at)
{
    return c->patterns != NULL ? c->patterns->item[at] / c->patterns->window
                               : c->episodes->unit[at];
}

/* Whether the positions begin .. end - 1 have at least so many different units. */
static bool has_units(const comparison *c, uint64_t begin, uint64_t end, uint32_t least)
{
    uint32_t n = 0;
    for (uint64_t i = begin; i < end && n < least; i++) {
        bool is_new = true;
        for (uint64_t j = begin; j < i && is_new; j++)
            is_new = unit_of(c, j) != unit_of(c, i);
        n += is_new;
    }
    return n >= least;
}

static void choose_tested(comparison *c)
{
    const uint64_t *offset = offsets_of(c);
    for (uint64_t i = 0; i < c->n; i++)
        if (offset[i + 1] - offset[i] >= c->options.min_size &&
            has_units(c, offset[i], offset[i + 1], c->options.distinct_units))
            c->tested[c->n_tested++] = i;
}

/* ---- the test -------------------------------------------------------------------------------- */

static uint64_t largest_count(const comparison *c)
{
    uint64_t most = 0;
    for (uint64_t i = 0; i < c->n; i++)
        most = count_of(c, i) > most ? count_of(c, i) : most;
    return most;
}

static spk_status count_results(spk_context *context, comparison *c)
{
    if (c->patterns != NULL)
        return spk_trial_counts_of_patterns(context, c->recording, c->windows, &c->trials,
                                            c->patterns, &c->counts);
    return spk_trial_counts_of_episodes(context, c->recording, &c->trials, c->episodes, &c->counts);
}

static spk_status find_largest(spk_context *context, comparison *c)
{
    const spk_compare_options *o = &c->options;
    c->labellings = spk_labellings_of(&c->trials, o->n_permutations, o->seed);
    spk_status status =
        spk_alloc_columns(context, "the comparison", SPK_COLUMN(&c->contrast, c->n),
                          SPK_COLUMN(&c->tested, c->n), SPK_COLUMN(&c->largest, c->labellings.n));
    if (status != SPK_OK)
        return status;
    choose_tested(c);
    for (uint64_t i = 0; i < c->n; i++)
        c->contrast[i] = spk_contrast_take(&c->trials, &c->counts, i);
    const spk_compare_search search = {&c->trials, &c->counts,  c->contrast,
                                       c->tested,  c->n_tested, &c->labellings};
    status = spk_compare_largest(context, &search, c->largest);
    if (status == SPK_OK)
        qsort(c->largest, c->labellings.n, sizeof *c->largest, spk_falling_f64);
    return status;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* A result is significant where its score is larger than this. */
static double critical_score(const comparison *c)
{
    const double ways = (double)c->labellings.n + 1;
    uint64_t most = (uint64_t)(c->options.alpha * ways); /* ways as large, the own one too */
    while (most > 0 && (double)most / ways > c->options.alpha)
        most--;
    while ((double)(most + 1) / ways <= c->options.alpha)
        most++;
    return most == 0 ? HUGE_VAL : c->largest[most - 1];
}

/* Of its distribution over all ways: mean 0, variance 1. */
static double z_of(const comparison *c, double score)
{
    const double n = (double)c->trials.n;
    return sqrt(score * n * (n - 1) / ((double)c->trials.n_of[0] * (double)c->trials.n_of[1]));
}

static double p_of(const comparison *c, double score)
{
    spk_bisect s = {0, c->labellings.n}; /* entries before s.low are as large */
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, c->largest[s.middle] >= score);
    return (double)(s.low + 1) / ((double)c->labellings.n + 1);
}

/* Bounds in occurrences a second; `hz` is one count a unit of length. Whether 0 lies inside is
 * the test's word, not that of rounding. */
static void set_interval(const comparison *c, uint64_t i, double critical, double hz,
                         spk_compare_verdict *v)
{
    double lower = 0, upper = 0;
    if (!isfinite(critical))
        return;
    spk_contrast_interval(&c->trials, &c->counts, &c->contrast[i], i, critical, &lower, &upper);
    lower = fmin(lower * hz, v->difference_hz);
    upper = fmax(upper * hz, v->difference_hz);
    const bool apart = v->p <= c->options.alpha;
    v->lower_hz = !apart ? fmin(lower, 0) : v->z > 0 ? fmax(lower, 0) : lower;
    v->upper_hz = !apart ? fmax(upper, 0) : v->z < 0 ? fmin(upper, 0) : upper;
}

static void judge(const comparison *c, uint64_t i, const double *duration_s, double critical,
                  spk_compare_verdict *v)
{
    const spk_contrast *contrast = &c->contrast[i];
    const uint64_t one = spk_contrast_count(&c->trials, &c->counts, i);
    *v = (spk_compare_verdict){
        .count = {((uint64_t)contrast->total - one) * contrast->divisor, one * contrast->divisor},
        .lower_hz = -HUGE_VAL,
        .upper_hz = HUGE_VAL,
        .p = 1};
    for (int g = 0; g < 2; g++)
        v->rate_hz[g] = duration_s[g] > 0 ? (double)v->count[g] / duration_s[g] : 0;
    v->difference_hz = v->rate_hz[1] - v->rate_hz[0];
    const double numerator = spk_contrast_numerator(contrast, (double)c->trials.total, (double)one,
                                                    (double)c->trials.length_of[1]);
    const double score = spk_contrast_score(contrast, numerator);
    v->z = copysign(z_of(c, score), numerator);
    if (critical < 0) /* it is not tested */
        return;
    const double hz = (double)c->trials.total / (duration_s[0] + duration_s[1]);
    v->tested = true;
    v->p = p_of(c, score);
    set_interval(c, i, critical, hz * contrast->divisor, v);
}

static void judge_all(const comparison *c, spk_compare_verdict *out, spk_compare_summary *summary)
{
    const spk_rate rate = spk_recording_rate(c->recording);
    const double tick_s = (double)rate.denominator / (double)rate.numerator;
    const double critical = critical_score(c);
    uint64_t k = 0;
    *summary = (spk_compare_summary){.n_permutations = c->labellings.n,
                                     .all = c->labellings.all,
                                     .n_tested = c->n_tested,
                                     .critical_z = z_of(c, critical)};
    for (int g = 0; g < 2; g++) {
        summary->trials[g] = c->trials.n_of[g];
        summary->duration_s[g] = c->trials.ticks_of[g] * tick_s;
    }
    summary->smallest_p =
        spk_compare_smallest_p(summary->trials[0], summary->trials[1], c->options.n_permutations);
    for (uint64_t i = 0; i < c->n; i++) {
        const bool tested = k < c->n_tested && c->tested[k] == i;
        judge(c, i, summary->duration_s, tested ? critical : -1, &out[i]);
        k += tested;
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static spk_status compare(spk_context *context, const spk_compare_options *options, comparison *c,
                          spk_compare_verdict *out, spk_compare_summary *summary)
{
    spk_compare_summary own;
    spk_stage stage = spk_stage_open(context);
    spk_status status = SPK_OPTIONS_TAKE(context, options, &c->options, spk_compare_options);
    if (status == SPK_OK)
        status = check_options(context, c);
    if (status == SPK_OK)
        status = spk_trials_create(context, c->recording, c->options.condition, largest_count(c),
                                   &c->trials);
    if (status == SPK_OK)
        status = check_left(context, c);
    if (status == SPK_OK)
        status = count_results(context, c);
    if (status == SPK_OK)
        status = find_largest(context, c);
    if (status == SPK_OK)
        judge_all(c, out, summary != NULL ? summary : &own);
    spk_trials_free(&c->trials);
    spk_trial_counts_free(&c->counts);
    spk_free_all(c->contrast, c->tested, c->largest);
    spk_stage_close(context, &stage);
    return status;
}

spk_status spk_compare_episodes(spk_context *context, const spk_recording *recording,
                                const spk_compare_options *options,
                                const spk_episode_columns *episodes, spk_compare_verdict *out,
                                spk_compare_summary *summary)
{
    comparison c = {.recording = recording, .episodes = episodes, .n = episodes->n};
    return compare(context, options, &c, out, summary);
}

spk_status spk_compare_patterns(spk_context *context, const spk_recording *recording,
                                const spk_windows *windows, const spk_compare_options *options,
                                const spk_pattern_columns *patterns, spk_compare_verdict *out,
                                spk_compare_summary *summary)
{
    comparison c = {
        .recording = recording, .windows = windows, .patterns = patterns, .n = patterns->n};
    return compare(context, options, &c, out, summary);
}
