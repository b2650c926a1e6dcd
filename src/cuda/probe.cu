/*
 * The first kernel on a device: creates its context and shows that this binary's code runs there. A
 * GPU too old for this build is reported before any work starts.
 *
 * One thread in one block writes one word. Memory: 4 bytes.
 */
#include "cuda/kernel.cuh"

static __global__ void write_word(unsigned *word)
{
    *word = 0x5b1ce;
}

extern "C" spk_status gpu_probe(spk_context *context)
{
    gpu_buffer word = {};
    unsigned seen = 0;
    spk_status status = gpu_reserve(context, &word, 1, sizeof(unsigned), "starting");
    if (status == SPK_OK)
        status =
            gpu_launch(context, "starting", write_word, 1, 1, static_cast<unsigned *>(word.data));
    if (status == SPK_OK)
        status = gpu_download(context, &seen, word.data, sizeof seen, "starting");
    gpu_release(&word);
    if (status == SPK_OK && seen != 0x5b1ce)
        status = spk_fail(context, SPK_ERR_DEVICE, "the GPU does not run this program's code");
    return status;
}
