/*
 * The memory limit: what is made counts until it is freed, what a call takes is asked for before it
 * is allocated, and the account is even after every failure.
 */
#include "base/memory.h"
#include "base/stage.h"
#include "recording/read_text.h"
#include "support/context.h"

enum { LIMIT = 1000000 };

static int teardown(void **state)
{
    (void)state;
    spk_context_free(context);
    context = NULL;
    return 0;
}

/* Bytes in use, as the account has them. */
static uint64_t used(void)
{
    uint64_t before = spk_context_memory_limit(context);
    spk_context_set_memory_limit(context, UINT64_MAX);
    uint64_t bytes = UINT64_MAX - spk_memory_left(context);
    spk_context_set_memory_limit(context, before);
    return bytes;
}

/* n lines of time and unit; the caller frees them. */
static char *lines(uint64_t n, size_t *length)
{
    char *text = malloc(n * 24);
    assert_non_null(text);
    *length = 0;
    for (uint64_t k = 0; k < n; k++)
        *length +=
            (size_t)sprintf(text + *length, "%llu.%03llu u%llu\n", (unsigned long long)(k / 1000),
                            (unsigned long long)(k % 1000), (unsigned long long)(k % 7));
    return text;
}

static spk_status read_lines(uint64_t n, spk_recording **out)
{
    size_t length = 0;
    char *text = lines(n, &length);
    spk_status status = spk_recording_read_buffer(context, "text", text, length, NULL, out);
    free(text);
    return status;
}

/* ---- stages and holdings --------------------------------------------------------------------- */

static void a_stage_admits_up_to_the_limit(void **state)
{
    (void)state;
    char *first = NULL, *second = NULL;
    spk_context_set_memory_limit(context, LIMIT);
    spk_stage stage = spk_stage_open(context);
    assert_int_equal(spk_alloc(context, &first, LIMIT / 2, "half"), SPK_OK);
    assert_true(used() >= LIMIT / 2 && used() < LIMIT / 2 + 10000);
    assert_int_equal(spk_alloc(context, &second, LIMIT / 2 + 1, "the other half"), SPK_ERR_MEMORY);
    assert_null(second);
    assert_non_null(strstr(spk_context_message(context), "the other half"));
    assert_non_null(strstr(spk_context_message(context), "over the memory limit of 1.00 MB"));
    spk_free(context, first);
    assert_int_equal(spk_alloc(context, &second, LIMIT / 2 + 1, "the other half"), SPK_OK);
    spk_stage_close(context, &stage);
    assert_int_equal(used(), 0);
    free(second);
    /* Nothing counts where no stage is open. */
    assert_int_equal(spk_alloc(context, &first, 2 * LIMIT, "much"), SPK_OK);
    assert_int_equal(used(), 0);
    free(first);
}

static void an_array_fills_the_limit_in_small_steps(void **state)
{
    (void)state;
    uint64_t *array = NULL, capacity = 0, n = 0;
    spk_context_set_memory_limit(context, LIMIT);
    spk_stage stage = spk_stage_open(context);
    while (spk_grow(context, &array, &capacity, n + 1, "numbers") == SPK_OK)
        n++;
    assert_true(n * sizeof *array > LIMIT / 10 * 9);
    assert_true(n * sizeof *array <= LIMIT);
    spk_shrink(context, &array, 10);
    assert_true(used() < 1000);
    spk_stage_close(context, &stage);
    free(array);
}

static void stages_lie_inside_each_other(void **state)
{
    (void)state;
    char *outer = NULL, *inner = NULL;
    spk_stage a = spk_stage_open(context);
    assert_int_equal(spk_alloc(context, &outer, 10000, "outer"), SPK_OK);
    uint64_t before = used();
    spk_stage b = spk_stage_open(context);
    assert_int_equal(spk_alloc(context, &inner, 20000, "inner"), SPK_OK);
    assert_true(used() >= before + 20000);
    spk_stage_close(context, &b);
    assert_true(used() == before);
    spk_stage_close(context, &a);
    assert_int_equal(used(), 0);
    free(outer);
    free(inner);
}

static void a_holding_may_outlive_its_context(void **state)
{
    (void)state;
    spk_holding holding = {.bytes = 0};
    char *text = NULL;
    spk_stage stage = spk_stage_open(context);
    assert_int_equal(spk_alloc(context, &text, 5000, "text"), SPK_OK);
    spk_stage_keep(context, &stage, &holding);
    assert_true(used() >= 5000 && holding.bytes == used());
    spk_holding_release(&holding);
    assert_int_equal(used(), 0);
    free(text);
    spk_context *short_lived = NULL;
    assert_int_equal(spk_context_create(&short_lived), SPK_OK);
    spk_holding_set(short_lived, &holding, 500);
    spk_context_set_memory_limit(short_lived, 600);
    assert_int_equal(spk_memory_left(short_lived), 100);
    spk_holding_set(short_lived, &holding, 700);
    assert_int_equal(spk_memory_left(short_lived), 1);
    assert_int_equal(spk_memory_check_left(short_lived), SPK_ERR_MEMORY);
    spk_context_free(short_lived);
    spk_holding_release(&holding);
    spk_holding_release(&holding);
    spk_holding_set(NULL, &holding, 9);
    spk_holding_release(&holding);
}

/* ---- recordings, windows, lists -------------------------------------------------------------- */

static void a_recording_counts_until_it_is_freed(void **state)
{
    (void)state;
    spk_recording *recording = NULL, *slice = NULL;
    int64_t stop = 10000;
    assert_int_equal(read_lines(20000, &recording), SPK_OK);
    uint64_t bytes = used();
    assert_true(bytes >= 20000 * 16 && bytes < 20000 * 16 + 2000);
    assert_int_equal(spk_recording_slice(context, recording, NULL, &stop, 0, NULL, &slice), SPK_OK);
    assert_true(used() >= bytes + 10000 * 16 && used() < bytes + 10000 * 16 + 2000);
    spk_recording_free(recording);
    spk_recording_free(slice);
    assert_int_equal(used(), 0);
}

static void reading_keeps_to_the_limit(void **state)
{
    (void)state;
    spk_recording *recording = NULL;
    spk_context_set_memory_limit(context, LIMIT);
    assert_int_equal(read_lines(40000, &recording), SPK_OK); /* 640 kB */
    spk_recording_free(recording);
    assert_int_equal(read_lines(90000, &recording), SPK_ERR_MEMORY);
    assert_null(recording);
    assert_non_null(strstr(spk_context_message(context), "--max-memory"));
    assert_int_equal(used(), 0);
}

static void wide_windows_keep_to_the_limit(void **state)
{
    (void)state;
    spk_recording *recording = NULL;
    spk_windows *windows = NULL;
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){1, -3};
    assert_int_equal(read_lines(20000, &recording), SPK_OK);
    uint64_t bytes = used();
    spk_context_set_memory_limit(context, bytes + 2 * LIMIT);
    options.window = 2;
    assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_OK);
    assert_true(used() >= bytes + 40000 * 4);
    spk_windows_free(windows);
    assert_int_equal(used(), bytes);
    options.window = 10000; /* 150 million items, asked for before they are allocated */
    assert_int_equal(spk_windows_create(context, recording, &options, &windows), SPK_ERR_MEMORY);
    assert_null(windows);
    assert_non_null(strstr(spk_context_message(context), "window items"));
    assert_int_equal(used(), bytes);
    spk_recording_free(recording);
}

static void transactions_keep_to_the_limit(void **state)
{
    (void)state;
    enum { N = 300000 };
    char *text = malloc(N * 2);
    spk_windows *windows = NULL;
    assert_non_null(text);
    for (int k = 0; k < N; k++)
        memcpy(text + 2 * (size_t)k, "1 ", 2);
    spk_context_set_memory_limit(context, LIMIT);
    assert_int_equal(spk_windows_parse_transactions(context, "items", text, 2 * N, 0, 4, &windows),
                     SPK_ERR_MEMORY); /* one line whose items repeat: 1.2 MB until its end */
    assert_int_equal(used(), 0);
    assert_int_equal(spk_windows_parse_transactions(context, "items", text, N, 0, 4, &windows),
                     SPK_OK);
    assert_int_equal(spk_windows_columns(windows).n_windows, 1);
    assert_int_equal(spk_windows_columns(windows).first[1], 1);
    spk_windows_free(windows);
    free(text);
    assert_int_equal(used(), 0);
}

/* Words that lie across the blocks in which a file is read. */
static void transactions_are_read_in_blocks(void **state)
{
    (void)state;
    enum { N = 50000 };
    char *text = malloc(N * 16);
    size_t length = 0;
    spk_windows *windows = NULL;
    assert_non_null(text);
    for (int k = 0; k < N; k++)
        length += (size_t)sprintf(text + length, "%d %d%s", k % 997, k % 997 + 1000 + k % 3,
                                  k + 1 < N ? "\n" : "");
    assert_int_equal(spk_windows_parse_transactions(context, "items", text, length, 0, 4, &windows),
                     SPK_OK);
    spk_window_columns c = spk_windows_columns(windows);
    assert_int_equal(c.n_windows, N);
    for (int k = 0; k < N; k++) {
        assert_int_equal(c.first[k + 1] - c.first[k], 2);
        assert_int_equal(c.item[c.first[k]], k % 997);
        assert_int_equal(c.item[c.first[k] + 1], k % 997 + 1000 + k % 3);
    }
    spk_windows_free(windows);
    memset(text, '7', 300000); /* a word of more than a block */
    assert_int_equal(spk_windows_parse_transactions(context, "items", text, 300000, 0, 4, &windows),
                     SPK_ERR_RANGE);
    assert_null(windows);
    free(text);
}

static void a_list_keeps_to_the_limit(void **state)
{
    (void)state;
    spk_recording *recording = NULL;
    spk_episode_list *list = NULL;
    spk_status status = SPK_OK;
    uint64_t n = 0;
    assert_int_equal(read_lines(100, &recording), SPK_OK);
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    spk_context_set_memory_limit(context, LIMIT);
    while (status == SPK_OK && n++ < LIMIT)
        status = spk_episode_parse(context, recording, "u0 (0,5ms] u1", list);
    assert_int_equal(status, SPK_ERR_MEMORY);
    assert_true(n > LIMIT / 60 && n < LIMIT / 16);
    spk_episode_list_free(list);
    spk_recording_free(recording);
    assert_int_equal(used(), 0);
}

static void mining_is_refused_where_nothing_is_left(void **state)
{
    (void)state;
    spk_recording *recording = NULL;
    spk_delay delay = {{0, 0}, {5, -3}};
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = &delay;
    options.n_delays = 1;
    options.support = 10;
    assert_int_equal(read_lines(1000, &recording), SPK_OK);
    spk_context_set_memory_limit(context, 1000);
    assert_int_equal(spk_episode_mine(context, recording, &options, NULL, NULL, NULL),
                     SPK_ERR_MEMORY);
    assert_non_null(strstr(spk_context_message(context), "nothing is left of the memory limit"));
    spk_recording_free(recording);
}

/* ---- compressed files ------------------------------------------------------------------------ */

static void the_largest_expansion_is_inherited(void **state)
{
    (void)state;
    spk_context *child = NULL;
    assert_int_equal(spk_context_max_expansion(NULL), SPK_MAX_EXPANSION_DEFAULT);
    assert_int_equal(spk_context_max_expansion(context), SPK_MAX_EXPANSION_DEFAULT);
    spk_context_set_max_expansion(context, 7);
    assert_int_equal(spk_context_create_child(context, &child), SPK_OK);
    assert_int_equal(spk_context_max_expansion(child), 7);
    spk_context_free(child);
    spk_context_set_max_expansion(context, 0);
    assert_int_equal(spk_context_max_expansion(context), SPK_MAX_EXPANSION_DEFAULT);
}

static void the_default_limit_is_nobodys_choice(void **state)
{
    (void)state;
    spk_context *child = NULL;
    spk_context_set_default_memory_limit(context);
    uint64_t limit = spk_context_memory_limit(context), available = spk_memory_available();
    assert_in_range(limit, available / 2, available); /* what is available changes meanwhile */
    assert_int_equal(spk_context_chosen_limit(context), 0);
    assert_int_equal(spk_context_create_child(context, &child), SPK_OK);
    assert_int_equal(spk_context_memory_limit(child), limit);
    assert_int_equal(spk_context_chosen_limit(child), 0);
    spk_context_free(child);
    spk_context_set_memory_limit(context, LIMIT);
    assert_int_equal(spk_context_chosen_limit(context), LIMIT);
    assert_int_equal(spk_context_chosen_limit(NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_stage_admits_up_to_the_limit),
        TEST(an_array_fills_the_limit_in_small_steps),
        TEST(stages_lie_inside_each_other),
        TEST(a_holding_may_outlive_its_context),
        TEST(a_recording_counts_until_it_is_freed),
        TEST(reading_keeps_to_the_limit),
        TEST(wide_windows_keep_to_the_limit),
        TEST(transactions_keep_to_the_limit),
        TEST(transactions_are_read_in_blocks),
        TEST(a_list_keeps_to_the_limit),
        TEST(mining_is_refused_where_nothing_is_left),
        TEST(the_largest_expansion_is_inherited),
        TEST(the_default_limit_is_nobodys_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
