/* spikemine patterns: closed spatio-temporal patterns (SPADE) of a recording or of transactions. */
#include <inttypes.h>

#include "analysis.h"
#include "commands.h"
#include "interrupt.h"
#include "pattern_job.h"
#include "spikemine/report_tests.h"
#include "spikemine/spectrum.h"

/* ---- spectra --------------------------------------------------------------------------------- */

static spk_status write_spectrum(const cli_analysis *a, spk_spectrum *spectrum,
                                 const spk_pattern_summary *summary)
{
    const spk_spectrum_entry *entries = NULL;
    uint64_t n = 0;
    spk_writer *writer = NULL;
    spk_provenance provenance = cli_patterns_provenance(a, summary);
    spk_status status = spk_spectrum_entries(spectrum, &entries, &n);
    if (status == SPK_OK)
        status =
            spk_spectrum_writer_open(a->session->context, a->session->shared->output,
                                     (spk_table_form)a->session->shared->format,
                                     spk_spectrum_has_duration(spectrum), a->recording, &writer);
    if (status == SPK_OK)
        status = spk_spectrum_writer_add(writer, entries, n);
    if (status == SPK_OK)
        status = spk_writer_commit(writer, &provenance);
    else
        spk_writer_free(writer);
    return status;
}

static int mine_spectrum(const pattern_job *j)
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
        cli_patterns_tell(j->session, &summary);
        status = write_spectrum(&j->analysis, spectrum, &summary);
    }
    spk_spectrum_free(spectrum);
    return cli_report(j->session, status);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int check_figure(cli_analysis *a)
{
    const spk_figure_kind kind = a->options.signatures != NULL ? SPK_FIGURE_TESTED_PATTERNS
                                 : a->options.exact != NULL    ? SPK_FIGURE_EXACT_PATTERNS
                                                               : SPK_FIGURE_PATTERNS;
    return cli_figure_prepare(a->session, kind, &a->look);
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

/* What the windows are, and which patterns are looked for in them. */
static int take_windows(pattern_job *j)
{
    cli_analysis *a = &j->analysis;
    const spk_window_columns windows = spk_windows_columns(j->windows);
    cli_detail(j->session,
               "%" PRIu64 " windows of %" PRIu32 " bins with a spike, %" PRIu32 " units",
               windows.n_windows, windows.window, windows.n_units);
    a->recording = j->recording;
    a->windows = j->windows;
    a->bin = j->v->bin;
    a->support = j->v->support.value;
    a->as_listed = j->session->shared->select.top > 0;
    return pattern_job_set_limits(j);
}

static int run(cli_session *session, const void *raw)
{
    const pattern_values *v = raw;
    pattern_job j = {.session = session, .v = v};
    cli_analysis *a = &j.analysis;
    cli_analysis_begin(a, session, "pattern");
    int code = cli_compare_take(a);
    if (code == CLI_DONE)
        code = pattern_test_take(&j);
    if (code == CLI_DONE)
        code = check_figure(a);
    if (code == CLI_DONE)
        code = check_files(session, v);
    if (code == CLI_DONE)
        code = pattern_job_read(&j);
    if (code == CLI_DONE && j.recording != NULL)
        code = cli_figure_check_range(session, &a->look, j.recording);
    if (code == CLI_DONE)
        code = take_windows(&j);
    const bool spectrum =
        v->spectrum != SPECTRUM_NONE && a->options.patterns != NULL && a->options.compare == NULL;
    if (code == CLI_DONE)
        code = spectrum ? mine_spectrum(&j) : cli_analysis_run(a);
    cli_analysis_free(a);
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
