/* Meters of GPUs: the library of the NVIDIA driver, loaded when first needed. The declarations are
 * our own: those of the functions of nvml.h that we call. GPUs have a meter since Volta. */
#include "energy/energy.h"

#include <stdio.h>

#include "base/library.h"

static const char all[] = "GPUs";

static bool load(spk_nvml *nvml, const char *library, char *why, size_t size)
{
    const char *const names[] = {library, library == NULL ? "libnvidia-ml.so.1" : NULL};
    const spk_library_symbol symbols[] = {
        {"nvmlInit_v2", (void *)&nvml->init},
        {"nvmlShutdown", (void *)&nvml->shutdown},
        {"nvmlDeviceGetCount_v2", (void *)&nvml->count},
        {"nvmlDeviceGetHandleByIndex_v2", (void *)&nvml->device},
        {"nvmlDeviceGetName", (void *)&nvml->name},
        {"nvmlDeviceGetTotalEnergyConsumption", (void *)&nvml->energy},
        {"nvmlErrorString", (void *)&nvml->error},
    };
    const char *missing = NULL;
    if (spk_library_load(names, sizeof names / sizeof names[0], symbols,
                         sizeof symbols / sizeof symbols[0], &missing))
        return true;
    if (missing == NULL)
        snprintf(why, size, "the library of the NVIDIA driver (%.100s) is not here",
                 library != NULL ? library : names[1]);
    else
        snprintf(why, size, "the NVIDIA driver is too old: it has no %.60s", missing);
    return false;
}

static void add_gpu(spk_energy_list *list, const spk_nvml *nvml, unsigned index)
{
    char model[64] = "", name[96];
    void *device = NULL;
    int status = nvml->device(index, &device);
    if (status == 0 && nvml->name(device, model, sizeof model) != 0)
        model[0] = '\0';
    model[sizeof model - 1] = '\0';
    snprintf(name, sizeof name, "GPU %u%s%s", index, model[0] != '\0' ? " " : "", model);
    if (status != 0) {
        spk_energy_add_absent(list, SPK_ENERGY_GPU, name, nvml->error(status));
        return;
    }
    spk_energy_source *source = spk_energy_add(list, SPK_ENERGY_GPU, name);
    if (source == NULL)
        return;
    source->device = device;
    source->per_unit = 1e-3;
}

void spk_nvml_find(spk_energy_list *list, spk_nvml *nvml, const char *library)
{
    char why[256] = "";
    unsigned n = 0;
    if (!load(nvml, library, why, sizeof why)) {
        spk_energy_add_absent(list, SPK_ENERGY_GPU, all, why);
        return;
    }
    int status = nvml->init();
    nvml->begun = status == 0;
    if (status == 0)
        status = nvml->count(&n);
    if (status != 0)
        snprintf(why, sizeof why, "the NVIDIA driver says: %s", nvml->error(status));
    else if (n == 0)
        snprintf(why, sizeof why, "the NVIDIA driver has no GPU");
    if (why[0] != '\0')
        spk_energy_add_absent(list, SPK_ENERGY_GPU, all, why);
    for (unsigned k = 0; k < n; k++)
        add_gpu(list, nvml, k);
}

bool spk_nvml_read(const spk_nvml *nvml, void *device, uint64_t *millijoules, char *why,
                   size_t size)
{
    unsigned long long now = 0;
    int status = nvml->energy(device, &now);
    *millijoules = now;
    if (status != 0)
        snprintf(why, size, "the NVIDIA driver says: %s", nvml->error(status));
    return status == 0;
}

void spk_nvml_end(spk_nvml *nvml)
{
    if (nvml->begun)
        nvml->shutdown();
}
