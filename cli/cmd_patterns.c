/* spikemine patterns: closed spatio-temporal patterns (SPADE) of a recording or of transactions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "figure_options.h"
#include "files.h"
#include "interrupt.h"
#include "session.h"

typedef struct values {
    cli_recording_values recording;
    uint64_t n_units;
    cli_duration bin;
    uint64_t window;
    uint64_t min_spikes;
    uint64_t max_spikes;
    cli_count min_occurrences;
    uint64_t max_occurrences;
    uint64_t min_neurons;
    int moving_window_filter;
    const char *engine;
    uint64_t threads;
    uint64_t max_memory;
    int spectrum;
    const char *occurrences;
    const char *figure;
    cli_figure_values look;
    int format;
    const char *output;
    cli_count max_results;
    cli_file_values files;
} values;

enum { SPECTRUM_NONE, SPECTRUM_2D, SPECTRUM_3D };
enum { LEAST_ESTIMATE = 10 }; /* Porrmann et al. 2021, section 3.1: never below 10 occurrences */

typedef struct job {
    cli_session *session;
    const values *v;
    const char *input;
    bool automatic;           /* the least occurrences */
    uint64_t min_occurrences; /* unless automatic */
    spk_recording *recording;
    spk_windows *windows;
    spk_pattern_options options;
    spk_pattern_supports supports;
    cli_figure_look look;
} job;

/* ---- input -------------------------------------------------------------------------------------
 */

static void check_bins(job *j)
{
    spk_time_grid grid;
    char text[400];
    spk_recording_find_grid(j->recording, &grid);
    if (spk_time_grid_check_bins(&grid, j->recording, j->v->bin.value, text, sizeof text) > 0)
        cli_note(j->session, "%s", text);
}

static int cut_recording(job *j)
{
    spk_context *context = j->session->context;
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = j->v->bin.value;
    options.window = (uint32_t)j->v->window;
    spk_status status = spk_windows_create(context, j->recording, &options, &j->windows);
    if (status == SPK_OK && spk_windows_columns(j->windows).n_windows == 0)
        cli_note(j->session, "no spike lies in the %s: there is nothing to mine",
                 j->v->recording.trials != NULL ? "trials" : "recording");
    else if (status == SPK_OK)
        check_bins(j);
    return cli_report(j->session, status);
}

static int read_input(job *j, const char *path)
{
    const values *v = j->v;
    if (cli_reads_transactions(&v->recording)) {
        if (v->bin.given || v->recording.trials != NULL || v->recording.segments != NULL)
            return cli_usage_error(j->session->command,
                                   "transactions are windows already: --bin, --trials and "
                                   "--segments are for recordings");
        if (cli_transactions_check(j->session, &v->recording) != CLI_DONE)
            return CLI_USAGE;
        spk_context_set_max_expansion(j->session->context, v->recording.max_expansion);
        return cli_report(j->session, spk_windows_read_transactions(
                                          j->session->context, path, (uint32_t)v->n_units,
                                          (uint32_t)v->window, &j->windows));
    }
    if (!v->bin.given)
        return cli_usage_error(j->session->command,
                               "there is no --bin; give the width of a bin, e.g. --bin 5ms");
    if (v->n_units != 0)
        return cli_usage_error(j->session->command, "--n-units is for --input-format transactions");
    int code = cli_recording_read(j->session, &v->recording, path, &j->recording);
    return code == CLI_DONE ? cut_recording(j) : code;
}

/* ---- limits ------------------------------------------------------------------------------------
 */

static int estimate(job *j)
{
    spk_status status =
        spk_pattern_estimate(j->session->context, j->windows, LEAST_ESTIMATE, &j->supports);
    if (status != SPK_OK)
        return cli_report(j->session, status);
    j->options.supports = &j->supports;
    char text[1024] = "";
    size_t n = 0;
    for (uint32_t k = 2; k <= j->supports.n && n + 48 < sizeof text; k++)
        n +=
            (size_t)snprintf(text + n, sizeof text - n, "%s%" PRIu64 " for %u%s", k > 2 ? ", " : "",
                             j->supports.at_size[k], k, k == j->supports.n ? " and more" : "");
    cli_note(j->session, "smallest number of occurrences by number of spikes: %s", text);
    return CLI_DONE;
}

static int set_limits(job *j)
{
    const values *v = j->v;
    spk_pattern_options_init(&j->options, sizeof j->options);
    j->options.min_spikes = (uint32_t)v->min_spikes;
    j->options.max_spikes = (uint32_t)v->max_spikes;
    j->options.max_count = v->max_occurrences;
    j->options.min_neurons = (uint32_t)v->min_neurons;
    j->options.engine = v->engine;
    j->options.moving_window_filter = v->moving_window_filter == 0;
    j->options.support = j->min_occurrences;
    return j->automatic ? estimate(j) : CLI_DONE;
}

/* ---- mining -------------------------------------------------------------------------------------
 */

static void tell_summary(cli_session *session, const spk_pattern_summary *s)
{
    cli_note(session, "%" PRIu64 " pattern%s mined in %.*f s by engine %s%s%s%s", s->n_mined,
             s->n_mined == 1 ? "" : "s", s->mine_s < 10 ? 4 : 1, s->mine_s, s->engine,
             s->choice[0] != '\0' ? " (" : "", s->choice, s->choice[0] != '\0' ? ")" : "");
    if (s->n_reported != s->n_mined)
        cli_note(session, "%" PRIu64 " left after the moving-window step (%.2f s)", s->n_reported,
                 s->filter_s);
}

/* `command` is the text of the command line, borrowed. */
static spk_provenance provenance_of(const job *j, const spk_pattern_summary *summary,
                                    const char *command)
{
    return (spk_provenance){.command = command,
                            .input = j->input,
                            .input_sha256 =
                                j->recording == NULL ? spk_windows_sha256(j->windows) : NULL,
                            .engine = summary->engine,
                            .choice = summary->choice,
                            .support = j->min_occurrences,
                            .threads = spk_context_threads(j->session->context),
                            .gpus = summary->gpus,
                            .seconds = summary->mine_s};
}

static spk_status write_spectrum(const job *j, spk_spectrum *spectrum,
                                 const spk_pattern_summary *summary)
{
    const spk_spectrum_entry *entries = NULL;
    uint64_t n = 0;
    spk_spectrum_writer *writer = NULL;
    const char *command = cli_command_line(j->session);
    spk_provenance provenance = provenance_of(j, summary, command);
    spk_status status = spk_spectrum_entries(spectrum, &entries, &n);
    if (status == SPK_OK)
        status =
            spk_spectrum_writer_open(j->session->context, j->v->output, (spk_format)j->v->format,
                                     spk_spectrum_has_duration(spectrum), j->recording, &writer);
    if (status == SPK_OK)
        status = spk_spectrum_writer_add(writer, entries, n);
    if (status == SPK_OK)
        status = spk_spectrum_writer_commit(writer, &provenance);
    else
        spk_spectrum_writer_discard(writer);
    return status;
}

static int mine_spectrum(job *j)
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
        tell_summary(j->session, &summary);
        status = write_spectrum(j, spectrum, &summary);
    }
    spk_spectrum_free(spectrum);
    return cli_report(j->session, status);
}

/* Where patterns go. NULL: not wanted, or not any more, since its reader went away. */
typedef struct outputs {
    spk_pattern_writer *table;
    spk_pattern_occurrence_writer *occurrences;
    spk_pattern_figure *figure;
    cli_row_limit pattern_rows;
    cli_row_limit occurrence_rows;
    char limit[256]; /* why the job ended when it met one of them */
} outputs;

/* A file whose reader has seen enough is dropped; the work goes on while another one is wanted. */
static spk_status drop_unread(outputs *out, spk_status table, spk_status occurrences)
{
    if (table == SPK_ERR_PIPE) {
        spk_pattern_writer_discard(out->table);
        out->table = NULL;
    }
    if (occurrences == SPK_ERR_PIPE) {
        spk_pattern_occurrence_writer_discard(out->occurrences);
        out->occurrences = NULL;
    }
    bool any = out->table != NULL || out->occurrences != NULL || out->figure != NULL;
    return any ? SPK_OK : SPK_ERR_PIPE;
}

/* Whether the files may get these patterns. */
static spk_status check_rows(outputs *out, const spk_pattern_columns *patterns)
{
    uint64_t n_occurrences = 0;
    for (uint64_t i = 0; i < patterns->n && out->occurrences != NULL; i++)
        n_occurrences += patterns->count[i];
    const cli_row_limit *full = NULL;
    if (!cli_row_limit_add(&out->pattern_rows, patterns->n))
        full = &out->pattern_rows;
    else if (!cli_row_limit_add(&out->occurrence_rows, n_occurrences))
        full = &out->occurrence_rows;
    if (full == NULL)
        return SPK_OK;
    snprintf(out->limit, sizeof out->limit,
             "more %s than --max-results %" PRIu64 " allows; raise --min-occurrences, --min-spikes "
             "or --max-results (none: no limit), or only count patterns: --spectrum 2d",
             full == &out->pattern_rows ? "patterns" : "occurrences", full->most);
    return SPK_ERR_RANGE;
}

static spk_status take_patterns(void *user, const spk_pattern_columns *patterns)
{
    outputs *out = user;
    spk_status table = check_rows(out, patterns);
    spk_status occurrences = SPK_OK;
    if (table != SPK_OK)
        return table;
    if (out->table != NULL)
        table = spk_pattern_writer_add(out->table, patterns);
    if (cli_allow_pipe(table) != SPK_OK)
        return table;
    if (out->occurrences != NULL)
        occurrences = spk_pattern_occurrence_writer_add(out->occurrences, patterns);
    if (cli_allow_pipe(occurrences) != SPK_OK)
        return occurrences;
    spk_status status = drop_unread(out, table, occurrences);
    return status == SPK_OK && out->figure != NULL ? spk_pattern_figure_add(out->figure, patterns)
                                                   : status;
}

static spk_status open_outputs(job *j, outputs *out)
{
    spk_context *context = j->session->context;
    const values *v = j->v;
    spk_status status = SPK_OK;
    if (v->figure != NULL)
        status = spk_pattern_figure_create(context, j->recording, j->windows, v->bin.value,
                                           &out->figure);
    if (status == SPK_OK)
        status = spk_pattern_writer_open(context, v->output, (spk_format)v->format, j->windows,
                                         j->recording, &out->table);
    if (status == SPK_OK && v->occurrences != NULL)
        status = spk_pattern_occurrence_writer_open(context, v->occurrences, j->windows,
                                                    j->recording, &out->occurrences);
    return status;
}

/* Each file on its own where the result is incomplete: then the one that failed may be the reason.
 */
static spk_status commit_outputs(const job *j, outputs *out, const spk_pattern_summary *summary,
                                 const char *incomplete)
{
    const char *command = cli_command_line(j->session);
    spk_provenance provenance = provenance_of(j, summary, command);
    provenance.incomplete = incomplete;
    spk_status status = cli_allow_pipe(spk_pattern_writer_commit(out->table, &provenance));
    out->table = NULL;
    if (status == SPK_OK || incomplete != NULL) {
        spk_status second =
            cli_allow_pipe(spk_pattern_occurrence_writer_commit(out->occurrences, &provenance));
        status = status == SPK_OK ? second : status;
        out->occurrences = NULL;
    }
    return status;
}

static spk_status draw_figure(job *j, const outputs *out, const spk_pattern_summary *summary)
{
    char caption[256];
    spk_figure_options *options = &j->look.options;
    cli_figure_caption(caption, sizeof caption, j->recording, summary->n_reported, "pattern");
    const char *slash = strrchr(j->input, '/');
    options->title = slash != NULL ? slash + 1 : j->input;
    options->caption = caption;
    spk_status status =
        spk_pattern_figure_draw(j->session->context, out->figure, options, j->v->figure);
    options->caption = NULL; /* it ends here */
    return status;
}

/* Reports why the job ended early, and keeps the patterns that are written: each is exact. */
static int keep_written(const job *j, outputs *out, const spk_pattern_summary *summary,
                        spk_status status)
{
    char incomplete[1200];
    char reason[1024];
    bool full = out->limit[0] != '\0';
    snprintf(reason, sizeof reason, "%s",
             full ? out->limit : spk_context_message(j->session->context));
    int code = full ? cli_fail(j->session, "%s", reason) : cli_report(j->session, status);
    if (code == CLI_DONE || out->pattern_rows.n == 0)
        return code;
    snprintf(incomplete, sizeof incomplete, "%s; what is here is exact, but there is more", reason);
    bool quiet = j->session->quiet;
    j->session->quiet = false; /* the names of the files belong to the error */
    status = commit_outputs(j, out, summary, incomplete);
    if (out->figure != NULL)
        cli_note(j->session, "%s is not drawn: the result is not complete", j->v->figure);
    j->session->quiet = quiet;
    (void)status; /* that a file cannot even be ended is told by the failure that ended the job */
    return code;
}

static int mine_patterns(job *j)
{
    outputs out = {.table = NULL};
    spk_pattern_summary summary = {.engine = ""};
    int code = CLI_DONE;
    out.pattern_rows = cli_row_limit_of(j->v->max_results);
    out.occurrence_rows = out.pattern_rows;
    spk_status status = open_outputs(j, &out);
    cli_interrupt_keep(status == SPK_OK);
    if (status == SPK_OK)
        status = spk_pattern_mine(j->session->context, j->windows, &j->options, take_patterns, &out,
                                  &summary);
    if (status == SPK_OK) {
        status = commit_outputs(j, &out, &summary, NULL);
        cli_interrupt_keep(false);
        if (status == SPK_OK && out.figure != NULL)
            status = draw_figure(j, &out, &summary);
        code = cli_report(j->session, status);
    } else {
        code = keep_written(j, &out, &summary, status);
    }
    cli_interrupt_keep(false);
    /* What was not committed leaves nothing behind. */
    spk_pattern_writer_discard(out.table);
    spk_pattern_occurrence_writer_discard(out.occurrences);
    spk_pattern_figure_free(out.figure);
    if (status == SPK_OK)
        tell_summary(j->session, &summary);
    return code;
}

/* What can be known to be wrong before any work. */
static int check_outputs(cli_session *session, const values *v, cli_figure_look *look)
{
    if (v->spectrum != SPECTRUM_NONE && (v->occurrences != NULL || v->figure != NULL))
        return cli_usage_error(session->command,
                               "--spectrum keeps no patterns, hence --occurrences "
                               "and --figure cannot go with it");
    if (v->figure != NULL && cli_reads_transactions(&v->recording))
        return cli_usage_error(session->command, "--figure needs a recording: transactions have no "
                                                 "spike times");
    return cli_figure_prepare(session, SPK_FIGURE_PATTERNS, v->figure, &v->look, look);
}

static int check_files(cli_session *session, const values *v, const char *recording)
{
    const spk_file_use use[] = {
        {recording, SPK_FILE_INPUT, "the recording", NULL},
        CLI_RECORDING_FILES(&v->recording),
        {v->output, SPK_FILE_RESULT, "the table", "--output"},
        {v->occurrences, SPK_FILE_RESULT, "the list of occurrences", "--occurrences"},
        {v->figure, SPK_FILE_OUTPUT, "the figure", "--figure"},
    };
    return cli_files_check(session, &v->files, use, sizeof use / sizeof use[0]);
}

static int run(cli_session *session, const void *raw, int n_arguments, char **arguments)
{
    const values *v = raw;
    job j = {.session = session,
             .v = v,
             .input = arguments[0],
             .automatic = v->min_occurrences.word,
             .min_occurrences = v->min_occurrences.value};
    (void)n_arguments; /* exactly one */
    spk_context_set_threads(session->context, (int)j.v->threads);
    cli_limit_memory(session, j.v->max_memory);
    int code = check_outputs(session, j.v, &j.look);
    if (code == CLI_DONE)
        code = check_files(session, j.v, arguments[0]);
    if (code == CLI_DONE)
        code = read_input(&j, arguments[0]);
    if (code == CLI_DONE && j.recording != NULL)
        code = cli_figure_check_range(session, &v->look, &j.look, j.recording);
    if (code == CLI_DONE) {
        spk_window_columns windows = spk_windows_columns(j.windows);
        cli_detail(session,
                   "%" PRIu64 " windows of %" PRIu32 " bins with a spike, %" PRIu32 " units",
                   windows.n_windows, windows.window, windows.n_units);
        code = set_limits(&j);
    }
    if (code == CLI_DONE)
        code = j.v->spectrum != SPECTRUM_NONE ? mine_spectrum(&j) : mine_patterns(&j);
    spk_windows_free(j.windows);
    spk_recording_free(j.recording);
    return code;
}

/* ---- options --------------------------------------------------------------------------------- */

static const cli_option options[] = {
    {.name = "bin",
     .kind = CLI_DURATION,
     .argument = "TIME",
     .offset = offsetof(values, bin),
     .help = "width of a bin, e.g. 5ms or 1/30s; it need not be a whole "
             "number of ticks"},
    {.name = "window",
     .kind = CLI_INTEGER,
     .argument = "BINS",
     .offset = offsetof(values, window),
     .fallback = "1",
     .minimum = 1,
     .maximum = SPK_MAX_WINDOW_BINS,
     .help = "length of the window in bins; no pattern is longer"},
    {.name = "min-occurrences",
     .kind = CLI_COUNT,
     .argument = "N|auto",
     .offset = offsetof(values, min_occurrences),
     .fallback = "2",
     .minimum = 1,
     .maximum = 4294967294.0,
     .help = "smallest number of windows in which a pattern occurs. auto "
             "sets it for each number of spikes: chance patterns at the "
             "mean rate rarely reach it (95th percentile of a Poisson "
             "distribution), and it is at least 10"},
    {.name = "max-occurrences",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, max_occurrences),
     .minimum = 1,
     .maximum = 4294967294.0,
     .help = "largest number of windows in which a pattern occurs"},
    {.name = "min-spikes",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, min_spikes),
     .fallback = "2",
     .minimum = 1,
     .maximum = 4294967294.0,
     .help = "smallest number of spikes in a pattern"},
    {.name = "max-spikes",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, max_spikes),
     .minimum = 1,
     .maximum = 4294967294.0,
     .help = "largest number of spikes in a pattern. A larger pattern is "
             "not listed; its parts with as many occurrences are not "
             "closed, and are not listed either"},
    {.name = "min-neurons",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, min_neurons),
     .fallback = "1",
     .minimum = 1,
     .maximum = 4294967294.0,
     .help = "smallest number of different units in a pattern"},
    {.name = "moving-window-filter",
     .kind = CLI_CHOICE,
     .argument = "on|off",
     .offset = offsetof(values, moving_window_filter),
     .fallback = "on",
     .help = "drop a pattern that is the end of another pattern with as "
             "many occurrences: it is the same event, which a later "
             "window sees. This keeps all patterns in memory"},
    {.name = "engine",
     .kind = CLI_PATTERN_ENGINE,
     .argument = "NAME",
     .offset = offsetof(values, engine),
     .fallback = "auto",
     .help = "all engines give the same patterns; spikemine engines lists "
             "them"},
    {.name = "threads",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, threads),
     .fallback = "0",
     .minimum = 0,
     .maximum = 4096,
     .help = "number of worker threads; 0 is one for each processor that "
             "may be used; the result never depends on it"},
    CLI_MEMORY_OPTION(values, max_memory),
    {.name = "spectrum",
     .kind = CLI_CHOICE,
     .argument = "none|2d|3d",
     .offset = offsetof(values, spectrum),
     .fallback = "none",
     .help = "count the patterns by spikes and occurrences in place of "
             "listing them; 3d counts by duration, too"},
    {.name = "occurrences",
     .kind = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(values, occurrences),
     .help = "file of the places where each pattern occurs: trial, bin "
             "and time of its first spike"},
    {.name = "figure",
     .kind = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(values, figure),
     .help = "picture of examples with their occurrences and of "
             "statistics of all: .png, .svg or .pdf"},
    {.name = "format",
     .kind = CLI_CHOICE,
     .argument = "tsv|json",
     .offset = offsetof(values, format),
     .fallback = "tsv",
     .help = "form of the result: a table, or one JSON object"},
    {.name = "output",
     .letter = 'o',
     .kind = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(values, output),
     .fallback = "-",
     .help = "file of the patterns; - is standard output, " CLI_COMPRESSION_HELP},
    CLI_MAX_RESULTS_OPTION(values, max_results),
    CLI_FILE_OPTIONS(values, files),
    CLI_FIGURE_OPTIONS(values, look,
                       "a raster, b examples, c units, d spikes, e occurrences, f lags"),
    CLI_RECORDING_OPTIONS(values, recording),
    {.name = "n-units",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, n_units),
     .minimum = 1,
     .maximum = SPK_MAX_UNITS,
     .help = "number of units in the transactions; without this option "
             "the largest item tells it"},
    CLI_END,
};

const cli_command cli_cmd_patterns = {
    .name = "patterns",
    .arguments = "REC",
    .summary = "find spatio-temporal patterns (SPADE): closed, frequent, across bins",
    .description =
        "Cuts a recording into bins and slides a window of some bins over them. A pattern is a\n"
        "set of spikes at fixed lags within a window. The command finds every pattern that\n"
        "occurs often enough and is closed: no spike can be added to it without losing\n"
        "occurrences.\n"
        "\n"
        "The table has a line for each pattern: its numbers of spikes, occurrences and\n"
        "neurons, its duration in bins, and its spikes as unit@lag.",
    .examples =
        "  spikemine patterns rec.txt --bin 5ms --window 20 --min-occurrences 10 --min-spikes 5 "
        "--min-neurons 5\n"
        "  spikemine patterns rec.txt --bin 5ms --window 20 --min-occurrences auto --spectrum 3d\n"
        "  spikemine patterns windows.txt --input-format transactions --window 20 "
        "--min-occurrences 88",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
