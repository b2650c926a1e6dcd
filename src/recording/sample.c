/* The recording that comes with the library. */
#include "spikemine/sample.h"

#include <stddef.h>

#include "base/output.h"

/* data/songbird_spikes.txt, packed by the build (cmake/PackFile.cmake). */
extern const unsigned char spk_sample_bytes[];
extern const size_t spk_sample_bytes_size;

static const char HEAD[] =
    "# Zebra finch, HVC: neuron, time in s. Demonstration data of PPSeq.jl (MIT licence).\n";

spk_status spk_sample_write(spk_context *context, const char *path)
{
    spk_output *output = NULL;
    spk_status status = spk_output_open(context, path, &output);
    if (status == SPK_OK)
        status = spk_output_write(context, output, HEAD, sizeof HEAD - 1);
    if (status == SPK_OK)
        status = spk_output_write(context, output, (const char *)spk_sample_bytes,
                                  spk_sample_bytes_size);
    if (status == SPK_OK)
        return spk_output_commit(context, output);
    spk_output_discard(output);
    return status;
}
