/* The recorder from inside: what its files share. */
#pragma once

#include "base/stage.h"
#include "spikemine/live_session.h"

enum { LIVE_RECORDER_BUFFER_BYTES = 1 << 18 };

/* A segment as it was written: behind the one before it. */
typedef struct live_recorder_segment {
    uint64_t number; /* in the stream */
    uint64_t trial;
    uint64_t n_trials; /* 0: the source did not tell */
    bool begun;        /* it has a spike */
    bool has_start;
    bool has_stop;
    spk_duration start; /* as the source gave them, later by `seconds` */
    spk_duration stop;
    int64_t first; /* ticks of its first and last spike, later by `shift` */
    int64_t last;
    int64_t shift;
    int64_t seconds; /* the same */
} live_recorder_segment;

/* How a unit's label stands in the file. Begins zeroed. */
typedef struct live_recorder_unit {
    bool known; /* the rest was found */
    bool quoted;
    bool fired; /* a spike of it stands in the file */
} live_recorder_unit;

struct spk_live_recorder {
    spk_context *context;
    spk_live_stream *stream;
    char *path;
    char *part; /* PATH.part */
    int descriptor;
    bool added; /* it is a sink of the stream */
    spk_rate rate;
    int decimals;  /* of seconds; -1: times are ticks */
    uint64_t head; /* bytes of the short head */
    char *buffer;
    size_t used;
    live_recorder_unit *unit;
    uint64_t unit_capacity;
    spk_holding holding; /* of units and segments */
    live_recorder_segment *segment;
    uint64_t n_segments;
    uint64_t segment_capacity;
    uint64_t accepted;
    uint64_t n_shifted; /* segments that are written later than they came */
    spk_status status;  /* the first failure; nothing is written after it */
    char problem[512];
};

/* ---- recorder_file.c: bytes into PATH.part ----------------------------------------------------
 */

/* Keeps the first failure, since the stream goes on without its recorder. `what`: errno as text
 * where the status is SPK_ERR_IO, else the whole cause. */
void live_recorder_fail(spk_live_recorder *r, spk_status status, const char *what);

/* Adds n bytes; what is collected goes out when the buffer is full, and with the second one. */
void live_recorder_put(spk_live_recorder *r, const char *text, size_t n);
void live_recorder_write_out(spk_live_recorder *r);

/* The time of a tick as the first column has it, without an end; at most 32 bytes. Its length. */
size_t live_recorder_format_tick(const spk_live_recorder *r, int64_t tick, char *text);

/* Adds the line of a spike. A late one does not count as one of its unit. */
void live_recorder_put_spike(spk_live_recorder *r, int64_t tick, uint32_t unit, bool is_late);

/* ---- recorder_file.c: what stands round the spikes ---------------------------------------------
 */

/* Whether a path has more than this ending, in either case of letters. */
bool live_recorder_ends_in(const char *path, const char *ending);

/* Adds the short head. SPK_ERR_MEMORY. */
spk_status live_recorder_put_head(spk_live_recorder *r);

/* Gives what was written its comments and its name. SPK_ERR_IO, SPK_ERR_MEMORY; PATH.part stays
 * then. */
spk_status live_recorder_finish(spk_live_recorder *r);
