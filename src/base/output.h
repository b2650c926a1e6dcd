/*
 * Files that appear under their name only when complete.
 *
 * A file is written beside its target, without a name or under a random one, and takes the target's
 * name at its end. It keeps the mode of the file that it replaces. A link stays; its target is
 * replaced. Before the rename the bytes are on the disk, and after it the folder is. Standard
 * output ("-"), devices, pipes and what the process has open already (/dev/stdout, /dev/fd/3) are
 * written in place. A name that ends in .gz, .bz2, .xz or .zst gets compressed bytes.
 *
 * All failures of writing are SPK_ERR_IO, but for two. SPK_ERR_PIPE: the reader of standard output
 * or of a pipe went away, as `| head` does; nobody needs the rest then, and nothing is wrong. The
 * process must ignore SIGPIPE. SPK_ERR_CANCELLED: after a cancel, a pipe took nothing for half a
 * second. An output keeps its first failure and gives it again.
 *
 * A cancel by itself stops no write: whoever makes rows looks for it between rows, so that every
 * row is whole.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/context.h"

typedef struct spk_output spk_output;

/* Opens `path` for writing; nothing exists under that name until spk_output_commit. The context is
 * borrowed until the end. Errors: SPK_ERR_IO, SPK_ERR_MEMORY, SPK_ERR_UNAVAILABLE (no such
 * compression here). */
spk_status spk_output_open(spk_context *context, const char *path, spk_output **out);

/* The same for a file that each rank has under a name of its own. With spk_output_open ranks other
 * than 0 write nowhere. */
spk_status spk_output_open_own(spk_context *context, const char *path, spk_output **out);

/* A stream to write to; its write errors are kept and reported by flush and commit. */
FILE *spk_output_stream(spk_output *output);

/* Writes n bytes. */
spk_status spk_output_write(spk_context *context, spk_output *output, const char *bytes, size_t n);

/* Sends everything written so far on its way, so that a full disk shows now. */
spk_status spk_output_flush(spk_context *context, spk_output *output);

/* ---- what is complete ------------------------------------------------------------------------ */

/* Flushes; what was written so far is complete. */
spk_status spk_output_mark(spk_context *context, spk_output *output);

/* The same without waiting: where threads compress, it is so once they have come so far. */
spk_status spk_output_mark_soon(spk_context *context, spk_output *output);

/* Takes back what was written after the last mark or, with `one_more`, after the one before it, and
 * a failure to write it. The last mark must not be one that was to come soon then. False where that
 * cannot be done: what went to a pipe has gone, or no mark was set. */
bool spk_output_cut(spk_output *output, bool one_more);

/* ---- the end --------------------------------------------------------------------------------- */

/* Flushes, closes, renames, frees. On failure nothing stays behind. Accepts NULL. Errors also:
 * SPK_ERR_MEMORY. */
spk_status spk_output_commit(spk_context *context, spk_output *output);

/* The same for a result that is not complete: it gets the name PATH.incomplete, without waiting for
 * the disk. A note tells the name and `why`. */
spk_status spk_output_commit_incomplete(spk_context *context, spk_output *output, const char *why);

/* Removes what was written and frees; NULL is accepted. */
void spk_output_discard(spk_output *output);
