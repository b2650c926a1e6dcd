/*
 * What pairs do in draws of a null hypothesis, beside what windows of jitter say of them. Where
 * units keep a rhythm, the numbers in windows predict counts badly: two regular units meet far more
 * often, or less, than by chance, and bursts make counts that vary more than those of Poisson.
 *
 *     A -> B in windows: 11;  in 24 draws: 22 on average, with a variance of 44. Then the mean of
 *     A -> B -> C is twice that of the windows, too, and a count counts from it half as far
 *
 * Draws are surrogates of their own, neither the pilots nor those of the test. So it is one fixed
 * function for the recording and all surrogates.
 */
#pragma once

#include "significance/exact/exact.h"

/* Searches the draws of the scale for pairs, with the threads of the context, and corrects its
 * means. Pairs of a second unit at an interval of delays, or at a lag. Where there are more than
 * 2^21 of them nothing is done. Memory: 16 bytes a pair, and 8 more for each thread. */
spk_status spk_exact_fit_pairs(spk_context *context, const spk_exact_job *job,
                               const spk_exact_scale *scale);
