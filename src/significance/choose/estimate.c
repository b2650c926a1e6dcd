/* What an exact test will cost and find, from one with a few surrogates. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"
#include "significance/choose/choose.h"
#include "significance/exact/exact.h"

enum { TRIAL_SURROGATES = 19 };

/* What a search of the recording may take: far more than one of its surrogates. */
static const double MOST_SECONDS = 10;

/* The score that the best result of a surrogate passes with a chance of alpha, at one window: from
 * a Gumbel distribution with the mean and the deviation of the trial's surrogates. */
static double score_at(const spk_exact_columns *c, uint32_t scale, double alpha)
{
    static const double euler = 0.57721566490153286, pi = 3.14159265358979324;
    double sum = 0, squares = 0;
    for (uint64_t k = 0; k < c->n; k++) {
        double largest = 0;
        for (uint64_t i = c->first[k]; i < c->first[k + 1]; i++)
            if (c->step[i].scale == scale && c->step[i].score > largest)
                largest = c->step[i].score;
        sum += largest;
        squares += largest * largest;
    }
    const double n = (double)c->n, mean = sum / n;
    const double variance = (squares - n * mean * mean) / (n - 1);
    const double width = sqrt(variance > 0 ? 6 * variance : 0) / pi;
    return mean - euler * width - width * log(-log1p(-alpha));
}

/* Results of the recording, by size, as far as they are not too many. */
typedef struct limited_list {
    spk_episode_list *list; /* NULL: nobody wants them */
    uint64_t n;
    uint32_t last; /* size that is in the list */
    bool ended;
} limited_list;

static spk_status add_limited(void *user, const spk_episode_columns *found)
{
    limited_list *l = user;
    l->ended = found->level->size > 2 && l->n + found->n > CHOOSE_MOST_RESULTS;
    if (l->ended)
        return SPK_ERR_CANCELLED;
    l->n += found->n;
    l->last = found->level->size;
    return l->list != NULL ? spk_episode_list_add(l->list, found) : SPK_OK;
}

/* Where the recording has too many results, *episodes gets the largest size that leaves few
 * enough. */
spk_status choose_max_size(spk_context *context, const spk_recording *recording,
                           spk_episode_options *episodes, spk_episode_list *list,
                           uint32_t *max_size, double *steps)
{
    limited_list limited = {.list = list};
    episode_limits limits = {.most_steps = choose_steps(MOST_SECONDS, 1),
                             .most_frequent = UINT64_MAX};
    spk_status status =
        episode_mine_within(context, recording, episodes, &limits, add_limited, &limited);
    *steps = (double)limits.steps;
    if (!limited.ended && !limits.passed)
        return status;
    *max_size = episodes->max_size = limited.last;
    return SPK_OK;
}

/* Tests, and counts what passes. */
static spk_status try_test(spk_context *context, const spk_recording *recording,
                           const spk_exact_options *test, double alpha, spk_episode_list *list,
                           spk_maxima **maxima, spk_exact_estimate *out)
{
    spk_exact_verdict *verdict = NULL;
    double border[SPK_EXACT_MAX_SCALES] = {0}, begin = spk_seconds_now();
    spk_status status = spk_exact_run(context, recording, test, maxima);
    out->seconds = spk_seconds_now() - begin;
    begin = spk_seconds_now();
    const spk_episode_columns found = spk_episode_list_columns(list);
    if (status == SPK_OK)
        status = spk_alloc(context, &verdict, found.n, "verdicts");
    if (status == SPK_OK)
        status = spk_exact_test_episodes(context, recording, test, *maxima, &found, verdict, NULL);
    for (uint32_t k = 0; k < test->n_jitter && status == SPK_OK; k++) {
        const spk_exact_columns c = spk_exact_columns_of(*maxima);
        border[k] = score_at(&c, k, alpha / (double)test->n_jitter);
    }
    for (uint64_t i = 0; i < found.n && status == SPK_OK; i++) {
        out->n_tested += verdict[i].tested;
        out->n_results += verdict[i].tested && verdict[i].score > border[verdict[i].scale];
    }
    out->own_seconds += spk_seconds_now() - begin;
    free(verdict);
    return status;
}

spk_status spk_choose_estimate(spk_context *context, const spk_recording *recording,
                               const spk_exact_options *test, double alpha, spk_exact_estimate *out)
{
    spk_exact_options trial;
    spk_episode_options episodes;
    spk_episode_list *list = NULL;
    spk_maxima *maxima = NULL;
    double steps = 0;
    *out = (spk_exact_estimate){.n_surrogates = TRIAL_SURROGATES};
    spk_status status = SPK_OPTIONS_TAKE(context, test, &trial, spk_exact_options);
    if (status == SPK_OK && trial.episodes == NULL)
        status = spk_fail(context, SPK_ERR_ARGUMENT, "the test to be estimated is one of episodes");
    if (status == SPK_OK && !(alpha > 0 && alpha < 1))
        status = spk_fail(context, SPK_ERR_ARGUMENT, "alpha must be between 0 and 1");
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(context, trial.episodes, &episodes, spk_episode_options);
    if (status != SPK_OK)
        return status;
    trial.episodes = &episodes;
    const uint64_t n_surrogates = trial.n_surrogates;
    trial.n_surrogates = TRIAL_SURROGATES;
    trial.shard = trial.n_shards = 1;
    trial.checkpoint = NULL;
    status = spk_episode_list_create(context, &list);
    const double begin = spk_seconds_now();
    if (status == SPK_OK)
        status = choose_max_size(context, recording, &episodes, list, &out->max_size, &steps);
    out->own_seconds = spk_seconds_now() - begin;
    if (status == SPK_OK)
        status = try_test(context, recording, &trial, alpha, list, &maxima, out);
    out->seconds = out->own_seconds + out->seconds * (double)(SPK_EXACT_PILOTS + n_surrogates) /
                                          (SPK_EXACT_PILOTS + TRIAL_SURROGATES);
    spk_maxima_free(maxima);
    spk_episode_list_free(list);
    return status;
}
