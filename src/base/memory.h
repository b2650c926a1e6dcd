/* Allocation with overflow-checked sizes, and arrays that grow. */
#ifndef SPK_BASE_MEMORY_H
#define SPK_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* n * size bytes into *out, uninitialised or zeroed; n = 0 gives a valid pointer. `what` names the
 * thing in the message of SPK_ERR_MEMORY. Free with free(). */
spk_status spk_alloc(spk_context *context, void **out, uint64_t n, size_t size, const char *what);
spk_status spk_alloc_zero(spk_context *context, void **out, uint64_t n, size_t size,
                          const char *what);

/* Asks the system for large pages where it has them and leaves the choice to programs: memory of
 * many megabytes that is about to be filled is there sooner. */
void spk_prefer_large_pages(void *data, uint64_t bytes);

/* Grows *array (of `size`-byte elements, *capacity of them) to hold at least `needed`, by half each
 * time. On failure the array stays as it was. */
spk_status spk_grow(spk_context *context, void **array, uint64_t *capacity, uint64_t needed,
                    size_t size, const char *what);

/* Copy of a string; NULL stays NULL. */
spk_status spk_strdup(spk_context *context, char **out, const char *text);

#ifdef __cplusplus
}
#endif

#endif
