/*
 * Given episodes in place of those that a search finds.
 *
 *     given       A -> B, C -> D -> E, A -> B        rows, as they stand
 *     tested      A -> B, C -> D -> E                each once
 *     beside      B -> A, C -> D, D -> C, D -> E, E -> D
 *
 * What stands beside has its count and its mean, for the test of directions; surrogates are not
 * searched for it, and p does not take it into account.
 */

#include "analysis/analysis.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/sort.h"

/* ---- each once ------------------------------------------------------------------------------- */

static int compare_positions(const spk_episode_columns *e, uint64_t x, uint64_t y, bool first)
{
    return SPK_BY(SPK_UP(e->unit[x], e->unit[y]), first ? 0 : SPK_UP(e->delay[x], e->delay[y]));
}

static int compare_texts(const spk_episode_columns *e, uint32_t a, uint32_t b)
{
    const uint64_t size_a = e->offset[a + 1] - e->offset[a],
                   size_b = e->offset[b + 1] - e->offset[b];
    int order = (size_a > size_b) - (size_a < size_b);
    for (uint64_t p = 0; order == 0 && p < size_a; p++)
        order = compare_positions(e, e->offset[a] + p, e->offset[b] + p, p == 0);
    return order;
}

/* Equal episodes side by side, in the order of the list. */
static int compare_episodes(const void *user, uint32_t a, uint32_t b)
{
    const int order = compare_texts(user, a, b);
    return order != 0 ? order : (a > b) - (a < b);
}

/* same[i]: the first episode of the list that equals episode i. */
static spk_status find_same(spk_context *context, const spk_episode_columns *e, uint32_t *same)
{
    uint32_t *order = NULL;
    spk_status status = spk_alloc(context, &order, e->n, "the given episodes");
    for (uint64_t i = 0; i < e->n && status == SPK_OK; i++)
        order[i] = (uint32_t)i;
    if (status == SPK_OK)
        status = spk_sort_indices(context, e->n, order, compare_episodes, e);
    for (uint64_t k = 0; k < e->n && status == SPK_OK; k++)
        same[order[k]] =
            k > 0 && compare_texts(e, order[k - 1], order[k]) == 0 ? same[order[k - 1]] : order[k];
    spk_free(context, order);
    return status;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* The given episodes, then their steps between different units and the opposites of these. */
static spk_status list_all(spk_context *context, const spk_episode_columns *given,
                           spk_episode_list *all)
{
    spk_status status = spk_episode_list_add(all, given);
    for (uint64_t i = 0; i < given->n && status == SPK_OK; i++)
        for (uint64_t k = given->offset[i] + 1; k < given->offset[i + 1]; k++) {
            const uint32_t there[2] = {given->unit[k - 1], given->unit[k]};
            const uint32_t back[2] = {there[1], there[0]};
            const spk_delay *delay = &given->delays[given->delay[k]];
            if (there[0] == there[1])
                continue;
            status = spk_episode_list_append(context, all, 2, there, delay);
            if (status == SPK_OK)
                status = spk_episode_list_append(context, all, 2, back, delay);
            if (status != SPK_OK)
                break;
        }
    return status;
}

/* Takes over of `all` each episode once; rows are the first ones. */
static spk_status take_different(spk_context *context, const spk_episode_columns *all,
                                 spk_given *out)
{
    uint32_t *same = NULL;
    uint64_t *number = NULL, n = 0;
    spk_status status = spk_alloc_columns(context, "the given episodes", SPK_COLUMN(&same, all->n),
                                          SPK_COLUMN(&number, all->n));
    if (status == SPK_OK)
        status = find_same(context, all, same);
    for (uint64_t i = 0; i < all->n && status == SPK_OK; i++) {
        spk_episode_columns one = *all;
        one.n = 1, one.offset += i, one.count += i;
        number[i] = same[i] == i ? n++ : number[same[i]];
        if (same[i] == i)
            status = spk_episode_list_add(out->list, &one);
        if (i < out->n_rows) {
            out->of_row[i] = number[i];
            out->n = n;
        }
    }
    spk_free(context, same);
    spk_free(context, number);
    return status;
}

spk_status spk_given_take(spk_analysis *a)
{
    const spk_analysis_options *o = &a->options;
    const spk_episode_columns *given = a->test.given;
    spk_given *out = &a->given;
    spk_episode_list *all = NULL;
    if (given == NULL)
        return SPK_OK;
    if (o->peel || o->families || o->order != NULL || a->select.maximal || a->select.closed ||
        a->select.top > 0 || a->select.min_size > 0 || a->select.distinct_units > 0)
        return spk_fail(a->context, SPK_ERR_ARGUMENT,
                        "given episodes are rows as they stand: leave out peeling, families, the "
                        "order and the selection");
    if (given->n == 0)
        return spk_fail(a->context, SPK_ERR_ARGUMENT, "there is no given episode to test");
    out->n_rows = given->n;
    spk_status status = spk_alloc(a->context, &out->of_row, given->n, "the given episodes");
    if (status == SPK_OK)
        status = spk_episode_list_create(a->context, &all);
    if (status == SPK_OK)
        status = list_all(a->context, given, all);
    if (status == SPK_OK)
        status = spk_episode_list_create(a->context, &out->list);
    if (status == SPK_OK) {
        const spk_episode_columns columns = spk_episode_list_columns(all);
        status = take_different(a->context, &columns, out);
    }
    if (status == SPK_OK) {
        out->episodes = spk_episode_list_columns(out->list);
        out->episodes.n = out->n;
        a->test.given = &out->episodes;
    }
    spk_episode_list_free(all);
    return status;
}

spk_status spk_given_count(spk_analysis *a)
{
    spk_status status = spk_results_open(a->context, &a->search, &a->all);
    if (status != SPK_OK)
        return status;
    spk_episode_list_free(a->all.episodes);
    a->all.episodes = a->given.list;
    a->given.list = NULL;
    return spk_episode_count(a->context, a->search.recording, a->search.episodes, a->all.episodes,
                             a->all.episode_summary);
}

/* ---- rows ------------------------------------------------------------------------------------ */

spk_status spk_given_report(spk_analysis *a)
{
    spk_given *g = &a->given;
    spk_exact_report *r = &a->exact_report;
    spk_status status =
        spk_alloc_columns(a->context, "the directions of rows", SPK_COLUMN(&g->back, g->n_rows),
                          SPK_COLUMN(&g->back_p, g->n_rows), SPK_COLUMN(&g->asymmetry, g->n_rows));
    for (uint64_t k = 0; k < g->n_rows && status == SPK_OK; k++) {
        const spk_exact_direction *d = &a->exact.direction[a->number[k]];
        g->back[k] = d->back;
        g->back_p[k] = d->back_p;
        g->asymmetry[k] = spk_exact_asymmetry(d, a->options.alpha);
    }
    r->back = g->back;
    r->back_p = g->back_p;
    r->asymmetry = g->asymmetry;
    return status;
}

void spk_given_free(spk_given *g)
{
    spk_episode_list_free(g->list);
    spk_free_all(g->of_row, g->back, g->back_p, g->asymmetry);
    *g = (spk_given){.list = NULL};
}
