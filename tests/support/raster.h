/* Small rasters of spikes with their windows, made without the library. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "spikemine/pattern.h"
#include "support/random.h"

/* A generator whose seed is printed with the test's name. */
test_random test_random_start(const char *test);
/* Uniform in 0 .. n-1, as uint32_t. */
uint32_t test_below(test_random *random, uint32_t n);

/* fires[unit * n_bins + bin] */
typedef struct test_raster {
    uint32_t n_units;
    uint32_t n_bins;
    bool *fires;
} test_raster;

/* Spikes with a probability of `percent`, and a pattern planted a few times. */
test_raster test_raster_random(test_random *random, uint32_t n_units, uint32_t n_bins,
                               uint32_t percent);
/* The first n_units units and n_bins bins of 5 ms of a bundled recording in lines
 * "seconds.milliseconds unit", from first_bin on. */
test_raster test_raster_bundled(const char *name, uint32_t n_units, uint32_t first_bin,
                                uint32_t n_bins);
void test_raster_free(test_raster *raster);

/* The windows of a raster, by the definition; free with test_windows_free. */
spk_window_columns test_windows_of(const test_raster *raster, uint32_t window);
/* Random transactions: no moving window would see these. */
spk_window_columns test_windows_random(test_random *random, uint32_t n_windows, uint32_t n_units,
                                       uint32_t window, uint32_t percent);
void test_windows_free(spk_window_columns *windows);
