/* `--calibrate`: how often the test is alarmed by chance. */
#include "calibration.h"

#include <inttypes.h>
#include <math.h>

#include "interrupt.h"
#include "spikemine/analysis.h"
#include "spikemine/report_tests.h"

/* ---- the runs -------------------------------------------------------------------------------- */

static spk_status run_all(cli_session *session, const spk_recording *recording,
                          spk_exact_options *test, spk_calibration **out)
{
    const cli_shared *v = session->shared;
    spk_analysis_options options;
    spk_calibrate_options runs;
    spk_analysis_options_init(&options, sizeof options);
    test->min_size = v->select.min_size;
    test->distinct_units = v->select.distinct_units;
    options.exact = test;
    options.alpha = v->alpha;
    spk_calibrate_options_init(&runs, sizeof runs);
    runs.n_runs = v->n_calibrations;
    runs.method = v->calibrate_method;
    return spk_analysis_calibrate(session->context, recording, &options, &runs, out);
}

/* ---- what was found -------------------------------------------------------------------------- */

static void tell_rate(cli_session *session, const exact_plan *plan,
                      const spk_calibration *calibration, uint32_t scale)
{
    spk_alarm_rate rate;
    char window[80] = "";
    char ranks[80] = "";
    const double alpha = session->shared->alpha;
    spk_calibration_rate(calibration, alpha, scale, &rate);
    if (plan->n_jitter > 1 && scale != SPK_ALL_SCALES) {
        char text[48];
        spk_duration_format(plan->jitter[scale], text, sizeof text);
        snprintf(window, sizeof window, "%s alone: ", text);
    } else if (plan->n_jitter > 1) {
        snprintf(window, sizeof window, "all windows together: ");
    }
    if (!isnan(rate.uniform_p))
        snprintf(ranks, sizeof ranks, "; ranks of the data are uniform with p %.3g",
                 rate.uniform_p);
    cli_note(session,
             "%s%" PRIu64 " runs have p <= %g: a rate of %.3g, 95 %% interval %.3g to %.3g; "
             "promised is at most %.3g%s",
             window, rate.n_alarms, alpha, rate.share, rate.low, rate.high, rate.promised, ranks);
    if (rate.low > rate.promised)
        cli_note(session, "%sthis is more than promised: the null hypothesis does not hold for %s",
                 window,
                 session->shared->calibrate_method != NULL ? "data by this method" : "these data");
}

static void tell(cli_session *session, const exact_plan *plan, const spk_calibration *calibration,
                 double seconds)
{
    const spk_calibration_columns c = spk_calibration_columns_of(calibration);
    const char *method = session->shared->calibrate_method;
    char longest[48];
    spk_duration_format(plan->jitter[plan->n_jitter - 1], longest, sizeof longest);
    cli_note(session,
             "%" PRIu64 " runs on surrogates (%s, %s, seed %" PRIu64 "), each against %" PRIu64
             " of its own, in %.1f s",
             c.n, method != NULL ? method : c.method, longest, session->shared->seed,
             c.n_surrogates, seconds);
    for (uint32_t s = 0; s < c.n_scales; s++)
        tell_rate(session, plan, calibration, s);
    if (c.n_scales > 1)
        tell_rate(session, plan, calibration, SPK_ALL_SCALES);
}

static spk_status write_table(cli_session *session, const exact_plan *plan,
                              const spk_recording *recording, const spk_calibration *calibration,
                              double seconds)
{
    const cli_shared *v = session->shared;
    const spk_provenance provenance = {.command = cli_command_line(session),
                                       .input = session->arguments[0],
                                       .threads = spk_context_threads(session->context),
                                       .seconds = seconds};
    spk_calibration_report report;
    spk_calibration_report_init(&report, sizeof report);
    report.jitter = plan->jitter;
    report.n_jitter = plan->n_jitter;
    report.seed = v->seed;
    report.alpha = v->alpha;
    const char *method = v->calibrate_method;
    report.method = method != NULL ? method : spk_calibration_columns_of(calibration).method;
    return cli_allow_pipe(spk_calibration_write(session->context, v->output,
                                                (spk_table_form)v->format, recording, calibration,
                                                &report, &provenance));
}

int calibration_run(cli_session *session, const exact_plan *plan, const spk_recording *recording,
                    spk_exact_options *test)
{
    spk_calibration *calibration = NULL;
    const double begin = cli_seconds();
    spk_status status = run_all(session, recording, test, &calibration);
    const double seconds = cli_seconds() - begin;
    if (status == SPK_OK) {
        tell(session, plan, calibration, seconds);
        status = write_table(session, plan, recording, calibration, seconds);
    }
    spk_calibration_free(calibration);
    return cli_report(session, status);
}
