/* Builds without CUDA: there is nothing to calibrate. */
#include "cuda/gpus.h"
#include "spikemine/papers.h"

spk_status spk_papers_calibrate(spk_context *context, int device, spk_papers_calibration *result)
{
    *result = (spk_papers_calibration){.a = 0};
    return spk_gpu_describe(context, device, &result->gpu); /* says why there is no GPU */
}
