/*
 * What a part explains: sums of chances against sums by definition; p of patterns and of episodes
 * against all placements of the left-out unit in tiny recordings; p uniform under the null
 * hypothesis; planted triples, which explain what is added to them and are not explained
 * themselves.
 */
#include "significance/exact/exact.h"
#include "significance/exact/tail.h"
#include "significance/surrogates/surrogates.h"
#include "support/context.h"

static spk_surrogates *make_surrogates(const spk_recording *recording, int64_t jitter_ms,
                                       int64_t bin_ms, uint64_t seed)
{
    spk_surrogate_options options;
    spk_surrogates *surrogates = NULL;
    spk_surrogate_options_init(&options, sizeof options);
    options.method = "interval-jitter";
    options.dither = in_ms(jitter_ms);
    options.bin = in_ms(bin_ms);
    options.seed = seed;
    check(spk_surrogates_create(context, recording, &options, &surrogates));
    return surrogates;
}

static void near(double is, double wanted, const char *what)
{
    if (fabs(is - wanted) > 1e-11 * (1e-3 + fabs(wanted)))
        fail_msg("%s: %.17g, wanted %.17g", what, is, wanted);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static double choose(uint64_t n, uint64_t k)
{
    double value = 1;
    if (k > n)
        return 0;
    for (uint64_t j = 0; j < k; j++)
        value = value * (double)(n - j) / (double)(j + 1);
    return value;
}

/* Numbers of up to 12, sums of up to 20 of them. */
static void tails_are_those_of_all_sums(void **state)
{
    (void)state;
    enum { MOST = 256 };
    uint64_t seed = test_seed("tails");
    exact_tail tail = {.wanted = 0};
    for (uint64_t c = 0; c < test_scaled(2000); c++) {
        test_random random = test_random_make(seed, c);
        double chance[MOST] = {1}, wanted_chance = 0;
        uint64_t n = test_random_below(&random, 20), wanted = test_random_below(&random, 30);
        check(exact_tail_start(context, wanted, &tail));
        for (uint64_t i = 0; i < n; i++) {
            double term[13] = {0}, next[MOST] = {0};
            if (test_random_chance(&random, 0.5)) {
                term[1] = test_random_chance(&random, 0.1) ? 1 : test_random_real(&random);
                term[0] = 1 - term[1];
                exact_tail_add_chance(&tail, term[1]);
            } else {
                uint64_t places = 1 + test_random_below(&random, 12);
                uint64_t targets = test_random_below(&random, places + 1);
                uint64_t events = test_random_below(&random, places + 1);
                for (uint64_t k = 0; k <= 12; k++)
                    term[k] = k > events
                                  ? 0
                                  : choose(targets, k) * choose(places - targets, events - k) /
                                        choose(places, events);
                exact_tail_add_hits(&tail, places, targets, events);
            }
            for (int k = 0; k < MOST; k++)
                for (int j = 0; j <= 12 && j <= k; j++)
                    next[k] += chance[k - j] * term[j];
            memcpy(chance, next, sizeof chance);
        }
        for (uint64_t k = wanted; k < MOST; k++)
            wanted_chance += chance[k];
        double is = exact_tail_chance(&tail);
        if (fabs(is - wanted_chance) > 1e-12 * wanted_chance)
            fail_msg("case %" PRIu64 ": %.17g, wanted %.17g", c, is, wanted_chance);
    }
    exact_tail_free(&tail);
}

/* 1,000 events on a million places, of which 2,000 are targets: 2 are expected, 40 are rare. */
static void small_tails_keep_their_digits(void **state)
{
    (void)state;
    exact_tail tail = {.wanted = 0};
    check(exact_tail_start(context, 40, &tail));
    exact_tail_add_hits(&tail, 1000000, 2000, 1000);
    near(log(exact_tail_chance(&tail)), -85.6144066134744, "log of a tail of one number");
    check(exact_tail_start(context, 15, &tail));
    for (int k = 0; k < 15; k++)
        exact_tail_add_chance(&tail, 0.01);
    near(exact_tail_chance(&tail) / 1e-30, 1, "a tail of 15 numbers");
    exact_tail_free(&tail);
}

/* ---- tiny recordings ------------------------------------------------------------------------- */

enum { UNITS = 3, MOST_BINS = 9, SEGMENTS = 2, MOST_SIZE = 4, MOST_HITS = 64 };

/* A tick is a bin of 1 ms. Bit b of taken[k][u]: unit u fires in bin b of segment k. */
typedef struct tiny {
    uint32_t n_bins[SEGMENTS];
    uint32_t taken[SEGMENTS][UNITS];
    int64_t start[SEGMENTS];
    uint32_t length, offset; /* of windows of jitter */
} tiny;

static spk_recording *draw_tiny(test_random *random, tiny *t)
{
    int64_t time[SEGMENTS * MOST_BINS * UNITS], at = 3;
    uint32_t unit[SEGMENTS * MOST_BINS * UNITS];
    spk_segment segment[SEGMENTS];
    spk_recording *recording = NULL;
    spk_recording_source source;
    *t = (tiny){.length = 1 + (uint32_t)test_random_below(random, 6)};
    spk_recording_source_init(&source, sizeof source);
    for (uint32_t k = 0; k < SEGMENTS; k++) {
        t->n_bins[k] = 1 + (uint32_t)test_random_below(random, MOST_BINS);
        t->start[k] = at;
        segment[k] = (spk_segment){at, at + t->n_bins[k]};
        for (uint32_t b = 0; b < t->n_bins[k]; b++)
            for (uint32_t u = 0; u < UNITS; u++)
                if (test_random_chance(random, 0.4)) {
                    time[source.n_events] = at + b;
                    unit[source.n_events++] = u;
                    t->taken[k][u] |= (uint32_t)1 << b;
                }
        at += t->n_bins[k] + (int64_t)test_random_below(random, 3);
    }
    source.time = time, source.unit = unit, source.n_units = UNITS;
    source.rate = (spk_rate){1000, 1};
    source.segments = segment, source.n_segments = SEGMENTS;
    check(spk_recording_create(context, &source, &recording));
    return recording;
}

/* What is asked of a segment: how many of these sets of bins hold an event of the unit. Events on
 * fixed bins stay. */
typedef struct question {
    uint32_t unit;
    uint32_t n[SEGMENTS];
    uint32_t target[SEGMENTS][MOST_HITS]; /* sets of bins */
    uint32_t fixed[SEGMENTS];
} question;

static uint32_t count_hits(const question *q, uint32_t segment, uint32_t mask)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < q->n[segment]; k++)
        n +=
            (q->target[segment][k] & q->fixed[segment]) == 0 && (q->target[segment][k] & mask) != 0;
    return n;
}

/* Whether a placement has the numbers of the recording in all windows, and the fixed events. */
static bool is_placement(const tiny *t, const question *q, uint32_t segment, uint32_t mask)
{
    uint32_t n[MOST_BINS * 2] = {0}, wanted[MOST_BINS * 2] = {0};
    for (uint32_t b = 0; b < t->n_bins[segment]; b++) {
        n[(b + t->offset) / t->length] += mask >> b & 1;
        wanted[(b + t->offset) / t->length] += t->taken[segment][q->unit] >> b & 1;
    }
    return memcmp(n, wanted, sizeof n) == 0 && (mask & q->fixed[segment]) == q->fixed[segment];
}

/* The share of all placements of the unit that have as many hits as the recording, or more. */
static double share_of_placements(const tiny *t, const question *q)
{
    double chance[MOST_HITS * SEGMENTS] = {1}, share = 0;
    uint32_t wanted = 0;
    for (uint32_t k = 0; k < SEGMENTS; k++) {
        double hits[MOST_HITS] = {0}, next[MOST_HITS * SEGMENTS] = {0}, n = 0;
        for (uint32_t mask = 0; mask >> t->n_bins[k] == 0; mask++)
            if (is_placement(t, q, k, mask)) {
                hits[count_hits(q, k, mask)]++;
                n++;
            }
        for (int i = 0; i < MOST_HITS * SEGMENTS; i++)
            for (int j = 0; j < MOST_HITS && j <= i; j++)
                next[i] += chance[i - j] * hits[j] / n;
        memcpy(chance, next, sizeof chance);
        wanted += count_hits(q, k, t->taken[k][q->unit]);
    }
    for (uint32_t k = wanted; k < MOST_HITS * SEGMENTS; k++)
        share += chance[k];
    return share;
}

/* ---- patterns -------------------------------------------------------------------------------- */

static uint32_t draw_items(test_random *random, uint32_t window, uint32_t *item)
{
    uint32_t n = 0, wanted = 1 + (uint32_t)test_random_below(random, MOST_SIZE);
    uint32_t first = (uint32_t)test_random_below(random, UNITS);
    for (uint32_t lag = 0; lag < window; lag++)
        for (uint32_t u = 0; u < UNITS; u++)
            if (n < wanted &&
                ((lag == 0 && u == first) || (n > 0 && test_random_chance(random, 0.3))))
                item[n++] = u * window + lag;
    return n;
}

static question ask_pattern(const tiny *t, uint32_t window, uint32_t size, const uint32_t *item,
                            uint32_t left_out)
{
    question q = {.unit = item[left_out] / window};
    for (uint32_t s = 0; s < SEGMENTS; s++)
        for (int start = -(int)window; start < (int)t->n_bins[s]; start++) {
            bool there = true;
            uint32_t fixed = 0;
            for (uint32_t k = 0; k < size; k++) {
                int bin = start + (int)(item[k] % window);
                if (k == left_out)
                    continue;
                there &= bin >= 0 && bin < (int)t->n_bins[s] &&
                         (t->taken[s][item[k] / window] >> bin & 1) != 0;
                if (there && item[k] / window == q.unit)
                    fixed |= (uint32_t)1 << bin;
            }
            int target = start + (int)(item[left_out] % window);
            if (!there)
                continue;
            q.fixed[s] |= fixed;
            if (target >= 0 && target < (int)t->n_bins[s])
                q.target[s][q.n[s]++] = (uint32_t)1 << target;
        }
    return q;
}

static void pattern_parts_are_those_of_all_placements(void **state)
{
    (void)state;
    uint64_t seed = test_seed("parts of patterns");
    for (uint64_t c = 0; c < test_scaled(1000); c++) {
        test_random random = test_random_make(seed, c);
        tiny t;
        spk_recording *recording = draw_tiny(&random, &t);
        spk_surrogates *surrogates = make_surrogates(recording, t.length, 1, c);
        spk_windows *windows = NULL;
        spk_null *null = NULL;
        spk_window_options options;
        spk_window_options_init(&options, sizeof options);
        options.bin = in_ms(1), options.window = 1 + (uint32_t)test_random_below(&random, 5);
        t.offset = (uint32_t)surrogates->windows.offset;
        check(spk_windows_create(context, recording, &options, &windows));
        check(spk_null_create_patterns(context, recording, &options, surrogates, &null));
        uint32_t item[MOST_SIZE], count = 0, left_out = UINT32_MAX, worst = 0;
        uint64_t offset[2] = {0, draw_items(&random, options.window, item)};
        spk_pattern_columns columns = {
            .n = 1, .window = options.window, .offset = offset, .item = item, .count = &count};
        double p = -1, wanted = 0;
        check(spk_null_explain_patterns(context, windows, null, &columns, &p, &left_out));
        for (uint32_t k = 0; k < offset[1] && offset[1] > 1; k++) {
            question q = ask_pattern(&t, options.window, (uint32_t)offset[1], item, k);
            double own = share_of_placements(&t, &q);
            worst = own > wanted + 1e-11 ? k : worst;
            wanted = own > wanted ? own : wanted;
        }
        near(p, wanted, "p of a pattern");
        if (offset[1] == 1)
            assert_true(p == 0);
        else if (wanted < 1 - 1e-11) { /* of equal ones rounding may take another */
            question q = ask_pattern(&t, options.window, (uint32_t)offset[1], item, left_out);
            near(share_of_placements(&t, &q), wanted, "the part left out");
        }
        spk_null_free(null);
        spk_windows_free(windows);
        spk_surrogates_free(surrogates);
        spk_recording_free(recording);
    }
}

/* ---- episodes -------------------------------------------------------------------------------- */

typedef struct collected {
    const tiny *t;
    question q;
    bool forward;
    uint32_t size;
    const uint32_t *unit;
    uint32_t lo, hi;
} collected;

static spk_status collect(void *user, size_t segment, uint32_t size, const int64_t *time)
{
    collected *c = user;
    int64_t from = c->t->start[segment];
    uint32_t bins = 0;
    for (int64_t b = 0; b < c->t->n_bins[segment]; b++) {
        int64_t delay = c->forward ? from + b - time[size - 1] : time[0] - (from + b);
        if (delay > c->lo && delay <= c->hi)
            bins |= (uint32_t)1 << b;
    }
    c->q.target[segment][c->q.n[segment]++] = bins;
    for (uint32_t k = 0; k < size; k++)
        if (c->unit[k] == c->q.unit)
            c->q.fixed[segment] |= (uint32_t)1 << (time[k] - from);
    return SPK_OK;
}

/* Whether no window of jitter holds bins of two targets, so that the chances are exact. */
static bool are_apart(const tiny *t, const question *q)
{
    for (uint32_t s = 0; s < SEGMENTS; s++) {
        uint32_t seen = 0;
        for (uint32_t k = 0; k < q->n[s]; k++) {
            uint32_t own = 0;
            for (uint32_t b = 0; b < t->n_bins[s]; b++)
                if (q->target[s][k] >> b & 1)
                    own |= (uint32_t)1 << (b + t->offset) / t->length;
            if (seen & own)
                return false;
            seen |= own;
        }
    }
    return true;
}

static void episode_parts_are_those_of_all_placements(void **state)
{
    (void)state;
    uint64_t seed = test_seed("parts of episodes"), done = 0;
    const spk_delay delays[] = {{in_ms(0), in_ms(2)}, {in_ms(1), in_ms(4)}};
    const uint32_t lo[] = {0, 1}, hi[] = {2, 4};
    for (uint64_t c = 0; done < test_scaled(300); c++) {
        test_random random = test_random_make(seed, c);
        tiny t;
        spk_recording *recording = draw_tiny(&random, &t);
        spk_surrogates *surrogates = make_surrogates(recording, t.length, 0, c);
        spk_null *null = NULL;
        uint32_t size = 1 + (uint32_t)test_random_below(&random, 3), unit[3], left_out = 9;
        uint16_t delay[3] = {0};
        spk_delay own_delay[3];
        uint64_t offset[2] = {0, size};
        double p = -1, wanted = 0;
        bool exact = true;
        t.offset = (uint32_t)surrogates->windows.offset;
        for (uint32_t k = 0; k < size; k++) {
            unit[k] = (uint32_t)test_random_below(&random, UNITS);
            delay[k] = k > 0 ? (uint16_t)test_random_below(&random, 2) : 0;
            own_delay[k] = delays[delay[k]];
        }
        spk_episode_columns columns = {.n = 1,
                                       .offset = offset,
                                       .unit = unit,
                                       .delay = delay,
                                       .delays = delays,
                                       .n_delays = 2};
        check(spk_null_create_episodes(context, recording, delays, 2, surrogates, &null));
        check(spk_null_explain_episodes(context, recording, null, &columns, &p, &left_out));
        for (uint32_t forward = 0; forward < 2 && size > 1; forward++) {
            uint32_t reach = delay[forward ? size - 1 : 1], skip = forward ? 0 : 1;
            collected all = {.t = &t,
                             .q = {.unit = unit[forward ? size - 1 : 0]},
                             .forward = forward,
                             .size = size - 1,
                             .unit = unit + skip,
                             .lo = lo[reach],
                             .hi = hi[reach]};
            check(spk_episode_occurrences_in_segments(context, recording, size - 1, unit + skip,
                                                      own_delay + 1 + skip, collect, &all));
            double own = share_of_placements(&t, &all.q);
            exact &= are_apart(&t, &all.q);
            wanted = own > wanted ? own : wanted;
        }
        if (exact) {
            near(p, wanted, "p of an episode");
            done += size > 1 && wanted < 1 - 1e-11;
        }
        assert_true(size == 1 ? p == 0 : left_out == 0 || left_out == size - 1);
        spk_null_free(null);
        spk_surrogates_free(surrogates);
        spk_recording_free(recording);
    }
}

/* ---- planted triples ------------------------------------------------------------------------- */

enum { PLANTED_UNITS = 4, LENGTH = 20000, CHAIN = 120 };

/* Units of 10 events a second; A fires 120 times more, and B 2 ms, C 4 ms behind it. D fires four
 * times as often. */
static spk_recording *draw_planted(test_random *random, bool chain)
{
    static int64_t time[8 * LENGTH];
    static uint32_t unit[8 * LENGTH];
    spk_recording_source source;
    spk_recording *recording = NULL;
    spk_recording_source_init(&source, sizeof source);
    for (int64_t t = 0; t < LENGTH; t++)
        for (uint32_t u = 0; u < PLANTED_UNITS; u++)
            if (test_random_chance(random, u == 3 ? 0.04 : 0.01)) {
                time[source.n_events] = t;
                unit[source.n_events++] = u;
            }
    for (uint32_t k = 0; k < CHAIN && chain; k++) {
        int64_t at = (int64_t)test_random_below(random, LENGTH - 10);
        for (uint32_t u = 0; u < 3; u++) {
            time[source.n_events] = at + 2 * u;
            unit[source.n_events++] = u;
        }
    }
    const spk_segment whole = {0, LENGTH};
    source.time = time, source.unit = unit, source.n_units = PLANTED_UNITS;
    source.rate = (spk_rate){1000, 1};
    source.segments = &whole, source.n_segments = 1;
    check(spk_recording_create(context, &source, &recording));
    return recording;
}

/* p of A -> B -> C and of A -> B -> C -> D, as patterns or as episodes. */
static void test_chain(const spk_recording *recording, bool episodes, uint64_t seed, double *p,
                       uint32_t *left_out)
{
    enum { WINDOW = 8 };
    const spk_delay delay = {in_ms(0), in_ms(3)};
    const uint32_t item[] = {0,          WINDOW + 2,     2 * WINDOW + 4, 0,
                             WINDOW + 2, 2 * WINDOW + 4, 3 * WINDOW + 6};
    const uint32_t unit[] = {0, 1, 2, 0, 1, 2, 3}, count[2] = {0};
    const uint16_t delays[7] = {0};
    const uint64_t offset[] = {0, 3, 7};
    spk_surrogates *surrogates = make_surrogates(recording, 25, episodes ? 0 : 1, seed);
    spk_windows *windows = NULL;
    spk_null *null = NULL;
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = in_ms(1), options.window = WINDOW;
    if (episodes) {
        spk_episode_columns columns = {.n = 2,
                                       .offset = offset,
                                       .unit = unit,
                                       .delay = delays,
                                       .delays = &delay,
                                       .n_delays = 1};
        check(spk_null_create_episodes(context, recording, &delay, 1, surrogates, &null));
        check(spk_null_explain_episodes(context, recording, null, &columns, p, left_out));
    } else {
        spk_pattern_columns columns = {
            .n = 2, .window = WINDOW, .offset = offset, .item = item, .count = count};
        check(spk_windows_create(context, recording, &options, &windows));
        check(spk_null_create_patterns(context, recording, &options, surrogates, &null));
        check(spk_null_explain_patterns(context, windows, null, &columns, p, left_out));
    }
    spk_null_free(null);
    spk_windows_free(windows);
    spk_surrogates_free(surrogates);
}

/* Of 100 recordings with a planted A -> B -> C, none explains it; D, which is added by its rate
 * alone, is explained in all but 5 of 100 on average (15 are over 4 standard deviations more). */
static void planted_triples_explain_what_is_added(void **state)
{
    (void)state;
    const uint64_t seed = test_seed("planted triples"), n = test_scaled(100);
    for (int episodes = 0; episodes < 2; episodes++) {
        uint64_t unexplained = 0;
        for (uint64_t k = 0; k < n; k++) {
            test_random random = test_random_make(seed, k);
            spk_recording *recording = draw_planted(&random, true);
            double p[2];
            uint32_t left_out[2];
            test_chain(recording, episodes, k, p, left_out);
            if (p[0] > 1e-6)
                fail_msg("a planted triple has p %g without item %u", p[0], left_out[0]);
            unexplained += p[1] <= 0.05;
            if (p[1] > 0.05 && p[1] < 1) /* 1: it occurs not once, and any part explains that */
                assert_int_equal(left_out[1], 3);
            spk_recording_free(recording);
        }
        assert_true((double)unexplained <= 0.05 * (double)n + 10);
    }
}

/* Without a chain: a pair's p is the larger one of two, each of which is at most x in at most a
 * share x of recordings. */
static void parts_of_chance_are_explained(void **state)
{
    (void)state;
    enum { WINDOW = 8, N = 200 };
    const uint64_t seed = test_seed("pairs of chance");
    const spk_delay delay = {in_ms(1), in_ms(6)};
    const uint32_t item[] = {WINDOW, 3 * WINDOW + 3}, unit[] = {1, 3}, count[1] = {0};
    const uint16_t delays[2] = {0};
    const uint64_t offset[] = {0, 2};
    uint64_t below[2][2] = {{0}};
    for (uint64_t k = 0; k < test_scaled(N); k++) {
        test_random random = test_random_make(seed, k);
        spk_recording *recording = draw_planted(&random, false);
        spk_surrogates *bins = make_surrogates(recording, 25, 1, k);
        spk_surrogates *ticks = make_surrogates(recording, 25, 0, k);
        spk_window_options options;
        spk_windows *windows = NULL;
        spk_null *null[2] = {NULL, NULL};
        double p[2];
        uint32_t left_out[2];
        spk_window_options_init(&options, sizeof options);
        options.bin = in_ms(1), options.window = WINDOW;
        spk_pattern_columns patterns = {
            .n = 1, .window = WINDOW, .offset = offset, .item = item, .count = count};
        spk_episode_columns episodes = {.n = 1,
                                        .offset = offset,
                                        .unit = unit,
                                        .delay = delays,
                                        .delays = &delay,
                                        .n_delays = 1};
        check(spk_windows_create(context, recording, &options, &windows));
        check(spk_null_create_patterns(context, recording, &options, bins, &null[0]));
        check(spk_null_create_episodes(context, recording, &delay, 1, ticks, &null[1]));
        check(spk_null_explain_patterns(context, windows, null[0], &patterns, &p[0], &left_out[0]));
        check(
            spk_null_explain_episodes(context, recording, null[1], &episodes, &p[1], &left_out[1]));
        for (int i = 0; i < 2; i++) {
            below[i][0] += p[i] <= 0.05;
            below[i][1] += p[i] <= 0.5;
            spk_null_free(null[i]);
        }
        spk_windows_free(windows);
        spk_surrogates_free(bins);
        spk_surrogates_free(ticks);
        spk_recording_free(recording);
    }
    double n = (double)test_scaled(N);
    for (int i = 0; i < 2; i++) {
        assert_true((double)below[i][0] <= 0.05 * n + 5 * sqrt(0.05 * n) + 1);
        assert_true((double)below[i][1] <= 0.5 * n + 5 * sqrt(0.25 * n) + 1);
        assert_true((double)below[i][1] >= 0.15 * n - 5 * sqrt(0.25 * n)); /* and not always 1 */
    }
}

/* ---- many at once ---------------------------------------------------------------------------- */

enum { MANY = 300 };

/* p of many pairs, by a number of threads. */
static spk_status test_pairs(spk_context *own, const spk_recording *recording, bool episodes,
                             double *p, uint32_t *left_out)
{
    enum { WINDOW = 8 };
    static uint64_t offset[MANY + 1];
    static uint32_t item[2 * MANY], unit[2 * MANY], count[MANY];
    static uint16_t delays[2 * MANY];
    const spk_delay delay = {in_ms(0), in_ms(6)};
    spk_surrogates *surrogates = make_surrogates(recording, 25, episodes ? 0 : 1, 1);
    spk_windows *windows = NULL;
    spk_null *null = NULL;
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = in_ms(1), options.window = WINDOW;
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t a = i % PLANTED_UNITS, b = i / 4 % PLANTED_UNITS;
        offset[i + 1] = offset[i] + 2;
        unit[2 * i] = a, unit[2 * i + 1] = b;
        item[2 * i] = a * WINDOW, item[2 * i + 1] = b * WINDOW + 1 + i / 16 % 7;
    }
    spk_pattern_columns p_columns = {
        .n = MANY, .window = WINDOW, .offset = offset, .item = item, .count = count};
    spk_episode_columns e_columns = {.n = MANY,
                                     .offset = offset,
                                     .unit = unit,
                                     .delay = delays,
                                     .delays = &delay,
                                     .n_delays = 1};
    check(spk_windows_create(context, recording, &options, &windows));
    if (episodes)
        check(spk_null_create_episodes(context, recording, &delay, 1, surrogates, &null));
    else
        check(spk_null_create_patterns(context, recording, &options, surrogates, &null));
    spk_status status =
        episodes ? spk_null_explain_episodes(own, recording, null, &e_columns, p, left_out)
                 : spk_null_explain_patterns(own, windows, null, &p_columns, p, left_out);
    spk_null_free(null);
    spk_windows_free(windows);
    spk_surrogates_free(surrogates);
    return status;
}

static void threads_change_nothing(void **state)
{
    (void)state;
    test_random random = test_random_make(test_seed("threads"), 0);
    spk_recording *recording = draw_planted(&random, true);
    for (int episodes = 0; episodes < 2; episodes++) {
        double p[2][MANY];
        uint32_t left_out[2][MANY];
        for (int k = 0; k < 2; k++) {
            spk_context *own = NULL;
            check(spk_context_create(&own));
            spk_context_set_threads(own, k == 0 ? 1 : 4);
            assert_int_equal(test_pairs(own, recording, episodes, p[k], left_out[k]), SPK_OK);
            spk_context_free(own);
        }
        assert_memory_equal(p[0], p[1], sizeof p[0]);
        assert_memory_equal(left_out[0], left_out[1], sizeof left_out[0]);
    }
    spk_recording_free(recording);
}

static void cancels_and_limits_end_it(void **state)
{
    (void)state;
    test_random random = test_random_make(1, 0);
    spk_recording *recording = draw_planted(&random, true);
    for (int episodes = 0; episodes < 2; episodes++) {
        double p[MANY];
        uint32_t left_out[MANY];
        spk_context *own = NULL;
        check(spk_context_create(&own));
        spk_context_cancel(own);
        assert_int_equal(test_pairs(own, recording, episodes, p, left_out), SPK_ERR_CANCELLED);
        spk_context_cancel_clear(own);
        spk_context_set_memory_limit(own, 500);
        assert_int_equal(test_pairs(own, recording, episodes, p, left_out), SPK_ERR_MEMORY);
        spk_context_set_memory_limit(own, 100 << 20);
        assert_int_equal(test_pairs(own, recording, episodes, p, left_out), SPK_OK);
        spk_context_free(own);
    }
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_are_those_of_all_sums),
        cmocka_unit_test(small_tails_keep_their_digits),
        cmocka_unit_test(pattern_parts_are_those_of_all_placements),
        cmocka_unit_test(episode_parts_are_those_of_all_placements),
        cmocka_unit_test(planted_triples_explain_what_is_added),
        cmocka_unit_test(parts_of_chance_are_explained),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(cancels_and_limits_end_it),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
