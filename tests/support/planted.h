/* A small random recording in which something is planted, for tests of whole analyses. */
#pragma once

#include "support/context.h"

enum { N_UNITS = 6, STOP = 3000 };

/* Noise, and a sequence of four units with 3 ms between. */
static inline spk_recording *make_recording(test_random *random)
{
    static int64_t time[350 + 30 * 4];
    static uint32_t unit[350 + 30 * 4];
    static const int64_t start = 0, stop = STOP;
    spk_recording *recording = NULL;
    uint64_t n = 0;
    for (int k = 0; k < 350; k++, n++) {
        time[n] = test_random_between(random, 0, STOP - 1);
        unit[n] = (uint32_t)test_random_below(random, N_UNITS);
    }
    for (int k = 0; k < 30; k++) {
        const int64_t first = test_random_between(random, 0, STOP - 20);
        for (uint32_t u = 0; u < 4; u++, n++) {
            time[n] = first + 3 * (int64_t)u;
            unit[n] = u;
        }
    }
    check(test_recording_create(context, n, time, unit, N_UNITS, NULL, (spk_rate){1000, 1}, &start,
                                &stop, &recording));
    return recording;
}
