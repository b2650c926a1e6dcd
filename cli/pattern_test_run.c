/* The test of patterns against surrogates: mines, makes surrogates, compares, selects, writes. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "pattern_job.h"
#include "surrogate_options.h"

typedef struct test_run {
    pattern_job *job;
    spk_pattern_summary summary;
    spk_pattern_list *list;
    spk_spectrum *spectrum;
    spk_maxima *maxima;
    spk_signature *signature;
    spk_pvalue *pvalue;
    uint8_t *keep;
    double *stability; /* intensional, then extensional */
    spk_significance found;
    spk_families *families; /* of rows; NULL: rows are patterns */
} test_run;

/* ---- surrogates ------------------------------------------------------------------------------ */

static spk_maxima_options maxima_options(const pattern_job *j, const spk_window_options *windows)
{
    const pattern_test_plan *plan = &j->test;
    spk_maxima_options options;
    spk_maxima_options_init(&options, sizeof options);
    options.windows = windows;
    options.patterns = &j->options;
    options.surrogates = &plan->surrogates;
    options.n_surrogates = j->v->test.n_surrogates;
    options.by_duration = j->v->spectrum == SPECTRUM_3D;
    if (plan->n_shards > 0) {
        options.shard = plan->shard;
        options.n_shards = plan->n_shards;
    }
    options.checkpoint = j->v->test.checkpoint;
    return options;
}

/* Makes the surrogates and their maxima, or reads them. */
static spk_status get_maxima(pattern_job *j, spk_maxima **out)
{
    spk_context *context = j->session->context;
    const char *path = j->v->test.maxima;
    spk_window_options windows = pattern_job_windows(j);
    spk_maxima_options options = maxima_options(j, &windows);
    spk_status status = SPK_OK;
    if (path != NULL) {
        status = spk_maxima_read(context, path, out);
        return status == SPK_OK ? spk_maxima_check(context, *out, j->recording, &options) : status;
    }
    cli_surrogate_warn(j->session, &j->test.surrogates);
    cli_interrupt_keep(true); /* for the checkpoint, and the message that tells how far it came */
    status = spk_maxima_run(context, j->recording, &options, out);
    cli_interrupt_keep(false);
    return status;
}

static int run_shard(pattern_job *j)
{
    spk_maxima *maxima = NULL;
    spk_status status = get_maxima(j, &maxima);
    status = cli_shard_write(j->session, status, maxima, j->v->output);
    spk_maxima_free(maxima);
    return cli_report(j->session, status);
}

/* ---- signatures ------------------------------------------------------------------------------ */

static spk_status test_signatures(test_run *t)
{
    pattern_job *j = t->job;
    spk_context *context = j->session->context;
    spk_pattern_columns patterns = spk_pattern_list_columns(t->list);
    const spk_spectrum_entry *entries = NULL;
    spk_significance *found = &t->found;
    spk_maxima_columns maxima = spk_maxima_columns_of(t->maxima);
    spk_status status = spk_spectrum_create(context, maxima.by_duration, &t->spectrum);
    if (status == SPK_OK)
        status = spk_spectrum_add(t->spectrum, &patterns);
    if (status == SPK_OK)
        status = spk_spectrum_entries(t->spectrum, &entries, &found->n_signatures);
    if (status != SPK_OK)
        return status;
    t->signature = calloc((size_t)found->n_signatures + 1, sizeof *t->signature);
    if (t->signature == NULL)
        return SPK_ERR_MEMORY;
    j->test.rule.min_spikes = j->options.min_spikes;
    j->test.rule.support = j->options.support;
    status = spk_signatures_test(context, &maxima, entries, found->n_signatures, &j->test.rule,
                                 t->signature);
    spk_pvalue_options listed;
    spk_pvalue_options_init(&listed, sizeof listed);
    listed.min_spikes = j->options.min_spikes;
    listed.support = j->options.support;
    listed.supports = j->options.supports;
    listed.published = j->test.rule.published;
    if (status == SPK_OK)
        status = spk_pvalue_spectrum(context, &maxima, &listed, &t->pvalue, &found->n_pvalues);
    found->by_duration = maxima.by_duration;
    found->n_surrogates = maxima.n;
    found->signature = t->signature;
    found->pvalue = t->pvalue;
    return status;
}

/* ---- selection ------------------------------------------------------------------------------- */

/* keep[i]: whether pattern i is significant. */
static spk_status find_significant(test_run *t)
{
    spk_pattern_columns patterns = spk_pattern_list_columns(t->list);
    t->keep = calloc((size_t)patterns.n + 1, 1);
    if (t->keep == NULL)
        return SPK_ERR_MEMORY;
    spk_status status =
        spk_pattern_spectrum_filter(t->job->session->context, &patterns, t->signature,
                                    t->found.n_signatures, t->found.by_duration, t->keep);
    t->found.n_patterns = patterns.n;
    for (uint64_t i = 0; i < patterns.n; i++)
        t->found.n_significant += t->keep[i];
    return status;
}

/* `list` in an order of its own, with the significant patterns only. */
static spk_status copy_significant(const test_run *t, spk_pattern_list **out)
{
    spk_pattern_columns patterns = spk_pattern_list_columns(t->list);
    spk_status status = spk_pattern_list_create(t->job->session->context, patterns.window, out);
    if (status == SPK_OK)
        status = spk_pattern_list_add(*out, &patterns);
    if (status == SPK_OK)
        spk_pattern_list_keep(*out, t->keep);
    return status;
}

/* kept[i] for the patterns of `list`, which are significant. */
static spk_status reduce(test_run *t, const spk_pattern_list *list, uint8_t *kept)
{
    pattern_job *j = t->job;
    spk_pattern_columns patterns = spk_pattern_list_columns(list);
    spk_maxima_columns maxima = spk_maxima_columns_of(t->maxima);
    spk_reduce_options options;
    spk_reduce_options_init(&options, sizeof options);
    options.h = (int32_t)j->test.reduce[0];
    options.k = (int32_t)j->test.reduce[1];
    options.l = (int32_t)j->test.reduce[2];
    options.min_spikes = j->options.min_spikes;
    options.support = j->options.support;
    options.supports = j->options.supports;
    options.maxima = &maxima;
    options.signatures = t->signature;
    options.n_signatures = t->found.n_signatures;
    options.published = j->test.rule.published;
    spk_status status =
        spk_pattern_reduce(j->session->context, j->windows, &patterns, &options, kept);
    for (uint64_t i = 0; i < patterns.n && status == SPK_OK; i++)
        t->found.n_kept += kept[i];
    t->found.reduction = j->v->test.reduce;
    return status;
}

/* The reduction looks at significant patterns only. Where all patterns are listed, a column tells
 * which it keeps; else the others go. */
static spk_status reduce_patterns(test_run *t)
{
    bool all = t->job->v->test.report == REPORT_ALL;
    spk_pattern_list *significant = NULL;
    uint64_t n = spk_pattern_list_columns(t->list).n;
    uint8_t *kept = calloc((size_t)n + 1, 1);
    spk_status status = kept == NULL ? SPK_ERR_MEMORY : SPK_OK;
    if (status == SPK_OK && all)
        status = copy_significant(t, &significant);
    if (status == SPK_OK)
        status = reduce(t, all ? significant : t->list, kept);
    if (status == SPK_OK && all) {
        uint64_t at = 0;
        for (uint64_t i = 0; i < n; i++)
            t->keep[i] = t->keep[i] != 0 ? kept[at++] : 0;
        t->found.kept = t->keep;
    } else if (status == SPK_OK) {
        spk_pattern_list_keep(t->list, kept);
    }
    spk_pattern_list_free(significant);
    free(kept);
    return status;
}

static spk_status measure_stability(test_run *t)
{
    spk_pattern_columns patterns = spk_pattern_list_columns(t->list);
    t->stability = calloc(2 * (size_t)patterns.n + 1, sizeof *t->stability);
    if (t->stability == NULL)
        return SPK_ERR_MEMORY;
    t->found.stability = t->job->v->test.stability;
    t->found.intensional = t->stability;
    t->found.extensional = t->stability + patterns.n;
    return spk_pattern_stability(t->job->session->context, t->job->windows, &patterns,
                                 &t->job->test.stability, t->stability, t->stability + patterns.n);
}

/* Leaves the patterns that are listed, in an order of their own. */
static spk_status select_patterns(test_run *t)
{
    const pattern_job *j = t->job;
    bool all = j->v->test.report == REPORT_ALL;
    spk_status status = all ? spk_pattern_list_sort(t->list) : SPK_OK;
    if (status == SPK_OK)
        status = find_significant(t);
    if (status == SPK_OK && !all) {
        spk_pattern_list_keep(t->list, t->keep);
        status = spk_pattern_list_sort(t->list);
    }
    if (status == SPK_OK && j->test.reduces)
        status = reduce_patterns(t);
    if (status == SPK_OK && cli_select_wanted(&j->v->select))
        status = cli_pattern_list_select(j->session, &j->v->select, j->windows, &t->list,
                                         t->found.kept != NULL ? t->keep : NULL, &t->families);
    if (status == SPK_OK && j->test.wants_stability)
        status = measure_stability(t);
    t->found.n_rows = spk_pattern_list_columns(t->list).n;
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

/* With this number of surrogates, a signature that none of them reaches is significant: its p-value
 * is then at most the smallest level that the correction asks for. */
static double enough_surrogates(const pattern_test_plan *plan, uint64_t n_signatures)
{
    double share = plan->rule.alpha / (double)n_signatures;
    if (strcmp(plan->rule.correction, "fdr-by") == 0)
        share /= 1 + log((double)n_signatures);
    if (strcmp(plan->rule.correction, "fdr-tsbky") == 0)
        share /= 1 + plan->rule.alpha;
    return ceil(1 / share);
}

static void tell_too_few(const test_run *t)
{
    const pattern_test_plan *plan = &t->job->test;
    const spk_significance *found = &t->found;
    const double least = 1 / (1 + (double)found->n_surrogates);
    uint64_t n = 0;
    for (uint64_t k = 0; k < found->n_signatures; k++)
        n += t->signature[k].n_above == 0 && !t->signature[k].significant;
    if (least > plan->rule.alpha)
        cli_note(t->job->session,
                 "%" PRIu64 " surrogates are too few for alpha %g: no p-value can be below %.3g",
                 found->n_surrogates, plan->rule.alpha, least);
    else if (n > 0)
        cli_note(t->job->session,
                 "no surrogate reaches %" PRIu64 " of the signatures that are not significant: "
                 "their p-value, %.3g, is the smallest that %" PRIu64 " surrogates give, and the "
                 "correction for %" PRIu64 " tests asks for less; %.0f surrogates are enough",
                 n, least, found->n_surrogates, found->n_signatures,
                 enough_surrogates(plan, found->n_signatures));
}

static void tell_verdict(const test_run *t)
{
    const pattern_test_plan *plan = &t->job->test;
    const spk_significance *found = &t->found;
    uint64_t significant = 0;
    for (uint64_t k = 0; k < found->n_signatures; k++)
        significant += t->signature[k].significant;
    cli_note(t->job->session,
             "%" PRIu64 " surrogates (%s, seed %" PRIu64 "): %" PRIu64 " of %" PRIu64
             " signatures and %" PRIu64 " of %" PRIu64 " patterns are significant at alpha %g (%s)",
             found->n_surrogates, plan->surrogates.method, plan->surrogates.seed, significant,
             found->n_signatures, found->n_significant, found->n_patterns, plan->rule.alpha,
             plan->rule.correction);
    if (plan->reduces)
        cli_note(t->job->session, "the reduction keeps %" PRIu64 " of %" PRIu64, found->n_kept,
                 found->n_significant);
    if (!plan->rule.published)
        tell_too_few(t);
}

static spk_status write_pvalues(const test_run *t)
{
    pattern_job *j = t->job;
    spk_pvalue_writer *writer = NULL;
    spk_provenance provenance = pattern_job_provenance(j, &t->summary);
    if (j->v->test.pvalues == NULL)
        return SPK_OK;
    spk_status status =
        spk_pvalue_writer_open(j->session->context, j->v->test.pvalues, (spk_format)j->v->format,
                               j->recording, &t->found, &writer);
    if (status == SPK_OK)
        status = spk_pvalue_writer_add(writer);
    if (status == SPK_OK)
        return cli_allow_pipe(spk_pvalue_writer_commit(writer, &provenance));
    spk_pvalue_writer_discard(writer);
    return cli_allow_pipe(status);
}

static int write_results(test_run *t)
{
    pattern_job *j = t->job;
    pattern_outputs out;
    spk_pattern_columns patterns = spk_pattern_list_columns(t->list);
    spk_status status = write_pvalues(t);
    if (status != SPK_OK)
        return cli_report(j->session, status);
    t->summary.n_reported = patterns.n;
    status = pattern_outputs_open(j, &t->found, &out);
    cli_interrupt_keep(status == SPK_OK);
    if (status == SPK_OK && t->families != NULL) {
        spk_family_columns families = spk_families_columns(t->families);
        status = pattern_outputs_set_families(&out, &families);
    }
    if (status == SPK_OK)
        status = pattern_outputs_add_all(&out, &patterns);
    int code = status == SPK_OK ? pattern_outputs_commit(j, &out, &t->summary)
                                : pattern_outputs_keep(j, &out, &t->summary, status);
    cli_interrupt_keep(false);
    pattern_outputs_discard(&out);
    return code;
}

static int run_test(test_run *t)
{
    pattern_job *j = t->job;
    spk_significance_init(&t->found, sizeof t->found);
    t->found.method = j->test.surrogates.method;
    t->found.dither = j->test.surrogates.dither;
    t->found.seed = j->test.surrogates.seed;
    t->found.alpha = j->test.rule.alpha;
    t->found.correction = j->test.rule.correction;
    t->found.published = j->test.rule.published;
    spk_status status = SPK_OK;
    if (j->v->test.maxima != NULL) /* they may be those of another job: told before any work */
        status = get_maxima(j, &t->maxima);
    int code = status == SPK_OK ? pattern_job_mine_all(j, &t->list, &t->summary)
                                : cli_report(j->session, status);
    if (code != CLI_DONE)
        return code;
    if (t->maxima == NULL)
        status = get_maxima(j, &t->maxima);
    if (status == SPK_OK)
        status = test_signatures(t);
    if (status == SPK_OK)
        status = select_patterns(t);
    if (status != SPK_OK)
        return cli_report(j->session, status);
    tell_verdict(t);
    return write_results(t);
}

int pattern_test_run(pattern_job *j)
{
    test_run t = {.job = j, .summary = {.engine = ""}};
    if (j->test.n_shards > 0)
        return run_shard(j);
    int code = run_test(&t);
    free(t.keep);
    free(t.stability);
    free(t.signature);
    free(t.pvalue);
    spk_maxima_free(t.maxima);
    spk_spectrum_free(t.spectrum);
    spk_pattern_list_free(t.list);
    spk_families_free(t.families);
    return code;
}
