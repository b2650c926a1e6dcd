/* A line through measured costs. */
#ifndef SPK_PLAN_FIT_H
#define SPK_PLAN_FIT_H

#include <stddef.h>

/* y = a + b * x, with neither a nor b below 0, by least squares of (a + b * x - y) / y: what was
 * measured is wrong by a share of itself. Points with y <= 0 are left out; without any a = b = 0,
 * and points of one x give b = y / x. x is above 0. */
void spk_plan_fit(size_t n, const double *x, const double *y, double *a, double *b);

#endif
