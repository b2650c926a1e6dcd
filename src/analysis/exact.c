/* The exact test of all results of a search: what a part explains, meanings, the order of rows. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/sort.h"

/* ---- surrogates ------------------------------------------------------------------------------ */

static spk_status check(spk_context *context, const spk_analysis *job, const spk_maxima *maxima)
{
    return spk_exact_check(context, maxima, job->search.recording, &job->test);
}

static spk_status make(spk_context *context, const spk_analysis *job, spk_maxima **out)
{
    return spk_exact_run(context, job->search.recording, &job->test, out);
}

/* ---- findings -------------------------------------------------------------------------------- */

/* Rows that are not significant have a direction, too. */
static bool tells_all_directions(const spk_analysis *a)
{
    return a->all.episodes != NULL && (a->given.n > 0 || a->options.report == SPK_REPORT_ALL);
}

static spk_status make_findings(spk_analysis *a, uint64_t n)
{
    spk_exact_findings *f = &a->exact;
    spk_stage stage = spk_stage_open(a->context);
    spk_status status = spk_alloc_columns(
        a->context, "the test", SPK_COLUMN(&f->verdict, n),
        SPK_COLUMN(&f->scale_p, n * a->test.n_jitter), SPK_COLUMN(&f->left_out, n),
        SPK_COLUMN(&f->means, n), SPK_COLUMN_ZERO(&f->direction_p, n), SPK_COLUMN(&a->score, n));
    if (status == SPK_OK && tells_all_directions(a))
        status = spk_alloc(a->context, &f->direction, n, "the directions of results");
    spk_stage_keep(a->context, &stage, &f->holding);
    return status;
}

void spk_exact_findings_free(spk_exact_findings *f)
{
    spk_free_all(f->verdict, f->scale_p, f->left_out, f->means, f->direction_p, f->direction);
    spk_holding_release(&f->holding);
    *f = (spk_exact_findings){.verdict = NULL};
}

static bool is_significant(const spk_analysis *a, uint64_t i)
{
    return a->exact.verdict[i].p <= a->options.alpha;
}

/* Of significant results, whether a part explains them. */
static spk_status explain(spk_analysis *a, uint64_t n)
{
    spk_exact_findings *f = &a->exact;
    uint64_t *number = a->number, n_significant = 0;
    double *part_p = NULL;
    uint32_t *left_out = NULL;
    for (uint64_t i = 0; i < n; i++) {
        f->left_out[i] = SPK_NOT_EXPLAINED;
        if (is_significant(a, i))
            number[n_significant++] = i;
    }
    spk_status status =
        spk_alloc_columns(a->context, "the parts of results", SPK_COLUMN(&part_p, n_significant),
                          SPK_COLUMN(&left_out, n_significant));
    if (status == SPK_OK)
        status = spk_results_explain(a->context, &a->all, &a->test, f->verdict, number,
                                     n_significant, part_p, left_out);
    for (uint64_t k = 0; k < n_significant && status == SPK_OK; k++)
        if (part_p[k] > a->options.alpha)
            f->left_out[number[k]] = left_out[k];
    free(part_p);
    free(left_out);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The least likely first; with one p, what may be no sequence comes last; of equal ones the
 * search's order. */
static int compare_verdicts(const void *context, uint32_t a, uint32_t b)
{
    const spk_exact_findings *f = context;
    const spk_exact_verdict *x = &f->verdict[a], *y = &f->verdict[b];
    return SPK_BY(SPK_UP(x->p, y->p), SPK_UP(f->means[a] != 0, f->means[b] != 0),
                  SPK_DOWN(x->score, y->score), SPK_UP(a, b));
}

static bool is_listed(const spk_analysis *a, uint64_t i)
{
    if (a->options.report == SPK_REPORT_ALL)
        return true;
    return is_significant(a, i) &&
           (a->options.report != SPK_REPORT_CORE || a->exact.left_out[i] == SPK_NOT_EXPLAINED);
}

static spk_status choose_rows(spk_analysis *a, uint64_t n)
{
    uint32_t *index = NULL;
    uint64_t n_rows = 0;
    if (a->given.n > 0) {
        memcpy(a->number, a->given.of_row, a->given.n_rows * sizeof *a->number);
        a->n_rows = a->given.n_rows;
        return SPK_OK;
    }
    spk_status status = spk_alloc(a->context, &index, n, "the order of results");
    for (uint64_t i = 0; i < n && status == SPK_OK; i++)
        if (is_listed(a, i))
            index[n_rows++] = (uint32_t)i;
    if (status == SPK_OK)
        status = spk_sort_indices(a->context, n_rows, index, compare_verdicts, &a->exact);
    for (uint64_t k = 0; k < n_rows && status == SPK_OK; k++)
        a->number[k] = index[k];
    a->n_rows = n_rows;
    free(index);
    return status;
}

/* What the test says of all results together. */
static void count_findings(spk_analysis *a, uint64_t n)
{
    spk_exact_report *r = &a->exact_report;
    for (uint64_t i = 0; i < n; i++) {
        r->n_tested += a->exact.verdict[i].tested;
        r->n_significant += is_significant(a, i);
        a->columns.n_plain += is_significant(a, i) && a->exact.means[i] == 0;
        r->n_core += is_significant(a, i) && a->exact.left_out[i] == SPK_NOT_EXPLAINED;
        a->score[i] = a->exact.verdict[i].score;
        for (int k = 0; k < 3; k++)
            a->columns.n_meanings[k] += (a->exact.means[i] >> k) & 1u;
    }
}

/* All results get their means; given ones are tested without what stands beside them. */
static spk_status judge(spk_analysis *a)
{
    spk_exact_findings *f = &a->exact;
    spk_episode_columns given = spk_results_episodes(&a->all);
    spk_status status =
        spk_results_test(a->context, &a->all, &a->test, a->columns.maxima, f->verdict, f->scale_p);
    if (status != SPK_OK || a->given.n == 0)
        return status;
    for (uint64_t i = a->given.n; i < given.n; i++)
        f->verdict[i].tested = false, f->verdict[i].p = 1;
    given.n = a->given.n;
    const spk_results tested = {.search = a->search, .episode_batch = &given};
    return spk_results_test(a->context, &tested, &a->test, a->columns.maxima, f->verdict,
                            f->scale_p);
}

static spk_status direct(spk_analysis *a)
{
    spk_exact_findings *f = &a->exact;
    const spk_episode_columns episodes = spk_results_episodes(&a->all);
    if (f->direction == NULL)
        return SPK_OK;
    spk_status status = spk_exact_direct_episodes(a->context, a->search.recording, &a->test,
                                                  &episodes, f->verdict, f->direction);
    for (uint64_t i = 0; i < episodes.n && status == SPK_OK; i++)
        f->direction_p[i] = f->direction[i].p;
    return status;
}

static spk_status test(spk_analysis *a)
{
    spk_exact_findings *f = &a->exact;
    const uint64_t n_all = spk_results_count(&a->all), n = a->given.n > 0 ? a->given.n : n_all;
    spk_status status = make_findings(a, n_all);
    if (status == SPK_OK)
        status = judge(a);
    if (status == SPK_OK)
        status = explain(a, n);
    if (status == SPK_OK)
        status = spk_results_interpret(a->context, &a->all, &a->test, a->options.alpha, f->verdict,
                                       f->means, f->direction_p);
    if (status == SPK_OK)
        status = direct(a);
    if (status == SPK_OK)
        status = choose_rows(a, n);
    if (status == SPK_OK)
        count_findings(a, n);
    return status;
}

static spk_status fill(spk_analysis *a)
{
    const spk_exact_findings *f = &a->exact;
    const bool episodes = a->rows.episodes != NULL;
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < a->n_rows && status == SPK_OK; k++) {
        const uint64_t i = a->number[k];
        const spk_episode_columns episode = spk_results_episode(&a->rows, k);
        const spk_pattern_columns pattern = spk_results_pattern(&a->rows, k);
        const spk_peel_round row = {.recording = a->search.recording,
                                    .episode = episodes ? &episode : NULL,
                                    .pattern = episodes ? NULL : &pattern,
                                    .verdict = f->verdict[i],
                                    .scale_p = f->scale_p + i * a->test.n_jitter,
                                    .left_out = f->left_out[i],
                                    .means = f->means[i],
                                    .direction_p = f->direction_p[i]};
        status = spk_exact_rows_add(a, &row);
    }
    if (status == SPK_OK)
        status = spk_exact_rows_report(a, spk_exact_columns_of(a->columns.maxima).n);
    return status == SPK_OK && a->given.n > 0 ? spk_given_report(a) : status;
}

const spk_judge spk_exact_judge = {check, make, NULL, test, fill};
