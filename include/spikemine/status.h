/*
 * Status codes. Every function of the library that can fail returns one; the message that explains
 * it (place, cause, remedy) is on the context, see context.h.
 */
#ifndef SPIKEMINE_STATUS_H
#define SPIKEMINE_STATUS_H

#include "spikemine/export.h"

SPK_BEGIN_C

/* One list: code, value, text. Values are part of the ABI: append, never renumber. */
#define SPK_STATUS_LIST(X)                                                                         \
    X(SPK_OK, 0, "success")                                                                        \
    X(SPK_ERR_ARGUMENT, 1, "invalid argument")                                                     \
    X(SPK_ERR_MEMORY, 2, "out of memory, or the memory limit does not allow it")                   \
    X(SPK_ERR_IO, 3, "input or output failed")                                                     \
    X(SPK_ERR_FORMAT, 4, "the input is not in the expected format")                                \
    X(SPK_ERR_RANGE, 5, "a number is outside its range")                                           \
    X(SPK_ERR_ORDER, 6, "times go backwards")                                                      \
    X(SPK_ERR_UNAVAILABLE, 7, "not available in this build or on this machine")                    \
    X(SPK_ERR_UNSUPPORTED, 8, "this engine or format does not support the job")                    \
    X(SPK_ERR_CANCELLED, 9, "cancelled")                                                           \
    X(SPK_ERR_INTERNAL, 10, "internal error: please report it")                                    \
    X(SPK_ERR_DEVICE, 11, "a GPU failed")                                                          \
    X(SPK_ERR_PIPE, 12, "the reader of the output went away")

typedef enum spk_status {
#define SPK_STATUS_ENUM(code, value, text) code = value,
    SPK_STATUS_LIST(SPK_STATUS_ENUM)
#undef SPK_STATUS_ENUM
} spk_status;

/* The text of a code ("input or output failed"), never NULL; a static string. For the cause see
 * spk_context_message. */
SPK_API const char *spk_status_text(spk_status status);

SPK_END_C

#endif
