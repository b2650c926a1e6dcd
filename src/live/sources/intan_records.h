/*
 * The spike records of Intan RHX: 14 bytes, little endian: u32 0x3ae2710f, five characters of the
 * channel ("A-010"), u32 sample, u8 id. Ids 1, 2, 4 and 8 are units of the spike scope, 0x40 is a
 * spike that is none of them, 0x80 an artefact.
 *
 * Bytes that begin no record are garbage, and the next record is looked for. Samples of 32 bits
 * wrap: a sample is a wrap ahead where that is at most 2^30 samples (10 hours at 30 kHz) and it
 * would else be more than a second back. Other steps back of more than a second are a clock that
 * started anew.
 */
#pragma once

#include "live/sources/collector.h"

enum { SPK_INTAN_RECORD = 14 };

typedef struct spk_intan_records {
    bool any;
    uint32_t raw;   /* of the newest record */
    int64_t time;   /* the same, unwound */
    bool lost_step; /* the bytes before were garbage */
} spk_intan_records;

/* A spk_bytes_take and its renew; `parser` is a spk_intan_records. */
spk_status spk_intan_records_take(void *parser, spk_collector *collector, const char *bytes,
                                  size_t n, bool urge, size_t *taken);
void spk_intan_records_renew(void *parser);
