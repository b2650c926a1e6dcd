/*
 * Maxima of surrogates: the largest counts of patterns in each of many surrogates of a recording,
 * which a significance test compares with the counts in the recording. This is the long part of a
 * test: it runs on all processors, in parts on several machines, and goes on after an interruption.
 * The maxima are the same however they were made.
 *
 * A job that keeps a checkpoint, and one of its 16 shards:
 *
 *     spk_maxima_options options;
 *     spk_maxima_options_init(&options, sizeof options);
 *     options.windows = &windows, options.patterns = &patterns, options.surrogates = &surrogates;
 *     options.n_surrogates = 5000;
 *     options.shard = 3, options.n_shards = 16;
 *     options.checkpoint = "shard3.spk";
 *     status = spk_maxima_run(context, recording, &options, &maxima);
 *
 * Surrogate k = 1, 2, ... belongs to shard ((k - 1) mod n_shards) + 1, so that a job of more
 * surrogates has the same ones in each of its shards, and further ones behind them.
 *
 * A file of maxima is text: docs/reference/maxima-files.md describes it. It tells the job that it
 * is part of: format and version of the program, a digest of the recording, all options that matter
 * to the result, the seed, and the shard; and it ends with its checksum. Engine, threads, memory
 * and the number of GPUs do not matter.
 */
#ifndef SPIKEMINE_MAXIMA_H
#define SPIKEMINE_MAXIMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"
#include "spikemine/spectrum.h"
#include "spikemine/surrogate.h"

SPK_BEGIN_C

/* Maxima of the surrogates of one job: of all, or of those of one shard, perhaps not of all of
 * these yet. They never change after they were made. Threads: any number may use them at the same
 * time; free them when none does. */
typedef struct spk_maxima spk_maxima;

/* The columns: pointers into the maxima, valid as long as they live. Surrogate surrogate[i] has the
 * entries maximum[first[i]] .. maximum[first[i + 1] - 1], in the order of spk_pattern_find_maxima;
 * it may have none. */
typedef struct spk_maxima_columns {
    uint64_t n;
    bool by_duration;
    const uint64_t *surrogate; /* n numbers k, ascending, from 1 */
    const uint64_t *first;     /* n + 1 */
    const spk_pattern_maximum *maximum;
} spk_maxima_columns;

/* What the maxima are of; pointers into them. */
typedef struct spk_maxima_info {
    const char *job;       /* lines "name: value": version, recording, options, seed */
    uint64_t n_surrogates; /* of the whole job */
    uint32_t shard;        /* 1 .. n_shards */
    uint32_t n_shards;
    uint64_t n_of_shard; /* surrogates of this shard */
    uint64_t n_missing;  /* of them: an interrupted job; 0: the shard is complete */
    bool by_duration;
} spk_maxima_info;

/* Initialise with spk_maxima_options_init; pointers are borrowed for the call. */
typedef struct spk_maxima_options {
    size_t struct_size; /* set by spk_maxima_options_init */
    const spk_window_options *windows;
    const spk_pattern_options *patterns;
    const spk_surrogate_options *surrogates;
    uint64_t n_surrogates;  /* 1000 */
    bool by_duration;       /* false: 2d */
    uint32_t shard;         /* 1 */
    uint32_t n_shards;      /* 1 */
    const char *checkpoint; /* file that the job goes on from, and is kept in; NULL: none */
} spk_maxima_options;

/* 1000 surrogates, 2d, shard 1 of 1, no checkpoint. */
SPK_API void spk_maxima_options_init(spk_maxima_options *options, size_t struct_size);

/* Makes the surrogates of the shard and finds the maxima of each (spk_pattern_find_maxima). The
 * threads of the context work on different surrogates, and on the last ones together; its memory
 * limit is divided among them. Progress counts surrogates.
 *
 * With a checkpoint the job goes on from that file where it is there; a file of another job or
 * shard, or a damaged one, is refused and stays as it is. A file of the same job with fewer
 * surrogates is continued. The file is written at the beginning, some every 10 seconds, and at the
 * end, also after a cancel or a failure, and is replaced only by a complete new one. A process that
 * is killed so loses 10 seconds of work. What was complete at a cancel is in the checkpoint; *out
 * is NULL then.
 *
 * Errors: those of spk_surrogates_create, spk_surrogates_make, spk_windows_create and
 * spk_pattern_find_maxima; SPK_ERR_ARGUMENT (a shard that is not there, a checkpoint of another
 * job), SPK_ERR_FORMAT (a checkpoint that is damaged, no file of maxima, or of another version of
 * the format), SPK_ERR_IO (the checkpoint cannot be read or written), SPK_ERR_CANCELLED,
 * SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_maxima_run(spk_context *context,
                                                 const spk_recording *recording,
                                                 const spk_maxima_options *options,
                                                 spk_maxima **out);

/* Whether these are all maxima of the job that the options and the recording describe; its shard
 * and checkpoint do not matter, and n_surrogates = 0 accepts any number. For maxima that were read
 * in place of running surrogates. Errors: SPK_ERR_ARGUMENT with what differs, in both values, or
 * what is missing; SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_maxima_check(spk_context *context, const spk_maxima *maxima,
                                                   const spk_recording *recording,
                                                   const spk_maxima_options *options);

/* Frees them; NULL is accepted. */
SPK_API void spk_maxima_free(spk_maxima *maxima);

/* The columns, and what they are of; valid as long as the maxima. */
SPK_API spk_maxima_columns spk_maxima_columns_of(const spk_maxima *maxima);
SPK_API spk_maxima_info spk_maxima_describe(const spk_maxima *maxima);

/* ---- files ----------------------------------------------------------------------------------- */

/* Writes a file that spk_maxima_read reads; the same maxima give the same bytes. It appears under
 * its name only when complete. Errors: SPK_ERR_IO, SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_maxima_write(spk_context *context, const spk_maxima *maxima,
                                                   const char *path);

/* Reads a file of maxima: a shard, a whole job or a checkpoint; plain or compressed; "-" is
 * standard input. Nothing of a file is believed unless its checksum is right. Errors:
 * SPK_ERR_IO, SPK_ERR_FORMAT (no file of maxima, damaged, cut off, a format that is older or newer
 * than this library knows), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_maxima_read(spk_context *context, const char *path,
                                                  spk_maxima **out);

/* Joins all n shards of a job, in any order; the result equals that of a job without shards, to the
 * byte when it is written. Errors: SPK_ERR_ARGUMENT (parts of different jobs, with what differs; a
 * shard that is missing, incomplete or there twice, by number), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_maxima_merge(spk_context *context, size_t n,
                                                   const spk_maxima *const *parts,
                                                   spk_maxima **out);

SPK_END_C

#endif
