/* Builds without CUDA: there is nothing to tune. */
#include "cuda/gpus.h"
#include "spikemine/papers.h"

spk_status spk_papers_tune(spk_context *context, int device, spk_papers_tuning *result)
{
    *result = (spk_papers_tuning){.a = 0};
    return spk_gpu_describe(context, device, &result->gpu); /* says why there is no GPU */
}
