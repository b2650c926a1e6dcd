/* Which results a report lists, and in which order. */
#include "report/page/page.h"

#include "base/memory.h"

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
