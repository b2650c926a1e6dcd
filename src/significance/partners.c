/* Partners of a pattern, by the spikes around its occurrences. */
#include "significance/partners.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/sort.h"

#define NO_UNIT UINT32_MAX

/* A place of the line: bin * n_units + unit. Units are those that patterns have, numbered anew. A
 * cell is the same beside an occurrence: (bin + longest) * n_units + unit. The code of a spike of a
 * pattern is the same beside its first spike: (lag - first lag) * n_units + unit. */
struct spk_partners {
    spk_pattern_columns patterns;
    spk_partner_columns occurrences;
    uint32_t n_units;
    uint32_t longest; /* largest lag of a pattern */
    uint32_t *unit;   /* by unit of the windows: its number, or NO_UNIT */
    uint64_t *spike;  /* places with a spike, ascending */
    uint64_t n_spikes;
    uint64_t *near; /* by window: the first spike that may belong to a partner of an occurrence */
    uint32_t *code; /* by spike of a pattern; those of a pattern ascend */
    uint32_t *first_lag; /* by pattern */
    uint32_t *rank;      /* by pattern: how many occur more often, or as often and come before */
    uint32_t *sorted;    /* patterns in blocks by rank, see block_end(), and in each block in the
                            order of their codes: words in a dictionary */
    uint32_t *words;     /* by block and unit: the first word that begins with it or a later one */
    uint32_t *count;     /* by cell, while a pattern is looked at */
    uint8_t *own;        /* by cell: a spike of that pattern */
    uint64_t *cell;      /* those that matter, ascending */
    uint64_t n_cells;    /* of these */
};

static uint32_t lag_of(const spk_partners *p, uint64_t k)
{
    return p->patterns.item[k] % p->patterns.window;
}

static uint64_t size_of(const spk_partners *p, uint64_t i)
{
    return p->patterns.offset[i + 1] - p->patterns.offset[i];
}

/* The codes of a pattern. */
static const uint32_t *codes_of(const spk_partners *p, uint64_t i)
{
    return p->code + (p->patterns.offset[i] - p->patterns.offset[0]);
}

/* ---- spikes of the recording ----------------------------------------------------------------- */

static void number_units(spk_partners *p, uint32_t n_units)
{
    const spk_pattern_columns *c = &p->patterns;
    memset(p->unit, 0xff, n_units * sizeof *p->unit);
    for (uint64_t k = c->offset[0]; k < c->offset[c->n]; k++) {
        p->unit[c->item[k] / c->window] = 0;
        if (lag_of(p, k) > p->longest)
            p->longest = lag_of(p, k);
    }
    for (uint32_t u = 0; u < n_units; u++)
        if (p->unit[u] != NO_UNIT)
            p->unit[u] = p->n_units++;
}

/* The place of an item of a window; false when no pattern has its unit. */
static bool find_place(const spk_partners *p, uint64_t w, uint32_t item, uint64_t *place)
{
    const uint32_t unit = p->unit[item / p->patterns.window];
    const uint64_t bin = (uint64_t)p->occurrences.place[w] + item % p->patterns.window;
    *place = bin * p->n_units + unit;
    return unit != NO_UNIT;
}

/* A spike of a recording is the first of a window. Lines of a transaction file may have items that
 * are in no other line: these are added behind the n_first spikes. */
static spk_status add_later_items(spk_context *context, spk_partners *p,
                                  const spk_window_columns *windows, uint64_t *capacity)
{
    const uint64_t n_first = p->n_spikes;
    uint64_t begin = 0, place;
    for (uint64_t w = 0; w < windows->n_windows; w++) {
        while (begin < n_first && p->spike[begin] < (uint64_t)p->occurrences.place[w] * p->n_units)
            begin++;
        for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++) {
            if (!find_place(p, w, windows->item[k], &place))
                continue;
            uint64_t end = begin + (uint64_t)windows->window * p->n_units;
            uint64_t at = spk_first_u64(p->spike, begin, end < n_first ? end : n_first, place);
            if (at < n_first && p->spike[at] == place)
                continue;
            spk_status status =
                spk_grow(context, &p->spike, capacity, p->n_spikes + 1, "the reduction");
            if (status != SPK_OK)
                return status;
            p->spike[p->n_spikes++] = place;
        }
    }
    if (p->n_spikes == n_first)
        return SPK_OK;
    qsort(p->spike, p->n_spikes, sizeof *p->spike, spk_compare_uint64);
    uint64_t n = 0;
    for (uint64_t k = 0; k < p->n_spikes; k++)
        if (n == 0 || p->spike[k] != p->spike[n - 1])
            p->spike[n++] = p->spike[k];
    p->n_spikes = n;
    return SPK_OK;
}

static spk_status list_spikes(spk_context *context, spk_partners *p,
                              const spk_window_columns *windows)
{
    uint64_t capacity = 0, place;
    for (uint64_t w = 0; w < windows->n_windows; w++)
        for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++) {
            if (windows->item[k] % windows->window != 0 ||
                !find_place(p, w, windows->item[k], &place))
                continue;
            spk_status status =
                spk_grow(context, &p->spike, &capacity, p->n_spikes + 1, "the reduction");
            if (status != SPK_OK)
                return status;
            p->spike[p->n_spikes++] = place;
        }
    spk_status status = add_later_items(context, p, windows, &capacity);
    for (uint64_t w = 0, at = 0; status == SPK_OK && w < windows->n_windows; w++) {
        const uint64_t bin = (uint64_t)p->occurrences.place[w];
        const uint64_t first = bin > p->longest ? (bin - p->longest) * p->n_units : 0;
        while (at < p->n_spikes && p->spike[at] < first)
            at++;
        p->near[w] = at;
    }
    return status;
}

/* ---- patterns as words ----------------------------------------------------------------------- */

/* Codes of each pattern, ascending: they mostly are already. */
static void write_codes(spk_partners *p)
{
    const spk_pattern_columns *c = &p->patterns;
    for (uint64_t i = 0; i < c->n; i++) {
        p->first_lag[i] = UINT32_MAX;
        for (uint64_t k = c->offset[i]; k < c->offset[i + 1]; k++)
            if (lag_of(p, k) < p->first_lag[i])
                p->first_lag[i] = lag_of(p, k);
        for (uint64_t k = c->offset[i]; k < c->offset[i + 1]; k++) {
            const uint32_t code =
                (lag_of(p, k) - p->first_lag[i]) * p->n_units + p->unit[c->item[k] / c->window];
            uint64_t at = k - c->offset[0];
            for (; at > c->offset[i] - c->offset[0] && p->code[at - 1] > code; at--)
                p->code[at] = p->code[at - 1];
            p->code[at] = code;
        }
    }
}

static uint64_t n_occurrences(const spk_partners *p, uint64_t i)
{
    return p->occurrences.first[i + 1] - p->occurrences.first[i];
}

static int compare_frequencies(const void *user, uint32_t a, uint32_t b)
{
    const uint64_t n_a = n_occurrences(user, a), n_b = n_occurrences(user, b);
    return n_a != n_b ? (n_a > n_b ? -1 : 1) : (a > b) - (a < b);
}

static int compare_words(const void *user, uint32_t a, uint32_t b)
{
    const spk_partners *p = user;
    const uint64_t n_a = size_of(p, a), n_b = size_of(p, b);
    const uint32_t *x = codes_of(p, a), *y = codes_of(p, b);
    for (uint64_t k = 0; k < n_a && k < n_b; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return (n_a > n_b) - (n_a < n_b);
}

/* Where the block of ranks ends that begins here: blocks grow, so that a pattern that occurs often
 * is compared with few others. */
static uint64_t block_end(const spk_partners *p, uint64_t begin)
{
    const uint64_t end = begin == 0 ? 256 : 4 * begin;
    return end < p->patterns.n ? end : p->patterns.n;
}

static void index_words(const spk_partners *p, uint64_t begin, uint64_t end, uint32_t *words)
{
    for (uint64_t unit = 0, at = begin; unit <= p->n_units; unit++) {
        while (at < end && codes_of(p, p->sorted[at])[0] < unit)
            at++;
        words[unit] = (uint32_t)at;
    }
}

static spk_status sort_patterns(spk_context *context, spk_partners *p)
{
    const uint64_t n = p->patterns.n;
    for (uint64_t i = 0; i < n; i++)
        p->sorted[i] = (uint32_t)i;
    spk_status status = spk_sort_indices(context, n, p->sorted, compare_frequencies, p);
    for (uint64_t at = 0; status == SPK_OK && at < n; at++)
        p->rank[p->sorted[at]] = (uint32_t)at;
    uint64_t n_blocks = 0;
    for (uint64_t begin = 0; begin < n; begin = block_end(p, begin))
        n_blocks++;
    if (status == SPK_OK)
        status =
            spk_alloc(context, &p->words, n_blocks * (p->n_units + UINT64_C(1)), "the reduction");
    uint32_t *words = p->words;
    for (uint64_t begin = 0; status == SPK_OK && begin < n; begin = block_end(p, begin)) {
        status = spk_sort_indices(context, block_end(p, begin) - begin, p->sorted + begin,
                                  compare_words, p);
        index_words(p, begin, block_end(p, begin), words);
        words += p->n_units + 1;
    }
    return status;
}

/* ---- making ---------------------------------------------------------------------------------- */

static spk_status fill(spk_context *context, spk_partners *p, const spk_window_columns *windows)
{
    const spk_pattern_columns *c = &p->patterns;
    spk_status status = spk_alloc_columns(
        context, "the reduction", SPK_COLUMN(&p->unit, windows->n_units),
        SPK_COLUMN(&p->near, windows->n_windows),
        SPK_COLUMN(&p->code, c->offset[c->n] - c->offset[0]), SPK_COLUMN(&p->sorted, c->n),
        SPK_COLUMN(&p->first_lag, c->n), SPK_COLUMN(&p->rank, c->n));
    if (status != SPK_OK)
        return status;
    number_units(p, windows->n_units);
    write_codes(p);
    status = sort_patterns(context, p);
    if (status == SPK_OK)
        status = list_spikes(context, p, windows);
    if (status != SPK_OK)
        return status;
    const uint64_t n_cells = (3 * (uint64_t)p->longest + 1) * p->n_units;
    return spk_alloc_columns(context, "the reduction", SPK_COLUMN(&p->count, n_cells),
                             SPK_COLUMN_ZERO(&p->own, n_cells), SPK_COLUMN(&p->cell, n_cells));
}

spk_status spk_partners_create(spk_context *context, const spk_window_columns *windows,
                               const spk_pattern_columns *patterns,
                               const spk_partner_columns *occurrences, spk_partners **out)
{
    spk_status status = spk_alloc_zero(context, out, 1, "the reduction");
    if (status != SPK_OK)
        return status;
    (*out)->patterns = *patterns;
    (*out)->occurrences = *occurrences;
    status = fill(context, *out, windows);
    if (status != SPK_OK) {
        spk_partners_free(*out);
        *out = NULL;
    }
    return status;
}

void spk_partners_free(spk_partners *partners)
{
    if (partners == NULL)
        return;
    spk_free_all(partners->unit, partners->spike, partners->near, partners->code, partners->sorted,
                 partners->words, partners->first_lag, partners->rank, partners->count,
                 partners->own, partners->cell, partners);
}

/* ---- looking --------------------------------------------------------------------------------- */

/* A search for the words that can be written with the cells that matter. */
typedef struct search {
    spk_partners *p;
    uint64_t i;
    uint64_t base; /* the cell of code 0 */
    spk_partner_visit *visit;
    void *user;
} search;

/* Counts the spikes around the occurrences of pattern i and lists the cells that matter. */
static void count_around(spk_partners *p, uint64_t i)
{
    const spk_partner_columns *o = &p->occurrences;
    const uint64_t last =
        p->first_lag[i] + codes_of(p, i)[size_of(p, i) - 1] / p->n_units; /* its largest lag */
    const uint64_t n_cells = (2 * (uint64_t)p->longest + last + 1) * p->n_units;
    memset(p->count, 0, n_cells * sizeof *p->count);
    for (uint64_t e = o->first[i]; e < o->first[i + 1]; e++) {
        const uint32_t w = o->window[e];
        /* The cell of a place is the place less this, modulo 2^64 where the line has just begun. */
        const uint64_t base = ((uint64_t)o->place[w] - p->longest) * p->n_units;
        for (uint64_t k = p->near[w]; k < p->n_spikes && p->spike[k] - base < n_cells; k++)
            p->count[p->spike[k] - base]++;
    }
    p->n_cells = 0;
    for (uint64_t cell = 0; cell < n_cells; cell++)
        if (p->count[cell] >= (uint64_t)o->least[i])
            p->cell[p->n_cells++] = cell;
}

static void mark_own(spk_partners *p, uint64_t i, uint8_t mark)
{
    for (uint64_t k = 0; k < size_of(p, i); k++)
        p->own[((uint64_t)p->longest + p->first_lag[i]) * p->n_units + codes_of(p, i)[k]] = mark;
}

/* A word whose first `depth` spikes matter. */
static void look_at(search *s, uint32_t j, uint64_t depth)
{
    const spk_partners *p = s->p;
    const uint32_t *code = codes_of(p, j);
    const uint64_t n = size_of(p, j);
    const uint64_t least = (uint64_t)p->occurrences.least[s->i];
    uint32_t shared = 0;
    if (p->rank[j] >= p->rank[s->i])
        return;
    for (uint64_t k = depth; k < n; k++)
        if (s->base + code[k] > p->cell[p->n_cells - 1] || p->count[s->base + code[k]] < least)
            return;
    for (uint64_t k = 0; k < n; k++)
        shared += p->own[s->base + code[k]];
    const int64_t bin = (int64_t)(s->base / p->n_units) - p->longest;
    if (shared > 0)
        s->visit(s->user, j, bin - p->first_lag[j], shared);
}

/* The first word from `low` on whose spike number `depth` has at least this code. */
static uint64_t find_code(const spk_partners *p, uint64_t low, uint64_t high, uint64_t depth,
                          uint64_t code)
{
    spk_bisect s = {low, high};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, codes_of(p, p->sorted[s.middle])[depth] < code);
    return s.low;
}

/* Words low .. high - 1 have the same first `depth` spikes, which matter; the cells from `at` on
 * come after them. */
static void look_through(search *s, uint64_t low, uint64_t high, uint64_t depth, uint64_t at)
{
    enum { FEW = 4 };
    const spk_partners *p = s->p;
    while (low < high && size_of(p, p->sorted[low]) == depth)
        look_at(s, p->sorted[low++], depth);
    while (high - low > FEW) {
        const uint64_t cell = s->base + codes_of(p, p->sorted[low])[depth];
        at = spk_first_u64(p->cell, at, p->n_cells, cell);
        if (at == p->n_cells)
            return;
        if (p->cell[at] == cell) {
            const uint64_t end = find_code(p, low, high, depth, cell - s->base + 1);
            look_through(s, low, end, depth + 1, at + 1);
            low = end;
        } else {
            low = find_code(p, low, high, depth, p->cell[at] - s->base);
        }
    }
    while (low < high)
        look_at(s, p->sorted[low++], depth);
}

void spk_partners_find(spk_partners *partners, uint64_t i, spk_partner_visit *visit, void *user)
{
    spk_partners *p = partners;
    if (n_occurrences(p, i) < (uint64_t)p->occurrences.least[i])
        return;
    search s = {.p = p, .i = i, .visit = visit, .user = user};
    count_around(p, i);
    mark_own(p, i, 1);
    const uint32_t *words = p->words;
    for (uint64_t begin = 0; begin < p->rank[i]; begin = block_end(p, begin)) {
        for (uint64_t at = 0; at < p->n_cells; at++) {
            const uint64_t unit = p->cell[at] % p->n_units;
            s.base = p->cell[at] - unit;
            look_through(&s, words[unit], words[unit + 1], 1, at + 1);
        }
        words += p->n_units + 1;
    }
    mark_own(p, i, 0);
}
