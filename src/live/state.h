/*
 * A state file: numbers as bytes, the lowest first, whatever the machine; and its parts. What is
 * read is put into an empty stream and watch.
 */
#pragma once

#include "base/context.h"
#include "live/stream.h"
#include "live/watch.h"

/* A growing text of bytes. Begins zeroed but for the context; the first failure stays. */
typedef struct live_writer {
    spk_context *context;
    spk_status status;
    uint64_t n, capacity;
    char *bytes;
} live_writer;

void live_put(live_writer *writer, const void *bytes, uint64_t n);
void live_put_u64(live_writer *writer, uint64_t number);
void live_put_i64(live_writer *writer, int64_t number);
void live_put_text(live_writer *writer, const char *text);

/* Bytes that are read. Behind the end everything is 0, and `bad` is set. */
typedef struct live_reader {
    const char *at;
    uint64_t left;
    bool bad;
} live_reader;

/* NULL where there are fewer. */
const char *live_get(live_reader *reader, uint64_t n);
uint64_t live_get_u64(live_reader *reader);
int64_t live_get_i64(live_reader *reader);
bool live_get_bool(live_reader *reader);

/* A number of things that take at least `size` bytes each: no more than can follow. */
uint64_t live_get_count(live_reader *reader, uint64_t size);

/* Sets `bad` unless the condition holds; whether all was well so far. */
bool live_require(live_reader *reader, bool condition);

/* ---- parts of the file ----------------------------------------------------------------------- */

/* All of the file's bytes. */
void live_state_put(live_writer *writer, const spk_live_stream *stream,
                    const spk_live_watch *watch);
spk_status live_state_get(spk_context *context, const char *name, const char *bytes, uint64_t n,
                          spk_live_stream *stream, spk_live_watch *watch);

void live_state_put_stream(live_writer *writer, const spk_live_stream *stream);
void live_state_put_watch(live_writer *writer, const spk_live_watch *watch);

/* What is wrong with the bytes is in reader->bad. Errors: SPK_ERR_MEMORY, SPK_ERR_RANGE (more units
 * than the stream takes). */
spk_status live_state_get_stream(spk_context *context, live_reader *reader,
                                 spk_live_stream *stream);
spk_status live_state_get_watch(spk_context *context, live_reader *reader, spk_live_watch *watch);

static inline void live_put_duration(live_writer *writer, spk_duration duration)
{
    live_put_i64(writer, duration.digits);
    live_put_i64(writer, duration.exponent);
    live_put_u64(writer, duration.divisor);
}

static inline spk_duration live_get_duration(live_reader *reader)
{
    int64_t digits = live_get_i64(reader), exponent = live_get_i64(reader);
    uint64_t divisor = live_get_u64(reader);
    live_require(reader, exponent == (int32_t)exponent && divisor == (uint32_t)divisor);
    return (spk_duration){digits, (int32_t)exponent, (uint32_t)divisor};
}
