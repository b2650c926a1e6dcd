/* spikemine patterns: closed spatio-temporal patterns (SPADE) of a recording or of transactions. */
#include <inttypes.h>

#include "analysis.h"
#include "commands.h"
#include "interrupt.h"
#include "pattern_job.h"
#include "spikemine/report_tests.h"
#include "spikemine/spectrum.h"

/* ---- mining ------------------------------------------------------------------------------------
 */

static spk_status write_spectrum(const pattern_job *j, spk_spectrum *spectrum,
                                 const spk_pattern_summary *summary)
{
    const spk_spectrum_entry *entries = NULL;
    uint64_t n = 0;
    spk_writer *writer = NULL;
    spk_provenance provenance = pattern_job_provenance(j, summary);
    spk_status status = spk_spectrum_entries(spectrum, &entries, &n);
    if (status == SPK_OK)
        status =
            spk_spectrum_writer_open(j->session->context, j->session->shared->output,
                                     (spk_table_form)j->session->shared->format,
                                     spk_spectrum_has_duration(spectrum), j->recording, &writer);
    if (status == SPK_OK)
        status = spk_spectrum_writer_add(writer, entries, n);
    if (status == SPK_OK)
        status = spk_writer_commit(writer, &provenance);
    else
        spk_writer_free(writer);
    return status;
}

static int mine_spectrum(pattern_job *j)
{
    spk_context *context = j->session->context;
    spk_spectrum *spectrum = NULL;
    spk_pattern_summary summary;
    spk_status status = spk_spectrum_create(context, j->v->spectrum == SPECTRUM_3D, &spectrum);
    cli_interrupt_keep(true); /* for the message that tells how far it came */
    if (status == SPK_OK)
        status = spk_pattern_mine(context, j->windows, &j->options, spk_spectrum_add, spectrum,
                                  &summary);
    cli_interrupt_keep(false);
    if (status == SPK_OK) {
        pattern_job_tell(j->session, &summary);
        status = write_spectrum(j, spectrum, &summary);
    }
    spk_spectrum_free(spectrum);
    return cli_report(j->session, status);
}

/* Mines into the files. */
static spk_status mine_into(pattern_job *j, cli_analysis *a, pattern_outputs *out)
{
    spk_pattern_options options = j->options;
    spk_status status =
        cli_select_wanted(j->session) ? SPK_OK : pattern_outputs_bytes(out, &options.bytes);
    a->options.patterns = &options;
    a->options.windows = j->windows;
    a->options.pattern_rows = pattern_outputs_add;
    a->options.grouped = cli_outputs_take_families;
    a->options.user = out;
    if (status == SPK_OK)
        status = cli_analysis_search(a, j->recording);
    a->options.patterns = &j->options; /* the copy ends here */
    return status;
}

static int mine_patterns(pattern_job *j)
{
    cli_analysis a;
    pattern_outputs out;
    spk_pattern_summary summary = {.engine = ""};
    spk_status status = pattern_outputs_open(j, NULL, &out);
    cli_analysis_begin(&a, j->session, "pattern");
    cli_interrupt_keep(status == SPK_OK);
    if (status == SPK_OK)
        status = mine_into(j, &a, &out);
    if (a.found != NULL && a.found->pattern_summary != NULL)
        summary = *a.found->pattern_summary;
    int code = status == SPK_OK ? pattern_outputs_commit(j, &out, &summary)
                                : pattern_outputs_keep(j, &out, &summary, status);
    cli_interrupt_keep(false);
    pattern_outputs_discard(&out);
    cli_analysis_free(&a); /* the report has borrowed families */
    if (status == SPK_OK)
        pattern_job_tell(j->session, &summary);
    return code;
}

/* ---- the command -------------------------------------------------------------------------------
 */

static int check_figure(cli_session *session, bool tests, cli_figure_look *look)
{
    const spk_figure_kind kind = tests ? SPK_FIGURE_TESTED_PATTERNS
                                 : session->shared->test == CLI_TEST_EXACT
                                     ? SPK_FIGURE_EXACT_PATTERNS
                                     : SPK_FIGURE_PATTERNS;
    return cli_figure_prepare(session, kind, look);
}

static int check_files(cli_session *session, const pattern_values *v)
{
    const cli_shared *s = session->shared;
    const spk_file_use use[] = {
        CLI_RECORDING_FILES(session),
        CLI_RESULT_FILES(s, SPK_FILE_RESULT),
        {v->test.pvalues, SPK_FILE_RESULT, "the p-values", "--pvalues"},
        {s->maxima, SPK_FILE_INPUT, "the maxima", "--maxima"},
    };
    int code = cli_page_check(session);
    return code == CLI_DONE ? cli_files_check(session, use, sizeof use / sizeof use[0]) : code;
}

static int run(cli_session *session, const void *raw)
{
    const pattern_values *v = raw;
    pattern_job j = {.session = session, .v = v};
    int code = compare_plan_make(session, &j.compare);
    if (code == CLI_DONE)
        code = pattern_test_take(session, v, &j.test);
    if (code == CLI_DONE)
        code = check_figure(session, j.test.wanted, &j.look);
    if (code == CLI_DONE)
        code = check_files(session, v);
    if (code == CLI_DONE)
        code = pattern_job_read(&j);
    if (code == CLI_DONE && j.recording != NULL)
        code = cli_figure_check_range(session, &j.look, j.recording);
    if (code == CLI_DONE) {
        spk_window_columns windows = spk_windows_columns(j.windows);
        cli_detail(session,
                   "%" PRIu64 " windows of %" PRIu32 " bins with a spike, %" PRIu32 " units",
                   windows.n_windows, windows.window, windows.n_units);
        code = pattern_job_set_limits(&j);
    }
    if (code == CLI_DONE)
        code = j.compare.wanted               ? pattern_compare_run(&j)
               : j.test.exact.wanted          ? pattern_exact_run(&j)
               : j.test.wanted                ? pattern_test_run(&j)
               : v->spectrum != SPECTRUM_NONE ? mine_spectrum(&j)
                                              : mine_patterns(&j);
    compare_plan_free(&j.compare);
    spk_windows_free(j.windows);
    spk_recording_free(j.recording);
    return code;
}

/* ---- options --------------------------------------------------------------------------------- */

static const cli_option options[] = {
    PATTERN_SEARCH_OPTIONS,
    CLI_SHARED("gpus", gpus),
    CLI_OPTION("unordered", pattern_values, search.unordered),
    CLI_SHARED("threads", threads),
    CLI_SHARED("max-memory", max_memory),
    CLI_SHARED("energy", energy),
    CLI_OPTION("spectrum", pattern_values, spectrum),
    CLI_SHARED("occurrences", occurrences),
    CLI_SHARED("figure", figure),
    CLI_PAGE_OPTIONS,
    CLI_SHARED("format", format),
    CLI_SHARED("output", output),
    CLI_SHARED("max-results", max_results),
    CLI_FILE_OPTIONS,
    CLI_FIGURE_OPTIONS,
    CLI_SHARED("figure-range", figure_range),
    CLI_SELECT_OPTIONS,
    PATTERN_TEST_OPTIONS(pattern_values, test),
    CLI_COMPARE_OPTIONS,
    CLI_RECORDING_OPTIONS,
    CLI_OPTION("n-units", pattern_values, n_units),
    CLI_END,
};

const cli_command cli_cmd_patterns = {
    .name = "patterns",
    .table = true,
    .arguments = "REC",
    .summary = "find spatio-temporal patterns (SPADE): closed, frequent, across bins",
    .description =
        "Cuts a recording into bins and slides a window of some bins over them. A pattern is a\n"
        "set of spikes at fixed lags within a window. The command finds every pattern that\n"
        "occurs often enough and is closed: no spike can be added to it without losing\n"
        "occurrences.\n"
        "\n"
        "The table has a line for each pattern: its numbers of spikes, occurrences and\n"
        "neurons, its duration in bins, and its spikes as unit@lag.\n"
        "\n"
        "With --surrogates the patterns are tested against copies of the recording in which\n"
        "spikes were moved. The table then lists the significant ones, with their p-values.",
    .examples = "  spikemine patterns rec.txt --bin 5ms --window 20 --support 10 --min-spikes 5 "
                "--min-neurons 5\n"
                "  spikemine patterns rec.txt --bin 5ms --window 20 --support auto --spectrum 3d\n"
                "  spikemine patterns rec.txt --bin 5ms --window 20 --support auto --min-spikes 3 "
                "--surrogates 1000 --reduce 2,2,0 --pvalues p.tsv --figure test.pdf\n"
                "  spikemine patterns windows.txt --input-format transactions --window 20 "
                "--support 88",
    .options = options,
    .values_size = sizeof(pattern_values),
    .min_arguments = 1,
    .run = run,
};
