/* Which of the listed results are rows: selection, and the best member of each family. */

#include "analysis/analysis.h"
#include "base/memory.h"

/* The listed results as a list of their own, with the score of each. */
typedef struct listed {
    spk_results results;
    spk_episode_columns episodes; /* where all are listed, they are borrowed */
    spk_pattern_columns patterns;
    uint32_t *score; /* NULL: a test gave none */
    uint8_t *aside;  /* 1: it may be no sequence (column meaning); NULL with the score */
    uint64_t *chosen;
    uint64_t n_chosen;
} listed;

static void free_listed(listed *l)
{
    spk_results_free(&l->results);
    spk_free_all(l->score, l->aside, l->chosen);
}

bool spk_analysis_lists_all(const spk_analysis *a)
{
    for (uint64_t k = 0; k < a->n_rows; k++)
        if (a->number[k] != k)
            return false;
    return a->n_rows == spk_results_count(&a->all);
}

static spk_status list_rows(const spk_analysis *a, listed *out)
{
    *out = (listed){.n_chosen = 0};
    spk_status status = spk_alloc(a->context, &out->chosen, a->n_rows, "a selection");
    if (status == SPK_OK && a->score != NULL)
        status = spk_alloc_columns(a->context, "a selection", SPK_COLUMN(&out->score, a->n_rows),
                                   SPK_COLUMN_ZERO(&out->aside, a->n_rows));
    for (uint64_t k = 0; k < a->n_rows && status == SPK_OK && a->score != NULL; k++) {
        out->score[k] = a->score[a->number[k]];
        out->aside[k] = a->exact.means != NULL && a->exact.means[a->number[k]] != 0;
    }
    if (status != SPK_OK || !spk_analysis_lists_all(a))
        return status == SPK_OK
                   ? spk_results_pick(a->context, &a->all, a->number, a->n_rows, &out->results)
                   : status;
    out->episodes = spk_results_episodes(&a->all);
    out->patterns = spk_results_patterns(&a->all);
    out->results = (spk_results){
        .search = a->search, .episode_batch = &out->episodes, .pattern_batch = &out->patterns};
    return SPK_OK;
}

static void leave_chosen(spk_analysis *a, listed *l)
{
    for (uint64_t k = 0; k < l->n_chosen; k++)
        l->chosen[k] = a->number[l->chosen[k]];
    for (uint64_t k = 0; k < l->n_chosen; k++)
        a->number[k] = l->chosen[k];
    a->n_rows = l->n_chosen;
}

static spk_status select_rows(spk_analysis *a)
{
    listed l;
    spk_select_options options = a->select;
    spk_status status = list_rows(a, &l);
    options.score = l.score;
    options.among = NULL;
    options.top = a->options.families ? 0 : options.top; /* else of families */
    if (status == SPK_OK)
        status = spk_results_select(a->context, &l.results, &options, l.chosen, &l.n_chosen);
    if (status == SPK_OK)
        leave_chosen(a, &l);
    free_listed(&l);
    return status;
}

static spk_status take_families(spk_analysis *a)
{
    listed l;
    spk_family_options options;
    spk_family_options_init(&options, sizeof options);
    options.core_units = a->select.distinct_units < 2 ? 0 : a->select.distinct_units;
    spk_status status = list_rows(a, &l);
    options.score = l.score;
    options.aside = l.aside;
    if (status == SPK_OK)
        status = spk_results_group(a->context, &l.results, &options, &a->families);
    if (status == SPK_OK) {
        a->family_columns = spk_families_columns(a->families);
        a->columns.families = &a->family_columns;
        const uint64_t n = a->family_columns.n, top = a->select.top;
        for (l.n_chosen = 0; l.n_chosen < n && (top == 0 || l.n_chosen < top); l.n_chosen++)
            l.chosen[l.n_chosen] = a->family_columns.family[l.n_chosen].best;
        leave_chosen(a, &l);
    }
    free_listed(&l);
    return status;
}

spk_status spk_analysis_select(spk_analysis *a)
{
    const spk_select_options *o = &a->select;
    spk_status status = SPK_OK;
    a->columns.n_listed = a->n_rows;
    if (o->min_size > 0 || o->distinct_units > 0 || o->maximal || o->closed || o->top > 0)
        status = select_rows(a);
    return status == SPK_OK && a->options.families ? take_families(a) : status;
}
