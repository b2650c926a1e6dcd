/* What each fuzz target includes: the function that it is, and how it says that something is wrong.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spikemine/spikemine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void stop(const char *why)
{
    fprintf(stderr, "%s\n", why);
    abort();
}

static inline void promise(int condition, const char *why)
{
    if (!condition)
        stop(why);
}

static inline void require(int condition)
{
    promise(condition, "a promise is broken");
}
