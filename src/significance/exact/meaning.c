/*
 * What a significant result may mean beside a sequence, and whether its steps have a direction.
 *
 *     found: A -> B, B -> A, A -> B -> C, C -> C      steps of significant results: A -> B, B -> C
 *     counted in addition: C -> B                     A -> B -> C means synchrony: B -> A is there
 *                                                     and significant; C -> C means rhythm
 *
 * Steps are looked up among the results of two units; their opposites that the search did not find
 * are counted once for all results. Cost: a search in sorted pairs for each step of each
 * significant result, one count of the opposites, and for intervals that begin below 1 ms the
 * occurrences of each step.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/random.h"
#include "base/stage.h"
#include "base/tails.h"
#include "significance/exact/exact.h"
#include "spikemine/occurrences.h"

/* A step between two different units, and what is known of it and of its opposite. */
typedef struct step {
    uint32_t from, to, delay;
    uint64_t found;   /* number of the pair among the results, NOT_FOUND */
    uint64_t back;    /* the same of its opposite */
    uint64_t counted; /* number in the list of opposites that were counted, NOT_FOUND */
    bool twin;
    spk_exact_direction direction;
} step;

#define NOT_FOUND UINT64_MAX

typedef struct interpreter {
    spk_context *context;
    const spk_recording *recording;
    const spk_exact_options *options;
    double alpha;
    const spk_episode_columns *episodes;
    const spk_exact_verdict *verdicts;
    bool of_all; /* steps of all results are wanted, not of significant ones alone */
    step *pair;  /* all results of two units, as steps, sorted */
    uint64_t n_pairs;
    step *step; /* of wanted results, sorted, each once */
    uint64_t n_steps;
    spk_episode_list *back; /* opposites that were not found, with their counts */
} interpreter;

static bool is_significant(const interpreter *t, uint64_t i)
{
    return t->verdicts[i].tested && t->verdicts[i].p <= t->alpha;
}

static bool is_wanted(const interpreter *t, uint64_t i)
{
    return t->of_all || is_significant(t, i);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int compare_steps(const void *a, const void *b)
{
    const step *x = a, *y = b;
    return SPK_BY(SPK_UP(x->from, y->from), SPK_UP(x->to, y->to), SPK_UP(x->delay, y->delay));
}

static step step_at(const spk_episode_columns *e, uint64_t position)
{
    return (step){
        .from = e->unit[position - 1], .to = e->unit[position], .delay = e->delay[position]};
}

/* The step among n sorted ones, NULL where it is not. */
static step *find_step(step *sorted, uint64_t n, const step *wanted)
{
    return n > 0 ? bsearch(wanted, sorted, n, sizeof *sorted, compare_steps) : NULL;
}

static uint64_t number_of_pair(const interpreter *t, uint32_t from, uint32_t to, uint32_t delay)
{
    const step wanted = {.from = from, .to = to, .delay = delay};
    const step *pair = find_step(t->pair, t->n_pairs, &wanted);
    return pair != NULL ? pair->found : NOT_FOUND;
}

/* Lists the pairs, and the steps of results that are wanted. */
static spk_status list_steps(interpreter *t)
{
    const spk_episode_columns *e = t->episodes;
    uint64_t n_positions = 0;
    for (uint64_t i = 0; i < e->n; i++)
        n_positions += is_wanted(t, i) ? e->offset[i + 1] - e->offset[i] : 0;
    spk_status status = spk_alloc_columns(t->context, "steps", SPK_COLUMN(&t->pair, e->n),
                                          SPK_COLUMN(&t->step, n_positions));
    for (uint64_t i = 0; i < e->n && status == SPK_OK; i++) {
        uint64_t first = e->offset[i], end = e->offset[i + 1];
        if (end - first == 2) {
            t->pair[t->n_pairs] = step_at(e, first + 1);
            t->pair[t->n_pairs++].found = i;
        }
        for (uint64_t k = first + 1; k < end && is_wanted(t, i); k++)
            if (e->unit[k - 1] != e->unit[k])
                t->step[t->n_steps++] = step_at(e, k);
    }
    return status;
}

/* Sorts both, leaves each step once, and finds the results that they are. */
static void sort_steps(interpreter *t)
{
    uint64_t n = 0;
    qsort(t->pair, t->n_pairs, sizeof *t->pair, compare_steps);
    qsort(t->step, t->n_steps, sizeof *t->step, compare_steps);
    for (uint64_t k = 0; k < t->n_steps; k++)
        if (n == 0 || compare_steps(&t->step[n - 1], &t->step[k]) != 0)
            t->step[n++] = t->step[k];
    t->n_steps = n;
    for (uint64_t k = 0; k < n; k++) {
        step *s = &t->step[k];
        s->found = number_of_pair(t, s->from, s->to, s->delay);
        s->back = number_of_pair(t, s->to, s->from, s->delay);
        s->counted = NOT_FOUND;
    }
}

/* ---- counts of opposites --------------------------------------------------------------------- */

static spk_status count_opposites(interpreter *t)
{
    uint64_t n = 0;
    spk_status status = spk_episode_list_create(t->context, &t->back);
    for (uint64_t k = 0; k < t->n_steps && status == SPK_OK; k++) {
        step *s = &t->step[k];
        const uint32_t units[2] = {s->to, s->from};
        if (s->found == NOT_FOUND || s->back != NOT_FOUND)
            continue;
        s->counted = n++;
        status =
            spk_episode_list_append(t->context, t->back, 2, units, &t->episodes->delays[s->delay]);
    }
    if (status == SPK_OK && n > 0)
        status = spk_episode_count(t->context, t->recording, t->options->episodes, t->back, NULL);
    return status;
}

/* ---- directions ------------------------------------------------------------------------------ */

/* Chance that at least `there` of there + back occurrences go forward where the link is the same in
 * both directions. */
static double judge_direction(uint64_t there, uint64_t back, double mean_there, double mean_back)
{
    uint64_t n = there + back;
    double excess = fmax(0, ((double)n - mean_there - mean_back) / 2);
    double share = (mean_there + excess) / (mean_there + mean_back + 2 * excess);
    if (there == 0 || !(share > 0 && share < 1))
        return there == 0 || share >= 1 ? 1 : 0;
    return spk_portable_exp(spk_binomial_log_tail(there - 1, n, share));
}

static void find_direction(const interpreter *t, step *s)
{
    const spk_episode_columns counted = spk_episode_list_columns(t->back);
    s->direction = (spk_exact_direction){.p = 1, .back_p = 1};
    if (s->found == NOT_FOUND)
        return;
    const bool known = s->back != NOT_FOUND;
    const uint64_t there = t->episodes->count[s->found];
    const uint64_t back = known ? t->episodes->count[s->back] : counted.count[s->counted];
    const double mean = t->verdicts[s->found].expected;
    const double mean_back = known ? t->verdicts[s->back].expected : mean;
    s->direction = (spk_exact_direction){.p = judge_direction(there, back, mean, mean_back),
                                         .back_p = judge_direction(back, there, mean_back, mean),
                                         .back = back};
}

/* ---- delays below 1 ms ----------------------------------------------------------------------- */

typedef struct short_delays {
    spk_rate rate;
    uint64_t n;
    uint64_t n_short;
} short_delays;

static spk_status add_delay(void *user, uint32_t size, const int64_t *time)
{
    short_delays *d = user;
    __int128 scaled = (__int128)(time[size - 1] - time[0]) * d->rate.denominator * 1000;
    d->n++;
    d->n_short += scaled < (__int128)d->rate.numerator;
    return SPK_OK;
}

/* Whether most occurrences of the step are shorter than 1 ms. */
static spk_status find_twin(const interpreter *t, step *s)
{
    const spk_delay *delay = &t->episodes->delays[s->delay];
    const uint32_t units[2] = {s->from, s->to};
    short_delays delays = {.rate = spk_recording_rate(t->recording)};
    s->twin = false;
    if (spk_duration_compare(delay->lo, (spk_duration){1, -3, 0}) >= 0)
        return SPK_OK;
    spk_status status =
        spk_episode_occurrences(t->context, t->recording, 2, units, delay, add_delay, &delays);
    s->twin = 2 * delays.n_short > delays.n;
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

static bool has_repeat(const uint32_t *unit, uint64_t n, uint32_t divisor)
{
    for (uint64_t a = 1; a < n; a++)
        for (uint64_t b = 0; b < a; b++)
            if (unit[a] / divisor == unit[b] / divisor)
                return true;
    return false;
}

static void interpret(const interpreter *t, uint64_t i, uint32_t *means, double *direction_p)
{
    const spk_episode_columns *e = t->episodes;
    uint64_t first = e->offset[i], end = e->offset[i + 1];
    *means = has_repeat(e->unit + first, end - first, 1) ? SPK_MEANS_RHYTHM : 0;
    *direction_p = 0;
    bool tested = false;
    /* A result points no further than its weakest step: the largest p of all of them. */
    for (uint64_t k = first + 1; k < end; k++) {
        const step wanted = step_at(e, k);
        const step *s = find_step(t->step, t->n_steps, &wanted);
        if (s == NULL)
            continue;
        if (s->back != NOT_FOUND && is_significant(t, s->back))
            *means |= SPK_MEANS_SYNCHRONY;
        if (s->twin)
            *means |= SPK_MEANS_TWIN;
        *direction_p = fmax(*direction_p, s->direction.p);
        tested = true;
    }
    if (!tested)
        *direction_p = 1;
}

/* A result has the direction of its weakest step, and back_p of the one that is weakest there. */
static spk_exact_direction direct(const interpreter *t, uint64_t i)
{
    const spk_episode_columns *e = t->episodes;
    spk_exact_direction out = {.p = -1, .back_p = -1};
    for (uint64_t k = e->offset[i] + 1; k < e->offset[i + 1]; k++) {
        const step wanted = step_at(e, k);
        const step *s = find_step(t->step, t->n_steps, &wanted);
        if (s == NULL)
            continue;
        if (s->direction.p > out.p) {
            out.p = s->direction.p;
            out.back = s->direction.back;
        }
        out.back_p = fmax(out.back_p, s->direction.back_p);
    }
    return out.p < 0 ? (spk_exact_direction){.p = 1, .back_p = 1} : out;
}

/* Steps come first: an episode is read from the directions and twins of its own. */
static spk_status find_steps(interpreter *t, bool with_twins)
{
    spk_status status = list_steps(t);
    if (status == SPK_OK) {
        sort_steps(t);
        status = count_opposites(t);
    }
    for (uint64_t k = 0; k < t->n_steps && status == SPK_OK; k++) {
        find_direction(t, &t->step[k]);
        if (with_twins)
            status = find_twin(t, &t->step[k]);
        if (status == SPK_OK)
            status = spk_check_cancel(t->context);
    }
    return status;
}

static void free_steps(interpreter *t)
{
    spk_free(t->context, t->pair);
    spk_free(t->context, t->step);
    spk_episode_list_free(t->back);
}

spk_status spk_exact_interpret_episodes(spk_context *context, const spk_recording *recording,
                                        const spk_exact_options *options, double alpha,
                                        const spk_episode_columns *episodes,
                                        const spk_exact_verdict *verdicts, uint32_t *means,
                                        double *direction_p)
{
    interpreter t = {.context = context,
                     .recording = recording,
                     .options = options,
                     .alpha = alpha,
                     .episodes = episodes,
                     .verdicts = verdicts};
    if (options == NULL || options->episodes == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "this exact test is not of episodes");
    spk_stage stage = spk_stage_open(context);
    spk_status status = find_steps(&t, true);
    for (uint64_t i = 0; i < episodes->n && status == SPK_OK; i++) {
        means[i] = 0, direction_p[i] = 1;
        if (is_significant(&t, i))
            interpret(&t, i, &means[i], &direction_p[i]);
    }
    free_steps(&t);
    spk_stage_close(context, &stage);
    return status;
}

spk_status spk_exact_direct_episodes(spk_context *context, const spk_recording *recording,
                                     const spk_exact_options *options,
                                     const spk_episode_columns *episodes,
                                     const spk_exact_verdict *verdicts, spk_exact_direction *out)
{
    interpreter t = {.context = context,
                     .recording = recording,
                     .options = options,
                     .episodes = episodes,
                     .verdicts = verdicts,
                     .of_all = true};
    if (options == NULL || options->episodes == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "this exact test is not of episodes");
    spk_stage stage = spk_stage_open(context);
    spk_status status = find_steps(&t, false);
    for (uint64_t i = 0; i < episodes->n && status == SPK_OK; i++)
        out[i] = direct(&t, i);
    free_steps(&t);
    spk_stage_close(context, &stage);
    return status;
}

spk_asymmetry spk_exact_asymmetry(const spk_exact_direction *direction, double alpha)
{
    if (direction->p >= 1 && direction->back_p >= 1)
        return SPK_ASYMMETRY_UNKNOWN;
    return direction->p <= alpha        ? SPK_ASYMMETRY_FORWARD
           : direction->back_p <= alpha ? SPK_ASYMMETRY_BACKWARD
                                        : SPK_ASYMMETRY_NEITHER;
}

spk_status spk_exact_interpret_patterns(spk_context *context, const spk_exact_options *options,
                                        double alpha, const spk_pattern_columns *patterns,
                                        const spk_exact_verdict *verdicts, uint32_t *means)
{
    if (options == NULL || options->patterns == NULL || options->windows == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "this exact test is not of patterns");
    bool fine = spk_duration_compare(options->windows->bin, (spk_duration){1, -3, 0}) < 0;
    for (uint64_t i = 0; i < patterns->n; i++) {
        const uint32_t *item = patterns->item + patterns->offset[i];
        uint64_t n = patterns->offset[i + 1] - patterns->offset[i];
        means[i] = 0;
        if (!verdicts[i].tested || verdicts[i].p > alpha)
            continue;
        if (has_repeat(item, n, patterns->window))
            means[i] |= SPK_MEANS_RHYTHM;
        if (item[n - 1] % patterns->window == 0) /* items are in order of lag */
            means[i] |= SPK_MEANS_SYNCHRONY | (fine ? SPK_MEANS_TWIN : 0);
    }
    return SPK_OK;
}

const char *spk_exact_means_text(uint32_t means)
{
    static const char *const text[] = {
        "-",    "rhythm",      "synchrony",      "rhythm,synchrony",
        "twin", "rhythm,twin", "synchrony,twin", "rhythm,synchrony,twin"};
    return text[means % (sizeof text / sizeof text[0])];
}
