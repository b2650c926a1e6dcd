/* What a test says of a result, and results in the units of a report. */
#include <math.h>

#include "base/memory.h"
#include "report/page/page.h"
#include "spikemine/exact.h"

const spk_signature *page_signature(const page *p, uint64_t i)
{
    const spk_significance *test = &p->signatures;
    if (p->options.signatures == NULL)
        return NULL;
    uint32_t last = p->patterns->item[p->patterns->offset[i + 1] - 1] % p->patterns->window;
    return spk_signature_find(test->signature, test->n_signatures, page_size(p, i),
                              p->patterns->count[i], test->by_duration ? last : 0);
}

bool page_is_significant(const page *p, uint64_t i)
{
    if (p->options.exact != NULL)
        return p->exact.verdict[i].p <= p->exact.alpha;
    const spk_signature *signature = page_signature(p, i);
    return signature != NULL && signature->significant &&
           (p->signatures.kept == NULL || p->signatures.kept[i] != 0);
}

double page_ticks_at(spk_rate rate, spk_duration duration)
{
    double ticks = (double)duration.digits * (double)rate.numerator / (double)rate.denominator;
    if (duration.exponent == SPK_DURATION_INFINITE)
        return INFINITY;
    if (duration.divisor > 1)
        ticks /= duration.divisor;
    for (int32_t e = duration.exponent; e < 0; e++)
        ticks /= 10;
    for (int32_t e = duration.exponent; e > 0; e--)
        ticks *= 10;
    return ticks;
}

bool page_has_whole_spectrum(const spk_significance *test)
{
    enum { MOST = 20000 };
    return test->n_signatures + test->n_pvalues <= MOST;
}

void spk_page_largest_scores(const spk_maxima *maxima, double *out)
{
    const spk_exact_columns columns = spk_exact_columns_of(maxima);
    for (uint64_t k = 0; k < columns.n * columns.n_scales; k++)
        out[k] = 0;
    for (uint64_t i = 0; i < columns.n; i++)
        for (uint64_t k = columns.first[i]; k < columns.first[i + 1]; k++) {
            double *largest = &out[i * columns.n_scales + columns.step[k].scale];
            *largest = fmax(*largest, columns.step[k].score / 1000.0);
        }
}

/* ---- which results a report lists, and in which order ---------------------------------------- */

/* What the order begins with: 2 for what a test finds, 1 for what only its reduction drops. */
static spk_status make_scores(const page *p, uint32_t **score)
{
    spk_status status =
        spk_alloc_zero(p->context, score, page_n_results(p), "the rows of a report");
    for (uint64_t i = 0; i < page_n_results(p) && status == SPK_OK; i++) {
        const spk_signature *signature = page_signature(p, i);
        (*score)[i] =
            page_is_significant(p, i) ? 2 : (uint32_t)(signature != NULL && signature->significant);
    }
    return status;
}

/* The best ones first, as many as there may be rows. */
static spk_status choose_best(page *p)
{
    uint32_t *score = NULL;
    spk_select_options options;
    spk_select_options_init(&options, sizeof options);
    options.top = p->n_rows;
    spk_status status = SPK_OK;
    if (p->options.signatures != NULL)
        status = make_scores(p, &score);
    options.score = score;
    if (status == SPK_OK)
        status = p->episodes != NULL
                     ? spk_select_episodes(p->context, p->episodes, &options, p->row, &p->n_rows)
                     : spk_select_patterns(p->context, p->patterns, &options, p->row, &p->n_rows);
    spk_free(p->context, score);
    return status;
}

spk_status page_choose_rows(page *p)
{
    const spk_page_options *o = &p->options;
    const uint64_t n = page_n_results(p);
    spk_status status = spk_alloc(p->context, &p->row, n, "the rows of a report");
    p->n_rows = n < o->max_rows ? n : o->max_rows;
    if (status != SPK_OK || n == 0)
        return status;
    if (p->sequences == NULL && !o->as_listed && o->exact == NULL && o->families == NULL)
        return choose_best(p);
    for (uint64_t k = 0; k < p->n_rows; k++)
        p->row[k] = k;
    return SPK_OK;
}

void page_free_rows(page *p)
{
    spk_free_all(p->row, p->n_found, p->packed);
}
