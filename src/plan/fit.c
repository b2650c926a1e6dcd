/* A line through measured costs. */
#include "plan/fit.h"

/* Sums over all points with the weight 1 / y^2. */
typedef struct sums {
    double n, x, xx, y, xy;
} sums;

static sums add_up(size_t n, const double *x, const double *y)
{
    sums s = {0, 0, 0, 0, 0};
    for (size_t k = 0; k < n; k++) {
        if (y[k] <= 0)
            continue;
        double w = 1 / (y[k] * y[k]);
        s.n += w;
        s.x += w * x[k];
        s.xx += w * x[k] * x[k];
        s.y += w * y[k];
        s.xy += w * x[k] * y[k];
    }
    return s;
}

void spk_plan_fit(size_t n, const double *x, const double *y, double *a, double *b)
{
    const sums s = add_up(n, x, y);
    const double determinant = s.n * s.xx - s.x * s.x;
    *a = *b = 0;
    if (s.n <= 0)
        return;
    if (determinant > 1e-9 * s.n * s.xx) {
        *b = (s.n * s.xy - s.x * s.y) / determinant;
        *a = (s.y - *b * s.x) / s.n;
    } else {
        *a = -1; /* one x: a line through the origin */
    }
    if (*b < 0) {
        *b = 0;
        *a = s.y / s.n;
    } else if (*a < 0) {
        *a = 0;
        *b = s.xy / s.xx;
    }
}
