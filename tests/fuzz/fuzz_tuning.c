/* The tuning file of the papers' hybrid. What is accepted is a usable fit for that device. */
#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "episode/engine/cuda/papers/host_crossover.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    bool found = false;
    spk_context *context = NULL;
    spk_papers_tuning tuning;
    int file = memfd_create("fuzz", 0);
    if (file < 0)
        return 0;
    require(write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    require(spk_context_create(&context) == SPK_OK);
    spk_status status = crossover_load(context, path, "GPU-1", &found, &tuning);
    require(status == SPK_OK || (!found && spk_context_message(context)[0] != '\0'));
    if (found) {
        require(isfinite(tuning.a) && isfinite(tuning.b));
        require(tuning.n_crossovers <= SPK_PAPERS_TUNING_SIZES);
        require(strcmp(tuning.gpu.id, "GPU-1") == 0);
    }
    spk_context_free(context);
    close(file);
    return 0;
}
