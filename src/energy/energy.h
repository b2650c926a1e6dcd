/* Meters of energy: where they come from, and what the files and libraries behind them are. */
#pragma once

#include <stdint.h>

#include "spikemine/energy.h"

/* The folder of Linux that holds the meters of processors, for AMD as for Intel. */
#define SPK_POWERCAP "/sys/class/powercap"

/* spk_energy_begin with another folder in place of SPK_POWERCAP, and the file of the driver's
 * library; NULL: as it is found. */
spk_status spk_energy_begin_at(spk_context *context, const char *folder, const char *library,
                               spk_energy **out);

/* One meter and how to read it. */
typedef struct spk_energy_source {
    char path[256];  /* of processors and memory: the file energy_uj */
    void *device;    /* of GPUs */
    uint64_t last;   /* reading; microjoules, millijoules of GPUs */
    uint64_t range;  /* the counter begins again at 0 after this one; 0: it never does */
    double per_unit; /* joules of one unit of the reading */
} spk_energy_source;

enum { SPK_ENERGY_MOST_METERS = 128 };

typedef struct spk_energy_list {
    size_t n;
    spk_energy_meter meter[SPK_ENERGY_MOST_METERS];
    spk_energy_source source[SPK_ENERGY_MOST_METERS];
} spk_energy_list;

/* Adds a meter, with a source of zeros; NULL when the list is full. */
spk_energy_source *spk_energy_add(spk_energy_list *list, spk_energy_kind kind, const char *name);

/* Adds a meter that is not readable. */
void spk_energy_add_absent(spk_energy_list *list, spk_energy_kind kind, const char *name,
                           const char *why);

/* ---- processors (rapl.c) --------------------------------------------------------------------- */

/* Adds a meter for each package below the folder, and for the memory at it; or one that says why
 * there is none. */
void spk_rapl_find(spk_energy_list *list, const char *folder);

/* Reads a counter; false with the cause in `why`. */
bool spk_rapl_read(const char *path, uint64_t *microjoules, char *why, size_t size);

/* ---- GPUs (nvml.c) --------------------------------------------------------------------------- */

/* The functions of nvml.h that we call. */
typedef struct spk_nvml {
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *n);
    int (*device)(unsigned index, void **device);
    int (*name)(void *device, char *name, unsigned size);
    int (*energy)(void *device, unsigned long long *millijoules);
    const char *(*error)(int status);
    bool begun;
} spk_nvml;

/* Adds a meter for each GPU; or one that says why there is none. */
void spk_nvml_find(spk_energy_list *list, spk_nvml *nvml, const char *library);
bool spk_nvml_read(const spk_nvml *nvml, void *device, uint64_t *millijoules, char *why,
                   size_t size);
void spk_nvml_end(spk_nvml *nvml);
