/*
 * Options structs that can grow. Each begins with `size_t struct_size`, which its _init function
 * sets to the size that the caller was compiled with. Fields are only ever added at the end, so a
 * caller with an older, shorter struct gets the defaults of the fields that it does not know.
 */
#pragma once

#include <assert.h>
#include <stddef.h>

#include "base/context.h"

#define SPK_USUAL_ALPHA 0.05 /* level of every test that is given none */

/* What an _init function does: copies as much of the defaults as the caller's struct holds, and
 * zeros behind them. */
void spk_options_init(void *options, size_t struct_size, const void *defaults, size_t size);

/* The _init function of a struct with these defaults, as initialisers; the others are zero. */
#define SPK_OPTIONS_INIT(type, ...)                                                                \
    void type##_init(type *options, size_t struct_size)                                            \
    {                                                                                              \
        static const type defaults = {__VA_ARGS__};                                                \
        spk_options_init(options, struct_size, &defaults, sizeof defaults);                        \
    }                                                                                              \
    static_assert(offsetof(type, struct_size) == 0, #type " begins with its size")

/* Copies the caller's options over *own, which holds the defaults; NULL leaves the defaults. `name`
 * is the struct's, for messages. SPK_ERR_ARGUMENT: not initialised. SPK_ERR_UNSUPPORTED: a field
 * that this library does not know is set. */
spk_status spk_options_take(spk_context *context, const void *options, void *own, size_t size,
                            const char *name);

/* The same with the defaults of `type`: declares nothing, fills *own. Does not compile for a type
 * that begins with anything else than its size. */
#define SPK_OPTIONS_TAKE(context, options, own, type)                                              \
    ((void)sizeof(char[offsetof(type, struct_size) == 0 ? 1 : -1]),                                \
     type##_init((own), sizeof *(own)),                                                            \
     spk_options_take((context), (options), (own), sizeof *(own), #type))
