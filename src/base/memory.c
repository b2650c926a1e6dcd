/* Allocation with overflow-checked sizes; how much memory there is. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

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

static spk_status allocate(spk_context *context, void *out, uint64_t n, size_t size, bool zero,
                           const char *what)
{
    assert(out != NULL && what != NULL);
    store(out, NULL);
    if (size != 0 && n > SIZE_MAX / 2 / size)
        return fail_size(context, n, what);
    size_t bytes = (size_t)n * size;
    void *data = zero ? calloc(bytes > 0 ? bytes : 1, 1) : malloc(bytes > 0 ? bytes : 1);
    store(out, data);
    return data != NULL ? SPK_OK : spk_fail_memory(context, bytes, what);
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
        free(data);
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

static uint64_t grown_capacity(uint64_t capacity, uint64_t needed)
{
    uint64_t larger = capacity + capacity / 2 + 64;
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
    size_t bytes = (size_t)n * size;
    void *grown = realloc(data, bytes > 0 ? bytes : 1);
    if (grown == NULL)
        return spk_fail_memory(context, bytes, what);
    store(array, grown);
    return SPK_OK;
}

spk_status spk_grow_bytes(spk_context *context, void *array, uint64_t *capacity, uint64_t needed,
                          size_t size, const char *what)
{
    if (needed <= *capacity)
        return SPK_OK;
    uint64_t larger = grown_capacity(*capacity, needed);
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
    uint64_t larger = grown_capacity(*capacity, needed);
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

/* ---- how much there is ----------------------------------------------------------------------- */

/* The number after `label` in a file of the kernel; UINT64_MAX when there is none. */
static uint64_t read_number(const char *path, const char *label)
{
    char line[256], *end = line;
    uint64_t number = 0;
    bool found = false;
    FILE *stream = fopen(path, "r");
    while (stream != NULL && !found && fgets(line, sizeof line, stream) != NULL) {
        if (strncmp(line, label, strlen(label)) != 0)
            continue;
        number = strtoull(line + strlen(label), &end, 10);
        found = end != line + strlen(label);
    }
    if (stream != NULL)
        fclose(stream);
    return found ? number : UINT64_MAX;
}

uint64_t spk_memory_available(void)
{
    /* A container's own limit, control groups version 2 and 1; "max" and no file are no limit. */
    static const char *const limits[] = {"/sys/fs/cgroup/memory.max",
                                         "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    uint64_t kib = read_number("/proc/meminfo", "MemAvailable:");
    uint64_t bytes = kib < UINT64_MAX / 1024 ? kib * 1024 : UINT64_MAX;
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    if (bytes == UINT64_MAX && pages > 0 && page_bytes > 0) /* half of it may be in use */
        bytes = (uint64_t)pages * (uint64_t)page_bytes / 2;
#endif
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        uint64_t limit = read_number(limits[k], "");
        bytes = limit < bytes ? limit : bytes;
    }
    return bytes < UINT64_MAX ? bytes : 0;
}
