/*
 * The inside of a first look: what its steps share.
 *
 *     explore.c           the steps, and the time that each has
 *     explore_test.c      the test of episodes: of all, or where time is short of pairs
 *     explore_part.c      the time that is left, and the beginning of a recording
 *     explore_sequences.c whole sequences, round by round
 *     explore_words.c     what was found in sentences, and the steps as operations
 */
#ifndef SPK_ANALYSIS_EXPLORE_H
#define SPK_ANALYSIS_EXPLORE_H

#include "analysis/calls.h"
#include "base/context.h"
#include "base/deadline.h"
#include "spikemine/describe.h"
#include "spikemine/explore.h"

enum { EXPLORE_STEPS = 2, EXPLORE_STOP_BYTES = 48 };

/* A part of the recording that a step looks at: its beginning, or all of it. */
typedef struct explore_part {
    const spk_recording *recording;
    spk_recording *own;            /* NULL: the recording itself */
    char stop[EXPLORE_STOP_BYTES]; /* "312s"; "" for all of it */
} explore_part;

struct spk_explore {
    spk_context *context; /* the caller's */
    spk_deadline deadline;
    spk_explore_options options;
    spk_recording_description description;
    /* Delays and the test of episodes. */
    spk_delay_table *delays;
    const spk_delay_trial *trial; /* whose delays are tested; NULL: none was tried */
    bool stands_out;              /* it has clearly more than chance */
    spk_delay_test chosen;
    uint64_t n_surrogates;
    spk_deadline trying; /* of a test; its results are made on trying.own */
    bool pairs_only;     /* that of all episodes did not end in time */
    explore_part tested;
    spk_analysis *analysis;
    bool test_ended;
    /* Whole sequences. */
    explore_part searched;
    spk_surrogate_options null;
    spk_sequence_options search;
    spk_sequence_report report;
    spk_sequences *sequences;
    bool search_ended; /* no further round was left */
    /* What is told. */
    spk_explore_columns columns;
    spk_explore_sentence *sentence;
    uint64_t n_sentences, sentence_capacity;
    spk_call_settings settings[EXPLORE_STEPS];
    spk_operation_call step[EXPLORE_STEPS];
};

/* Seconds that are left of the time. */
double spk_explore_seconds_left(const spk_explore *e);

/* A status of work on the context of a deadline: that its time was over is no failure. */
spk_status spk_explore_allow_late(const spk_explore *e, const spk_deadline *deadline,
                                  spk_status status);

/* Tests all episodes, or those of two units alone, whose time is known from the trial of their
 * delays; test_ended tells of the end. A second test takes the place of the first. */
typedef spk_status explore_test(spk_explore *e, const spk_recording *recording);
explore_test spk_explore_test_all, spk_explore_test_pairs;
spk_status spk_explore_try_test(spk_explore *e, const spk_recording *recording, double seconds,
                                explore_test *test);

/* Takes the beginning of the recording, about `share` of its length; 1 and more: all of it. */
spk_status spk_explore_take_part(const spk_explore *e, const spk_recording *recording, double share,
                                 explore_part *part);
void spk_explore_drop_part(explore_part *part);

/* Looks for whole sequences as far as the time lasts. */
spk_status spk_explore_find_sequences(spk_explore *e, const spk_recording *recording);

/* Tells all of it; the columns are filled. */
spk_status spk_explore_tell(spk_explore *e, const spk_recording *recording);

void spk_explore_free_words(spk_explore *e);

#endif
