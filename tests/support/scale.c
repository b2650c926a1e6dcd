/* Reads SPIKEMINE_TEST_SCALE. */
#include "support/scale.h"

#include <math.h>
#include <stdlib.h>

static double wanted(void)
{
    const char *text = getenv("SPIKEMINE_TEST_SCALE");
    double scale = text != NULL ? strtod(text, NULL) : 1;
    return scale > 0 ? scale : 1;
}

uint64_t test_scaled(uint64_t n)
{
    double scale = wanted();
    double scaled = ceil((double)n * scale);
    return scale != 1 && scaled < 9e18 ? (uint64_t)scaled : n;
}

uint64_t test_scaled_from(uint64_t n, uint64_t least)
{
    const uint64_t scaled = test_scaled(n);
    return scaled < least ? least : scaled;
}

bool test_whole_recordings(void)
{
    return wanted() >= 0.05;
}
