/*
 * The arithmetic of cuda-sweep on the CPU: the encoded recording, index, occurrence lists,
 * followers, greedy steps, lists in pieces, batches, and keys, put together as the kernels do,
 * against `reference` on hostile recordings.
 */
#include "episode/engine/cuda/sweep/arithmetic.h"
#include "episode/engine/cuda/sweep/host_batch.h"
#include "episode/engine/cuda/sweep/host_encoding.h"
#include "episode/engine/engine.h"
#include "support/context.h"
#include "support/streams.h"

enum { MOST_LANES = TEST_MAX_EVENTS, MOST_BOUNDS = 2 * TEST_MAX_DELAYS };

static uint64_t seed;

/* The index as index.cu builds it; unit = lane. */
typedef struct host_index {
    csweep_view view;
    int64_t rank_time[TEST_MAX_EVENTS];
    uint32_t place_rank[TEST_MAX_EVENTS];
    uint32_t event_place[TEST_MAX_EVENTS];
    uint32_t lane_first[MOST_LANES];
    uint32_t lane_count[MOST_LANES];
    uint32_t reach[MOST_BOUNDS * TEST_MAX_EVENTS];
    uint32_t lo_bound[TEST_MAX_DELAYS];
    uint32_t hi_bound[TEST_MAX_DELAYS];
    csweep_word *word;
    uint32_t *within;
} host_index;

static void rank_events(const spk_events *events, host_index *x)
{
    uint32_t rank_of[TEST_MAX_EVENTS];
    uint32_t n_ranks = 0;
    for (uint64_t i = 0; i < events->n_events; i++) {
        n_ranks += i > 0 && events->time[i] != events->time[i - 1];
        rank_of[i] = n_ranks;
        x->rank_time[n_ranks] = events->time[i];
    }
    x->view.n_ranks = n_ranks + 1;
    for (uint64_t p = 0; p < events->n_events; p++) {
        x->place_rank[p] = rank_of[events->by_unit[p]];
        x->event_place[events->by_unit[p]] = (uint32_t)p;
    }
}

static void fill_words(host_index *x)
{
    csweep_view *view = &x->view;
    uint32_t n_words = view->n_ranks / 64 + 1;
    x->word = calloc((size_t)view->n_lanes * n_words, sizeof *x->word);
    assert_non_null(x->word);
    for (uint32_t l = 0; l < view->n_lanes; l++) {
        for (uint32_t k = 0; k < x->lane_count[l]; k++) {
            uint32_t rank = x->place_rank[x->lane_first[l] + k];
            x->word[l * n_words + rank / 64].bits |= (uint64_t)1 << rank % 64;
        }
        uint32_t before = 0;
        for (uint32_t w = 0; w < n_words; w++) {
            x->word[l * n_words + w].before = before;
            before += csweep_popcount(x->word[l * n_words + w].bits);
        }
    }
    view->n_words = n_words;
    view->word = x->word;
}

static void fill_within(host_index *x, uint32_t n_bounds)
{
    csweep_view *view = &x->view;
    x->within = calloc(n_bounds * view->n_lanes * view->n_places, sizeof *x->within);
    assert_non_null(x->within);
    for (uint32_t b = 0; b < n_bounds; b++)
        for (uint32_t l = 0; l < view->n_lanes; l++)
            for (uint32_t p = 0; p < view->n_places; p++)
                x->within[(b * view->n_lanes + l) * view->n_places + p] =
                    csweep_within(view, b, l, p);
    view->within = x->within;
}

static void index_make(const spk_recording *recording, const test_stream *stream, bool words,
                       bool within, host_index *x)
{
    spk_events events = spk_recording_events(recording);
    memset(x, 0, sizeof *x);
    rank_events(&events, x);
    x->view.n_places = events.n_events;
    x->view.n_lanes = events.n_units;
    x->view.n_tiles = (events.n_units + CSWEEP_LANES - 1) / CSWEEP_LANES;
    for (uint32_t u = 0; u < events.n_units; u++) {
        x->lane_first[u] = (uint32_t)events.unit_first[u];
        x->lane_count[u] = (uint32_t)(events.unit_first[u + 1] - events.unit_first[u]);
    }
    uint32_t n_bounds = 2 * (uint32_t)stream->n_delays;
    for (uint32_t b = 0; b < n_bounds; b++) {
        spk_tick_delay delay = stream->delay[b / 2];
        for (uint64_t p = 0; p < events.n_events; p++)
            x->reach[b * events.n_events + p] = csweep_reach(
                x->rank_time, x->view.n_ranks, x->place_rank[p], b % 2 == 0 ? delay.lo : delay.hi);
        *(b % 2 == 0 ? &x->lo_bound[b / 2] : &x->hi_bound[b / 2]) = b;
    }
    x->view.place_rank = x->place_rank;
    x->view.lane_first = x->lane_first;
    x->view.lane_count = x->lane_count;
    x->view.reach = x->reach;
    x->view.lo_bound = x->lo_bound;
    x->view.hi_bound = x->hi_bound;
    if (words)
        fill_words(x);
    if (within)
        fill_within(x, n_bounds);
}

static void index_free(host_index *x)
{
    free(x->word);
    free(x->within);
}

/* ---- lists and counts ------------------------------------------------------------------------ */

typedef struct list {
    uint64_t n;
    csweep_entry entry[TEST_MAX_EVENTS];
} list;

static void list_of_lane(const csweep_view *view, uint32_t lane, list *out)
{
    out->n = view->lane_count[lane];
    for (uint64_t k = 0; k < out->n; k++)
        out->entry[k] = csweep_lane_entry(view, lane, k);
}

/* As lists.cu: every end hands its start to the events that take it as their latest one before. */
static void list_extend(const csweep_view *view, uint32_t delay, uint32_t lane, list *ends)
{
    static list out;
    out.n = 0;
    for (uint64_t k = 0; k < ends->n; k++) {
        bool last = k + 1 == ends->n;
        uint32_t from = csweep_too_near(view, delay, lane, ends->entry[k].place);
        uint32_t to = csweep_within(view, view->hi_bound[delay], lane, ends->entry[k].place);
        uint32_t next = last ? 0 : csweep_too_near(view, delay, lane, ends->entry[k + 1].place);
        uint32_t n = csweep_followers(from, to, last, next);
        for (uint32_t j = 0; j < n; j++)
            out.entry[out.n++] =
                (csweep_entry){view->lane_first[lane] + from + j, ends->entry[k].start};
    }
    *ends = out;
}

static void step(const csweep_view *view, uint32_t delay, uint32_t lane, csweep_entry end,
                 csweep_lane_state *state)
{
    csweep_step(state, end.start, view->place_rank[end.place],
                csweep_follower(view, delay, lane, end.place));
}

static csweep_lane_state count_in_one(const csweep_view *view, const list *ends, uint32_t delay,
                                      uint32_t lane, uint32_t free_from)
{
    csweep_lane_state whole = {free_from, 0};
    for (uint64_t k = 0; k < ends->n; k++)
        step(view, delay, lane, ends->entry[k], &whole);
    return whole;
}

/* As count.cu counts a list in pieces; `recounted` grows where a piece never settles. */
static csweep_lane_state count_in_pieces(const csweep_view *view, const list *ends, uint32_t delay,
                                         uint32_t lane, uint32_t free_from, uint64_t piece,
                                         uint64_t *recounted)
{
    csweep_lane_state all = {free_from, 0}; /* differences of counts may be negative */
    uint32_t before = 0;                    /* the state in which the piece before ended */
    bool settled = true;
    for (uint64_t from = 0; from < ends->n; from += piece) {
        uint64_t to = from + piece < ends->n ? from + piece : ends->n;
        csweep_lane_state open = {from == 0 ? free_from : 0, 0};
        for (uint64_t k = from; k < to; k++)
            step(view, delay, lane, ends->entry[k], &open);
        all.count += open.count;
        csweep_lane_state state[2] = {{0, 0}, {before, 0}};
        bool same = from == 0;
        for (uint64_t k = from; k < to && !same; k++) {
            step(view, delay, lane, ends->entry[k], &state[0]);
            step(view, delay, lane, ends->entry[k], &state[1]);
            same = csweep_same_future(&state[0], &state[1], ends->entry[k].start);
        }
        all.count += state[1].count - state[0].count;
        all.free_from = from == 0 ? open.free_from
                                  : csweep_after_piece(all.free_from, before, state[0].free_from,
                                                       state[1].free_from, open.free_from);
        before = open.free_from;
        settled = settled && same;
    }
    if (settled)
        return all;
    ++*recounted;
    return count_in_one(view, ends, delay, lane, free_from);
}

/* Counting that goes on from any rank, in pieces and in one go. */
static void check_resumed(const csweep_view *view, const list *ends, uint32_t delay, uint32_t lane,
                          test_random *random)
{
    uint64_t recounted = 0;
    uint64_t piece = 1 + test_random_below(random, ends->n / 3 + 2);
    uint32_t from = (uint32_t)test_random_below(random, view->n_ranks + 1);
    csweep_lane_state one = count_in_one(view, ends, delay, lane, from);
    csweep_lane_state pieces = count_in_pieces(view, ends, delay, lane, from, piece, &recounted);
    assert_int_equal(pieces.count, one.count);
    assert_int_equal(pieces.free_from, one.free_from);
}

static void counts_equal_reference(void **state)
{
    (void)state;
    static test_stream stream;
    static test_episodes episodes;
    static host_index x;
    static list ends;
    const spk_episode_engine *reference = &spk_episode_engine_reference;
    uint64_t expected[TEST_MAX_EPISODES];
    uint64_t recounted = 0;
    for (uint64_t c = 0; c < test_scaled(4000); c++) {
        test_random random = test_random_make(seed, c);
        test_stream_draw(&random, c % 8 == 0 ? TEST_MAX_EVENTS : 80, &stream);
        uint32_t size = 2 + (uint32_t)test_random_below(&random, c % 16 == 0 ? 10 : 4);
        test_episodes_draw(&random, &stream, size, 1 + test_random_below(&random, 12), &episodes);
        if (stream.n_events == 0)
            continue;
        spk_recording *recording = test_stream_recording(context, &stream);
        spk_episode_job job = {.recording = recording,
                               .delays = stream.delay,
                               .n_delays = stream.n_delays,
                               .threads = 1};
        void *engine = NULL;
        assert_int_equal(reference->open(context, &job, &engine), SPK_OK);
        assert_int_equal(reference->count(context, engine, &episodes.block, expected), SPK_OK);
        reference->close(engine);
        index_make(recording, &stream, c % 2 == 0, c % 3 == 0, &x);
        for (uint64_t k = 0; k < episodes.block.n; k++) {
            const uint32_t *unit = episodes.unit + k * size;
            const uint16_t *delay = episodes.delay + k * size;
            list_of_lane(&x.view, unit[0], &ends);
            for (uint32_t p = 1; p + 1 < size; p++)
                list_extend(&x.view, delay[p], unit[p], &ends);
            uint64_t piece = 1 + test_random_below(&random, ends.n + 1);
            uint64_t count = count_in_pieces(&x.view, &ends, delay[size - 1], unit[size - 1], 0,
                                             piece, &recounted)
                                 .count;
            check_resumed(&x.view, &ends, delay[size - 1], unit[size - 1], &random);
            if (count != expected[k]) {
                test_stream_print(&stream);
                print_message("case %llu, episode %llu, pieces of %llu: %llu, expected %llu\n",
                              (unsigned long long)c, (unsigned long long)k,
                              (unsigned long long)piece, (unsigned long long)count,
                              (unsigned long long)expected[k]);
                fail();
            }
        }
        index_free(&x);
        spk_recording_free(recording);
    }
    if (test_scaled(4000) == 4000)
        assert_true(recounted > 0); /* pieces that never settle were among them */
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* As fill_table goes: any run of events in order of time, every lane, and lanes that are not there.
 */
static void check_cursor(const host_index *x, uint32_t delay, uint32_t lane, uint64_t begin,
                         uint64_t end)
{
    const csweep_view *view = &x->view;
    csweep_cursor cursor = {.n = 0};
    for (uint64_t e = begin; e < end; e++) {
        uint32_t place = x->event_place[e];
        uint32_t low = view->reach[view->lo_bound[delay] * view->n_places + place];
        uint32_t high = view->reach[view->hi_bound[delay] * view->n_places + place];
        if (e == begin)
            cursor = csweep_cursor_start(view, lane, low);
        uint32_t expected = lane < view->n_lanes ? csweep_follower(view, delay, lane, place) : 0;
        assert_int_equal(csweep_cursor_follower(&cursor, view->place_rank[place], low, high),
                         expected);
    }
}

static void cursors_find_followers(void **state)
{
    (void)state;
    static test_stream stream;
    static host_index x;
    for (uint64_t c = 0; c < test_scaled(1000); c++) {
        test_random random = test_random_make(seed + 4, c);
        test_stream_draw(&random, c % 8 == 0 ? TEST_MAX_EVENTS : 80, &stream);
        if (stream.n_events == 0)
            continue;
        spk_recording *recording = test_stream_recording(context, &stream);
        index_make(recording, &stream, c % 2 == 0, false, &x);
        for (uint32_t d = 0; d < stream.n_delays; d++) {
            for (uint32_t lane = 0; lane <= x.view.n_lanes; lane++) {
                uint64_t begin = test_random_below(&random, x.view.n_places);
                check_cursor(&x, d, lane, begin,
                             begin + 1 + test_random_below(&random, x.view.n_places - begin));
            }
        }
        index_free(&x);
        spk_recording_free(recording);
    }
}

/* ---- encoding -------------------------------------------------------------------------------- */

/* A number of few or many bits. */
static uint64_t any_number(test_random *random)
{
    return test_random_bits(random) >> test_random_below(random, 64);
}

static uint64_t code_at(const void *codes, uint32_t width, uint64_t i)
{
    uint64_t code = 0;
    memcpy(&code, (const char *)codes + i * width, width); /* little-endian, as the devices are */
    return code;
}

static void deltas_give_times_back(void **state)
{
    (void)state;
    enum { MOST = 40 };
    int64_t time[MOST];
    uint64_t codes[MOST];
    uint64_t refused[HOST_WIDEST_DELTA + 1] = {0};
    for (uint64_t c = 0; c < test_scaled(20000); c++) {
        test_random random = test_random_make(seed + 5, c);
        uint64_t n = 1 + test_random_below(&random, MOST);
        uint64_t at = c % 2 == 0 ? (uint64_t)INT64_MIN : any_number(&random);
        uint64_t widest = 0;
        uint64_t shift = 1 + test_random_below(&random, 63);
        uint64_t begin = test_random_below(&random, n + 1);
        uint64_t end = begin + test_random_below(&random, n + 1 - begin);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t left = (uint64_t)INT64_MAX - at;
            uint64_t ticks = i > 0 ? test_random_bits(&random) >> shift : 0;
            ticks = ticks <= left ? ticks : left;
            at += ticks;
            time[i] = (int64_t)at;
            if (i >= begin && i < end && ticks > widest)
                widest = ticks;
        }
        for (uint32_t width = HOST_NARROWEST_DELTA; width <= HOST_WIDEST_DELTA; width *= 2) {
            bool fits = width == 8 || widest < 1ull << (8 * width);
            assert_int_equal(host_encode_deltas(time, begin, end - begin, width, codes), fits);
            refused[width] += !fits;
            uint64_t sum = (uint64_t)time[begin > 0 ? begin - 1 : 0];
            for (uint64_t i = begin; i < end && fits; i++) {
                sum += code_at(codes, width, i - begin);
                assert_true(sum == (uint64_t)time[i]);
            }
        }
    }
    assert_true(refused[2] > 0 && refused[4] > 0 && refused[8] == 0);
}

static void units_take_the_bytes_that_they_need(void **state)
{
    (void)state;
    enum { MOST = 40 };
    static const uint32_t most[] = {1, 2, 255, 256, 257, 65535, 65536, 65537, SPK_MAX_UNITS};
    static const uint32_t expected[] = {1, 1, 1, 1, 2, 2, 2, 4, 4};
    uint32_t unit[MOST];
    uint32_t codes[MOST];
    for (size_t m = 0; m < sizeof most / sizeof most[0]; m++) {
        uint32_t width = host_unit_width(most[m]);
        assert_int_equal(width, expected[m]);
        test_random random = test_random_make(seed + 6, m);
        for (uint32_t i = 0; i < MOST; i++)
            unit[i] = i == 1 ? most[m] - 1 : (uint32_t)test_random_below(&random, most[m]);
        host_encode_units(unit, 1, MOST - 1, width, codes);
        for (uint32_t i = 1; i < MOST; i++)
            assert_int_equal(code_at(codes, width, i - 1), unit[i]);
    }
}

/* ---- blocks as batches ----------------------------------------------------------------------- */

/* Which candidate a count belongs to: its row, strip and lane. */
static void check_slot(const host_batch *b, const csweep_view *view, uint32_t slot, uint64_t row,
                       uint32_t strip, uint32_t unit)
{
    uint32_t run = 0;
    while (b->candidate[run + 1] <= slot)
        run++;
    assert_true(b->first[row] <= run && run < b->first[row + 1]);
    assert_int_equal(b->prefix[run], row);
    assert_int_equal(b->strip[run], strip);
    uint32_t bit = csweep_nth_bit(b->mask[run], slot - b->candidate[run]);
    assert_int_equal(strip % view->n_tiles * CSWEEP_LANES + bit, unit);
}

static void batches_hold_every_episode(void **state)
{
    (void)state;
    enum { MOST = 60, UNITS = 80, DELAYS = 3 };
    uint32_t unit[2 * MOST];
    uint16_t delay[2 * MOST];
    uint32_t row[MOST];
    for (uint64_t c = 0; c < test_scaled(5000); c++) {
        test_random random = test_random_make(seed + 3, c);
        uint64_t n = 1 + test_random_below(&random, MOST);
        uint32_t n_units = 1 + (uint32_t)test_random_below(&random, UNITS);
        csweep_view view = {.n_lanes = n_units, .n_tiles = (n_units + 31) / 32};
        for (uint64_t k = 0; k < n; k++) { /* any order, with repeats */
            bool again = k > 0 && test_random_chance(&random, 0.5);
            row[k] = again ? row[k - 1] : (uint32_t)test_random_below(&random, n_units);
            unit[2 * k] = row[k];
            unit[2 * k + 1] = (uint32_t)test_random_below(&random, n_units);
            delay[2 * k] = 0;
            delay[2 * k + 1] = (uint16_t)test_random_below(&random, DELAYS);
        }
        spk_episode_block block = {.size = 2, .n = n, .unit = unit, .delay = delay};
        host_batch b = {.n_runs = 0};
        assert_int_equal(host_batch_alloc(context, n_units, n, &b), SPK_OK);
        host_batch_fill(&block, &view, row, 0, n, 0, n_units, &b);
        assert_int_equal(b.first[0], 0);
        assert_int_equal(b.first[n_units], b.n_runs);
        assert_true(b.n_runs <= n && b.n_candidates <= n);
        for (uint64_t k = 0; k < n; k++)
            check_slot(&b, &view, b.slot[k], row[k],
                       delay[2 * k + 1] * view.n_tiles + unit[2 * k + 1] / CSWEEP_LANES,
                       unit[2 * k + 1]);
        host_batch_free(&b);
    }
}

/* ---- bits ------------------------------------------------------------------------------------ */

static void bits_are_found_by_number(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_scaled(20000); c++) {
        test_random random = test_random_make(seed + 1, c);
        uint32_t mask = (uint32_t)(test_random_bits(&random) & test_random_bits(&random));
        uint32_t k = 0;
        for (uint32_t bit = 0; bit < 32; bit++)
            if (mask >> bit & 1)
                assert_int_equal(csweep_nth_bit(mask, k++), bit);
    }
}

static void items_find_their_rows(void **state)
{
    (void)state;
    enum { MOST = 20 };
    for (uint64_t c = 0; c < test_scaled(5000); c++) {
        test_random random = test_random_make(seed + 7, c);
        uint64_t first[MOST + 1] = {0};
        uint64_t n = 1 + test_random_below(&random, MOST);
        for (uint64_t r = 0; r < n; r++)
            first[r + 1] = first[r] + test_random_below(&random, 3); /* also none */
        for (uint64_t r = 0; r < n; r++)
            for (uint64_t k = first[r]; k < first[r + 1]; k++)
                assert_int_equal(csweep_row_of(first, n, k), r);
    }
}

/* Keys of several words sort as the tuples of their fields. */
static void keys_keep_order(void **state)
{
    (void)state;
    enum { FIELDS = 12, WORDS = 6 };
    for (uint64_t c = 0; c < test_scaled(5000); c++) {
        test_random random = test_random_make(seed + 2, c);
        uint64_t key[2][WORDS] = {{0}};
        uint32_t offset = 0;
        int expected = 0;
        for (int f = 0; f < FIELDS; f++) {
            uint32_t bits = (uint32_t)test_random_below(&random, 33);
            uint64_t value[2];
            for (int side = 0; side < 2; side++) {
                value[side] = bits > 0 ? test_random_bits(&random) >> (64 - bits) : 0;
                value[side] =
                    side == 1 && test_random_chance(&random, 0.7) ? value[0] : value[side];
                for (uint32_t word = 0; word < WORDS; word++)
                    csweep_key_put(&key[side][word], word, offset, bits, value[side]);
            }
            if (expected == 0 && value[0] != value[1])
                expected = value[0] < value[1] ? -1 : 1;
            offset += bits;
        }
        int got = 0;
        for (int word = 0; word < WORDS && got == 0; word++)
            if (key[0][word] != key[1][word])
                got = key[0][word] < key[1][word] ? -1 : 1;
        assert_int_equal(got, expected);
    }
}

int main(void)
{
    seed = test_seed("test_cuda_sweep_arithmetic");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_equal_reference),
        cmocka_unit_test(cursors_find_followers),
        cmocka_unit_test(deltas_give_times_back),
        cmocka_unit_test(units_take_the_bytes_that_they_need),
        cmocka_unit_test(batches_hold_every_episode),
        cmocka_unit_test(bits_are_found_by_number),
        cmocka_unit_test(items_find_their_rows),
        cmocka_unit_test(keys_keep_order),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
