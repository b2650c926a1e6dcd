/* Mean counts of patterns on a GPU: what a scorer asks for. Builds without CUDA answer, too
 * (absent.c). */
#pragma once

#include "base/context.h"
#include "significance/exact/cuda/sieve.h"

SPK_BEGIN_C

typedef struct device_means device_means;

/* Copies the view of the host to a GPU, which the calling thread uses in these calls alone. One
 * thread makes all of them; close *out in any case. Errors: SPK_ERR_MEMORY, SPK_ERR_DEVICE,
 * SPK_ERR_UNAVAILABLE. */
spk_status device_means_open(spk_context *context, int gpu, const means_view *host,
                             device_means **out);

/* means_of_blocks for n patterns; pattern i has the items item[offset[i]] .. and mean[i] is its
 * limit before the call. `device` is a device_means; tests have others. */
typedef spk_status means_find_fn(spk_context *context, void *device, uint64_t n,
                                 const uint64_t *offset, const uint32_t *item, double *mean);
means_find_fn device_means_find;

/* NULL is accepted. */
void device_means_close(device_means *device);

/* ---- a sieve --------------------------------------------------------------------------------- */

typedef struct device_sieve device_sieve;

/* Of one thread, on the device that it has entered; without limits. */
spk_status device_sieve_open(spk_context *context, const sieve_view *host, device_sieve **out);

/* The limits from now on: a row for each class, of n_rows in all. */
spk_status device_sieve_set(spk_context *context, device_sieve *sieve, const uint32_t *row,
                            const double *limit, uint32_t n_rows);

/* Looks at n patterns of a pile: number k begins at word[place[k]], all of them within n_words.
 * *kept has the *n_kept patterns that may matter, in some order, as sieve.h says: *n_words_kept
 * words, the sieve's until the next call. dropped[c]: how many others class c had. */
spk_status device_sieve_run(spk_context *context, device_sieve *sieve, const uint32_t *word,
                            uint64_t n_words, const uint64_t *place, uint64_t n,
                            const uint32_t **kept, uint64_t *n_words_kept, uint64_t *n_kept,
                            uint64_t *dropped);

/* NULL is accepted. */
void device_sieve_close(device_sieve *sieve);

SPK_END_C
