/* The order of rows in rasters. */
#include "report/figure/panels.h"
#include "spikemine/figure.h"
#include "support/context.h"

enum { UNITS = 8 };

typedef struct table {
    uint32_t unit[UNITS];
    uint32_t block[UNITS];
    spk_rows rows;
} table;

static void begin(table *t)
{
    *t = (table){.rows = {0}};
    t->rows.unit = t->unit;
    t->rows.block = t->block;
}

static void assert_rows(const table *t, uint32_t n, const uint32_t *wanted)
{
    assert_int_equal(t->rows.n, n);
    assert_memory_equal(t->unit, wanted, n * sizeof *wanted);
}

static void test_a_sequence_runs_downwards(void **state)
{
    (void)state;
    table t;
    begin(&t);
    spk_rows_add(&t.rows, 4, (uint32_t[]){5, 1, 5, 3});
    assert_rows(&t, 3, (uint32_t[]){5, 1, 3});
    spk_rows_add_others(&t.rows, UNITS);
    assert_rows(&t, UNITS, (uint32_t[]){5, 1, 3, 0, 2, 4, 6, 7});
}

static void test_new_units_stand_where_their_sequence_has_them(void **state)
{
    (void)state;
    table t;
    begin(&t);
    spk_rows_add(&t.rows, 3, (uint32_t[]){4, 5, 6});
    spk_rows_add(&t.rows, 2, (uint32_t[]){1, 2});
    spk_rows_add(&t.rows, 2, (uint32_t[]){4, 7}); /* below the block of 4 */
    assert_rows(&t, 6, (uint32_t[]){4, 5, 6, 7, 1, 2});
    spk_rows_add(&t.rows, 2, (uint32_t[]){3, 5}); /* above the next one */
    assert_rows(&t, 7, (uint32_t[]){4, 3, 5, 6, 7, 1, 2});
    spk_rows_add(&t.rows, 3, (uint32_t[]){1, 0, 2}); /* between the two */
    assert_rows(&t, UNITS, (uint32_t[]){4, 3, 5, 6, 7, 1, 0, 2});
    spk_rows_add(&t.rows, 2, (uint32_t[]){2, 4}); /* nothing new */
    spk_rows_add_others(&t.rows, UNITS);
    assert_rows(&t, UNITS, (uint32_t[]){4, 3, 5, 6, 7, 1, 0, 2});
}

static void test_without_a_sequence_rows_are_the_units(void **state)
{
    (void)state;
    table t;
    begin(&t);
    spk_rows_add_others(&t.rows, 3);
    assert_rows(&t, 3, (uint32_t[]){0, 1, 2});
}

static void test_units_of_a_recording_are_ordered(void **state)
{
    (void)state;
    const int64_t time[4] = {1, 2, 3, 4};
    const uint32_t unit[4] = {0, 1, 2, 3}, wanted[4] = {2, 1, 3, 0};
    const uint64_t offset[3] = {0, 2, 4};
    const uint32_t sequences[4] = {2, 1, 1, 3}, wrong[2] = {0, 4};
    uint32_t order[4], n_first;
    spk_recording_source source;
    spk_recording *recording = NULL;
    spk_recording_source_init(&source, sizeof source);
    source.time = time;
    source.unit = unit;
    source.n_events = source.n_units = 4;
    source.rate = (spk_rate){1000, 1};
    assert_int_equal(spk_recording_create(NULL, &source, &recording), SPK_OK);
    assert_int_equal(spk_figure_order_units(NULL, recording, 2, offset, sequences, order, &n_first),
                     SPK_OK);
    assert_int_equal(n_first, 3);
    assert_memory_equal(order, wanted, sizeof order);
    assert_int_equal(spk_figure_order_units(NULL, recording, 1, offset, wrong, order, &n_first),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_figure_order_units(NULL, recording, 0, NULL, NULL, order, &n_first),
                     SPK_OK);
    assert_int_equal(n_first, 0);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sequence_runs_downwards),
        cmocka_unit_test(test_new_units_stand_where_their_sequence_has_them),
        cmocka_unit_test(test_units_of_a_recording_are_ordered),
        cmocka_unit_test(test_without_a_sequence_rows_are_the_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
