/*
 * Settings of the papers' GPU strategies: engines cuda-ptpe, cuda-mtpe, cuda-hybrid and
 * cuda-tracking. These engines serve comparisons. Engine cuda-sweep is faster and needs no
 * settings. The papers: Cao, Patnaik, Ponce et al., "Parallel mining of neuronal spike streams on
 * graphics processing units", and Cao et al., "Accelerator-oriented algorithm transformation for
 * temporal data mining".
 */
#ifndef SPIKEMINE_PAPERS_H
#define SPIKEMINE_PAPERS_H

#include <stdbool.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/gpu.h"

SPK_BEGIN_C

/* How engine cuda-tracking collects the occurrences that its threads find ("Accelerator-oriented
 * algorithm transformation", section 4). */
typedef enum spk_compaction {
    SPK_COMPACTION_SCAN,  /* count, scan, write: keeps order */
    SPK_COMPACTION_FLAG,  /* write with gaps and flags, then select */
    SPK_COMPACTION_ATOMIC /* counters in blocks and one for all, then sort */
} spk_compaction;

/* Sizes that a tuning measures: 2 .. 8. */
#define SPK_PAPERS_TUNING_SIZES 7u

/* From this number of candidates on, one thread per episode is faster than many threads. */
typedef struct spk_papers_crossover {
    uint32_t size;
    bool crossed;      /* false: one strategy was the faster one at every number measured */
    double candidates; /* the border; without a crossing the smallest or largest number measured */
    uint64_t resident; /* threads of engine cuda-ptpe that the GPU holds at once */
} spk_papers_crossover;

/* The tuning of engine cuda-hybrid. The engine chooses between the strategies of cuda-ptpe and
 * cuda-mtpe; the border is where both take the same time on a device. */
typedef struct spk_papers_tuning {
    spk_gpu_info gpu;
    uint32_t n_crossovers;
    spk_papers_crossover crossover[SPK_PAPERS_TUNING_SIZES];
    /* One thread per episode when candidates > resident * (a / size + b). */
    double a;
    double b;
} spk_papers_tuning;

/* Times engines cuda-ptpe and cuda-mtpe on `device` with a generated recording (Sym26, 60 s), sizes
 * 2 to 8 and candidates in powers of two, finds the crossovers, fits a and b, and stores them in
 * $XDG_CONFIG_HOME/spikemine/gpu.json or ~/.config/spikemine/gpu.json, where cuda-hybrid finds
 * them. Takes up to some minutes; SPK_ERR_CANCELLED after a cancel. SPK_ERR_ARGUMENT,
 * SPK_ERR_UNAVAILABLE, SPK_ERR_DEVICE, SPK_ERR_MEMORY, SPK_ERR_IO, SPK_ERR_FORMAT (the file that is
 * there is damaged). */
SPK_API SPK_MUST_CHECK spk_status spk_papers_tune(spk_context *context, int device,
                                                  spk_papers_tuning *result);

/* The file that tunings are kept in, to be freed with free(); NULL where the environment names
 * no folder for it. Errors: SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_papers_tuning_path(spk_context *context, char **path);

SPK_END_C

#endif
