/* Staged downloads. */
#include "cuda/staging.h"

#include <string.h>

static const uint64_t CHUNK = 512u << 10;
/* Less than this is copied before the chunks would be there. */
static const uint64_t WORTH_IT = 8u << 20;

static spk_status make_chunks(spk_context *context, gpu_staging *staging, const char *what)
{
    spk_status status = SPK_OK;
    for (int k = 0; k < 2 && status == SPK_OK; k++) {
        if (staging->chunk[k] == NULL)
            status = gpu_check(context, cudaMallocHost(&staging->chunk[k], CHUNK), what);
        if (status == SPK_OK && staging->filled[k] == NULL)
            status = gpu_check(
                context, cudaEventCreateWithFlags(&staging->filled[k], cudaEventDisableTiming),
                what);
    }
    return status;
}

static uint64_t chunk_bytes(uint64_t c, uint64_t bytes)
{
    return bytes - c * CHUNK < CHUNK ? bytes - c * CHUNK : CHUNK;
}

spk_status gpu_fetch(spk_context *context, gpu_staging *staging, void *to, const void *from,
                     uint64_t bytes, const char *what)
{
    if (staging->chunk[1] == NULL && bytes < WORTH_IT)
        return gpu_download(context, to, from, bytes, what);
    spk_status status = make_chunks(context, staging, what);
    uint64_t n = (bytes + CHUNK - 1) / CHUNK;
    for (uint64_t c = 0; c <= n && status == SPK_OK; c++) {
        if (c < n) {
            status = gpu_check(
                context,
                cudaMemcpyAsync(staging->chunk[c % 2], (const char *)from + c * CHUNK,
                                chunk_bytes(c, bytes), cudaMemcpyDeviceToHost, cudaStreamPerThread),
                what);
            if (status == SPK_OK)
                status = gpu_check(
                    context, cudaEventRecord(staging->filled[c % 2], cudaStreamPerThread), what);
        }
        if (c > 0 && status == SPK_OK) {
            uint64_t before = c - 1;
            status = gpu_check(context, cudaEventSynchronize(staging->filled[before % 2]), what);
            if (status == SPK_OK)
                memcpy((char *)to + before * CHUNK, staging->chunk[before % 2],
                       chunk_bytes(before, bytes));
        }
    }
    return status;
}

void gpu_staging_close(gpu_staging *staging)
{
    for (int k = 0; k < 2; k++) {
        if (staging->chunk[k] != NULL)
            (void)cudaFreeHost(staging->chunk[k]);
        if (staging->filled[k] != NULL)
            (void)cudaEventDestroy(staging->filled[k]);
    }
    *staging = (gpu_staging){.chunk = {NULL}};
}
