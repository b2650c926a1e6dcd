/*
 * A search for patterns that processes share: a process that is told at every look that another one
 * waits finds all patterns, in pieces whose places put them into the order of a search by itself.
 * And branches as numbers: they come back as they were written, and broken ones are refused.
 */
#include "pattern/engine/bitmap/schedule.h"
#include "support/context.h"

/* ---- a share of one process ------------------------------------------------------------------ */

enum { MOST_PLACE = 64 };

/* Patterns one behind the other: count, size, items; and the runs that they came in. */
typedef struct found {
    uint32_t *number;
    uint64_t n;
    uint64_t capacity;
    struct {
        uint32_t place[MOST_PLACE];
        uint32_t n_place;
        uint64_t begin;
        uint64_t end;
    } * run;
    uint64_t n_runs;
    uint64_t run_capacity;
} found;

typedef struct lonely {
    uint64_t counter;
    uint64_t begins;
    unsigned char *bytes;
    uint32_t place[MOST_PLACE];
    uint32_t n_place;
    found found;
} lonely;

static void keep_number(found *f, uint32_t number)
{
    if (f->n == f->capacity) {
        f->capacity = 2 * f->capacity + 1024;
        f->number = realloc(f->number, f->capacity * sizeof *f->number);
        assert_non_null(f->number);
    }
    f->number[f->n++] = number;
}

static spk_status keep(void *user, const spk_pattern_columns *p)
{
    lonely *l = user;
    found *f = &l->found;
    if (f->n_runs == f->run_capacity) {
        f->run_capacity = 2 * f->run_capacity + 64;
        f->run = realloc(f->run, f->run_capacity * sizeof *f->run);
        assert_non_null(f->run);
    }
    memcpy(f->run[f->n_runs].place, l->place, sizeof l->place);
    f->run[f->n_runs].n_place = l->n_place;
    f->run[f->n_runs].begin = f->n;
    for (uint64_t i = 0; i < p->n; i++) {
        keep_number(f, p->count[i]);
        keep_number(f, (uint32_t)(p->offset[i + 1] - p->offset[i]));
        for (uint64_t k = p->offset[i]; k < p->offset[i + 1]; k++)
            keep_number(f, p->item[k]);
    }
    f->run[f->n_runs++].end = f->n;
    return SPK_OK;
}

static spk_status exchange(void *user, const void *mine, uint64_t n, const void **all,
                           uint64_t *n_all)
{
    lonely *l = user;
    unsigned char *bytes = malloc(n + 1);
    assert_non_null(bytes);
    if (n > 0)
        memcpy(bytes, mine, n);
    free(l->bytes);
    l->bytes = bytes;
    *all = bytes;
    *n_all = n;
    return SPK_OK;
}

static spk_status begin(void *user)
{
    lonely *l = user;
    l->counter = 0;
    l->begins++;
    return SPK_OK;
}

static spk_status next(void *user, uint64_t *number)
{
    lonely *l = user;
    *number = l->counter++;
    return SPK_OK;
}

static spk_status somebody_waits(void *user, uint64_t *number)
{
    (void)user;
    *number = UINT64_MAX;
    return SPK_OK;
}

/* So full now and then that it wants an exchange. */
static bool often_full(void *user)
{
    const lonely *l = user;
    return l->begins % 3 == 2;
}

static spk_status set_place(void *user, const uint32_t *place, uint32_t n)
{
    lonely *l = user;
    assert_in_range(n, 0, MOST_PLACE);
    if (n > 0)
        memcpy(l->place, place, n * sizeof *place);
    l->n_place = n;
    return SPK_OK;
}

/* Whether run a comes before run b: places number by number, then as they came. */
static bool comes_before(const found *f, uint64_t a, uint64_t b)
{
    for (uint32_t k = 0; k < f->run[a].n_place && k < f->run[b].n_place; k++)
        if (f->run[a].place[k] != f->run[b].place[k])
            return f->run[a].place[k] < f->run[b].place[k];
    if (f->run[a].n_place != f->run[b].n_place)
        return f->run[a].n_place < f->run[b].n_place;
    return a < b;
}

/* The numbers of all runs in the order of their places. */
static uint32_t *put_in_order(const found *f)
{
    uint32_t *out = calloc(f->n + 1, sizeof *out);
    uint64_t *order = calloc(f->n_runs + 1, sizeof *order), n = 0;
    assert_non_null(out);
    assert_non_null(order);
    for (uint64_t r = 0; r < f->n_runs; r++) {
        uint64_t at = r;
        for (; at > 0 && comes_before(f, r, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = r;
    }
    for (uint64_t r = 0; r < f->n_runs; r++)
        for (uint64_t k = f->run[order[r]].begin; k < f->run[order[r]].end; k++)
            out[n++] = f->number[k];
    free(order);
    return out;
}

static void release(lonely *l)
{
    free(l->bytes);
    free(l->found.number);
    free(l->found.run);
}

/* ---- searches -------------------------------------------------------------------------------- */

static spk_windows *make_windows(test_random *random)
{
    enum { MOST = 8000 };
    static int64_t time[MOST];
    static uint32_t unit[MOST];
    uint64_t n = 0;
    spk_recording *recording = NULL;
    spk_windows *windows = NULL;
    spk_window_options cut;
    uint32_t n_units = 4 + (uint32_t)test_random_below(random, 16);
    int64_t bins = 30 + test_random_between(random, 0, 300);
    double rate = 0.05 + 0.3 * test_random_real(random);
    bool always = test_random_chance(random, 0.2);
    for (int64_t bin = 0; bin < bins; bin++)
        for (uint32_t u = 0; u < n_units && n < MOST; u++)
            if (test_random_chance(random, rate) || (always && u == 0)) {
                time[n] = bin;
                unit[n++] = u;
            }
    assert_int_equal(test_recording_create(context, n, time, unit, n_units, NULL, (spk_rate){1, 1},
                                           NULL, NULL, &recording),
                     SPK_OK);
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){1, 0};
    cut.window = 1 + (uint32_t)test_random_below(random, 4);
    assert_int_equal(spk_windows_create(context, recording, &cut, &windows), SPK_OK);
    spk_recording_free(recording);
    return windows;
}

static void what_is_left_is_found(void **state)
{
    (void)state;
    uint64_t seed = test_seed("what_is_left_is_found"), left_again = 0, patterns = 0;
    /* Some windows hold too little to be left: others are drawn until enough was. */
    for (uint64_t c = 0; c < test_scaled(300) || (left_again < 10 && c < 300); c++) {
        test_random random = test_random_make(seed, c);
        spk_windows *windows = make_windows(&random);
        const spk_window_columns columns = spk_windows_columns(windows);
        lonely alone = {.counter = 0}, sharing = {.counter = 0};
        const spk_pattern_share share = {.part = 0,
                                         .n_parts = 1 + (int)test_random_below(&random, 9),
                                         .exchange = exchange,
                                         .begin = begin,
                                         .next = next,
                                         .look = somebody_waits,
                                         .at = set_place,
                                         .full = often_full,
                                         .user = &sharing};
        const spk_pattern_job job = {
            .windows = &columns,
            .limits = {.min_spikes = 1 + (uint32_t)test_random_below(&random, 4),
                       .max_spikes = 7,
                       .min_support = 2 + (uint32_t)(columns.n_windows / 25),
                       .max_count = UINT32_MAX,
                       .min_neurons = 1 + (uint32_t)test_random_below(&random, 3)},
            .threads = 1 + (int)test_random_below(&random, 3)};
        assert_int_equal(spk_pattern_engine_bitmap.mine(context, &job, keep, &alone), SPK_OK);
        assert_int_equal(
            spk_pattern_engine_bitmap.mine_shared(context, &job, &share, keep, &sharing), SPK_OK);
        uint32_t *ordered = put_in_order(&sharing.found);
        assert_int_equal(sharing.found.n, alone.found.n);
        if (alone.found.n > 0)
            assert_memory_equal(ordered, alone.found.number, alone.found.n * sizeof *ordered);
        left_again += sharing.begins > 2;
        patterns += alone.found.n;
        free(ordered);
        release(&alone);
        release(&sharing);
        spk_windows_free(windows);
    }
    assert_true(left_again >= 10);
    assert_true(patterns > 0);
}

/* ---- branches as numbers --------------------------------------------------------------------- */

static uint32_t ranks_of_root[] = {3, 5, 8, 13};
static uint32_t ranks_of_child[] = {8, 13};
static uint64_t alive_in_root[] = {0xb}, alive_in_child[] = {0x3};
static const spk_bitmap_node root_node = {.n = 4, .rank = ranks_of_root, .alive = alive_in_root};
static const spk_bitmap_node child_node = {.n = 2, .rank = ranks_of_child, .alive = alive_in_child};
static const spk_bitmap_job small_job = {.n_items = 20, .n_roots = 4};

/* The branch of root 2 and the second item of its node, with two chunks. */
static void write_branch(spk_bitmap_words *words)
{
    static const uint64_t item[] = {2, 1};
    const spk_bitmap_branch base = {.depth = 1, .item = item, .alive = alive_in_root};
    const spk_bitmap_level level = {&root_node, 1};
    uint64_t at = 0;
    assert_int_equal(spk_bitmap_branch_open(context, words, &base, &level, 1, &child_node, &at),
                     SPK_OK);
    assert_int_equal(spk_bitmap_branch_add(context, words, at, 0, 1, 7), SPK_OK);
    assert_int_equal(spk_bitmap_branch_add(context, words, at, 1, 2, 9), SPK_OK);
}

static void branches_come_back(void **state)
{
    (void)state;
    static const uint64_t chunks[] = {0, 1, 7, 1, 2, 9};
    spk_bitmap_words words = {.word = NULL};
    spk_bitmap_branches all = {.n = 0};
    write_branch(&words);
    write_branch(&words);
    assert_int_equal(spk_bitmap_branches_read(context, words.word, words.n, &small_job, &all),
                     SPK_OK);
    assert_int_equal(all.n, 2);
    for (uint64_t b = 0; b < all.n; b++) {
        assert_int_equal(all.branch[b].depth, 2);
        assert_int_equal(spk_bitmap_branch_rank(&all.branch[b], 0), 2);
        assert_int_equal(spk_bitmap_branch_rank(&all.branch[b], 1), 5);
        assert_int_equal(all.branch[b].alive[0], 0xb);
        assert_int_equal(all.branch[b].alive[1], 0x3);
        assert_int_equal(all.branch[b].n_chunks, 2);
        assert_memory_equal(all.branch[b].chunk, chunks, sizeof chunks);
    }
    spk_bitmap_branches_free(&all);
    free(words.word);
}

static void broken_branches_are_refused(void **state)
{
    (void)state;
    spk_bitmap_words words = {.word = NULL};
    spk_bitmap_branches all = {.n = 0};
    write_branch(&words);
    for (uint64_t n = 1; n < words.n; n++)
        assert_int_equal(spk_bitmap_branches_read(context, words.word, n, &small_job, &all),
                         SPK_ERR_INTERNAL);
    for (uint64_t k = 0; k < words.n; k++) {
        uint64_t whole = words.word[k];
        words.word[k] = UINT64_MAX - 3;
        spk_status status =
            spk_bitmap_branches_read(context, words.word, words.n, &small_job, &all);
        /* masks and costs may be anything */
        bool free_number = k == 6 || k == 7 || k == 10 || k == 13;
        assert_int_equal(status, free_number ? SPK_OK : SPK_ERR_INTERNAL);
        words.word[k] = whole;
    }
    spk_bitmap_branches_free(&all);
    free(words.word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_is_found),
        cmocka_unit_test(branches_come_back),
        cmocka_unit_test(broken_branches_are_refused),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
