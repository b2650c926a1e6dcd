/* The state of one reading, shared by the files that make up the text reader. */
#pragma once

#include "base/context.h"
#include "recording/input.h"
#include "recording/labels.h"
#include "recording/recording.h"
#include "recording/text_line.h"
#include "recording/text_time.h"
#include "spikemine/recording.h"

typedef struct spk_text_reader spk_text_reader;

/* How the bytes of a form of text become events. */
typedef struct spk_text_way {
    /* Takes what is complete of [text, end), counts its lines in reader->line, and tells in *rest
     * where it stopped. At the end of the file (reader->at_end) the last byte is a line end, and
     * all is taken. A way that takes nothing of a full buffer ends the reading. */
    spk_status (*take)(spk_text_reader *reader, const char *text, const char *end,
                       const char **rest);
    const char *wanted;  /* "give lines of time and unit", for a file without events */
    const char *swapped; /* what to do where times stand in the place of units */
    void (*tell)(const spk_text_reader *reader); /* notes, when all went well; NULL: none */
} spk_text_way;

/* Numbers of events in the column, first .. last - 1, and the time at which the own stretch of a
 * part begins. */
typedef struct spk_text_kept {
    uint64_t first;
    uint64_t last;
    int64_t own;
} spk_text_kept;

/* Which events of the file are kept (text_part.c, text_share.c). */
typedef struct spk_text_part {
    bool on;
    bool alone;               /* ranks do not read it together */
    bool whole;               /* and all of its events are kept */
    bool shared;              /* they do, and only their own lines */
    bool jumped;              /* what the buffer holds is of no use: reading goes on at `offset` */
    bool done;                /* what follows is other ranks' */
    char hex[SPK_SHA256_HEX]; /* digest of the file that ranks share */
    uint64_t from;            /* bytes of the file: lines that begin here .. */
    uint64_t to;              /* .. and before here are this part's own */
    uint64_t offset;          /* of the buffer in the file */
    uint64_t own;             /* number in the column of the first event of an own line */
    uint64_t end;             /* the same of the first one behind them; both UINT64_MAX: none yet */
    uint64_t look_next;       /* drop what is out of reach when there are so many events */
    spk_text_kept kept;       /* of a part that is shared; the time is that of event `own` */
} spk_text_part;

struct spk_text_reader {
    spk_context *context;
    const spk_read_options *options;
    const spk_text_way *way;
    void *own; /* of the way */
    spk_input *input;
    const char *name; /* of the input, for messages */

    char *buffer; /* SPK_TEXT_BUFFER bytes and one for a last line end */
    size_t filled;
    uint64_t line; /* number of the line being read, from 1 */
    bool inside;   /* the buffer begins within that line, not behind it */
    bool at_end;

    bool started; /* the first data line was seen: columns, header and unit of time are known */
    bool guessed; /* the columns, from the content: a note says so when all went well */
    spk_columns columns;
    uint64_t header_line; /* 0: none */
    spk_time_unit time_unit;
    bool commented;          /* from a comment of ours, as is the rate */
    spk_rate samples;        /* with SPK_TIME_SAMPLES */
    char header_name[2][64]; /* the names of the columns, cut to fit, with header_line */
    const char *believed;    /* that whose unit of time was believed; a note says so; or NULL */

    spk_tick_column times;
    uint32_t *unit; /* number and capacity as in times */
    spk_labels labels;
    uint64_t data_lines;
    spk_text_comments comments;

    spk_text_part part;

    uint64_t backwards_line; /* first line whose time goes back, 0: none */
    int64_t backwards_time;
    int64_t backwards_before;
    int backwards_scale;
};

enum { SPK_TEXT_BUFFER = 1 << 18 };

/* Reads an input in one way. `name` of messages is the input's. Errors: as spk_recording_read_text.
 */
spk_status spk_text_read(spk_context *context, spk_input *input, const spk_read_options *options,
                         const spk_text_way *way, void *own, spk_recording **out);

/* Hands all bytes of the input to the way. */
spk_status spk_text_read_all(spk_text_reader *reader);

/* The end of the complete lines in [text, end): behind the last line end, or `text`. */
const char *spk_text_complete(const char *text, const char *end);

/* Adds an event, which stands in line reader->line, and looks after the order of times. */
spk_status spk_text_event(spk_text_reader *reader, const spk_field *time, const spk_field *unit);

/* The same of a unit that is known, in any order of times. */
spk_status spk_text_event_of(spk_text_reader *reader, const spk_field *time, uint32_t unit);

/* The number of a label, and whether it is met for the first time. */
spk_status spk_text_take_label(spk_text_reader *reader, const spk_field *label, uint32_t *unit,
                               bool *is_new);

/* The comment by which the writer tells that times are counted in ticks: takes it where [text, end)
 * is one, before the first event. */
spk_status spk_text_take_comment(spk_text_reader *reader, const char *text, const char *end);

/* What is wrong with a file that was read to its end: no events, times that go back. */
spk_status spk_text_check_end(spk_text_reader *reader);

/* Fails for the step back in time that the fields `backwards_` of the reader tell. */
spk_status spk_text_fail_order(const spk_text_reader *reader, const char *remedy);

/* The same of a file in no order; where its units look like times, columns are asked about first.
 */
spk_status spk_text_fail_unsorted(const spk_text_reader *reader);

/* Believes, or refuses, what the time's name in the header says about its unit. */
spk_status spk_text_take_unit(spk_text_reader *reader);

/* Looks at the complete lines [text, end) before they are read: header, columns, unit of time. Sets
 * `started` when there was a data line. `line` still is the number of the line before. */
spk_status spk_text_start(spk_text_reader *reader, const char *text, const char *end);

/* Before the first time: the unit of time, which is not SPK_TIME_GUESS. */
void spk_text_set_unit(spk_text_reader *reader, spk_time_unit unit);

/* Fails for a line that does not have exactly two fields. [text, end): the line. */
spk_status spk_text_fail_line(spk_text_reader *reader, uint64_t number, const spk_line *line,
                              const char *text, const char *end);

/* Begins a part where the options want one and the input can be read so. */
void spk_text_part_begin(spk_text_reader *reader);

/* Keeps or drops the event that was just added, whose line begins at this byte of the file. There
 * is space for one more. */
void spk_text_part_take(spk_text_reader *reader, uint64_t at);

/* How far the margin of a part goes back, in ticks of the column. */
uint64_t spk_text_part_reach(const spk_text_reader *reader);

/* The events that are kept; without a part all are. */
spk_text_kept spk_text_part_end(const spk_text_reader *reader);

/* Ticks per second of the column, as far as read. */
spk_rate spk_text_column_rate(const spk_text_reader *reader);

/* Whether a comment tells the ticks in which times are counted. */
bool spk_text_tells_rate(const spk_text_reader *reader);

/* A tick of the column, of which there are `rate` a second, as one that the comment tells; false
 * where it lies between two of them. */
bool spk_text_told_tick(const spk_text_reader *reader, spk_rate rate, int64_t tick, int64_t *out);

/* Fails for event number `event` of the file, from 0, which does so. */
spk_status spk_text_fail_rate(const spk_text_reader *reader, uint64_t event);

/* Turns what was read into a recording: start, stop and units of the options, then columns. */
spk_status spk_text_finish(spk_text_reader *reader, spk_recording_facts facts, spk_recording **out);
