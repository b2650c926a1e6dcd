/*
 * When the papers' hybrid takes which strategy (Cao et al., section 5.1, equation 3): one thread an
 * episode (PTPE) for S candidates of size N when
 *
 *     S > resident * f(N),   f(N) = a / N + b,
 *
 * else many (MTPE). `resident` is the number of threads of PTPE's kernel that a device holds at
 * once: multiprocessors * resident blocks * threads a block. a and b are fitted to measured
 * crossover points, and kept per device in a file. Nothing here needs a GPU.
 */
#pragma once

#include <stddef.h>

#include "base/context.h"
#include "spikemine/papers.h"

typedef struct crossover_fit {
    double a;
    double b;
} crossover_fit;

/* Without measurements: PTPE keeps `resident` threads busy for one pass; MTPE runs N machines over
 * every segment, so S candidates keep resident threads busy for N * S / resident passes. They are
 * even at S = resident / N. */
crossover_fit crossover_default(void);

/* Whether PTPE is to count n candidates of this size. */
bool crossover_takes_ptpe(crossover_fit fit, uint64_t resident, uint32_t size, uint64_t n);

/* The number of candidates, between those measured, at which PTPE's time gets below MTPE's for
 * good; interpolated on logarithmic scales. `candidates` rises; n >= 1. Where PTPE is always as
 * fast it is the least measured, where it never is the most; *crossed tells. */
double crossover_point(size_t n, const double *candidates, const double *ptpe_seconds,
                       const double *mtpe_seconds, bool *crossed);

/* Least squares over the points (1 / size, candidates / resident). SPK_ERR_ARGUMENT with fewer than
 * two sizes. */
spk_status crossover_least_squares(spk_context *context, size_t n,
                                   const spk_papers_crossover *crossover, crossover_fit *fit);

/* ---- the file -------------------------------------------------------------------------------- */

/* Writes a device's tuning into the file, beside those of other devices; makes its folder.
 * An unreadable file is an error, not overwritten. */
spk_status crossover_store(spk_context *context, const char *path, const spk_papers_tuning *tuning);

/* The tuning of the device with this id. *found = false when the file or the device's entry is
 * not there; SPK_ERR_FORMAT when the file is damaged. */
spk_status crossover_load(spk_context *context, const char *path, const char *id, bool *found,
                          spk_papers_tuning *tuning);
