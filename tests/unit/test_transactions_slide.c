/*
 * Transactions that a recording shows are mined like that recording: what spk_pattern_mine and
 * spk_pattern_find_maxima give equals what the same windows give where nobody knows of the
 * recording, for all engines here. Which windows those are is told by building the spikes and, from
 * these, the windows again.
 */
#include "pattern/run.h"
#include "pattern/windows.h"
#include "support/context.h"
#include "support/engines.h"
#include "support/raster.h"

/* ---- transactions as text -------------------------------------------------------------------- */

enum { MOST_LINES = 400, MOST_ITEMS = 200 };

typedef struct lines {
    uint32_t n, n_units, window;
    uint32_t size[MOST_LINES];
    uint32_t item[MOST_LINES][MOST_ITEMS];
} lines;

/* The windows of a raster behind those that are there. */
static void add_windows(lines *t, const test_raster *raster)
{
    spk_window_columns windows = test_windows_of(raster, t->window);
    for (uint64_t w = 0; w < windows.n_windows; w++, t->n++) {
        const uint64_t size = windows.first[w + 1] - windows.first[w];
        assert_true(t->n < MOST_LINES && size <= MOST_ITEMS);
        t->size[t->n] = (uint32_t)size;
        memcpy(t->item[t->n], windows.item + windows.first[w], size * sizeof(uint32_t));
    }
    test_windows_free(&windows);
}

static spk_windows *read_lines(const lines *t)
{
    static char text[MOST_LINES * MOST_ITEMS * 11 + MOST_LINES];
    spk_windows *windows = NULL;
    size_t length = 0;
    for (uint32_t w = 0; w < t->n; w++) {
        for (uint32_t k = t->size[w]; k-- > 0;) /* their order in a line does not matter */
            length += (size_t)sprintf(text + length, "%u ", t->item[w][k]);
        text[length++] = '\n';
    }
    check(spk_windows_parse_transactions(context, "t", text, length, t->n_units, t->window,
                                         &windows));
    return windows;
}

/* ---- which windows a recording shows --------------------------------------------------------- */

/* Bins to the next window: those to the next spike that this one shows, or its length. */
static uint64_t bins_after(const spk_window_columns *c, uint64_t w)
{
    uint64_t bins = c->window;
    for (uint64_t k = c->first[w]; k < c->first[w + 1]; k++)
        if (c->item[k] % c->window > 0 && c->item[k] % c->window < bins)
            bins = c->item[k] % c->window;
    return bins;
}

static bool is_shown(const spk_window_columns *c)
{
    uint64_t *place = calloc(c->n_windows + 1, sizeof *place);
    assert_non_null(place);
    for (uint64_t w = 0; w < c->n_windows; w++)
        place[w + 1] = place[w] + bins_after(c, w);
    const uint64_t n_bins = place[c->n_windows] + c->window;
    bool *fires = calloc(c->n_units * n_bins + 1, sizeof *fires), shown = true;
    assert_non_null(fires);
    for (uint64_t w = 0; w < c->n_windows; w++) {
        bool begins = false;
        for (uint64_t k = c->first[w]; k < c->first[w + 1]; k++)
            if (c->item[k] % c->window == 0)
                begins = fires[c->item[k] / c->window * n_bins + place[w]] = true;
        shown &= begins;
    }
    for (uint64_t w = 0; w < c->n_windows && shown; w++) {
        uint64_t k = c->first[w];
        for (uint32_t u = 0; u < c->n_units; u++)
            for (uint32_t lag = 0; lag < c->window; lag++) {
                const bool has =
                    k < c->first[w + 1] && c->item[k] == u * c->window + lag && ++k > 0;
                shown &= fires[u * n_bins + place[w] + lag] == has;
            }
    }
    free(fires);
    free(place);
    return shown;
}

/* ---- what both give -------------------------------------------------------------------------- */

static void assert_same_lists(const spk_pattern_list *a, const spk_pattern_list *b)
{
    const spk_pattern_columns x = spk_pattern_list_columns(a), y = spk_pattern_list_columns(b);
    assert_int_equal(x.n, y.n);
    assert_memory_equal(x.count, y.count, x.n * sizeof *x.count);
    assert_memory_equal(x.offset, y.offset, (x.n + 1) * sizeof *x.offset);
    assert_memory_equal(x.item, y.item, x.offset[x.n] * sizeof *x.item);
}

/* Mines both, and compares; how many patterns. */
static uint64_t compare_lists(const spk_windows *windows, const spk_pattern_options *options)
{
    const spk_window_columns plain = spk_windows_columns(windows);
    spk_pattern_list *list[2];
    spk_pattern_summary known, unknown;
    for (int k = 0; k < 2; k++)
        check(spk_pattern_list_create(context, plain.window, &list[k]));
    const spk_status status =
        spk_pattern_mine(context, windows, options, spk_pattern_list_add, list[0], &known);
    assert_int_equal(
        status, spk_pattern_run(context, &plain, options, spk_pattern_list_add, list[1], &unknown));
    for (int k = 0; k < 2 && options->unordered; k++)
        check(spk_pattern_list_sort(list[k]));
    assert_same_lists(list[0], list[1]);
    assert_int_equal(known.n_mined, unknown.n_mined);
    assert_int_equal(known.n_reported, unknown.n_reported);
    spk_pattern_list_free(list[0]);
    spk_pattern_list_free(list[1]);
    return known.n_mined;
}

static void compare_maxima(const spk_windows *windows, const spk_pattern_options *options,
                           bool by_duration)
{
    const spk_window_columns plain = spk_windows_columns(windows);
    spk_pattern_maximum *known = NULL, *unknown = NULL;
    size_t n = 0, m = 0;
    check(spk_pattern_find_maxima(context, windows, options, by_duration, &known, &n));
    check(spk_pattern_run_maxima(context, &plain, options, by_duration, &unknown, &m));
    assert_int_equal(n, m);
    assert_memory_equal(known, unknown, n * sizeof *known);
    free(known);
    free(unknown);
}

/* All engines and ways; how many patterns. *n_shown counts windows of recordings. */
static uint64_t compare(test_random *random, const lines *t, uint64_t *n_shown)
{
    spk_windows *windows = read_lines(t);
    const spk_window_columns plain = spk_windows_columns(windows);
    spk_pattern_options options;
    uint64_t n = 0;
    assert_int_equal(windows->place != NULL, is_shown(&plain));
    assert_null(plain.start_time);
    *n_shown += windows->place != NULL;
    spk_pattern_options_init(&options, sizeof options);
    options.min_spikes = 2 + test_below(random, 3);
    options.support = 2 + test_below(random, 3);
    options.min_neurons = 1 + test_below(random, 6);
    options.moving_window_filter = test_below(random, 2) == 0;
    spk_context_set_threads(context, 1 + (int)test_below(random, 3));
    for (size_t k = 0; test_pattern_engine_at(k) != NULL; k++) {
        options.engine = test_pattern_engine_at(k)->name;
        options.unordered = false;
        n += compare_lists(windows, &options);
        options.unordered = !options.moving_window_filter;
        n += compare_lists(windows, &options);
    }
    options.engine = "auto";
    options.unordered = false;
    compare_maxima(windows, &options, false);
    compare_maxima(windows, &options, true);
    spk_windows_free(windows);
    return n;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Stretches of recordings, one behind the other. */
static void draw(test_random *random, lines *t)
{
    *t = (lines){.n_units = 3 + test_below(random, 9), .window = 1 + test_below(random, 7)};
    for (uint32_t n = 1 + test_below(random, 3); n > 0; n--) {
        test_raster raster = test_raster_random(random, t->n_units, 5 + test_below(random, 40),
                                                2 + test_below(random, 14));
        add_windows(t, &raster);
        test_raster_free(&raster);
    }
}

static void recordings_are_found_again(void **state)
{
    static lines t;
    const uint64_t seed = test_seed(__func__), n = test_scaled(600);
    uint64_t n_patterns = 0, n_shown = 0;
    (void)state;
    for (uint64_t c = 0; c < n; c++) {
        test_random random = test_random_make(seed, c);
        draw(&random, &t);
        if (t.n == 0)
            continue;
        const uint64_t before = n_shown++;
        n_patterns += compare(&random, &t, &n_shown);
        assert_int_equal(n_shown, before + 2);
    }
    assert_true(n_patterns > n);
}

/* Windows w and w + 1 change places. */
static void swap_lines(lines *t, uint32_t w)
{
    static uint32_t item[MOST_ITEMS];
    const uint32_t size = t->size[w];
    memcpy(item, t->item[w], sizeof item);
    memcpy(t->item[w], t->item[w + 1], sizeof item);
    memcpy(t->item[w + 1], item, sizeof item);
    t->size[w] = t->size[w + 1];
    t->size[w + 1] = size;
}

/* Line w goes, or comes twice. */
static void move_lines(lines *t, uint32_t w, bool twice)
{
    if (twice) {
        memmove(t->item[w + 1], t->item[w], (t->n - w) * sizeof t->item[0]);
        memmove(t->size + w + 1, t->size + w, (t->n - w) * sizeof t->size[0]);
        t->n++;
    } else {
        t->n--;
        memmove(t->item[w], t->item[w + 1], (t->n - w) * sizeof t->item[0]);
        memmove(t->size + w, t->size + w + 1, (t->n - w) * sizeof t->size[0]);
    }
}

/* One change that most recordings do not bear. */
static void damage(test_random *random, lines *t)
{
    const uint32_t w = test_below(random, t->n - 1);
    switch (test_below(random, 6)) {
    case 0: /* an item is missing */
        t->item[w][test_below(random, t->size[w])] = t->item[w][t->size[w] - 1];
        t->size[w]--;
        break;
    case 1: /* or one too many */
        t->item[w][t->size[w]++] = test_below(random, t->n_units * t->window);
        break;
    case 2:
        swap_lines(t, w);
        break;
    case 3:
        move_lines(t, w, true);
        break;
    case 4:
        move_lines(t, w, false);
        break;
    default: /* a window of nothing */
        move_lines(t, w, true);
        t->size[w] = 0;
    }
}

static void near_misses_go_the_other_way(void **state)
{
    static lines t;
    const uint64_t seed = test_seed(__func__), n = test_scaled(900);
    uint64_t n_patterns = 0, n_shown = 0, n_cases = 0;
    (void)state;
    for (uint64_t c = 0; c < n; c++) {
        test_random random = test_random_make(seed, c);
        draw(&random, &t);
        if (t.n < 2 || t.n + 1 >= MOST_LINES)
            continue;
        damage(&random, &t);
        n_patterns += compare(&random, &t, &n_shown);
        n_cases++;
    }
    /* Some are windows of another recording: of one that lost its first line, for example. */
    assert_true(n_patterns > n && n_shown < n_cases / 2);
}

static void random_lines_go_the_other_way(void **state)
{
    static lines t;
    const uint64_t seed = test_seed(__func__), n = test_scaled(600);
    uint64_t n_shown = 0, n_patterns = 0;
    (void)state;
    for (uint64_t c = 0; c < n; c++) {
        test_random random = test_random_make(seed, c);
        t = (lines){.n = 1 + test_below(&random, 30),
                    .n_units = 2 + test_below(&random, 6),
                    .window = 1 + test_below(&random, 4)};
        const uint32_t percent = 5 + test_below(&random, 60);
        for (uint32_t w = 0; w < t.n; w++)
            for (uint32_t item = 0; item < t.n_units * t.window; item++)
                if (test_below(&random, 100) < percent)
                    t.item[w][t.size[w]++] = item;
        n_patterns += compare(&random, &t, &n_shown);
    }
    assert_true(n_patterns > n && n_shown < n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_are_found_again),
        cmocka_unit_test(near_misses_go_the_other_way),
        cmocka_unit_test(random_lines_go_the_other_way),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
