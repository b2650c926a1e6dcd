/*
 * The context: what a caller sets once and every long call reads - threads, memory limit, progress,
 * notes, cancel - and where the message of the last error lies. The library has no other state: no
 * globals, no printing, no exit.
 *
 * Every function that takes a context accepts NULL: defaults, and no message. A context belongs to
 * one calling thread at a time; different contexts are independent.
 * spk_context_cancel alone may be called from any thread and from a signal handler.
 */
#ifndef SPIKEMINE_CONTEXT_H
#define SPIKEMINE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "spikemine/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spk_context spk_context;

/* Creates a context with all processors, no memory limit, no callbacks. NULL in *out on failure. */
SPK_API SPK_MUST_CHECK spk_status spk_context_create(spk_context **out);

/* Frees it; NULL is accepted. */
SPK_API void spk_context_free(spk_context *context);

/* Message of the last failing call on this context ("rec.csv:91: time 4.2 after 4.9; ..."), or "".
 * Owned by the context, valid until its next call. */
SPK_API const char *spk_context_message(const spk_context *context);

/* Worker threads; 0 means one per processor. Results never depend on it. */
SPK_API void spk_context_set_threads(spk_context *context, int threads);
SPK_API int spk_context_threads(const spk_context *context);

/* Soft limit in bytes for what the library allocates while mining; 0 means none. Work is cut into
 * blocks that fit; a job that cannot be cut small enough returns SPK_ERR_MEMORY. */
SPK_API void spk_context_set_memory_limit(spk_context *context, uint64_t bytes);
SPK_API uint64_t spk_context_memory_limit(const spk_context *context);

/* Bytes that can be allocated now without swapping: what the system calls available, within the
 * limit of a container. 0 when the system does not say. For choosing a limit. */
SPK_API uint64_t spk_memory_available(void);

/* Progress: what is being done, how far (done of total; total 0 when unknown). Called from the
 * calling thread only, at most some ten times a second. */
typedef void spk_progress_fn(void *user, const char *what, uint64_t done, uint64_t total);
SPK_API void spk_context_set_progress(spk_context *context, spk_progress_fn *progress, void *user);

/* Notes: things a user should know though nothing failed ("columns guessed: time, unit"). */
typedef void spk_note_fn(void *user, const char *text);
SPK_API void spk_context_set_note(spk_context *context, spk_note_fn *note, void *user);

/* Asks the running call to end: it returns SPK_ERR_CANCELLED soon, keeping what is complete. The
 * request stays until spk_context_cancel_clear. Async-signal-safe. */
SPK_API void spk_context_cancel(spk_context *context);
SPK_API void spk_context_cancel_clear(spk_context *context);
SPK_API bool spk_context_cancelled(const spk_context *context);

#ifdef __cplusplus
}
#endif

#endif
