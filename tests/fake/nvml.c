/*
 * The library of the NVIDIA driver as tests/unit/test_energy.c and tests/cli/energy.bats play it.
 * Each reading of the energy of a GPU finds 500 mJ more. FAKE_NVML says what it has: "N" GPUs,
 * "deaf" (cannot begin), or "old" (two GPUs, of which the second has no meter).
 */
#include <stdlib.h>
#include <string.h>

/* Whatever the flags of the build say of visibility. */
#define SEEN __attribute__((visibility("default")))

enum { OK = 0, NOT_SUPPORTED = 3, DRIVER_NOT_LOADED = 9 };

static const char *kind(void)
{
    const char *text = getenv("FAKE_NVML");
    return text != NULL ? text : "2";
}

static unsigned long long reading[8];

SEEN int nvmlInit_v2(void);
SEEN int nvmlShutdown(void);
SEEN int nvmlDeviceGetCount_v2(unsigned *n);
SEEN int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
SEEN int nvmlDeviceGetName(const void *device, char *name, unsigned size);
SEEN int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
SEEN const char *nvmlErrorString(int status);

int nvmlInit_v2(void)
{
    return strcmp(kind(), "deaf") == 0 ? DRIVER_NOT_LOADED : OK;
}

int nvmlShutdown(void)
{
    return OK;
}

int nvmlDeviceGetCount_v2(unsigned *n)
{
    *n = strcmp(kind(), "old") == 0 ? 2 : (unsigned)atoi(kind());
    return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    *device = &reading[index];
    return OK;
}

int nvmlDeviceGetName(const void *device, char *name, unsigned size)
{
    (void)device;
    strncpy(name, "Fake 1000", size);
    return OK;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    if (strcmp(kind(), "old") == 0 && device == &reading[1])
        return NOT_SUPPORTED;
    *millijoules = *(unsigned long long *)device += 500;
    return OK;
}

const char *nvmlErrorString(int status)
{
    return status == DRIVER_NOT_LOADED ? "Driver Not Loaded" : "Not Supported";
}
