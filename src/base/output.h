/*
 * Files that appear under their name only when complete: written to a temporary name beside it,
 * then renamed. "-" is standard output, written directly.
 *
 * All failures of writing are SPK_ERR_IO, but for one: SPK_ERR_PIPE when the reader of standard
 * output or of a named pipe went away, as `| head` does. Nobody needs the rest then, and nothing is
 * wrong; here alone the two are told apart. The process must ignore SIGPIPE.
 */
#ifndef SPK_BASE_OUTPUT_H
#define SPK_BASE_OUTPUT_H

#include <stdio.h>

#include "base/context.h"

typedef struct spk_output spk_output;

/* Opens `path` for writing; nothing exists under that name until spk_output_commit. */
spk_status spk_output_open(spk_context *context, const char *path, spk_output **out);

/* The stream to write to; write errors are kept by it and reported by flush and commit. */
FILE *spk_output_stream(spk_output *output);

/* Writes n bytes. Errors: SPK_ERR_IO, SPK_ERR_PIPE. */
spk_status spk_output_write(spk_context *context, spk_output *output, const char *bytes, size_t n);

/* Sends everything written so far on its way, so that a full disk shows now. Errors: SPK_ERR_IO,
 * SPK_ERR_PIPE. */
spk_status spk_output_flush(spk_context *context, spk_output *output);

/* Flushes, closes, renames, frees. On failure the temporary file is removed. Accepts NULL. Errors:
 * SPK_ERR_IO, SPK_ERR_PIPE, SPK_ERR_MEMORY. */
spk_status spk_output_commit(spk_context *context, spk_output *output);

/* The same for a result that is not complete: it gets the name PATH.incomplete. */
spk_status spk_output_commit_incomplete(spk_context *context, spk_output *output);

/* Removes the temporary file and frees; NULL is accepted. */
void spk_output_discard(spk_output *output);

#endif
