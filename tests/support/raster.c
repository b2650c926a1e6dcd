/* Rasters and their windows for tests. */
#include "support/raster.h"

#include "support/test.h"

test_random test_random_start(const char *test)
{
    return test_random_make(test_seed(test), 0);
}

uint32_t test_below(test_random *random, uint32_t n)
{
    return (uint32_t)test_random_below(random, n);
}

static test_raster raster_empty(uint32_t n_units, uint32_t n_bins)
{
    test_raster raster = {n_units, n_bins, calloc((size_t)n_units * n_bins + 1, sizeof(bool))};
    assert_non_null(raster.fires);
    return raster;
}

test_raster test_raster_random(test_random *random, uint32_t n_units, uint32_t n_bins,
                               uint32_t percent)
{
    test_raster raster = raster_empty(n_units, n_bins);
    for (uint32_t k = 0; k < n_units * n_bins; k++)
        raster.fires[k] = test_below(random, 100) < percent;
    uint32_t lag[3];
    uint32_t unit[3];
    for (int k = 0; k < 3; k++) {
        lag[k] = test_below(random, 4);
        unit[k] = test_below(random, n_units);
    }
    uint32_t copies = test_below(random, 5);
    for (uint32_t c = 0; c < copies; c++) {
        uint32_t bin = test_below(random, n_bins);
        for (int k = 0; k < 3; k++)
            if (bin + lag[k] < n_bins)
                raster.fires[unit[k] * n_bins + bin + lag[k]] = true;
    }
    return raster;
}

test_raster test_raster_bundled(const char *name, uint32_t n_units, uint32_t first_bin,
                                uint32_t n_bins)
{
    FILE *file = fopen(test_bundled(name), "r");
    assert_non_null(file);
    test_raster raster = raster_empty(n_units, n_bins);
    unsigned seconds;
    unsigned milliseconds;
    unsigned unit;
    while (fscanf(file, "%u.%3u %u", &seconds, &milliseconds, &unit) == 3) {
        uint32_t bin = (seconds * 1000 + milliseconds) / 5 - first_bin;
        if (unit < n_units && bin < n_bins) /* earlier bins wrap round to large numbers */
            raster.fires[unit * n_bins + bin] = true;
    }
    assert_true(feof(file));
    fclose(file);
    return raster;
}

void test_raster_free(test_raster *raster)
{
    free(raster->fires);
    raster->fires = NULL;
}

spk_window_columns test_windows_of(const test_raster *raster, uint32_t window)
{
    uint64_t *first = calloc((size_t)raster->n_bins + 1, sizeof *first);
    uint32_t *item = malloc(((size_t)raster->n_bins * raster->n_units * window + 1) * sizeof *item);
    uint64_t *start_bin = calloc((size_t)raster->n_bins + 1, sizeof *start_bin);
    uint32_t *trial = calloc((size_t)raster->n_bins + 1, sizeof *trial);
    assert_true(first != NULL && item != NULL && start_bin != NULL && trial != NULL);
    uint64_t n = 0;
    uint64_t n_items = 0;
    for (uint32_t bin = 0; bin < raster->n_bins; bin++) {
        bool any = false;
        for (uint32_t unit = 0; unit < raster->n_units; unit++)
            any = any || raster->fires[unit * raster->n_bins + bin];
        if (!any)
            continue;
        for (uint32_t unit = 0; unit < raster->n_units; unit++)
            for (uint32_t lag = 0; lag < window && bin + lag < raster->n_bins; lag++)
                if (raster->fires[unit * raster->n_bins + bin + lag])
                    item[n_items++] = unit * window + lag;
        start_bin[n] = bin;
        first[++n] = n_items;
    }
    return (spk_window_columns){.n_windows = n,
                                .n_units = raster->n_units,
                                .window = window,
                                .first = first,
                                .item = item,
                                .trial = trial,
                                .start_bin = start_bin};
}

spk_window_columns test_windows_random(test_random *random, uint32_t n_windows, uint32_t n_units,
                                       uint32_t window, uint32_t percent)
{
    uint64_t *first = calloc((size_t)n_windows + 1, sizeof *first);
    uint32_t *item = malloc(((size_t)n_windows * n_units * window + 1) * sizeof *item);
    uint64_t *start_bin = calloc((size_t)n_windows + 1, sizeof *start_bin);
    uint32_t *trial = calloc((size_t)n_windows + 1, sizeof *trial);
    assert_true(first != NULL && item != NULL && start_bin != NULL && trial != NULL);
    uint64_t n_items = 0;
    for (uint32_t w = 0; w < n_windows; w++) {
        uint32_t kind = test_below(random, 8); /* copies and empty windows too */
        uint64_t begin = w > 0 ? first[w - 1] : 0;
        uint64_t end = w > 0 ? first[w] : 0;
        if (kind == 0)
            for (uint64_t k = begin; k < end; k++)
                item[n_items++] = item[k];
        else if (kind > 1)
            for (uint32_t k = 0; k < n_units * window; k++)
                if (test_below(random, 100) < percent)
                    item[n_items++] = k;
        start_bin[w] = w;
        first[w + 1] = n_items;
    }
    return (spk_window_columns){.n_windows = n_windows,
                                .n_units = n_units,
                                .window = window,
                                .first = first,
                                .item = item,
                                .trial = trial,
                                .start_bin = start_bin};
}

void test_windows_free(spk_window_columns *windows)
{
    free((void *)(uintptr_t)windows->first);
    free((void *)(uintptr_t)windows->item);
    free((void *)(uintptr_t)windows->start_bin);
    free((void *)(uintptr_t)windows->trial);
    *windows = (spk_window_columns){.n_windows = 0};
}
