/*
 * The published test: corrections against constants of statsmodels, p-values and verdicts against
 * the definitions, written here a second time without any index.
 */
#include "base/random.h"
#include "support/statsmodels.h"
#include "support/test.h"

/* ---- portable functions ---------------------------------------------------------------------- */

static void near(double is, double wanted, double relative)
{
    if (!(fabs(is - wanted) <= relative * fabs(wanted)))
        fail_msg("%.17g, wanted %.17g", is, wanted);
}

static void portable_functions(void **state)
{
    (void)state;
    for (double x = 1e-300; x < 1; x *= 1.7) {
        near(spk_portable_log1p(-x), log1p(-x), 4e-15);
        near(spk_portable_log1p(x), log1p(x), 4e-15);
        near(spk_portable_expm1(-x), expm1(-x), 4e-15);
        near(spk_portable_expm1(-60 * x), expm1(-60 * x), 4e-15);
        near(spk_portable_root(x, 17), pow(x, 1.0 / 17), 2e-14);
    }
    assert_true(spk_portable_log1p(-1) == -INFINITY);
    assert_true(spk_portable_expm1(-INFINITY) == -1);
    assert_true(spk_portable_root(0.95, 1) == 0.95 && spk_portable_root(0, 3) == 0);
}

/* ---- corrections ----------------------------------------------------------------------------- */

static void correction_constants(void **state)
{
    (void)state;
    const size_t n_cases = sizeof statsmodels_cases / sizeof *statsmodels_cases;
    uint8_t rejected[12];
    double corrected[12];
    for (size_t c = 0; c < n_cases; c++)
        for (size_t m = 0; m < STATSMODELS_METHODS; m++) {
            const statsmodels_case *this = &statsmodels_cases[c];
            assert_int_equal(spk_correct(NULL, spk_correction_name(m), this->alpha, this->n,
                                         this->p, rejected, corrected),
                             SPK_OK);
            for (unsigned i = 0; i < this->n; i++) {
                assert_int_equal(rejected[i], this->method[m].rejected[i] == '1');
                near(corrected[i], this->method[m].corrected[i], 1e-12);
            }
        }
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void thousands(void **state)
{
    (void)state;
    enum { N = 3000 };
    static const unsigned rank[] = {0, 7, 40, 300};
    static double p[N], corrected[N];
    static uint8_t rejected[N];
    for (unsigned i = 0; i < N; i++) {
        double x = (double)((i * 7919 + 13) % 10007) / 10007;
        p[i] = x * x * x;
    }
    for (size_t m = 0; m < STATSMODELS_METHODS; m++) {
        assert_int_equal(spk_correct(NULL, spk_correction_name(m), 0.05, N, p, rejected, corrected),
                         SPK_OK);
        unsigned n_rejected = 0;
        for (unsigned i = 0; i < N; i++)
            n_rejected += rejected[i];
        assert_int_equal(n_rejected, statsmodels_thousands[m].rejected);
        qsort(corrected, N, sizeof *corrected, compare_doubles);
        for (size_t k = 0; k < 4; k++)
            near(corrected[rank[k]], statsmodels_thousands[m].corrected[k], 1e-12);
    }
}

/* Wright's algorithm as it was published: every number of true hypotheses, every p-value. */
static void hommel_in_full(uint64_t n, const double *p, double *corrected)
{
    memcpy(corrected, p, n * sizeof *p);
    for (uint64_t m = n; m > 1; m--) {
        const double *last = p + (n - m);
        double simes = INFINITY;
        for (uint64_t i = 0; i < m; i++)
            simes = fmin(simes, (double)m * last[i] / (double)(i + 1));
        for (uint64_t i = 0; i < n; i++) {
            double here = i >= n - m ? simes : fmin((double)m * p[i], simes);
            corrected[i] = fmin(fmax(corrected[i], here), 1);
        }
    }
}

/* To the last bit, also where many p-values are equal or on a line; and many of them at once. */
static void hommel_is_that_of_a_full_pass(void **state)
{
    (void)state;
    enum { MOST = 80, MANY = 300000 };
    const uint64_t n_many = test_scaled_from(MANY, 60000);
    static double many[MANY];
    static uint8_t rejected[MANY];
    uint64_t seed = test_seed("hommel");
    for (uint64_t round = 0; round < test_scaled(4000); round++) {
        test_random random = test_random_make(seed, round);
        const uint64_t n = 1 + test_random_below(&random, MOST),
                       steps = 1 + test_random_below(&random, 200);
        double p[MOST], wanted[MOST], corrected[MOST], last = 0;
        for (uint64_t i = 0; i < n; i++) {
            double u = test_random_real(&random);
            last += round % 4 == 0   ? u * u * u / (double)n
                    : round % 4 == 1 ? 1.0 / (double)(n + steps)
                                     : 0;
            p[i] = round % 4 < 2    ? last
                   : round % 4 == 2 ? (double)((i + 1) * steps / n) / (double)(steps + 1)
                                    : (double)(i * i) / (double)(n * n);
        }
        hommel_in_full(n, p, wanted);
        assert_int_equal(spk_correct(NULL, "hommel", 0.05, n, p, rejected, corrected), SPK_OK);
        for (uint64_t i = 0; i < n; i++) {
            assert_true(corrected[i] == wanted[i]);
            assert_int_equal(rejected[i], wanted[i] <= 0.05);
        }
    }
    for (uint64_t i = 0; i < n_many; i++)
        many[i] = (double)(1 + i * i % 5003) / 5004;
    assert_int_equal(spk_correct(NULL, "hommel", 0.05, n_many, many, rejected, NULL), SPK_OK);
}

static void correction_names(void **state)
{
    (void)state;
    static const double p[] = {0.04, 0.06};
    uint8_t rejected[2];
    double corrected[2];
    assert_int_equal(spk_correction_count(), STATSMODELS_METHODS + 1);
    assert_string_equal(spk_correction_name(6), "fdr-bh");
    assert_string_equal(spk_correction_name(10), "none");
    assert_non_null(spk_correction_summary(10));
    assert_null(spk_correction_name(11));
    assert_null(spk_correction_summary(11));
    assert_int_equal(spk_correct(NULL, "none", 0.05, 2, p, rejected, corrected), SPK_OK);
    assert_true(rejected[0] == 1 && rejected[1] == 0 && corrected[1] == 0.06);
    assert_int_equal(spk_correct(NULL, "holm_sidak", 0.05, 2, p, rejected, NULL), SPK_OK);
    assert_int_equal(spk_correct(NULL, "holm-sida", 0.05, 2, p, rejected, NULL), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_correct(NULL, "holm", 0.05, 0, NULL, NULL, NULL), SPK_OK);
}

static void correction_errors(void **state)
{
    (void)state;
    static const double bad[] = {0.1, -0.1, 1.1, NAN};
    const double good = 0.1;
    uint8_t rejected[4];
    for (size_t k = 1; k < 4; k++) {
        assert_int_equal(spk_correct(NULL, "holm", 0.05, 1, &bad[k], rejected, NULL),
                         SPK_ERR_ARGUMENT);
        assert_int_equal(spk_correct(NULL, "holm", bad[k], 1, &good, rejected, NULL),
                         SPK_ERR_ARGUMENT);
    }
}

/* ---- surrogates ------------------------------------------------------------------------------ */

enum { MAX_SURROGATES = 40, SIZES = 7, DURATIONS = 4, MAX_STEPS = SIZES * DURATIONS };

/* The largest counts of random surrogates, as a table and as columns. */
typedef struct surrogates {
    uint32_t table[MAX_SURROGATES][DURATIONS][SIZES + 1]; /* the M_k(size) */
    uint64_t number[MAX_SURROGATES];
    uint64_t first[MAX_SURROGATES + 1];
    spk_pattern_maximum maximum[MAX_SURROGATES * MAX_STEPS];
    spk_maxima_columns columns;
} surrogates;

static void make_surrogates(test_random *random, surrogates *s, uint32_t scale)
{
    memset(s, 0, sizeof *s);
    s->columns = (spk_maxima_columns){.n = 1 + test_random_below(random, MAX_SURROGATES),
                                      .by_duration = test_random_chance(random, 0.5),
                                      .surrogate = s->number,
                                      .first = s->first,
                                      .maximum = s->maximum};
    uint64_t at = 0;
    for (uint64_t k = 0; k < s->columns.n; k++) {
        s->number[k] = k + 1;
        for (uint32_t d = 0; d < (s->columns.by_duration ? DURATIONS : 1); d++) {
            uint32_t(*row) = s->table[k][d];
            for (uint32_t size = SIZES; size-- > 0;) {
                bool more = test_random_chance(random, 0.4);
                row[size] = row[size + 1] + (more ? (uint32_t)test_random_below(random, scale) : 0);
            }
            for (uint32_t size = 0; size < SIZES; size++)
                if (row[size] > row[size + 1])
                    s->maximum[at++] = (spk_pattern_maximum){size, d, row[size]};
        }
        s->first[k + 1] = at;
    }
}

static uint64_t n_reaching(const surrogates *s, uint32_t size, uint32_t duration, uint64_t count)
{
    uint64_t n = 0;
    for (uint64_t k = 0; k < s->columns.n; k++)
        n += s->table[k][duration][size] >= count;
    return n;
}

static void pvalues_are_shares(void **state)
{
    (void)state;
    static surrogates s;
    uint64_t seed = test_seed("p-values");
    for (uint64_t round = 0; round < test_scaled(500); round++) {
        test_random random = test_random_make(seed, round);
        make_surrogates(&random, &s, 9);
        spk_pvalue_options options;
        spk_pvalue_options_init(&options, sizeof options);
        assert_int_equal(options.min_spikes, 2);
        assert_int_equal(options.support, 2);
        options.support = test_random_below(&random, 5);
        options.published = test_random_chance(&random, 0.5);
        spk_pvalue *list;
        uint64_t n, at = 0;
        assert_int_equal(spk_pvalue_spectrum(NULL, &s.columns, &options, &list, &n), SPK_OK);
        for (uint32_t size = 2; size < SIZES; size++)
            for (uint32_t d = 0; d < DURATIONS; d++)
                for (uint64_t c = options.support > 0 ? options.support : 1;
                     n_reaching(&s, size, d, c) > 0; c++, at++) {
                    assert_true(at < n);
                    assert_int_equal(list[at].size, size);
                    assert_int_equal(list[at].duration, d);
                    assert_int_equal(list[at].count, c);
                    assert_int_equal(list[at].n_above, n_reaching(&s, size, d, c));
                    double above = (double)list[at].n_above;
                    assert_true(list[at].p == (above + 1) / (double)(s.columns.n + 1));
                    assert_true(list[at].p_published == above / (double)s.columns.n);
                }
        assert_int_equal(at, n);
        free(list);
    }
}

static void supports_begin_the_spectrum(void **state)
{
    (void)state;
    static const spk_pattern_maximum steps[] = {{3, 0, 9}, {5, 0, 4}};
    static const uint64_t number = 1, first[] = {0, 2};
    const spk_maxima_columns maxima = {1, false, &number, first, steps};
    spk_pattern_supports supports = {.n = 3};
    supports.at_size[2] = 8, supports.at_size[3] = 4;
    spk_pvalue_options options;
    spk_pvalue_options_init(&options, sizeof options);
    options.supports = &supports;
    spk_pvalue *list;
    uint64_t n;
    assert_int_equal(spk_pvalue_spectrum(NULL, &maxima, &options, &list, &n), SPK_OK);
    /* size 2: 8, 9; size 3: 4 .. 9; sizes 4 and 5: 4 */
    assert_int_equal(n, 10);
    assert_true(list[1].size == 2 && list[1].count == 9 && list[9].size == 5 && list[9].count == 4);
    assert_true(list[0].p == 1 && list[0].p_published == 1);
    free(list);
}

/* ---- the test of signatures ------------------------------------------------------------------ */

enum { MAX_OBSERVED = 60 };

/* Distinct entries in the spectrum's order. */
static uint64_t make_observed(test_random *random, const surrogates *s, spk_spectrum_entry *out)
{
    uint64_t n = 0;
    for (uint32_t size = 2; size <= SIZES; size++)
        for (uint32_t count = 2; count < 14; count++)
            for (uint32_t d = 0; d < (s->columns.by_duration ? DURATIONS : 1); d++)
                if (n < MAX_OBSERVED && test_random_chance(random, 0.3)) {
                    out[n] = (spk_spectrum_entry){size, count, d, 1 + n};
                    n++;
                }
    return n;
}

static const char *random_correction(test_random *random)
{
    return spk_correction_name(test_random_below(random, spk_correction_count()));
}

static void every_observed_signature_is_tested(void **state)
{
    (void)state;
    static surrogates s;
    uint64_t seed = test_seed("signatures");
    for (uint64_t round = 0; round < test_scaled(500); round++) {
        test_random random = test_random_make(seed, round);
        spk_spectrum_entry observed[MAX_OBSERVED];
        spk_signature out[MAX_OBSERVED];
        double p[MAX_OBSERVED], corrected[MAX_OBSERVED];
        uint8_t rejected[MAX_OBSERVED];
        make_surrogates(&random, &s, 6);
        uint64_t n = make_observed(&random, &s, observed);
        spk_signature_options options;
        spk_signature_options_init(&options, sizeof options);
        options.alpha = 0.3;
        options.correction = random_correction(&random);
        assert_int_equal(spk_signatures_test(NULL, &s.columns, observed, n, &options, out), SPK_OK);
        for (uint64_t i = 0; i < n; i++)
            p[i] = (double)(1 + n_reaching(&s, observed[i].size, observed[i].duration,
                                           observed[i].count)) /
                   (double)(1 + s.columns.n);
        assert_int_equal(spk_correct(NULL, options.correction, 0.3, n, p, rejected, corrected),
                         SPK_OK);
        for (uint64_t i = 0; i < n; i++) {
            assert_true(out[i].tested && out[i].p == p[i]);
            assert_int_equal(out[i].n_patterns, observed[i].n_patterns);
            assert_int_equal(out[i].significant, rejected[i]);
            assert_true(out[i].p_corrected == corrected[i]);
            assert_ptr_equal(&out[i], spk_signature_find(out, n, observed[i].size,
                                                         observed[i].count, observed[i].duration));
        }
        assert_null(spk_signature_find(out, n, 2, 99, 0));
    }
}

/* Elephant 1.2.1's rule on a list of p-values, entry after entry as its loop goes. */
static void published_rule(const surrogates *s, const spk_spectrum_entry *observed, uint64_t n,
                           double alpha, const char *correction, bool *tested, bool *significant)
{
    spk_pvalue *list;
    uint64_t length;
    assert_int_equal(spk_pvalue_spectrum(NULL, &s->columns, NULL, &list, &length), SPK_OK);
    uint64_t *place = calloc(length + 1, sizeof *place); /* 1 + the observed one */
    bool *mask = calloc(length + 1, sizeof *mask);
    double p[MAX_OBSERVED];
    uint8_t rejected[MAX_OBSERVED];
    for (uint64_t i = 0; i < length; i++) {
        for (uint64_t k = 0; k < n; k++)
            if (observed[k].size == list[i].size && observed[k].count == list[i].count &&
                observed[k].duration == list[i].duration)
                place[i] = k + 1;
        if (place[i] == 0 || list[i].n_above == s->columns.n)
            continue;
        mask[i] = true;
        uint64_t before = i > 0 ? i - 1 : length - 1;
        if (mask[before] && list[before].size == list[i].size &&
            list[before].duration == list[i].duration)
            mask[before] = false;
    }
    uint64_t m = 0;
    for (uint64_t i = 0; i < length; i++)
        if (mask[i])
            p[m++] = list[i].p_published;
    assert_int_equal(spk_correct(NULL, correction, alpha, m, p, rejected, NULL), SPK_OK);
    for (uint64_t k = 0; k < n; k++)
        tested[k] = false, significant[k] = true;
    m = 0;
    for (uint64_t i = 0; i < length; i++) {
        bool yes = mask[i] && rejected[m] != 0;
        m += mask[i];
        if (place[i] > 0)
            tested[place[i] - 1] = mask[i], significant[place[i] - 1] = yes;
    }
    free(place);
    free(mask);
    free(list);
}

static void the_published_rule(void **state)
{
    (void)state;
    static surrogates s;
    uint64_t seed = test_seed("the published rule");
    for (uint64_t round = 0; round < test_scaled(2000); round++) {
        test_random random = test_random_make(seed, round);
        spk_spectrum_entry observed[MAX_OBSERVED];
        spk_signature out[MAX_OBSERVED];
        bool tested[MAX_OBSERVED], significant[MAX_OBSERVED];
        make_surrogates(&random, &s, test_random_chance(&random, 0.2) ? 2 : 6);
        uint64_t n = make_observed(&random, &s, observed);
        spk_signature_options options;
        spk_signature_options_init(&options, sizeof options);
        options.alpha = 0.3;
        options.correction = random_correction(&random);
        options.published = true;
        assert_int_equal(spk_signatures_test(NULL, &s.columns, observed, n, &options, out), SPK_OK);
        published_rule(&s, observed, n, 0.3, options.correction, tested, significant);
        for (uint64_t i = 0; i < n; i++) {
            assert_int_equal(out[i].tested, tested[i]);
            assert_int_equal(out[i].significant, significant[i]);
            if (!tested[i])
                assert_true(out[i].p_corrected == (significant[i] ? 0 : 1));
        }
    }
}

/* 100 surrogates with patterns of 3 spikes: the last one reaches the count `most`, the others
 * `usual`. */
typedef struct hundred {
    uint64_t number[100];
    uint64_t first[101];
    spk_pattern_maximum maximum[100];
    spk_maxima_columns columns;
} hundred;

static void make_hundred(hundred *h, uint32_t usual, uint32_t most)
{
    h->first[0] = 0;
    for (uint64_t k = 0; k < 100; k++) {
        h->number[k] = k + 1;
        h->first[k + 1] = k + 1;
        h->maximum[k] = (spk_pattern_maximum){3, 0, k == 99 ? most : usual};
    }
    h->columns = (spk_maxima_columns){100, false, h->number, h->first, h->maximum};
}

/* Row 2: an observed signature is not significant to Elephant as soon as the next count is observed
 * too. Row 4: p is 0 from few surrogates. */
static void neighbours_and_zeros(void **state)
{
    (void)state;
    static hundred h;
    static const spk_spectrum_entry alone[] = {{3, 5, 0, 1}, {3, 7, 0, 1}, {3, 9, 0, 1}};
    static const spk_spectrum_entry beside[] = {{3, 5, 0, 1}, {3, 6, 0, 1}, {3, 9, 0, 1}};
    spk_signature out[3];
    make_hundred(&h, 2, 7);
    spk_signature_options options;
    spk_signature_options_init(&options, sizeof options);
    for (int published = 0; published <= 1; published++) {
        options.published = published != 0;
        assert_int_equal(spk_signatures_test(NULL, &h.columns, alone, 3, &options, out), SPK_OK);
        assert_true(out[0].significant && out[1].significant && out[2].significant);
        assert_true(out[0].p_published == 0.01 && out[0].p == 2.0 / 101);
        assert_true(out[2].p_published == 0 && out[2].p == 1.0 / 101);
        assert_int_equal(out[2].tested, published == 0);
        assert_int_equal(spk_signatures_test(NULL, &h.columns, beside, 3, &options, out), SPK_OK);
        assert_int_equal(out[0].significant, published == 0);
        assert_true(out[1].significant);
    }
}

/* Row 3: largest counts over 32,765 empty Elephant's spectrum (16 bits), so that p is 0. */
static void large_counts(void **state)
{
    (void)state;
    static hundred h;
    static const spk_spectrum_entry observed = {3, 30000, 0, 1};
    spk_signature_options options;
    spk_pvalue_options listed;
    spk_signature_options_init(&options, sizeof options);
    spk_pvalue_options_init(&listed, sizeof listed);
    for (uint32_t most = 32765; most <= 32766; most++)
        for (int published = 0; published <= 1; published++) {
            spk_signature out;
            spk_pvalue *list;
            uint64_t n;
            bool empty = published && most > 32765;
            make_hundred(&h, 31000, most);
            options.published = listed.published = published != 0;
            assert_int_equal(spk_signatures_test(NULL, &h.columns, &observed, 1, &options, &out),
                             SPK_OK);
            assert_int_equal(out.n_above, empty ? 0 : 100);
            assert_int_equal(out.significant, empty);
            assert_int_equal(spk_pvalue_spectrum(NULL, &h.columns, &listed, &list, &n), SPK_OK);
            assert_int_equal(n, empty ? 0 : 2 * (most - 1));
            free(list);
        }
}

static void published_level_one(void **state)
{
    (void)state;
    static hundred h;
    static const spk_spectrum_entry observed[] = {{3, 2, 0, 1}, {3, 3, 0, 1}};
    spk_signature out[2];
    make_hundred(&h, 2, 7);
    spk_signature_options options;
    spk_signature_options_init(&options, sizeof options);
    options.alpha = 1;
    options.published = true;
    assert_int_equal(spk_signatures_test(NULL, &h.columns, observed, 2, &options, out), SPK_OK);
    assert_true(out[0].significant && out[1].significant);
}

static void wrong_surrogates(void **state)
{
    (void)state;
    static const uint64_t number[] = {1}, two[] = {0, 2};
    static const spk_pattern_maximum wrong[][2] = {
        {{3, 0, 5}, {2, 0, 6}}, {{2, 0, 5}, {3, 0, 5}}, {{2, 1, 5}, {3, 0, 4}}};
    static const spk_pattern_maximum durations[] = {{2, 0, 5}, {2, 1, 4}};
    static const spk_spectrum_entry twice[] = {{3, 5, 0, 1}, {3, 5, 0, 1}};
    spk_signature out[2];
    spk_pvalue *list;
    uint64_t n;
    const spk_maxima_columns nobody = {0, false, number, two, durations};
    assert_int_equal(spk_signatures_test(NULL, &nobody, twice, 1, NULL, out), SPK_ERR_ARGUMENT);
    assert_int_equal(spk_pvalue_spectrum(NULL, &nobody, NULL, &list, &n), SPK_ERR_ARGUMENT);
    assert_null(list);
    for (size_t k = 0; k < 3; k++) {
        const spk_maxima_columns maxima = {1, true, number, two, wrong[k]};
        assert_int_equal(spk_signatures_test(NULL, &maxima, twice, 1, NULL, out), SPK_ERR_ARGUMENT);
    }
    spk_maxima_columns maxima = {1, false, number, two, durations};
    assert_int_equal(spk_signatures_test(NULL, &maxima, twice, 1, NULL, out), SPK_ERR_ARGUMENT);
    maxima.by_duration = true;
    assert_int_equal(spk_signatures_test(NULL, &maxima, twice, 1, NULL, out), SPK_OK);
    assert_int_equal(spk_signatures_test(NULL, &maxima, twice, 2, NULL, out), SPK_ERR_ARGUMENT);
    spk_signature_options options;
    spk_signature_options_init(&options, sizeof options);
    options.correction = "by hand";
    assert_int_equal(spk_signatures_test(NULL, &maxima, twice, 1, &options, out), SPK_ERR_ARGUMENT);
}

/* ---- the filter ------------------------------------------------------------------------------ */

static void filter(void **state)
{
    (void)state;
    /* windows of 5: a pair with duration 2, a triple with duration 4, a pair with duration 2 */
    static const uint32_t item[] = {0, 7, 0, 5, 9, 5, 12}, count[] = {6, 6, 7};
    static const uint64_t offset[] = {0, 2, 5, 7};
    const spk_pattern_columns patterns = {3, 5, offset, item, count};
    spk_signature signatures[] = {{2, 6, 2, .significant = true}, {2, 7, 2}, {3, 6, 4}};
    uint8_t keep[3];
    assert_int_equal(spk_pattern_spectrum_filter(NULL, &patterns, signatures, 3, true, keep),
                     SPK_OK);
    assert_true(keep[0] == 1 && keep[1] == 0 && keep[2] == 0);
    assert_int_equal(spk_pattern_spectrum_filter(NULL, &patterns, signatures, 3, false, keep),
                     SPK_ERR_ARGUMENT);
    for (int k = 0; k < 3; k++)
        signatures[k].duration = 0, signatures[k].significant = k > 0;
    assert_int_equal(spk_pattern_spectrum_filter(NULL, &patterns, signatures, 3, false, keep),
                     SPK_OK);
    assert_true(keep[0] == 0 && keep[1] == 1 && keep[2] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portable_functions),
        cmocka_unit_test(correction_constants),
        cmocka_unit_test(thousands),
        cmocka_unit_test(hommel_is_that_of_a_full_pass),
        cmocka_unit_test(correction_names),
        cmocka_unit_test(correction_errors),
        cmocka_unit_test(pvalues_are_shares),
        cmocka_unit_test(supports_begin_the_spectrum),
        cmocka_unit_test(every_observed_signature_is_tested),
        cmocka_unit_test(the_published_rule),
        cmocka_unit_test(neighbours_and_zeros),
        cmocka_unit_test(large_counts),
        cmocka_unit_test(published_level_one),
        cmocka_unit_test(wrong_surrogates),
        cmocka_unit_test(filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
