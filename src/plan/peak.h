/* How much memory a part of the program takes at its peak, as the system counts it. */
#ifndef SPK_PLAN_PEAK_H
#define SPK_PLAN_PEAK_H

/* Bytes of the process now; 0 where the system does not say. From now on the peak is counted. */
double spk_peak_begin(void);

/* Bytes that the peak since then lies above `begin`, without the first 4 MB, which any work takes;
 * 0 where `begin` is 0. */
double spk_peak_end(double begin);

#endif
