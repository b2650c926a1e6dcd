/* The sampling rate in a sorter's params.py, a Python file of which one line is read and none is
 * run. */
#ifndef SPK_RECORDING_READERS_SORTER_PARAMS_H
#define SPK_RECORDING_READERS_SORTER_PARAMS_H

#include <stddef.h>

#include "base/context.h"
#include "spikemine/duration.h"

/* Finds `sample_rate = NUMBER` in n bytes of text; {0, 1} where nothing is assigned to it. Errors:
 * SPK_ERR_FORMAT (what is assigned is no plain number, or there are two of them), which names the
 * line. */
spk_status spk_sorter_params_rate(spk_context *context, const char *name, const char *text,
                                  size_t n, spk_rate *out);

#endif
