/*
 * Preloaded before a program: makes its n-th allocation fail, or all from the n-th on.
 *
 *   FAIL_MALLOC_AT=n       the first allocation that fails; 0 or nothing: none
 *   FAIL_MALLOC_ON=1       and all that follow
 *   FAIL_MALLOC_COUNT=FILE writes the number of allocations there at the end
 *
 *   FAIL_MALLOC_NOT=NAMES  leaves out the calls of libraries, with colons between: libcrypto
 * allocates by the thousand when it starts, fontconfig crashes without our help
 *
 * glibc calls its own allocator by the names that are replaced here, so that the allocations of
 * stdio, OpenMP and other libraries count as well.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

/* The build hides what is not said to be seen. */
#pragma GCC visibility push(default)

static atomic_ulong calls;
static unsigned long first;
static bool following;
static const char *count_file;

/* Where the libraries lie whose calls are left out. */
enum { MAX_RANGES = 256 };
static struct {
    uintptr_t begin;
    uintptr_t end;
} range[MAX_RANGES];
static size_t n_ranges;

static void *(*load)(const char *name, int flags);
static _Thread_local bool is_loading; /* what the loader takes does not count */

static bool is_named(const char *path)
{
    const char *names = getenv("FAIL_MALLOC_NOT");
    for (const char *at = names; at != NULL && *at != '\0'; at += strspn(at, ":")) {
        char name[64];
        size_t n = strcspn(at, ":");
        if (n < sizeof name) {
            memcpy(name, at, n);
            name[n] = '\0';
            if (strstr(path, name) != NULL)
                return true;
        }
        at += n;
    }
    return false;
}

static int take_library(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    (void)user;
    for (int k = 0; k < info->dlpi_phnum && is_named(info->dlpi_name); k++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[k];
        if (segment->p_type != PT_LOAD || n_ranges == MAX_RANGES)
            continue;
        range[n_ranges].begin = info->dlpi_addr + segment->p_vaddr;
        range[n_ranges].end = range[n_ranges].begin + segment->p_memsz;
        n_ranges++;
    }
    return 0;
}

__attribute__((constructor)) static void start(void)
{
    const char *at = getenv("FAIL_MALLOC_AT");
    const char *on = getenv("FAIL_MALLOC_ON");
    first = at != NULL ? strtoul(at, NULL, 10) : 0;
    following = on != NULL && on[0] == '1';
    count_file = getenv("FAIL_MALLOC_COUNT");
    *(void **)&load = dlsym(RTLD_NEXT, "dlopen");
    dl_iterate_phdr(take_library, NULL);
    atomic_store(&calls, 0);
}

/* A library that is loaded when it is first needed may be one of those that are left out. */
void *dlopen(const char *name, int flags)
{
    is_loading = true;
    void *library = load(name, flags);
    n_ranges = 0;
    dl_iterate_phdr(take_library, NULL);
    is_loading = false;
    return library;
}

__attribute__((destructor)) static void finish(void)
{
    char text[32];
    if (count_file == NULL)
        return;
    int file = open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int n = snprintf(text, sizeof text, "%lu\n", atomic_load(&calls));
    if (file >= 0 && write(file, text, (size_t)n) != n)
        _exit(99);
    if (file >= 0)
        close(file);
}

static bool is_left_out(const void *caller)
{
    for (size_t k = 0; k < n_ranges; k++)
        if ((uintptr_t)caller >= range[k].begin && (uintptr_t)caller < range[k].end)
            return true;
    return false;
}

static bool strikes(void *caller)
{
    if (is_loading || is_left_out(caller))
        return false;
    unsigned long call = atomic_fetch_add(&calls, 1) + 1;
    if (first == 0 || call < first || (call > first && !following))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return strikes(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return strikes(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
    return strikes(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size)
{
    return strikes(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return strikes(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (strikes(__builtin_return_address(0)))
        return ENOMEM;
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL)
        return ENOMEM;
    *out = memory;
    return 0;
}
