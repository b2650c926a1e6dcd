/* Lists of patterns that are thinned out, digests of transaction files, lists of trials. */
#include "support/context.h"

/* ---- lists ----------------------------------------------------------------------------------- */

enum { N_PATTERNS = 40, MOST_ITEMS = 5 };

/* Pattern k has 1 + k % 5 items k, k + 1, ... and support 100 + k, so that it is known again. */
static uint32_t size_of(uint32_t k)
{
    return 1 + k % MOST_ITEMS;
}

static spk_pattern_list *make_list(void)
{
    spk_pattern_list *list = NULL;
    assert_int_equal(spk_pattern_list_create(context, 1, &list), SPK_OK);
    for (uint32_t k = 0; k < N_PATTERNS; k++) {
        const uint64_t offset[] = {0, size_of(k)};
        const uint32_t item[MOST_ITEMS] = {k, k + 1, k + 2, k + 3, k + 4};
        const uint32_t support[] = {100 + k};
        const spk_pattern_columns one = {1, 1, offset, item, support};
        assert_int_equal(spk_pattern_list_add(list, &one), SPK_OK);
    }
    return list;
}

static void assert_pattern(const spk_pattern_columns *c, uint64_t at, uint32_t k)
{
    assert_int_equal(c->offset[at + 1] - c->offset[at], size_of(k));
    assert_int_equal(c->count[at], 100 + k);
    for (uint32_t i = 0; i < size_of(k); i++)
        assert_int_equal(c->item[c->offset[at] + i], k + i);
}

static void a_list_keeps_what_it_is_told_in_order(void **state)
{
    (void)state;
    uint64_t seed = test_seed("a_list_keeps_what_it_is_told_in_order");
    for (uint64_t c = 0; c < test_scaled(300); c++) {
        test_random random = test_random_make(seed, c);
        double chance = (double)(c % 5) / 4; /* none of them, some, all */
        uint8_t keep[N_PATTERNS];
        spk_pattern_list *list = make_list();
        for (uint32_t k = 0; k < N_PATTERNS; k++)
            keep[k] = test_random_chance(&random, chance);
        spk_pattern_list_keep(list, keep);
        spk_pattern_columns columns = spk_pattern_list_columns(list);
        uint64_t at = 0;
        for (uint32_t k = 0; k < N_PATTERNS; k++)
            if (keep[k])
                assert_pattern(&columns, at++, k);
        assert_int_equal(columns.n, at);
        spk_pattern_list_free(list);
    }
}

static void a_thinned_list_grows_again(void **state)
{
    (void)state;
    static const uint8_t keep[N_PATTERNS] = {[7] = 1};
    spk_pattern_list *list = make_list();
    spk_pattern_list *other = make_list();
    spk_pattern_columns more = spk_pattern_list_columns(other);
    spk_pattern_list_keep(list, keep);
    assert_int_equal(spk_pattern_list_add(list, &more), SPK_OK);
    spk_pattern_columns columns = spk_pattern_list_columns(list);
    assert_int_equal(columns.n, 1 + N_PATTERNS);
    assert_pattern(&columns, 0, 7);
    for (uint32_t k = 0; k < N_PATTERNS; k++)
        assert_pattern(&columns, 1 + k, k);
    spk_pattern_list_free(list);
    spk_pattern_list_free(other);
}

/* Whether pattern k stands before the next one: by size, count and items. */
static bool is_in_order(const spk_pattern_columns *p, uint32_t k)
{
    const uint64_t own = p->offset[k + 1] - p->offset[k],
                   next = p->offset[k + 2] - p->offset[k + 1];
    if (own != next || p->count[k] != p->count[k + 1])
        return own > next || (own == next && p->count[k] > p->count[k + 1]);
    for (uint64_t i = p->offset[k]; i < p->offset[k + 1]; i++)
        if (p->item[i] != p->item[i + own])
            return p->item[i] < p->item[i + own];
    return true;
}

/* Patterns in any order: the same list when they are sorted. Small numbers and large ones, so that
 * a key holds many items, few or none. */
static void a_sorted_list_forgets_how_it_was_made(void **state)
{
    (void)state;
    enum { N = 60 };
    uint64_t seed = test_seed("a_sorted_list_forgets_how_it_was_made");
    for (uint64_t c = 0; c < test_scaled(200); c++) {
        test_random random = test_random_make(seed, c);
        enum { MOST = 9 };
        uint32_t item[N][MOST], count[N], size[N];
        spk_pattern_list *list[2];
        const uint32_t scale = c % 3 == 0 ? 1 : c % 3 == 1 ? 1000 : UINT32_MAX / 2;
        const uint64_t most = c % 2 == 0 ? 3 : MOST;
        for (uint32_t k = 0; k < N; k++) {
            size[k] = 1 + (uint32_t)test_random_below(&random, most);
            count[k] = (uint32_t)test_random_below(&random, 3) * scale;
            for (uint32_t i = 0; i < size[k]; i++)
                item[k][i] = (uint32_t)test_random_below(&random, 3) * scale;
        }
        for (uint32_t l = 0; l < 2; l++) {
            assert_int_equal(spk_pattern_list_create(NULL, 4, &list[l]), SPK_OK);
            for (uint32_t k = 0; k < N; k++) {
                uint32_t from = l == 0 ? k : N - 1 - k;
                const uint64_t offset[] = {0, size[from]};
                const spk_pattern_columns one = {1, 4, offset, item[from], &count[from]};
                assert_int_equal(spk_pattern_list_add(list[l], &one), SPK_OK);
            }
            assert_int_equal(spk_pattern_list_sort(list[l]), SPK_OK);
        }
        spk_pattern_columns a = spk_pattern_list_columns(list[0]);
        spk_pattern_columns b = spk_pattern_list_columns(list[1]);
        assert_int_equal(a.n, N);
        assert_memory_equal(a.offset, b.offset, (N + 1) * sizeof *a.offset);
        assert_memory_equal(a.count, b.count, N * sizeof *a.count);
        assert_memory_equal(a.item, b.item, a.offset[N] * sizeof *a.item);
        for (uint32_t k = 0; k + 1 < N; k++)
            assert_true(is_in_order(&a, k));
        spk_pattern_list_free(list[0]);
        spk_pattern_list_free(list[1]);
    }
}

/* ---- digests --------------------------------------------------------------------------------- */

static void windows_know_the_digest_of_their_file(void **state)
{
    (void)state;
    static const char text[] = "0 2\n1\n";
    const char *digest = "8bef14547b640af169f1c7b915eb8b0f08b442b01922882223431eeffd6b8719";
    spk_windows *windows = NULL;
    assert_int_equal(
        spk_windows_read_transactions(context, test_file("transactions", text), 0, 1, &windows),
        SPK_OK);
    assert_string_equal(spk_windows_sha256(windows), digest);
    spk_windows_free(windows);
    assert_int_equal(
        spk_windows_parse_transactions(context, "text", text, strlen(text), 0, 1, &windows),
        SPK_OK);
    assert_string_equal(spk_windows_sha256(windows), "");
    spk_windows_free(windows);
}

/* ---- trials ---------------------------------------------------------------------------------- */

static spk_recording *any_recording(void)
{
    static const int64_t time[] = {5};
    static const uint32_t unit[] = {0};
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(context, 1, time, unit, 1, NULL, (spk_rate){1000, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    return recording;
}

static void trials_are_read_as_durations_or_seconds(void **state)
{
    (void)state;
    spk_recording *recording = any_recording();
    spk_time_range *trials = NULL;
    size_t n = 0;
    test_file("trials", "# start stop\n1.5s 3s\n\n0.25\t0.5 # seconds\n-2 10ms\n1/3s 1/2s\n");
    assert_int_equal(spk_intervals_read(context, recording, test_path("trials"), &trials, &n),
                     SPK_OK);
    static const spk_time_range expected[] = {
        {{15, -1}, {3, 0}}, {{25, -2}, {5, -1}}, {{-2, 0}, {1, -2}}, {{1, 0, 3}, {5, -1}}};
    assert_int_equal(n, 4);
    for (size_t k = 0; k < n; k++) {
        assert_int_equal(spk_duration_compare(trials[k].start, expected[k].start), 0);
        assert_int_equal(spk_duration_compare(trials[k].stop, expected[k].stop), 0);
    }
    free(trials);
    spk_recording_free(recording);
}

static void bad_trials_are_named_with_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        spk_status status;
        const char *place;
    } bad[] = {{"0 1\n2\n", SPK_ERR_FORMAT, "trials:2:"},
               {"0 1 2\n", SPK_ERR_FORMAT, "trials:1:"},
               {"0 soon\n", SPK_ERR_FORMAT, "trials:1:"},
               {"0 1\n\n3 3\n", SPK_ERR_RANGE, "trials:3:"},
               {"# nothing\n", SPK_ERR_FORMAT, "trials:"}};
    spk_recording *recording = any_recording();
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        spk_time_range *trials = NULL;
        size_t n = 0;
        const char *path = test_file("trials", bad[k].text);
        assert_int_equal(spk_intervals_read(context, recording, path, &trials, &n), bad[k].status);
        assert_non_null(strstr(spk_context_message(context), bad[k].place));
        assert_null(trials);
        assert_int_equal(n, 0);
    }
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_keeps_what_it_is_told_in_order),
        cmocka_unit_test(a_sorted_list_forgets_how_it_was_made),
        cmocka_unit_test(a_thinned_list_grows_again),
        cmocka_unit_test(windows_know_the_digest_of_their_file),
        cmocka_unit_test(trials_are_read_as_durations_or_seconds),
        cmocka_unit_test(bad_trials_are_named_with_file_and_line),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
