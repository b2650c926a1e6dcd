/* Compressed output: the kind goes by the ending of the file's name, as readers know it by the
 * first bytes. The same bytes always give the same file. */
#ifndef SPK_BASE_COMPRESSOR_H
#define SPK_BASE_COMPRESSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"

typedef struct spk_compressor spk_compressor;

/* Takes compressed bytes; false ends the work. */
typedef bool spk_compressor_sink(void *user, const char *bytes, size_t n);

/* What "out.tsv.gz" asks for; gives NULL where the name asks for nothing. .gz, .bz2, .xz and .zst
 * do. Errors: SPK_ERR_UNAVAILABLE (built without libarchive, or that without this kind),
 * SPK_ERR_MEMORY. */
spk_status spk_compressor_create(spk_context *context, const char *path, spk_compressor_sink *sink,
                                 void *user, spk_compressor **out);

/* Compresses n bytes. False: the sink ended the work, or memory is out (errno is ENOMEM then). */
bool spk_compressor_write(spk_compressor *compressor, const char *bytes, size_t n);

/* Hands on all that was written, so that a reader has it; what follows begins anew, which readers
 * do not notice. */
bool spk_compressor_flush(spk_compressor *compressor);

/* Whether bytes are held back. */
bool spk_compressor_is_pending(const spk_compressor *compressor);

/* Forgets what is held back. NULL is accepted. */
void spk_compressor_drop(spk_compressor *compressor);

/* Drops and frees; NULL is accepted. */
void spk_compressor_free(spk_compressor *compressor);

#endif
