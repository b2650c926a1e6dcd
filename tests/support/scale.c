/* Reads SPIKEMINE_TEST_SCALE. */
#include "support/scale.h"

#include <math.h>
#include <stdlib.h>

uint64_t test_scaled(uint64_t n)
{
    const char *text = getenv("SPIKEMINE_TEST_SCALE");
    double scale = text != NULL ? strtod(text, NULL) : 1;
    if (!(scale > 0) || scale == 1)
        return n;
    double scaled = ceil((double)n * scale);
    return scaled < 9e18 ? (uint64_t)scaled : n;
}
