/*
 * From the feeding thread to the serving one: records of bytes in a buffer of fixed size. The
 * feeding thread appends under a lock; the serving thread exchanges the full buffer for its empty
 * one under the same lock, and reads it outside of it. So the feeding thread waits for an exchange
 * of two pointers at most, whatever browsers do.
 */
#ifndef SPK_LIVE_PAGE_INBOX_H
#define SPK_LIVE_PAGE_INBOX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

enum { INBOX_BYTES = 8 << 20, INBOX_RESERVE = 2 << 20 }; /* the reserve is not for spikes */

typedef enum inbox_kind {
    INBOX_RATE,       /* spk_rate: the stream is there */
    INBOX_SPIKES,     /* inbox_spikes, n times, n units */
    INBOX_SEGMENT,    /* inbox_segment */
    INBOX_LABEL,      /* the text of the next unit, terminated */
    INBOX_ITEM,       /* inbox_item, units, the name, terminated */
    INBOX_CHOICE,     /* inbox_choice */
    INBOX_OCCURRENCE, /* inbox_occurrence, times */
    INBOX_PARTITION,  /* JSON, terminated */
    INBOX_METERS,     /* spk_live_meters */
    INBOX_COUNTS,     /* uint64_t of all items */
    INBOX_UNSEEN,     /* uint64_t spikes, uint64_t occurrences that found no room so far */
    INBOX_END         /* the stream has ended */
} inbox_kind;

/* Every record lies at a multiple of 8 and is followed by its bytes. */
typedef struct inbox_record {
    uint32_t kind;
    uint32_t bytes; /* without this header and the padding */
} inbox_record;

typedef struct inbox_spikes {
    uint64_t n;
} inbox_spikes;

typedef struct inbox_segment {
    uint64_t segment;
    uint64_t trial;
    int64_t start; /* the first tick; known where has_start */
    bool has_start;
} inbox_segment;

typedef struct inbox_item {
    uint64_t item;
    uint32_t is_pattern;
    uint32_t size;
} inbox_item;

typedef struct inbox_choice {
    uint64_t item; /* number on the page */
    bool on;
} inbox_choice;

typedef struct inbox_occurrence {
    uint64_t item; /* number on the page */
    uint64_t count;
    uint64_t segment;
    uint64_t size;
} inbox_occurrence;

typedef struct inbox {
    pthread_mutex_t lock;
    unsigned char *filling;
    size_t n;
    unsigned char *reading; /* of the serving thread alone */
    bool usable;
} inbox;

/* One piece of a record. */
typedef struct inbox_part {
    const void *bytes;
    size_t n;
} inbox_part;

spk_status inbox_open(spk_context *context, inbox *box);
void inbox_close(inbox *box);

/* Appends a record of these parts; false where it finds no room. Spikes leave the reserve free. */
bool inbox_put(inbox *box, inbox_kind kind, const inbox_part *part, size_t n_parts);

/* What has come since the last call: *bytes bytes, which stay until the next call. */
const unsigned char *inbox_take(inbox *box, size_t *bytes);

/* The record at *at, and its bytes; false behind the last one. *at goes to the next. */
bool inbox_next(const unsigned char *bytes, size_t n, size_t *at, inbox_record *record,
                const unsigned char **body);

#endif
