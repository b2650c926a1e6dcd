/* The published test of patterns: signatures, the spectrum filter, reduction and stability. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/memory.h"
#include "base/options.h"
#include "spikemine/spectrum.h"
#include "spikemine/surrogate.h"

enum { METHOD, CORRECTION, REDUCTION, STABILITY }; /* of `text` */

/* ---- surrogates ------------------------------------------------------------------------------ */

static spk_status check(spk_context *context, const spk_analysis *job, const spk_maxima *maxima)
{
    return spk_maxima_check(context, maxima, job->search.recording, &job->surrogates);
}

static spk_status make(spk_context *context, const spk_analysis *job, spk_maxima **out)
{
    return spk_maxima_run(context, job->search.recording, &job->surrogates, out);
}

/* Surrogates that are not drawn from take a look at each spike, the search many. */
static spk_status can_make(spk_context *context, const spk_analysis *job)
{
    spk_surrogates *surrogates = NULL;
    spk_status status = spk_surrogates_create(context, job->search.recording,
                                              job->surrogates.surrogates, &surrogates);
    spk_surrogates_free(surrogates);
    return status;
}

/* ---- signatures ------------------------------------------------------------------------------ */

/* What the test says of all observed signatures. */
static spk_status test_signatures(spk_analysis *a, const spk_maxima_columns *maxima)
{
    const spk_pattern_columns patterns = spk_results_patterns(&a->all);
    spk_significance *s = &a->significance;
    const spk_spectrum_entry *entries = NULL;
    spk_spectrum *spectrum = NULL;
    spk_status status = spk_spectrum_create(a->context, maxima->by_duration, &spectrum);
    if (status == SPK_OK)
        status = spk_spectrum_add(spectrum, &patterns);
    if (status == SPK_OK)
        status = spk_spectrum_entries(spectrum, &entries, &s->n_signatures);
    if (status == SPK_OK)
        status = spk_alloc_zero(a->context, &a->signatures.signature, s->n_signatures,
                                "the signatures of patterns");
    if (status == SPK_OK)
        status = spk_signatures_test(a->context, maxima, entries, s->n_signatures, &a->rule,
                                     a->signatures.signature);
    spk_spectrum_free(spectrum);
    s->signature = a->signatures.signature;
    return status;
}

static spk_status list_pvalues(spk_analysis *a, const spk_pattern_options *search,
                               const spk_maxima_columns *maxima)
{
    spk_pvalue_options listed;
    spk_pvalue_options_init(&listed, sizeof listed);
    listed.min_spikes = search->min_spikes;
    listed.support = search->support;
    listed.supports = search->supports;
    listed.published = a->rule.published;
    spk_status status = spk_pvalue_spectrum(a->context, maxima, &listed, &a->signatures.pvalue,
                                            &a->significance.n_pvalues);
    a->significance.pvalue = a->signatures.pvalue;
    return status;
}

/* ---- which patterns are listed --------------------------------------------------------------- */

static bool lists_all(const spk_analysis *a)
{
    return a->options.report == SPK_REPORT_ALL;
}

/* The significant patterns into `number`, ascending. Where no others are listed these are all that
 * is left, and all that is put into order: millions were found, and few are significant. */
static spk_status find_significant(spk_analysis *a)
{
    spk_significance *s = &a->significance;
    const spk_pattern_columns patterns = spk_results_patterns(&a->all);
    uint8_t *keep = NULL;
    spk_status status = spk_alloc(a->context, &keep, patterns.n, "significant patterns");
    if (status == SPK_OK)
        status = spk_pattern_spectrum_filter(a->context, &patterns, s->signature, s->n_signatures,
                                             s->by_duration, keep);
    for (uint64_t i = 0; i < patterns.n && status == SPK_OK; i++)
        if (keep[i] != 0) {
            a->number[a->n_rows] = lists_all(a) ? i : a->n_rows;
            a->n_rows++;
        }
    s->n_patterns = patterns.n;
    s->n_significant = a->n_rows;
    if (status == SPK_OK && !lists_all(a)) {
        spk_pattern_list_keep(a->all.patterns, keep);
        status = spk_results_sort(&a->all);
    }
    free(keep);
    return status;
}

/* kept[k] of the k-th significant pattern. */
static spk_status reduce(spk_analysis *a, const spk_pattern_options *search,
                         const spk_maxima_columns *maxima, uint8_t *kept)
{
    const spk_significance *s = &a->significance;
    spk_results significant = {.episodes = NULL};
    spk_reduce_options options;
    spk_status status =
        SPK_OPTIONS_TAKE(a->context, a->options.reduce, &options, spk_reduce_options);
    options.min_spikes = search->min_spikes;
    options.support = search->support;
    options.supports = search->supports;
    options.maxima = maxima;
    options.signatures = s->signature;
    options.n_signatures = s->n_signatures;
    options.published = a->rule.published;
    if (status == SPK_OK)
        status = spk_results_pick(a->context, &a->all, a->number, a->n_rows, &significant);
    if (status == SPK_OK) {
        const spk_pattern_columns patterns = spk_results_patterns(&significant);
        status = spk_pattern_reduce(a->context, a->search.windows, &patterns, &options, kept);
    }
    spk_results_free(&significant);
    return status;
}

/* The reduction looks at significant patterns only: it leaves those that it keeps in `number`, and
 * in signatures.kept which of all they are. */
static spk_status leave_kept(spk_analysis *a, const spk_pattern_options *search,
                             const spk_maxima_columns *maxima)
{
    uint64_t n = 0;
    uint8_t *kept = NULL;
    if (a->options.reduce == NULL)
        return SPK_OK;
    spk_status status =
        spk_alloc_columns(a->context, "the reduction", SPK_COLUMN(&kept, a->n_rows),
                          SPK_COLUMN_ZERO(&a->signatures.kept, spk_results_count(&a->all)));
    if (status == SPK_OK)
        status = reduce(a, search, maxima, kept);
    for (uint64_t k = 0; k < a->n_rows && status == SPK_OK; k++)
        if (kept[k] != 0) {
            a->signatures.kept[a->number[k]] = 1;
            a->number[n++] = a->number[k];
        }
    a->n_rows = n;
    a->significance.n_kept = n;
    free(kept);
    return status;
}

/* Texts of the report, which outlive the options that they are of. */
static spk_status describe(spk_analysis *a)
{
    spk_significance *s = &a->significance;
    const spk_reduce_options *r = a->options.reduce;
    const spk_stability_options *stability = a->options.stability;
    spk_surrogate_options made;
    char text[64];
    spk_status status =
        SPK_OPTIONS_TAKE(a->context, a->surrogates.surrogates, &made, spk_surrogate_options);
    if (status == SPK_OK)
        status = spk_strdup(a->context, &a->text[METHOD], made.method);
    if (status == SPK_OK)
        status = spk_strdup(a->context, &a->text[CORRECTION], a->rule.correction);
    if (status == SPK_OK && r != NULL) {
        snprintf(text, sizeof text, "%d,%d,%d", r->h, r->k, r->l);
        status = spk_strdup(a->context, &a->text[REDUCTION], text);
    }
    if (status == SPK_OK && stability != NULL) {
        snprintf(text, sizeof text, "%g,%g", stability->epsilon, stability->delta);
        status = spk_strdup(a->context, &a->text[STABILITY], text);
    }
    s->method = a->text[METHOD];
    s->correction = a->text[CORRECTION];
    s->reduction = a->text[REDUCTION];
    s->stability = a->text[STABILITY];
    s->dither = made.dither;
    s->seed = made.seed;
    s->alpha = a->rule.alpha;
    s->published = a->rule.published;
    return status;
}

static spk_status test(spk_analysis *a)
{
    const spk_maxima_columns maxima = spk_maxima_columns_of(a->columns.maxima);
    spk_pattern_options search;
    spk_status status =
        SPK_OPTIONS_TAKE(a->context, a->search.patterns, &search, spk_pattern_options);
    a->rule.min_spikes = search.min_spikes;
    a->rule.support = search.support;
    a->significance.by_duration = maxima.by_duration;
    a->significance.n_surrogates = maxima.n;
    if (status == SPK_OK)
        status = describe(a);
    if (status == SPK_OK && lists_all(a))
        status = spk_results_sort(&a->all);
    if (status == SPK_OK)
        status = test_signatures(a, &maxima);
    if (status == SPK_OK)
        status = list_pvalues(a, &search, &maxima);
    if (status == SPK_OK)
        status = find_significant(a);
    if (status == SPK_OK)
        status = leave_kept(a, &search, &maxima);
    if (status == SPK_OK && lists_all(a)) {
        a->n_rows = a->significance.n_patterns;
        for (uint64_t i = 0; i < a->n_rows; i++)
            a->number[i] = i;
    }
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static spk_status measure_stability(spk_analysis *a, const spk_pattern_columns *rows)
{
    spk_significance *s = &a->significance;
    if (a->options.stability == NULL)
        return SPK_OK;
    spk_status status =
        spk_alloc(a->context, &a->signatures.stability, 2 * rows->n, "the stability of patterns");
    if (status != SPK_OK)
        return status;
    double *intensional = a->signatures.stability, *extensional = intensional + rows->n;
    s->intensional = intensional;
    s->extensional = extensional;
    return spk_pattern_stability(a->context, a->search.windows, rows, a->options.stability,
                                 intensional, extensional);
}

/* Where all patterns are listed, a column tells which the reduction keeps; else the others went. */
static spk_status fill(spk_analysis *a)
{
    spk_significance *s = &a->significance;
    spk_signature_findings *f = &a->signatures;
    const spk_pattern_columns rows = spk_results_patterns(&a->rows);
    const bool tells_kept = f->kept != NULL && lists_all(a);
    spk_status status =
        spk_alloc_columns(a->context, "the rows of a test", SPK_COLUMN(&f->of_row, rows.n),
                          SPK_COLUMN(&f->row_kept, rows.n));
    for (uint64_t k = 0; k < rows.n && status == SPK_OK; k++) {
        const uint64_t begin = rows.offset[k], end = rows.offset[k + 1];
        const uint32_t duration = s->by_duration ? rows.item[end - 1] % rows.window : 0;
        f->of_row[k] =
            (uint64_t)(spk_signature_find(s->signature, s->n_signatures, (uint32_t)(end - begin),
                                          rows.count[k], duration) -
                       s->signature);
        f->row_kept[k] = tells_kept ? f->kept[a->number[k]] : 1;
    }
    s->n_rows = rows.n;
    s->kept = tells_kept ? f->row_kept : NULL;
    a->columns.signatures = s;
    a->columns.signature = f->of_row;
    return status == SPK_OK ? measure_stability(a, &rows) : status;
}

void spk_signature_findings_free(spk_signature_findings *f)
{
    spk_free_all(f->signature, f->pvalue, f->kept, f->of_row, f->row_kept, f->stability);
    *f = (spk_signature_findings){.signature = NULL};
}

const spk_judge spk_signature_judge = {check, make, can_make, test, fill, .sorts = true};
