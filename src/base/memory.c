/* Allocation with overflow-checked sizes. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static spk_status allocate(spk_context *context, void **out, uint64_t n, size_t size, bool zero,
                           const char *what)
{
    *out = NULL;
    if (size != 0 && n > SIZE_MAX / 2 / size)
        return spk_fail(context, SPK_ERR_MEMORY, "%s: %llu elements are more than memory can hold",
                        what, (unsigned long long)n);
    size_t bytes = (size_t)n * size;
    *out = zero ? calloc(bytes > 0 ? bytes : 1, 1) : malloc(bytes > 0 ? bytes : 1);
    return *out != NULL ? SPK_OK : spk_fail_memory(context, bytes, what);
}

spk_status spk_alloc(spk_context *context, void **out, uint64_t n, size_t size, const char *what)
{
    return allocate(context, out, n, size, false, what);
}

spk_status spk_alloc_zero(spk_context *context, void **out, uint64_t n, size_t size,
                          const char *what)
{
    return allocate(context, out, n, size, true, what);
}

spk_status spk_grow(spk_context *context, void **array, uint64_t *capacity, uint64_t needed,
                    size_t size, const char *what)
{
    if (needed <= *capacity)
        return SPK_OK;
    uint64_t larger = *capacity + *capacity / 2 + 64;
    if (larger < needed)
        larger = needed;
    if (larger > SIZE_MAX / 2 / size)
        return spk_fail(context, SPK_ERR_MEMORY, "%s: %llu elements are more than memory can hold",
                        what, (unsigned long long)larger);
    void *grown = realloc(*array, (size_t)larger * size);
    if (grown == NULL)
        return spk_fail_memory(context, larger * size, what);
    *array = grown;
    *capacity = larger;
    return SPK_OK;
}

spk_status spk_strdup(spk_context *context, char **out, const char *text)
{
    *out = NULL;
    if (text == NULL)
        return SPK_OK;
    size_t bytes = strlen(text) + 1;
    spk_status status = spk_alloc(context, (void **)out, bytes, 1, "a string");
    if (*out != NULL)
        memcpy(*out, text, bytes);
    return status;
}
