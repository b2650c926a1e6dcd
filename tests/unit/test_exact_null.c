/*
 * Mean counts under the null hypothesis of the exact test: of patterns against all placements of a
 * tiny recording, and against surrogates; of episodes against surrogates; both the same for a
 * recording and for each of its surrogates, bit for bit.
 */
#include "significance/exact/null_inside.h"
#include "significance/surrogates/surrogates.h"
#include "support/context.h"
#include "support/simd.h"

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

static spk_window_options windows_of(int64_t bin_ms, uint32_t window)
{
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = in_ms(bin_ms);
    options.window = window;
    return options;
}

/* ---- patterns -------------------------------------------------------------------------------- */

enum { MOST_ITEMS = 12, MOST_PATTERNS = 40 };

typedef struct patterns {
    uint64_t offset[MOST_PATTERNS + 1];
    uint32_t item[MOST_PATTERNS * MOST_ITEMS];
    uint32_t count[MOST_PATTERNS];
    uint32_t window;
    uint64_t n;
} patterns;

static spk_pattern_columns columns_of(const patterns *p)
{
    return (spk_pattern_columns){
        .n = p->n, .window = p->window, .offset = p->offset, .item = p->item, .count = p->count};
}

static int by_lag(const void *a, const void *b, uint32_t window)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t key_x = x % window << 16 | x / window, key_y = y % window << 16 | y / window;
    return (key_x > key_y) - (key_x < key_y);
}

/* Distinct items in order of lag, then unit, the first with lag 0; lists begin alike. */
static void draw_patterns(test_random *random, uint32_t most_items, uint32_t n_units,
                          uint32_t window, patterns *p)
{
    *p = (patterns){.window = window, .n = MOST_PATTERNS};
    for (uint64_t i = 0; i < p->n; i++) {
        uint32_t *item = p->item + p->offset[i], n = 0;
        uint32_t wanted = 1 + (uint32_t)test_random_below(random, most_items);
        if (i > 0 && test_random_chance(random, 0.5)) {
            uint32_t before = (uint32_t)(p->offset[i] - p->offset[i - 1]);
            n = (uint32_t)test_random_below(random, before) + 1;
            memcpy(item, item - before, n * sizeof *item);
        } else {
            item[n++] = (uint32_t)test_random_below(random, n_units) * window;
        }
        for (uint32_t tries = 0; n < wanted && tries < 20; tries++) {
            uint32_t one = (uint32_t)test_random_below(random, (uint64_t)n_units * window);
            bool there = false;
            for (uint32_t k = 0; k < n; k++)
                there |= item[k] == one;
            if (!there)
                item[n++] = one;
        }
        for (uint32_t k = 1; k < n; k++)
            for (uint32_t j = k; j > 0 && by_lag(&item[j - 1], &item[j], window) > 0; j--) {
                uint32_t one = item[j];
                item[j] = item[j - 1];
                item[j - 1] = one;
            }
        p->offset[i + 1] = p->offset[i] + n;
    }
}

static spk_null *null_of_patterns(const spk_recording *recording, const spk_window_options *options,
                                  const spk_surrogates *surrogates)
{
    spk_null *null = NULL;
    check(spk_null_create_patterns(context, recording, options, surrogates, &null));
    return null;
}

/* ---- all placements -------------------------------------------------------------------------- */

enum { UNITS = 3, MOST_BINS = 64, MOST_CELLS = 64 };

/* A unit in a window of jitter: bins first .. first + n - 1 of all, of which `taken` are taken. */
typedef struct cell {
    uint32_t unit, first, n, taken, mask;
} cell;

/* A recording of a bin a tick in segments, bins numbered through. */
typedef struct tiny {
    uint32_t n_segments, begin[4], n_bins; /* segment k has bins begin[k] .. begin[k + 1] - 1 */
    uint32_t n_cells;
    cell cell[MOST_CELLS];
    uint64_t taken[UNITS]; /* bits */
} tiny;

static spk_recording *draw_tiny(test_random *random, tiny *t)
{
    int64_t time[MOST_BINS * UNITS], at = 5;
    uint32_t unit[MOST_BINS * UNITS];
    spk_segment segment[3];
    spk_recording *recording = NULL;
    spk_recording_source source;
    *t = (tiny){.n_segments = 1 + (uint32_t)test_random_below(random, 3)};
    spk_recording_source_init(&source, sizeof source);
    for (uint32_t k = 0; k < t->n_segments; k++) {
        uint32_t length = 1 + (uint32_t)test_random_below(random, 9);
        segment[k] = (spk_segment){at, at + length};
        for (uint32_t b = 0; b < length; b++)
            for (uint32_t u = 0; u < UNITS; u++)
                if (test_random_chance(random, 0.25)) {
                    time[source.n_events] = at + b;
                    unit[source.n_events++] = u;
                    t->taken[u] |= (uint64_t)1 << (t->begin[k] + b);
                }
        t->begin[k + 1] = t->begin[k] + length;
        at += length + (int64_t)test_random_below(random, 3);
    }
    t->n_bins = t->begin[t->n_segments];
    source.time = time, source.unit = unit, source.n_units = UNITS;
    source.rate = (spk_rate){1000, 1};
    source.segments = segment, source.n_segments = t->n_segments;
    check(spk_recording_create(context, &source, &recording));
    return recording;
}

/* Windows of `length` bins, the first of each segment `offset` bins before it. */
static void cut_cells(uint32_t length, uint32_t offset, tiny *t)
{
    for (uint32_t k = 0; k < t->n_segments; k++)
        for (uint32_t b = t->begin[k]; b < t->begin[k + 1];) {
            uint32_t n = length - (b - t->begin[k] + offset) % length;
            n = n < t->begin[k + 1] - b ? n : t->begin[k + 1] - b;
            for (uint32_t u = 0; u < UNITS; u++) {
                uint64_t bits = t->taken[u] >> b & (((uint64_t)1 << n) - 1);
                if (bits != 0)
                    t->cell[t->n_cells++] =
                        (cell){u, b, n, (uint32_t)__builtin_popcountll(bits), 0};
            }
            b += n;
        }
}

static uint32_t first_mask(const cell *c)
{
    return ((uint32_t)1 << c->taken) - 1;
}

/* The next placement; false after the last, which is followed by the first. */
static bool next_placement(tiny *t)
{
    for (uint32_t k = 0; k < t->n_cells; k++) {
        cell *c = &t->cell[k];
        do
            c->mask++;
        while (c->mask >> c->n == 0 && __builtin_popcount(c->mask) != (int)c->taken);
        if (c->mask >> c->n == 0)
            return true;
        c->mask = first_mask(c);
    }
    return false;
}

/* Occurrences of a pattern in a placement, by definition. */
static uint32_t count_in(const tiny *t, uint32_t n, const uint32_t *item, uint32_t window)
{
    uint64_t taken[UNITS] = {0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < t->n_cells; k++)
        taken[t->cell[k].unit] |= (uint64_t)t->cell[k].mask << t->cell[k].first;
    for (uint32_t k = 0; k < t->n_segments; k++)
        for (uint32_t b = t->begin[k]; b < t->begin[k + 1]; b++) {
            bool there = true;
            for (uint32_t j = 0; j < n; j++) {
                uint32_t bin = b + item[j] % window;
                there &= bin < t->begin[k + 1] && (taken[item[j] / window] >> bin & 1) != 0;
            }
            count += there;
        }
    return count;
}

static double placements_of(const tiny *t)
{
    double n = 1;
    for (uint32_t k = 0; k < t->n_cells; k++)
        for (uint32_t j = 0; j < t->cell[k].taken; j++)
            n = n * (t->cell[k].n - j) / (j + 1);
    return n;
}

/* Compares the means of all patterns with the mean counts of all placements. */
static void compare_with_placements(tiny *t, const patterns *p, const double *mean)
{
    double sum[MOST_PATTERNS] = {0}, n = 0;
    for (uint32_t k = 0; k < t->n_cells; k++)
        t->cell[k].mask = first_mask(&t->cell[k]);
    do {
        for (uint64_t i = 0; i < p->n; i++)
            sum[i] += count_in(t, (uint32_t)(p->offset[i + 1] - p->offset[i]),
                               p->item + p->offset[i], p->window);
        n++;
    } while (next_placement(t));
    for (uint64_t i = 0; i < p->n; i++)
        if (fabs(mean[i] - sum[i] / n) > 1e-12 * (1 + sum[i] / n))
            fail_msg("pattern %" PRIu64 ": mean %.17g, of %g placements %.17g", i, mean[i], n,
                     sum[i] / n);
}

static void pattern_means_are_those_of_all_placements(void **state)
{
    (void)state;
    uint64_t seed = test_seed("placements"), done = 0;
    for (uint64_t k = 0; done < test_scaled(200); k++) {
        test_random random = test_random_make(seed, k);
        uint32_t window = 1 + (uint32_t)test_random_below(&random, 7);
        uint32_t length = 1 + (uint32_t)test_random_below(&random, 6);
        tiny t;
        patterns p;
        double mean[MOST_PATTERNS];
        spk_recording *recording = draw_tiny(&random, &t);
        spk_window_options options = windows_of(1, window);
        spk_surrogates *surrogates = make_surrogates(recording, length, 1, k);
        cut_cells(length, (uint32_t)surrogates->windows.offset, &t);
        if (placements_of(&t) <= 3000) {
            spk_null *null = null_of_patterns(recording, &options, surrogates);
            draw_patterns(&random, 6, UNITS, window, &p);
            spk_pattern_columns columns = columns_of(&p);
            spk_null_pattern_means(null, &columns, NULL, mean, NULL);
            compare_with_placements(&t, &p, mean);
            spk_null_free(null);
            done++;
        }
        spk_surrogates_free(surrogates);
        spk_recording_free(recording);
    }
}

/* ---- larger recordings ----------------------------------------------------------------------- */

enum { MORE_UNITS = 12 };

/* Units of different rates that rise and fall together; segments may overlap. */
static spk_recording *draw_larger(test_random *random, bool overlap, int64_t length)
{
    enum { MOST = 40000 };
    static int64_t time[MOST];
    static uint32_t unit[MOST];
    spk_recording_source source;
    spk_recording *recording = NULL;
    spk_recording_source_init(&source, sizeof source);
    for (int64_t t = 0; t < length; t++)
        for (uint32_t u = 0; u < MORE_UNITS; u++) {
            double rate = 0.06 * (u + 1) / MORE_UNITS * (1 + sin((double)t / 150));
            if (source.n_events < MOST && test_random_chance(random, rate)) {
                time[source.n_events] = t;
                unit[source.n_events++] = u;
            }
        }
    const spk_segment apart[] = {{0, length / 3}, {length / 3 + 7, length - 100}},
                      across[] = {{0, length / 2}, {length / 3 + 7, length - 100}};
    source.time = time, source.unit = unit, source.n_units = MORE_UNITS;
    source.rate = (spk_rate){1000, 1};
    source.segments = overlap ? across : apart, source.n_segments = 2;
    check(spk_recording_create(context, &source, &recording));
    return recording;
}

static bool holds(const spk_window_columns *c, uint64_t w, uint32_t n, const uint32_t *item)
{
    for (uint32_t k = 0; k < n; k++) {
        bool there = false;
        for (uint64_t i = c->first[w]; i < c->first[w + 1]; i++)
            there |= c->item[i] == item[k];
        if (!there)
            return false;
    }
    return true;
}

static void add_counts(const spk_recording *recording, const spk_window_options *options,
                       const patterns *p, double *sum, double *squares)
{
    spk_windows *windows = NULL;
    check(spk_windows_create(context, recording, options, &windows));
    spk_window_columns c = spk_windows_columns(windows);
    for (uint64_t i = 0; i < p->n; i++) {
        double count = 0;
        for (uint64_t w = 0; w < c.n_windows; w++)
            count +=
                holds(&c, w, (uint32_t)(p->offset[i + 1] - p->offset[i]), p->item + p->offset[i]);
        sum[i] += count;
        squares[i] += count * count;
    }
    spk_windows_free(windows);
}

/* Means against the average over surrogates, within 6 standard errors. Where segments overlap, the
 * mean is an approximation: that of all patterns together within a tenth. */
static void compare_with_surrogates(bool overlap, uint64_t n_surrogates)
{
    test_random random = test_random_make(test_seed("surrogates of patterns"), overlap);
    spk_recording *recording = draw_larger(&random, overlap, 700);
    spk_window_options options = windows_of(2, 6);
    spk_surrogates *surrogates = make_surrogates(recording, 17, 2, 3);
    spk_null *null = null_of_patterns(recording, &options, surrogates);
    patterns p;
    double mean[MOST_PATTERNS], sum[MOST_PATTERNS] = {0}, squares[MOST_PATTERNS] = {0};
    draw_patterns(&random, 5, MORE_UNITS, 6, &p);
    spk_pattern_columns columns = columns_of(&p);
    spk_null_pattern_means(null, &columns, NULL, mean, NULL);
    for (uint64_t k = 1; k <= n_surrogates; k++) {
        spk_recording *surrogate = NULL;
        check(spk_surrogates_make(context, surrogates, k, &surrogate));
        add_counts(surrogate, &options, &p, sum, squares);
        spk_recording_free(surrogate);
    }
    double all = 0, all_averages = 0;
    for (uint64_t i = 0; i < p.n; i++) {
        double n = (double)n_surrogates, average = sum[i] / n;
        double error = sqrt((squares[i] / n - average * average + 1 / n) / n);
        if (!overlap && fabs(mean[i] - average) > 6 * error)
            fail_msg("pattern %" PRIu64 ": mean %g, of surrogates %g +- %g", i, mean[i], average,
                     error);
        all += mean[i];
        all_averages += average;
    }
    assert_true(fabs(all - all_averages) <= 0.1 * all_averages);
    spk_null_free(null);
    spk_surrogates_free(surrogates);
    spk_recording_free(recording);
}

static void pattern_means_are_those_of_surrogates(void **state)
{
    (void)state;
    compare_with_surrogates(false, 2000);
    compare_with_surrogates(true, 300);
}

/* ---- every start bin ------------------------------------------------------------------------- */

/* The mean by definition from the numbers in windows of jitter, start bin by start bin; bins have a
 * tick. */
typedef struct numbers {
    const spk_segment *segment;
    size_t n_segments;
    uint64_t length, offset;
    uint32_t *number[2]; /* by segment: [window * units + unit] */
} numbers;

static void count_numbers(const spk_recording *recording, numbers *n)
{
    spk_events events = spk_recording_events(recording);
    n->segment = spk_recording_segments(recording, &n->n_segments);
    for (size_t k = 0; k < n->n_segments; k++) {
        uint64_t bins = (uint64_t)(n->segment[k].stop - n->segment[k].start);
        n->number[k] = calloc((bins / n->length + 2) * MORE_UNITS, sizeof *n->number[k]);
        assert_non_null(n->number[k]);
        for (uint64_t i = 0; i < events.n_events; i++)
            if (events.time[i] >= n->segment[k].start && events.time[i] < n->segment[k].stop) {
                uint64_t bin = (uint64_t)(events.time[i] - n->segment[k].start);
                n->number[k][(bin + n->offset) / n->length * MORE_UNITS + events.unit[i]]++;
            }
    }
}

static double mean_by_definition(const numbers *n, uint32_t window, uint32_t size,
                                 const uint32_t *item)
{
    double mean = 0;
    for (size_t k = 0; k < n->n_segments; k++) {
        uint64_t bins = (uint64_t)(n->segment[k].stop - n->segment[k].start);
        for (uint64_t t = 0; t + item[size - 1] % window < bins; t++) {
            double chance = 1;
            for (uint32_t j = 0; j < size; j++) {
                uint64_t v = (t + item[j] % window + n->offset) / n->length;
                uint64_t first = v == 0 ? 0 : v * n->length - n->offset;
                uint64_t stop = (v + 1) * n->length - n->offset;
                uint32_t before = 0;
                for (uint32_t i = 0; i < j; i++)
                    before += item[i] / window == item[j] / window &&
                              (t + item[i] % window + n->offset) / n->length == v;
                uint32_t there = n->number[k][v * MORE_UNITS + item[j] / window];
                stop = stop < bins ? stop : bins;
                chance *= there <= before
                              ? 0
                              : (double)(there - before) / (double)(stop - first - before);
            }
            mean += chance;
        }
    }
    return mean;
}

/* Patterns of up to 12 items in rows of many blocks, by each instruction set: the means are those
 * of every start bin, and the same bits. */
static void pattern_means_are_those_of_every_start(void **state)
{
    (void)state;
    uint64_t seed = test_seed("every start");
    for (uint64_t c = 0; c < test_scaled(20); c++) {
        test_random random = test_random_make(seed, c);
        uint32_t window = 1 + (uint32_t)test_random_below(&random, 30);
        spk_recording *recording = draw_larger(&random, false, 6000);
        spk_window_options options = windows_of(1, window);
        numbers n = {.length = 1 + test_random_below(&random, 12)};
        spk_surrogates *surrogates = make_surrogates(recording, (int64_t)n.length, 1, c);
        spk_null *null = null_of_patterns(recording, &options, surrogates);
        patterns p;
        double mean[2][MOST_PATTERNS];
        n.offset = surrogates->windows.offset;
        count_numbers(recording, &n);
        draw_patterns(&random, MOST_ITEMS, MORE_UNITS, window, &p);
        spk_pattern_columns columns = columns_of(&p);
        for (size_t k = 0; k < test_n_simd(); k++) {
            test_simd_use(k);
            spk_null_pattern_means(null, &columns, NULL, mean[k > 0], NULL);
            assert_memory_equal(mean[0], mean[k > 0], sizeof mean[0]);
        }
        test_simd_use_best();
        for (uint64_t i = 0; i < p.n; i++) {
            double wanted = mean_by_definition(
                &n, window, (uint32_t)(p.offset[i + 1] - p.offset[i]), p.item + p.offset[i]);
            if (fabs(mean[0][i] - wanted) > 1e-12 * wanted)
                fail_msg("pattern %" PRIu64 ": mean %.17g, wanted %.17g", i, mean[0][i], wanted);
        }
        for (size_t k = 0; k < n.n_segments; k++)
            free(n.number[k]);
        spk_null_free(null);
        spk_surrogates_free(surrogates);
        spk_recording_free(recording);
    }
}

/* ---- conserved ------------------------------------------------------------------------------- */

static void pattern_means_are_conserved(void **state)
{
    (void)state;
    uint64_t seed = test_seed("conserved means of patterns");
    for (uint64_t k = 0; k < test_scaled(20); k++) {
        test_random random = test_random_make(seed, k);
        spk_recording *recording = draw_larger(&random, k % 2 == 1, 400), *surrogate = NULL;
        spk_segment trials[] = {{3, 200}, {150, 390}};
        spk_window_options options = windows_of(3, 5);
        options.trials = k % 3 == 2 ? trials : NULL, options.n_trials = 2;
        spk_surrogates *surrogates = make_surrogates(recording, 20, 3, k), *again = NULL;
        spk_null *null = null_of_patterns(recording, &options, surrogates), *other = NULL;
        patterns p;
        double mean[2][MOST_PATTERNS];
        draw_patterns(&random, 5, MORE_UNITS, 5, &p);
        spk_pattern_columns columns = columns_of(&p);
        check(spk_surrogates_make(context, surrogates, k + 1, &surrogate));
        again = make_surrogates(surrogate, 20, 3, k);
        other = null_of_patterns(surrogate, &options, again);
        spk_null_pattern_means(null, &columns, NULL, mean[0], NULL);
        spk_null_pattern_means(other, &columns, NULL, mean[1], NULL);
        assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
        spk_null_free(null);
        spk_null_free(other);
        spk_surrogates_free(surrogates);
        spk_surrogates_free(again);
        spk_recording_free(recording);
        spk_recording_free(surrogate);
    }
}

/* A limit that is passed gives a mean above it, any other one the same mean. */
static void limits_change_no_mean_below(void **state)
{
    (void)state;
    uint64_t seed = test_seed("limits");
    for (uint64_t k = 0; k < test_scaled(20); k++) {
        test_random random = test_random_make(seed, k);
        spk_recording *recording = draw_larger(&random, false, 2000);
        spk_window_options options = windows_of(3, 5);
        spk_surrogates *surrogates = make_surrogates(recording, 20, 3, k);
        spk_null *null = null_of_patterns(recording, &options, surrogates);
        if (k % 2 == 1)
            check(spk_null_lean_patterns(context, null));
        patterns p;
        double mean[MOST_PATTERNS], limit[MOST_PATTERNS], limited[MOST_PATTERNS];
        draw_patterns(&random, 5, MORE_UNITS, 5, &p);
        spk_pattern_columns columns = columns_of(&p);
        spk_null_pattern_means(null, &columns, NULL, mean, NULL);
        for (uint64_t i = 0; i < p.n; i++)
            limit[i] = test_random_chance(&random, 0.2)   ? mean[i]
                       : test_random_chance(&random, 0.2) ? -1
                                                          : 2 * mean[i] * test_random_real(&random);
        spk_null_pattern_means(null, &columns, limit, limited, NULL);
        for (uint64_t i = 0; i < p.n; i++)
            if (mean[i] > limit[i])
                assert_true(limited[i] > limit[i]);
            else
                assert_true(limited[i] == mean[i]);
        spk_null_free(null);
        spk_surrogates_free(surrogates);
        spk_recording_free(recording);
    }
}

/* ---- the code for GPUs ----------------------------------------------------------------------- */

/* A device that is the host. */
static spk_status sum_here(spk_context *own, void *device, uint64_t n, const uint64_t *offset,
                           const uint32_t *item, double *mean)
{
    (void)own;
    const means_view *view = device;
    means_place place[MEANS_PLACES];
    for (uint64_t i = 0; i < n; i++)
        mean[i] = means_of_blocks(view, item + offset[i] - offset[0],
                                  (uint32_t)(offset[i + 1] - offset[i]), mean[i], place);
    return SPK_OK;
}

/* What a GPU sums up is the same to the bit, with limits that are passed and others. */
static void devices_sum_alike(void **state)
{
    (void)state;
    uint64_t seed = test_seed("devices");
    for (uint64_t k = 0; k < test_scaled(60); k++) {
        test_random random = test_random_make(seed, k);
        spk_recording *recording = draw_larger(&random, k % 3 == 0, 2000);
        spk_window_options options = windows_of(3, 5);
        spk_surrogates *surrogates = make_surrogates(recording, 20, 3, k);
        spk_null *null = null_of_patterns(recording, &options, surrogates);
        means_view view = null_means_view(null);
        if (k % 2 == 1)
            check(spk_null_lean_patterns(context, null));
        patterns p;
        double mean[MOST_PATTERNS], spread[MOST_PATTERNS], limit[MOST_PATTERNS],
            other[MOST_PATTERNS], other_spread[MOST_PATTERNS];
        draw_patterns(&random, 6, MORE_UNITS, 5, &p);
        spk_pattern_columns columns = columns_of(&p);
        spk_null_pattern_means(null, &columns, NULL, mean, spread);
        for (uint64_t i = 0; i < p.n; i++)
            limit[i] =
                test_random_chance(&random, 0.3) ? -1 : 4 * mean[i] * test_random_real(&random);
        spk_null_pattern_limits(null, &columns, limit, other_spread);
        memcpy(other, other_spread, sizeof other);
        check(sum_here(context, &view, p.n, columns.offset, columns.item, other));
        spk_null_pattern_finish(null, &columns, other_spread, other, other_spread);
        for (uint64_t i = 0; i < p.n; i++)
            if (mean[i] > limit[i])
                assert_true(other[i] > limit[i]);
            else
                assert_true(other[i] == mean[i] && other_spread[i] == spread[i]);
        spk_null_free(null);
        spk_surrogates_free(surrogates);
        spk_recording_free(recording);
    }
}

/* ---- episodes -------------------------------------------------------------------------------- */

static spk_delay delay_of(int64_t lo, int64_t hi)
{
    return (spk_delay){in_ms(lo), in_ms(hi)};
}

static void draw_episodes(test_random *random, uint64_t n, uint32_t n_units, size_t n_delays,
                          const spk_delay *delays, spk_episode_list *list)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t size = 1 + (uint32_t)test_random_below(random, 4), unit[4];
        spk_delay delay[4];
        for (uint32_t k = 0; k < size; k++) {
            unit[k] = (uint32_t)test_random_below(random, n_units);
            delay[k] = delays[test_random_below(random, n_delays)];
        }
        check(spk_episode_list_append(context, list, size, unit, delay));
    }
}

static spk_null *null_of_episodes(const spk_recording *recording,
                                  const spk_episode_columns *episodes,
                                  const spk_surrogates *surrogates)
{
    spk_null *null = NULL;
    check(spk_null_create_episodes(context, recording, episodes->delays, episodes->n_delays,
                                   surrogates, &null));
    return null;
}

static void episode_means_are_conserved(void **state)
{
    (void)state;
    uint64_t seed = test_seed("conserved means of episodes");
    const spk_delay delays[] = {delay_of(0, 5), delay_of(5, 10), delay_of(3, 90)};
    for (uint64_t k = 0; k < test_scaled(20); k++) {
        enum { EPISODES = 50 };
        test_random random = test_random_make(seed, k);
        spk_recording *recording = draw_larger(&random, k % 2 == 1, 400), *surrogate = NULL;
        spk_episode_list *list = NULL;
        check(spk_episode_list_create(context, &list));
        draw_episodes(&random, EPISODES, MORE_UNITS, 3, delays, list);
        spk_episode_columns episodes = spk_episode_list_columns(list);
        spk_surrogates *surrogates = make_surrogates(recording, 20, 0, k), *again = NULL;
        spk_null *null = null_of_episodes(recording, &episodes, surrogates), *other = NULL;
        double mean[2][EPISODES];
        check(spk_surrogates_make(context, surrogates, k + 1, &surrogate));
        again = make_surrogates(surrogate, 20, 0, k);
        other = null_of_episodes(surrogate, &episodes, again);
        spk_null_episode_means(null, &episodes, mean[0], NULL);
        spk_null_episode_means(other, &episodes, mean[1], NULL);
        assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
        for (int i = 0; i < EPISODES; i++)
            assert_true(mean[0][i] >= 0 && isfinite(mean[0][i]));
        spk_null_free(null);
        spk_null_free(other);
        spk_surrogates_free(surrogates);
        spk_surrogates_free(again);
        spk_episode_list_free(list);
        spk_recording_free(recording);
        spk_recording_free(surrogate);
    }
}

/* ---- averages of episodes -------------------------------------------------------------------- */

enum { LISTED = 400 };

/* What all episodes of a surrogate are that reach a support; at most LISTED. */
static spk_status keep_some(void *list, const spk_episode_columns *episodes)
{
    spk_episode_columns some = *episodes;
    uint64_t left = LISTED - spk_episode_list_columns(list).n;
    some.n = some.n < left ? some.n : left;
    return spk_episode_list_add(list, &some);
}

/* Means against the average count over many surrogates, for the episodes that are frequent in
 * another one: the worst of them within a factor, and all together within a factor. */
static void compare_episodes(const spk_recording *recording, uint64_t support, double worst,
                             double together)
{
    const uint64_t n_surrogates = test_scaled_from(60, 20);
    const spk_delay delays[] = {delay_of(0, 5), delay_of(5, 10)};
    spk_surrogates *surrogates = make_surrogates(recording, 25, 0, 5);
    spk_recording *surrogate = NULL;
    spk_episode_list *list = NULL;
    spk_episode_options options;
    double mean[LISTED], sum[LISTED] = {0}, logs = 0;
    spk_episode_options_init(&options, sizeof options);
    options.delays = delays, options.n_delays = 2;
    options.support = support, options.max_size = 4;
    check(spk_episode_list_create(context, &list));
    check(spk_surrogates_make(context, surrogates, 1000, &surrogate));
    check(spk_episode_mine(context, surrogate, &options, keep_some, list, NULL));
    spk_recording_free(surrogate);
    spk_episode_columns episodes = spk_episode_list_columns(list);
    spk_null *null = null_of_episodes(recording, &episodes, surrogates);
    spk_null_episode_means(null, &episodes, mean, NULL);
    for (uint64_t k = 1; k <= n_surrogates; k++) {
        check(spk_surrogates_make(context, surrogates, k, &surrogate));
        check(spk_episode_count(context, surrogate, &options, list, NULL));
        episodes = spk_episode_list_columns(list);
        for (uint64_t i = 0; i < episodes.n; i++)
            sum[i] += (double)episodes.count[i] / (double)n_surrogates;
        spk_recording_free(surrogate);
    }
    assert_true(episodes.n >= 50 && episodes.offset[episodes.n] > 2 * episodes.n);
    for (uint64_t i = 0; i < episodes.n; i++) {
        logs += log(mean[i] / sum[i]) / (double)episodes.n;
        if (!(mean[i] < worst * sum[i] && sum[i] < worst * mean[i]))
            fail_msg("episode %" PRIu64 ": mean %g, of surrogates %g", i, mean[i], sum[i]);
    }
    if (!(fabs(logs) < log(together)))
        fail_msg("means are %g times those of surrogates", exp(logs));
    spk_null_free(null);
    spk_surrogates_free(surrogates);
    spk_episode_list_free(list);
}

static void episode_means_are_near_those_of_surrogates(void **state)
{
    (void)state;
    spk_network_options network;
    spk_culture_options culture;
    spk_recording *recording = NULL;
    spk_truth *truth = NULL;
    spk_network_options_init(&network, sizeof network);
    network.n_units = 12, network.mean_rate_hz = 25, network.rate_spread = 0.5;
    network.n_chains = 0, network.seed = 11;
    check(spk_simulate_network(context, &network, &recording, &truth));
    compare_episodes(recording, 60, 1.25, 1.06);
    spk_recording_free(recording);
    spk_truth_free(truth);
    spk_culture_options_init(&culture, sizeof culture);
    culture.n_events = 30000, culture.n_units = 30, culture.seed = 11;
    check(spk_simulate_culture(context, &culture, &recording, &truth));
    compare_episodes(recording, 250, 1.35, 1.12);
    spk_recording_free(recording);
    spk_truth_free(truth);
}

/* Without an end of delays, and with units that never fire, means are numbers. */
static void endless_delays_have_means(void **state)
{
    (void)state;
    test_random random = test_random_make(7, 7);
    const spk_delay delays[] = {{in_ms(3), {0, SPK_DURATION_INFINITE, 0}}, delay_of(0, 5)};
    const uint32_t unit[] = {0, 1, 2, MORE_UNITS, 1};
    spk_recording *recording = draw_larger(&random, false, 2000), *wide = NULL;
    spk_episode_list *list = NULL;
    double mean[5];
    check(spk_recording_add_units(context, recording, 1, (const char *const[]){"silent"}, &wide));
    check(spk_episode_list_create(context, &list));
    for (uint32_t size = 1; size <= 5; size++)
        check(spk_episode_list_append(
            context, list, size, unit,
            (const spk_delay[]){delays[0], delays[1], delays[0], delays[0]}));
    spk_episode_columns episodes = spk_episode_list_columns(list);
    spk_surrogates *surrogates = make_surrogates(wide, 20, 0, 1);
    spk_null *null = null_of_episodes(wide, &episodes, surrogates);
    spk_null_episode_means(null, &episodes, mean, NULL);
    assert_true(mean[1] > 1 && mean[1] <= mean[0] && mean[2] > 0.1 && mean[2] <= mean[1]);
    assert_true(mean[3] == 0 && mean[4] == 0);
    spk_null_free(null);
    spk_surrogates_free(surrogates);
    spk_episode_list_free(list);
    spk_recording_free(recording);
    spk_recording_free(wide);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void other_surrogates_are_refused(void **state)
{
    (void)state;
    test_random random = test_random_make(1, 1);
    spk_recording *recording = draw_larger(&random, false, 300);
    spk_window_options options = windows_of(2, 5);
    spk_delay delay = delay_of(0, 5);
    spk_null *null = NULL;
    spk_surrogates *bins = make_surrogates(recording, 20, 3, 1);
    spk_surrogates *ticks = make_surrogates(recording, 20, 0, 1);
    assert_int_equal(spk_null_create_patterns(context, recording, &options, bins, &null),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_null_create_patterns(context, recording, &options, ticks, &null),
                     SPK_ERR_ARGUMENT);
    assert_int_equal(spk_null_create_episodes(context, recording, &delay, 1, bins, &null),
                     SPK_ERR_ARGUMENT);
    assert_null(null);
    spk_surrogates_free(bins);
    spk_surrogates_free(ticks);
    spk_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pattern_means_are_those_of_all_placements),
        cmocka_unit_test(pattern_means_are_those_of_surrogates),
        cmocka_unit_test(pattern_means_are_those_of_every_start),
        cmocka_unit_test(pattern_means_are_conserved),
        cmocka_unit_test(limits_change_no_mean_below),
        cmocka_unit_test(devices_sum_alike),
        cmocka_unit_test(episode_means_are_conserved),
        cmocka_unit_test(episode_means_are_near_those_of_surrogates),
        cmocka_unit_test(endless_delays_have_means),
        cmocka_unit_test(other_surrogates_are_refused),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
