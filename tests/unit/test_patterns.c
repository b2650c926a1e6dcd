/*
 * Patterns: every engine against all closed sets by definition, on random small cases; the same for
 * every instruction set and number of threads; the reference results of the
 * reach-to-grasp recordings.
 */
#include "pattern/engine/engine.h"
#include "support/engines.h"
#include "support/simd.h"
#include "support/test.h"

/* ---- a small job and its answer -------------------------------------------------------------- */

enum { MAX_WINDOWS = 40, MAX_ITEMS = 4096, MAX_FOUND = 1 << 16 };

typedef struct small_case {
    uint32_t n_windows;
    uint32_t n_units;
    uint32_t window;
    uint64_t first[MAX_WINDOWS + 1];
    uint32_t item[MAX_WINDOWS * 64];
    spk_pattern_limits limits;
} small_case;

/* A list of patterns as text lines, so that lists compare by sorting and memcmp. */
typedef struct text_list {
    size_t n;
    char *line[MAX_FOUND];
} text_list;

static void text_list_clear(text_list *list)
{
    for (size_t k = 0; k < list->n; k++)
        free(list->line[k]);
    list->n = 0;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_pattern(text_list *list, uint32_t count, uint32_t size, const uint32_t *item)
{
    char *line = malloc(16 + (size_t)size * 12);
    assert_non_null(line);
    size_t n = (size_t)sprintf(line, "%u:", count);
    for (uint32_t k = 0; k < size; k++)
        n += (size_t)sprintf(line + n, " %u", item[k]);
    assert_true(list->n < MAX_FOUND);
    list->line[list->n++] = line;
}

static spk_status collect(void *user, const spk_pattern_columns *patterns)
{
    for (uint64_t i = 0; i < patterns->n; i++)
        add_pattern(user, patterns->count[i],
                    (uint32_t)(patterns->offset[i + 1] - patterns->offset[i]),
                    patterns->item + patterns->offset[i]);
    return SPK_OK;
}

/* ---- the definition -------------------------------------------------------------------------- */

static bool window_has(const small_case *c, uint32_t w, uint32_t item)
{
    for (uint64_t k = c->first[w]; k < c->first[w + 1]; k++)
        if (c->item[k] == item)
            return true;
    return false;
}

/* Items in the order of a pattern: by lag, then unit. */
static uint32_t common_items(const small_case *c, uint64_t windows, uint32_t *item)
{
    uint32_t n = 0;
    for (uint32_t lag = 0; lag < c->window; lag++) {
        for (uint32_t unit = 0; unit < c->n_units; unit++) {
            bool all = true;
            for (uint32_t w = 0; w < c->n_windows && all; w++)
                all = (windows >> w & 1) == 0 || window_has(c, w, unit * c->window + lag);
            if (all)
                item[n++] = unit * c->window + lag;
        }
    }
    return n;
}

static uint64_t windows_of(const small_case *c, const uint32_t *item, uint32_t n)
{
    uint64_t windows = 0;
    for (uint32_t w = 0; w < c->n_windows; w++) {
        bool all = true;
        for (uint32_t k = 0; k < n && all; k++)
            all = window_has(c, w, item[k]);
        windows |= (uint64_t)all << w;
    }
    return windows;
}

static bool within_limits(const small_case *c, uint32_t count, uint32_t size, const uint32_t *item)
{
    uint32_t neurons = 0;
    bool lag0 = false;
    for (uint32_t k = 0; k < size; k++) {
        bool known = false;
        for (uint32_t i = 0; i < k && !known; i++)
            known = item[i] / c->window == item[k] / c->window;
        neurons += !known;
        lag0 |= item[k] % c->window == 0;
    }
    return lag0 && size >= c->limits.min_spikes && size <= c->limits.max_spikes &&
           count >= c->limits.min_support && count <= c->limits.max_count &&
           neurons >= c->limits.min_neurons;
}

/* A set is closed when it is all that some set of windows has in common: goes through the sets of
 * windows, not through the items, which no engine does. */
static void by_definition(const small_case *c, text_list *list)
{
    uint32_t item[MAX_ITEMS];
    for (uint64_t windows = 1; windows < UINT64_C(1) << c->n_windows; windows++) {
        uint32_t n = common_items(c, windows, item);
        if (n == 0 || windows_of(c, item, n) != windows)
            continue; /* another set of windows stands for this one */
        uint32_t count = (uint32_t)__builtin_popcountll(windows);
        if (within_limits(c, count, n, item))
            add_pattern(list, count, n, item);
    }
    qsort(list->line, list->n, sizeof *list->line, compare_lines);
}

/* ---- random cases ---------------------------------------------------------------------------- */

static void add_window(small_case *c, test_random *random, double density)
{
    uint32_t w = c->n_windows++;
    uint32_t n_items = c->n_units * c->window;
    uint64_t at = c->first[w];
    if (w > 0 && test_random_chance(random, 0.15)) { /* an identical window */
        uint64_t size = c->first[w] - c->first[w - 1];
        memcpy(c->item + at, c->item + c->first[w - 1], size * sizeof *c->item);
        at += size;
    } else if (!test_random_chance(random, 0.08)) { /* else an empty one */
        for (uint32_t item = 0; item < n_items && at < c->first[w] + 64; item++)
            if (test_random_chance(random, density))
                c->item[at++] = item;
    }
    c->first[w + 1] = at;
}

/* Puts an item into all windows. */
static void add_everywhere(small_case *c, uint32_t everywhere)
{
    small_case old = *c;
    uint64_t at = 0;
    for (uint32_t w = 0; w < c->n_windows; w++) {
        bool placed = false;
        c->first[w] = at;
        for (uint64_t k = old.first[w]; k < old.first[w + 1]; k++) {
            if (!placed && old.item[k] >= everywhere) {
                c->item[at++] = everywhere;
                placed = true;
            }
            if (old.item[k] != everywhere)
                c->item[at++] = old.item[k];
        }
        if (!placed)
            c->item[at++] = everywhere;
    }
    c->first[c->n_windows] = at;
}

static void make_case(small_case *c, test_random *random)
{
    memset(c, 0, sizeof *c);
    c->n_units = 1 + (uint32_t)test_random_below(random, 6);
    c->window = test_random_chance(random, 0.2) ? 1 : 1 + (uint32_t)test_random_below(random, 64);
    if (test_random_chance(random, 0.6))
        c->window = 1 + (uint32_t)test_random_below(random, 4);
    uint32_t n_items = c->n_units * c->window;
    uint32_t n_windows = (uint32_t)test_random_below(random, 10);
    double most = n_items < 20 ? 0.9 : 18.0 / n_items;
    double density = most * (0.1 + 0.9 * test_random_real(random));
    while (c->n_windows < n_windows)
        add_window(c, random, density);
    if (test_random_chance(random, 0.15))
        add_everywhere(c, (uint32_t)test_random_below(random, n_items));
    spk_pattern_limits *l = &c->limits;
    l->min_spikes = 1 + (uint32_t)test_random_below(random, 5);
    l->max_spikes = test_random_chance(random, 0.6)
                        ? UINT32_MAX
                        : l->min_spikes + (uint32_t)test_random_below(random, 3);
    l->min_support = 1 + (uint32_t)test_random_below(random, 4);
    l->max_count = test_random_chance(random, 0.7)
                       ? UINT32_MAX
                       : l->min_support + (uint32_t)test_random_below(random, 3);
    l->min_neurons = 1 + (uint32_t)test_random_below(random, 4);
}

static spk_window_columns columns_of(const small_case *c)
{
    static const uint32_t trial[MAX_WINDOWS + 1];
    static const uint64_t start_bin[MAX_WINDOWS + 1];
    return (spk_window_columns){.n_windows = c->n_windows,
                                .n_bins = c->n_windows,
                                .n_units = c->n_units,
                                .window = c->window,
                                .first = c->first,
                                .item = c->item,
                                .trial = trial,
                                .start_bin = start_bin};
}

static void print_case(const small_case *c, uint64_t number, const char *engine)
{
    print_message("case %llu, engine %s: %u units, window %u, %u windows; spikes %u..%u, count "
                  "%u..%u, neurons %u\n",
                  (unsigned long long)number, engine, c->n_units, c->window, c->n_windows,
                  c->limits.min_spikes, c->limits.max_spikes, c->limits.min_support,
                  c->limits.max_count, c->limits.min_neurons);
    for (uint32_t w = 0; w < c->n_windows; w++) {
        for (uint64_t k = c->first[w]; k < c->first[w + 1]; k++)
            print_message(" %u", c->item[k]);
        print_message("\n");
    }
}

static void check_equal(const small_case *c, uint64_t number, const char *engine,
                        const text_list *expected, text_list *found)
{
    qsort(found->line, found->n, sizeof *found->line, compare_lines);
    bool equal = expected->n == found->n;
    for (size_t k = 0; equal && k < found->n; k++)
        equal = strcmp(expected->line[k], found->line[k]) == 0;
    if (equal)
        return;
    print_case(c, number, engine);
    print_message("%zu expected, %zu found\n", expected->n, found->n);
    for (size_t k = 0; k < 10 && k < expected->n; k++)
        print_message("  expected %s\n", expected->line[k]);
    for (size_t k = 0; k < 10 && k < found->n; k++)
        print_message("  found    %s\n", found->line[k]);
    fail();
}

/* All engines have the order of the first one, whose list is taken over. */
static void check_order(const small_case *c, uint64_t number, const char *engine, text_list *first,
                        const text_list *found)
{
    const bool is_first = first->n == 0;
    for (size_t k = 0; k < found->n; k++) {
        if (is_first)
            first->line[first->n++] = strdup(found->line[k]);
        if (k < first->n && strcmp(first->line[k], found->line[k]) == 0)
            continue;
        print_case(c, number, engine);
        fail_msg("pattern %zu is %s, and %s with the first engine", k, found->line[k],
                 k < first->n ? first->line[k] : "none");
    }
}

/* One case with every engine; instruction set and threads go round. */
static void check_case(const small_case *c, uint64_t number, spk_context *context)
{
    static text_list expected, found, first;
    const test_pattern_engine *engine;
    spk_window_columns columns = columns_of(c);
    by_definition(c, &expected);
    spk_context_set_threads(context, number % 10 < 3 ? 2 + (int)(number % 10) : 1);
    for (size_t k = 0; (engine = test_pattern_engine_at(k)) != NULL; k++) {
        test_simd_use(number);
        spk_status status =
            test_pattern_mine(context, engine->table, &columns, &c->limits, collect, &found);
        test_simd_use_best();
        if (status != SPK_OK)
            print_message("%s\n", spk_context_message(context));
        assert_int_equal(status, SPK_OK);
        check_order(c, number, engine->name, &first, &found);
        check_equal(c, number, engine->name, &expected, &found);
        text_list_clear(&found);
    }
    text_list_clear(&expected);
    text_list_clear(&first);
}

static void engines_agree_with_the_definition(void **state)
{
    (void)state;
    static small_case c;
    const uint64_t n_cases = test_scaled_from(6000, 1500);
    uint64_t seed = test_seed("engines_agree_with_the_definition");
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    for (uint64_t number = 0; number < n_cases; number++) {
        test_random random = test_random_make(seed, number);
        make_case(&c, &random);
        check_case(&c, number, context);
    }
    spk_context_free(context);
}

/* ---- larger cases: instruction sets, threads, order ------------------------------------------ */

typedef struct large_case {
    uint64_t *first;
    uint32_t *item;
    uint32_t *trial;
    uint64_t *start_bin;
    spk_window_columns columns;
} large_case;

/* Busy and quiet units, more than 64 windows per item, so that all kinds of nodes are met. */
static void large_case_make(large_case *c, test_random *random, uint32_t n_units, uint32_t window,
                            uint32_t n_windows)
{
    uint64_t n = 0;
    c->first = calloc(n_windows + 1, sizeof *c->first);
    c->item = malloc((size_t)n_windows * n_units * window * sizeof *c->item);
    c->trial = calloc(n_windows, sizeof *c->trial);
    c->start_bin = calloc(n_windows, sizeof *c->start_bin);
    for (uint32_t w = 0; w < n_windows; w++) {
        double arousal = test_random_chance(random, 0.2) ? 1.6 : 0.7;
        for (uint32_t unit = 0; unit < n_units; unit++)
            for (uint32_t lag = 0; lag < window; lag++)
                if (test_random_chance(random, arousal * 0.6 / (1 + unit % 7)))
                    c->item[n++] = unit * window + lag;
        c->first[w + 1] = n;
        c->start_bin[w] = w;
    }
    c->columns = (spk_window_columns){.n_windows = n_windows,
                                      .n_bins = n_windows,
                                      .n_units = n_units,
                                      .window = window,
                                      .first = c->first,
                                      .item = c->item,
                                      .trial = c->trial,
                                      .start_bin = c->start_bin};
}

static void large_case_free(large_case *c)
{
    free(c->first);
    free(c->item);
    free(c->trial);
    free(c->start_bin);
}

static spk_pattern_list *mine_list(spk_context *context, const large_case *c,
                                   const spk_pattern_limits *limits, uint64_t simd, int threads)
{
    spk_pattern_list *list = NULL;
    assert_int_equal(spk_pattern_list_create(context, c->columns.window, &list), SPK_OK);
    test_simd_use(simd);
    spk_context_set_threads(context, threads);
    assert_int_equal(test_pattern_mine(context, &spk_pattern_engine_bitmap, &c->columns, limits,
                                       spk_pattern_list_add, list),
                     SPK_OK);
    test_simd_use_best();
    return list;
}

static void order_never_depends_on_threads_or_instructions(void **state)
{
    (void)state;
    uint64_t seed = test_seed("order_never_depends_on_threads_or_instructions");
    int n_simd = (int)test_n_simd();
    uint64_t n_patterns = 0;
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    for (uint64_t number = 0; number < 6; number++) {
        test_random random = test_random_make(seed, number);
        large_case c;
        large_case_make(&c, &random, 14, 2 + (uint32_t)(number % 3), 60 + 40 * (uint32_t)number);
        spk_pattern_limits limits = {3, UINT32_MAX, 6 + 4 * (uint32_t)number, UINT32_MAX, 3};
        spk_pattern_list *first = mine_list(context, &c, &limits, 0, 1);
        spk_pattern_columns a = spk_pattern_list_columns(first);
        for (int variant = 1; variant < 4 * n_simd; variant++) {
            spk_pattern_list *other =
                mine_list(context, &c, &limits, (uint64_t)variant, 1 + variant / n_simd);
            spk_pattern_columns b = spk_pattern_list_columns(other);
            assert_int_equal(a.n, b.n);
            assert_memory_equal(a.offset, b.offset, (a.n + 1) * sizeof *a.offset);
            assert_memory_equal(a.count, b.count, a.n * sizeof *a.count);
            assert_memory_equal(a.item, b.item, a.offset[a.n] * sizeof *a.item);
            spk_pattern_list_free(other);
        }
        n_patterns += a.n;
        spk_pattern_list_free(first);
        large_case_free(&c);
    }
    print_message("%llu patterns compared\n", (unsigned long long)n_patterns);
    assert_true(n_patterns > 100);
    spk_context_free(context);
}

/* On larger cases the other engines, which share no code, are the oracle. */
static void engines_agree_on_larger_cases(void **state)
{
    (void)state;
    static text_list expected, found;
    uint64_t seed = test_seed("engines_agree_on_larger_cases");
    spk_context *context = NULL;
    const test_pattern_engine *engine;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    for (uint64_t number = 0; number < 40; number++) {
        test_random random = test_random_make(seed, number);
        large_case c;
        uint32_t n_windows = 20 + (uint32_t)test_random_below(&random, number % 2 == 0 ? 200 : 700);
        large_case_make(&c, &random, 8 + (uint32_t)(number % 12), 1 + (uint32_t)(number % 5),
                        n_windows);
        spk_pattern_limits limits = {1 + (uint32_t)(number % 5), UINT32_MAX, n_windows / 5 + 2,
                                     UINT32_MAX, 1 + (uint32_t)(number / 5 % 5)};
        for (size_t k = 0; (engine = test_pattern_engine_at(k)) != NULL; k++) {
            text_list *list = k == 0 ? &expected : &found;
            spk_context_set_threads(context, 1 + (int)(number % 3));
            assert_int_equal(
                test_pattern_mine(context, engine->table, &c.columns, &limits, collect, list),
                SPK_OK);
            assert_int_equal(list->n, expected.n); /* and in one order */
            for (size_t i = 0; i < list->n; i++)
                assert_string_equal(list->line[i], expected.line[i]);
            text_list_clear(&found);
        }
        text_list_clear(&expected);
        large_case_free(&c);
    }
    spk_context_free(context);
}

/* ---- options --------------------------------------------------------------------------------- */

static spk_windows *read_windows(spk_context *context, const char *text, uint32_t window)
{
    spk_windows *windows = NULL;
    assert_int_equal(
        spk_windows_parse_transactions(context, "t", text, strlen(text), 0, window, &windows),
        SPK_OK);
    return windows;
}

static void impossible_options_are_refused(void **state)
{
    (void)state;
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_windows *windows = read_windows(context, "0 1\n0 1\n", 1);
    spk_pattern_options good;
    spk_pattern_options_init(&good, sizeof good);
    spk_pattern_options bad[7];
    for (size_t k = 0; k < 7; k++)
        bad[k] = good;
    bad[0].min_spikes = 0;
    bad[1].support = 0;
    bad[2].min_neurons = 0;
    bad[3].min_spikes = 3, bad[3].max_spikes = 2;
    bad[4].support = 3, bad[4].max_count = 2;
    bad[5].engine = "none";
    spk_pattern_supports rising = {.n = 3, .at_size = {0, 0, 2, 3}};
    bad[6].supports = &rising;
    for (size_t k = 0; k < 7; k++)
        assert_int_equal(spk_pattern_mine(context, windows, &bad[k], NULL, NULL, NULL),
                         SPK_ERR_ARGUMENT);
    spk_pattern_summary summary;
    assert_int_equal(spk_pattern_mine(context, windows, &good, NULL, NULL, &summary), SPK_OK);
    assert_int_equal(summary.n_mined, 1);
    spk_context_set_memory_limit(context, 100);
    good.moving_window_filter = false;
    spk_pattern_list *list = NULL;
    assert_int_equal(spk_pattern_list_create(context, 1, &list), SPK_OK);
    assert_int_equal(spk_pattern_mine(context, windows, &good, spk_pattern_list_add, list, NULL),
                     SPK_ERR_MEMORY);
    spk_pattern_list_free(list);
    spk_windows_free(windows);
    spk_context_free(context);
}

/* A sink that had enough ends the mining, with its own status, from any thread. */
static spk_status refuse(void *user, const spk_pattern_columns *patterns)
{
    *(uint64_t *)user += patterns->n;
    return SPK_ERR_IO;
}

static void a_refusing_sink_and_a_cancel_end_the_mining(void **state)
{
    (void)state;
    static text_list found;
    uint64_t seed = test_seed("a_refusing_sink_and_a_cancel_end_the_mining"), n = 0;
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    test_random random = test_random_make(seed, 0);
    large_case c;
    large_case_make(&c, &random, 12, 4, 150);
    spk_pattern_limits limits = {2, UINT32_MAX, 20, UINT32_MAX, 2};
    for (int threads = 1; threads <= 4; threads++) {
        spk_context_set_threads(context, threads);
        n = 0;
        assert_int_equal(
            test_pattern_mine(context, &spk_pattern_engine_bitmap, &c.columns, &limits, refuse, &n),
            SPK_ERR_IO);
        assert_true(n > 0);
        spk_context_cancel(context);
        text_list_clear(&found);
        assert_int_equal(test_pattern_mine(context, &spk_pattern_engine_bitmap, &c.columns, &limits,
                                           collect, &found),
                         SPK_ERR_CANCELLED);
        spk_context_cancel_clear(context);
    }
    text_list_clear(&found);
    large_case_free(&c);
    spk_context_free(context);
}

/* ---- spectrum, occurrences, text ------------------------------------------------------------- */

static void spectrum_and_occurrences_count_the_same(void **state)
{
    (void)state;
    uint64_t seed = test_seed("spectrum_and_occurrences_count_the_same");
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    test_random random = test_random_make(seed, 0);
    char text[8192];
    size_t length = 0;
    for (int w = 0; w < 60; w++) {
        for (unsigned item = 0; item < 30; item++)
            if (test_random_chance(&random, 0.4))
                length += (size_t)sprintf(text + length, "%u ", item);
        text[length++] = '\n';
    }
    text[length] = '\0';
    spk_windows *windows = read_windows(context, text, 5);
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    options.support = 8;
    options.moving_window_filter = false;
    spk_pattern_list *list = NULL;
    spk_spectrum *spectrum = NULL;
    spk_pattern_locator *locator = NULL;
    assert_int_equal(spk_pattern_list_create(context, 5, &list), SPK_OK);
    assert_int_equal(spk_spectrum_create(context, true, &spectrum), SPK_OK);
    assert_true(spk_spectrum_has_duration(spectrum));
    assert_int_equal(spk_pattern_locator_create(context, windows, &locator), SPK_OK);
    assert_int_equal(spk_pattern_mine(context, windows, &options, spk_pattern_list_add, list, NULL),
                     SPK_OK);
    assert_int_equal(spk_pattern_mine(context, windows, &options, spk_spectrum_add, spectrum, NULL),
                     SPK_OK);
    spk_pattern_columns p = spk_pattern_list_columns(list);
    const spk_spectrum_entry *entry = NULL;
    uint64_t n_entries = 0;
    assert_int_equal(spk_spectrum_entries(spectrum, &entry, &n_entries), SPK_OK);
    assert_true(p.n > 20 && n_entries > 2);
    for (uint64_t k = 0; k < n_entries; k++) {
        uint64_t n = 0;
        for (uint64_t i = 0; i < p.n; i++)
            n += p.offset[i + 1] - p.offset[i] == entry[k].size && p.count[i] == entry[k].count &&
                 p.item[p.offset[i + 1] - 1] % 5 == entry[k].duration;
        assert_int_equal(n, entry[k].n_patterns);
    }
    for (uint64_t i = 0; i < p.n; i++) {
        const uint32_t *window = NULL;
        uint32_t n = 0;
        assert_int_equal(spk_pattern_locate(locator, (uint32_t)(p.offset[i + 1] - p.offset[i]),
                                            p.item + p.offset[i], &window, &n),
                         SPK_OK);
        assert_int_equal(n, p.count[i]);
    }
    static const uint32_t items[] = {60, 203, 38};
    static const uint64_t offset[] = {0, 3};
    const spk_pattern_columns columns = {.n = 1, .window = 5, .offset = offset, .item = items};
    char form[32];
    assert_int_equal(spk_pattern_format(NULL, &columns, 0, form, sizeof form), 13);
    assert_string_equal(form, "12@0 40@3 7@3");
    assert_int_equal(spk_pattern_format(NULL, &columns, 0, form, 6), 13);
    assert_string_equal(form, "12@0 ");
    spk_pattern_locator_free(locator);
    spk_spectrum_free(spectrum);
    spk_pattern_list_free(list);
    spk_windows_free(windows);
    spk_context_free(context);
}

/* 10 of 20 bins, 4 units, p = 0.25: the mean of size 2 is 20 / 16 = 1.25, its 95th percentile 3; of
 * size 3 it is 0.3125 and 1. */
static void estimate_follows_the_poisson_distribution(void **state)
{
    (void)state;
    char text[256] = "";
    for (int w = 0; w < 20; w++)
        strcat(text, w < 5 ? "0 1 2 3\n" : "\n");
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_windows *windows = read_windows(context, text, 1);
    spk_pattern_supports t;
    assert_int_equal(spk_pattern_estimate(context, windows, 1, &t), SPK_OK);
    assert_int_equal(t.n, 3);
    assert_int_equal(t.at_size[2], 3);
    assert_int_equal(t.at_size[3], 1);
    assert_int_equal(spk_pattern_estimate(context, windows, 10, &t), SPK_OK);
    assert_int_equal(t.n, 2);
    assert_int_equal(t.at_size[2], 10);
    assert_int_equal(spk_pattern_estimate(context, windows, 0, &t), SPK_ERR_ARGUMENT);
    /* With a support per size, size 4 occurs 5 times: reported below 6, not above. */
    spk_pattern_options options;
    spk_pattern_summary summary;
    spk_pattern_options_init(&options, sizeof options);
    t = (spk_pattern_supports){.n = 4, .at_size = {0, 0, 9, 9, 5}};
    options.supports = &t;
    assert_int_equal(spk_pattern_mine(context, windows, &options, NULL, NULL, &summary), SPK_OK);
    assert_int_equal(summary.n_mined, 1);
    t.at_size[4] = 6;
    assert_int_equal(spk_pattern_mine(context, windows, &options, NULL, NULL, &summary), SPK_OK);
    assert_int_equal(summary.n_mined, 0);
    spk_windows_free(windows);
    spk_context_free(context);
}

/* ---- reference results ----------------------------------------------------------------------- */

typedef struct reference_job {
    uint64_t occurrences;
    uint32_t spikes;
    uint64_t n_patterns;
} reference_job;

static const reference_job MOVEMENT[] = {{88, 2, 22709},  {25, 3, 1562056}, {12, 4, 8266887},
                                         {10, 5, 363023}, {10, 6, 37},      {10, 7, 0},
                                         {10, 8, 0},      {10, 9, 0}};
static const reference_job SHORT[] = {{36, 2, 3413}, {15, 3, 51415}, {10, 4, 18339}, {10, 5, 5},
                                      {10, 6, 0},    {10, 7, 0},     {10, 8, 0},     {10, 9, 0}};

/* From the transactions, or from the spikes in bins of 5 ms. */
static spk_windows *reference_windows(spk_context *context, const char *name, bool spikes,
                                      spk_recording **recording)
{
    char file[128];
    snprintf(file, sizeof file, "reach_to_grasp/%s%s", name, spikes ? ".spikes.txt" : ".txt");
    const char *path = test_external(file);
    spk_windows *windows = NULL;
    if (path == NULL)
        return NULL;
    if (!spikes) {
        assert_int_equal(spk_windows_read_transactions(context, path, 0, 20, &windows), SPK_OK);
        return windows;
    }
    spk_read_options read;
    spk_window_options options;
    spk_read_options_init(&read, sizeof read);
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){5, -3};
    options.window = 20;
    assert_int_equal(spk_recording_read_text(context, path, &read, recording), SPK_OK);
    assert_int_equal(spk_windows_create(context, *recording, &options, &windows), SPK_OK);
    return windows;
}

/* Units that never fire are not in the file of spikes: labels, not numbers, are compared. */
static uint32_t label_item(const spk_recording *recording, uint32_t item)
{
    if (recording == NULL)
        return item;
    return (uint32_t)atoi(spk_recording_label(recording, item / 20)) * 20 + item % 20;
}

static void check_expected_list(const char *name, size_t job, const spk_recording *recording,
                                const spk_pattern_columns *p)
{
    static text_list expected, found;
    char file[128], line[4096];
    snprintf(file, sizeof file, "reach_to_grasp/expected/%s_job%zu.tsv", name, job);
    const char *path = test_external(file);
    FILE *stream = path != NULL ? fopen(path, "r") : NULL;
    if (stream == NULL)
        return;
    while (fgets(line, sizeof line, stream) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        expected.line[expected.n++] = strdup(line);
    }
    fclose(stream);
    for (uint64_t i = 0; i < p->n; i++) { /* "count, tab, items ascending" */
        uint32_t item[64];
        uint32_t size = (uint32_t)(p->offset[i + 1] - p->offset[i]);
        for (uint32_t k = 0; k < size; k++) {
            uint32_t at = k, value = label_item(recording, p->item[p->offset[i] + k]);
            for (; at > 0 && item[at - 1] > value; at--)
                item[at] = item[at - 1];
            item[at] = value;
        }
        size_t n = (size_t)sprintf(line, "%u\t", p->count[i]);
        for (uint32_t k = 0; k < size; k++)
            n += (size_t)sprintf(line + n, "%s%u", k > 0 ? " " : "", item[k]);
        found.line[found.n++] = strdup(line);
    }
    qsort(expected.line, expected.n, sizeof *expected.line, compare_lines);
    qsort(found.line, found.n, sizeof *found.line, compare_lines);
    assert_int_equal(expected.n, found.n);
    for (size_t k = 0; k < found.n; k++)
        assert_string_equal(expected.line[k], found.line[k]);
    text_list_clear(&expected);
    text_list_clear(&found);
}

static void check_reference(const char *name, const reference_job *jobs, size_t n_jobs)
{
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    for (int spikes = 0; spikes < 2; spikes++) {
        spk_recording *recording = NULL;
        spk_windows *windows = reference_windows(context, name, spikes == 1, &recording);
        for (size_t k = 0; windows != NULL && k < n_jobs; k++) {
            spk_pattern_options options;
            spk_pattern_summary summary;
            spk_pattern_list *list = NULL;
            spk_pattern_options_init(&options, sizeof options);
            options.engine = "bitmap";
            options.support = jobs[k].occurrences;
            options.min_spikes = options.min_neurons = jobs[k].spikes;
            options.moving_window_filter = false;
            bool listed = jobs[k].n_patterns < 60000;
            assert_int_equal(spk_pattern_list_create(context, 20, &list), SPK_OK);
            assert_int_equal(spk_pattern_mine(context, windows, &options,
                                              listed ? spk_pattern_list_add : NULL, list, &summary),
                             SPK_OK);
            assert_int_equal(summary.n_mined, jobs[k].n_patterns);
            spk_pattern_columns columns = spk_pattern_list_columns(list);
            if (listed)
                check_expected_list(name, k, recording, &columns);
            spk_pattern_list_free(list);
        }
        if (windows == NULL)
            print_message("reach_to_grasp/%s is not here: skipped\n", name);
        spk_windows_free(windows);
        spk_recording_free(recording);
    }
    spk_context_free(context);
}

static void short_recording_gives_the_reference_results(void **state)
{
    (void)state;
    check_reference("test_short", SHORT, sizeof SHORT / sizeof SHORT[0]);
}

static void whole_recording_gives_the_reference_results(void **state)
{
    (void)state;
    if (!test_whole_recordings())
        skip();
    check_reference("movement_PGHF", MOVEMENT, sizeof MOVEMENT / sizeof MOVEMENT[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_agree_with_the_definition),
        cmocka_unit_test(order_never_depends_on_threads_or_instructions),
        cmocka_unit_test(engines_agree_on_larger_cases),
        cmocka_unit_test(impossible_options_are_refused),
        cmocka_unit_test(a_refusing_sink_and_a_cancel_end_the_mining),
        cmocka_unit_test(spectrum_and_occurrences_count_the_same),
        cmocka_unit_test(estimate_follows_the_poisson_distribution),
        cmocka_unit_test(short_recording_gives_the_reference_results),
        cmocka_unit_test(whole_recording_gives_the_reference_results),
    };
    return cmocka_run_group_tests_name("patterns", tests, NULL, NULL);
}
