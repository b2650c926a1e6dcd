/*
 * Result files: episodes as tab separated text or JSON, occurrences as tab separated text. They
 * stream: hand over what is there, as it comes. A file appears under its name only when committed.
 */
#ifndef SPIKEMINE_REPORT_H
#define SPIKEMINE_REPORT_H

#include "spikemine/context.h"
#include "spikemine/episode.h"
#include "spikemine/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum spk_format { SPK_FORMAT_TSV, SPK_FORMAT_JSON } spk_format;

/* Where a result comes from; goes into JSON. All texts may be NULL. */
typedef struct spk_provenance {
    const char *command;      /* the command line */
    const char *input;        /* name of the recording */
    const char *input_sha256; /* of an input that is no recording: a recording knows its own */
    const char *engine;
    const char *choice;   /* why it was chosen */
    const char *two_pass; /* "on", "off" */
    uint64_t threshold;   /* 0: none */
    int threads;
    int gpus;        /* 0: none */
    const char *gpu; /* what they are */
    double seconds;  /* of mining */
    uint32_t n_levels;
    const spk_episode_level *levels;
    const char *incomplete; /* why the result is not complete; NULL: it is */
} spk_provenance;

/* ---- episodes -------------------------------------------------------------------------------- */

typedef struct spk_episode_writer spk_episode_writer;

/* Starts a file ("-": standard output). `delays` is the table that the delay columns index;
 * recording and delays are borrowed until the end. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_writer_open(spk_context *context, const char *path,
                                                          spk_format format,
                                                          const spk_recording *recording,
                                                          const spk_delay *delays, size_t n_delays,
                                                          spk_episode_writer **out);

/* Adds episodes. TSV: lines `size count episode`. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_writer_add(spk_context *context,
                                                         spk_episode_writer *writer,
                                                         const spk_episode_columns *episodes);

/* Ends the file and frees the writer. When provenance->incomplete is set the last line of TSV says
 * so, JSON has "complete": false, and the file gets the name PATH.incomplete. Accepts NULL. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_writer_commit(spk_context *context,
                                                            spk_episode_writer *writer,
                                                            const spk_provenance *provenance);

/* Removes what was written and frees; accepts NULL. */
SPK_API void spk_episode_writer_discard(spk_episode_writer *writer);

/* ---- occurrences ----------------------------------------------------------------------------- */

typedef struct spk_occurrence_writer spk_occurrence_writer;

SPK_API SPK_MUST_CHECK spk_status spk_occurrence_writer_open(spk_context *context, const char *path,
                                                             const spk_recording *recording,
                                                             const spk_delay *delays,
                                                             size_t n_delays,
                                                             spk_occurrence_writer **out);

/* Adds all counted occurrences of these episodes of min_size or more: lines
 * `episode occurrence start_s end_s times_s`, times separated by commas. */
SPK_API SPK_MUST_CHECK spk_status spk_occurrence_writer_add(spk_context *context,
                                                            spk_occurrence_writer *writer,
                                                            const spk_episode_columns *episodes,
                                                            uint32_t min_size);

/* `incomplete`: NULL, or why not all is there (as above). */
SPK_API SPK_MUST_CHECK spk_status spk_occurrence_writer_commit(spk_context *context,
                                                               spk_occurrence_writer *writer,
                                                               const char *incomplete);
SPK_API void spk_occurrence_writer_discard(spk_occurrence_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
