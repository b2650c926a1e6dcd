/* Which of two columns is the time? */
#ifndef SPK_RECORDING_TEXT_GUESS_H
#define SPK_RECORDING_TEXT_GUESS_H

#include "recording/text_line.h"
#include "spikemine/recording.h"

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

#endif
