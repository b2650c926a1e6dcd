/*
 * Calibration of the exact test: surrogates of a recording are taken as data. Each is tested as a
 * recording is, against surrogates of its own. All of them are chance, so that the share of them in
 * which anything is found is the rate of false alarms, in this recording and with these options.
 *
 *     200 runs, 19 surrogates each, alpha 0.05:  11 runs have a result with p <= 0.05
 *     rate of false alarms: 0.055, 95 % interval 0.028 to 0.096; promised: at most 0.05
 *
 * No two runs share a surrogate, and none has one of those of the test itself. The rank of the data
 * among its surrogates by the largest score, 1 for the largest, is uniform where the null
 * hypothesis holds. Of data and surrogates with equal largest scores, as where nothing is found in
 * any, the data's place is drawn; p counts them all as above the data.
 *
 * Data come from interval jitter within the longest window of the test, or from any other method of
 * surrogates. Then the calibration tells how often the test is alarmed by what that method keeps
 * and jitter does not. With several windows the null hypothesis of the longest one holds exactly.
 * That of a shorter one holds but for its windows that lie across a border of the longest.
 *
 *     spk_calibrate_options options;
 *     spk_calibrate_options_init(&options, sizeof options);
 *     options.test = &test;
 *     status = spk_exact_calibrate(context, recording, &options, &calibration);
 */
#ifndef SPIKEMINE_CALIBRATE_H
#define SPIKEMINE_CALIBRATE_H

#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/exact.h"
#include "spikemine/recording.h"
#include "spikemine/surrogate.h"

SPK_BEGIN_C

/* Initialise with spk_calibrate_options_init; pointers are borrowed for the call. */
typedef struct spk_calibrate_options {
    size_t struct_size;                 /* set by spk_calibrate_options_init */
    const spk_exact_options *test;      /* of a run; without shards and checkpoint */
    uint64_t n_runs;                    /* 200 */
    const spk_surrogate_options *draws; /* how data are drawn; NULL: as `method` says */
    const char *method; /* of the data, within the longest jitter and with the seed, the history and
                           the bin of the test; NULL: that of its null hypothesis */
} spk_calibrate_options;

/* 200 runs, data by the null hypothesis of the test, which is missing. */
SPK_API void spk_calibrate_options_init(spk_calibrate_options *options, size_t struct_size);

/* The smallest number of surrogates with which p at n_jitter windows can reach alpha: 19 for 0.05
 * and one window. */
SPK_API uint64_t spk_exact_least_surrogates(double alpha, size_t n_jitter);

/* What runs found; it never changes. Threads: any number may use it at the same time; free it when
 * none does. */
typedef struct spk_calibration spk_calibration;

/* Draws data and tests them. A run makes n_surrogates surrogates and searches them and the data;
 * where data come from another method, or for shorter windows, the 24 pilots of the test, too. The
 * threads of the context work on different runs, and its memory limit is divided among them.
 * Progress counts runs. The result is the same for any engine and number of threads. Errors:
 * SPK_ERR_ARGUMENT (no test, one with shards or a checkpoint, no runs, both draws and a method),
 * those of spk_exact_run; after SPK_ERR_CANCELLED nothing is kept. */
SPK_API SPK_MUST_CHECK spk_status spk_exact_calibrate(spk_context *context,
                                                      const spk_recording *recording,
                                                      const spk_calibrate_options *options,
                                                      spk_calibration **out);

/* Frees it; NULL is accepted. */
SPK_API void spk_calibration_free(spk_calibration *calibration);

/* The columns: pointers into the calibration, valid as long as it lives. Run r has the smallest p
 * of any result p[r], corrected for the number of windows; at window s it is scale_p[r * n_scales +
 * s], not corrected, and the rank of the data is rank[r * n_scales + s], from 1 to n_surrogates
 * + 1. */
typedef struct spk_calibration_columns {
    uint64_t n;
    uint32_t n_scales;
    uint64_t n_surrogates; /* of a run */
    const double *p;
    const double *scale_p;
    const uint64_t *rank;
    const char *method; /* that of the null hypothesis, by which the data were drawn; NULL: the
                           options said how */
} spk_calibration_columns;

/* The columns. */
SPK_API spk_calibration_columns spk_calibration_columns_of(const spk_calibration *calibration);

/* All windows of the test together. */
#define SPK_ALL_SCALES UINT32_MAX

/* A rate of false alarms. Filled in by the library. */
typedef struct spk_alarm_rate {
    uint64_t n_alarms; /* runs in which the smallest p is at most alpha */
    double share;      /* of all runs */
    double low, high;  /* 95 % interval by Clopper and Pearson */
    double promised;   /* at most this where the null hypothesis holds */
    double uniform_p;  /* chi-square test that ranks are uniform, in 5 classes; NAN for all windows
                          together, for less than 25 runs, and for less than 2 surrogates */
} spk_alarm_rate;

/* That of window `scale` alone, or with SPK_ALL_SCALES of the test, which corrects for their
 * number; alpha above 0, at most 1. */
SPK_API void spk_calibration_rate(const spk_calibration *calibration, double alpha, uint32_t scale,
                                  spk_alarm_rate *out);

SPK_END_C

#endif
