/* The calibration of a job's exact test. */
#include "analysis/analysis.h"
#include "base/options.h"

spk_status spk_analysis_calibrate(spk_context *context, const spk_recording *recording,
                                  const spk_analysis_options *options,
                                  const spk_calibrate_options *runs, spk_calibration **out)
{
    spk_analysis a = {.context = context};
    spk_calibrate_options own;
    *out = NULL;
    spk_status status = spk_job_take(&a, recording, options);
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(context, runs, &own, spk_calibrate_options);
    if (status != SPK_OK)
        return status;
    if (a.options.exact == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a calibration is of an exact test: give its options");
    if (a.test.n_surrogates == 0)
        a.test.n_surrogates = spk_exact_least_surrogates(a.options.alpha, a.test.n_jitter);
    own.test = &a.test;
    return spk_exact_calibrate(context, recording, &own, out);
}
