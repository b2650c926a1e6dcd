/*
 * Files of recordings, in every format that labs have.
 *
 *     spk_read_options options;
 *     spk_read_options_init(&options, sizeof options);
 *     status = spk_recording_read(context, "session.nwb", &options, &recording);
 *
 * The format is told by the content, then by the name; options.format names it instead.
 */
#ifndef SPIKEMINE_FORMATS_H
#define SPIKEMINE_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include "spikemine/context.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* Facts about a format. All texts but `reason` are static. */
typedef struct spk_format_info {
    const char *name;
    const char *summary; /* one line */
    const char *endings; /* of names, separated by blanks: ".csv .tsv"; "" for none */
    const char *options; /* members of spk_read_options that the format heeds, separated by blanks,
                          * beside start, stop, units and sort, which all heed; "" for none */
    bool reads;
    bool writes;
    bool available;   /* in this build */
    char reason[160]; /* why it is not available and what to install, "" when it is */
} spk_format_info;

/* Number of formats, built or not. */
SPK_API size_t spk_format_count(void);

/* Name of format k; NULL when there is none. */
SPK_API const char *spk_format_name(size_t k);

/* Describes format k, 0 .. spk_format_count() - 1. Errors: SPK_ERR_ARGUMENT. */
SPK_API SPK_MUST_CHECK spk_status spk_format_describe(spk_context *context, size_t k,
                                                      spk_format_info *out);

/* Reads a recording from a file or a folder; "-" is standard input. Errors:
 * SPK_ERR_ARGUMENT (an unknown format, an option that the format does not heed), SPK_ERR_FORMAT
 * (the content is of no known format), SPK_ERR_UNAVAILABLE (the format is not in this build), and
 * those of spk_recording_read_text. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_read(spk_context *context, const char *path,
                                                     const spk_read_options *options,
                                                     spk_recording **out);

/* Writes a recording that reads back to the same one: units also where they never fire, ticks, and
 * segments with their exact bounds. The format is one that can be written, by its name; NULL: by
 * the ending of the path, and text where that says nothing. The file appears under its name only
 * when complete; "-" is standard output. Where the name ends in .gz, .bz2, .xz or .zst, it is
 * compressed. Errors: SPK_ERR_ARGUMENT (a format that cannot be written), SPK_ERR_FORMAT (a label
 * that the format cannot hold), SPK_ERR_IO, SPK_ERR_PIPE, SPK_ERR_MEMORY, SPK_ERR_UNAVAILABLE (not
 * in this build). */
SPK_API SPK_MUST_CHECK spk_status spk_recording_write(spk_context *context,
                                                      const spk_recording *recording,
                                                      const char *path, const char *format);

/* Reads a table of stretches of time that a file of recordings holds, such as `trials` of an NWB
 * file, a range for each row, in order of the file. options->format names the file's format where
 * the content does not. *ranges is malloc'ed. Errors: SPK_ERR_UNSUPPORTED (the format has no such
 * tables), SPK_ERR_ARGUMENT (no table of this name), and those of spk_recording_read. */
SPK_API SPK_MUST_CHECK spk_status spk_intervals_read_table(spk_context *context, const char *path,
                                                           const spk_read_options *options,
                                                           const char *table,
                                                           spk_time_range **ranges,
                                                           size_t *n_ranges);

/* Whether spk_recording_write can write such a file, to be asked before long work. Errors:
 * SPK_ERR_ARGUMENT (a format that cannot be written; without a format, an ending of one that is
 * only read), SPK_ERR_UNAVAILABLE (not in this build). */
SPK_API SPK_MUST_CHECK spk_status spk_recording_check_write(spk_context *context, const char *path,
                                                            const char *format);

SPK_END_C

#endif
