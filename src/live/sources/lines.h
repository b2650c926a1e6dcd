/*
 * Lines of text as they come in: two columns, time and unit, as in files (recording/text_line.h).
 * What files report as an error is garbage here: it is counted, and the next line is read.
 */
#ifndef SPK_LIVE_SOURCES_LINES_H
#define SPK_LIVE_SOURCES_LINES_H

#include "live/sources/collector.h"
#include "live/sources/line_time.h"
#include "recording/text_line.h"

typedef struct spk_lines {
    spk_columns columns;     /* asked for, then what was found */
    spk_time_unit time_unit; /* the same; SPK_TIME_GUESS becomes seconds with the first line */
    bool unit_is_asked;      /* for, by the options: comments and headers do not change it */
    bool columns_are_asked;
    spk_rate tick;
    spk_rate samples; /* {0, 0}: not known */
    spk_line_scale scale;
    bool started;               /* columns and unit of time are known, the scale is made */
    bool skipping;              /* within a line that is too long */
    bool headed;                /* this connection has brought its header or a spike */
    spk_text_comments comments; /* segments that were announced */
    size_t next_segment;        /* the next one that begins */
    bool inside;                /* some announced segment has begun */
    bool due;                   /* the next segment begins before the next spike */
    bool had_spike;             /* in this segment */
    spk_status failure;         /* that ended the reading */
    int64_t start, stop;        /* ticks of the segment; the whole of int64 where it is open */
} spk_lines;

/* Takes the options that make sense here. Errors: SPK_ERR_ARGUMENT, SPK_ERR_UNSUPPORTED (those that
 * make none). */
spk_status spk_lines_init(spk_context *context, spk_lines *lines,
                          const spk_live_source_options *options);
void spk_lines_clear(spk_lines *lines);

/* A new connection. */
void spk_lines_renew(void *parser);

/* A spk_bytes_take; `parser` is a spk_lines. Errors: SPK_ERR_FORMAT (the first header contradicts
 * the options), SPK_ERR_MEMORY. */
spk_status spk_lines_take(void *parser, spk_collector *collector, const char *bytes, size_t n,
                          bool urge, size_t *consumed);

#endif
