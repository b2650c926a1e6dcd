/* Crossover points, the fit, the rule. */
#include "episode/engine/cuda/papers/host_crossover.h"

#include <math.h>

crossover_fit crossover_default(void)
{
    return (crossover_fit){.a = 1, .b = 0};
}

bool crossover_takes_ptpe(crossover_fit fit, uint64_t resident, uint32_t size, uint64_t n)
{
    return (double)n > (double)resident * (fit.a / size + fit.b);
}

double crossover_point(size_t n, const double *candidates, const double *ptpe_seconds,
                       const double *mtpe_seconds, bool *crossed)
{
    size_t k = n; /* from k on PTPE is as fast */
    while (k > 0 && ptpe_seconds[k - 1] <= mtpe_seconds[k - 1])
        k--;
    *crossed = k > 0 && k < n;
    if (k == 0)
        return candidates[0];
    if (k == n)
        return candidates[n - 1];
    double before = log(ptpe_seconds[k - 1] / mtpe_seconds[k - 1]);
    double after = log(mtpe_seconds[k] / ptpe_seconds[k]);
    double share = before / (before + after);
    return exp(log(candidates[k - 1]) + share * log(candidates[k] / candidates[k - 1]));
}

spk_status crossover_least_squares(spk_context *context, size_t n,
                                   const spk_papers_crossover *crossover, crossover_fit *fit)
{
    double sum_x = 0;
    double sum_y = 0;
    double sum_xx = 0;
    double sum_xy = 0;
    bool two_sizes = false;
    for (size_t k = 0; k < n; k++) {
        double x = 1.0 / crossover[k].size;
        double y = crossover[k].candidates / (double)crossover[k].resident;
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_xy += x * y;
        two_sizes |= crossover[k].size != crossover[0].size;
    }
    if (!two_sizes)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a / N + b needs the crossover points of two sizes or more");
    /* The line a * x + b through the points (1 / size, candidates / resident), by least squares.
     * Two sizes make the divisor positive. */
    double m = (double)n;
    fit->a = (m * sum_xy - sum_x * sum_y) / (m * sum_xx - sum_x * sum_x);
    fit->b = (sum_y - fit->a * sum_x) / m;
    return SPK_OK;
}
