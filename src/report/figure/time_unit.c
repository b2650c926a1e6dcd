/* The unit of axes of lags. */
#include <math.h>
#include <stddef.h>

#include "spikemine/figure.h"

const char *spk_figure_time_unit(double longest_s, double *per_second)
{
    static const struct {
        const char *name;
        double per_second, least_s;
    } units[] = {{"h", 1.0 / 3600, 10800}, {"min", 1.0 / 60, 900},   {"s", 1, 2},
                 {"ms", 1e3, 2e-3},        {"\xc2\xb5s", 1e6, 2e-6}, {"ns", 1e9, -INFINITY}};
    size_t k = 0;
    while (!(longest_s >= units[k].least_s) && k + 1 < sizeof units / sizeof units[0])
        k++;
    if (per_second != NULL)
        *per_second = units[k].per_second;
    return units[k].name;
}
