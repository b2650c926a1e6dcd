/*
 * The first look at a recording: what is in it, which delays to ask for, what a test finds, and
 * whether there are whole sequences. One job that keeps to a time.
 *
 *     describe    units, spikes, rates, what looks wrong                   describe.h
 *     delays      sets of delays, tried against chance                     choose.h
 *     test        the exact test of episodes with the best set, families   analysis.h
 *     sequences   whole sequences, although delays vary                    sequence.h
 *
 * Episodes and whole sequences share the level, half for each: where all is chance, anything at all
 * is found with a chance of at most alpha. Delays and support are chosen before the test. The half
 * of episodes is divided by the number of sets that were tried, so that p stays exact. Where no set
 * stands out, the set with most episodes beyond chance is tested. Rows are the significant episodes
 * that no part of them explains, of families the best.
 *
 * The time is counted as work: a second is a number of steps, which two processors do in a little
 * less. What does not fit into the steps is made smaller, in this order: fewer surrogates, as few
 * as reach the level; then the beginning of the recording in place of all of it; then, where that
 * is less than a tenth, pairs of units in place of all episodes. However short the time is, 2,000
 * events are tested. So the same recording and options give the same results on every machine that
 * does the steps in the time. A search for sequences ends as soon as its p must be above the level.
 *
 * On a machine that is slow or busy the clock has a say: each step is made as small as a pilot of
 * it shows to be needed, and ends on the clock, so that all of it takes no longer than the time, or
 * 10 s. All of that is told, and so is what steps note. Each step is told as an operation with its
 * options, too: run alone it gives the same result.
 *
 *     status = spk_explore_run(context, recording, NULL, &found);
 *     if (status == SPK_OK) {
 *         const spk_explore_columns *c = spk_explore_columns_of(found);
 *         for (size_t k = 0; k < c->n_sentences; k++)
 *             puts(c->sentence[k].text);
 *     }
 */
#ifndef SPIKEMINE_EXPLORE_H
#define SPIKEMINE_EXPLORE_H

#include <stddef.h>
#include <stdint.h>

#include "spikemine/analysis.h"
#include "spikemine/choose.h"
#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/operation.h"
#include "spikemine/recording.h"
#include "spikemine/report_tests.h"
#include "spikemine/sequence.h"

SPK_BEGIN_C

/* Initialise with spk_explore_options_init. */
typedef struct spk_explore_options {
    size_t struct_size; /* set by spk_explore_options_init */
    double alpha;       /* 0.05: level of all of it; half for episodes, half for sequences */
    uint64_t seed;      /* 1 */
    spk_duration time;  /* 60 s, above 0 */
} spk_explore_options;

/* The defaults named above. */
SPK_API void spk_explore_options_init(spk_explore_options *options, size_t struct_size);

/* What a sentence is about. */
typedef enum spk_explore_topic {
    SPK_EXPLORE_DOUBT,     /* what would make all of it wrong, such as a wrong unit of time */
    SPK_EXPLORE_RECORDING, /* what is in it, and how much of it was tested */
    SPK_EXPLORE_SEQUENCES, /* what the search for whole sequences found in all */
    SPK_EXPLORE_SEQUENCE,  /* one of them */
    SPK_EXPLORE_TEST,      /* what the test of episodes found in all */
    SPK_EXPLORE_EPISODE,   /* one of the least likely episodes */
    SPK_EXPLORE_CAUTION,   /* what looks wrong, and what else findings may be */
    SPK_EXPLORE_LEFT_OUT,  /* what the time did not suffice for */
    SPK_EXPLORE_METHOD     /* how it was tested: delays, levels, surrogates */
} spk_explore_topic;

/* UTF-8, without a full stop. */
typedef struct spk_explore_sentence {
    spk_explore_topic topic;
    const char *text;
} spk_explore_sentence;

/* A first look and what it found, which it owns.
 * Threads: it never changes after it was made, so that any number may read it. */
typedef struct spk_explore spk_explore;

/* What was found: pointers into the job, valid as long as it lives. Filled in by the library; it
 * may grow at its end. */
typedef struct spk_explore_columns {
    size_t n_sentences; /* by topic, in the order of spk_explore_topic */
    const spk_explore_sentence *sentence;
    size_t n_steps;
    const spk_operation_call *step;
    const spk_delay_table *delays;        /* NULL: the time did not suffice */
    const spk_recording *tested;          /* what the test looked at: the recording, or its
                                             beginning */
    const spk_analysis_columns *episodes; /* NULL: there was no test, or it did not end in time */
    uint64_t support;                     /* of the test */
    const spk_recording *searched;        /* the same for whole sequences */
    const spk_sequences *sequences;       /* NULL: the search did not end in time */
    const spk_sequence_report *search;    /* how they were found */
} spk_explore_columns;

/* Runs it; `recording` must outlive the job. NULL options: the defaults. Threads, memory, progress,
 * notes and cancel are those of the context, which must outlive the job. Steps that end in time are
 * the same on every machine and with any number of threads. Errors: SPK_ERR_ARGUMENT (alpha, a
 * time of 0), SPK_ERR_MEMORY, SPK_ERR_CANCELLED, and those of the steps. */
SPK_API SPK_MUST_CHECK spk_status spk_explore_run(spk_context *context,
                                                  const spk_recording *recording,
                                                  const spk_explore_options *options,
                                                  spk_explore **out);

/* The columns; never NULL for a job, NULL for NULL. */
SPK_API const spk_explore_columns *spk_explore_columns_of(const spk_explore *explore);

/* Frees it; NULL is accepted. */
SPK_API void spk_explore_free(spk_explore *explore);

SPK_END_C

#endif
