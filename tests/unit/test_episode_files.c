/* Files of episodes and of their occurrences: every byte of small ones, and what is left of files
 * that are given up or not complete. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "spikemine/spikemine.h"
#include "support/folder.h"

static const spk_delay delays[] = {{{0, 0}, {5, -3}}, {{5, -3}, {1, -2}}};
static const char tsv[] = "size\tcount\tepisode\n"
                          "1\t3\t\"left eye\"\n"
                          "2\t2\t\"left eye\" (5ms,10ms] b\n";

/* "left eye" fires at 0, 20 and 40 ms, b 6 ms after the first two. */
static const int64_t times[] = {0, 6, 20, 26, 40};
static const uint32_t units[] = {1, 0, 1, 0, 1};
static const char *const labels[] = {"b", "left eye"};

static const uint64_t offset[] = {0, 1, 3};
static const uint32_t unit[] = {1, 1, 0}; /* "left eye" is unit 1 after b */
static const uint16_t delay[] = {0, 0, 1};
static const uint64_t count[] = {3, 2};

static spk_context *context;
static spk_recording *recording;

static int setup(void **state)
{
    (void)state;
    return spk_context_create(&context) != SPK_OK ||
           spk_recording_create(context, 5, times, units, 2, labels, (spk_rate){1000, 1}, NULL,
                                NULL, &recording) != SPK_OK;
}

static int teardown(void **state)
{
    (void)state;
    spk_recording_free(recording);
    spk_context_free(context);
    test_folder_remove();
    return 0;
}

static spk_episode_columns episodes(void)
{
    return (spk_episode_columns){2, offset, unit, delay, count};
}

static void assert_file(const char *name, const char *expected)
{
    char *text = test_file_text(name);
    assert_string_equal(text, expected);
    free(text);
}

/* ---- episodes -------------------------------------------------------------------------------- */

static spk_episode_writer *open_episodes(const char *name, spk_format format)
{
    spk_episode_writer *writer = NULL;
    assert_int_equal(
        spk_episode_writer_open(context, test_path(name), format, recording, delays, 2, &writer),
        SPK_OK);
    return writer;
}

static void add_episodes(spk_episode_writer *writer)
{
    spk_episode_columns all = episodes();
    assert_int_equal(spk_episode_writer_add(context, writer, &all), SPK_OK);
}

static void commit_episodes(spk_episode_writer *writer, const spk_provenance *provenance)
{
    assert_int_equal(spk_episode_writer_commit(context, writer, provenance), SPK_OK);
}

static void a_table_appears_when_it_is_complete(void **state)
{
    (void)state;
    const spk_provenance provenance = {.incomplete = NULL};
    spk_episode_writer *writer = open_episodes("episodes.tsv", SPK_FORMAT_TSV);
    add_episodes(writer);
    assert_false(test_file_exists("episodes.tsv"));
    commit_episodes(writer, &provenance);
    assert_file("episodes.tsv", tsv);
}

static void episodes_that_are_added_twice_are_there_twice(void **state)
{
    (void)state;
    const spk_provenance provenance = {.incomplete = NULL};
    spk_episode_list *list = NULL;
    spk_episode_writer *writer = open_episodes("twice.tsv", SPK_FORMAT_TSV);
    add_episodes(writer);
    add_episodes(writer);
    commit_episodes(writer, &provenance);
    assert_int_equal(spk_episode_list_read(context, recording, test_path("twice.tsv"), &list),
                     SPK_OK);
    assert_int_equal(spk_episode_list_columns(list).n, 4);
    spk_episode_list_free(list);
}

static void a_result_that_is_not_complete_has_another_name(void **state)
{
    (void)state;
    const spk_provenance provenance = {.incomplete = "interrupted at size 3"};
    char expected[sizeof tsv + 64] = "";
    spk_episode_writer *writer = open_episodes("cut.tsv", SPK_FORMAT_TSV);
    add_episodes(writer);
    commit_episodes(writer, &provenance);
    assert_false(test_file_exists("cut.tsv"));
    strcat(expected, tsv);
    strcat(expected, "# incomplete: interrupted at size 3\n");
    assert_file("cut.tsv.incomplete", expected);
}

static void json_holds_the_same(void **state)
{
    (void)state;
    const spk_provenance provenance = {.engine = "sweep", .threads = 3};
    spk_episode_writer *writer = open_episodes("episodes.json", SPK_FORMAT_JSON);
    add_episodes(writer);
    commit_episodes(writer, &provenance);
    json_t *all = json_load_file(test_path("episodes.json"), 0, NULL);
    assert_non_null(all);
    json_t *second = json_array_get(json_object_get(all, "episodes"), 1);
    assert_int_equal(json_array_size(json_object_get(all, "episodes")), 2);
    assert_int_equal(json_integer_value(json_object_get(second, "count")), 2);
    const json_t *first_unit = json_array_get(json_object_get(second, "units"), 0);
    assert_string_equal(json_string_value(first_unit), "left eye");
    const json_t *number = json_array_get(json_object_get(second, "delays"), 0);
    const json_t *interval =
        json_array_get(json_object_get(all, "delays"), (size_t)json_integer_value(number));
    assert_string_equal(json_string_value(interval), "(5ms,10ms]");
    const json_t *made = json_object_get(all, "provenance");
    assert_string_equal(json_string_value(json_object_get(made, "engine")), "sweep");
    assert_true(json_is_true(json_object_get(all, "complete")));
    json_decref(all);
}

static void what_is_given_up_leaves_nothing(void **state)
{
    (void)state;
    spk_episode_writer *writer = open_episodes("given-up.tsv", SPK_FORMAT_TSV);
    add_episodes(writer);
    spk_episode_writer_discard(writer);
    spk_episode_writer_discard(NULL);
    assert_false(test_file_exists("given-up.tsv"));
    assert_false(test_file_exists("given-up.tsv.incomplete"));
}

/* ---- occurrences ----------------------------------------------------------------------------- */

static spk_occurrence_writer *open_occurrences(const char *name)
{
    spk_occurrence_writer *writer = NULL;
    assert_int_equal(
        spk_occurrence_writer_open(context, test_path(name), recording, delays, 2, &writer),
        SPK_OK);
    return writer;
}

static void add_occurrences(spk_occurrence_writer *writer, uint32_t min_size)
{
    spk_episode_columns all = episodes();
    assert_int_equal(spk_occurrence_writer_add(context, writer, &all, min_size), SPK_OK);
}

static void occurrences_are_listed_with_their_times(void **state)
{
    (void)state;
    spk_occurrence_writer *writer = open_occurrences("times.tsv");
    add_occurrences(writer, 2);
    assert_false(test_file_exists("times.tsv"));
    assert_int_equal(spk_occurrence_writer_commit(context, writer, NULL), SPK_OK);
    assert_file("times.tsv", "episode\toccurrence\tstart_s\tend_s\ttimes_s\n"
                             "\"left eye\" (5ms,10ms] b\t1\t0\t0.006\t0,0.006\n"
                             "\"left eye\" (5ms,10ms] b\t2\t0.02\t0.026\t0.02,0.026\n");
}

static void occurrences_of_all_sizes_are_as_many_as_were_counted(void **state)
{
    (void)state;
    spk_occurrence_writer *writer = open_occurrences("all.tsv");
    add_occurrences(writer, 1);
    assert_int_equal(spk_occurrence_writer_commit(context, writer, "disk full"), SPK_OK);
    assert_false(test_file_exists("all.tsv"));
    char *text = test_file_text("all.tsv.incomplete");
    size_t lines = 0;
    for (const char *at = strchr(text, '\n'); at != NULL; at = strchr(at + 1, '\n'))
        lines++;
    assert_int_equal(lines, 1 + 3 + 2 + 1);
    assert_non_null(strstr(text, "\n# incomplete: disk full\n"));
    free(text);
}

static void occurrences_that_are_given_up_leave_nothing(void **state)
{
    (void)state;
    spk_occurrence_writer *writer = open_occurrences("given-up.tsv");
    add_occurrences(writer, 1);
    spk_occurrence_writer_discard(writer);
    spk_occurrence_writer_discard(NULL);
    assert_false(test_file_exists("given-up.tsv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_appears_when_it_is_complete),
        cmocka_unit_test(episodes_that_are_added_twice_are_there_twice),
        cmocka_unit_test(a_result_that_is_not_complete_has_another_name),
        cmocka_unit_test(json_holds_the_same),
        cmocka_unit_test(what_is_given_up_leaves_nothing),
        cmocka_unit_test(occurrences_are_listed_with_their_times),
        cmocka_unit_test(occurrences_of_all_sizes_are_as_many_as_were_counted),
        cmocka_unit_test(occurrences_that_are_given_up_leave_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
