/* spikemine sequences: whole sequences, with all their members and occurrences. */
#include <stdlib.h>

#include "analysis.h"
#include "commands.h"
#include "interrupt.h"
#include "outputs.h"
#include "spikemine/describe.h"
#include "spikemine/report_tests.h"

typedef struct values {
    spk_sequence_options search;
    cli_duration longest_lag, jitter; /* not given: those of the clock */
    cli_texts maxima;                 /* of rounds 1, 2, ... */
} values;

/* ---- the null hypothesis ----------------------------------------------------------------------
 */

static const spk_exact_null *null_facts(const cli_session *session)
{
    return spk_exact_null_get((size_t)session->shared->null);
}

static spk_surrogate_options null_of(const cli_session *session, const values *v)
{
    const cli_shared *s = session->shared;
    spk_surrogate_options options;
    spk_surrogate_options_init(&options, sizeof options);
    options.method = null_facts(session)->method;
    options.dither = v->jitter.value;
    options.seed = s->seed;
    if (s->history.given)
        options.history = s->history.value;
    return options;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* What a run has found, and what is told of it. */
typedef struct outcome {
    spk_recording *recording;
    spk_sequences *sequences;
    spk_sequence_report report;
    spk_provenance provenance;
    cli_figure_look look;
    spk_surrogate_options null;
    spk_sequence_options options;
    spk_maxima **maxima; /* read, for each --maxima */
} outcome;

static void take_options(const cli_session *session, const values *v, outcome *out)
{
    const cli_shared *s = session->shared;
    spk_sequence_options *o = &out->options;
    out->null = null_of(session, v);
    *o = v->search;
    o->struct_size = sizeof *o;
    o->longest_lag = v->longest_lag.value;
    o->surrogates = &out->null;
    o->shard = o->n_shards = 1; /* unless --shard is given */
    o->alpha = s->alpha;
    o->checkpoint = s->checkpoint;
    spk_sequence_report_init(&out->report, sizeof out->report);
    out->report.longest_lag = o->longest_lag;
    out->report.null = null_facts(session)->name;
    out->report.jitter = out->null.dither;
    out->report.seed = out->null.seed;
    out->report.alpha = o->alpha;
}

static spk_status read_maxima(cli_session *session, const values *v, outcome *out)
{
    spk_status status = SPK_OK;
    out->maxima = calloc(v->maxima.n + 1, sizeof(void *));
    if (out->maxima == NULL)
        return SPK_ERR_MEMORY;
    for (size_t k = 0; k < v->maxima.n && status == SPK_OK; k++)
        status = spk_maxima_read(session->context, v->maxima.text[k], &out->maxima[k]);
    out->options.maxima = (const spk_maxima *const *)out->maxima;
    out->options.n_maxima = v->maxima.n;
    return status;
}

static spk_status search(cli_session *session, outcome *out)
{
    cli_interrupt_keep(true); /* for the checkpoint, and the message that tells how far it came */
    spk_status status = spk_sequences_find(session->context, out->recording, &out->options,
                                           &out->sequences, &out->report.summary);
    cli_interrupt_keep(false);
    return status;
}

static spk_status make_shard(cli_session *session, const outcome *out)
{
    spk_maxima *maxima = NULL;
    cli_interrupt_keep(true);
    spk_status status = spk_sequences_run(session->context, out->recording, &out->options, &maxima);
    cli_interrupt_keep(false);
    status = cli_shard_write(session, status, maxima);
    spk_maxima_free(maxima);
    return status;
}

static void outcome_free(const values *v, outcome *out)
{
    for (size_t k = 0; out->maxima != NULL && k < v->maxima.n; k++)
        spk_maxima_free(out->maxima[k]);
    free(out->maxima);
    spk_sequences_free(out->sequences);
    spk_recording_free(out->recording);
}

static spk_status tell(cli_session *session, const outcome *out)
{
    const uint32_t n = spk_sequences_columns(out->sequences).n;
    spk_status status = SPK_OK;
    for (uint32_t k = 0; k < n && status == SPK_OK; k++)
        status =
            spk_sequences_tell_row(out->sequences, out->recording, k, cli_note_sentence, session);
    cli_detail(session, "the search took %.1f s", out->provenance.seconds);
    return status == SPK_OK ? spk_sequences_tell(out->sequences, &out->report, SPK_SPELLING_COMMAND,
                                                 cli_note_sentence, session)
                            : status;
}

enum { SENTENCE_BYTES = 300 };

/* A spk_sentence_sink that keeps the first sentence: searches, chance, level, number. */
static spk_status keep_first(void *user, const char *sentence)
{
    char *first = user;
    if (first[0] == '\0')
        snprintf(first, SENTENCE_BYTES, "%s", sentence);
    return SPK_OK;
}

static spk_status draw_figure(cli_session *session, outcome *out)
{
    char tested[SENTENCE_BYTES] = "";
    spk_status status =
        spk_sequences_tell(out->sequences, &out->report, SPK_SPELLING_COMMAND, keep_first, tested);
    if (status != SPK_OK)
        return status;
    cli_figure_label(&out->look, session, out->recording, UINT64_MAX, tested);
    return spk_figure_sequences(session->context, out->recording, out->sequences,
                                &out->look.options, session->shared->figure);
}

static spk_status write_page(cli_session *session, const outcome *out)
{
    cli_page page;
    spk_status status = cli_page_make(session, &page);
    if (status == SPK_OK)
        status = spk_page_sequences(session->context, out->recording, out->sequences, &out->report,
                                    &page.options, session->shared->page);
    cli_page_free(&page);
    return status;
}

static spk_status write_files(cli_session *session, outcome *out)
{
    const cli_shared *v = session->shared;
    spk_status status = SPK_OK;
    if (v->figure != NULL)
        status = draw_figure(session, out);
    if (status == SPK_OK && v->page != NULL)
        status = write_page(session, out);
    if (status == SPK_OK && v->occurrences != NULL)
        status = spk_sequences_write_occurrences(session->context, v->occurrences, out->recording,
                                                 out->sequences, &out->provenance);
    if (status == SPK_OK)
        status =
            spk_sequences_write(session->context, v->output, (spk_table_form)v->format,
                                out->recording, out->sequences, &out->report, &out->provenance);
    return cli_allow_pipe(status);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int check_files(cli_session *session, const values *v)
{
    const spk_file_use fixed[] = {CLI_RECORDING_FILES(session),
                                  CLI_RESULT_FILES(session->shared, SPK_FILE_OUTPUT)};
    const size_t n = sizeof fixed / sizeof fixed[0];
    spk_file_use *use = calloc(n + v->maxima.n, sizeof *use);
    if (use == NULL)
        return cli_report(session, SPK_ERR_MEMORY);
    for (size_t k = 0; k < n + v->maxima.n; k++)
        use[k] = k < n ? fixed[k]
                       : (spk_file_use){v->maxima.text[k - n], SPK_FILE_INPUT,
                                        "the scores of surrogates", "--maxima"};
    const int code = cli_files_check(session, use, n + v->maxima.n);
    free(use);
    return code;
}

static int check(cli_session *session, const values *v, outcome *out)
{
    int code = cli_shard_parse(session, session->shared->shard, &out->options.shard,
                               &out->options.n_shards);
    if (code == CLI_DONE)
        cli_shard_tell(session, false);
    if (code == CLI_DONE)
        code = cli_page_check(session);
    return code == CLI_DONE ? check_files(session, v) : code;
}

static spk_status find(cli_session *session, outcome *out)
{
    const double begin = cli_seconds();
    spk_status status = search(session, out);
    if (status != SPK_OK)
        return status;
    out->provenance = cli_provenance(session, cli_seconds() - begin);
    status = tell(session, out);
    return status == SPK_OK ? write_files(session, out) : status;
}

/* Lengths that were not given are those of the clock, which is told where it is coarse. */
static void take_lengths(cli_session *session, const values *v, outcome *out)
{
    spk_duration jitter, longest_lag;
    const bool coarse = spk_sequences_usual_lengths(out->recording, &jitter, &longest_lag);
    if (!coarse || (v->jitter.given && v->longest_lag.given))
        return;
    if (!v->jitter.given)
        out->null.dither = out->report.jitter = jitter;
    if (!v->longest_lag.given)
        out->options.longest_lag = out->report.longest_lag = longest_lag;
    char lag[48], moved[48];
    spk_duration_format(out->options.longest_lag, lag, sizeof lag);
    spk_duration_format(out->null.dither, moved, sizeof moved);
    cli_note(session,
             "times are steps of more than 6.25 ms, so that this is a search with --longest-lag %s "
             "--jitter %s",
             lag, moved);
}

/* Notes a lag so long that its unit may be wrong. */
static spk_status check_lag(cli_session *session, const outcome *out)
{
    char text[300];
    const spk_duration none = {0, 0, 0};
    spk_status status = spk_recording_check_span(session->context, out->recording, none,
                                                 out->options.longest_lag, 1, text, sizeof text);
    if (status == SPK_OK && text[0] != '\0')
        cli_note(session, "--longest-lag: %s", text);
    return status;
}

/* Notes a search that will take long. */
static spk_status check_time(cli_session *session, const outcome *out)
{
    char text[400] = "";
    spk_status status = session->quiet ? SPK_OK
                                       : spk_sequences_check_time(session->context, out->recording,
                                                                  &out->options, text, sizeof text);
    if (status == SPK_OK && text[0] != '\0')
        cli_note(session, "%s", text);
    return status;
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    outcome out = {.recording = NULL};
    take_options(session, v, &out);
    int code = check(session, v, &out);
    if (code == CLI_DONE)
        code = cli_figure_prepare(session, SPK_FIGURE_SEQUENCES, &out.look);
    if (code == CLI_DONE)
        code = cli_report(session, read_maxima(session, v, &out));
    if (code == CLI_DONE)
        code = cli_recording_read(session, session->arguments[0], &out.recording);
    if (code == CLI_DONE) {
        take_lengths(session, v, &out);
        code = cli_report(session, check_lag(session, &out));
    }
    if (code == CLI_DONE)
        code = cli_report(session, check_time(session, &out));
    if (code == CLI_DONE)
        code = cli_report(session, session->shared->shard != NULL ? make_shard(session, &out)
                                                                  : find(session, &out));
    outcome_free(v, &out);
    return code;
}

static const cli_option options[] = {
    CLI_HEADING("sequences"),
    CLI_OPTION("longest-lag", values, longest_lag),
    CLI_OPTION("jitter", values, jitter),
    CLI_OPTION("max-sequences", values, search.max_sequences),
    CLI_HEADING("test"),
    CLI_SHARED("null", null),
    CLI_SHARED("history", history),
    CLI_OPTION("surrogates", values, search.n_surrogates),
    CLI_SHARED("alpha", alpha),
    CLI_OPTION("member-q", values, search.member_q),
    CLI_SHARED("seed", seed),
    CLI_SHARED("checkpoint", checkpoint),
    CLI_SHARED("shard", shard),
    CLI_OPTION("maxima", values, maxima),
    CLI_THREADS_BY_LETTER,
    CLI_SHARED("max-memory", max_memory),
    CLI_HEADING("output"),
    CLI_SHARED("output", output),
    CLI_SHARED("format", format),
    CLI_SHARED("occurrences", occurrences),
    CLI_SHARED("figure", figure),
    CLI_PAGE_OPTIONS,
    CLI_FILE_OPTIONS,
    CLI_FIGURE_OPTIONS,
    CLI_RECORDING_OPTIONS,
    CLI_END,
};

const cli_command cli_cmd_sequences = {
    .name = "sequences",
    .table = true,
    .arguments = "REC",
    .summary = "find whole sequences, although delays vary and spikes are missing",
    .description =
        "Finds units that fire one after the other again and again, with all members of such a\n"
        "sequence and all its occurrences. Delays may vary from one occurrence to the next, and\n"
        "spikes may be missing, so that episodes and patterns with all of their spikes would be\n"
        "too rare to be found.\n"
        "\n"
        "Surrogates undergo the same search, so that p of a sequence is exact for all that was\n"
        "searched. A sequence with p at most alpha is accepted, its spikes are removed, and the\n"
        "next one is looked for in what is left.\n"
        "\n"
        "Each member has its median lag behind the first one, its spread, and the share of\n"
        "occurrences in which it fires. member_p compares it with occurrences that were moved,\n"
        "for all units and lags together; member_q is the false discovery rate among units. For\n"
        "split_p one half of the occurrences tests what the other half chose.\n"
        "\n"
        "Each round has surrogates of its own. With --checkpoint FILE those of the second round\n"
        "are kept in FILE.round-2, and so on. A shard is of one round, too: of the first one, or\n"
        "of the next one where --maxima has all rounds before it.",
    .examples =
        "  spikemine sequences rec.txt --longest-lag 300ms\n"
        "  spikemine sequences rec.txt -l 1s -j 500ms -o seq.json -f json\n"
        "  spikemine sequences rec.txt -o members.tsv --occurrences when.tsv --figure seq.png\n"
        "  spikemine sequences rec.txt --shard 3/16 -o shard3.spk\n"
        "  spikemine sequences rec.txt --maxima round1.spk --maxima round2.spk -o members.tsv",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .run = run,
};
