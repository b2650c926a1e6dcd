/* The parts of engine fpgrowth: tree, conditional pattern bases, collector, closed detection,
 * memory; and the whole against closed sets found by intersecting windows. */
#include "pattern/engine/engine.h"
#include "pattern/engine/fpgrowth/mine.h"
#include "support/engines.h"
#include "support/raster.h"
#include "support/test.h"

static spk_context *new_context(void)
{
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    return context;
}

static spk_fp_job new_job(spk_context *context, const spk_window_columns *windows,
                          const spk_pattern_limits *limits, int threads)
{
    return (spk_fp_job){.context = context,
                        .transactions = {.n_windows = (uint32_t)windows->n_windows,
                                         .n_units = windows->n_units,
                                         .first = windows->first,
                                         .item = windows->item},
                        .filter = {.window = windows->window,
                                   .min_support = limits->min_support,
                                   .max_count = limits->max_count,
                                   .min_spikes = limits->min_spikes,
                                   .max_spikes = limits->max_spikes,
                                   .min_neurons = limits->min_neurons},
                        .threads = threads,
                        .memory = context != NULL ? spk_context_memory_limit(context) : 0};
}

/* ---- the paper's example (section 2.1, figure 1)
 * --------------------------------------------------- */

/* T1 = {a, b, c}, T2 = {a, c, d}, T3 = {a, b, c, d}: units a..d in a window of one bin. */
static const uint64_t EXAMPLE_FIRST[] = {0, 3, 6, 10};
static const uint32_t EXAMPLE_ITEM[] = {0, 1, 2, 0, 2, 3, 0, 1, 2, 3};
static const spk_window_columns EXAMPLE = {
    .n_windows = 3, .n_units = 4, .window = 1, .first = EXAMPLE_FIRST, .item = EXAMPLE_ITEM};

static void the_example_gives_the_papers_tree(void **state)
{
    (void)state;
    spk_pattern_limits limits = {1, UINT32_MAX, 1, UINT32_MAX, 1};
    spk_fp_job job = new_job(NULL, &EXAMPLE, &limits, 1);
    assert_int_equal(spk_fp_job_build(&job), SPK_OK);
    /* a:3 - c:3 - b:2 - d:1, and d:1 below c. */
    static const uint32_t items[] = {0, 2, 1, 3};
    static const uint32_t counts[] = {3, 3, 2, 2};
    assert_int_equal(job.tree.n_entries, 4);
    assert_int_equal(job.tree.n_nodes, 5);
    for (uint32_t k = 0; k < 4; k++) {
        assert_int_equal(job.tree.header[k].item, items[k]);
        assert_int_equal(job.tree.header[k].count, counts[k]);
    }
    const spk_fp_node *node = job.tree.node;
    const spk_fp_step *step = job.tree.step;
    uint32_t d = job.tree.header[3].first;
    assert_int_equal(node[d].count, 1);
    assert_int_equal(step[step[d].parent].entry, 2);
    assert_int_equal(node[node[d].next].count, 1);
    assert_int_equal(step[step[node[d].next].parent].entry, 1);
    assert_int_equal(node[node[d].next].next, SPK_FP_NONE);
    uint32_t base[3] = {0, 0, 0};
    spk_fp_tree_count_base(&job.tree, 3, base);
    assert_true(base[0] == 2 && base[1] == 2 && base[2] == 1);
    spk_fp_job_clear(&job);
}

typedef struct found {
    uint32_t n;
    uint32_t count[64];
    uint32_t size[64];
    uint32_t item[64][8];
} found;

static spk_status found_add(void *user, const spk_pattern_columns *patterns)
{
    found *all = user;
    for (uint64_t i = 0; i < patterns->n; i++) {
        uint32_t size = (uint32_t)(patterns->offset[i + 1] - patterns->offset[i]);
        assert_true(all->n < 64 && size <= 8);
        all->count[all->n] = patterns->count[i];
        all->size[all->n] = size;
        memcpy(all->item[all->n++], patterns->item + patterns->offset[i], size * sizeof(uint32_t));
    }
    return SPK_OK;
}

static void the_example_gives_the_papers_patterns(void **state)
{
    (void)state;
    spk_context *context = new_context();
    spk_pattern_limits limits = {2, UINT32_MAX, 2, UINT32_MAX, 1};
    found all = {.n = 0};
    assert_int_equal(test_pattern_mine(context, &spk_pattern_engine_fpgrowth, &EXAMPLE, &limits,
                                       found_add, &all),
                     SPK_OK);
    /* a, c (3), and then what it leads to: a, b, c (2); a, c, d (2). */
    static const uint32_t acd[] = {0, 2, 3};
    static const uint32_t abc[] = {0, 1, 2};
    static const uint32_t ac[] = {0, 2};
    assert_int_equal(all.n, 3);
    assert_true(all.count[0] == 3 && all.count[1] == 2 && all.count[2] == 2);
    assert_true(all.size[0] == 2 && all.size[1] == 3 && all.size[2] == 3);
    assert_memory_equal(all.item[0], ac, sizeof ac);
    assert_memory_equal(all.item[1], abc, sizeof abc);
    assert_memory_equal(all.item[2], acd, sizeof acd);
    spk_context_free(context);
}

/* ---- tree
 * ----------------------------------------------------------------------------------------- */

static uint32_t windows_with(const spk_window_columns *windows, uint32_t item, uint32_t other)
{
    uint32_t n = 0;
    for (uint64_t w = 0; w < windows->n_windows; w++) {
        bool a = false;
        bool b = false;
        for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++) {
            a = a || windows->item[k] == item;
            b = b || windows->item[k] == other;
        }
        n += a && b;
    }
    return n;
}

static void trees_hold_the_transactions(void **state)
{
    (void)state;
    test_random random = test_random_start(__func__);
    for (int round = 0; round < 300; round++) {
        spk_window_columns windows =
            test_windows_random(&random, 1 + test_below(&random, 120), 1 + test_below(&random, 4),
                                3, 10 + test_below(&random, 80));
        spk_pattern_limits limits = {1, UINT32_MAX, 1, UINT32_MAX, 1};
        spk_fp_job job = new_job(NULL, &windows, &limits, 1);
        assert_int_equal(spk_fp_job_build(&job), SPK_OK);
        const spk_fp_tree *tree = &job.tree;
        for (uint32_t k = 0; k < tree->n_entries; k++) {
            uint32_t item = tree->header[k].item;
            uint32_t base[12] = {0};
            spk_fp_tree_count_base(tree, k, base);
            for (uint32_t above = 0; above < k; above++)
                assert_int_equal(base[above],
                                 windows_with(&windows, item, tree->header[above].item));
            assert_int_equal(tree->header[k].count, windows_with(&windows, item, item));
            assert_true(k == 0 || tree->header[k].count <= tree->header[k - 1].count);
        }
        /* Children of one node differ in their items: it is a prefix tree. */
        for (uint32_t a = 0; a < tree->n_nodes; a++)
            for (uint32_t b = 0; b < a; b++)
                assert_false(tree->step[a].parent == tree->step[b].parent &&
                             tree->step[a].entry == tree->step[b].entry);
        spk_fp_job_clear(&job);
        test_windows_free(&windows);
    }
}

static void base_rows_keep_what_is_asked(void **state)
{
    (void)state;
    spk_pattern_limits limits = {1, UINT32_MAX, 1, UINT32_MAX, 1};
    spk_fp_job job = new_job(NULL, &EXAMPLE, &limits, 1);
    assert_int_equal(spk_fp_job_build(&job), SPK_OK);
    /* The base of d without its perfect extension a: {c, b} and {c}. */
    const uint32_t renumber[] = {SPK_FP_NONE, 0, 1};
    spk_fp_row *rows;
    uint32_t n_rows;
    uint64_t n_total;
    assert_true(
        spk_fp_tree_base_rows(&job.arena, &job.tree, 3, renumber, 2, 1, &rows, &n_rows, &n_total));
    assert_true(n_rows == 2 && n_total == 3);
    assert_true(rows[0].n == 2 && rows[0].entry[0] == 0 && rows[0].entry[1] == 1);
    assert_true(rows[1].n == 1 && rows[1].entry[0] == 0 && rows[1].count == 1);
    spk_fp_header header[2] = {{.item = 2}, {.item = 1}};
    spk_fp_tree tree = {.header = header, .n_entries = 2};
    assert_true(spk_fp_tree_build(&job.arena, &tree, rows, n_rows, n_total));
    assert_true(spk_fp_tree_is_path(&tree));
    assert_true(tree.node[0].count == 2 && tree.node[1].count == 1);
    assert_int_equal(tree.header[0].signature, job.tree.header[3].signature);
    assert_false(spk_fp_tree_is_path(&job.tree));
    assert_true(
        spk_fp_tree_base_rows(&job.arena, &job.tree, 3, renumber, 2, 2, &rows, &n_rows, &n_total));
    assert_true(n_rows == 1 && n_total == 2);
    spk_fp_job_clear(&job);
}

/* ---- collector and memory
 * ------------------------------------------------------------------------- */

static void collectors_filter_on_arrival(void **state)
{
    (void)state;
    spk_fp_filter filter = {.window = 10,
                            .min_support = 3,
                            .max_count = 8,
                            .min_spikes = 2,
                            .max_spikes = 3,
                            .min_neurons = 2};
    static const struct {
        uint32_t item[4];
        uint32_t n;
        uint32_t count;
        uint64_t stored;
    } cases[] = {
        {{30, 12}, 2, 3, 1},         {{31, 12}, 2, 3, 0}, /* no lag 0 */
        {{30, 35}, 2, 3, 0},         {{30, 12}, 2, 9, 0}, /* one neuron; too often */
        {{30, 12}, 2, 2, 0},         {{30}, 1, 5, 0},     /* too seldom; too small */
        {{30, 12, 13, 39}, 4, 5, 0}, {{39, 13, 0}, 3, 8, 1},
    };
    uint32_t item[4];
    uint32_t per_unit[4] = {0};
    spk_budget budget;
    spk_budget_init(&budget, 0);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spk_fp_prefix prefix = {.filter = &filter, .item = item, .per_unit = per_unit};
        spk_fp_collector collector = {.n_patterns = 0};
        for (uint32_t i = 0; i < cases[k].n; i++)
            spk_fp_prefix_push(&prefix, cases[k].item[i]);
        assert_true(spk_fp_collect(&collector, &budget, &prefix, cases[k].count, 7));
        assert_int_equal(collector.n_patterns, cases[k].stored);
        spk_fp_prefix_pop_to(&prefix, 0);
        assert_true(prefix.n_neurons == 0 && prefix.n_first_bin == 0);
        spk_fp_collector_free(&collector, &budget);
    }
    assert_int_equal(budget.used, 0);
}

static void blocks_keep_order_and_content(void **state)
{
    (void)state;
    test_random random = test_random_start(__func__);
    test_random again = random;
    spk_fp_filter filter = {.window = 1, .max_count = UINT32_MAX, .max_spikes = UINT32_MAX};
    enum { UNITS = 900, PATTERNS = 30000 };
    uint32_t item[UNITS];
    uint32_t per_unit[UNITS] = {0};
    spk_budget budget;
    spk_budget_init(&budget, 0);
    spk_fp_prefix prefix = {.filter = &filter, .item = item, .per_unit = per_unit};
    spk_fp_collector collector = {.n_patterns = 0};
    for (uint32_t k = 0; k < PATTERNS; k++) {
        uint32_t n = 1 + test_below(&random, k % 100 == 0 ? UNITS : 6);
        for (uint32_t i = 0; i < n; i++)
            spk_fp_prefix_push(&prefix, n - 1 - i);
        assert_true(spk_fp_collect(&collector, &budget, &prefix, k + 1, k));
        spk_fp_prefix_pop_to(&prefix, 0);
    }
    random = again;
    spk_fp_cursor cursor = {.block = NULL};
    for (uint32_t k = 0; k < PATTERNS; k++) {
        const spk_found_pattern *pattern = spk_fp_collector_next(&collector, &cursor);
        assert_non_null(pattern);
        assert_int_equal(pattern->n, 1 + test_below(&random, k % 100 == 0 ? UNITS : 6));
        assert_true(pattern->count == k + 1 && pattern->signature == k);
        for (uint32_t i = 0; i < pattern->n; i++)
            assert_int_equal(pattern->item[i], i);
    }
    assert_null(spk_fp_collector_next(&collector, &cursor));
    spk_fp_collector_free(&collector, &budget);
    assert_int_equal(budget.used, 0);
}

static void the_memory_limit_is_kept(void **state)
{
    (void)state;
    spk_context *context = new_context();
    test_random random = test_random_start(__func__);
    spk_window_columns windows = test_windows_random(&random, 60, 8, 10, 40);
    spk_pattern_limits limits = {1, UINT32_MAX, 12, UINT32_MAX, 1};
    bool refused = false;
    bool done = false;
    for (uint64_t limit = 1000; !done; limit *= 2) {
        spk_context_set_memory_limit(context, limit);
        spk_fp_job job = new_job(context, &windows, &limits, 2);
        spk_status status = spk_fp_job_build(&job);
        if (status == SPK_OK)
            status = spk_fp_job_mine(&job);
        if (status == SPK_OK)
            status = spk_fp_job_mark_closed(&job);
        assert_true(job.budget.peak <= limit);
        assert_true(status == SPK_OK || status == SPK_ERR_MEMORY);
        if (status == SPK_ERR_MEMORY)
            assert_non_null(strstr(spk_context_message(context), "memory limit"));
        refused = refused || status == SPK_ERR_MEMORY;
        done = status == SPK_OK;
        spk_fp_job_clear(&job);
        assert_int_equal(job.budget.used, 0);
    }
    assert_true(refused);
    test_windows_free(&windows);
    spk_context_free(context);
}

/* ---- the whole
 * -------------------------------------------------------------------------------------- */

/* Sets of items as bits: at most 64 items. */
typedef struct bit_patterns {
    uint32_t n;
    uint64_t set[1 << 12];
    uint32_t count[1 << 12];
} bit_patterns;

static uint32_t bits(uint64_t set)
{
    uint32_t n = 0;
    for (; set != 0; set &= set - 1)
        n++;
    return n;
}

static bool within(uint64_t set, uint32_t count, uint32_t window, const spk_pattern_limits *limits)
{
    uint32_t neurons = 0;
    bool first_bin = false;
    for (uint32_t unit = 0; unit * window < 64; unit++) {
        uint64_t of_unit = (set >> (unit * window)) & ((UINT64_C(1) << window) - 1);
        neurons += of_unit != 0;
        first_bin = first_bin || (of_unit & 1) != 0;
    }
    return first_bin && neurons >= limits->min_neurons && bits(set) >= limits->min_spikes &&
           bits(set) <= limits->max_spikes && count >= limits->min_support &&
           count <= limits->max_count;
}

/* Closed sets are the intersections of windows; each is taken once. */
static void intersect_windows(const spk_window_columns *windows, const spk_pattern_limits *limits,
                              bit_patterns *out)
{
    uint64_t window_set[12] = {0};
    for (uint64_t w = 0; w < windows->n_windows; w++)
        for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++)
            window_set[w] |= UINT64_C(1) << windows->item[k];
    out->n = 0;
    for (uint32_t some = 1; some < UINT32_C(1) << windows->n_windows; some++) {
        uint64_t set = UINT64_MAX;
        for (uint32_t w = 0; w < windows->n_windows; w++)
            if (some >> w & 1)
                set &= window_set[w];
        uint32_t count = 0;
        uint32_t all = 0;
        for (uint32_t w = 0; w < windows->n_windows; w++)
            if ((set & window_set[w]) == set) {
                count++;
                all |= UINT32_C(1) << w;
            }
        if (all != some || !within(set, count, windows->window, limits))
            continue; /* `some` is not all windows that hold the set: met under that number */
        out->set[out->n] = set;
        out->count[out->n++] = count;
    }
}

static spk_status bits_add(void *user, const spk_pattern_columns *patterns)
{
    bit_patterns *all = user;
    for (uint64_t i = 0; i < patterns->n; i++) {
        uint64_t set = 0;
        for (uint64_t k = patterns->offset[i]; k < patterns->offset[i + 1]; k++) {
            uint32_t item = patterns->item[k];
            set |= UINT64_C(1) << item;
            if (k > patterns->offset[i]) { /* by lag, then unit */
                uint32_t before = patterns->item[k - 1];
                assert_true(
                    before % patterns->window < item % patterns->window ||
                    (before % patterns->window == item % patterns->window && before < item));
            }
        }
        assert_true(all->n < sizeof all->set / sizeof all->set[0]);
        all->set[all->n] = set;
        all->count[all->n++] = patterns->count[i];
    }
    return SPK_OK;
}

static spk_pattern_limits random_limits(test_random *random, uint32_t n_windows)
{
    spk_pattern_limits limits = {.min_spikes = 1 + test_below(random, 3),
                                 .max_spikes = UINT32_MAX,
                                 .min_support = 1 + test_below(random, n_windows),
                                 .max_count = UINT32_MAX,
                                 .min_neurons = 1 + test_below(random, 3)};
    if (test_below(random, 2) == 0)
        limits.max_spikes = limits.min_spikes + test_below(random, 4);
    if (test_below(random, 3) == 0)
        limits.max_count = limits.min_support + test_below(random, 3);
    return limits;
}

static void assert_same(const bit_patterns *wanted, const bit_patterns *got)
{
    assert_int_equal(got->n, wanted->n);
    for (uint32_t i = 0; i < wanted->n; i++) {
        uint32_t k = 0;
        while (k < got->n && got->set[k] != wanted->set[i])
            k++;
        assert_true(k < got->n && got->count[k] == wanted->count[i]);
    }
}

static void closed_patterns_are_intersections_of_windows(void **state)
{
    (void)state;
    spk_context *context = new_context();
    test_random random = test_random_start(__func__);
    bit_patterns *wanted = malloc(sizeof *wanted);
    bit_patterns *got = malloc(sizeof *got);
    assert_true(wanted != NULL && got != NULL);
    const uint64_t n_rounds = test_scaled_from(4000, 800);
    uint64_t total = 0;
    for (uint64_t round = 0; round < n_rounds; round++) {
        uint32_t n_windows = 1 + test_below(&random, 11);
        uint32_t window = 1 + test_below(&random, 16);
        uint32_t n_units = 1 + test_below(&random, 63 / window > 5 ? 5 : 63 / window);
        spk_window_columns windows =
            test_windows_random(&random, n_windows, n_units, window, 5 + test_below(&random, 90));
        spk_pattern_limits limits = random_limits(&random, n_windows);
        intersect_windows(&windows, &limits, wanted);
        got->n = 0;
        spk_context_set_threads(context, round % 10 == 0 ? 2 : 1); /* starting threads is dear */
        assert_int_equal(test_pattern_mine(context, &spk_pattern_engine_fpgrowth, &windows, &limits,
                                           bits_add, got),
                         SPK_OK);
        assert_same(wanted, got);
        total += got->n;
        test_windows_free(&windows);
    }
    assert_true(total > n_rounds);
    free(wanted);
    free(got);
    spk_context_free(context);
}

/* Closed detection must not believe signatures: with all of them equal it still finds the same. */
static void colliding_signatures_cost_time_only(void **state)
{
    (void)state;
    test_random random = test_random_start(__func__);
    for (int round = 0; round < 200; round++) {
        spk_window_columns windows = test_windows_random(&random, 10, 4, 4, 60);
        spk_pattern_limits limits = {1, UINT32_MAX, 2, UINT32_MAX, 1};
        uint64_t n_closed[2] = {0, 0};
        uint64_t sum[2] = {0, 0};
        for (int colliding = 0; colliding < 2; colliding++) {
            spk_fp_job job = new_job(NULL, &windows, &limits, 1);
            assert_int_equal(spk_fp_job_build(&job), SPK_OK);
            assert_int_equal(spk_fp_job_mine(&job), SPK_OK);
            for (int pass = 0; pass < 2; pass++) {
                for (uint32_t k = 0; k < job.tree.n_entries; k++) {
                    spk_fp_cursor cursor = {.block = NULL};
                    spk_found_pattern *pattern;
                    while ((pattern = spk_fp_collector_next(&job.collector[k], &cursor)) != NULL) {
                        if (pass == 0 && colliding)
                            pattern->signature = 5;
                        if (pass == 1 && pattern->count > 0)
                            for (uint32_t i = 0; i < pattern->n; i++)
                                sum[colliding] += (n_closed[colliding]++ + 1) * pattern->item[i];
                    }
                }
                if (pass == 0)
                    assert_int_equal(spk_fp_job_mark_closed(&job), SPK_OK);
            }
            spk_fp_job_clear(&job);
        }
        assert_true(n_closed[0] == n_closed[1] && sum[0] == sum[1]);
        test_windows_free(&windows);
    }
}

static spk_status count_and_stop(void *user, const spk_pattern_columns *patterns)
{
    uint64_t *n = user;
    *n += patterns->n;
    return SPK_ERR_IO;
}

static void the_sink_can_stop_and_cancel_is_heard(void **state)
{
    (void)state;
    spk_context *context = new_context();
    test_random random = test_random_start(__func__);
    spk_window_columns windows = test_windows_random(&random, 40, 6, 10, 50);
    spk_pattern_limits limits = {1, UINT32_MAX, 10, UINT32_MAX, 1};
    uint64_t n = 0;
    assert_int_equal(test_pattern_mine(context, &spk_pattern_engine_fpgrowth, &windows, &limits,
                                       count_and_stop, &n),
                     SPK_ERR_IO);
    assert_true(n > 0);
    n = 0;
    spk_context_cancel(context);
    assert_int_equal(test_pattern_mine(context, &spk_pattern_engine_fpgrowth, &windows, &limits,
                                       count_and_stop, &n),
                     SPK_ERR_CANCELLED);
    assert_int_equal(n, 0);
    test_windows_free(&windows);
    spk_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_gives_the_papers_tree),
        cmocka_unit_test(the_example_gives_the_papers_patterns),
        cmocka_unit_test(trees_hold_the_transactions),
        cmocka_unit_test(base_rows_keep_what_is_asked),
        cmocka_unit_test(collectors_filter_on_arrival),
        cmocka_unit_test(blocks_keep_order_and_content),
        cmocka_unit_test(the_memory_limit_is_kept),
        cmocka_unit_test(closed_patterns_are_intersections_of_windows),
        cmocka_unit_test(colliding_signatures_cost_time_only),
        cmocka_unit_test(the_sink_can_stop_and_cancel_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
