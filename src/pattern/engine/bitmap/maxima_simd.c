/*
 * Branch and bound for the largest counts, compiled once per instruction set; maxima.h has the
 * idea and the bounds.
 *
 * A branch is a set of items, the windows that contain it, and the items that may be added. Let it
 * need z spikes to matter, that is `missing` items more, in more than M(z) windows. Then
 *
 *     a window with fewer than `missing` of the items may go (or with too few further units), and
 *     an item in too few of the windows may go,
 *
 * which is repeated until nothing changes (reduce, narrow_reduce). Whatever matters keeps all of
 * its windows and items, so that its count is found exactly; counts of other sets may come out too
 * low.
 *
 * Wide branches have bit rows by window; roots are wide. Most of what is found below a root is
 * narrow: columns of few windows, see maxima_narrow.h.
 */
#include "pattern/engine/bitmap/maxima.h"

#include <stdlib.h>

#include "pattern/engine/bitmap/maxima_wide.h"

/* ---- roots ----------------------------------------------------------------------------------- */

/* The root's windows are rows of the job. */
static void root_from_rows(spk_maxima_search *search, uint32_t root, uint32_t *list, uint32_t n)
{
    const spk_bitmap_job *job = search->job;
    wide all = {.n = job->n_items, .words = job->row_words, .row = job->row};
    choice c = {.list = list,
                .n = n,
                .from = root / 64 / ROW_WORDS * ROW_WORDS,
                .n_items = job->n_items - 1 - root,
                .items = take(search, all.words, sizeof *c.items)};
    if (c.items == NULL)
        return;
    for (uint32_t w = 0; w < all.words; w++)
        c.items[w] = w < root / 64 ? 0 : ~UINT64_C(0);
    c.items[root / 64] &= ~UINT64_C(0) << (root % 64);
    c.items[root / 64] &= ~(UINT64_C(1) << (root % 64));
    visit(search, &all, root, 0, &c);
}

/* Items of higher rank in at least `least` of the root's windows: their places, by rank. */
static uint32_t choose_from_lists(const spk_maxima_search *search, uint32_t root,
                                  const uint32_t *list, uint32_t n, uint32_t least, uint32_t *place)
{
    const spk_bitmap_job *job = search->job;
    uint32_t n_items = 0;
    memset(place, 0, job->n_items * sizeof *place);
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t k = job->windows->first[list[i]]; k < job->windows->first[list[i] + 1]; k++) {
            uint32_t rank = job->rank_of[job->windows->item[k]];
            if (rank != UINT32_MAX)
                place[rank]++;
        }
    for (uint32_t rank = 0; rank < job->n_items; rank++)
        place[rank] = rank > root && place[rank] >= least ? n_items++ : UINT32_MAX;
    return n_items;
}

/* The same where the job has no rows. */
static void root_from_lists(spk_maxima_search *search, uint32_t root, const uint32_t *list,
                            uint32_t n)
{
    const spk_bitmap_job *job = search->job;
    wide node;
    uint32_t *place = take(search, job->n_items, sizeof *place);
    spk_maxima_push(search, root);
    if (place == NULL || !spk_maxima_refresh(search) ||
        (raises(search, n) && !spk_maxima_raise_by(search)))
        goto done;
    /* The lowest bound of all sizes: an item in no more windows of the root can be part of nothing
     * that matters. */
    uint32_t bound = spk_maxima_bound(search, job->limits.max_spikes);
    uint32_t n_items = choose_from_lists(search, root, list, n, bound + 1, place);
    if (bound >= spk_maxima_useful(search, n) || n_items == 0 ||
        !wide_make(search, n_items, n, &node))
        goto done;
    for (uint32_t rank = root + 1; rank < job->n_items; rank++)
        if (place[rank] != UINT32_MAX)
            node.rank[place[rank]] = rank;
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t k = job->windows->first[list[i]]; k < job->windows->first[list[i] + 1]; k++) {
            uint32_t rank = job->rank_of[job->windows->item[k]];
            uint32_t at = rank != UINT32_MAX ? place[rank] : UINT32_MAX;
            if (at != UINT32_MAX)
                node.row[(size_t)i * node.words + at / 64] |= UINT64_C(1) << (at % 64);
        }
    search_filled(search, &node);
done:
    spk_maxima_pop(search, 0);
}

/* The spikes around that of an anchor: their places are spike + shift. */
typedef struct around {
    const uint32_t *spike;
    const uint32_t *end;
    uint32_t shift;
} around;

static inline around look_around(const spk_maxima_search *search, const spk_bitmap_spikes *spikes,
                                 uint32_t window)
{
    const spk_bitmap_anchors *anchors = &search->shared->anchors;
    return (around){.spike = spikes->spike + spikes->first[anchors->begin[window]],
                    .end = spikes->spike + spikes->first[anchors->end[window]],
                    .shift = search->reach - (uint32_t)search->job->windows->start_bin[window]};
}

/* Counts the spikes around the anchors, by place, into search->count. */
static void count_around(spk_maxima_search *search, uint32_t root, const uint32_t *list, uint32_t n)
{
    const spk_bitmap_anchors *anchors = &search->shared->anchors;
    const spk_bitmap_spikes *spikes = spk_bitmap_spikes_of(anchors, root);
    uint32_t *count = search->count;
    memset(count, 0, (size_t)search->job->n_roots * anchors->span * sizeof *count);
    for (uint32_t i = 0; i < n; i++) {
        const around a = look_around(search, spikes, list[i]);
        for (const uint32_t *k = a.spike; k < a.end; k++)
            count[*k + a.shift]++;
    }
}

/* What lies around the root's anchors often enough. Only later spikes of the anchor's unit count.
 */
static bool find_near(spk_maxima_search *search, uint32_t root, const uint32_t *list, uint32_t n)
{
    spk_bitmap_bounds *shared = search->shared;
    spk_maxima_near *near = &shared->near[root];
    if (near->place != NULL)
        return true;
    const uint32_t least = search->job->limits.min_support;
    const uint32_t from = root * shared->anchors.span + search->reach + 1;
    const uint32_t end = search->job->n_roots * shared->anchors.span;
    uint32_t n_near = 0, most = 0, at = 0;
    count_around(search, root, list, n);
    for (uint32_t k = from; k < end; k++) {
        n_near += search->count[k] >= least;
        most = search->count[k] > most ? search->count[k] : most;
    }
    /* The list is of the least support, not of this pass: later passes, with lower limits, use it
     * again. */
    *near = (spk_maxima_near){.known = true, .most = most, .n = n_near};
    near->place = malloc((n_near + 1) * sizeof *near->place);
    near->count = malloc((n_near + 1) * sizeof *near->count);
    if (near->place == NULL || near->count == NULL) {
        spk_maxima_fail(search, SPK_ERR_MEMORY);
        return false;
    }
    for (uint32_t k = from; k < end; k++) {
        near->place[at] = k;
        near->count[at] = search->count[k];
        /* Every place is written, and overwritten unless it counts: no branch that depends on the
         * data. */
        at += search->count[k] >= least;
    }
    return true;
}

/* How many of the items matter, with a bound; of how many units they are. */
static uint32_t choose_near(const spk_maxima_search *search, const spk_maxima_near *near,
                            uint32_t bound, uint32_t *units)
{
    const uint32_t *unit_of = search->unit_of;
    uint32_t n = 0, last = unit_of[search->rank[0]];
    *units = 0;
    for (uint32_t k = 0; k < near->n; k++)
        if (near->count[k] > bound) {
            *units += unit_of[near->place[k]] != last;
            last = unit_of[near->place[k]];
            n++;
        }
    return n;
}

/* What was found is needed in later passes, but not at any price. */
static void keep_near(spk_maxima_search *search, uint32_t root)
{
    enum { MOST_KEPT = 1 << 22 };
    spk_maxima_near *near = &search->shared->near[root];
    if (near->place == NULL || near->kept)
        return;
    near->kept = atomic_fetch_add(&search->shared->n_kept, near->n) + near->n <= MOST_KEPT;
    if (near->kept)
        return;
    free(near->place);
    free(near->count);
    near->place = near->count = NULL;
}

/* Lists the items around an anchor. Few spikes are items, and no branch foresees which. Writes up
 * to 16 places more than there are items. */
static inline uint32_t list_items(around a, const uint32_t *at, uint32_t none, uint32_t *met)
{
    uint32_t n = 0;
    const uint32_t *k = a.spike;
#ifdef SPK_BITMAP_AVX512
    const __m512i shift = _mm512_set1_epi32((int)a.shift), no = _mm512_set1_epi32((int)none);
    for (; k + 16 <= a.end; k += 16) {
        __m512i place = _mm512_add_epi32(_mm512_loadu_si512(k), shift);
        __m512i item = _mm512_i32gather_epi32(place, at, sizeof *at);
        __mmask16 some = _mm512_cmpneq_epi32_mask(item, no);
        _mm512_storeu_si512(met + n, _mm512_maskz_compress_epi32(some, item));
        n += bit_count(some);
    }
#endif
    for (; k < a.end; k++) {
        met[n] = at[*k + a.shift];
        n += met[n] != none;
    }
    return n;
}

/* Sets the bits of the node's rows, which are zero: at[place] is the item, n_items where it is
 * none. */
static void fill_rows(spk_maxima_search *search, uint32_t root, const uint32_t *list,
                      const uint32_t *at, wide *node)
{
    const spk_bitmap_spikes *spikes = spk_bitmap_spikes_of(&search->shared->anchors, root);
    const uint32_t none = node->n;
    uint32_t *met = take(search, (uint64_t)search->shared->most_around + 16, sizeof *met);
    for (uint32_t i = 0; i < node->n_windows && met != NULL; i++) {
        uint64_t *row = node->row + (size_t)i * node->words;
        const uint32_t n = list_items(look_around(search, spikes, list[i]), at, none, met);
        for (uint32_t k = 0; k < n; k++)
            row[met[k] / 64] |= UINT64_C(1) << met[k] % 64;
    }
}

/* Around each spike of the root's unit: maxima.h. */
static void root_from_spikes(spk_maxima_search *search, uint32_t root, const uint32_t *list,
                             uint32_t n)
{
    const spk_bitmap_anchors *anchors = &search->shared->anchors;
    const spk_maxima_near *near = &search->shared->near[root];
    const uint32_t n_places = search->job->n_roots * anchors->span;
    uint32_t next = 0, units = 0;
    wide node;
    spk_maxima_push(search, root * anchors->span + anchors->reach);
    if (!spk_maxima_refresh(search) || (raises(search, n) && !spk_maxima_raise_by(search)))
        goto done;
    uint32_t bound = spk_maxima_bound(search, search->job->limits.max_spikes);
    if (bound >= spk_maxima_useful(search, n) || (near->known && near->most <= bound) ||
        !find_near(search, root, list, n))
        goto done;
    uint32_t *at = take(search, n_places, sizeof *at);
    const uint32_t n_items = choose_near(search, near, bound, &units);
    if (n_items == 0 || units < missing_units(search) || at == NULL ||
        !wide_make(search, n_items, n, &node))
        goto done;
    /* Places that were not chosen point behind the last item. */
    for (uint32_t k = 0; k < n_places; k++)
        at[k] = n_items;
    for (uint32_t k = 0; k < near->n; k++)
        if (near->count[k] > bound) {
            node.rank[next] = near->place[k];
            at[near->place[k]] = next++;
        }
    fill_rows(search, root, list, at, &node);
    if (search->output != NULL)
        spk_anchored_root(search, list, at, n, node.column, node.column_words);
    search_filled(search, &node);
done:
    keep_near(search, root);
    spk_maxima_pop(search, 0);
}

static void search_root(spk_maxima_search *search, uint32_t root)
{
    const spk_bitmap_job *job = search->job;
    uint64_t begin = job->root_first[root];
    uint32_t n = (uint32_t)(job->root_first[root + 1] - begin);
    spk_arena_mark mark = spk_arena_get_mark(&search->arena);
    uint32_t *list = take(search, n, sizeof *list);
    search->root = root;
    search->duration = search->shared->given->by_duration ? SPK_MAXIMA_ANY : 0;
    if (list != NULL) {
        memcpy(list, job->root_window + begin, n * sizeof *list);
        if (search->reach > 0)
            root_from_spikes(search, root, list, n);
        else if (job->row != NULL)
            root_from_rows(search, root, list, n);
        else
            root_from_lists(search, root, list, n);
    }
    spk_arena_release(&search->arena, mark);
}

/* Some rows begin anywhere in memory. */
static uint32_t common_rows(const uint64_t *const *row, size_t n, uint64_t *out)
{
    uint32_t ones = 0;
    size_t k = 0;
/* Eight words a step; the mask ends the last step with the rows. A masked load does not read what
 * it leaves out, so that rows may end with their page. */
#ifdef SPK_BITMAP_AVX512
    __m512i sum = _mm512_setzero_si512();
    for (; k < n; k += 8) {
        const __mmask8 here = (__mmask8)(n - k < 8 ? (1u << (n - k)) - 1 : 0xff);
        __m512i a = _mm512_and_si512(_mm512_maskz_loadu_epi64(here, row[0] + k),
                                     _mm512_maskz_loadu_epi64(here, row[1] + k));
        __m512i b = _mm512_and_si512(_mm512_maskz_loadu_epi64(here, row[2] + k),
                                     _mm512_maskz_loadu_epi64(here, row[3] + k));
        a = _mm512_and_si512(a, b);
        _mm512_mask_storeu_epi64(out + k, here, a);
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(a));
    }
    ones = (uint32_t)_mm512_reduce_add_epi64(sum);
#endif
    for (; k < n; k++)
        ones += bit_count(out[k] = row[0][k] & row[1][k] & row[2][k] & row[3][k]);
    return ones;
}

const spk_maxima_kernels SPK_PASTE(spk_maxima_kernels_, SPK_SIMD_SUFFIX) = {
    .root = search_root,
    .common = common_rows,
};
