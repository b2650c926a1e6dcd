/* The context as the library sees it: failing with a message, notes, progress, cancel. */
#pragma once

#include <stdint.h>

#include "spikemine/context.h"

SPK_BEGIN_C

/* Records the message (printf form) and returns `status`, so that a failure is one statement:
 * `return spk_fail(context, SPK_ERR_FORMAT, "%s:%zu: ...", path, line)`. `context` may be NULL. */
spk_status spk_fail(spk_context *context, spk_status status, const char *format, ...)
    SPK_PRINTF(3, 4);

/* The same for a failed allocation of `bytes` for `what`. */
spk_status spk_fail_memory(spk_context *context, uint64_t bytes, const char *what);

/* Tells the user something through the note callback of this context or of the nearest parent that
 * has one. */
void spk_note(spk_context *context, const char *format, ...) SPK_PRINTF(2, 3);

/* Reports progress in the same way, at most some ten times a second; cheap enough for inner loops
 * of milliseconds. */
void spk_progress(spk_context *context, const char *what, uint64_t done, uint64_t total);

/* Adds to what spk_context_tally tells. From any thread. */
void spk_tally_add(spk_context *context, uint64_t results, uint64_t bytes);

/* From now on nothing is told of what this context and its children do: no progress, no notes, no
 * tally. For one of many parts of a job that tells of itself. */
void spk_context_hush(spk_context *context);

/* SPK_ERR_CANCELLED with a message when a cancel of this context or of a parent was asked for, else
 * SPK_OK. */
spk_status spk_check_cancel(spk_context *context);

/* ---- memory ---------------------------------------------------------------------------------- */

/* The account of a context (base/stage.h); NULL for NULL. */
struct spk_account *spk_context_account(const spk_context *context);

/* The memory limit where a caller chose it; 0 for the default limit, which says nothing of memory
 * that is not the host's. */
uint64_t spk_context_chosen_limit(const spk_context *context);

/* Sets the memory limit as one that no caller chose. */
void spk_context_set_found_limit(spk_context *context, uint64_t bytes);

/* ---- ranks ----------------------------------------------------------------------------------- */

/* The ranks among which this context's work is shared; NULL where there are no others, and for
 * children. */
const struct spk_ranks *spk_context_ranks(const spk_context *context);

/* The rank of this process, also for children: files are written by rank 0. */
int spk_context_rank(const spk_context *context);

/* ---- files in the making ----------------------------------------------------------------------
 */

/* The list of files in the making of this context and all its relatives (base/temporary_list.h);
 * NULL for NULL. */
struct spk_temporary_list *spk_context_temporaries(spk_context *context);

/* The files that this context and all its relatives have read (base/reads.h); NULL for NULL. */
struct spk_reads *spk_context_reads(spk_context *context);

/* ---- failures on demand ---------------------------------------------------------------------- */

/* Lets a test make calls fail that seldom do. The place that makes such a call asks
 * spk_fault_strike first. The answer 0 means go on; any other answer is the error that the call is
 * to have. Each kind of call has a struct of its own, which begins with this one and knows which
 * calls it strikes. */
typedef struct spk_fault {
    int (*strike)(struct spk_fault *self);
} spk_fault;

/* Sets the fault, which is borrowed, or with NULL none. Children made afterwards inherit it, so
 * several threads may ask it at once. */
void spk_context_set_fault(spk_context *context, spk_fault *fault);

/* The fault's answer; 0 where none is set. */
int spk_fault_strike(const spk_context *context);

/* ---- the clock ------------------------------------------------------------------------------- */

/* Seconds on a clock that only goes forward. */
double spk_seconds_now(void);

SPK_END_C

/* ---- notes on what a stream may make happen again and again ---------------------------------- */

/* As spk_note, the first ten times, then the 100th, the 1,000th and so on, with the number. `times`
 * is the caller's, which begins at 0. */
void spk_note_again(spk_context *context, uint64_t *times, const char *format, ...)
    SPK_PRINTF(3, 4);
