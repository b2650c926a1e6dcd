/*
 * Corrections for many tests, as multipletests of statsmodels computes them. Each method sees the
 * p-values in ascending order. In that order all of them reject a beginning.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/random.h"
#include "spikemine/significance.h"

/* Fills corrected[] and returns how many hypotheses, from the smallest p-value on, are rejected. */
typedef uint64_t correction_fn(double alpha, uint64_t n, const double *p, double *corrected);

/* ---- what methods share ---------------------------------------------------------------------- */

static void rise(uint64_t n, double *corrected)
{
    for (uint64_t i = 1; i < n; i++)
        corrected[i] = fmax(corrected[i], corrected[i - 1]);
}

static void fall_back(uint64_t n, double *corrected)
{
    for (uint64_t i = n - 1; i-- > 0;)
        corrected[i] = fmin(corrected[i], corrected[i + 1]);
}

static void cap(uint64_t n, double *corrected)
{
    for (uint64_t i = 0; i < n; i++)
        corrected[i] = fmin(corrected[i], 1);
}

/* Sidak's level for m tests, and what it makes of a p-value. */
static double sidak_level(double alpha, uint64_t m)
{
    return 1 - spk_portable_root(1 - alpha, m);
}

static double sidak_corrected(double p, uint64_t m)
{
    return 0 - spk_portable_expm1((double)m * spk_portable_log1p(-p));
}

/* ---- family-wise error rate ------------------------------------------------------------------ */

static uint64_t bonferroni(double alpha, uint64_t n, const double *p, double *corrected)
{
    double level = alpha / (double)n;
    uint64_t rejected = 0;
    for (uint64_t i = 0; i < n; i++) {
        rejected += p[i] <= level;
        corrected[i] = p[i] * (double)n;
    }
    return rejected;
}

static uint64_t sidak(double alpha, uint64_t n, const double *p, double *corrected)
{
    double level = sidak_level(alpha, n);
    uint64_t rejected = 0;
    for (uint64_t i = 0; i < n; i++) {
        rejected += p[i] <= level;
        corrected[i] = sidak_corrected(p[i], n);
    }
    return rejected;
}

static uint64_t holm_sidak(double alpha, uint64_t n, const double *p, double *corrected)
{
    uint64_t rejected = 0;
    while (rejected < n && p[rejected] <= sidak_level(alpha, n - rejected))
        rejected++;
    for (uint64_t i = 0; i < n; i++)
        corrected[i] = sidak_corrected(p[i], n - i);
    rise(n, corrected);
    return rejected;
}

static uint64_t holm(double alpha, uint64_t n, const double *p, double *corrected)
{
    uint64_t rejected = 0;
    while (rejected < n && p[rejected] <= alpha / (double)(n - rejected))
        rejected++;
    for (uint64_t i = 0; i < n; i++)
        corrected[i] = p[i] * (double)(n - i);
    rise(n, corrected);
    return rejected;
}

static uint64_t simes_hochberg(double alpha, uint64_t n, const double *p, double *corrected)
{
    uint64_t rejected = n;
    while (rejected > 0 && p[rejected - 1] > alpha / (double)(n - rejected + 1))
        rejected--;
    for (uint64_t i = 0; i < n; i++)
        corrected[i] = (double)(n - i) * p[i];
    fall_back(n, corrected);
    return rejected;
}

/* Hommel's test rejects what all closed tests of Simes reject. Wright (1992) takes each number m of
 * true hypotheses in turn, which is at least 2:
 *
 *     simes(m) = min over the last m p-values, p the i-th of them, of m * p / i
 *     corrected(p) = max over m of min(m * p, simes(m)), of simes(m) alone for the last m
 *
 * simes(m) / m is the smallest slope from (n - m, 0) to the points (rank, p) on its right: it
 * touches their lower hull, which gets one more point on the left with each m. And simes(m) may be
 * replaced by the largest from m on, which falls with m while m * p rises: the largest minimum is
 * where they cross. So n * log n steps do what n * n do. */
typedef struct hommel_room {
    double *simes;    /* n + 2 */
    uint64_t *corner; /* of the hull, from right to left; n */
} hommel_room;

/* Whether b is above the line from a to c, or on it up to rounding far to the safe side. */
static bool is_above(const double *p, uint64_t c, uint64_t b, uint64_t a)
{
    const double left = (p[b] - p[a]) * (double)(c - b), right = (p[c] - p[b]) * (double)(b - a);
    return left > right + 1e-9 * (fabs(left) + fabs(right));
}

/* Slopes from the left fall and then rise along the corners: the first one behind which they rise.
 * Neighbours with nearly the same slope are all looked at, so that rounding is as in a full pass.
 */
static double least_slope(const double *p, uint64_t m, uint64_t n, const uint64_t *corner,
                          uint64_t n_corners)
{
#define SIMES(c) ((double)m * p[corner[c]] / (double)(corner[c] - (n - m) + 1))
    spk_bisect s = {0, n_corners - 1}; /* corner[0] is the rightmost */
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, SIMES(s.middle) > SIMES(s.middle + 1));
    double least = SIMES(s.low);
    const double near = least * (1 + 1e-7);
    for (uint64_t c = s.low; c-- > 0 && least > 0 && SIMES(c) <= near;)
        least = fmin(least, SIMES(c));
    for (uint64_t c = s.low + 1; c < n_corners && least > 0 && SIMES(c) <= near; c++)
        least = fmin(least, SIMES(c));
    return least;
#undef SIMES
}

static void find_simes(uint64_t n, const double *p, const hommel_room *room)
{
    uint64_t n_corners = 0;
    for (uint64_t m = 1; m <= n; m++) {
        const uint64_t here = n - m;
        while (n_corners > 1 &&
               is_above(p, room->corner[n_corners - 2], room->corner[n_corners - 1], here))
            n_corners--;
        room->corner[n_corners++] = here;
        room->simes[m] = least_slope(p, m, n, room->corner, n_corners);
    }
    room->simes[n + 1] = 0;
    for (uint64_t m = n; m-- > 2;)
        room->simes[m] = fmax(room->simes[m], room->simes[m + 1]);
}

static uint64_t hommel(double alpha, uint64_t n, const double *p, double *corrected,
                       const hommel_room *room)
{
    find_simes(n, p, room);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t last = n - i; /* p[i] is one of the last m from here on */
        uint64_t low = 1, high = last > 1 ? last - 1 : 1;
        while (low < high) {
            const uint64_t middle = high - (high - low) / 2;
            if ((double)middle * p[i] <= room->simes[middle])
                low = middle;
            else
                high = middle - 1;
        }
        corrected[i] = p[i];
        if (low >= 2)
            corrected[i] = fmax(corrected[i], fmin((double)low * p[i], room->simes[low]));
        if (low + 1 <= n)
            corrected[i] = fmax(corrected[i], room->simes[low + 1]);
    }
    uint64_t rejected = 0;
    while (rejected < n && corrected[rejected] <= alpha)
        rejected++;
    return rejected;
}

/* ---- false discovery rate -------------------------------------------------------------------- */

/* Step-up by levels i * alpha / (n * factor). */
static uint64_t step_up(double alpha, double factor, uint64_t n, const double *p, double *corrected)
{
    uint64_t rejected = 0;
    for (uint64_t i = 0; i < n; i++) {
        double share = (double)(i + 1) / (double)n / factor;
        if (p[i] <= share * alpha)
            rejected = i + 1;
        corrected[i] = p[i] / share;
    }
    fall_back(n, corrected);
    cap(n, corrected);
    return rejected;
}

static uint64_t fdr_bh(double alpha, uint64_t n, const double *p, double *corrected)
{
    return step_up(alpha, 1, n, p, corrected);
}

static uint64_t fdr_by(double alpha, uint64_t n, const double *p, double *corrected)
{
    double factor = 0;
    for (uint64_t i = 1; i <= n; i++)
        factor += 1 / (double)i;
    return step_up(alpha, factor, n, p, corrected);
}

/* The first stage estimates how many null hypotheses are true, the second tests with that number.
 * Where the first one rejects nothing or everything it is the answer. */
static uint64_t two_stages(double alpha, double factor, uint64_t n, const double *p,
                           double *corrected)
{
    double level = alpha / factor;
    double left = 1;
    uint64_t rejected = step_up(level, 1, n, p, corrected);
    if (rejected > 0 && rejected < n) {
        double n_true = (double)(n - rejected);
        rejected = step_up(level * (double)n / n_true, 1, n, p, corrected);
        left = n_true / (double)n;
    }
    for (uint64_t i = 0; i < n; i++)
        corrected[i] = corrected[i] * left * factor;
    return rejected;
}

static uint64_t fdr_tsbh(double alpha, uint64_t n, const double *p, double *corrected)
{
    return two_stages(alpha, 1, n, p, corrected);
}

static uint64_t fdr_tsbky(double alpha, uint64_t n, const double *p, double *corrected)
{
    return two_stages(alpha, 1 + alpha, n, p, corrected);
}

static uint64_t none(double alpha, uint64_t n, const double *p, double *corrected)
{
    uint64_t rejected = 0;
    for (uint64_t i = 0; i < n; i++) {
        rejected += p[i] <= alpha;
        corrected[i] = p[i];
    }
    return rejected;
}

/* ---- the list -------------------------------------------------------------------------------- */

static const struct correction {
    const char *name;
    const char *summary;
    correction_fn *correct; /* NULL: hommel, which needs room */
} corrections[] = {
    {"bonferroni", "family-wise error, one step, any dependence", bonferroni},
    {"sidak", "family-wise error, one step, independent tests", sidak},
    {"holm-sidak", "family-wise error, step down by Sidak's levels", holm_sidak},
    {"holm", "family-wise error, step down, any dependence", holm},
    {"simes-hochberg", "family-wise error, step up, independent tests", simes_hochberg},
    {"hommel", "family-wise error, closed tests of Simes", NULL},
    {"fdr-bh", "false discovery rate (Benjamini, Hochberg 1995)", fdr_bh},
    {"fdr-by", "false discovery rate, any dependence (Benjamini, Yekutieli 2001)", fdr_by},
    {"fdr-tsbh", "false discovery rate in two stages (Benjamini, Hochberg 2000)", fdr_tsbh},
    {"fdr-tsbky", "false discovery rate in two stages (Benjamini, Krieger, Yekutieli 2006)",
     fdr_tsbky},
    {"none", "every test by itself", none},
};

size_t spk_correction_count(void)
{
    return sizeof corrections / sizeof *corrections;
}

const char *spk_correction_name(size_t k)
{
    return k < spk_correction_count() ? corrections[k].name : NULL;
}

const char *spk_correction_summary(size_t k)
{
    return k < spk_correction_count() ? corrections[k].summary : NULL;
}

static bool same_name(const char *name, const char *asked)
{
    while (*name != '\0' && *name == (*asked == '_' ? '-' : *asked))
        name++, asked++;
    return *name == '\0' && *asked == '\0';
}

static spk_status find_correction(spk_context *context, const char *method,
                                  const struct correction **out)
{
    char names[256] = "";
    for (size_t k = 0; k < spk_correction_count(); k++) {
        *out = &corrections[k];
        if (method != NULL && same_name((*out)->name, method))
            return SPK_OK;
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", k > 0 ? ", " : "", (*out)->name);
    }
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "no correction is named '%s'; the corrections are %s",
                    method != NULL ? method : "", names);
}

/* ---- p-values in any order ------------------------------------------------------------------- */

typedef struct ranked {
    double p;
    uint64_t place;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return SPK_BY(SPK_UP(x->p, y->p), SPK_UP(x->place, y->place));
}

static spk_status check_values(spk_context *context, double alpha, uint64_t n, const double *p)
{
    if (!(alpha >= 0 && alpha <= 1))
        return spk_fail(context, SPK_ERR_ARGUMENT, "the level alpha is %g; it lies in 0 .. 1",
                        alpha);
    for (uint64_t i = 0; i < n; i++)
        if (!(p[i] >= 0 && p[i] <= 1))
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "p-value %llu of %llu is %g; p-values lie in 0 .. 1",
                            (unsigned long long)i + 1, (unsigned long long)n, p[i]);
    return SPK_OK;
}

spk_status spk_correct(spk_context *context, const char *method, double alpha, uint64_t n,
                       const double *p, uint8_t *rejected, double *corrected)
{
    const struct correction *correction = NULL;
    ranked *order = NULL;
    double *sorted = NULL, *result = NULL;
    hommel_room room = {0};
    spk_status status = find_correction(context, method, &correction);
    if (status == SPK_OK)
        status = check_values(context, alpha, n, p);
    if (status != SPK_OK || n == 0)
        return status;
    status = spk_alloc_columns(context, "p-values", SPK_COLUMN(&order, n), SPK_COLUMN(&sorted, n),
                               SPK_COLUMN(&result, n), SPK_COLUMN(&room.simes, n + 2),
                               SPK_COLUMN(&room.corner, n));
    if (status != SPK_OK)
        return status;
    for (uint64_t i = 0; i < n; i++)
        order[i] = (ranked){p[i], i};
    qsort(order, n, sizeof *order, compare_ranked);
    for (uint64_t i = 0; i < n; i++)
        sorted[i] = order[i].p;
    uint64_t n_rejected = correction->correct != NULL
                              ? correction->correct(alpha, n, sorted, result)
                              : hommel(alpha, n, sorted, result, &room);
    assert(n_rejected <= n);
    cap(n, result);
    for (uint64_t i = 0; i < n; i++) {
        rejected[order[i].place] = i < n_rejected;
        if (corrected != NULL)
            corrected[order[i].place] = result[i];
    }
    spk_free_all(order, sorted, result, room.simes, room.corner);
    return SPK_OK;
}
