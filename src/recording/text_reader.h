/* The state of one reading, shared by the files that make up the text reader. */
#ifndef SPK_RECORDING_TEXT_READER_H
#define SPK_RECORDING_TEXT_READER_H

#include "base/context.h"
#include "recording/input.h"
#include "recording/labels.h"
#include "recording/recording.h"
#include "recording/text_comment.h"
#include "recording/text_line.h"
#include "recording/text_time.h"
#include "spikemine/recording.h"

typedef struct spk_text_reader {
    spk_context *context;
    const spk_read_options *options;
    spk_input *input;
    const char *name; /* of the input, for messages */

    char *buffer; /* SPK_TEXT_BUFFER bytes and one for a last line end */
    size_t filled;
    uint64_t line; /* number of the line being read, from 1 */
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

    uint64_t backwards_line; /* first line whose time goes back, 0: none */
    int64_t backwards_time;
    int64_t backwards_before;
    int backwards_scale;
} spk_text_reader;

enum { SPK_TEXT_BUFFER = 1 << 18 };

/* Looks at the complete lines [text, end) before they are read: header, columns, unit of time. Sets
 * `started` when there was a data line. `line` still is the number of the line before. */
spk_status spk_text_start(spk_text_reader *reader, const char *text, const char *end);

/* Before the first time: the unit of time, which is not SPK_TIME_GUESS. */
void spk_text_set_unit(spk_text_reader *reader, spk_time_unit unit);

/* Fails for a line that does not have exactly two fields. [text, end): the line. */
spk_status spk_text_fail_line(spk_text_reader *reader, uint64_t number, const spk_line *line,
                              const char *text, const char *end);

/* Turns what was read into a recording: start, stop and units of the options, then columns. */
spk_status spk_text_finish(spk_text_reader *reader, spk_recording_facts facts, spk_recording **out);

#endif
