/*
 * Compressed output. What is written is cut into blocks of one size, each becomes a member
 * (compression.h), and members leave in order:
 *
 *     written     |------- 0 -------|------- 1 -------|------- 2 -------|--- 3
 *                  has left          is a member       in work           is filled
 *
 * Threads of the compressor make members, and so does the writer, who would wait else. They start
 * with the first block that is full. The bytes are the same for all numbers of threads.
 *
 * Time: that of compressing, divided by the threads. Bytes: two blocks, two members and an encoder
 * for each thread; where an eighth of the context's memory limit is less, there are fewer threads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"

typedef struct spk_compressor spk_compressor;

/* Where members go; both from the writer's thread. */
typedef struct spk_compressor_sink {
    bool (*take)(void *user, const char *bytes, size_t n); /* false ends the work */
    void (*leave_mark)(void *user); /* the last mark is in the member that comes next */
    void *user;
} spk_compressor_sink;

/* What "out.tsv.gz" asks for; gives NULL where the name asks for nothing. As many threads as the
 * context has, the writer's being one of them. Errors: SPK_ERR_UNAVAILABLE (as
 * spk_compression_find), SPK_ERR_MEMORY. */
spk_status spk_compressor_create(spk_context *context, const char *path,
                                 const spk_compressor_sink *sink, spk_compressor **out);

/* Compresses n bytes. False: the sink ended the work, or memory is out (errno is ENOMEM then). */
bool spk_compressor_write(spk_compressor *compressor, const char *bytes, size_t n);

/* Hands on all that was written, so that a reader has it; what follows begins anew, which readers
 * do not notice. */
bool spk_compressor_flush(spk_compressor *compressor);

/* Whether bytes are held back. */
bool spk_compressor_is_pending(const spk_compressor *compressor);

/* ---- marks ----------------------------------------------------------------------------------- */

/* What was written so far can be gone back to, as soon as the block that it ends in leaves. Blocks
 * stay as they are. */
void spk_compressor_mark(spk_compressor *compressor);

/* Goes back to the last mark that has left: drops, and writes again what stands before it in its
 * block. The sink has taken back this block's member and those behind it. */
bool spk_compressor_go_back(spk_compressor *compressor);

/* Drops and frees; NULL is accepted. */
void spk_compressor_free(spk_compressor *compressor);
