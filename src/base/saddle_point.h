/* The two parts of Loader's saddle-point expansion (binomial.c, poisson.c), with the same bits
 * everywhere (random.h says where). */
#ifndef SPK_BASE_SADDLE_POINT_H
#define SPK_BASE_SADDLE_POINT_H

/* log(2 pi) */
#define SPK_LOG_TWO_PI 1.8378770664093454836

/* log(n!) - log(sqrt(2 pi n) (n / e)^n), the error of Stirling's formula, n >= 1. */
double spk_stirling_error(double n);

/* x log(x / mean) + mean - x without loss where they are near; x and mean > 0. */
double spk_deviance(double x, double mean);

#endif
