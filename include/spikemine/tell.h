/*
 * What a test found in sentences, as the command and the Python package tell it:
 *
 *     99 surrogates (shift within 25ms, seed 1): 2 of 629 episodes are significant at 0.05, ...
 *     19 -> 11: 10,130 times, 8,951 by chance, p 0.005, both directions: synchrony
 *
 * A sink gets each sentence: see describe.h, which tells recordings.
 */
#ifndef SPIKEMINE_TELL_H
#define SPIKEMINE_TELL_H

#include <stdbool.h>
#include <stdint.h>

#include "spikemine/analysis.h"
#include "spikemine/describe.h"
#include "spikemine/operation.h"
#include "spikemine/recording.h"
#include "spikemine/report_tests.h"
#include "spikemine/sequence.h"

SPK_BEGIN_C

/* Tells what the test found, in a sentence each: surrogates, chance, level, how many results are
 * significant, and what must be known of that, such as results that may be no sequence. `columns`
 * are those of a run that succeeded; of a search without a test nothing is told. Names of options
 * are spelt as `spelling` says. Without a context; errors are those of the sink, and a NULL sink
 * gets nothing. */
SPK_API SPK_MUST_CHECK spk_status spk_analysis_tell(const spk_analysis_columns *columns,
                                                    spk_spelling spelling, spk_sentence_sink *sink,
                                                    void *user);

/* Tells row k, below columns->n, in a sentence: units, count, and after an exact test the count by
 * chance, p, and what it may mean; and how large its family is. Only the columns of these are
 * looked at. `recording` is that of the run. Likewise. */
SPK_API SPK_MUST_CHECK spk_status spk_analysis_tell_row(const spk_analysis_columns *columns,
                                                        const spk_recording *recording, uint64_t k,
                                                        spk_sentence_sink *sink, void *user);

/* Whether row k, below columns->n, is a pair that is significant in both directions, and the same
 * pair the other way round is an earlier row: its sentence tells both. */
SPK_API bool spk_analysis_told_before(const spk_analysis_columns *columns, uint64_t k);

/* The same of a search for sequences: its rounds, chance, level, and p of the best of what is left;
 * and of sequence k, below their number. */
SPK_API SPK_MUST_CHECK spk_status spk_sequences_tell(const spk_sequences *sequences,
                                                     const spk_sequence_report *report,
                                                     spk_spelling spelling, spk_sentence_sink *sink,
                                                     void *user);
SPK_API SPK_MUST_CHECK spk_status spk_sequences_tell_row(const spk_sequences *sequences,
                                                         const spk_recording *recording, uint32_t k,
                                                         spk_sentence_sink *sink, void *user);

SPK_END_C

#endif
