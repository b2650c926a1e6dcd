/*
 * What only the GPU strategies of the papers know: engines cuda-ptpe, cuda-mtpe, cuda-hybrid and
 * cuda-tracking. They are here for comparisons; engine cuda-sweep is faster and needs none of this.
 * The papers: Cao, Patnaik, Ponce et al., "Parallel mining of neuronal spike streams on graphics
 * processing units", and Cao et al., "Accelerator-oriented algorithm transformation for temporal
 * data mining".
 */
#ifndef SPIKEMINE_PAPERS_H
#define SPIKEMINE_PAPERS_H

#include <stdbool.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How engine cuda-tracking brings the occurrences together that it finds ("Accelerator-oriented
 * algorithm transformation", section 4). */
typedef enum spk_compaction {
    SPK_COMPACTION_SCAN,  /* count, scan, write: keeps order */
    SPK_COMPACTION_FLAG,  /* write with gaps and flags, then select */
    SPK_COMPACTION_ATOMIC /* counters in blocks and one for all, then sort */
} spk_compaction;

/* Sizes that a calibration measures: 2 .. 8. */
#define SPK_PAPERS_CALIBRATION_SIZES 7u

/* The number of candidates from which on one thread an episode is faster than many. */
typedef struct spk_papers_crossover {
    uint32_t size;
    bool crossed;      /* false: one of them was faster for all numbers measured, and */
    double candidates; /* this is the least or the most measured */
    uint64_t resident; /* threads of one-thread-an-episode that the GPU holds at once */
} spk_papers_crossover;

/* The calibration of engine cuda-hybrid, which chooses between the strategies of cuda-ptpe and
 * cuda-mtpe by where they take the same time on a device. */
typedef struct spk_papers_calibration {
    spk_gpu_info gpu;
    uint32_t n_crossovers;
    spk_papers_crossover crossover[SPK_PAPERS_CALIBRATION_SIZES];
    /* One thread an episode from candidates > resident * (a / size + b) on. */
    double a;
    double b;
} spk_papers_calibration;

/* Times engines cuda-ptpe and cuda-mtpe on `device` with a generated recording (Sym26, 60 s), sizes
 * 2 to 8 and candidates in powers of two, finds the crossovers, fits a and b, and stores them in
 * $XDG_CONFIG_HOME/spikemine/gpu.json or ~/.config/spikemine/gpu.json, where cuda-hybrid finds
 * them. Takes up to some minutes; SPK_ERR_CANCELLED after a cancel. SPK_ERR_ARGUMENT,
 * SPK_ERR_UNAVAILABLE, SPK_ERR_DEVICE, SPK_ERR_MEMORY, SPK_ERR_IO, SPK_ERR_FORMAT (the file that is
 * there is damaged). */
SPK_API SPK_MUST_CHECK spk_status spk_papers_calibrate(spk_context *context, int device,
                                                       spk_papers_calibration *result);

#ifdef __cplusplus
}
#endif

#endif
