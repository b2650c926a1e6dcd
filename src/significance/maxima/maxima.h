/*
 * The inside of maxima: a job as text, the columns, and the form of the file. There are two kinds:
 * largest counts of patterns (spikemine/maxima.h), and scores of an exact test (spikemine/exact.h).
 * Runs, checkpoints, shards and files are the same for both.
 *
 * The job is what decides the maxima: one line "name: value" each, in one order. Two jobs are the
 * same when their texts are. Number of surrogates and shard are no part of it, since a surrogate
 * depends on neither.
 */
#pragma once

#include "base/context.h"
#include "base/stage.h"
#include "spikemine/exact.h"
#include "spikemine/maxima.h"
#include "spikemine/spectrum.h"

/* What a surrogate has several of: steps of the largest count, or of the scores. */
typedef union spk_maxima_entry {
    spk_pattern_maximum maximum;
    spk_score_step step;
} spk_maxima_entry;

/* Of which maxima some are. */
typedef struct spk_maxima_part {
    const char *job; /* borrowed */
    uint64_t n_surrogates;
    uint32_t shard;
    uint32_t n_shards;
    bool by_duration;
    uint32_t n_scales; /* of an exact test; 0: largest counts of patterns */
} spk_maxima_part;

struct spk_maxima {
    char *name; /* of the file that they were read from, or NULL */
    char *job;  /* its own */
    spk_maxima_part part;
    uint64_t n;
    uint64_t *surrogate;
    uint64_t *first;
    spk_maxima_entry *entry;
    void *kept; /* what the run prepared and a test can use again; NULL for maxima that were read */
    void (*free_kept)(void *kept);
    spk_holding holding;
};

/* Room for n surrogates with n_entries together, to be filled in: all but first[0]. */
spk_status spk_maxima_create(spk_context *context, const spk_maxima_part *part, uint64_t n,
                             uint64_t n_entries, spk_maxima **out);

/* Once it is filled in: it counts against the memory limit until it is freed. */
void spk_maxima_hold(spk_context *context, spk_maxima *maxima);

/* How many surrogates a shard has; surrogate number i of them, from 0. */
uint64_t spk_maxima_shard_size(const spk_maxima_part *part);
uint64_t spk_maxima_shard_surrogate(const spk_maxima_part *part, uint64_t i);

/* "b.spk", or "part 2" for maxima without a file. */
typedef struct spk_maxima_name {
    char text[512];
} spk_maxima_name;
spk_maxima_name spk_maxima_name_of(const spk_maxima *maxima, size_t number);

/* ---- runs ------------------------------------------------------------------------------------ */

/* Makes surrogate k and finds its entries, which free() frees: never NULL after SPK_OK, also where
 * there are none. Called from several threads at once, each with a context of its own. */
typedef spk_status spk_maxima_find(spk_context *own, const void *user, uint64_t k,
                                   spk_maxima_entry **entry, size_t *n);

/* Finds the entries of all surrogates of the part through the queue of work; goes on from the
 * checkpoint and keeps it, unless it is NULL. */
spk_status spk_maxima_run_part(spk_context *context, const spk_maxima_part *part,
                               const char *checkpoint, spk_maxima_find *find, const void *user,
                               spk_maxima **out);

/* SPK_ERR_ARGUMENT where the maxima are not all those of the job with this text; n_surrogates = 0
 * accepts any number. */
spk_status spk_maxima_check_text(spk_context *context, const spk_maxima *maxima, const char *job,
                                 uint64_t n_surrogates);

/* SPK_ERR_ARGUMENT where there is no such shard. */
spk_status spk_maxima_check_shard(spk_context *context, uint32_t shard, uint32_t n_shards);

/* ---- jobs ------------------------------------------------------------------------------------ */

/* Options after the defaults of missing ones and their checks. */
typedef struct spk_maxima_job {
    spk_maxima_options options; /* its pointers lead to the structs below */
    spk_window_options windows;
    spk_pattern_options patterns;
    spk_surrogate_options surrogates;
    char *text; /* free() frees it */
} spk_maxima_job;

/* Sets *job up, which must not be moved: it has pointers into itself. */
spk_status spk_maxima_job_take(spk_context *context, const spk_recording *recording,
                               const spk_maxima_options *given, spk_maxima_job *job);

/* SPK_ERR_ARGUMENT with the first line in which the texts differ: "NAME: was made with dither
 * 25ms, and OTHER has 15ms; REMEDY". */
spk_status spk_maxima_compare_jobs(spk_context *context, const char *name, const char *job,
                                   const char *other_name, const char *other_job,
                                   const char *remedy);

/* ---- files ----------------------------------------------------------------------------------- */

/* spk_maxima_write for a file of this rank alone. */
spk_status spk_maxima_write_own(spk_context *context, const spk_maxima *maxima, const char *path);

#define SPK_MAXIMA_MAGIC         "# spikemine maxima "
#define SPK_MAXIMA_HEADER        "surrogate\tsize\tduration\tcount\n"
#define SPK_MAXIMA_SCORES_HEADER "surrogate\tscale\tscore\tresults\n"
enum { SPK_MAXIMA_FORMAT = 1 };

/* Reads n bytes of text; `name` stands for the file in messages. */
spk_status spk_maxima_parse(spk_context *context, const char *name, const char *text, size_t n,
                            spk_maxima **out);
