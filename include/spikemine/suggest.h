/*
 * Suggesting: sets of delays are tried against chance (choose.h), and the test of the best set is
 * told as an operation with its options.
 *
 *     spk_suggestion *found = NULL;
 *     status = spk_suggest_run(context, recording, NULL, &found);
 *     if (status == SPK_OK)
 *         puts(spk_suggestion_columns_of(found)->finding);
 *     spk_suggestion_free(found);
 *
 * The other way round, delays that are given get a support: spk_analysis_choose_support.
 */
#ifndef SPIKEMINE_SUGGEST_H
#define SPIKEMINE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/choose.h"
#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/operation.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* Initialise with spk_suggest_options_init; pointers are borrowed for the call. */
typedef struct spk_suggest_options {
    size_t struct_size;        /* set by spk_suggest_options_init */
    const spk_delay_set *sets; /* NULL: about twelve that suit most recordings */
    size_t n_sets;
    uint64_t n_events; /* 50000: events that are looked at, from the recording's start on */
    spk_duration time; /* 30 s */
    double alpha;      /* 0.05: level for all sets together, above 0 and below 1 */
    uint64_t seed;     /* 1 */
} spk_suggest_options;

/* The defaults named above. */
SPK_API void spk_suggest_options_init(spk_suggest_options *options, size_t struct_size);

/* What was tried, and what is suggested, which it owns.
 * Threads: it never changes after it was made, so that any number may read it. */
typedef struct spk_suggestion spk_suggestion;

/* Pointers into the suggestion, valid as long as it lives. Filled in by the library; it may grow at
 * its end. */
typedef struct spk_suggestion_columns {
    spk_delay_table_columns tried;
    /* By trial, as texts: "0:5ms 5ms:10ms", and the window "25ms". */
    const char *const *delays;
    const char *const *jitter;
    const char *finding; /* what stands out, in words, UTF-8, without a full stop */
    /* The test to begin with; NULL: no set exceeds chance clearly. Its alpha is that of the options
     * divided by the number of sets. */
    const spk_operation_call *call;
    const spk_delay_test *test; /* what it will cost; NULL likewise */
} spk_suggestion_columns;

/* Tries the sets and makes up a test of the best one. NULL options: the defaults. Threads, memory,
 * progress and cancel are those of the context. The same recording, options and seed suggest the
 * same. Errors: SPK_ERR_ARGUMENT (alpha), those of
 * spk_choose_delays and spk_choose_test; with SPK_ERR_CANCELLED *out may be what was tried until
 * then, without a call. */
SPK_API SPK_MUST_CHECK spk_status spk_suggest_run(spk_context *context,
                                                  const spk_recording *recording,
                                                  const spk_suggest_options *options,
                                                  spk_suggestion **out);

/* The columns; never NULL for a suggestion, NULL for NULL. */
SPK_API const spk_suggestion_columns *spk_suggestion_columns_of(const spk_suggestion *suggestion);

/* Frees it; NULL is accepted. */
SPK_API void spk_suggestion_free(spk_suggestion *suggestion);

SPK_END_C

#endif
