/*
 * The context: what a caller sets once and every long call reads (threads, memory limit, progress,
 * notes, cancel), and where the message of the last error lies.
 *
 * Every function that takes a context accepts NULL in its place: one thread per processor, no
 * memory limit, no callbacks, no cancel and no message. The status alone then tells what went
 * wrong. The functions of this header do nothing for NULL, or give what NULL stands for.
 *
 * Ownership: the caller owns a context and frees it with spk_context_free, after every handle that
 * keeps it (their headers say which do) and after its children. What the caller sets on a context
 * (`user` of a callback) is borrowed until it is replaced or the context is freed.
 *
 * State: the library has none of its own beyond contexts and handles, with two exceptions. GPU
 * engines keep up to 16 MB of pinned host memory of one job for the next, in one place for the
 * whole process, behind a lock. And it keeps how many threads were seen to start, and in which
 * process.
 *
 * Threads that cannot be started: OpenMP ends the program then. Before a search as many threads as
 * it wants are started for a moment; where the system refuses some, the search takes fewer and a
 * note says so. Nothing prevents that other threads of the program, or other programs of the same
 * user, take in between what is left; whoever works at such a limit sets fewer threads.
 *
 * After fork: in a child of a process that has mined with several threads a search has one thread,
 * since those of OpenMP do not come along, and a note says so. A child whose parent has used OpenMP
 * by itself must set one thread; the library cannot see it.
 *
 * A compressed file has threads of its own while it is written, one less than the context, from its
 * first megabytes on. The libraries below keep what they keep: OpenMP its threads, CUDA its devices
 * and the memory that jobs gave back to them, cairo its fonts, ZeroMQ and the Lab Streaming Layer
 * threads of their own while a live source or sink uses them. The library reads the environment
 * variables that docs/reference/command.md lists, and changes none. It does not print, exit, abort,
 * install signal handlers or change the locale.
 */
#ifndef SPIKEMINE_CONTEXT_H
#define SPIKEMINE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/status.h"

SPK_BEGIN_C

/* Threads: one thread at a time, the one whose call it serves; different contexts are independent
 * of each other, a child and its parent too, as far as this header says. From any thread at any
 * time: spk_context_cancel, spk_context_cancel_clear and spk_context_cancelled. */
typedef struct spk_context spk_context;

/* ---- life ------------------------------------------------------------------------------------ */

/* Creates a context with one thread per processor, no memory limit and no callbacks.
 * Errors: SPK_ERR_MEMORY, and NULL in *out. */
SPK_API SPK_MUST_CHECK spk_status spk_context_create(spk_context **out);

/* Creates a context for a part of the parent's work, mostly for a thread of its own. The parent
 * must outlive it.
 *   - Threads, memory limit and largest expansion are copied from the parent, and can be set anew.
 *     The limit holds for each child by itself: divide it where children work at the same time.
 *   - The child has a message of its own.
 *   - A cancel of the parent cancels the child too; a cancel of the child leaves the parent alone.
 *   - Progress and notes go to the child's callbacks or, where it has none, to its parent's, from
 * the thread that uses the child. A context and all that descend from it never make two calls at
 * the same time. A child may have children. With a NULL parent it is a context like any other. Call
 * it in the thread that uses the parent, or while none does. Errors: SPK_ERR_MEMORY, and NULL in
 * *out. */
SPK_API SPK_MUST_CHECK spk_status spk_context_create_child(spk_context *parent, spk_context **out);

/* Frees it; NULL is accepted. */
SPK_API void spk_context_free(spk_context *context);

/* Message of the last failing call on this context ("rec.csv:91: time 4.2 after 4.9; ..."), or "".
 * Owned by the context, valid until its next call. */
SPK_API const char *spk_context_message(const spk_context *context);

/* Copies a text for a terminal. Bytes that are no UTF-8, control characters and marks that change
 * the direction of text become \t, \n, \r or \xHH. Everything else stays. Messages and notes of the
 * library are such texts already; paths and labels are not. The function writes at most `size`
 * bytes, the last one a zero, and cuts between characters. It returns the length of the whole, like
 * snprintf. */
SPK_API size_t spk_text_printable(const char *text, char *buffer, size_t size);

/* ---- settings -------------------------------------------------------------------------------- */

/* Worker threads; 0 means one per processor that this process may use: by its affinity, or fewer by
 * the quota of its control groups; a change of these is seen within a second. Results never depend
 * on it. */
SPK_API void spk_context_set_threads(spk_context *context, int threads);
SPK_API int spk_context_threads(const spk_context *context);

/* Limit in bytes for what the library holds on behalf of this context; 0 means none. It counts the
 * recordings, windows and lists that were made with the context until they are freed, what a live
 * stream and all that follows it keep of their input, and what a running call takes beside them.
 * Reading asks before it allocates. Searches are cut into blocks that fit. A job that does not fit
 * returns SPK_ERR_MEMORY with what it needed. Not counted are some 20 MB that no input makes
 * larger: buffers of files, a few tables of an engine, the stacks of threads. */
SPK_API void spk_context_set_memory_limit(spk_context *context, uint64_t bytes);
SPK_API uint64_t spk_context_memory_limit(const spk_context *context);

/* Sets the limit to three quarters of what is available now (spk_memory_available), so that a job
 * that needs more is refused before the machine begins to swap. On GPUs this limit leaves engines
 * all free memory of the device; a limit that was set by number gives them half of it at most. */
SPK_API void spk_context_set_default_memory_limit(spk_context *context);

/* Bytes that can be allocated now without swapping: what the system calls available, and within it
 * what is left of every limit of this process. These are its control groups and those around them
 * (versions 1 and 2: containers, systemd), a job of Slurm, and `ulimit -v` and `-d`. 0 when the
 * system does not say. For choosing a limit. */
SPK_API uint64_t spk_memory_available(void);

/* How many times its stored size a compressed file may grow when it is read; 0 sets the default,
 * SPK_MAX_EXPANSION_DEFAULT, and UINT64_MAX lifts the limit. The first 64 MB are always allowed.
 * Recordings grow 5 to 50 times. A file that grows more is damaged, or made to fill memory; reading
 * it returns SPK_ERR_RANGE. A NULL context has the default. */
#define SPK_MAX_EXPANSION_DEFAULT 1000u
SPK_API void spk_context_set_max_expansion(spk_context *context, uint64_t times);
SPK_API uint64_t spk_context_max_expansion(const spk_context *context);

/* Bytes that writing leaves free on a disk; 0, as in a new context, means 1 % of the file system,
 * at most 1 GB. A result that would go on beyond it ends with SPK_ERR_IO. Results of less than
 * 16 MB are always written. */
SPK_API void spk_context_set_disk_reserve(spk_context *context, uint64_t bytes);
SPK_API uint64_t spk_context_disk_reserve(const spk_context *context);

/* ---- callbacks ------------------------------------------------------------------------------- */

/* Progress: what is being done, how far (done of total; total 0 when unknown). Called from the
 * thread that uses the context or a child of it, at most some ten times a second. A callback may
 * cancel; it must not free the context or start other work with it. Once the setter has returned,
 * the old callback is not called again. */
typedef void spk_progress_fn(void *user, const char *what, uint64_t done, uint64_t total);
SPK_API void spk_context_set_progress(spk_context *context, spk_progress_fn *progress, void *user);

/* The work of a context, its parents and all their children since the first of them was made: the
 * number of episodes or patterns found, before any step that drops some, and the number of bytes
 * sent to result files. Callbacks that show progress need it. From any thread. 0 for a NULL
 * context. */
typedef struct spk_tally {
    uint64_t results;
    uint64_t bytes;
} spk_tally;
SPK_API spk_tally spk_context_tally(const spk_context *context);

/* Notes: things a user should know though nothing failed ("columns guessed: time, unit"). The rules
 * are those of progress, but none is left out. */
typedef void spk_note_fn(void *user, const char *text);
SPK_API void spk_context_set_note(spk_context *context, spk_note_fn *note, void *user);

/* ---- cancel ---------------------------------------------------------------------------------- */

/* Asks the running call to end: it returns SPK_ERR_CANCELLED soon, keeping what is complete. The
 * request stays until spk_context_cancel_clear. From any thread and from a signal handler. */
SPK_API void spk_context_cancel(spk_context *context);

/* Takes the request back; one that was made to a parent stays. */
SPK_API void spk_context_cancel_clear(spk_context *context);

/* Whether a cancel of this context or of a parent was asked for. */
SPK_API bool spk_context_cancelled(const spk_context *context);

/* ---- signals --------------------------------------------------------------------------------- */

/* Removes the files in the making of this context and all its relatives. For a signal handler that
 * ends the program with _exit right after it, and for nothing else: what writes these files fails
 * then. Async-signal-safe. */
SPK_API void spk_context_abandon_files(spk_context *context);

SPK_END_C

#endif
