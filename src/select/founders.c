/*
 * The groups of a few cores, and the index by which others join them.
 *
 *     cell of time   0    1    2    3    4 ...
 *     founder 0      x    .    x    x    .      first, cell: its cells, rising
 *     founder 1      x    .    x    .    .
 *     founder 2      .    x    .    .    x      row, entry: the groups that have a cell
 *
 * Two founders coincide as two series of ones and zeros correlate: cells in common, less those that
 * chance would have, over both deviations. Average linkage joins the closest groups until none is
 * closer than the limit.
 */
#include "select/founders.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"

/* ---- linkage --------------------------------------------------------------------------------- */

/*
 * Average linkage by the nearest-neighbour chain: from any group go to the nearest one, from there
 * to its nearest one, until two groups are nearest to each other; join them. Joining makes no group
 * nearer to a third one than both were, so that the rest of the chain stays.
 */

typedef struct linkage {
    uint32_t n;
    float *similarity;
    float limit;
    uint32_t *size;  /* 0: joined to another group, or done */
    uint32_t *into;  /* the group that it was joined to */
    uint32_t *chain; /* groups */
    uint32_t n_chain;
} linkage;

/* The nearest group of i, n where none reaches the limit. Of equal ones the one before it in the
 * chain, then the first one. */
static uint32_t nearest(const linkage *l, uint32_t i)
{
    const float *row = l->similarity + (uint64_t)i * l->n;
    uint32_t best = l->n;
    float most = l->limit;
    if (l->n_chain > 1) {
        best = l->chain[l->n_chain - 2];
        most = row[best];
    }
    for (uint32_t k = 0; k < l->n; k++) {
        if (l->size[k] == 0 || k == i)
            continue;
        if (row[k] > most || (best == l->n && row[k] >= most)) {
            most = row[k];
            best = k;
        }
    }
    return best;
}

static void join(linkage *l, uint32_t a, uint32_t b)
{
    uint32_t to = a < b ? a : b;
    uint32_t from = a < b ? b : a;
    float n_to = (float)l->size[to];
    float n_from = (float)l->size[from];
    for (uint32_t k = 0; k < l->n; k++) {
        if (l->size[k] == 0 || k == to || k == from)
            continue;
        float *cell = &l->similarity[(uint64_t)to * l->n + k];
        *cell =
            (n_to * *cell + n_from * l->similarity[(uint64_t)from * l->n + k]) / (n_to + n_from);
        l->similarity[(uint64_t)k * l->n + to] = *cell;
    }
    l->size[to] += l->size[from];
    l->size[from] = 0;
    l->into[from] = to;
}

static void follow_chains(linkage *l)
{
    uint32_t start = 0;
    for (;;) {
        while (l->n_chain == 0 && start < l->n && l->size[start] == 0)
            start++;
        if (l->n_chain == 0 && start == l->n)
            return;
        if (l->n_chain == 0)
            l->chain[l->n_chain++] = start;
        uint32_t last = l->chain[l->n_chain - 1];
        uint32_t next = nearest(l, last);
        if (next == l->n) { /* nothing will ever be near enough */
            assert(l->n_chain == 1);
            l->size[last] = 0;
            l->n_chain = 0;
        } else if (l->n_chain > 1 && next == l->chain[l->n_chain - 2]) {
            l->n_chain -= 2;
            join(l, last, next);
        } else {
            l->chain[l->n_chain++] = next;
        }
    }
}

spk_status spk_linkage_average(spk_context *context, uint32_t n, float *similarity, float limit,
                               uint32_t *group, uint32_t *n_groups)
{
    linkage l = {.n = n, .similarity = similarity, .limit = limit};
    *n_groups = 0;
    spk_status status =
        spk_alloc_columns(context, "families", SPK_COLUMN(&l.size, n), SPK_COLUMN(&l.into, n),
                          SPK_COLUMN(&l.chain, (uint64_t)n + 1));
    if (status != SPK_OK)
        return status;
    for (uint32_t i = 0; i < n; i++) {
        l.size[i] = 1;
        l.into[i] = i;
    }
    follow_chains(&l);
    /* A group is joined to one with a smaller number. */
    for (uint32_t i = 0; i < n; i++)
        group[i] = l.into[i] == i ? (*n_groups)++ : group[l.into[i]];
    spk_free(context, l.size);
    spk_free(context, l.into);
    spk_free(context, l.chain);
    return SPK_OK;
}

/* ---- founders -------------------------------------------------------------------------------- */

void spk_founders_free(spk_founders *f)
{
    for (uint32_t g = 0; g < f->n_groups && f->order != NULL; g++)
        spk_group_order_free(&f->order[g]);
    spk_free_all(f->first, f->cell, f->place_first, f->place, f->group, f->size, f->constant,
                 f->order, f->closed, f->row, f->entry, f->weight, f->sum, f->touched);
    *f = (spk_founders){.n = 0};
}

/* ---- profiles -------------------------------------------------------------------------------- */

static spk_status collect(spk_context *context, const spk_results *results, spk_cells *cells,
                          spk_founders *f)
{
    spk_status status =
        spk_alloc_columns(context, "families", SPK_COLUMN(&f->first, (uint64_t)f->n + 1),
                          SPK_COLUMN(&f->place_first, (uint64_t)f->n + 1));
    if (status == SPK_OK)
        f->first[0] = f->place_first[0] = 0;
    for (uint32_t k = 0; k < f->n && status == SPK_OK; k++) {
        uint64_t at = f->first[k], place = f->place_first[k];
        uint32_t size = spk_result_size(results, f->id[k]);
        status = spk_cells_find(cells, f->id[k]);
        if (status == SPK_OK)
            status =
                spk_grow(context, &f->cell, &f->cell_capacity, at + cells->n_found, "families");
        if (status == SPK_OK)
            status = spk_grow(context, &f->place, &f->place_capacity, place + size, "families");
        if (status != SPK_OK)
            break;
        if (cells->n_found > 0)
            memcpy(f->cell + at, cells->found, cells->n_found * sizeof *f->cell);
        f->first[k + 1] = at + cells->n_found;
        f->place_first[k + 1] = place + spk_unit_places(results, f->id[k], f->place + place);
        status = k % 64 == 0 ? spk_check_cancel(context) : SPK_OK;
    }
    return status;
}

static uint64_t n_cells_of(const spk_founders *f, uint32_t k)
{
    return f->first[k + 1] - f->first[k];
}

/* Square root of the sum of squares of a profile around its mean: 0 for none and for all cells. */
static double deviation(uint64_t n, uint32_t n_cells)
{
    return sqrt((double)n * (double)(n_cells - n) / n_cells);
}

static uint32_t n_places_of(const spk_founders *f, uint32_t k)
{
    return (uint32_t)(f->place_first[k + 1] - f->place_first[k]);
}

/* ---- similarity ------------------------------------------------------------------------------ */

/* Founders by cell: founder[row[c]] .. founder[row[c + 1] - 1], in the order of `rank`. */
static spk_status list_by_cell(spk_context *context, const spk_founders *f, const uint32_t *rank,
                               uint32_t n_cells, uint64_t **row, uint32_t **founder)
{
    spk_status status =
        spk_alloc_columns(context, "families", SPK_COLUMN_ZERO(row, (uint64_t)n_cells + 2),
                          SPK_COLUMN(founder, f->first[f->n]));
    if (status != SPK_OK)
        return status;
    /* Counts stand two places on, so that filling leaves the starts in place. */
    for (uint64_t k = 0; k < f->first[f->n]; k++)
        (*row)[f->cell[k] + 2u]++;
    for (uint64_t c = 2; c < (uint64_t)n_cells + 2; c++)
        (*row)[c] += (*row)[c - 1];
    for (uint32_t r = 0; r < f->n; r++)
        for (uint64_t k = f->first[rank[r]]; k < f->first[rank[r] + 1u]; k++)
            (*founder)[(*row)[f->cell[k] + 1u]++] = rank[r];
    return SPK_OK;
}

/* In how many cells each pair meets; up to 2^24 a float is exact, and there are no more cells. */
static void count_meetings(const spk_founders *f, uint32_t n_cells, const uint64_t *row,
                           const uint32_t *founder, float *meetings)
{
    for (uint32_t c = 0; c < n_cells; c++) {
        for (uint64_t x = row[c]; x < row[c + 1u]; x++) {
            float *line = meetings + (uint64_t)founder[x] * f->n;
            for (uint64_t y = x + 1; y < row[c + 1u]; y++)
                line[founder[y]] += 1;
        }
    }
}

static float coincidence(const spk_founders *f, uint32_t a, uint32_t b, uint32_t n_cells,
                         float meetings)
{
    uint64_t n_a = n_cells_of(f, a), n_b = n_cells_of(f, b);
    double by_chance = (double)n_a * (double)n_b / n_cells;
    double scale = deviation(n_a, n_cells) * deviation(n_b, n_cells);
    double value = scale > 0 ? (meetings - by_chance) / scale : 0;
    if (value > 0 && spk_unit_places_agree(f->place + f->place_first[a], n_places_of(f, a),
                                           f->place + f->place_first[b], n_places_of(f, b)) < 0)
        value /= 2;
    return (float)value;
}

/* Groups founders by average linkage of their coincidences. The matrix holds counts of common cells
 * first, and then in their place what these counts are beyond chance: it is symmetric, and its
 * diagonal is not read. Cost: n^2 numbers, and a step for each pair of founders in each cell. */
static spk_status join_founders(spk_context *context, uint32_t n_cells, double limit,
                                spk_founders *f)
{
    float *similarity = NULL;
    uint64_t *row = NULL;
    uint32_t *founder = NULL, *rank = NULL;
    uint64_t n = f->n;
    spk_status status = spk_alloc_columns(context, "families", SPK_COLUMN_ZERO(&similarity, n * n),
                                          SPK_COLUMN(&rank, n), SPK_COLUMN(&f->group, n));
    for (uint32_t k = 0; k < n && status == SPK_OK; k++)
        rank[k] = k;
    if (status == SPK_OK)
        status = list_by_cell(context, f, rank, n_cells, &row, &founder);
    if (status == SPK_OK)
        count_meetings(f, n_cells, row, founder, similarity);
    for (uint32_t a = 0; a < n && status == SPK_OK; a++) {
        for (uint32_t b = a + 1; b < n; b++) {
            float value = coincidence(f, a, b, n_cells, similarity[a * n + b]);
            similarity[a * n + b] = similarity[b * n + a] = value;
        }
        status = a % 64 == 0 ? spk_check_cancel(context) : SPK_OK;
    }
    if (status == SPK_OK)
        status =
            spk_linkage_average(context, f->n, similarity, (float)limit, f->group, &f->n_groups);
    spk_free(context, similarity);
    spk_free(context, rank);
    spk_free(context, row);
    spk_free(context, founder);
    return status;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Founders in order of their groups: rank[from[g]] .. rank[from[g + 1] - 1]. */
static void rank_by_group(const spk_founders *f, uint32_t *rank, uint32_t *from)
{
    memset(from, 0, ((size_t)f->n_groups + 2) * sizeof *from);
    for (uint32_t k = 0; k < f->n; k++)
        from[f->group[k] + 2u]++;
    for (uint32_t g = 2; g < f->n_groups + 2; g++)
        from[g] += from[g - 1];
    for (uint32_t k = 0; k < f->n; k++)
        rank[from[f->group[k] + 1u]++] = k;
}

/* The order of the units of some founders. */
static spk_status order_group(spk_context *context, const spk_founders *f, const uint32_t *rank,
                              uint32_t n, spk_group_order *out)
{
    uint32_t *unit = NULL;
    uint64_t n_places = 0;
    uint32_t n_units = 0;
    for (uint32_t k = 0; k < n; k++)
        n_places += n_places_of(f, rank[k]);
    spk_status status = spk_alloc(context, &unit, n_places, "families");
    if (status != SPK_OK)
        return status;
    n_places = 0;
    for (uint32_t k = 0; k < n; k++)
        for (uint64_t p = f->place_first[rank[k]]; p < f->place_first[rank[k] + 1u]; p++)
            unit[n_places++] = f->place[p].unit;
    qsort(unit, n_places, sizeof *unit, spk_rising_u32);
    for (uint64_t p = 0; p < n_places; p++)
        if (n_units == 0 || unit[n_units - 1] != unit[p])
            unit[n_units++] = unit[p];
    status = spk_group_order_make(context, unit, n_units, out);
    for (uint32_t k = 0; k < n && status == SPK_OK; k++)
        spk_group_order_add(out, f->place + f->place_first[rank[k]], n_places_of(f, rank[k]));
    spk_free(context, unit);
    return status;
}

/* The rows of groups and weights, from those of founders, which come in the order of groups. */
static void weigh(spk_founders *f, uint32_t n_cells, const uint64_t *row, const uint32_t *founder)
{
    uint64_t n = 0;
    for (uint32_t c = 0; c < n_cells; c++) {
        f->row[c] = n;
        for (uint64_t k = row[c]; k < row[c + 1u]; k++) {
            uint32_t g = f->group[founder[k]];
            double spread = deviation(n_cells_of(f, founder[k]), n_cells);
            if (n == f->row[c] || f->entry[n - 1] != g) {
                f->entry[n] = g;
                f->weight[n++] = 0;
            }
            f->weight[n - 1] += spread > 0 ? 1 / spread : 0;
        }
    }
    f->row[n_cells] = n;
    for (uint32_t k = 0; k < f->n; k++) {
        uint64_t own = n_cells_of(f, k);
        double spread = deviation(own, n_cells);
        f->constant[f->group[k]] += spread > 0 ? (double)own / n_cells / spread : 0;
        f->size[f->group[k]]++;
    }
}

static spk_status describe_groups(spk_context *context, uint32_t n_cells, spk_founders *f)
{
    uint32_t *rank = NULL, *from = NULL, *founder = NULL;
    uint64_t *row = NULL;
    uint64_t n_entries = f->first[f->n];
    spk_status status = spk_alloc_columns(
        context, "families", SPK_COLUMN(&rank, f->n), SPK_COLUMN(&from, (uint64_t)f->n_groups + 2),
        SPK_COLUMN_ZERO(&f->size, f->n_groups), SPK_COLUMN_ZERO(&f->constant, f->n_groups),
        SPK_COLUMN_ZERO(&f->order, f->n_groups), SPK_COLUMN_ZERO(&f->closed, f->n_groups),
        SPK_COLUMN(&f->row, (uint64_t)n_cells + 1), SPK_COLUMN(&f->entry, n_entries),
        SPK_COLUMN(&f->weight, n_entries), SPK_COLUMN_ZERO(&f->sum, f->n_groups),
        SPK_COLUMN(&f->touched, f->n_groups));
    if (status == SPK_OK) {
        rank_by_group(f, rank, from);
        status = list_by_cell(context, f, rank, n_cells, &row, &founder);
    }
    if (status == SPK_OK)
        weigh(f, n_cells, row, founder);
    for (uint32_t g = 0; g < f->n_groups && status == SPK_OK; g++)
        status = order_group(context, f, rank + from[g], from[g + 1] - from[g], &f->order[g]);
    spk_free(context, rank);
    spk_free(context, from);
    spk_free(context, row);
    spk_free(context, founder);
    return status;
}

spk_status spk_founders_make(spk_context *context, const spk_results *results, spk_cells *cells,
                             const uint32_t *id, uint32_t n, double limit, spk_founders *out)
{
    assert(n <= SPK_MAX_FOUNDERS);
    *out = (spk_founders){.n = n, .id = id};
    spk_status status = collect(context, results, cells, out);
    if (status == SPK_OK)
        status = join_founders(context, cells->n_cells, limit, out);
    if (status == SPK_OK)
        status = describe_groups(context, cells->n_cells, out);
    return status;
}

/* ---- joining --------------------------------------------------------------------------------- */

uint32_t spk_founders_join(spk_founders *f, const spk_cells *cells, const spk_unit_place *places,
                           uint32_t n_places, double *coincidence)
{
    uint32_t n_touched = 0;
    uint32_t best = f->n_groups;
    double spread = deviation(cells->n_found, cells->n_cells);
    for (uint64_t k = 0; k < cells->n_found; k++) {
        uint32_t c = cells->found[k];
        for (uint64_t e = f->row[c]; e < f->row[c + 1u]; e++) {
            uint32_t g = f->entry[e];
            if (f->sum[g] == 0)
                f->touched[n_touched++] = g;
            f->sum[g] += f->weight[e] + 1e-300; /* never 0 again */
        }
    }
    for (uint32_t k = 0; k < n_touched; k++) {
        uint32_t g = f->touched[k];
        double sum = f->sum[g] - (double)cells->n_found * f->constant[g];
        double value = spread > 0 ? sum / spread / f->size[g] : 0;
        f->sum[g] = 0;
        if (f->closed[g] != 0 || value < *coincidence)
            continue;
        if (spk_group_order_agrees(&f->order[g], places, n_places) < 0)
            value /= 2;
        bool better = best < f->n_groups && value == *coincidence ? g < best : value > *coincidence;
        if (!better)
            continue;
        *coincidence = value;
        best = g;
    }
    return best;
}
