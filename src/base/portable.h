/* More of the functions that have the same bits everywhere, whatever libm is installed; random.h
 * has logarithm and exponential, and says on which machines. */
#ifndef SPK_BASE_PORTABLE_H
#define SPK_BASE_PORTABLE_H

#include <stdint.h>

/* log(1 + x) for x >= -1, and exp(x) - 1 for x <= 0, without loss near 0. log(0) is -INFINITY. */
double spk_portable_log1p(double x);
double spk_portable_expm1(double x);

/* The m-th root of x in 0 .. 1, m >= 1; x itself for m = 1. */
double spk_portable_root(double x, uint64_t m);

#endif
