/* A part of a sequence that occurs by itself, too: told from spikes that are missing by chance. */
#include "base/random.h"
#include "sequence/sequence.h"
#include "support/recordings.h"
#include "support/test.h"

enum { MEMBERS = 6, MOST = 60 };

static uint64_t seed;

/* ---- kinds of occurrences -------------------------------------------------------------------- */

static bool there[MOST][MEMBERS];

static bool find_part(uint64_t n, uint8_t *is_part)
{
    uint32_t before[MOST * (MEMBERS + 1)];
    const sequence_presence p = {.n = n, .width = MEMBERS, .before = before};
    for (uint64_t k = 0; k < n; k++) {
        before[k * (MEMBERS + 1)] = 0;
        for (uint32_t m = 0; m < MEMBERS; m++)
            before[k * (MEMBERS + 1) + m + 1] = before[k * (MEMBERS + 1) + m] + there[k][m];
    }
    memset(is_part, 0, n);
    return spk_sequence_find_part(&p, is_part);
}

/* Members first .. end - 1 alone in occurrences of the part; a tenth of all others is missing. */
static void draw(test_random *random, uint64_t n, const bool *part, uint32_t first, uint32_t end)
{
    for (uint64_t k = 0; k < n; k++)
        for (uint32_t m = 0; m < MEMBERS; m++)
            there[k][m] =
                test_random_chance(random, part[k] && (m < first || m >= end) ? 0.03 : 0.9);
}

static void a_part_is_told_from_the_whole(void **state)
{
    (void)state;
    enum { N = 100 };
    static const uint32_t stretch[][2] = {{0, 3}, {1, 4}, {2, 5}, {3, 6}};
    uint32_t n_found = 0, n_wrong = 0;
    for (uint64_t c = 0; c < N; c++) {
        test_random random = test_random_make(1, c);
        bool part[MOST];
        uint8_t found[MOST];
        for (uint64_t k = 0; k < MOST; k++)
            part[k] = test_random_chance(&random, 0.4);
        draw(&random, MOST, part, stretch[c % 4][0], stretch[c % 4][1]);
        n_found += find_part(MOST, found);
        for (uint64_t k = 0; k < MOST; k++)
            n_wrong += found[k] != part[k];
    }
    assert_in_range(n_found, 95, N);
    assert_true(n_wrong < N * MOST / 20);
}

/* Half of the spikes of each member, or few of one: no two are missing together. */
static void spikes_that_are_missing_by_chance_are_no_part(void **state)
{
    (void)state;
    enum { N = 2000 };
    uint32_t n_found = 0;
    for (uint64_t c = 0; c < N; c++) {
        test_random random = test_random_make(2, c);
        const uint64_t n = 6 + test_random_below(&random, MOST - 5);
        double share[MEMBERS];
        uint8_t found[MOST];
        for (uint32_t m = 0; m < MEMBERS; m++)
            share[m] = 0.2 + 0.75 * test_random_real(&random);
        for (uint64_t k = 0; k < n; k++)
            for (uint32_t m = 0; m < MEMBERS; m++)
                there[k][m] = test_random_chance(&random, share[m]);
        n_found += find_part(n, found);
    }
    assert_in_range(n_found, 0, N / 100);
}

static void units_that_fade_leave_no_part(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 50; c++) {
        test_random random = test_random_make(seed, c);
        bool part[MOST];
        uint8_t found[MOST];
        for (uint64_t k = 0; k < MOST; k++)
            part[k] = k >= MOST / 2;
        draw(&random, MOST, part, 0, 3);
        assert_false(find_part(MOST, found));
        for (uint64_t k = 0; k < MOST; k++)
            assert_int_equal(found[k], 0);
    }
}

/* Too few of a kind, too short a stretch, one member that is missing: nothing to tell. */
static void what_is_too_small_is_no_part(void **state)
{
    (void)state;
    uint8_t found[MOST];
    memset(there, true, sizeof there);
    assert_false(find_part(MOST, found));
    assert_false(find_part(0, found));
    for (uint64_t k = 0; k < MOST; k += 2)
        there[k][5] = false;
    assert_false(find_part(MOST, found));
    memset(there, true, sizeof there);
    for (uint64_t k = 0; k < MOST; k += 2)
        for (uint32_t m = 2; m < MEMBERS; m++)
            there[k][m] = false;
    assert_false(find_part(MOST, found));
    memset(there, true, sizeof there);
    there[20][4] = there[20][5] = there[40][4] = there[40][5] = false;
    assert_false(find_part(MOST, found));
}

/* ---- in a recording -------------------------------------------------------------------------- */

enum { WHOLE = 24, ALONE = 20, UNITS = 12, SECONDS = 44, EVENTS = 20000 };

/* Units 0 to 5 every 15 ms, and 1 to 3 of them alone, in turn; chance beside them. */
static spk_recording *plant(test_random *random)
{
    static int64_t time[EVENTS];
    static uint32_t unit[EVENTS];
    const int64_t start = 0, stop = SECONDS * 10000;
    int n_whole = 0;
    uint64_t n = 0;
    spk_recording *recording = NULL;
    for (int k = 0; k < WHOLE + ALONE; k++) {
        const bool whole = k % 2 == 0 || k >= 2 * ALONE;
        n_whole += whole;
        for (uint32_t m = whole ? 0U : 1U; m < (whole ? (uint32_t)MEMBERS : 4U); m++)
            if (test_random_chance(random, 0.9)) {
                time[n] =
                    10000 * k + 3000 + 150 * (int64_t)m + test_random_between(random, -20, 20);
                unit[n++] = m;
            }
    }
    assert_int_equal(n_whole, WHOLE);
    for (uint32_t u = 0; u < UNITS; u++)
        for (int k = 0; k < 2 * SECONDS; k++) {
            time[n] = test_random_between(random, 0, stop - 1);
            unit[n++] = u;
        }
    assert_int_equal(test_recording_create(NULL, n, time, unit, UNITS, NULL, (spk_rate){10000, 1},
                                           &start, &stop, &recording),
                     SPK_OK);
    return recording;
}

static void whole_and_part_are_two_sequences(void **state)
{
    (void)state;
    test_random random = test_random_make(3, 1);
    spk_recording *recording = plant(&random);
    spk_sequence_options options;
    spk_sequences *found = NULL;
    spk_sequence_options_init(&options, sizeof options);
    options.n_surrogates = 19;
    options.max_sequences = 2;
    assert_int_equal(spk_sequences_find(NULL, recording, &options, &found, NULL), SPK_OK);
    const spk_sequence_columns c = spk_sequences_columns(found);
    assert_true(c.n >= 2);
    for (uint32_t m = 0; m < MEMBERS; m++) {
        assert_int_equal(c.unit[m], m);
        assert_true(c.share[m] > 0.7);
    }
    assert_int_equal(c.member_first[1], MEMBERS);
    assert_in_range(c.occurrence_first[1], WHOLE - 3, WHOLE + 2);
    assert_int_equal(c.member_first[2] - c.member_first[1], 3);
    for (uint32_t m = 0; m < 3; m++)
        assert_int_equal(c.unit[MEMBERS + m], m + 1);
    assert_in_range(c.occurrence_first[2] - c.occurrence_first[1], ALONE - 6, ALONE + 2);
    spk_sequences_free(found);
    spk_recording_free(recording);
}

int main(void)
{
    seed = test_seed("test_sequences_part");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_told_from_the_whole),
        cmocka_unit_test(spikes_that_are_missing_by_chance_are_no_part),
        cmocka_unit_test(units_that_fade_leave_no_part),
        cmocka_unit_test(what_is_too_small_is_no_part),
        cmocka_unit_test(whole_and_part_are_two_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
