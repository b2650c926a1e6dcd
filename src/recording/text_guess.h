/* Which of two columns is the time? */
#ifndef SPK_RECORDING_TEXT_GUESS_H
#define SPK_RECORDING_TEXT_GUESS_H

#include "recording/text_line.h"
#include "spikemine/recording.h"

/* From the two names of a header; SPK_COLUMNS_GUESS when they do not tell. */
spk_columns spk_guess_from_names(const spk_field names[2]);

/* The unit of time that a column's name tells ("time_ms", "t [us]", "samples"); SPK_TIME_SECONDS
 * when it tells none. */
spk_time_unit spk_time_unit_of_name(const spk_field *field);

enum { SPK_GUESS_LINES = 400 };

/* From the first lines (n at most SPK_GUESS_LINES, two fields each); SPK_COLUMNS_GUESS when they do
 * not tell. `samples`: times are whole numbers. */
spk_columns spk_guess_from_content(size_t n, const spk_field (*fields)[2], bool samples);

#endif
