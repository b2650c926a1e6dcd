/* Numbers as bytes, the lowest first, whatever the machine: what a state file consists of. */
#ifndef SPK_LIVE_BYTES_H
#define SPK_LIVE_BYTES_H

#include "base/context.h"

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

#endif
