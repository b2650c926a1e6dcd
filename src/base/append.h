/* Adding to a text in a room of its own. */
#pragma once

#include <stddef.h>

#include "spikemine/export.h"

/* Adds to a text that lies in `size` bytes, as far as it fits. */
void spk_append(char *text, size_t size, const char *format, ...) SPK_PRINTF(3, 4);
