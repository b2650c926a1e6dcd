/*
 * Approximate stability of patterns (Babin and Kuznetsov, "Approximating concept stability", 2012).
 *
 * A pattern is a set of spikes and the windows that hold it. Take a part of the spikes. When other
 * windows hold that part too, it does not determine the pattern. The intensional stability is the
 * share of the parts that determine it. The extensional stability is the same with the roles
 * exchanged: the share of the parts of its windows that have no other common spike.
 *
 * Both are one question about bits. Spike j of the pattern is bit j, and every other window is a
 * mask of the spikes that it has. A part determines the pattern when no mask contains it:
 *
 *     spikes:      a@0 b@3 c@5
 *     window 17:    1   1   .      mask of a window that has two of them
 *     part {a,b}:   1   1   .      contained: does not determine the pattern
 *     part {c}:     .   .   1      not contained: does, unless another mask has it
 *
 * Masks are sorted by their number of bits. A part of s bits is compared with those that have as
 * many.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/order.h"
#include "base/random.h"
#include "base/stage.h"
#include "distribute/queue.h"
#include "spikemine/occurrences.h"
#include "spikemine/significance.h"

/* Sequences of random numbers (base/random.h). */
enum { USE_SPIKES = 0x53544901, USE_WINDOWS = 0x53544502 };

typedef struct mask_rank {
    uint64_t n_bits;
    uint64_t number;
} mask_rank;

/* The masks of one question. Keys are windows or items. */
typedef struct mask_set {
    uint64_t n_bits; /* spikes or windows of the pattern */
    uint64_t words;  /* of a mask */
    uint64_t n;
    uint64_t *word;
    uint64_t word_capacity;
    uint32_t *key; /* by mask */
    uint64_t key_capacity;
    uint32_t *number; /* by key: 1 + its mask; 0 without one */
    mask_rank *rank;
    uint64_t rank_capacity;
    bool others; /* there are keys beside those of the pattern: they hold the empty part */
} mask_set;

typedef struct stability {
    spk_context *context;
    spk_window_columns windows;
    spk_pattern_locator *locator;
    uint64_t n_subsets;
    uint64_t seed;
    mask_set by_window;
    mask_set by_item;
    uint64_t *part;
    uint64_t part_capacity;
    uint64_t *drawn; /* a table of the parts that were drawn */
    uint64_t slots;
} stability;

SPK_OPTIONS_INIT(spk_stability_options, .epsilon = 0.05, .delta = 0.05);

/* ---- masks ----------------------------------------------------------------------------------- */

static void begin_masks(mask_set *set, uint64_t n_bits, bool others)
{
    for (uint64_t m = 0; m < set->n; m++)
        set->number[set->key[m]] = 0;
    set->n = 0;
    set->n_bits = n_bits;
    set->words = (n_bits + 63) / 64;
    set->others = others;
}

static spk_status add_bit(spk_context *context, mask_set *set, uint32_t key, uint64_t bit)
{
    if (set->number[key] == 0) {
        spk_status status = spk_grow(context, &set->word, &set->word_capacity,
                                     (set->n + 1) * set->words, "the stability of patterns");
        if (status == SPK_OK)
            status = spk_grow(context, &set->key, &set->key_capacity, set->n + 1,
                              "the stability of patterns");
        if (status != SPK_OK)
            return status;
        memset(set->word + set->n * set->words, 0, set->words * sizeof *set->word);
        set->key[set->n] = key;
        set->number[key] = (uint32_t)++set->n;
    }
    set->word[(set->number[key] - 1) * set->words + bit / 64] |= UINT64_C(1) << bit % 64;
    return SPK_OK;
}

static uint64_t count_bits(const uint64_t *word, uint64_t words)
{
    uint64_t n = 0;
    for (uint64_t k = 0; k < words; k++)
        n += (uint64_t)__builtin_popcountll(word[k]);
    return n;
}

static int compare_ranks(const void *a, const void *b)
{
    const mask_rank *x = a, *y = b;
    return SPK_BY(SPK_DOWN(x->n_bits, y->n_bits), SPK_UP(x->number, y->number));
}

/* Ranks all masks but those of the keys to leave out, which hold the whole pattern. */
static spk_status rank_masks(spk_context *context, mask_set *set, const uint32_t *own,
                             uint64_t n_own, uint64_t *n_ranked)
{
    spk_status status =
        spk_grow(context, &set->rank, &set->rank_capacity, set->n + 1, "the stability of patterns");
    if (status != SPK_OK)
        return status;
    for (uint64_t m = 0; m < set->n; m++)
        set->rank[m] = (mask_rank){count_bits(set->word + m * set->words, set->words), m};
    for (uint64_t k = 0; k < n_own; k++)
        set->rank[set->number[own[k]] - 1].n_bits = 0;
    qsort(set->rank, set->n, sizeof *set->rank, compare_ranks);
    *n_ranked = 0;
    while (*n_ranked < set->n && set->rank[*n_ranked].n_bits > 0)
        ++*n_ranked;
    return SPK_OK;
}

/* Whether no mask contains the part. */
static bool determines(const mask_set *set, uint64_t n_ranked, const uint64_t *part)
{
    const uint64_t n_bits = count_bits(part, set->words);
    if (n_bits == 0)
        return !set->others;
    for (uint64_t r = 0; r < n_ranked && set->rank[r].n_bits >= n_bits; r++) {
        const uint64_t *mask = set->word + set->rank[r].number * set->words;
        uint64_t missing = 0;
        for (uint64_t k = 0; k < set->words && missing == 0; k++)
            missing = part[k] & ~mask[k];
        if (missing == 0)
            return false;
    }
    return true;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Whether the part was not drawn before; it is now. Parts of less than 64 bits are told apart
 * exactly, longer ones by 64 bits of hash: a new part that looks like an old one is drawn anew. */
static bool is_new(stability *s, const uint64_t *part, const mask_set *set)
{
    uint64_t name = part[0];
    if (set->n_bits >= 64)
        for (uint64_t k = 0; k < set->words; k++)
            name = spk_hash((k == 0 ? 0 : name) ^ part[k]) >> 1;
    uint64_t at = spk_hash(name) & (s->slots - 1);
    while (s->drawn[at] != UINT64_MAX) {
        if (s->drawn[at] == name)
            return false;
        at = (at + 1) & (s->slots - 1);
    }
    s->drawn[at] = name;
    return true;
}

/* The share of distinct random parts that determine the pattern. */
static double share_of_random_parts(stability *s, const mask_set *set, uint64_t n_ranked,
                                    spk_random random)
{
    const uint64_t spare = set->words * 64 - set->n_bits;
    uint64_t good = 0;
    memset(s->drawn, 0xff, s->slots * sizeof *s->drawn);
    for (uint64_t n = 0; n < s->n_subsets;) {
        for (uint64_t k = 0; k < set->words; k++)
            s->part[k] = spk_random_u64(&random);
        s->part[set->words - 1] >>= spare;
        if (!is_new(s, s->part, set))
            continue;
        good += determines(set, n_ranked, s->part);
        n++;
    }
    return (double)good / (double)s->n_subsets;
}

static double share_of_all_parts(const mask_set *set, uint64_t n_ranked)
{
    const uint64_t n_parts = UINT64_C(1) << set->n_bits;
    uint64_t good = 0;
    for (uint64_t part = 0; part < n_parts; part++)
        good += determines(set, n_ranked, &part);
    return (double)good / (double)n_parts;
}

static spk_status find_share(stability *s, mask_set *set, const uint32_t *own, uint64_t n_own,
                             uint32_t use, uint64_t name, double *share)
{
    uint64_t n_ranked;
    spk_status status = rank_masks(s->context, set, own, n_own, &n_ranked);
    if (status == SPK_OK)
        status = spk_grow(s->context, &s->part, &s->part_capacity, set->words,
                          "the stability of patterns");
    if (status != SPK_OK)
        return status;
    if (set->n_bits < 63 && s->n_subsets >= UINT64_C(1) << set->n_bits)
        *share = share_of_all_parts(set, n_ranked);
    else
        *share = share_of_random_parts(s, set, n_ranked, spk_random_start(s->seed, use, name));
    return SPK_OK;
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* Parts of the spikes: masks are windows that have some of them. */
static spk_status intensional_stability(stability *s, const uint32_t *item, uint32_t size,
                                        const uint32_t *extent, uint32_t n, uint64_t name,
                                        double *share)
{
    spk_status status = SPK_OK;
    begin_masks(&s->by_window, size, s->windows.n_bins > n);
    for (uint32_t bit = 0; status == SPK_OK && bit < size; bit++) {
        const uint32_t *window;
        uint32_t n_windows;
        status = spk_pattern_locate(s->locator, 1, &item[bit], &window, &n_windows);
        for (uint32_t k = 0; status == SPK_OK && k < n_windows; k++)
            status = add_bit(s->context, &s->by_window, window[k], bit);
    }
    return status == SPK_OK ? find_share(s, &s->by_window, extent, n, USE_SPIKES, name, share)
                            : status;
}

/* Parts of the windows: masks are other items that some of them have. */
static spk_status extensional_stability(stability *s, const uint32_t *item, uint32_t size,
                                        const uint32_t *extent, uint32_t n, uint64_t name,
                                        double *share)
{
    const spk_window_columns *w = &s->windows;
    spk_status status = SPK_OK;
    begin_masks(&s->by_item, n, (uint64_t)w->n_units * w->window > size);
    for (uint32_t bit = 0; status == SPK_OK && bit < n; bit++)
        for (uint64_t k = w->first[extent[bit]]; status == SPK_OK && k < w->first[extent[bit] + 1u];
             k++)
            status = add_bit(s->context, &s->by_item, w->item[k], bit);
    return status == SPK_OK ? find_share(s, &s->by_item, item, size, USE_WINDOWS, name, share)
                            : status;
}

static spk_status find_both(stability *s, const uint32_t *item, uint32_t size, double *intensional,
                            double *extensional)
{
    const uint32_t *found;
    uint32_t *extent = NULL;
    uint32_t n;
    uint64_t name = size;
    for (uint32_t k = 0; k < size; k++)
        name = spk_hash(name ^ item[k]);
    spk_status status = spk_pattern_locate(s->locator, size, item, &found, &n);
    if (status == SPK_OK && n == 0)
        status = spk_fail(s->context, SPK_ERR_ARGUMENT,
                          "a pattern occurs in no window; give the windows in which it was mined");
    if (status == SPK_OK)
        status = spk_alloc(s->context, &extent, n, "the stability of patterns");
    if (status != SPK_OK)
        return status;
    memcpy(extent, found, n * sizeof *extent);
    if (intensional != NULL)
        status = intensional_stability(s, item, size, extent, n, name, intensional);
    if (status == SPK_OK && extensional != NULL)
        status = extensional_stability(s, item, size, extent, n, name, extensional);
    spk_free(s->context, extent);
    return status;
}

/* ---- the job --------------------------------------------------------------------------------- */

/* Patterns are shared out in runs of some neighbours: each has its numbers by itself. */
typedef struct stability_job {
    const spk_windows *windows;
    const spk_pattern_columns *patterns;
    uint64_t n_subsets;
    uint64_t seed;
    uint64_t n_together;
    double *intensional;
    double *extensional;
} stability_job;

/* Proposition 6 of Babin and Kuznetsov, rounded as Elephant rounds. */
static spk_status choose_subsets(spk_context *context, const spk_stability_options *options,
                                 uint64_t *n_subsets)
{
    enum { MOST_SUBSETS_BITS = 40 };
    double wanted = (double)options->n_subsets;
    if (options->n_subsets == 0) {
        if (!(options->epsilon > 0 && options->epsilon < 1) ||
            !(options->delta > 0 && options->delta < 1))
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "the stability's error epsilon is %g and its risk delta %g; both lie "
                            "between 0 and 1",
                            options->epsilon, options->delta);
        wanted = rint(
            spk_portable_log(2 / options->delta) / (2 * options->epsilon * options->epsilon) + 1);
    }
    if (wanted > (double)(UINT64_C(1) << MOST_SUBSETS_BITS))
        return spk_fail(context, SPK_ERR_RANGE,
                        "the stability would take %g parts of each pattern; choose a larger "
                        "epsilon or fewer parts",
                        wanted);
    *n_subsets = (uint64_t)wanted;
    return SPK_OK;
}

static spk_status prepare(stability *s, const spk_windows *windows)
{
    s->windows = spk_windows_columns(windows);
    const uint64_t n_items = (uint64_t)s->windows.n_units * s->windows.window;
    s->slots = 16;
    while (s->slots < 2 * s->n_subsets)
        s->slots *= 2;
    spk_status status = spk_pattern_locator_create(s->context, windows, &s->locator);
    if (status != SPK_OK)
        return status;
    return spk_alloc_columns(s->context, "the stability of patterns",
                             SPK_COLUMN(&s->drawn, s->slots),
                             SPK_COLUMN_ZERO(&s->by_window.number, s->windows.n_windows),
                             SPK_COLUMN_ZERO(&s->by_item.number, n_items));
}

static void free_masks(mask_set *set)
{
    spk_free_all(set->word, set->key, set->number, set->rank);
}

static void close_stability(stability *s)
{
    spk_pattern_locator_free(s->locator);
    free_masks(&s->by_window);
    free_masks(&s->by_item);
    free(s->part);
    free(s->drawn);
}

static spk_status find_some(spk_context *own, uint64_t task, void *user)
{
    const stability_job *job = user;
    const spk_pattern_columns *p = job->patterns;
    const uint64_t begin = task * job->n_together;
    const uint64_t end = begin + job->n_together < p->n ? begin + job->n_together : p->n;
    stability s = {.context = own, .n_subsets = job->n_subsets, .seed = job->seed};
    spk_stage stage = spk_stage_open(own);
    spk_status status = prepare(&s, job->windows);
    for (uint64_t i = begin; status == SPK_OK && i < end; i++) {
        status = find_both(&s, p->item + p->offset[i], (uint32_t)(p->offset[i + 1] - p->offset[i]),
                           job->intensional != NULL ? &job->intensional[i] : NULL,
                           job->extensional != NULL ? &job->extensional[i] : NULL);
        if (status == SPK_OK && i % 64 == 0)
            status = spk_check_cancel(own);
    }
    close_stability(&s);
    spk_stage_close(own, &stage);
    return status;
}

spk_status spk_pattern_stability(spk_context *context, const spk_windows *windows,
                                 const spk_pattern_columns *patterns,
                                 const spk_stability_options *options, double *intensional,
                                 double *extensional)
{
    enum { FEWEST = 8, TASKS_OF_A_THREAD = 8 };
    spk_stability_options own;
    stability_job job = {.windows = windows,
                         .patterns = patterns,
                         .intensional = intensional,
                         .extensional = extensional};
    spk_status status = SPK_OPTIONS_TAKE(context, options, &own, spk_stability_options);
    if (status == SPK_OK)
        status = choose_subsets(context, &own, &job.n_subsets);
    if (status != SPK_OK || patterns->n == 0)
        return status;
    job.seed = own.seed;
    job.n_together = patterns->n / (TASKS_OF_A_THREAD * (uint64_t)spk_context_threads(context)) + 1;
    if (job.n_together < FEWEST)
        job.n_together = FEWEST;
    const spk_queue_job queue = {.n = (patterns->n - 1) / job.n_together + 1,
                                 .what = "stability of patterns",
                                 .task = find_some,
                                 .user = &job};
    return spk_queue_run(context, &queue);
}
