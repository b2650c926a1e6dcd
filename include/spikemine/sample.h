/*
 * A small recording to try things with, which comes with the library: 74 units of a zebra finch
 * (HVC) in 22.2 s, with two known types of sequences. It is demonstration data of PPSeq.jl (MIT
 * licence).
 *
 *     status = spk_sample_write(context, SPK_SAMPLE_NAME);
 *     status = spk_recording_read(context, SPK_SAMPLE_NAME, &options, &recording);
 *
 * The lines are "time_s unit", in the order of time.
 */
#ifndef SPIKEMINE_SAMPLE_H
#define SPIKEMINE_SAMPLE_H

#include "spikemine/context.h"

SPK_BEGIN_C

/* How the file is called where nobody calls it otherwise. */
#define SPK_SAMPLE_NAME "songbird_spikes.txt"

/* Writes it to a file, which is replaced where it exists; "-" is standard output. Errors:
 * SPK_ERR_IO, SPK_ERR_PIPE, SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_sample_write(spk_context *context, const char *path);

SPK_END_C

#endif
