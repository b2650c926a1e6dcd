/* The job of an analysis: its options, checked and completed. */
#include <string.h>

#include "analysis/analysis.h"
#include "base/options.h"

SPK_OPTIONS_INIT(spk_analysis_options, .alpha = SPK_USUAL_ALPHA);

static spk_status check_search(spk_context *context, const spk_analysis_options *o)
{
    const int n = (o->exact != NULL) + (o->signatures != NULL) + (o->episodes != NULL) +
                  (o->patterns != NULL);
    if (n != 1)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "an analysis has one search, not %d: give the options of an exact test, of "
                        "surrogates of signatures, of episodes, or of patterns",
                        n);
    if (o->patterns != NULL && o->cut == NULL && o->windows == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a search for patterns needs windows, or how they are cut");
    if (o->compare != NULL && (o->exact != NULL || o->signatures != NULL))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a comparison goes with a search alone: leave out the other test");
    if ((o->episode_rows != NULL && (o->episodes == NULL || o->compare != NULL)) ||
        (o->pattern_rows != NULL && (o->patterns == NULL || o->compare != NULL)))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "rows are handed on of a search alone, in its language: leave out the sink "
                        "or the test");
    if (o->maxima != NULL && o->exact == NULL && o->signatures == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "maxima are of a test against chance: give its options");
    if (o->exact == NULL && (o->report == SPK_REPORT_CORE || o->peel))
        return spk_fail(context, SPK_ERR_ARGUMENT, "%s is of an exact test: give its options",
                        o->peel ? "peeling" : "a report of core results");
    return SPK_OK;
}

/* What does not go together. */
static spk_status check_peel(spk_context *context, const spk_analysis *a)
{
    const spk_analysis_options *o = &a->options;
    const char *other = !o->peel                      ? NULL
                        : o->report == SPK_REPORT_ALL ? "a report of all results"
                        : o->maxima != NULL           ? "given maxima"
                        : a->select.maximal || a->select.closed || a->select.top > 0
                            ? "a selection from a list"
                        : o->families ? "families"
                                      : NULL;
    return other == NULL
               ? SPK_OK
               : spk_fail(context, SPK_ERR_ARGUMENT,
                          "peeling lists each finding once, hence %s cannot go with it", other);
}

/* The parts of the job that are structs of their own, with the defaults where there is none. */
static spk_status take_parts(spk_analysis *a)
{
    const spk_analysis_options *o = &a->options;
    spk_context *context = a->context;
    spk_status status = SPK_OPTIONS_TAKE(context, o->exact, &a->test, spk_exact_options);
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(context, o->signatures, &a->surrogates, spk_maxima_options);
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(context, o->rule, &a->rule, spk_signature_options);
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(context, o->compare, &a->comparison, spk_compare_options);
    return status == SPK_OK ? SPK_OPTIONS_TAKE(context, o->select, &a->select, spk_select_options)
                            : status;
}

/* The limits of the selection hold for a test, too. */
static void raise_limits(const spk_select_options *select, uint32_t *min_size,
                         uint32_t *distinct_units)
{
    if (select->min_size > *min_size)
        *min_size = select->min_size;
    if (select->distinct_units > *distinct_units)
        *distinct_units = select->distinct_units;
}

/* The null hypothesis by its static name: chosen here where none is given. */
const char *spk_job_null(const spk_recording *recording, const spk_exact_options *t)
{
    const spk_exact_null *null = NULL;
    if (t->null == NULL)
        return spk_exact_null_for(recording, t->jitter, t->n_jitter)->name;
    for (size_t k = 0; (null = spk_exact_null_get(k)) != NULL; k++)
        if (strcmp(null->name, t->null) == 0)
            return null->name;
    return t->null; /* the test tells that there is none */
}

static spk_status complete_test(spk_analysis *a)
{
    spk_exact_options *t = &a->test;
    if (!(a->options.alpha > 0 && a->options.alpha <= 1))
        return spk_fail(a->context, SPK_ERR_ARGUMENT,
                        "an exact test needs an alpha above 0 and at most 1, not %g",
                        a->options.alpha);
    if (t->episodes == NULL && t->patterns == NULL)
        return spk_fail(a->context, SPK_ERR_ARGUMENT,
                        "an exact test needs the options of its search: episodes, or windows and "
                        "patterns");
    if (t->jitter == NULL || t->n_jitter == 0 || t->n_jitter > SPK_EXACT_MAX_SCALES)
        return spk_fail(a->context, SPK_ERR_ARGUMENT,
                        "an exact test needs 1 to %u windows of jitter, not %zu",
                        SPK_EXACT_MAX_SCALES, t->jitter != NULL ? t->n_jitter : 0);
    memcpy(a->jitter, t->jitter, t->n_jitter * sizeof *t->jitter);
    t->null = spk_job_null(a->search.recording, t);
    raise_limits(&a->select, &t->min_size, &t->distinct_units);
    return spk_given_take(a);
}

static void find_search(spk_analysis *a, const spk_recording *recording)
{
    const spk_analysis_options *o = &a->options;
    const bool exact = o->exact != NULL, signatures = o->signatures != NULL;
    a->judge = exact                ? &spk_exact_judge
               : signatures         ? &spk_signature_judge
               : o->compare != NULL ? &spk_compare_judge
                                    : NULL;
    a->search = (spk_search){.recording = recording,
                             .episodes = exact ? a->test.episodes : o->episodes,
                             .patterns = exact        ? a->test.patterns
                                         : signatures ? a->surrogates.patterns
                                                      : o->patterns,
                             .windows = o->windows};
    a->cut = exact ? a->test.windows : signatures ? a->surrogates.windows : o->cut;
}

spk_status spk_job_take(spk_analysis *a, const spk_recording *recording,
                        const spk_analysis_options *options)
{
    spk_status status = SPK_OPTIONS_TAKE(a->context, options, &a->options, spk_analysis_options);
    if (status == SPK_OK)
        status = check_search(a->context, &a->options);
    if (status == SPK_OK)
        status = take_parts(a);
    if (status == SPK_OK)
        status = check_peel(a->context, a);
    if (status == SPK_OK)
        status = spk_analysis_check_order(a->context, &a->options);
    if (status == SPK_OK)
        find_search(a, recording);
    raise_limits(&a->select, &a->comparison.min_size, &a->comparison.distinct_units);
    if (status == SPK_OK && a->options.exact != NULL)
        status = complete_test(a);
    return status;
}
