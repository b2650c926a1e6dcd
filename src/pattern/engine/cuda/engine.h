/* cuda-bitmap: the engine's functions, for any machine. */
#pragma once

#include "pattern/engine/cuda/machine.h"
#include "pattern/engine/engine.h"

/* spk_pattern_engine's mine and maxima, on the calling thread's machine. */
spk_status cp_mine(spk_context *context, const cp_machine *machine, const spk_pattern_job *given,
                   spk_pattern_sink *sink, void *user);
spk_status cp_maxima(spk_context *context, const cp_machine *machine,
                     const spk_pattern_maxima_job *given, spk_maxima_table *table, bool *done);
