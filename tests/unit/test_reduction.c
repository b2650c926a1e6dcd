/*
 * Reduction and stability of patterns. The oracles are written here by the published description,
 * without any index: the reduction as one pass over all pairs, in order, with sets of spikes and
 * all pairs of windows; stability by looking at every part and every window.
 */
#include "support/test.h"

enum { MAX_BINS = 160, MAX_UNITS = 5, MAX_WINDOW = 6, MAX_PATTERNS = 60 };

/* ---- random jobs ----------------------------------------------------------------------------- */

static spk_context *context; /* of one thread: jobs are small */

static int setup(void **state)
{
    (void)state;
    if (spk_context_create(&context) != SPK_OK)
        return 1;
    spk_context_set_threads(context, 1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    spk_context_free(context);
    return 0;
}

/* A job: spikes, windows, patterns, and where each occurs. */
typedef struct job {
    uint32_t n_bins, n_units, window;
    bool fires[MAX_BINS + MAX_WINDOW][MAX_UNITS];
    bool has[MAX_BINS][MAX_UNITS * MAX_WINDOW]; /* items of windows */
    spk_windows *windows;
    spk_pattern_list *list;
    spk_pattern_columns patterns;
    bool occurs[MAX_PATTERNS][MAX_BINS];
} job;

/* Motifs that recur, with spikes that fail, among random spikes. */
static void fire(test_random *random, job *j)
{
    memset(j->fires, 0, sizeof j->fires);
    j->n_bins = 20 + (uint32_t)test_random_below(random, MAX_BINS - 20);
    j->n_units = 2 + (uint32_t)test_random_below(random, MAX_UNITS - 1);
    j->window = 1 + (uint32_t)test_random_below(random, MAX_WINDOW);
    double rate = 0.02 + 0.1 * test_random_real(random);
    for (uint32_t b = 0; b < j->n_bins; b++)
        for (uint32_t u = 0; u < j->n_units; u++)
            j->fires[b][u] = test_random_chance(random, rate);
    for (int motif = 0; motif < 2; motif++) {
        uint32_t lag[MAX_UNITS];
        for (uint32_t u = 0; u < j->n_units; u++)
            lag[u] = (uint32_t)test_random_below(random, j->window + 1);
        for (int k = 0; k < 8; k++) {
            uint32_t b = (uint32_t)test_random_below(random, j->n_bins - j->window);
            for (uint32_t u = 0; u < j->n_units; u++)
                if (test_random_chance(random, 0.8))
                    j->fires[b + lag[u]][u] = true;
        }
    }
}

static void fill_windows(job *j)
{
    for (uint32_t b = 0; b < j->n_bins; b++)
        for (uint32_t x = 0; x < j->n_units * j->window; x++)
            j->has[b][x] = j->fires[b + x % j->window][x / j->window];
}

/* Windows that contradict each other: no recording has them, but a transaction file may. */
static void tear_windows(test_random *random, job *j)
{
    for (uint32_t b = 0; b < j->n_bins; b++)
        for (uint32_t x = 0; x < j->n_units * j->window; x++)
            if (test_random_chance(random, j->has[b][x] ? 0.15 : 0.02))
                j->has[b][x] = !j->has[b][x];
}

static void make_windows(job *j)
{
    static char text[MAX_BINS * MAX_UNITS * MAX_WINDOW * 4];
    size_t n = 0;
    for (uint32_t b = 0; b < j->n_bins; b++) {
        for (uint32_t x = 0; x < j->n_units * j->window; x++)
            if (j->has[b][x])
                n += (size_t)snprintf(text + n, sizeof text - n, "%u ", x);
        text[n++] = '\n';
    }
    assert_int_equal(
        spk_windows_parse_transactions(NULL, "text", text, n, j->n_units, j->window, &j->windows),
        SPK_OK);
}

/* Mines; false where there are too many patterns for the oracle. */
static bool mine(test_random *random, job *j)
{
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    options.min_spikes = 2;
    options.support = 2 + test_random_below(random, 3);
    options.moving_window_filter = test_random_chance(random, 0.7);
    assert_int_equal(spk_pattern_list_create(NULL, j->window, &j->list), SPK_OK);
    assert_int_equal(
        spk_pattern_mine(context, j->windows, &options, spk_pattern_list_add, j->list, NULL),
        SPK_OK);
    j->patterns = spk_pattern_list_columns(j->list);
    if (j->patterns.n == 0 || j->patterns.n > MAX_PATTERNS)
        return false;
    memset(j->occurs, 0, sizeof j->occurs);
    for (uint64_t i = 0; i < j->patterns.n; i++)
        for (uint32_t b = 0; b < j->n_bins; b++) {
            bool all = true;
            for (uint64_t k = j->patterns.offset[i]; k < j->patterns.offset[i + 1]; k++)
                all = all && j->has[b][j->patterns.item[k]];
            j->occurs[i][b] = all;
        }
    return true;
}

static bool make_job(test_random *random, job *j)
{
    fire(random, j);
    fill_windows(j);
    make_windows(j);
    return mine(random, j);
}

/* Some of the patterns, in another order: sets that no mining gives, with counts that no pattern
 * explains. */
static void take_some(test_random *random, job *j)
{
    static uint64_t offset[MAX_PATTERNS + 1];
    static uint32_t item[MAX_PATTERNS * MAX_UNITS * MAX_WINDOW], count[MAX_PATTERNS];
    static bool occurs[MAX_PATTERNS][MAX_BINS];
    const spk_pattern_columns all = j->patterns;
    const uint64_t step = 1 + 2 * test_random_below(random, 20),
                   begin = test_random_below(random, all.n);
    uint64_t n = 0, at = 0;
    bool taken[MAX_PATTERNS] = {false};
    memcpy(occurs, j->occurs, sizeof occurs);
    for (uint64_t k = 0; k < all.n; k++) {
        const uint64_t i = (begin + k * step) % all.n;
        if (taken[i] || (n > 0 && test_random_chance(random, 0.3)))
            continue;
        taken[i] = true;
        for (uint64_t m = all.offset[i]; m < all.offset[i + 1]; m++)
            item[at++] = all.item[m];
        memcpy(j->occurs[n], occurs[i], sizeof *occurs);
        count[n++] = all.count[i];
        offset[n] = at;
    }
    j->patterns = (spk_pattern_columns){n, all.window, offset, item, count};
}

static void free_job(job *j)
{
    spk_pattern_list_free(j->list);
    spk_windows_free(j->windows);
}

/* ---- a test with verdicts -------------------------------------------------------------------- */

enum { SIZES = 32, COUNTS = 200 };

/* Maxima of a few surrogates, the tested signatures, and the verdict on any signature. */
typedef struct verdicts {
    bool given;
    uint64_t number[8], first[9];
    spk_pattern_maximum maximum[8 * 4 * MAX_WINDOW];
    spk_maxima_columns maxima;
    spk_signature signature[MAX_PATTERNS];
    uint64_t n;
} verdicts;

static int compare_signatures(const void *a, const void *b)
{
    const spk_signature *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return (x->duration > y->duration) - (x->duration < y->duration);
}

static uint32_t size_of(const job *j, uint64_t i)
{
    return (uint32_t)(j->patterns.offset[i + 1] - j->patterns.offset[i]);
}

static uint32_t duration_of(const job *j, uint64_t i)
{
    return j->patterns.item[j->patterns.offset[i + 1] - 1] % j->window;
}

static void make_verdicts(test_random *random, const job *j, verdicts *v)
{
    *v = (verdicts){.given = test_random_chance(random, 0.7)};
    v->maxima = (spk_maxima_columns){.n = 1 + test_random_below(random, 8),
                                     .by_duration = test_random_chance(random, 0.5),
                                     .surrogate = v->number,
                                     .first = v->first,
                                     .maximum = v->maximum};
    uint64_t at = 0;
    for (uint64_t k = 0; k < v->maxima.n; k++) {
        v->number[k] = k + 1;
        for (uint32_t d = 0; d < (v->maxima.by_duration ? j->window : 1); d++) {
            uint32_t count = 1 + (uint32_t)test_random_below(random, 12);
            for (uint32_t size = 2; size < 6 && count > 0; size++)
                if (test_random_chance(random, 0.5)) {
                    v->maximum[at++] = (spk_pattern_maximum){size, d, count};
                    count -= 1 + (uint32_t)test_random_below(random, count);
                }
        }
        v->first[k + 1] = at;
    }
    for (uint64_t i = 0; i < j->patterns.n; i++) {
        spk_signature s = {size_of(j, i), j->patterns.count[i],
                           v->maxima.by_duration ? duration_of(j, i) : 0};
        s.significant = test_random_chance(random, 0.6);
        bool known = false;
        for (uint64_t m = 0; m < v->n; m++)
            known = known || compare_signatures(&v->signature[m], &s) == 0;
        if (!known)
            v->signature[v->n++] = s;
    }
    qsort(v->signature, v->n, sizeof *v->signature, compare_signatures);
}

/* Whether the list of signatures that are not significant has this one. */
static bool not_significant(const verdicts *v, int64_t size, int64_t count, uint32_t duration)
{
    if (!v->given)
        return false;
    uint32_t d = v->maxima.by_duration ? duration : 0;
    for (uint64_t m = 0; m < v->n; m++)
        if (v->signature[m].size == size && v->signature[m].count == count &&
            v->signature[m].duration == d)
            return !v->signature[m].significant;
    for (uint64_t k = 0; k < v->first[v->maxima.n]; k++)
        if (v->maximum[k].duration == d && v->maximum[k].size >= size &&
            v->maximum[k].count >= count)
            return true;
    return false;
}

/* ---- the oracle of the reduction ------------------------------------------------------------- */

static uint64_t support_of(const spk_reduce_options *options, uint32_t size)
{
    const spk_pattern_supports *s = options->supports;
    return s == NULL ? options->support : s->at_size[size < s->n ? size : s->n];
}

typedef struct oracle {
    const job *j;
    const verdicts *v;
    const spk_reduce_options *options;
} oracle;

static bool subset_falls(const oracle *o, uint64_t whole, uint64_t part)
{
    const uint32_t *count = o->j->patterns.count;
    int64_t left = (int64_t)count[part] - count[whole] + o->options->h;
    return left < (int64_t)support_of(o->options, size_of(o->j, part)) ||
           not_significant(o->v, size_of(o->j, part), left, duration_of(o->j, part));
}

static bool superset_falls(const oracle *o, uint64_t i, uint32_t explained)
{
    int64_t left = (int64_t)size_of(o->j, i) - explained + o->options->k;
    return left < (int64_t)o->options->min_spikes ||
           not_significant(o->v, left, o->j->patterns.count[i], duration_of(o->j, i));
}

/* Of both rejected the one that covers more spikes stays; ties to the first. */
static void cover(const oracle *o, uint64_t first, uint64_t second, bool *reject_first,
                  bool *reject_second)
{
    if (!*reject_first || !*reject_second)
        return;
    const uint32_t *count = o->j->patterns.count;
    int64_t a = ((int64_t)size_of(o->j, first) - o->options->l) * count[first];
    int64_t b = ((int64_t)size_of(o->j, second) - o->options->l) * count[second];
    *reject_first = a < b;
    *reject_second = a >= b;
}

static uint32_t n_shared(const job *j, uint64_t a, uint64_t b, int64_t shift)
{
    uint32_t n = 0;
    for (uint64_t k = j->patterns.offset[a]; k < j->patterns.offset[a + 1]; k++)
        for (uint64_t m = j->patterns.offset[b]; m < j->patterns.offset[b + 1]; m++) {
            uint32_t x = j->patterns.item[k], y = j->patterns.item[m];
            n += x / j->window == y / j->window &&
                 (int64_t)(x % j->window) - shift == (int64_t)(y % j->window);
        }
    return n;
}

static uint64_t n_times(const job *j, uint64_t a, uint64_t b, int64_t shift)
{
    uint64_t n = 0;
    for (int64_t w = 0; w < j->n_bins; w++)
        n += w + shift >= 0 && w + shift < j->n_bins && j->occurs[a][w] && j->occurs[b][w + shift];
    return n;
}

static void judge(const oracle *o, uint64_t a, uint64_t b, int64_t shift, bool *keep)
{
    uint64_t n = n_times(o->j, a, b, shift);
    uint32_t shared = n_shared(o->j, a, b, shift), z_a = size_of(o->j, a), z_b = size_of(o->j, b);
    if (n < support_of(o->options, z_a > z_b ? z_a : z_b) || shared == 0)
        return;
    bool reject_a, reject_b;
    if (shared == size_of(o->j, b)) {
        reject_b = subset_falls(o, a, b);
        reject_a = superset_falls(o, a, shared);
        cover(o, a, b, &reject_a, &reject_b);
    } else if (shared == size_of(o->j, a)) {
        reject_a = subset_falls(o, b, a);
        reject_b = superset_falls(o, b, shared);
        cover(o, b, a, &reject_b, &reject_a);
    } else {
        reject_a = superset_falls(o, a, shared);
        reject_b = superset_falls(o, b, shared);
        cover(o, a, b, &reject_a, &reject_b);
    }
    keep[a] = keep[a] && !reject_a;
    keep[b] = keep[b] && !reject_b;
}

static void reduce_in_order(const oracle *o, bool *keep)
{
    const job *j = o->j;
    for (uint64_t i = 0; i < j->patterns.n; i++)
        keep[i] = true;
    for (uint64_t a = 0; a < j->patterns.n; a++)
        for (uint64_t b = a + 1; b < j->patterns.n; b++)
            for (int64_t shift = 1 - (int64_t)j->window; shift < j->window; shift++)
                if (keep[a] || keep[b])
                    judge(o, a, b, shift, keep);
}

/* Supports of sizes that go up and down. */
static void make_supports(test_random *random, spk_pattern_supports *supports)
{
    *supports = (spk_pattern_supports){.n = 2 + (uint32_t)test_random_below(random, 4)};
    for (uint32_t size = 0; size <= supports->n; size++)
        supports->at_size[size] = 1 + test_random_below(random, 8);
}

static bool make_hostile_job(test_random *random, job *j)
{
    fire(random, j);
    fill_windows(j);
    if (test_random_chance(random, 0.3))
        tear_windows(random, j);
    make_windows(j);
    if (!mine(random, j))
        return false;
    if (test_random_chance(random, 0.5))
        take_some(random, j);
    return true;
}

static void reduction_is_one_pass_over_all_pairs(void **state)
{
    (void)state;
    static job j;
    static verdicts v;
    uint64_t seed = test_seed("reduction"), n_jobs = 0, n_rejected = 0, n_kept = 0;
    for (uint64_t round = 0; n_jobs < test_scaled(2500); round++) {
        test_random random = test_random_make(seed, round);
        if (make_hostile_job(&random, &j)) {
            uint8_t keep[MAX_PATTERNS];
            bool wanted[MAX_PATTERNS];
            make_verdicts(&random, &j, &v);
            spk_reduce_options options;
            spk_pattern_supports supports;
            spk_reduce_options_init(&options, sizeof options);
            assert_true(options.min_spikes == 2 && options.support == 2 && options.h == 0);
            make_supports(&random, &supports);
            options.supports = test_random_chance(&random, 0.3) ? &supports : NULL;
            options.h = (int32_t)test_random_between(&random, -1, 3);
            options.k = (int32_t)test_random_between(&random, -1, 3);
            options.l = (int32_t)test_random_between(&random, -1, 3);
            options.min_spikes = (uint32_t)test_random_between(&random, 1, 3);
            options.support = (uint64_t)test_random_between(&random, 1, 4);
            if (v.given) {
                options.maxima = &v.maxima;
                options.signatures = v.signature;
                options.n_signatures = v.n;
            }
            oracle o = {&j, &v, &options};
            reduce_in_order(&o, wanted);
            assert_int_equal(spk_pattern_reduce(NULL, j.windows, &j.patterns, &options, keep),
                             SPK_OK);
            for (uint64_t i = 0; i < j.patterns.n; i++) {
                if (keep[i] != wanted[i])
                    fail_msg("round %llu, pattern %llu", (unsigned long long)round,
                             (unsigned long long)i);
                n_kept += keep[i];
                n_rejected += !keep[i];
            }
            n_jobs++;
        }
        free_job(&j);
    }
    /* Neither answer is the rule. */
    assert_true(4 * n_kept > n_rejected && 4 * n_rejected > n_kept);
}

/* Row 1: with item numbers in place of lags, ((0, 5), (10, 20, 30)) would become ((-1, 4), ...) and
 * share an item with ((10, 4), (11, 21, 31)), which has other units and no common spike: Elephant
 * rejects the second. */
static void lags_are_shifted(void **state)
{
    (void)state;
    static char text[400];
    text[0] = '\0';
    for (int b = 0; b < 40; b++) {
        bool first = b == 10 || b == 20 || b == 30, second = b == 11 || b == 21 || b == 31;
        strcat(text, first ? "0 5\n" : second ? "4 10\n" : "\n");
    }
    static const uint32_t item[] = {0, 5, 10, 4}, count[] = {3, 3};
    static const uint64_t offset[] = {0, 2, 4};
    const spk_pattern_columns patterns = {2, 5, offset, item, count};
    spk_windows *windows;
    uint8_t keep[2];
    assert_int_equal(
        spk_windows_parse_transactions(NULL, "text", text, strlen(text), 3, 5, &windows), SPK_OK);
    assert_int_equal(spk_pattern_reduce(NULL, windows, &patterns, NULL, keep), SPK_OK);
    assert_true(keep[0] == 1 && keep[1] == 1);
    spk_windows_free(windows);
}

/* The same spikes in one trial and in two: no shift leads from one trial into the next. */
static void trials_are_apart(void **state)
{
    (void)state;
    enum { N = 30 };
    static int64_t time[N];
    static uint32_t unit[N];
    for (int k = 0; k < N; k++) {
        time[k] = 10 * (k / 3) + k % 3; /* 0 1 2, 10 11 12, ... */
        unit[k] = (uint32_t)(k % 3);
    }
    static spk_segment trial[20];
    for (int t = 0; t < 10; t++) {
        trial[2 * t] = (spk_segment){10 * t, 10 * t + 1};
        trial[2 * t + 1] = (spk_segment){10 * t + 1, 10 * t + 9};
    }
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = N, source.time = time, source.unit = unit, source.n_units = 3;
    source.rate = (spk_rate){1000, 1};
    spk_recording *recording;
    assert_int_equal(spk_recording_create(NULL, &source, &recording), SPK_OK);
    /* 0@0 1@1 and 1@0 2@1 share unit 1 at a shift of 1 */
    static const uint32_t item[] = {0, 5, 4, 9}, count[] = {10, 10};
    static const uint64_t offset[] = {0, 2, 4};
    const spk_pattern_columns patterns = {2, 4, offset, item, count};
    for (int parts = 1; parts <= 2; parts++) {
        spk_window_options options;
        spk_window_options_init(&options, sizeof options);
        options.bin = (spk_duration){1, -3};
        options.window = 4;
        options.trials = parts == 1 ? NULL : trial;
        options.n_trials = parts == 1 ? 0 : 20;
        spk_windows *windows;
        uint8_t keep[2];
        assert_int_equal(spk_windows_create(NULL, recording, &options, &windows), SPK_OK);
        assert_int_equal(spk_pattern_reduce(NULL, windows, &patterns, NULL, keep), SPK_OK);
        assert_int_equal(keep[0], 1);
        assert_int_equal(keep[1], parts == 2);
        spk_windows_free(windows);
    }
    spk_recording_free(recording);
}

static void supports_of_sizes(void **state)
{
    (void)state;
    static const char text[] = "0 1 2\n0 1 2\n0 1 2\n0 1\n0 1\n";
    static const uint32_t item[] = {0, 1, 2, 0, 1}, count[] = {3, 5};
    static const uint64_t offset[] = {0, 3, 5};
    const spk_pattern_columns patterns = {2, 1, offset, item, count};
    spk_pattern_supports supports = {.n = 3};
    supports.at_size[2] = 2, supports.at_size[3] = 2;
    spk_reduce_options options;
    spk_reduce_options_init(&options, sizeof options);
    options.supports = &supports, options.k = 2;
    spk_windows *windows;
    uint8_t keep[2];
    assert_int_equal(
        spk_windows_parse_transactions(NULL, "text", text, sizeof text - 1, 3, 1, &windows),
        SPK_OK);
    /* 5 - 3 = 2 occurrences of their own reach the support of pairs; 3 would not */
    assert_int_equal(spk_pattern_reduce(NULL, windows, &patterns, &options, keep), SPK_OK);
    assert_true(keep[0] == 1 && keep[1] == 1);
    supports.at_size[2] = 3;
    assert_int_equal(spk_pattern_reduce(NULL, windows, &patterns, &options, keep), SPK_OK);
    assert_true(keep[0] == 1 && keep[1] == 0);
    const spk_pattern_columns other = {2, 3, offset, item, count};
    assert_int_equal(spk_pattern_reduce(NULL, windows, &other, &options, keep), SPK_ERR_ARGUMENT);
    const spk_pattern_columns nothing = {0, 1, offset, item, count};
    assert_int_equal(spk_pattern_reduce(NULL, windows, &nothing, &options, keep), SPK_OK);
    spk_windows_free(windows);
}

/* ---- stability ------------------------------------------------------------------------------- */

/* Both shares by looking at all parts, all windows and all items. */
static void look_at_all_parts(const job *j, uint64_t i, double *intensional, double *extensional)
{
    const uint32_t *item = j->patterns.item + j->patterns.offset[i];
    const uint32_t z = size_of(j, i);
    uint32_t at[MAX_BINS], c = 0, good = 0;
    for (uint32_t b = 0; b < j->n_bins; b++)
        if (j->occurs[i][b])
            at[c++] = b;
    for (uint32_t part = 0; part < 1u << z; part++) {
        uint32_t n = 0;
        for (uint32_t b = 0; b < j->n_bins; b++) {
            bool all = true;
            for (uint32_t k = 0; k < z; k++)
                all = all &&
                      (!(part >> k & 1) || j->fires[b + item[k] % j->window][item[k] / j->window]);
            n += all;
        }
        good += n == c;
    }
    *intensional = (double)good / (double)(1u << z);
    good = 0;
    for (uint32_t part = 0; part < 1u << c; part++) {
        uint32_t n = 0;
        for (uint32_t x = 0; x < j->n_units * j->window; x++) {
            bool all = true;
            for (uint32_t k = 0; k < c; k++)
                all = all && (!(part >> k & 1) || j->fires[at[k] + x % j->window][x / j->window]);
            n += all;
        }
        good += n == z;
    }
    *extensional = (double)good / (double)(1u << c);
}

static void stability_of_all_parts(void **state)
{
    (void)state;
    static job j;
    uint64_t seed = test_seed("stability"), n_looked = 0;
    double inside = 0;
    for (uint64_t round = 0; n_looked < test_scaled(300); round++) {
        test_random random = test_random_make(seed, round);
        if (make_job(&random, &j)) {
            double intensional[MAX_PATTERNS], extensional[MAX_PATTERNS], x, y;
            spk_stability_options options;
            spk_stability_options_init(&options, sizeof options);
            options.n_subsets = 1 << 8;
            assert_int_equal(spk_pattern_stability(NULL, j.windows, &j.patterns, &options,
                                                   intensional, extensional),
                             SPK_OK);
            for (uint64_t i = 0; i < j.patterns.n; i++)
                if (size_of(&j, i) <= 8 && j.patterns.count[i] <= 8) {
                    look_at_all_parts(&j, i, &x, &y);
                    assert_true(intensional[i] == x && extensional[i] == y);
                    inside += x > 0 && x < 1 && y > 0 && y < 1;
                    n_looked++;
                }
        }
        free_job(&j);
    }
    assert_true(4 * inside > (double)n_looked);
}

/* Random parts: within the promised error of the true share, by the seed alone, and for each
 * pattern by itself. */
static void stability_of_random_parts(void **state)
{
    (void)state;
    static job j;
    uint64_t seed = test_seed("random parts"), n_compared = 0, n_far = 0;
    for (uint64_t round = 0; n_compared < test_scaled(300); round++) {
        test_random random = test_random_make(seed, round);
        if (make_job(&random, &j)) {
            double all[2][MAX_PATTERNS], some[2][MAX_PATTERNS], again[MAX_PATTERNS], one;
            double by_three[2][MAX_PATTERNS];
            spk_stability_options options;
            spk_stability_options_init(&options, sizeof options);
            options.n_subsets = 1 << 14;
            assert_int_equal(
                spk_pattern_stability(NULL, j.windows, &j.patterns, &options, all[0], all[1]),
                SPK_OK);
            options.n_subsets = 0, options.epsilon = 0.1, options.delta = 0.1;
            options.seed = round;
            assert_int_equal(
                spk_pattern_stability(NULL, j.windows, &j.patterns, &options, some[0], some[1]),
                SPK_OK);
            assert_int_equal(
                spk_pattern_stability(NULL, j.windows, &j.patterns, &options, NULL, again), SPK_OK);
            spk_context_set_threads(context, 3);
            assert_int_equal(spk_pattern_stability(context, j.windows, &j.patterns, &options,
                                                   by_three[0], by_three[1]),
                             SPK_OK);
            spk_context_set_threads(context, 1);
            for (uint64_t i = 0; i < j.patterns.n; i++) {
                assert_true(by_three[0][i] == some[0][i] && by_three[1][i] == some[1][i]);
                const spk_pattern_columns alone = {1, j.window, j.patterns.offset + i,
                                                   j.patterns.item, j.patterns.count + i};
                assert_true(again[i] == some[1][i]);
                assert_int_equal(
                    spk_pattern_stability(NULL, j.windows, &alone, &options, &one, NULL), SPK_OK);
                assert_true(one == some[0][i]);
                if (j.patterns.count[i] > 14)
                    continue;
                n_compared++;
                n_far += fabs(some[1][i] - all[1][i]) > options.epsilon;
            }
        }
        free_job(&j);
    }
    assert_true(n_far <= 1 + n_compared / 10); /* delta; a hundredth is usual */
}

/* ln(2 / 0.05) / (2 * 0.05^2) + 1 = 738.8 parts: a share of 739. */
static void number_of_parts(void **state)
{
    (void)state;
    static job j;
    test_random random = test_random_make(5, 5);
    double x;
    j.n_bins = 60, j.n_units = 2, j.window = 2;
    for (uint32_t b = 0; b < j.n_bins; b++)
        j.fires[b][0] = b % 2 == 0, j.fires[b][1] = b % 2 == 0 && test_random_chance(&random, 0.5);
    fill_windows(&j);
    make_windows(&j);
    static const uint32_t item[] = {0, 2}, count[] = {1};
    static const uint64_t offset[] = {0, 2};
    const spk_pattern_columns patterns = {1, 2, offset, item, count};
    assert_int_equal(spk_pattern_stability(NULL, j.windows, &patterns, NULL, NULL, &x), SPK_OK);
    assert_true(fabs(x * 739 - rint(x * 739)) < 1e-9 && x > 0.9);
    spk_stability_options options;
    spk_stability_options_init(&options, sizeof options);
    static const double wrong[] = {0, 1, -1, NAN};
    for (int k = 0; k < 4; k++) {
        options.epsilon = wrong[k], options.delta = 0.1;
        assert_int_equal(spk_pattern_stability(NULL, j.windows, &patterns, &options, NULL, &x),
                         SPK_ERR_ARGUMENT);
        options.epsilon = 0.1, options.delta = wrong[k];
        assert_int_equal(spk_pattern_stability(NULL, j.windows, &patterns, &options, NULL, &x),
                         SPK_ERR_ARGUMENT);
    }
    options.n_subsets = UINT64_MAX;
    assert_int_equal(spk_pattern_stability(NULL, j.windows, &patterns, &options, NULL, &x),
                     SPK_ERR_RANGE);
    spk_windows_free(j.windows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduction_is_one_pass_over_all_pairs),
        cmocka_unit_test(lags_are_shifted),
        cmocka_unit_test(trials_are_apart),
        cmocka_unit_test(supports_of_sizes),
        cmocka_unit_test(stability_of_all_parts),
        cmocka_unit_test(stability_of_random_parts),
        cmocka_unit_test(number_of_parts),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
