/* A random live case on its way through stream and watch, compared with offline counts. */
#pragma once

#include "support/live_case.h"

enum { LIVE_RUN_OCCURRENCES = 1 << 15, LIVE_RUN_SIZE = 8 };

/* What the watch told of. */
typedef struct live_told {
    bool is_pattern;
    uint64_t item, segment, count;
    uint32_t size;
    uint32_t unit[LIVE_RUN_SIZE]; /* of the case */
    int64_t time[LIVE_RUN_SIZE];
} live_told;

typedef struct live_run {
    spk_context *context;
    live_case c;
    spk_episode_list *episodes;
    spk_pattern_list *patterns;
    spk_recording *labels;
    spk_live_stream_options stream_options;
    spk_live_watch_options watch_options;
    uint64_t window_ticks; /* ceil(window * rate) */
    spk_live_stream *stream;
    spk_live_watch *watch;
    uint32_t number[LIVE_UNITS]; /* of the case's units in the stream */
    uint32_t segment;            /* that is sent now */
    uint64_t at;                 /* spikes of it that were sent */
    bool at_end;
    live_spikes got[LIVE_SEGMENTS]; /* handed on */
    uint32_t n_got;                 /* segments */
    uint64_t n_told;
    live_told told[LIVE_RUN_OCCURRENCES];
} live_run;

live_run *live_run_begin(spk_context *context, test_random *random, bool extreme);

/* Makes stream and watch anew, without a spike. */
void live_run_open(live_run *run, test_random *random);

/* Pushes a chunk, or a border, or the end; false when all is done. */
bool live_run_push(live_run *run, test_random *random);

/* Keeps the state as bytes, frees stream and watch, and goes on with others that load it. */
void live_run_restart(live_run *run, test_random *random);

/* Fails unless counts, occurrences and recent counts are those of what was handed on. */
void live_run_compare(live_run *run);

void live_run_end(live_run *run);
