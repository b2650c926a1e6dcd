/* What the page of a live stream remembers, without a server: rings of any size, the box between
 * the threads, lists that are bounded. */
#include "live/page/history.h"
#include "live/page/page.h"
#include "live/page/state.h"
#include "support/live_blocks.h"
#include "support/test.h"

static void look(const history *h, uint64_t from, uint64_t most, live_blocks *out)
{
    unsigned char *bytes;
    size_t n;
    assert_int_equal(history_write(h, 1, from, 0, most, &bytes, &n), SPK_OK);
    live_blocks_read(bytes, n, h->origin, out);
    free(bytes);
}

/* Rings of any small size, segments that go back, far jumps: what is asked for by number is what
 * was added, to the tick. */
static void test_history_keeps_the_newest(void **state)
{
    (void)state;
    static int64_t time[4000];
    static uint32_t unit[4000];
    static uint64_t segment[4000];
    static live_blocks got;
    const uint64_t seed = test_seed("history");
    for (uint64_t round = 0; round < test_scaled(60); round++) {
        test_random random = test_random_make(seed, round);
        history h;
        const uint64_t capacity = 1 + test_random_below(&random, 900);
        assert_int_equal(history_open(NULL, &h, capacity, INT64_MAX), SPK_OK);
        uint64_t n = 0, s = 0;
        int64_t now = (int64_t)test_random_below(&random, UINT64_C(1) << 62) - (INT64_C(1) << 61);
        while (n < 3000) {
            const uint64_t more = test_random_below(&random, 120);
            if (test_random_below(&random, 6) == 0) {
                history_begin(&h, n == 0 ? s : ++s, 0, false, 0);
                now += (int64_t)test_random_below(&random, 20000) - 10000;
            }
            for (uint64_t k = n; k < n + more; k++) {
                now += (int64_t)test_random_below(
                    &random, test_random_below(&random, 50) == 0 ? UINT64_C(6000000000) : 20);
                time[k] = now;
                unit[k] = (uint32_t)test_random_below(&random, 100);
                segment[k] = s;
            }
            history_add(&h, more, time + n, unit + n);
            n += more;
            const uint64_t kept = n < capacity ? n : capacity;
            const uint64_t from = test_random_below(&random, n + 2);
            const uint64_t most = 1 + test_random_below(&random, 500);
            const uint64_t first = from < n - kept ? n - kept : from > n ? n : from;
            look(&h, from, most, &got);
            assert_int_equal(got.next, n);
            assert_int_equal(got.oldest, n - kept);
            assert_int_equal(got.n, n - first < most ? n - first : most);
            for (uint64_t k = 0; k < got.n; k++) {
                assert_int_equal(got.time[k], time[first + k]);
                assert_int_equal(got.unit[k], unit[first + k]);
                assert_int_equal(got.segment[k], segment[first + k]);
                assert_true(k == 0 || got.place[k] >= got.place[k - 1]);
            }
        }
        history_close(&h);
    }
}

static void test_history_is_bounded_in_time(void **state)
{
    (void)state;
    history h;
    static live_blocks got;
    assert_int_equal(history_open(NULL, &h, 1000, 100), SPK_OK);
    for (int64_t k = 0; k < 500; k++)
        history_add(&h, 1, &k, &(uint32_t){7});
    look(&h, 0, 5000, &got);
    assert_int_equal(got.n, 101);
    assert_int_equal(got.time[0], 399);
    /* A segment that begins 50 ticks after the last spike makes the older half go. */
    history_begin(&h, 1, 1, true, 549);
    history_add(&h, 1, &(int64_t){549}, &(uint32_t){7});
    look(&h, 0, 5000, &got);
    assert_int_equal(got.n, 52);
    assert_int_equal(got.time[0], 449);
    assert_int_equal(got.segment[51], 1);
    history_close(&h);
}

static void test_occurrences_are_bounded(void **state)
{
    (void)state;
    history h;
    static live_blocks got;
    static int64_t time[5000];
    assert_int_equal(history_open(NULL, &h, 10, INT64_MAX), SPK_OK);
    history_add(&h, 1, &(int64_t){1000}, &(uint32_t){0});
    /* One of a segment that begins later waits for it. */
    const history_occurrence early = {.item = 3, .count = 1, .segment = 1, .size = 2};
    history_add_occurrence(&h, &early, (const int64_t[]){5, 9});
    look(&h, 0, 10, &got);
    assert_int_equal(got.n_occurrences, 0);
    history_begin(&h, 1, 1, true, 0);
    look(&h, 0, 10, &got);
    assert_int_equal(got.n_occurrences, 1);
    assert_int_equal(got.item[0], 3);
    assert_true(got.places[0][0] == 5 && got.places[0][1] == 9); /* behind 1000, the first tick */
    /* Too many, then too many times: the oldest ones go. */
    for (uint64_t k = 0; k < HISTORY_OCCURRENCES + 10; k++)
        history_add_occurrence(&h, &early, (const int64_t[]){5, 9});
    assert_int_equal(h.next_occurrence - h.oldest_occurrence, HISTORY_OCCURRENCES);
    const history_occurrence large = {.item = 3, .count = 1, .segment = 1, .size = 5000};
    for (int k = 0; k < 1000; k++)
        history_add_occurrence(&h, &large, time);
    assert_int_equal(h.next_occurrence - h.oldest_occurrence, HISTORY_WORDS / 5000);
    history_close(&h);
}

/* Records come out as they went in; a full box says so, and spikes leave room for the rest. */
static void test_inbox(void **state)
{
    (void)state;
    inbox box;
    static unsigned char large[1 << 20];
    size_t n, at = 0;
    inbox_record record;
    const unsigned char *body;
    assert_int_equal(inbox_open(NULL, &box), SPK_OK);
    assert_true(inbox_put(&box, INBOX_LABEL, (const inbox_part[]){{"ab", 2}, {"c", 2}}, 2));
    assert_true(inbox_put(&box, INBOX_END, NULL, 0));
    const unsigned char *bytes = inbox_take(&box, &n);
    assert_true(inbox_next(bytes, n, &at, &record, &body));
    assert_int_equal(record.kind, INBOX_LABEL);
    assert_int_equal(record.bytes, 4);
    assert_string_equal((const char *)body, "abc");
    assert_true(inbox_next(bytes, n, &at, &record, &body));
    assert_int_equal(record.kind, INBOX_END);
    assert_false(inbox_next(bytes, n, &at, &record, &body));
    const inbox_part part = {large, sizeof large};
    int spikes = 0, others = 0;
    while (inbox_put(&box, INBOX_SPIKES, &part, 1))
        spikes++;
    while (inbox_put(&box, INBOX_OCCURRENCE, &part, 1))
        others++;
    assert_int_equal(spikes, 5);
    assert_int_equal(others, 2);
    inbox_take(&box, &n);
    assert_true(inbox_put(&box, INBOX_SPIKES, &part, 1));
    inbox_close(&box);
}

static void test_partitions_and_marks_are_bounded(void **state)
{
    (void)state;
    static page_state s;
    char text[32];
    for (int k = 0; k < STATE_PARTITIONS + 7; k++) {
        snprintf(text, sizeof text, "{\"number\":%d}", k);
        assert_true(state_add_partition(&s, text));
    }
    assert_int_equal(s.oldest_partition, 7);
    for (int k = 0; k < STATE_MARKS + 3; k++)
        state_add_mark(&s, k, "m");
    assert_int_equal(s.n_marks, STATE_MARKS);
    assert_int_equal(s.mark[0].place, 3);
    assert_false(state_remove_mark(&s, 3)); /* made room */
    assert_true(state_remove_mark(&s, 4));
    assert_int_equal(s.mark[0].place, 4);
    state_close(&s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history_keeps_the_newest),
        cmocka_unit_test(test_history_is_bounded_in_time),
        cmocka_unit_test(test_occurrences_are_bounded),
        cmocka_unit_test(test_inbox),
        cmocka_unit_test(test_partitions_and_marks_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
