/* An analysis: its steps in order, and what is left of them. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/memory.h"
#include "base/options.h"

/* ---- life ------------------------------------------------------------------------------------ */

/* What is needed until rows are there. */
static void free_work(spk_analysis *a)
{
    spk_results_free(&a->all);
    spk_exact_findings_free(&a->exact);
    spk_free_all(a->compared, a->score, a->number);
    a->compared = NULL;
    a->score = NULL;
    a->number = NULL;
}

static void free_rows(spk_analysis *a)
{
    spk_results_free(&a->rows);
    spk_exact_rows_free(&a->exact_rows);
    free(a->compare_rows);
    spk_signature_findings_free(&a->signatures);
    spk_families_free(a->families);
    spk_given_free(&a->given);
    for (size_t k = 0; k < sizeof a->text / sizeof a->text[0]; k++)
        free(a->text[k]);
}

static void free_all(spk_analysis *a)
{
    free_work(a);
    free_rows(a);
    spk_maxima_free(a->maxima);
    spk_windows_free(a->windows);
}

/* As it was made. */
static void begin(spk_analysis *a)
{
    spk_context *context = a->context;
    free_all(a);
    *a = (spk_analysis){.context = context, .columns = {.last_p = NAN}};
    spk_exact_report_init(&a->exact_report, sizeof a->exact_report);
    spk_compare_report_init(&a->compare_report, sizeof a->compare_report);
    spk_significance_init(&a->significance, sizeof a->significance);
}

spk_status spk_analysis_create(spk_context *context, spk_analysis **out)
{
    spk_status status = spk_alloc_zero(context, out, 1, "an analysis");
    if (status != SPK_OK)
        return status;
    (*out)->context = context;
    begin(*out);
    return SPK_OK;
}

void spk_analysis_free(spk_analysis *a)
{
    if (a == NULL)
        return;
    free_all(a);
    free(a);
}

const spk_analysis_columns *spk_analysis_columns_of(const spk_analysis *a)
{
    return a != NULL ? &a->columns : NULL;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool makes_maxima(const spk_analysis *a)
{
    return a->judge != NULL && a->judge->make != NULL;
}

/* They may be those of another job, or of options that make none: told before any work. */
static spk_status take_maxima(spk_analysis *a)
{
    if (a->options.maxima == NULL)
        return makes_maxima(a) && a->judge->can_make != NULL ? a->judge->can_make(a->context, a)
                                                             : SPK_OK;
    a->columns.maxima = a->options.maxima;
    return a->judge->check(a->context, a, a->options.maxima);
}

static spk_status make_maxima(spk_analysis *a)
{
    if (!makes_maxima(a) || a->columns.maxima != NULL)
        return SPK_OK;
    spk_status status = a->judge->make(a->context, a, &a->maxima);
    a->columns.maxima = a->maxima;
    return status;
}

static spk_status cut(spk_analysis *a)
{
    spk_status status = SPK_OK;
    if (a->search.episodes == NULL && a->search.windows == NULL) {
        status = spk_windows_create(a->context, a->search.recording, a->cut, &a->windows);
        a->search.windows = a->windows;
    }
    a->columns.windows = a->search.windows;
    return status;
}

static spk_status search(spk_analysis *a)
{
    const bool streams = spk_analysis_hands_on(a);
    spk_status status = a->given.n > 0 ? spk_given_count(a)
                        : streams      ? spk_analysis_stream(a)
                                       : spk_results_find(a->context, &a->search, &a->all);
    if (status == SPK_OK && !streams && (a->judge == NULL || !a->judge->sorts))
        status = spk_results_sort(&a->all);
    a->columns.episode_summary = a->all.episode_summary;
    a->columns.pattern_summary = a->all.pattern_summary;
    if (status != SPK_OK)
        return status;
    if (!streams)
        a->columns.n_results = a->given.n > 0 ? a->given.n_rows : spk_results_count(&a->all);
    if (a->options.searched != NULL)
        a->options.searched(a->options.user, &a->columns);
    return SPK_OK;
}

/* The results that are listed, in their order. */
static spk_status judge(spk_analysis *a)
{
    const uint64_t n = spk_results_count(&a->all);
    if (n > UINT32_MAX && a->judge != NULL)
        return spk_fail(a->context, SPK_ERR_RANGE, "more than %u results cannot be tested",
                        UINT32_MAX);
    spk_status status =
        spk_alloc(a->context, &a->number, n + a->given.n_rows, "the order of results");
    if (status == SPK_OK && a->judge != NULL)
        return a->judge->test(a);
    for (uint64_t i = 0; i < n && status == SPK_OK; i++)
        a->number[i] = i;
    a->n_rows = status == SPK_OK ? n : 0;
    return status;
}

/* The rows; where they are all results, their list itself. */
static spk_status keep_rows(spk_analysis *a)
{
    spk_status status = SPK_OK;
    if (spk_analysis_lists_all(a)) {
        a->rows = a->all;
        a->all = (spk_results){.search = a->search};
    } else {
        status = spk_results_pick(a->context, &a->all, a->number, a->n_rows, &a->rows);
        a->rows.episode_summary = a->all.episode_summary;
        a->rows.pattern_summary = a->all.pattern_summary;
        a->all.episode_summary = NULL;
        a->all.pattern_summary = NULL;
    }
    return status == SPK_OK && a->judge != NULL ? a->judge->fill(a) : status;
}

static spk_status run_steps(spk_analysis *a)
{
    static spk_status (*const steps[])(spk_analysis *) = {
        take_maxima,        cut,       search,
        make_maxima,        judge,     spk_analysis_select,
        spk_analysis_order, keep_rows, spk_analysis_hand_on,
    };
    spk_status status = SPK_OK;
    for (size_t k = 0; k < sizeof steps / sizeof steps[0] && status == SPK_OK; k++)
        status = steps[k](a);
    return status == SPK_OK ? a->ended : status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

spk_status spk_analysis_run(spk_analysis *a, const spk_recording *recording,
                            const spk_analysis_options *options)
{
    begin(a);
    spk_status status = spk_job_take(a, recording, options);
    if (status == SPK_OK)
        status = a->options.peel ? spk_analysis_peel(a) : run_steps(a);
    if (status != SPK_OK && !a->options.peel && !spk_analysis_hands_on(a)) {
        begin(a);
        return status;
    }
    if (!spk_analysis_hands_on(a)) {
        a->columns.episodes = spk_results_episodes(&a->rows);
        a->columns.patterns = spk_results_patterns(&a->rows);
        a->columns.n = spk_results_count(&a->rows);
        free_work(a);
    }
    return status;
}

spk_status spk_analysis_make_maxima(spk_context *context, const spk_recording *recording,
                                    const spk_analysis_options *options, spk_maxima **out)
{
    spk_analysis a = {.context = context};
    *out = NULL;
    spk_status status = spk_job_take(&a, recording, options);
    if (status == SPK_OK && !makes_maxima(&a))
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "a job without a test against chance has no surrogates: give the options "
                          "of an exact test or of surrogates of signatures");
    if (status == SPK_OK)
        status = a.judge->make(context, &a, out);
    spk_given_free(&a.given);
    return status;
}

/* ---- the calibration of a job ---------------------------------------------------------------- */

spk_status spk_analysis_calibrate(spk_context *context, const spk_recording *recording,
                                  const spk_analysis_options *options,
                                  const spk_calibrate_options *runs, spk_calibration **out)
{
    spk_analysis a = {.context = context};
    spk_calibrate_options own;
    *out = NULL;
    spk_status status = spk_job_take(&a, recording, options);
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(context, runs, &own, spk_calibrate_options);
    if (status != SPK_OK)
        return status;
    if (a.options.exact == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a calibration is of an exact test: give its options");
    if (a.test.n_surrogates == 0)
        a.test.n_surrogates = spk_exact_least_surrogates(a.options.alpha, a.test.n_jitter);
    own.test = &a.test;
    return spk_exact_calibrate(context, recording, &own, out);
}
