/* Placeholder until the reader lands. */
#include "base/context.h"
#include "spikemine/recording.h"

void spk_read_options_init(spk_read_options *options)
{
    *options = (spk_read_options){.samples_per_second = 0};
}

spk_status spk_recording_read_text(spk_context *context, const char *path,
                                   const spk_read_options *options, spk_recording **out)
{
    (void)options;
    *out = NULL;
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s: no reader yet", path);
}
