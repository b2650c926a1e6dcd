/* Files that appear under their name only when complete: written to a temporary name beside it,
 * then renamed. "-" is standard output, written directly. */
#ifndef SPK_BASE_OUTPUT_H
#define SPK_BASE_OUTPUT_H

#include <stdio.h>

#include "base/context.h"

typedef struct spk_output spk_output;

/* Opens `path` for writing; nothing exists under that name until spk_output_commit. */
spk_status spk_output_open(spk_context *context, const char *path, spk_output **out);

/* The stream to write to; write errors are kept by it and reported by commit. */
FILE *spk_output_stream(spk_output *output);

/* Flushes, closes, renames, frees. On failure the temporary file is removed. Accepts NULL. */
spk_status spk_output_commit(spk_context *context, spk_output *output);

/* The same for a result that is not complete: it gets the name PATH.incomplete. */
spk_status spk_output_commit_incomplete(spk_context *context, spk_output *output);

/* Removes the temporary file and frees; NULL is accepted. */
void spk_output_discard(spk_output *output);

#endif
