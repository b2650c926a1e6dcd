/* Texts: how one ends, and adding to one in a room of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "spikemine/export.h"

/* Whether a name ends in this, and is longer. */
static inline bool spk_ends_in(const char *name, const char *ending)
{
    const size_t n = strlen(name), length = strlen(ending);
    return n > length && strcmp(name + n - length, ending) == 0;
}

/* Adds to a text that lies in `size` bytes, as far as it fits. */
void spk_append(char *text, size_t size, const char *format, ...) SPK_PRINTF(3, 4);
