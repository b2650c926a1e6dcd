/* The test of observed signatures: ours, and the published one. */
#include <math.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/order.h"
#include "base/threads.h"
#include "significance/reached.h"
#include "spikemine/significance.h"
#include "spikemine/spectrum.h"

SPK_OPTIONS_INIT(spk_signature_options, .alpha = SPK_USUAL_ALPHA, .correction = "fdr-bh",
                 .min_spikes = 2, .support = 2);

typedef struct placed {
    spk_signature *at; /* in the caller's array */
} placed;

/* A test in the making: the signatures by size, duration and count, and what goes to the
 * correction. */
typedef struct signature_test {
    placed *order; /* n */
    uint64_t n;
    double *p; /* of those that are tested, in order */
    double *corrected;
    uint8_t *rejected;
} signature_test;

static int compare_placed(const void *a, const void *b)
{
    const spk_signature *x = ((const placed *)a)->at, *y = ((const placed *)b)->at;
    return SPK_BY(SPK_UP(x->size, y->size), SPK_UP(x->duration, y->duration),
                  SPK_UP(x->count, y->count));
}

static bool next_is(const signature_test *test, uint64_t i, uint32_t step)
{
    const spk_signature *here = test->order[i].at;
    if (i + 1 >= test->n)
        return false;
    const spk_signature *next = test->order[i + 1].at;
    return next->size == here->size && next->duration == here->duration &&
           next->count == (uint64_t)here->count + step;
}

/* Orders the signatures and gives each its p-values. */
static spk_status prepare(spk_context *context, spk_reached *reached, signature_test *test,
                          spk_signature *signatures)
{
    for (uint64_t i = 0; i < test->n; i++)
        test->order[i].at = &signatures[i];
    qsort(test->order, test->n, sizeof *test->order, compare_placed);
    const spk_signature *before = NULL;
    for (uint64_t i = 0; i < test->n; i++) {
        spk_signature *here = test->order[i].at;
        if (next_is(test, i, 0))
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "the signature of size %u, count %u and duration %u comes twice",
                            here->size, here->count, here->duration);
        if (before == NULL || before->size != here->size || before->duration != here->duration)
            spk_reached_select(reached, here->size, here->duration);
        here->n_above = spk_reached_n_above(reached, here->count);
        here->p = spk_reached_p(reached, here->n_above);
        here->p_published = spk_reached_p_published(reached, here->n_above);
        before = here;
    }
    return SPK_OK;
}

/* ---- the published choice of what is tested -------------------------------------------------- */

/* What numpy.isclose(p, 1) says: p-values above some 0.99999 are not worth a test. */
static bool about_one(double p)
{
    return fabs(p - 1) <= 1e-8 + 1e-5;
}

/* Whether the p-value spectrum has one entry alone. Elephant takes it for its own neighbour. */
static bool single_entry(spk_reached *reached, const spk_signature_options *options)
{
    const uint64_t least = options->support > 1 ? options->support : 1;
    uint64_t n = 0;
    for (uint32_t size = options->min_spikes; size <= reached->largest_size; size++)
        for (uint64_t d = 0; d < reached->n_durations; d++) {
            spk_reached_select(reached, size, reached->duration[d]);
            uint64_t most = spk_reached_most(reached);
            n += most >= least ? most - least + 1 : 0;
            if (n > 1)
                return false;
        }
    return n == 1;
}

/* Marks what Elephant tests: of neighbouring counts the largest one. */
static void choose_published(spk_reached *reached, const spk_signature_options *options,
                             signature_test *test)
{
    bool self = single_entry(reached, options);
    for (uint64_t i = test->n; i-- > 0;) {
        spk_signature *here = test->order[i].at;
        bool worth = here->n_above > 0 && !about_one(here->p_published);
        bool beaten = next_is(test, i, 1) && test->order[i + 1].at->n_above > 0;
        here->tested = worth && !beaten && !self;
    }
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static spk_status correct(spk_context *context, const spk_signature_options *options,
                          signature_test *test)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < test->n; i++)
        if (test->order[i].at->tested)
            test->p[n++] =
                options->published ? test->order[i].at->p_published : test->order[i].at->p;
    spk_status status = spk_correct(context, options->correction, options->alpha, n, test->p,
                                    test->rejected, test->corrected);
    n = 0;
    for (uint64_t i = 0; status == SPK_OK && i < test->n; i++) {
        spk_signature *here = test->order[i].at;
        if (here->tested) {
            here->significant = test->rejected[n] != 0;
            here->p_corrected = test->corrected[n++];
        } else {
            here->significant = here->n_above == 0;
            here->p_corrected = here->significant ? 0 : 1;
        }
        /* Elephant: at the level 1 nothing is tested. */
        if (options->published && options->alpha == 1)
            here->significant = true;
    }
    return status;
}

static spk_status test_signatures(spk_context *context, spk_reached *reached,
                                  const spk_signature_options *options, uint64_t n,
                                  spk_signature *signatures)
{
    signature_test test = {.n = n};
    spk_status status = spk_alloc_columns(
        context, "the test of signatures", SPK_COLUMN(&test.order, n), SPK_COLUMN(&test.p, n),
        SPK_COLUMN(&test.corrected, n), SPK_COLUMN(&test.rejected, n));
    if (status == SPK_OK)
        status = prepare(context, reached, &test, signatures);
    if (status == SPK_OK && options->published)
        choose_published(reached, options, &test);
    if (status == SPK_OK)
        status = correct(context, options, &test);
    spk_free_all(test.order, test.p, test.corrected, test.rejected);
    return status;
}

spk_status spk_signatures_test(spk_context *context, const spk_maxima_columns *maxima,
                               const spk_spectrum_entry *observed, uint64_t n,
                               const spk_signature_options *options, spk_signature *out)
{
    spk_signature_options own;
    spk_reached reached = {.maxima = NULL};
    spk_status status = SPK_OPTIONS_TAKE(context, options, &own, spk_signature_options);
    if (status != SPK_OK)
        return status;
    for (uint64_t i = 0; i < n; i++)
        out[i] = (spk_signature){.size = observed[i].size,
                                 .count = observed[i].count,
                                 .duration = observed[i].duration,
                                 .n_patterns = observed[i].n_patterns,
                                 .tested = !own.published};
    status = spk_reached_open(context, maxima, own.published, &reached);
    if (status == SPK_OK)
        status = test_signatures(context, &reached, &own, n, out);
    spk_reached_close(&reached);
    return status;
}

/* ---- the filter ------------------------------------------------------------------------------ */

const spk_signature *spk_signature_find(const spk_signature *signatures, uint64_t n, uint32_t size,
                                        uint32_t count, uint32_t duration)
{
    spk_bisect s = {0, n};
    while (spk_bisect_next(&s)) {
        const spk_signature *at = &signatures[s.middle]; /* in the order of spk_spectrum_entries */
        const int order = SPK_BY(SPK_UP(at->size, size), SPK_UP(at->count, count),
                                 SPK_UP(at->duration, duration));
        if (order == 0)
            return at;
        spk_bisect_told(&s, order < 0);
    }
    return NULL;
}

/* That of pattern i; NULL: it was not tested. */
static const spk_signature *signature_of(const spk_pattern_columns *p, uint64_t i,
                                         const spk_signature *signatures, uint64_t n,
                                         bool by_duration)
{
    const uint64_t end = p->offset[i + 1];
    const uint32_t size = (uint32_t)(end - p->offset[i]);
    if (size == 0)
        return NULL;
    return spk_signature_find(signatures, n, size, p->count[i],
                              by_duration ? p->item[end - 1] % p->window : 0);
}

static spk_status fail_untested(spk_context *context, const spk_pattern_columns *p, uint64_t i,
                                bool by_duration)
{
    const uint64_t end = p->offset[i + 1];
    const uint32_t size = (uint32_t)(end - p->offset[i]);
    if (size == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "a pattern has no items");
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "pattern %llu of %u spikes with the count %u and the duration %u has a "
                    "signature that was not tested",
                    (unsigned long long)i, size, p->count[i],
                    by_duration ? p->item[end - 1] % p->window : 0);
}

spk_status spk_pattern_spectrum_filter(spk_context *context, const spk_pattern_columns *patterns,
                                       const spk_signature *signatures, uint64_t n,
                                       bool by_duration, uint8_t *keep)
{
    const int threads = spk_threads_for(context, patterns->n);
    uint64_t untested = patterns->n; /* the first one, if any */
    (void)threads;
#pragma omp parallel for num_threads(threads) reduction(min : untested) if (threads > 1)
    for (uint64_t i = 0; i < patterns->n; i++) {
        const spk_signature *found = signature_of(patterns, i, signatures, n, by_duration);
        keep[i] = found != NULL && found->significant;
        if (found == NULL && i < untested)
            untested = i;
    }
    return untested < patterns->n ? fail_untested(context, patterns, untested, by_duration)
                                  : SPK_OK;
}
