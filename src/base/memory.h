/*
 * Allocation with overflow-checked sizes, and arrays that grow. Free everything with free().
 *
 *     uint32_t *unit = NULL;
 *     uint64_t *count = NULL;
 *     spk_status status = spk_alloc_columns(context, "candidates", SPK_COLUMN(&unit, n * size),
 *                                           SPK_COLUMN_ZERO(&count, n));
 *
 * The macros take the element's size from the pointer, so that it cannot be wrong. `what` names the
 * thing in the message of SPK_ERR_MEMORY. Inside a stage (base/stage.h) all of it counts against
 * the context's memory limit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/context.h"

SPK_BEGIN_C

/* Room for n elements at *out, the address of a pointer; uninitialised, or zeroed. n = 0 gives a
 * valid pointer. On failure *out is NULL. */
#define spk_alloc(context, out, n, what)                                                           \
    spk_alloc_bytes((context), (out), (n), sizeof **(out), (what))
#define spk_alloc_zero(context, out, n, what)                                                      \
    spk_alloc_bytes_zero((context), (out), (n), sizeof **(out), (what))

/* The same for elements whose size only the caller knows. `out` is the address of a pointer of any
 * type. */
spk_status spk_alloc_bytes(spk_context *context, void *out, uint64_t n, size_t size,
                           const char *what);
spk_status spk_alloc_bytes_zero(spk_context *context, void *out, uint64_t n, size_t size,
                                const char *what);

/* ---- several arrays at once ------------------------------------------------------------------ */

/* One array of several. */
typedef struct spk_column {
    void *out; /* the address of a pointer */
    uint64_t n;
    size_t size; /* bytes of an element */
    bool zero;
} spk_column;

#define SPK_COLUMN(out, n)                                                                         \
    {                                                                                              \
        (out), (n), sizeof **(out), false                                                          \
    }
#define SPK_COLUMN_ZERO(out, n)                                                                    \
    {                                                                                              \
        (out), (n), sizeof **(out), true                                                           \
    }

/* All of them, or none: after a failure every pointer is NULL. */
#define spk_alloc_columns(context, what, ...)                                                      \
    spk_alloc_list((context), (what), (const spk_column[]){__VA_ARGS__},                           \
                   sizeof((const spk_column[]){__VA_ARGS__}) / sizeof(spk_column))
spk_status spk_alloc_list(spk_context *context, const char *what, const spk_column *columns,
                          size_t n_columns);

/* ---- arrays that grow ------------------------------------------------------------------------ */

/* Grows *array, which has *capacity elements, to hold at least `needed`, by half each time; by less
 * where a stage is open and its limit is near. On failure the array stays as it was. */
#define spk_grow(context, array, capacity, needed, what)                                           \
    spk_grow_bytes((context), (array), (capacity), (needed), sizeof **(array), (what))
spk_status spk_grow_bytes(spk_context *context, void *array, uint64_t *capacity, uint64_t needed,
                          size_t size, const char *what);

/* The same for the columns of one table, which share their capacity in rows; a column has `n`
 * elements a row: spk_grow_columns(context, &capacity, rows, "events", SPK_COLUMN(&time, 1), ...).
 * On failure every array is still valid and *capacity stays. */
#define spk_grow_columns(context, capacity, needed, what, ...)                                     \
    spk_grow_list((context), (capacity), (needed), (what), (const spk_column[]){__VA_ARGS__},      \
                  sizeof((const spk_column[]){__VA_ARGS__}) / sizeof(spk_column))
spk_status spk_grow_list(spk_context *context, uint64_t *capacity, uint64_t needed,
                         const char *what, const spk_column *columns, size_t n_columns);

/* ---- giving back ------------------------------------------------------------------------------
 */

/* free() for several arrays: spk_free_all(table->unit, table->time, table->count). */
#define spk_free_all(...)                                                                          \
    spk_free_list((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void spk_free_list(void *const *data, size_t n);

/* free() for the middle of a stage (base/stage.h): the bytes no longer count. */
void spk_free(spk_context *context, void *data);

/* Gives back what *array has beyond n elements, where the system does so. */
#define spk_shrink(context, array, n) spk_shrink_bytes((context), (array), (n), sizeof **(array))
void spk_shrink_bytes(spk_context *context, void *array, uint64_t n, size_t size);

/* ---- the rest -------------------------------------------------------------------------------- */

/* Asks the system for large pages where it has them and leaves the choice to programs: memory of
 * many megabytes that is about to be filled is there sooner. */
void spk_prefer_large_pages(void *data, uint64_t bytes);

/* Copy of a string; NULL stays NULL. */
spk_status spk_strdup(spk_context *context, char **out, const char *text);

SPK_END_C

/* Closes a stream of open_memstream, which may be NULL. False: memory was out, and *text is NULL;
 * the system closes such a stream without a word where it cannot cut the text to its length. */
bool spk_close_text(FILE *stream, char **text);
