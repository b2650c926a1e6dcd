/* Allocation with overflow-checked sizes, which counts where a stage is open. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <malloc.h>
#include <sys/mman.h>
#endif

#include "base/stage.h"

#ifdef MADV_HUGEPAGE
/* From here on large pages are worth a call of the system. */
static const uint64_t MANY_BYTES = 4u << 20;
#endif

/* Pointers to objects of all types look alike (POSIX), so that `out` may be the address of any. */
static void store(void *out, void *data)
{
    memcpy(out, &data, sizeof data);
}

static spk_status fail_size(spk_context *context, uint64_t n, const char *what)
{
    return spk_fail(context, SPK_ERR_MEMORY, "%s: %llu elements are more than memory can hold",
                    what, (unsigned long long)n);
}

/* Bytes that the system set aside for a block; 0 where it does not say. */
static size_t block_bytes(void *data)
{
#ifdef __linux__
    return malloc_usable_size(data);
#else
    (void)data;
    return 0;
#endif
}

static spk_status allocate(spk_context *context, void *out, uint64_t n, size_t size, bool zero,
                           const char *what)
{
    assert(out != NULL && what != NULL);
    store(out, NULL);
    if (size != 0 && n > SIZE_MAX / 2 / size)
        return fail_size(context, n, what);
    size_t bytes = (size_t)n * size;
    spk_status status = spk_stage_admit(context, bytes, what);
    if (status != SPK_OK)
        return status;
    void *data = zero ? calloc(bytes > 0 ? bytes : 1, 1) : malloc(bytes > 0 ? bytes : 1);
    if (data == NULL)
        return spk_fail_memory(context, bytes, what);
    spk_stage_count(context, (int64_t)block_bytes(data));
    store(out, data);
    return SPK_OK;
}

spk_status spk_alloc_bytes(spk_context *context, void *out, uint64_t n, size_t size,
                           const char *what)
{
    return allocate(context, out, n, size, false, what);
}

spk_status spk_alloc_bytes_zero(spk_context *context, void *out, uint64_t n, size_t size,
                                const char *what)
{
    return allocate(context, out, n, size, true, what);
}

spk_status spk_alloc_list(spk_context *context, const char *what, const spk_column *columns,
                          size_t n_columns)
{
    assert(n_columns > 0);
    spk_status status = SPK_OK;
    for (size_t k = 0; k < n_columns; k++)
        store(columns[k].out, NULL);
    for (size_t k = 0; k < n_columns && status == SPK_OK; k++)
        status =
            allocate(context, columns[k].out, columns[k].n, columns[k].size, columns[k].zero, what);
    for (size_t k = 0; k < n_columns && status != SPK_OK; k++) {
        void *data = NULL;
        memcpy(&data, columns[k].out, sizeof data);
        spk_free(context, data);
        store(columns[k].out, NULL);
    }
    return status;
}

void spk_prefer_large_pages(void *data, uint64_t bytes)
{
#ifdef MADV_HUGEPAGE
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t skipped = (page - (uintptr_t)data % page) % page;
    if (bytes >= MANY_BYTES) /* refused: ordinary pages do */
        (void)madvise((char *)data + skipped, (bytes - skipped) / page * page, MADV_HUGEPAGE);
#else
    (void)data;
    (void)bytes;
#endif
}

/* By half, so that growing is seldom; near the limit of a stage by a sixteenth. */
static uint64_t grown_capacity(const spk_context *context, uint64_t capacity, uint64_t needed,
                               uint64_t row_bytes)
{
    uint64_t larger = capacity + capacity / 2 + 64, bytes = 0;
    if (__builtin_mul_overflow(larger, row_bytes, &bytes) ||
        !spk_stage_fits(context, bytes - capacity * row_bytes))
        larger = capacity + capacity / 16;
    return larger < needed ? needed : larger;
}

static spk_status resize(spk_context *context, void *array, uint64_t n, size_t size,
                         const char *what)
{
    assert(array != NULL && what != NULL && n > 0 && size > 0);
    void *data = NULL;
    memcpy(&data, array, sizeof data);
    if (size != 0 && n > SIZE_MAX / 2 / size)
        return fail_size(context, n, what);
    size_t bytes = (size_t)n * size, before = data != NULL ? block_bytes(data) : 0;
    spk_status status = spk_stage_admit(context, bytes > before ? bytes - before : 0, what);
    if (status != SPK_OK)
        return status;
    void *grown = realloc(data, bytes > 0 ? bytes : 1);
    if (grown == NULL)
        return spk_fail_memory(context, bytes, what);
    spk_stage_count(context, (int64_t)block_bytes(grown) - (int64_t)before);
    store(array, grown);
    return SPK_OK;
}

spk_status spk_grow_bytes(spk_context *context, void *array, uint64_t *capacity, uint64_t needed,
                          size_t size, const char *what)
{
    if (needed <= *capacity)
        return SPK_OK;
    uint64_t larger = grown_capacity(context, *capacity, needed, size);
    spk_status status = resize(context, array, larger, size, what);
    if (status == SPK_OK)
        *capacity = larger;
    return status;
}

spk_status spk_grow_list(spk_context *context, uint64_t *capacity, uint64_t needed,
                         const char *what, const spk_column *columns, size_t n_columns)
{
    if (needed <= *capacity)
        return SPK_OK;
    uint64_t row_bytes = 0;
    for (size_t k = 0; k < n_columns; k++)
        row_bytes += columns[k].n * columns[k].size;
    uint64_t larger = grown_capacity(context, *capacity, needed, row_bytes);
    spk_status status = SPK_OK;
    for (size_t k = 0; k < n_columns && status == SPK_OK; k++) {
        uint64_t n = 0;
        if (__builtin_mul_overflow(larger, columns[k].n, &n))
            return fail_size(context, larger, what);
        status = resize(context, columns[k].out, n, columns[k].size, what);
    }
    if (status == SPK_OK)
        *capacity = larger;
    return status;
}

void spk_free_list(void *const *data, size_t n)
{
    for (size_t k = 0; k < n; k++)
        free(data[k]);
}

void spk_free(spk_context *context, void *data)
{
    if (data != NULL)
        spk_stage_count(context, -(int64_t)block_bytes(data));
    free(data);
}

void spk_shrink_bytes(spk_context *context, void *array, uint64_t n, size_t size)
{
    void *data = NULL;
    memcpy(&data, array, sizeof data);
    size_t before = data != NULL ? block_bytes(data) : 0;
    void *smaller = realloc(data, n > 0 ? (size_t)n * size : 1);
    if (smaller == NULL) /* the larger block does */
        return;
    spk_stage_count(context, (int64_t)block_bytes(smaller) - (int64_t)before);
    store(array, smaller);
}

spk_status spk_strdup(spk_context *context, char **out, const char *text)
{
    *out = NULL;
    if (text == NULL)
        return SPK_OK;
    size_t bytes = strlen(text) + 1;
    spk_status status = spk_alloc(context, out, bytes, "a string");
    if (*out != NULL)
        memcpy(*out, text, bytes);
    return status;
}

/* ---- streams into memory --------------------------------------------------------------------- */

bool spk_close_text(FILE *stream, char **text)
{
    const bool failed = stream == NULL || ferror(stream) != 0;
    if (stream != NULL && fclose(stream) == 0 && !failed && *text != NULL)
        return true;
    free(*text);
    *text = NULL;
    return false;
}
