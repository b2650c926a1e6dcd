/* Peeling: round after round of search, surrogates and test, each without the events of the best
 * result of the round before. */
#include "spikemine/peel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/results.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "base/stage.h"
#include "significance/exact/exact.h"

typedef struct peel {
    spk_context *parent; /* the caller's */
    spk_context *own;    /* of the rounds: its progress names them */
    spk_peel_options options;
    spk_exact_options test;
    const spk_recording *recording; /* what is left */
    spk_recording *reduced;         /* the same, NULL in round 1 */
    spk_peel_sink *sink;
    void *user;
    uint32_t number;
} peel;

/* What a round finds, and what the test says of it. */
typedef struct findings {
    spk_windows *windows; /* of patterns */
    spk_results all;
    uint64_t n;
    spk_exact_verdict *verdict;
    double *scale_p;
    uint64_t *significant; /* numbers of the significant ones, ascending */
    uint64_t n_significant;
    double *part_p; /* of the significant ones */
    uint32_t *left_out;
    uint32_t *means; /* of all */
    double *direction_p;
} findings;

/* ---- options --------------------------------------------------------------------------------- */

SPK_OPTIONS_INIT(spk_peel_options, .alpha = SPK_USUAL_ALPHA);

static spk_status take_options(spk_context *context, const spk_peel_options *given, peel *p)
{
    spk_status status = SPK_OPTIONS_TAKE(context, given, &p->options, spk_peel_options);
    if (status != SPK_OK)
        return status;
    if (p->options.test == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "peeling needs the options of a test");
    if (!(p->options.alpha > 0 && p->options.alpha <= 1))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "peeling needs an alpha above 0 and at most 1, not %g", p->options.alpha);
    status = SPK_OPTIONS_TAKE(context, p->options.test, &p->test, spk_exact_options);
    if (status == SPK_OK && p->test.n_shards != 1)
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "peeling cannot be divided into shards: a round depends on the one "
                          "before; divide the test alone");
    if (status == SPK_OK && p->test.checkpoint != NULL)
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "peeling keeps no checkpoint: each round has surrogates of its own");
    if (status == SPK_OK && p->test.null == NULL && p->test.jitter != NULL) /* one for all rounds */
        p->test.null = spk_exact_null_for(p->recording, p->test.jitter, p->test.n_jitter)->name;
    return status;
}

/* A round's seed depends on nothing but the seed and its number. */
static uint64_t seed_of(const peel *p)
{
    spk_random random = spk_random_start(p->options.test->seed, SPK_RANDOM_PEEL_ROUND, p->number);
    return p->number == 1 ? p->options.test->seed : spk_random_u64(&random);
}

/* ---- the search ------------------------------------------------------------------------------ */

static void findings_free(findings *f)
{
    spk_results_free(&f->all);
    spk_windows_free(f->windows);
    spk_free_all(f->verdict, f->scale_p, f->significant, f->part_p, f->left_out, f->means,
                 f->direction_p);
}

static spk_status search(peel *p, findings *f)
{
    const size_t n_scales = p->test.n_jitter;
    spk_search search = {p->recording, p->test.episodes, p->test.patterns, NULL};
    spk_status status = SPK_OK;
    if (search.episodes == NULL)
        status = spk_windows_create(p->own, p->recording, p->test.windows, &f->windows);
    search.windows = f->windows;
    if (status == SPK_OK)
        status = spk_results_find(p->own, &search, &f->all);
    if (status == SPK_OK)
        status = spk_results_sort(&f->all);
    f->n = status == SPK_OK ? spk_results_count(&f->all) : 0;
    if (status == SPK_OK)
        status = spk_alloc_columns(p->own, "the test", SPK_COLUMN(&f->verdict, f->n),
                                   SPK_COLUMN(&f->scale_p, f->n * n_scales),
                                   SPK_COLUMN(&f->significant, f->n), SPK_COLUMN(&f->part_p, f->n),
                                   SPK_COLUMN(&f->left_out, f->n), SPK_COLUMN(&f->means, f->n),
                                   SPK_COLUMN_ZERO(&f->direction_p, f->n));
    return status;
}

/* ---- the test -------------------------------------------------------------------------------- */

static spk_status test(peel *p, findings *f)
{
    spk_maxima *maxima = NULL;
    spk_status status = spk_exact_run(p->own, p->recording, &p->test, &maxima);
    if (status == SPK_OK)
        status = spk_results_test(p->own, &f->all, &p->test, maxima, f->verdict, f->scale_p);
    for (uint64_t i = 0; i < f->n && status == SPK_OK; i++)
        if (f->verdict[i].tested && f->verdict[i].p <= p->options.alpha)
            f->significant[f->n_significant++] = i;
    spk_maxima_free(maxima);
    return status;
}

/* Whether a is better than b; of equal ones the first is. */
static bool is_better(const spk_exact_verdict *a, const spk_exact_verdict *b)
{
    return a->p < b->p || (a->p == b->p && a->score > b->score);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Entry k of part_p and left_out: those of the k-th significant result. */
static spk_status explain(peel *p, findings *f, uint64_t n)
{
    return spk_results_explain(p->own, &f->all, &p->test, f->verdict, f->significant, n, f->part_p,
                               f->left_out);
}

/* The best result into entry 0 of `significant`, with its part in entry 0, too; *found: whether
 * there is one. */
static spk_status choose(peel *p, findings *f, bool *found)
{
    uint64_t best = UINT64_MAX;
    spk_status status = SPK_OK;
    if (p->options.core)
        status = explain(p, f, f->n_significant);
    for (uint64_t k = 0; k < f->n_significant && status == SPK_OK; k++) {
        if (p->options.core && f->part_p[k] > p->options.alpha)
            continue;
        if (best == UINT64_MAX ||
            is_better(&f->verdict[f->significant[k]], &f->verdict[f->significant[best]]))
            best = k;
    }
    *found = best != UINT64_MAX;
    if (!*found || status != SPK_OK)
        return status;
    f->significant[0] = f->significant[best];
    if (!p->options.core)
        return explain(p, f, 1);
    f->part_p[0] = f->part_p[best];
    f->left_out[0] = f->left_out[best];
    return SPK_OK;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void describe(const peel *p, const findings *f, spk_peel_round *out)
{
    *out = (spk_peel_round){.number = p->number,
                            .seed = p->test.seed,
                            .recording = p->recording,
                            .episode_summary = f->all.episode_summary,
                            .pattern_summary = f->all.pattern_summary,
                            .n_significant = f->n_significant,
                            .least_p = 1};
    for (uint64_t i = 0; i < f->n; i++) {
        out->n_tested += f->verdict[i].tested;
        out->least_p = f->verdict[i].p < out->least_p ? f->verdict[i].p : out->least_p;
    }
}

/* What is left without the events of result i. */
static spk_status reduce(peel *p, const findings *f, uint64_t i, spk_recording **out)
{
    uint8_t *gone = NULL;
    spk_stage stage = spk_stage_open(p->own);
    spk_status status = spk_alloc_zero(p->own, &gone, spk_recording_events(p->recording).n_events,
                                       "the events of a result");
    if (status == SPK_OK && f->all.episodes != NULL) {
        const spk_episode_columns one = spk_results_episode(&f->all, i);
        status = spk_peel_mark_episode(p->own, p->recording, &one, gone);
    } else if (status == SPK_OK) {
        const spk_pattern_columns one = spk_results_pattern(&f->all, i);
        status = spk_peel_mark_pattern(p->own, p->recording, f->windows, &one, gone);
    }
    if (status == SPK_OK)
        status = spk_peel_remove(p->own, p->recording, gone, out);
    spk_free(p->own, gone);
    spk_stage_close(p->own, &stage);
    return status;
}

/* Hands out the accepted result and removes its events. */
static spk_status accept(peel *p, const findings *f, const spk_peel_round *described)
{
    const uint64_t i = f->significant[0];
    spk_peel_round round = *described;
    spk_recording *left = NULL;
    spk_episode_columns episode;
    spk_pattern_columns pattern;
    spk_status status = reduce(p, f, i, &left);
    if (status != SPK_OK)
        return status;
    if (f->all.episodes != NULL) {
        episode = spk_results_episode(&f->all, i);
        round.episode = &episode;
    } else {
        pattern = spk_results_pattern(&f->all, i);
        round.pattern = &pattern;
    }
    round.verdict = f->verdict[i];
    round.scale_p = f->scale_p + i * p->test.n_jitter;
    round.part_p = f->part_p[0];
    round.left_out = f->left_out[0];
    round.means = f->means[i];
    round.direction_p = f->direction_p[i];
    round.n_removed =
        spk_recording_events(p->recording).n_events - spk_recording_events(left).n_events;
    status = p->sink(p->user, &round);
    spk_recording_free(p->reduced);
    p->recording = p->reduced = left;
    return status;
}

/* *goes_on: something was accepted. */
static spk_status run_round(peel *p, bool *goes_on)
{
    findings f = {.n = 0};
    spk_peel_round round;
    *goes_on = false;
    p->number++;
    p->test.seed = seed_of(p);
    spk_stage stage = spk_stage_open(p->own);
    spk_status status = search(p, &f);
    if (status == SPK_OK && f.n > 0)
        status = test(p, &f);
    if (status == SPK_OK) {
        describe(p, &f, &round);
        status = choose(p, &f, goes_on);
    }
    if (status == SPK_OK && *goes_on)
        status = spk_results_interpret(p->own, &f.all, &p->test, p->options.alpha, f.verdict,
                                       f.means, f.direction_p);
    if (status == SPK_OK)
        status = *goes_on ? accept(p, &f, &round) : p->sink(p->user, &round);
    findings_free(&f);
    spk_stage_close(p->own, &stage);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* A spk_progress_fn: "round 2, surrogates". */
static void tell_progress(void *user, const char *what, uint64_t done, uint64_t total)
{
    const peel *p = user;
    char text[100];
    snprintf(text, sizeof text, "round %" PRIu32 ", %s", p->number, what);
    spk_progress(p->parent, text, done, total);
}

static spk_status open_own(peel *p)
{
    spk_status status = spk_context_create_child(p->parent, &p->own);
    if (status != SPK_OK)
        return spk_fail_memory(p->parent, 1, "a context");
    if (p->parent != NULL)
        spk_context_set_progress(p->own, tell_progress, p);
    if (spk_context_memory_limit(p->parent) > 0)
        spk_context_set_memory_limit(p->own, spk_memory_left(p->parent));
    return SPK_OK;
}

spk_status spk_exact_peel(spk_context *context, const spk_recording *recording,
                          const spk_peel_options *options, spk_peel_sink *sink, void *user)
{
    peel p = {.parent = context, .recording = recording, .sink = sink, .user = user};
    bool goes_on = true;
    spk_status status = take_options(context, options, &p);
    if (status == SPK_OK)
        status = open_own(&p);
    while (status == SPK_OK && goes_on && spk_recording_events(p.recording).n_events > 0 &&
           (p.options.max_rounds == 0 || p.number < p.options.max_rounds))
        status = run_round(&p, &goes_on);
    const char *message = spk_context_message(p.own);
    if (status == SPK_ERR_CANCELLED && p.number > 0)
        status = spk_fail(context, status, "interrupted in round %" PRIu32 " of peeling", p.number);
    else if (status != SPK_OK && message[0] != '\0')
        status = spk_fail(context, status, "%s", message);
    spk_recording_free(p.reduced);
    spk_context_free(p.own);
    return status;
}
