/* The moving-window step against its definition, on mined patterns and on lists that no moving
 * window would make. */
#include "pattern/engine/engine.h"
#include "pattern/moving_window.h"
#include "support/engines.h"
#include "support/raster.h"
#include "support/test.h"

/* ---- a list of patterns
 * --------------------------------------------------------------------------- */

typedef struct pattern_store {
    uint64_t *offset;
    uint32_t *item;
    uint32_t *count;
    uint64_t n;
} pattern_store;

static void list_init(pattern_store *list)
{
    *list = (pattern_store){.offset = calloc(1, sizeof(uint64_t))};
    assert_non_null(list->offset);
}

static void list_free(pattern_store *list)
{
    free(list->offset);
    free(list->item);
    free(list->count);
}

/* A spk_pattern_sink. */
static spk_status list_append(void *user, const spk_pattern_columns *patterns)
{
    pattern_store *list = user;
    uint64_t n = list->n + patterns->n;
    uint64_t n_old = list->offset[list->n];
    uint64_t n_new = patterns->offset[patterns->n] - patterns->offset[0];
    list->offset = realloc(list->offset, (n + 1) * sizeof *list->offset);
    list->count = realloc(list->count, (n + 1) * sizeof *list->count);
    list->item = realloc(list->item, (n_old + n_new + 1) * sizeof *list->item);
    assert_true(list->offset != NULL && list->count != NULL && list->item != NULL);
    memcpy(list->item + n_old, patterns->item + patterns->offset[0], n_new * sizeof(uint32_t));
    memcpy(list->count + list->n, patterns->count, patterns->n * sizeof(uint32_t));
    for (uint64_t k = 0; k <= patterns->n; k++)
        list->offset[list->n + k] = n_old + patterns->offset[k] - patterns->offset[0];
    list->n = n;
    return SPK_OK;
}

static spk_pattern_columns list_columns(const pattern_store *list, uint32_t window)
{
    return (spk_pattern_columns){.n = list->n,
                                 .window = window,
                                 .offset = list->offset,
                                 .item = list->item,
                                 .count = list->count};
}

static void mine(spk_context *context, const spk_window_columns *windows,
                 const spk_pattern_limits *limits, pattern_store *out)
{
    list_init(out);
    assert_int_equal(
        test_pattern_mine(context, &spk_pattern_engine_fpgrowth, windows, limits, list_append, out),
        SPK_OK);
}

/* ---- the definition
 * -------------------------------------------------------------------------------- */

/* Whether unit u fires `back` bins before the last spike of pattern i. */
static bool fires(const spk_pattern_columns *patterns, uint64_t i, uint32_t unit, uint32_t back)
{
    uint32_t last = 0;
    for (uint64_t k = patterns->offset[i]; k < patterns->offset[i + 1]; k++)
        if (patterns->item[k] % patterns->window > last)
            last = patterns->item[k] % patterns->window;
    for (uint64_t k = patterns->offset[i]; k < patterns->offset[i + 1]; k++)
        if (patterns->item[k] / patterns->window == unit &&
            last - patterns->item[k] % patterns->window == back)
            return true;
    return false;
}

static bool is_contained(const spk_pattern_columns *patterns, uint64_t small, uint64_t large)
{
    uint32_t last = 0;
    for (uint64_t k = patterns->offset[small]; k < patterns->offset[small + 1]; k++)
        if (patterns->item[k] % patterns->window > last)
            last = patterns->item[k] % patterns->window;
    for (uint64_t k = patterns->offset[small]; k < patterns->offset[small + 1]; k++)
        if (!fires(patterns, large, patterns->item[k] / patterns->window,
                   last - patterns->item[k] % patterns->window))
            return false;
    return true;
}

static uint8_t *quadratic(const spk_pattern_columns *patterns)
{
    uint8_t *keep = malloc(patterns->n + 1);
    assert_non_null(keep);
    for (uint64_t i = 0; i < patterns->n; i++) {
        keep[i] = 1;
        for (uint64_t j = 0; j < patterns->n && keep[i]; j++)
            if (i != j && patterns->count[i] == patterns->count[j] && is_contained(patterns, i, j))
                keep[i] = 0;
    }
    return keep;
}

typedef spk_status filter_fn(spk_context *context, const spk_pattern_columns *patterns,
                             uint8_t *keep);

static uint64_t check(spk_context *context, filter_fn *filter, const spk_pattern_columns *patterns)
{
    uint8_t *wanted = quadratic(patterns);
    uint8_t *keep = malloc(patterns->n + 1);
    assert_non_null(keep);
    memset(keep, 1, patterns->n);
    assert_int_equal(filter(context, patterns, keep), SPK_OK);
    uint64_t dropped = 0;
    for (uint64_t i = 0; i < patterns->n; i++) {
        assert_int_equal(keep[i], wanted[i]);
        dropped += !keep[i];
    }
    free(keep);
    free(wanted);
    return dropped;
}

/* ---- tests
 * ------------------------------------------------------------------------------------------ */

static spk_context *new_context(void)
{
    spk_context *context = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_set_threads(context, 2);
    return context;
}

static void mined_patterns_are_filtered_by_the_definition(void **state)
{
    (void)state;
    spk_context *context = new_context();
    test_random random = test_random_start(__func__);
    uint64_t dropped = 0;
    uint64_t kept = 0;
    const int rounds = test_whole_recordings() ? 1500 : 400;
    for (int round = 0; round < rounds; round++) {
        uint32_t window = 1 + test_below(&random, 9);
        test_raster raster =
            test_raster_random(&random, 1 + test_below(&random, 5), 10 + test_below(&random, 50),
                               4 + test_below(&random, 18));
        spk_window_columns windows = test_windows_of(&raster, window);
        spk_pattern_limits limits = {.min_spikes = 1 + test_below(&random, 3),
                                     .max_spikes = UINT32_MAX,
                                     .min_support = 2 + test_below(&random, 3),
                                     .max_count = UINT32_MAX,
                                     .min_neurons = 1};
        if (test_below(&random, 3) == 0)
            limits.max_spikes = limits.min_spikes + test_below(&random, 3);
        pattern_store list;
        mine(context, &windows, &limits, &list);
        spk_pattern_columns patterns = list_columns(&list, window);
        assert_true(spk_windows_slide(&windows));
        uint64_t here = check(context, spk_moving_window_by_ends, &patterns);
        assert_int_equal(check(context, spk_moving_window_by_index, &patterns), here);
        dropped += here;
        kept += patterns.n - here;
        list_free(&list);
        test_windows_free(&windows);
        test_raster_free(&raster);
    }
    assert_true(dropped > 50 && kept > 1000);
    spk_context_free(context);
}

/* Distinct random item sets of random count, ordered by lag, then unit. */
static void random_list(test_random *random, uint32_t n, uint32_t window, pattern_store *out)
{
    list_init(out);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t item[40];
        uint64_t offset[2] = {0, 0};
        uint32_t count = 2 + test_below(random, 2);
        for (uint32_t lag = 0; lag < window; lag++)
            for (uint32_t unit = 0; unit < 3; unit++)
                if (test_below(random, 4) == 0)
                    item[offset[1]++] = unit * window + lag;
        if (offset[1] == 0)
            continue;
        spk_pattern_columns one = {
            .n = 1, .window = window, .offset = offset, .item = item, .count = &count};
        bool known = false;
        for (uint64_t k = 0; k < out->n && !known; k++)
            known = out->count[k] == count && out->offset[k + 1] - out->offset[k] == offset[1] &&
                    memcmp(out->item + out->offset[k], item, offset[1] * sizeof *item) == 0;
        /* Without a lag-0 item two patterns may be the same once aligned; the step is for
         * patterns that have one. */
        if (!known && item[0] % window == 0)
            list_append(out, &one);
    }
}

static void any_list_is_filtered_by_the_definition(void **state)
{
    (void)state;
    spk_context *context = new_context();
    test_random random = test_random_start(__func__);
    uint64_t dropped = 0;
    for (int round = 0; round < 500; round++) {
        uint32_t window = 2 + test_below(&random, 6);
        pattern_store list;
        random_list(&random, 1 + test_below(&random, 80), window, &list);
        spk_pattern_columns patterns = list_columns(&list, window);
        dropped += check(context, spk_moving_window_by_index, &patterns);
        list_free(&list);
    }
    assert_true(dropped > 10);
    spk_context_free(context);
}

static void sliding_windows_are_recognised(void **state)
{
    (void)state;
    test_random random = test_random_start(__func__);
    for (int round = 0; round < 500; round++) {
        uint32_t window = 2 + test_below(&random, 8);
        test_raster raster = test_raster_random(&random, 1 + test_below(&random, 4),
                                                5 + test_below(&random, 30), 15);
        spk_window_columns windows = test_windows_of(&raster, window);
        assert_true(spk_windows_slide(&windows));
        /* One spike of lag 1 or later that its own window does not show any more. */
        uint32_t *item = (uint32_t *)(uintptr_t)windows.item;
        for (uint64_t w = 0; w < windows.n_windows; w++) {
            uint64_t last = windows.first[w + 1] - 1;
            if (item[last] % window > 0 && item[last] / window == raster.n_units - 1) {
                item[last] += raster.n_units * window; /* a unit that fires nowhere else */
                assert_false(spk_windows_slide(&windows));
                break;
            }
        }
        test_windows_free(&windows);
        test_raster_free(&raster);
    }
}

static void transactions_of_no_moving_window_go_by_index(void **state)
{
    (void)state;
    spk_context *context = new_context();
    test_random random = test_random_start(__func__);
    uint64_t dropped = 0;
    for (int round = 0; round < 500; round++) {
        uint32_t window = 2 + test_below(&random, 3);
        spk_window_columns windows = test_windows_random(&random, 5 + test_below(&random, 8),
                                                         1 + test_below(&random, 3), window, 50);
        spk_pattern_limits limits = {1, UINT32_MAX, 2, UINT32_MAX, 1};
        pattern_store list;
        mine(context, &windows, &limits, &list);
        spk_pattern_columns patterns = list_columns(&list, window);
        uint8_t *wanted = quadratic(&patterns);
        uint8_t *keep = malloc(patterns.n + 1);
        assert_non_null(keep);
        assert_int_equal(spk_moving_window_filter(context, &windows, &patterns, keep), SPK_OK);
        for (uint64_t i = 0; i < patterns.n; i++) {
            assert_int_equal(keep[i], wanted[i]);
            dropped += !keep[i];
        }
        free(keep);
        free(wanted);
        list_free(&list);
        test_windows_free(&windows);
    }
    assert_true(dropped > 10);
    spk_context_free(context);
}

static void small_lists_by_hand(void **state)
{
    (void)state;
    spk_context *context = new_context();
    const uint64_t offset[] = {0, 1, 3};
    const uint32_t item[] = {1, 1, 2};
    const uint32_t count[] = {4, 4};
    spk_pattern_columns patterns = {
        .n = 2, .window = 1, .offset = offset, .item = item, .count = count};
    uint8_t keep[2] = {7, 7};
    assert_int_equal(spk_moving_window_filter(context, NULL, &patterns, keep), SPK_OK);
    assert_true(keep[0] == 1 && keep[1] == 1);
    patterns.window =
        4; /* the same items are one unit's lags now: the first is an end of the 2nd */
    const uint32_t lags[] = {0, 0, 1};
    patterns.item = lags;
    assert_int_equal(spk_moving_window_filter(context, NULL, &patterns, keep), SPK_OK);
    assert_true(keep[0] == 0 && keep[1] == 1);
    spk_context_set_memory_limit(context, 30); /* the step takes 36 bytes beside the caller's */
    assert_int_equal(spk_moving_window_filter(context, NULL, &patterns, keep), SPK_ERR_MEMORY);
    patterns.n = 0;
    assert_int_equal(spk_moving_window_filter(context, NULL, &patterns, keep), SPK_OK);
    spk_context_free(context);
}

/* Enough patterns for several groups: a pattern of three spikes and its end of two, which has the
 * same count in every second pair. */
static void many_patterns_in_groups(void **state)
{
    (void)state;
    enum { PAIRS = 200000, WINDOW = 8 };
    spk_context *context = new_context();
    uint64_t *offset = malloc((2 * PAIRS + 1) * sizeof *offset);
    uint32_t *item = malloc((size_t)5 * PAIRS * sizeof *item);
    uint32_t *count = malloc((size_t)2 * PAIRS * sizeof *count);
    uint8_t *keep = malloc((size_t)2 * PAIRS);
    assert_true(offset != NULL && item != NULL && count != NULL && keep != NULL);
    for (uint32_t k = 0; k < PAIRS; k++) {
        uint32_t first = k % 500;
        uint32_t last = 500 + k / 500;
        const uint32_t five[] = {first * WINDOW, last * WINDOW + 3, first * WINDOW + 5,
                                 last * WINDOW + 0, first * WINDOW + 2};
        memcpy(item + 5 * k, five, sizeof five);
        offset[2 * k] = 5 * k;
        offset[2 * k + 1] = 5 * k + 3;
        count[2 * k] = 10;
        count[2 * k + 1] = 10 + k % 2;
    }
    offset[2 * PAIRS] = 5 * PAIRS;
    spk_pattern_columns patterns = {
        .n = 2 * PAIRS, .window = WINDOW, .offset = offset, .item = item, .count = count};
    memset(keep, 1, 2 * PAIRS);
    assert_int_equal(spk_moving_window_by_ends(context, &patterns, keep), SPK_OK);
    for (uint32_t k = 0; k < PAIRS; k++)
        assert_true(keep[2 * k] == 1 && keep[2 * k + 1] == k % 2);
    free(offset);
    free(item);
    free(count);
    free(keep);
    spk_context_free(context);
}

static void recorded_patterns_are_filtered_by_the_definition(void **state)
{
    (void)state;
    spk_context *context = new_context();
    uint64_t dropped = 0;
    for (uint32_t piece = 0; piece < 2; piece++) {
        test_raster raster = test_raster_bundled("movement_PGHF.spikes.txt", 30, 1000 * piece, 250);
        spk_window_columns windows = test_windows_of(&raster, 20);
        spk_pattern_limits limits = {2, UINT32_MAX, 8, UINT32_MAX, 2};
        pattern_store list;
        mine(context, &windows, &limits, &list);
        spk_pattern_columns patterns = list_columns(&list, 20);
        assert_true(patterns.n > 50);
        uint64_t here = check(context, spk_moving_window_by_ends, &patterns);
        assert_int_equal(check(context, spk_moving_window_by_index, &patterns), here);
        dropped += here;
        list_free(&list);
        test_windows_free(&windows);
        test_raster_free(&raster);
    }
    assert_true(dropped > 0);
    spk_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mined_patterns_are_filtered_by_the_definition),
        cmocka_unit_test(any_list_is_filtered_by_the_definition),
        cmocka_unit_test(sliding_windows_are_recognised),
        cmocka_unit_test(transactions_of_no_moving_window_go_by_index),
        cmocka_unit_test(small_lists_by_hand),
        cmocka_unit_test(many_patterns_in_groups),
        cmocka_unit_test(recorded_patterns_are_filtered_by_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
