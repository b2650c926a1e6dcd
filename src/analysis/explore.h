/*
 * The inside of a first look: what its steps share.
 *
 *     explore.c           the steps, and the work that each may do
 *     explore_test.c      the test of episodes: of all, or where that is too much work of pairs
 *     explore_part.c      a step that the clock ended, and the beginning of a recording
 *     explore_sequences.c whole sequences, round by round
 *     explore_words.c     what was found in sentences, and the steps as operations
 */
#pragma once

#include "analysis/calls.h"
#include "base/context.h"
#include "base/deadline.h"
#include "spikemine/describe.h"
#include "spikemine/explore.h"

enum { EXPLORE_STEPS = 2, EXPLORE_STOP_BYTES = 48, EXPLORE_NOTES = 16 };

/* Tries of delays and of the test, and clocks: of each try, of the support, and of sequences. */
enum { EXPLORE_DELAY_TRIES = 3, EXPLORE_TRIES = 3 };
enum { EXPLORE_CLOCKS = EXPLORE_DELAY_TRIES + EXPLORE_TRIES + 2 };

/* So many events are looked at however short the time is. */
enum { EXPLORE_LEAST_EVENTS = 2000 };

/* What it is at. */
enum { EXPLORE_DELAYS, EXPLORE_TEST, EXPLORE_SEQUENCES, EXPLORE_N_DOINGS };

/* A part of the recording that a step looks at: its beginning, or all of it. */
typedef struct explore_part {
    const spk_recording *recording;
    spk_recording *own;            /* NULL: the recording itself */
    char stop[EXPLORE_STOP_BYTES]; /* "312s"; "" for all of it */
} explore_part;

struct spk_explore {
    spk_context *context; /* the caller's */
    double begin;         /* on the clock of spk_seconds_now */
    double limit;         /* seconds that the clock gives all of it */
    spk_deadline clock[EXPLORE_CLOCKS];
    double until;     /* the end of the step */
    spk_context *own; /* of the step, which the clock cancels */
    int n_clocks;
    bool is_busy;  /* the machine, while delays were tried */
    bool is_late;  /* the clock ended the last step, */
    bool was_late; /* one of them, */
    bool is_slow;  /* or made one smaller than the counted work did */
    double steps;  /* that are left, of episode/search.h */
    double alpha;  /* of episodes, and of whole sequences */
    int doing;
    spk_explore_options options;
    spk_recording_description description;
    /* Delays and the test of episodes. */
    spk_delay_table *delays;
    const spk_delay_trial *trial; /* whose delays are tested; NULL: none was tried */
    bool one_set;                 /* no other set was tried: there was no time to choose */
    bool stands_out;              /* it has clearly more than chance */
    bool pairs_only;              /* the test of all episodes would be too much work */
    bool test_ended;
    spk_delay_test chosen;
    double own_steps;   /* of the search of the recording itself */
    explore_part whole; /* what the test may look at */
    double whole_share;
    uint64_t n_surrogates;
    explore_part tested;
    spk_analysis *analysis;
    /* Whole sequences. */
    explore_part searched;
    spk_surrogate_options null;
    spk_sequence_options search;
    spk_sequence_report report;
    spk_sequences *sequences;
    uint32_t n_rounds; /* that the steps suffice for */
    bool search_ended; /* no further round was left */
    bool search_late;  /* the clock ended it */
    bool search_large; /* the limit of memory ended it */
    /* What is told. */
    char *note[EXPLORE_NOTES]; /* of the steps, each once */
    size_t n_notes;
    spk_explore_columns columns;
    spk_explore_sentence *sentence;
    uint64_t n_sentences, sentence_capacity;
    spk_call_settings settings[EXPLORE_STEPS];
    spk_operation_call step[EXPLORE_STEPS];
};

/* spk_explore_run with a clock that ends it after so many seconds; 0: as that does. */
spk_status spk_explore_run_until(spk_context *context, const spk_recording *recording,
                                 const spk_explore_options *options, double clock_s,
                                 spk_explore **out);

/* A status of work on e->own: that its time was over is no failure. */
spk_status spk_explore_allow_late(const spk_explore *e, spk_status status);

/* A small part of a job on this thread, and its steps. */
typedef spk_status spk_explore_pilot(spk_explore *e, const spk_recording *recording, double *steps);

/* The seconds of a pilot. A short one counts the time that it had a processor, and is made again:
 * what it waits for or does for the first time says nothing of the rest. */
spk_status spk_explore_time(spk_explore *e, const spk_recording *recording,
                            spk_explore_pilot *pilot, double *steps, double *seconds);

/* The steps for a job that may take so many by work: fewer where a pilot, of so many steps on one
 * thread in these seconds, shows that the step's time does not suffice. */
double spk_explore_steps_in_time(const spk_explore *e, double steps, double pilot, double seconds);

/* Chooses support and largest size of a test of all episodes in so many steps. */
spk_status spk_explore_choose(spk_explore *e, const spk_recording *recording, double steps);

/* The level of the test and its surrogates, without a support. */
void spk_explore_take_level(spk_explore *e);

/* From now on pairs are tested: with the support of the trial, which comes from surrogates alone.
 */
void spk_explore_take_pairs(spk_explore *e);

/* Tests all episodes, or where that is too much those of two units alone, in so many steps, which
 * e->steps falls by; 0: as few events as are always looked at. test_ended tells of the end. */
spk_status spk_explore_test(spk_explore *e, const spk_recording *recording, double steps);

/* Takes the beginning of the recording, about `share` of its length; 1 and more: all of it. */
spk_status spk_explore_take_part(const spk_explore *e, const spk_recording *recording, double share,
                                 explore_part *part);
void spk_explore_drop_part(explore_part *part);

/* Looks for whole sequences as far as the steps last. */
spk_status spk_explore_find_sequences(spk_explore *e, const spk_recording *recording);

/* Tells all of it; the columns are filled. */
spk_status spk_explore_tell(spk_explore *e, const spk_recording *recording);

void spk_explore_free_words(spk_explore *e);
