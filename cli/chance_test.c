/* Tests against chance. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "numbers.h"
#include "spikemine/analysis.h"
#include "spikemine/describe.h"
#include "spikemine/report_tests.h"

/* ---- options --------------------------------------------------------------------------------- */

static int parse_jitter(cli_session *session, const char *text, exact_plan *plan)
{
    for (const char *at = text;;) {
        size_t length = strcspn(at, ",");
        if (plan->test.n_jitter == SPK_EXACT_MAX_SCALES)
            return cli_usage_error(session->command, "--jitter %s: more than %u windows", text,
                                   SPK_EXACT_MAX_SCALES);
        if (length == 0)
            return cli_usage_error(session->command,
                                   "--jitter %s: must be a time or several with commas between, "
                                   "such as 5ms,25ms,100ms",
                                   text);
        spk_status status =
            spk_duration_parse(session->context, at, length, &plan->jitter[plan->test.n_jitter++]);
        if (status != SPK_OK)
            return cli_report_usage(session, status);
        if (at[length] == '\0')
            return CLI_DONE;
        at += length + 1;
    }
}

static int compare_durations(const void *a, const void *b)
{
    return spk_duration_compare(*(const spk_duration *)a, *(const spk_duration *)b);
}

static int sort_jitter(const cli_session *session, exact_plan *plan)
{
    qsort(plan->jitter, plan->test.n_jitter, sizeof plan->jitter[0], compare_durations);
    for (size_t k = 1; k < plan->test.n_jitter; k++)
        if (spk_duration_compare(plan->jitter[k - 1], plan->jitter[k]) == 0)
            return cli_usage_error(session->command, "--jitter %s: a window is given twice",
                                   session->shared->jitter);
    return CLI_DONE;
}

int exact_plan_make(cli_session *session, exact_plan *plan)
{
    const cli_shared *v = session->shared;
    spk_exact_options *test = &plan->test;
    *plan = (exact_plan){.wanted = v->test == CLI_TEST_EXACT};
    if (!plan->wanted)
        return CLI_DONE;
    spk_exact_options_init(test, sizeof *test);
    test->jitter = plan->jitter;
    if (v->n_surrogates > 0 || v->maxima != NULL || v->n_calibrations > 0)
        test->n_surrogates = v->n_surrogates;
    if (v->null > 0)
        test->null = spk_exact_null_get((size_t)v->null - 1)->name;
    if (v->history.given)
        test->history = v->history.value;
    test->seed = v->seed;
    test->checkpoint = v->checkpoint;
    int code = parse_jitter(session, v->jitter, plan);
    if (code == CLI_DONE)
        code = sort_jitter(session, plan);
    return code == CLI_DONE ? cli_shard_parse(session, v->shard, &test->shard, &test->n_shards)
                            : code;
}

void cli_jitter_check(cli_session *session, const spk_recording *recording, spk_duration jitter)
{
    char text[300];
    if (spk_recording_check_jitter(recording, jitter, text, sizeof text) > 0)
        cli_note(session, "--jitter: %s", text);
}

/* ---- shards ---------------------------------------------------------------------------------- */

int cli_shard_parse(const cli_session *session, const char *text, uint32_t *shard,
                    uint32_t *n_shards)
{
    uint32_t part[2];
    if (text == NULL)
        return CLI_DONE;
    if (!cli_whole_list_parse(text, '/', 2, 1000000, part) || part[0] < 1 || part[0] > part[1])
        return cli_usage_error(session->command,
                               "--shard %s: must be I/N, shard I from 1 to N of N shards, such as "
                               "3/16",
                               text);
    *shard = part[0];
    *n_shards = part[1];
    return CLI_DONE;
}

void cli_shard_tell(cli_session *session, bool pvalues)
{
    const cli_shared *v = session->shared;
    const char *later = v->occurrences != NULL ? "--occurrences"
                        : v->figure != NULL    ? "--figure"
                        : v->page != NULL      ? "--html"
                        : pvalues              ? "--pvalues"
                                               : NULL;
    if (v->shard != NULL && later != NULL)
        cli_note(session,
                 "--shard makes surrogates only; the file of %s comes from the command that tests",
                 later);
}

spk_status cli_shard_write(cli_session *session, spk_status status, const spk_maxima *maxima)
{
    const char *output = session->shared->output;
    if (status == SPK_OK)
        status = spk_maxima_write(session->context, maxima, output);
    if (status != SPK_OK)
        return status;
    const spk_maxima_info info = spk_maxima_describe(maxima);
    cli_note(session,
             "%s has %" PRIu64 " of %" PRIu64 " surrogates; when all %" PRIu32
             " shards are there: spikemine merge, then this command with --maxima in place of "
             "--shard",
             output, info.n_of_shard, info.n_surrogates, info.n_shards);
    return SPK_OK;
}

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
    if (plan->test.n_jitter > 1 && scale != SPK_ALL_SCALES) {
        char text[48];
        spk_duration_format(plan->jitter[scale], text, sizeof text);
        snprintf(window, sizeof window, "%s alone: ", text);
    } else if (plan->test.n_jitter > 1) {
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
    spk_duration_format(plan->jitter[plan->test.n_jitter - 1], longest, sizeof longest);
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
    const spk_provenance provenance = cli_provenance(session, seconds);
    spk_calibration_report report;
    spk_calibration_report_init(&report, sizeof report);
    report.jitter = plan->jitter;
    report.n_jitter = plan->test.n_jitter;
    report.seed = v->seed;
    report.alpha = v->alpha;
    const char *method = v->calibrate_method;
    report.method = method != NULL ? method : spk_calibration_columns_of(calibration).method;
    return cli_allow_pipe(spk_calibration_write(session->context, v->output,
                                                (spk_table_form)v->format, recording, calibration,
                                                &report, &provenance));
}

int calibration_run(cli_session *session, exact_plan *plan, const spk_recording *recording)
{
    spk_calibration *calibration = NULL;
    const double begin = cli_seconds();
    spk_status status = run_all(session, recording, &plan->test, &calibration);
    const double seconds = cli_seconds() - begin;
    if (status == SPK_OK) {
        tell(session, plan, calibration, seconds);
        status = write_table(session, plan, recording, calibration, seconds);
    }
    spk_calibration_free(calibration);
    return cli_report(session, status);
}

/* ---- surrogates ------------------------------------------------------------------------------ */

spk_surrogate_options cli_surrogate_options(const cli_session *session,
                                            const cli_surrogate_values *values)
{
    const cli_shared *v = session->shared;
    spk_surrogate_options options = values->made, usual;
    spk_surrogate_options_init(&usual, sizeof usual);
    options.struct_size = sizeof options;
    options.method = options.method != NULL ? options.method : usual.method;
    options.history = v->history.given ? v->history.value : usual.history;
    options.edges = values->edges == 0;
    options.alternate = !values->in_order;
    options.cutoff = !values->no_cutoff;
    options.seed = v->seed;
    return options;
}

void cli_surrogate_warn(cli_session *session, const spk_surrogate_options *options)
{
    static const char *const ticks_only = "without a bin, ";
    for (size_t k = 0; k < spk_surrogate_method_count(); k++) {
        const spk_surrogate_method *method = spk_surrogate_method_get(k);
        const char *warning = method->warning;
        bool in_ticks = strncmp(warning, ticks_only, strlen(ticks_only)) == 0;
        if (warning[0] != '\0' && strcmp(method->name, options->method) == 0 &&
            (!in_ticks || options->bin.digits == 0))
            cli_note(session, "surrogates by %s: %s", method->name, warning);
    }
}
