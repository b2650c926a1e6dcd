/*
 * The bitmap engine's roots: from bit rows where these take no more than the windows, else from the
 * windows' lists.
 */
#include "pattern/engine/bitmap/schedule.h"
#include "support/engines.h"
#include "support/test.h"

typedef struct window_case {
    uint64_t *first;
    uint32_t *item;
    uint32_t *trial;
    uint64_t *start_bin;
    spk_window_columns columns;
} window_case;

/* Busy and quiet units. */
static void window_case_make(window_case *c, test_random *random, uint32_t n_units, uint32_t window,
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

static void window_case_free(window_case *c)
{
    free(c->first);
    free(c->item);
    free(c->trial);
    free(c->start_bin);
}

static spk_status create_job(spk_context *context, const spk_window_columns *windows,
                             const spk_pattern_limits *limits, spk_bitmap_job *out)
{
    spk_pattern_job job = {
        .windows = windows, .limits = *limits, .threads = spk_context_threads(context)};
    return spk_bitmap_job_create(context, &job, out);
}

/* Roots are made from bit rows, or from lists where rows would take too much; both ways, the same
 * patterns in the same order. */
static void roots_from_rows_and_lists_are_the_same(void **state)
{
    (void)state;
    uint64_t seed = test_seed("roots_from_rows_and_lists_are_the_same"), n_patterns = 0;
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    for (uint64_t number = 0; number < 20; number++) {
        test_random random = test_random_make(seed, number);
        window_case c;
        uint32_t n_windows = 20 + (uint32_t)test_random_below(&random, 300);
        window_case_make(&c, &random, 5 + (uint32_t)(number % 20), 1 + (uint32_t)(number % 9),
                         n_windows);
        spk_pattern_limits limits = {1 + (uint32_t)(number % 4), UINT32_MAX, n_windows / 5 + 2,
                                     UINT32_MAX, 1 + (uint32_t)(number / 4 % 4)};
        spk_bitmap_job job;
        spk_pattern_list *found[2] = {NULL, NULL};
        assert_int_equal(create_job(context, &c.columns, &limits, &job), SPK_OK);
        assert_non_null(job.row);
        for (int lists = 0; lists < 2; lists++) {
            assert_int_equal(spk_pattern_list_create(context, c.columns.window, &found[lists]),
                             SPK_OK);
            if (lists == 1)
                job.row = NULL;
            assert_int_equal(spk_bitmap_run(context, &job, &spk_bitmap_kernels_portable,
                                            spk_pattern_list_add, found[lists]),
                             SPK_OK);
        }
        spk_pattern_columns a = spk_pattern_list_columns(found[0]);
        spk_pattern_columns b = spk_pattern_list_columns(found[1]);
        assert_int_equal(a.n, b.n);
        assert_memory_equal(a.offset, b.offset, (a.n + 1) * sizeof *a.offset);
        assert_memory_equal(a.count, b.count, a.n * sizeof *a.count);
        assert_memory_equal(a.item, b.item, a.offset[a.n] * sizeof *a.item);
        n_patterns += a.n;
        spk_pattern_list_free(found[0]);
        spk_pattern_list_free(found[1]);
        spk_bitmap_job_free(&job);
        window_case_free(&c);
    }
    print_message("%llu patterns compared\n", (unsigned long long)n_patterns);
    assert_true(n_patterns > 100); /* something was compared */
    spk_context_free(context);
}

/* One root holds all the work, and each node of it takes long: a cancel is seen between a few
 * nodes, and while the rows of a node are made. */
static void a_cancel_ends_a_long_branch_soon(void **state)
{
    (void)state;
    spk_context *context = NULL;
    test_random random = test_random_make(test_seed("a_cancel_ends_a_long_branch_soon"), 0);
    const spk_pattern_limits limits = {1, UINT32_MAX, 2, UINT32_MAX, 1};
    const spk_bitmap_kernels *kernels = &spk_bitmap_kernels_portable;
    window_case c;
    spk_bitmap_job job;
    spk_bitmap_search search = {.status = SPK_OK};
    assert_int_equal(spk_context_create(&context), SPK_OK);
    window_case_make(&c, &random, 400, 1, 200);
    assert_int_equal(create_job(context, &c.columns, &limits, &job), SPK_OK);
    spk_bitmap_schedule schedule = {.context = context, .job = &job, .kernels = kernels};
    assert_int_equal(spk_bitmap_schedule_open(&schedule), SPK_OK);
    assert_int_equal(spk_bitmap_search_create(&schedule, &search), SPK_OK);
    spk_bitmap_node *node = kernels->root(&search, 0, NULL, NULL);
    assert_non_null(node);
    search.steps = 1; /* it has begun */
    spk_context_cancel(context);
    for (uint32_t e = 0; e < 100 && search.status == SPK_OK; e++)
        kernels->extend(&search, node, e);
    assert_int_equal(search.status, SPK_ERR_CANCELLED);
    assert_in_range(search.steps, 2, 8);
    search.status = SPK_OK;
    assert_null(kernels->root(&search, 1, NULL, NULL));
    assert_int_equal(search.status, SPK_ERR_CANCELLED);
    spk_bitmap_search_free(&search);
    spk_bitmap_schedule_close(&schedule);
    spk_bitmap_job_free(&job);
    window_case_free(&c);
    spk_context_free(context);
}

/* Few spikes in many windows: rows would take more than the lists, so there are none. */
static void sparse_windows_get_no_rows(void **state)
{
    (void)state;
    enum { N_WINDOWS = 40000, N_UNITS = 600 };
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    uint64_t *first = calloc(N_WINDOWS + 1, sizeof *first);
    uint32_t *item = malloc(2 * N_WINDOWS * sizeof *item);
    for (uint32_t w = 0; w < N_WINDOWS; w++) {
        item[2 * w] = w % N_UNITS;
        item[2 * w + 1] = (w + 1) % N_UNITS;
        if (item[2 * w] > item[2 * w + 1]) {
            uint32_t smaller = item[2 * w + 1];
            item[2 * w + 1] = item[2 * w];
            item[2 * w] = smaller;
        }
        first[w + 1] = 2 * (uint64_t)(w + 1);
    }
    spk_window_columns columns = {
        .n_windows = N_WINDOWS, .n_units = N_UNITS, .window = 1, .first = first, .item = item};
    spk_pattern_limits limits = {2, UINT32_MAX, 2, UINT32_MAX, 2};
    spk_bitmap_job job;
    assert_int_equal(create_job(context, &columns, &limits, &job), SPK_OK);
    assert_null(job.row);
    spk_bitmap_job_free(&job);
    uint64_t n = 0;
    spk_pattern_list *list = NULL;
    assert_int_equal(spk_pattern_list_create(context, 1, &list), SPK_OK);
    assert_int_equal(test_pattern_mine(context, &spk_pattern_engine_bitmap, &columns, &limits,
                                       spk_pattern_list_add, list),
                     SPK_OK);
    spk_pattern_columns p = spk_pattern_list_columns(list);
    for (uint64_t i = 0; i < p.n; i++)
        n += p.count[i];
    assert_int_equal(p.n, N_UNITS); /* every unit with its successor */
    assert_int_equal(n, N_WINDOWS);
    spk_pattern_list_free(list);
    free(first);
    free(item);
    spk_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_from_rows_and_lists_are_the_same),
        cmocka_unit_test(sparse_windows_get_no_rows),
        cmocka_unit_test(a_cancel_ends_a_long_branch_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
