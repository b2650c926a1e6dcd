/*
 * The published test of SPADE patterns: p-values of signatures, corrections for many tests, the
 * pattern spectrum filter, reduction of what is left, and stability.
 *
 * A signature is what is the same for many patterns: size and count, and in a spectrum with
 * durations also the duration. M_k(z) is the largest count that surrogate k has among its patterns
 * of z spikes and more (with durations: of the same duration). The p-value of a signature (z, c) is
 * the share of the surrogates with M_k(z) >= c. maxima.h makes the M_k.
 * Sources: Torre et al. (2013), Quaglio et al. (2017), Stella et al. (2019); Elephant 1.2.1 is the
 * program that most studies use. docs/explanation/significance.md tells where its rule differs from
 * ours. An option named `published` asks for its rule, to the bit.
 *
 * A test in five lines; `maxima` are those of the surrogates, `entries` the observed spectrum's:
 *
 *     spk_signature_options options;
 *     spk_signature_options_init(&options, sizeof options);
 *     options.alpha = 0.01, options.correction = "holm";
 *     status = spk_signatures_test(context, &maxima, entries, n, &options, signatures);
 *     status = spk_pattern_spectrum_filter(context, &patterns, signatures, n, false, keep);
 */
#ifndef SPIKEMINE_SIGNIFICANCE_H
#define SPIKEMINE_SIGNIFICANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/maxima.h"
#include "spikemine/pattern.h"
#include "spikemine/spectrum.h"

SPK_BEGIN_C

/* ---- corrections for many tests -------------------------------------------------------------- */

/* The corrections: how many, and name and one-line summary of number k; NULL beyond the last. */
SPK_API size_t spk_correction_count(void);
SPK_API const char *spk_correction_name(size_t k);
SPK_API const char *spk_correction_summary(size_t k);

/* Tests n p-values together at level `alpha` in 0 .. 1. rejected[i] is 1 where the null hypothesis
 * of p[i] is rejected, else 0. corrected[i] is the corrected p-value, at most 1; `corrected` may be
 * NULL. `method` is a name of the list above; '_' stands for '-'. Both answers are those of
 * multipletests in statsmodels, the two-stage methods with one iteration included. Time n * log n.
 * Errors: SPK_ERR_ARGUMENT (unknown method, alpha or a p-value that is not in 0 .. 1),
 * SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_correct(spk_context *context, const char *method,
                                              double alpha, uint64_t n, const double *p,
                                              uint8_t *rejected, double *corrected);

/* ---- p-values of signatures ------------------------------------------------------------------ */

/* Which entries a p-value spectrum lists. Initialise with spk_pvalue_options_init. */
typedef struct spk_pvalue_options {
    size_t struct_size;                   /* set by spk_pvalue_options_init */
    uint32_t min_spikes;                  /* smallest size; 2 by default */
    uint64_t support;                     /* smallest count; 2 by default */
    const spk_pattern_supports *supports; /* when set, replaces support */
    bool published; /* counts in 16 bits: where a size has a largest count over 32,765 nothing is
                       listed; false by default */
} spk_pvalue_options;

/* From 2 spikes and a count of 2 on, with counts of any size. */
SPK_API void spk_pvalue_options_init(spk_pvalue_options *options, size_t struct_size);

/* An entry of the p-value spectrum, of B surrogates. */
typedef struct spk_pvalue {
    uint32_t size;
    uint32_t duration; /* 0 without durations */
    uint32_t count;
    uint64_t n_above;   /* surrogates with M(size) >= count */
    double p;           /* (1 + n_above) / (1 + B) */
    double p_published; /* n_above / B */
} spk_pvalue;

/* The p-value spectrum: every size, duration and count, from the smallest that the options allow
 * to the largest that a surrogate reaches, in this order. *out is malloc'ed; free() frees it.
 * Errors: SPK_ERR_ARGUMENT (no surrogates, maxima out of order), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_pvalue_spectrum(spk_context *context,
                                                      const spk_maxima_columns *maxima,
                                                      const spk_pvalue_options *options,
                                                      spk_pvalue **out, uint64_t *n);

/* ---- the test of observed signatures --------------------------------------------------------- */

/* How signatures are tested. Initialise with spk_signature_options_init; pointers are borrowed for
 * the call. */
typedef struct spk_signature_options {
    size_t struct_size;     /* set by spk_signature_options_init */
    double alpha;           /* 0.05 by default */
    const char *correction; /* "fdr-bh" by default */
    bool published;         /* false (default): p is tested, for every observed signature.
                               true: Elephant's rule. p_published is tested, for those observed signatures
                               that some surrogate reaches, that not about all surrogates reach, and whose
                               neighbour with one more occurrence is not among them. What no surrogate
                               reaches is significant untested, the others are not significant. */
    uint32_t min_spikes;    /* as for spk_pvalue_spectrum; only `published` asks for them */
    uint64_t support;
} spk_signature_options;

/* Our test with alpha 0.05 and fdr-bh. */
SPK_API void spk_signature_options_init(spk_signature_options *options, size_t struct_size);

/* An observed signature and its verdict. */
typedef struct spk_signature {
    uint32_t size;
    uint32_t count;
    uint32_t duration; /* 0 without durations */
    uint64_t n_patterns;
    uint64_t n_above;   /* surrogates with M(size) >= count */
    double p;           /* (1 + n_above) / (1 + B) */
    double p_published; /* n_above / B */
    double p_corrected; /* of the one that was tested; untested: 0 if significant, else 1 */
    bool tested;
    bool significant;
} spk_signature;

/* Tests the n distinct entries of an observed spectrum, which has durations where the maxima have
 * them; out[i] belongs to observed[i]. Errors: SPK_ERR_ARGUMENT (options, no surrogates, maxima out
 * of order, an entry that comes twice), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_signatures_test(
    spk_context *context, const spk_maxima_columns *maxima, const spk_spectrum_entry *observed,
    uint64_t n, const spk_signature_options *options, spk_signature *out);

/* The signature (size, count, duration) among n that are in the order of spk_spectrum_entries; NULL
 * when it is not there. */
SPK_API const spk_signature *spk_signature_find(const spk_signature *signatures, uint64_t n,
                                                uint32_t size, uint32_t count, uint32_t duration);

/* The pattern spectrum filter: keep[i] = 1 where the signature of pattern i is significant, else 0.
 * `by_duration`: signatures have durations. They are in the order of spk_spectrum_entries. Errors:
 * SPK_ERR_ARGUMENT (a pattern without items, or whose signature is not there). */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_spectrum_filter(spk_context *context,
                                                              const spk_pattern_columns *patterns,
                                                              const spk_signature *signatures,
                                                              uint64_t n, bool by_duration,
                                                              uint8_t *keep);

/* ---- reduction of a set of patterns ---------------------------------------------------------- */

/* How patterns are reduced. Initialise with spk_reduce_options_init; pointers are borrowed for the
 * call. */
typedef struct spk_reduce_options {
    size_t struct_size;                   /* set by spk_reduce_options_init */
    int32_t h;                            /* added to the occurrences that a part has left */
    int32_t k;                            /* added to the spikes that a whole has left */
    int32_t l;                            /* spikes of a pattern that do not count as covered */
    uint32_t min_spikes;                  /* smallest size; 2 by default */
    uint64_t support;                     /* smallest count; 2 by default */
    const spk_pattern_supports *supports; /* when set, replaces support */
    const spk_maxima_columns *maxima;     /* of the test; NULL (default): there was none, and every
                                             signature counts as significant */
    const spk_signature *signatures;      /* its verdicts, in the order of spk_spectrum_entries */
    uint64_t n_signatures;
    bool published; /* as for spk_pvalue_spectrum */
} spk_reduce_options;

/* h, k and l 0, no test. */
SPK_API void spk_reduce_options_init(spk_reduce_options *options, size_t struct_size);

/* Pattern set reduction (Torre et al. 2013; Quaglio et al. 2017): keep[i] = 0 for a pattern that
 * another one explains, else 1. Every pair of patterns is judged at each shift of less than a
 * window at which they have common spikes and which occurs as often as the support asks for (with
 * supports per size: that of the larger pattern). Bins of two trials are not compared; lines of a
 * transaction file count as bins.
 *   - A contains B: B falls if count(B) - count(A) + h is below the support or its signature with
 *     that count is not significant; A falls if size(A) - size(B) + k is below min_spikes or its
 *     signature with that size is not significant.
 *   - They have some spikes in common: each falls as A does, with the number of common spikes for
 *     size(B).
 *   - If both would fall, the one with the larger (size - l) * count stays; of equal ones A, or the
 *     earlier one.
 * A signature that no pattern has is significant where no surrogate reaches it. Time grows with the
 * occurrences of all patterns and the spikes around them, and with the number of pairs that occur
 * together as often as the support asks for. Errors: SPK_ERR_ARGUMENT (options, maxima, patterns of
 * other windows), SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_reduce(spk_context *context,
                                                     const spk_windows *windows,
                                                     const spk_pattern_columns *patterns,
                                                     const spk_reduce_options *options,
                                                     uint8_t *keep);

/* ---- stability ------------------------------------------------------------------------------- */

/* How stability is approximated. Initialise with spk_stability_options_init. */
typedef struct spk_stability_options {
    size_t struct_size; /* set by spk_stability_options_init */
    double epsilon;     /* error; 0.05 by default */
    double delta;       /* risk of a larger error; 0.05 by default */
    uint64_t n_subsets; /* 0 (default): ln(2 / delta) / (2 epsilon^2) + 1 */
    uint64_t seed;      /* 0 by default */
} spk_stability_options;

/* Epsilon and delta 0.05: 739 parts of each pattern. */
SPK_API void spk_stability_options_init(spk_stability_options *options, size_t struct_size);

/* Approximate stability (Babin and Kuznetsov 2012). intensional[i] is the share of the parts of
 * pattern i's spikes that occur in exactly its windows; extensional[i] is the share of the parts of
 * its windows whose common spikes are exactly its own. Where there are no more parts than
 * n_subsets, all of them are looked at, else n_subsets distinct random ones, which depend on the
 * seed and the pattern alone. The threads of the context share the patterns and change no result.
 * Either array may be NULL. Errors: SPK_ERR_ARGUMENT (options, a
 * pattern that occurs in no window), SPK_ERR_RANGE (too many parts), SPK_ERR_MEMORY,
 * SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_stability(spk_context *context,
                                                        const spk_windows *windows,
                                                        const spk_pattern_columns *patterns,
                                                        const spk_stability_options *options,
                                                        double *intensional, double *extensional);

SPK_END_C

#endif
