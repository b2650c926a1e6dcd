/*
 * What surrogates of a test of signatures cost: some are made and searched, as a rank does it.
 * Their search differs from that of the recording: it looks for the largest counts only, and chance
 * gives fewer patterns.
 */
#include <stdlib.h>

#include "base/deadline.h"
#include "base/options.h"
#include "spikemine/plan.h"
#include "spikemine/spectrum.h"

/* Until the first one is done the search may take longer than it should. */
static const double MOST_TIMES = 4;

static spk_status search(spk_context *context, const spk_surrogates *surrogates,
                         const spk_maxima_options *options, uint64_t k)
{
    spk_recording *recording = NULL;
    spk_windows *windows = NULL;
    spk_pattern_maximum *maxima = NULL;
    size_t n = 0;
    spk_status status = spk_surrogates_make(context, surrogates, k, &recording);
    if (status == SPK_OK)
        status = spk_windows_create(context, recording, options->windows, &windows);
    if (status == SPK_OK)
        status = spk_pattern_find_maxima(context, windows, options->patterns, options->by_duration,
                                         &maxima, &n);
    free(maxima);
    spk_windows_free(windows);
    spk_recording_free(recording);
    return status;
}

/* Seconds of a surrogate, on average; *is_least where none came to its end. */
static spk_status measure(spk_context *context, const spk_recording *recording,
                          const spk_maxima_options *options, double seconds, double *mean,
                          bool *is_least)
{
    spk_surrogates *surrogates = NULL;
    const double until = spk_seconds_now() + seconds, begin = spk_work_seconds(1);
    uint64_t n = 0;
    spk_status status = spk_surrogates_create(context, recording, options->surrogates, &surrogates);
    while (status == SPK_OK && n < options->n_surrogates && (n == 0 || spk_seconds_now() < until)) {
        status = search(context, surrogates, options, n + 1);
        n += status == SPK_OK;
    }
    spk_surrogates_free(surrogates);
    *is_least = n == 0;
    *mean = (spk_work_seconds(1) - begin) / (n > 0 ? (double)n : 1);
    return status;
}

spk_status spk_plan_measure_surrogates(spk_context *context, const spk_recording *recording,
                                       const spk_maxima_options *given, uint32_t threads,
                                       double seconds, spk_plan_costs *costs)
{
    spk_deadline deadline;
    spk_maxima_options options;
    double mean = 0;
    bool is_least = false;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &options, spk_maxima_options);
    if (status == SPK_OK && (!(seconds > 0) || threads == 0 || options.n_surrogates == 0))
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "a measurement needs more than 0 seconds, threads and surrogates");
    if (status == SPK_OK)
        status = spk_deadline_begin(context, MOST_TIMES * seconds, &deadline);
    if (status != SPK_OK)
        return status;
    spk_context_hush(deadline.own);
    spk_context_set_threads(deadline.own, 1);
    status = measure(deadline.own, recording, &options, seconds, &mean, &is_least);
    status = spk_deadline_leave(context, &deadline, status);
    if (status != SPK_OK)
        return status;
    costs->surrogates = options.n_surrogates;
    costs->surrogate_s = mean / threads; /* threads have a surrogate each */
    costs->is_least |= is_least;
    return SPK_OK;
}
