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

static int parse_jitter(cli_analysis *a, const char *text)
{
    cli_session *session = a->session;
    for (const char *at = text;;) {
        size_t length = strcspn(at, ",");
        if (a->exact.n_jitter == SPK_EXACT_MAX_SCALES)
            return cli_usage_error(session->command, "--jitter %s: more than %u windows", text,
                                   SPK_EXACT_MAX_SCALES);
        if (length == 0)
            return cli_usage_error(session->command,
                                   "--jitter %s: must be a time or several with commas between, "
                                   "such as 5ms,25ms,100ms",
                                   text);
        spk_status status =
            spk_duration_parse(session->context, at, length, &a->jitter[a->exact.n_jitter++]);
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

static int sort_jitter(cli_analysis *a, const char *text)
{
    qsort(a->jitter, a->exact.n_jitter, sizeof a->jitter[0], compare_durations);
    for (size_t k = 1; k < a->exact.n_jitter; k++)
        if (spk_duration_compare(a->jitter[k - 1], a->jitter[k]) == 0)
            return cli_usage_error(a->session->command, "--jitter %s: a window is given twice",
                                   text);
    return CLI_DONE;
}

int cli_exact_take(cli_analysis *a)
{
    const cli_shared *v = a->session->shared;
    spk_exact_options *test = &a->exact;
    if (v->test != CLI_TEST_EXACT)
        return CLI_DONE;
    a->options.exact = test;
    a->options.alpha = v->alpha;
    a->options.peel = v->peel;
    a->options.max_rounds = v->max_rounds;
    spk_exact_options_init(test, sizeof *test);
    test->jitter = a->jitter;
    if (v->n_surrogates > 0 || v->maxima != NULL || v->n_calibrations > 0)
        test->n_surrogates = v->n_surrogates;
    if (v->null > 0)
        test->null = spk_exact_null_get((size_t)v->null - 1)->name;
    if (v->history.given)
        test->history = v->history.value;
    test->seed = v->seed;
    test->checkpoint = v->checkpoint;
    int code = parse_jitter(a, v->jitter);
    if (code == CLI_DONE)
        code = sort_jitter(a, v->jitter);
    return code == CLI_DONE ? cli_shard_parse(a->session, v->shard, &test->shard, &test->n_shards)
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

/* ---- calibration ----------------------------------------------------------------------------- */

static spk_status run_all(cli_analysis *a, spk_calibration **out)
{
    const cli_shared *v = a->session->shared;
    spk_analysis_options options;
    spk_calibrate_options runs;
    spk_analysis_options_init(&options, sizeof options);
    a->exact.min_size = v->select.min_size;
    a->exact.distinct_units = v->select.distinct_units;
    options.exact = &a->exact;
    options.alpha = v->alpha;
    spk_calibrate_options_init(&runs, sizeof runs);
    runs.n_runs = v->n_calibrations;
    runs.method = v->calibrate_method;
    return spk_analysis_calibrate(a->session->context, a->recording, &options, &runs, out);
}

static void tell_rate(const cli_analysis *a, const spk_calibration *calibration, uint32_t scale)
{
    spk_alarm_rate rate;
    cli_session *session = a->session;
    char window[80] = "";
    char ranks[80] = "";
    const double alpha = session->shared->alpha;
    spk_calibration_rate(calibration, alpha, scale, &rate);
    if (a->exact.n_jitter > 1 && scale != SPK_ALL_SCALES) {
        char text[48];
        spk_duration_format(a->jitter[scale], text, sizeof text);
        snprintf(window, sizeof window, "%s alone: ", text);
    } else if (a->exact.n_jitter > 1) {
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

static void tell(const cli_analysis *a, const spk_calibration *calibration, const char *method,
                 double seconds)
{
    const spk_calibration_columns c = spk_calibration_columns_of(calibration);
    char longest[48];
    spk_duration_format(a->jitter[a->exact.n_jitter - 1], longest, sizeof longest);
    cli_note(a->session,
             "%" PRIu64 " runs on surrogates (%s, %s, seed %" PRIu64 "), each against %" PRIu64
             " of its own, in %.1f s",
             c.n, method, longest, a->session->shared->seed, c.n_surrogates, seconds);
    for (uint32_t s = 0; s < c.n_scales; s++)
        tell_rate(a, calibration, s);
    if (c.n_scales > 1)
        tell_rate(a, calibration, SPK_ALL_SCALES);
}

int cli_calibration_run(cli_analysis *a)
{
    cli_session *session = a->session;
    const cli_shared *v = session->shared;
    spk_calibration *calibration = NULL;
    const double begin = cli_seconds();
    spk_status status = run_all(a, &calibration);
    const double seconds = cli_seconds() - begin;
    if (status == SPK_OK) {
        const char *method = v->calibrate_method != NULL
                                 ? v->calibrate_method
                                 : spk_calibration_columns_of(calibration).method;
        const spk_provenance provenance = cli_provenance(session, seconds);
        spk_calibration_report report;
        spk_calibration_report_init(&report, sizeof report);
        report.jitter = a->jitter;
        report.n_jitter = a->exact.n_jitter;
        report.seed = v->seed;
        report.alpha = v->alpha;
        report.method = method;
        tell(a, calibration, method, seconds);
        status = cli_allow_pipe(spk_calibration_write(session->context, v->output,
                                                      (spk_table_form)v->format, a->recording,
                                                      calibration, &report, &provenance));
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
