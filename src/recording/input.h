/* The bytes of an input: a file, standard input or memory; decompressed, counted and digested. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

typedef struct spk_input spk_input;

/* Opens `path` ("-": standard input). gzip, bzip2, xz and zstd are known by their first bytes and
 * decompressed. Errors: SPK_ERR_IO, SPK_ERR_FORMAT, SPK_ERR_UNAVAILABLE (compressed, but built
 * without libarchive), SPK_ERR_MEMORY. Reading compressed bytes keeps to spk_context_max_expansion.
 */
spk_status spk_input_open(spk_context *context, const char *path, spk_input **out);

/* The same for a file of ours that the job may replace by a newer one: a checkpoint, a state.
 * Outputs keep off all other inputs that have a name (base/reads.h). */
spk_status spk_input_open_own(spk_context *context, const char *path, spk_input **out);

/* The same for `n` bytes that stay with the caller; `name` stands for the path in messages. */
spk_status spk_input_open_memory(spk_context *context, const char *name, const void *bytes,
                                 size_t n, spk_input **out);

/* What messages call it: the path, or "standard input". */
const char *spk_input_name(const spk_input *input);

/* Reads `size` bytes into `buffer`, fewer only at the end (*n_read = 0: nothing left). */
spk_status spk_input_read(spk_context *context, spk_input *input, char *buffer, size_t size,
                          size_t *n_read);

/* The first bytes, up to n, which are read again by spk_input_read; they live until the input is
 * closed. To be called once, before anything is read. Errors: as spk_input_read. */
spk_status spk_input_peek(spk_context *context, spk_input *input, size_t n,
                          const unsigned char **head, size_t *n_head);

/* The number of bytes that will have been read at the end, where it is known: not of compressed
 * ones, nor of a pipe. 0: not known. */
uint64_t spk_input_plain_size(const spk_input *input);

/* Whether the next three can be called: a plain file that was opened by its name. */
bool spk_input_can_seek(const spk_input *input);

/* The next bytes that are read lie at `at`, which is at most the plain size; `wanted` of them are
 * to be read, for progress. They are not digested. Errors: SPK_ERR_IO. */
spk_status spk_input_seek(spk_context *context, spk_input *input, uint64_t at, uint64_t wanted);

/* Begins anew, with the digest, as if nothing had been read. Errors: SPK_ERR_IO, SPK_ERR_MEMORY. */
spk_status spk_input_rewind(spk_context *context, spk_input *input);

/* `size` bytes from `at` on, fewer only at the end; what spk_input_read gives stays as it is.
 * Errors: SPK_ERR_IO, SPK_ERR_CANCELLED. */
spk_status spk_input_read_at(spk_context *context, spk_input *input, uint64_t at, char *buffer,
                             size_t size, size_t *n_read);

/* SHA-256 of all stored (still compressed) bytes in hexadecimal, reading what is left of them. */
spk_status spk_input_digest(spk_context *context, spk_input *input, char hex[65]);

/* Closes and frees; NULL is accepted. */
void spk_input_close(spk_input *input);
