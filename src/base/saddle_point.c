/* Loader, "Fast and accurate computation of binomial probabilities" (2000). */
#include "base/saddle_point.h"

#include <math.h>

#include "base/random.h"

double spk_stirling_error(double n)
{
    enum { EXACT = 16 };
    if (n < EXACT) {
        double log_factorial = 0;
        for (int k = 2; k <= (int)n; k++)
            log_factorial += spk_portable_log(k);
        return log_factorial - (n + 0.5) * spk_portable_log(n) + n - SPK_LOG_TWO_PI / 2;
    }
    const double s = 1 / (n * n);
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - s / 1188) * s) * s) * s) / n;
}

/* A series where x and mean are near. */
double spk_deviance(double x, double mean)
{
    const double d = x - mean;
    if (fabs(d) >= 0.1 * (x + mean))
        return x * (spk_portable_log(x) - spk_portable_log(mean)) + mean - x;
    const double v = d / (x + mean);
    double sum = d * v, term = 2 * x * v;
    for (int k = 3; k < 1000; k += 2) {
        term *= v * v;
        double next = sum + term / k;
        if (next == sum)
            break;
        sum = next;
    }
    return sum;
}
