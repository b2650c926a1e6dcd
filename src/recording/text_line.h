/* One line of a text recording: cut into fields. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "recording/labels.h"
#include "recording/recording.h"
#include "spikemine/recording.h"

/* A field without its quotes; `escaped`: it contains doubled quotes. */
typedef struct spk_field {
    const char *text;
    size_t length;
    bool quoted;
    bool escaped;
} spk_field;

/* Takes a quoted field, from behind the opening quote to behind the closing one, which it returns;
 * NULL without a closing one. */
const char *spk_field_take_quoted(const char *at, const char *end, spk_field *field);

/* What is wrong with a line that has this control byte. */
const char *spk_control_problem(char byte);

enum { SPK_LINE_FIELDS = 4 };

typedef struct spk_line {
    int n_fields; /* as many as there are, though only SPK_LINE_FIELDS are kept; 0: nothing there */
    spk_field field[SPK_LINE_FIELDS];
    const char *problem; /* why it cannot be cut, static text; NULL when it can */
} spk_line;

/* What a byte means between fields and in them. */
typedef enum spk_byte_class {
    SPK_BYTE_PLAIN,
    SPK_BYTE_BLANK, /* blank, tab */
    SPK_BYTE_COMMA, /* comma, semicolon */
    SPK_BYTE_QUOTE,
    SPK_BYTE_HASH,
    SPK_BYTE_CONTROL /* line ends, too */
} spk_byte_class;

extern const unsigned char spk_byte_classes[256];

static inline spk_byte_class spk_byte_class_of(char byte)
{
    return (spk_byte_class)spk_byte_classes[(unsigned char)byte];
}

/* Cuts [text, end), which has no line end (but may have the '\r' of one): fields are separated by
 * blanks and tabs, or one comma or semicolon among them; double quotes protect separators; '#' at
 * the start, or after two fields and a blank, begins a comment. */
void spk_line_cut(const char *text, const char *end, spk_line *line);

/* Cuts a header, whose names may have blanks in them when commas, semicolons or tabs separate. */
void spk_line_cut_header(const char *text, const char *end, spk_line *line);

/* ---- comments -------------------------------------------------------------------------------- */

/*
 * The comments by which a text recording tells what its lines cannot: segments, and units that
 * never fire. They stand before the first event; the writer writes them.
 *
 *     # spikemine segment 0s 1.5s
 *     # spikemine segment 45000 60000
 *     # spikemine segment 2s 3.5s 2 12
 *     # spikemine unit "left hand"
 *     # spikemine rate 25000
 *
 * The rate is that of ticks where times are decimals of a second and a tick is several units of the
 * last decimal: 0.00004 s at 25 kHz.
 * A border is a time with its unit, a tick as a bare number, or -: nobody gave it, and it is that
 * of the events. A - makes sense for the only segment of a file. Two numbers behind the borders
 * tell the trial that the segment is a part of, from 1, and how many there are; without them
 * segments are trials. Comments with other words behind
 * "# spikemine" are for programs that know them, and skipped.
 */

#define SPK_TEXT_SEGMENT_COMMENT "# spikemine segment "
#define SPK_TEXT_UNIT_COMMENT    "# spikemine unit "
#define SPK_TEXT_RATE_COMMENT    "# spikemine rate "

typedef enum spk_text_border_kind {
    SPK_TEXT_BORDER_OPEN,
    SPK_TEXT_BORDER_TICK,
    SPK_TEXT_BORDER_TIME
} spk_text_border_kind;

typedef struct spk_text_border {
    spk_text_border_kind kind;
    int64_t tick;
    spk_duration time;
} spk_text_border;

typedef struct spk_text_segment {
    spk_text_border start;
    spk_text_border stop;
    size_t trial;  /* from 0 */
    bool numbered; /* the comment tells the trial */
} spk_text_segment;

/* What the comments of a file said; begins zeroed. */
typedef struct spk_text_comments {
    size_t n_segments;
    uint64_t capacity;
    spk_text_segment *segment;
    size_t n_trials; /* that they are parts of */
    spk_labels silent;
    spk_rate rate; /* {0, 0}: not told */
} spk_text_comments;

/* Takes the line [text, end) if it is such a comment; `name` is the file's, for messages. Errors:
 * SPK_ERR_FORMAT (a comment that cannot be understood), SPK_ERR_MEMORY. */
spk_status spk_text_comment_take(spk_context *context, spk_text_comments *comments,
                                 const char *name, const char *text, const char *end);

/* Whether the file was cut by segments, other than an only one with an open border. */
bool spk_text_comments_cut(const spk_text_comments *comments);

/* The border at this rate; it must not be open. */
spk_border spk_text_border_at(const spk_text_border *border, spk_rate rate);

/* The same as a time; false where the border is open, or no spk_duration holds it. */
bool spk_text_border_time(const spk_text_border *border, spk_rate rate, spk_duration *out);

/* Frees the content. */
void spk_text_comments_clear(spk_text_comments *comments);

/* ---- which of two columns is the time? ------------------------------------------------------- */

/* From the two names of a header; SPK_COLUMNS_GUESS when they do not tell. */
spk_columns spk_guess_from_names(const spk_field names[2]);

/* What a column's name says about what is in it. */
typedef enum spk_named_column {
    SPK_NAMED_NOTHING,
    SPK_NAMED_NEAR_TIME, /* "start_time", "sample" */
    SPK_NAMED_TIME,      /* "time", "spike_times", "t [ms]" */
    SPK_NAMED_NEAR_UNIT, /* "id", "label", "cell_type" */
    SPK_NAMED_UNIT       /* "unit", "cluster_id", "channel" */
} spk_named_column;

spk_named_column spk_column_of_name(const spk_field *field);

/* What a column's name says about the unit of its times. */
typedef enum spk_named_unit {
    SPK_NAMED_SECONDS, /* the first ones in the order of spk_time_unit */
    SPK_NAMED_MILLISECONDS,
    SPK_NAMED_MICROSECONDS,
    SPK_NAMED_SAMPLES, /* or frames */
    SPK_NAMED_OTHER,   /* one that is not read, such as nanoseconds */
    SPK_NAMED_NONE
} spk_named_unit;

/* From "time_s", "t [us]", "time (ms)", "spike_samples". */
spk_named_unit spk_time_unit_of_name(const spk_field *field);

enum { SPK_GUESS_LINES = 400 };

/* From the first lines (n at most SPK_GUESS_LINES, two fields each); SPK_COLUMNS_GUESS when they do
 * not tell. `samples`: times are whole numbers. */
spk_columns spk_guess_from_content(size_t n, const spk_field (*fields)[2], bool samples);
