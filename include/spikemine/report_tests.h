/*
 * Result files of tests and of other searches: calibrations, sequences, spectra and p-values of
 * signatures, as tab separated text or JSON. Errors and provenance are those of report.h.
 */
#ifndef SPIKEMINE_REPORT_TESTS_H
#define SPIKEMINE_REPORT_TESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/calibrate.h"
#include "spikemine/context.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"
#include "spikemine/report.h"
#include "spikemine/sequence.h"

SPK_BEGIN_C

/* ---- calibrations ---------------------------------------------------------------------------- */

/* What a table says of a calibration (calibrate.h). Initialise with spk_calibration_report_init;
 * pointers are borrowed for the call. */
typedef struct spk_calibration_report {
    size_t struct_size;         /* set by spk_calibration_report_init */
    const spk_duration *jitter; /* the windows D, as many as the calibration has */
    size_t n_jitter;
    const char *method; /* of the data; "auto" by default */
    uint64_t seed;
    double alpha; /* 0.05 by default */
} spk_calibration_report;

/* No windows, alpha 0.05, method "auto". */
SPK_API void spk_calibration_report_init(spk_calibration_report *report, size_t struct_size);

/* Writes a calibration: run, p and rank for each run; of several windows run, p, and p and rank at
 * each. JSON has the rates as well. `provenance` may be NULL. Errors: SPK_ERR_ARGUMENT (another
 * number of windows), SPK_ERR_IO, SPK_ERR_PIPE, SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_calibration_write(spk_context *context, const char *path,
                                                        spk_table_form format,
                                                        const spk_recording *recording,
                                                        const spk_calibration *calibration,
                                                        const spk_calibration_report *report,
                                                        const spk_provenance *provenance);

/* ---- sequences ------------------------------------------------------------------------------- */

/* What tables, figures and pages say of a search for sequences (sequence.h). Initialise with
 * spk_sequence_report_init; pointers are borrowed for the call. */
typedef struct spk_sequence_report {
    size_t struct_size; /* set by spk_sequence_report_init */
    spk_duration longest_lag;
    const char *null;    /* method of the surrogates; "shift-apart" by default */
    spk_duration jitter; /* how far they move spikes */
    uint64_t seed;
    double alpha; /* 0.05 by default */
    spk_sequence_summary summary;
} spk_sequence_report;

/* Alpha 0.05, "shift-apart". */
SPK_API void spk_sequence_report_init(spk_sequence_report *report, size_t struct_size);

/* Writes sequences. TSV: a line for each member, with sequence (from 1), p of the sequence, its
 * numbers of members and occurrences, unit, lag_s, spread_s, share, score, member_p,
 * member_q and split_p.
 * JSON: for each sequence its members and its occurrences; a missing spike is null. `provenance`
 * may be NULL. Errors: SPK_ERR_FORMAT (a label that is not UTF-8, in JSON), SPK_ERR_IO,
 * SPK_ERR_PIPE, SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_sequences_write(spk_context *context, const char *path,
                                                      spk_table_form format,
                                                      const spk_recording *recording,
                                                      const spk_sequences *sequences,
                                                      const spk_sequence_report *report,
                                                      const spk_provenance *provenance);

/* Writes the occurrences of sequences as TSV: sequence, occurrence (both from 1), time_s of the
 * first member, score, missing, and times_s, the times of its spikes separated by commas in the
 * order of the members, - for one that is missing. */
SPK_API SPK_MUST_CHECK spk_status spk_sequences_write_occurrences(spk_context *context,
                                                                  const char *path,
                                                                  const spk_recording *recording,
                                                                  const spk_sequences *sequences,
                                                                  const spk_provenance *provenance);

/* ---- spectra --------------------------------------------------------------------------------- */

/* Writes the entries of a spectrum: spikes, occurrences, with_duration also duration, patterns.
 *
 * `recording` gives its facts to the provenance; NULL: none. */
SPK_API SPK_MUST_CHECK spk_status spk_spectrum_writer_open(spk_context *context, const char *path,
                                                           spk_table_form format,
                                                           bool with_duration,
                                                           const spk_recording *recording,
                                                           spk_writer **out);

/* Writes n entries in the order given, as spk_spectrum_entries gives them. */
SPK_API SPK_MUST_CHECK spk_status spk_spectrum_writer_add(spk_writer *writer,
                                                          const spk_spectrum_entry *entries,
                                                          uint64_t n);

/* ---- p-values of signatures ------------------------------------------------------------------ */

/* Writes the p-value spectrum and all observed signatures in one table, ordered by size, count and
 * duration: spikes, occurrences, with durations duration, surrogates (that reach it), p,
 * p_published, tested, p_corrected, significant, and patterns, which is 0 where no pattern of the
 * recording has the signature.
 *
 * `recording` gives its facts to the provenance; NULL: none. */
SPK_API SPK_MUST_CHECK spk_status spk_pvalue_writer_open(spk_context *context, const char *path,
                                                         spk_table_form format,
                                                         const spk_recording *recording,
                                                         const spk_significance *test,
                                                         spk_writer **out);

/* Writes all rows. */
SPK_API SPK_MUST_CHECK spk_status spk_pvalue_writer_add(spk_writer *writer);

/* The word of a spk_asymmetry: "-", "forward", "backward", "neither". Static text. */
SPK_API const char *spk_asymmetry_text(uint32_t asymmetry);

SPK_END_C

#endif
