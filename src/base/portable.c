/* log1p, expm1 and roots from the portable logarithm and exponential. */
#include "base/portable.h"

#include <assert.h>
#include <math.h>

#include "base/random.h"

/* The rounding of 1 + x cancels in the quotient (Kahan). */
double spk_portable_log1p(double x)
{
    assert(x >= -1 && isfinite(x));
    double u = 1 + x;
    if (u <= 0)
        return -INFINITY;
    return u == 1 ? x : spk_portable_log(u) * (x / (u - 1));
}

double spk_portable_expm1(double x)
{
    assert(x <= 0);
    if (x < -50)
        return -1;
    double u = spk_portable_exp(x);
    return u == 1 ? x : (u - 1) * (x / spk_portable_log(u));
}

double spk_portable_root(double x, uint64_t m)
{
    assert(x >= 0 && x <= 1 && m >= 1);
    if (m == 1 || x == 0)
        return x;
    return spk_portable_exp(spk_portable_log(x) / (double)m);
}
