/* The context as the library sees it: failing with a message, notes, progress, cancel. */
#ifndef SPK_BASE_CONTEXT_H
#define SPK_BASE_CONTEXT_H

#include "spikemine/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Records the message (printf form) and returns `status`, so that a failure is one statement:
 * `return spk_fail(context, SPK_ERR_FORMAT, "%s:%zu: ...", path, line)`. `context` may be NULL. */
spk_status spk_fail(spk_context *context, spk_status status, const char *format, ...)
    SPK_PRINTF(3, 4);

/* The same for a failed allocation of `bytes` for `what`. */
spk_status spk_fail_memory(spk_context *context, uint64_t bytes, const char *what);

/* Tells the user something through the note callback. */
void spk_note(spk_context *context, const char *format, ...) SPK_PRINTF(2, 3);

/* Reports progress, at most some ten times a second; cheap enough for inner loops of milliseconds.
 */
void spk_progress(spk_context *context, const char *what, uint64_t done, uint64_t total);

/* SPK_ERR_CANCELLED with a message when a cancel was asked for, else SPK_OK. */
spk_status spk_check_cancel(spk_context *context);

/* Tests make calls of a GPU fail (cuda/fault.h); NULL otherwise. Borrowed; a workers's workers
 * share their caller's. */
struct gpu_fault;
void spk_context_set_fault(spk_context *context, struct gpu_fault *fault);
struct gpu_fault *spk_context_fault(const spk_context *context);

/* Seconds on a clock that only goes forward. */
double spk_seconds_now(void);

#ifdef __cplusplus
}
#endif

#endif
