/*
 * Energy: how many joules a job takes, by the meters of the machine.
 *
 * Meters count the energy of a part of the machine, whoever uses it: a processor with all its
 * cores, its memory, a GPU. So what other programs do in the meantime is in the numbers. Those of
 * processors are read through Linux (RAPL, /sys/class/powercap), those of GPUs through the library
 * of the NVIDIA driver, which is loaded when it is first needed. Example:
 *
 *     spk_energy *energy = NULL;
 *     status = spk_energy_begin(context, &energy);
 *     ... the job ...
 *     size_t n = 0;
 *     const spk_energy_meter *meter = spk_energy_read(energy, &n);
 *     for (size_t k = 0; k < n; k++)
 *         if (meter[k].readable)
 *             printf("%s: %.1f J\n", meter[k].name, meter[k].joules);
 *     spk_energy_free(energy);
 */
#ifndef SPIKEMINE_ENERGY_H
#define SPIKEMINE_ENERGY_H

#include <stdbool.h>
#include <stddef.h>

#include "spikemine/context.h"

SPK_BEGIN_C

/* A measurement that has begun. A thread of its own reads the meters now and then, since some begin
 * again at 0 after minutes. Threads: one at a time. */
typedef struct spk_energy spk_energy;

typedef enum spk_energy_kind {
    SPK_ENERGY_PROCESSOR, /* a package: cores, caches, memory controller, built-in graphics */
    SPK_ENERGY_MEMORY,    /* the memory at a package, which that one's meter does not count */
    SPK_ENERGY_GPU
} spk_energy_kind;

typedef struct spk_energy_meter {
    spk_energy_kind kind;
    char name[96]; /* "package-0", "package-0 dram", "GPU 0 NVIDIA H100" */
    bool readable; /* false: `why` has the cause, and no joules are known */
    double joules; /* since the measurement began */
    char why[256];
} spk_energy_meter;

/* Begins to measure. Where a kind has no meter at all, one that is not readable says why; memory
 * that has none is left out. Free with spk_energy_free. Errors: SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_energy_begin(spk_context *context, spk_energy **out);

/* What the meters have counted until now; *n is their number, at least 2. The meters are borrowed
 * until the next call with this measurement. */
SPK_API const spk_energy_meter *spk_energy_read(spk_energy *energy, size_t *n);

/* Joules of all meters that are readable, at the last reading; a negative number where none is. */
SPK_API double spk_energy_total(const spk_energy *energy);

/* Ends the measurement. NULL is accepted. */
SPK_API void spk_energy_free(spk_energy *energy);

SPK_END_C

#endif
