/* Sequences with their members and occurrences, as TSV or JSON. */
#include "base/options.h"
#include "report/table/cells.h"
#include "spikemine/report_tests.h"

typedef struct sequence_writer {
    report_table table;
    report_texts labels;
    report_names names;
    spk_sequence_columns columns;
} sequence_writer;

/* The columns of a sequence that its members have in TSV: those before its statistic. */
enum { OF_MEMBERS_SEQUENCE = 4 };

static spk_status open_table(sequence_writer *w, spk_context *context, const char *path,
                             spk_table_form format, const spk_recording *recording,
                             const spk_sequences *sequences)
{
    const spk_rate rate = spk_recording_rate(recording);
    const uint32_t n_units = spk_recording_events(recording).n_units;
    w->columns = spk_sequences_columns(sequences);
    spk_status status = report_labels_make(
        context, recording, n_units,
        format == SPK_FORM_JSON ? REPORT_LABEL_JSON : REPORT_LABEL_EPISODE, &w->labels);
    if (status == SPK_OK)
        status = report_table_open(&w->table, context, path, format, recording);
    w->names.labels = &w->labels;
    w->table.tests.sequences = &w->columns;
    w->table.tests.rate_hz = (double)rate.numerator / (double)rate.denominator;
    w->table.layout = (report_layout){.indent = " ", .tells_completed = true};
    return status;
}

static spk_status close_table(sequence_writer *w, spk_status status,
                              const spk_provenance *provenance)
{
    if (status == SPK_OK)
        status = report_table_commit(&w->table, provenance);
    report_table_discard(&w->table);
    report_texts_free(&w->labels);
    return status;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Columns first .. end - 1 of a row; end 0: all from `first` on. */
static void put_columns(sequence_writer *w, report_sequence_rows rows, uint64_t row, size_t first,
                        size_t end)
{
    size_t n = 0;
    const report_column *column = report_sequence_columns(rows, &n);
    const report_row at = {.tests = &w->table.tests, .row = row};
    report_put_columns(&w->table, column + first, (end > 0 ? end : n) - first, &at, &w->names);
}

static void put_heads(sequence_writer *w, report_sequence_rows rows, size_t first, size_t end)
{
    size_t n = 0;
    const report_column *column = report_sequence_columns(rows, &n);
    report_put_column_heads(&w->table, column + first, (end > 0 ? end : n) - first);
}

/* The times of the spikes of an occurrence, separated by commas. */
static void put_spikes(sequence_writer *w, uint32_t i, uint64_t occurrence, const char *missing)
{
    const spk_sequence_columns *c = &w->columns;
    const uint64_t n_members = c->member_first[i + 1] - c->member_first[i];
    const uint32_t *spike =
        c->spike + c->spike_first[i] + (occurrence - c->occurrence_first[i]) * n_members;
    const int64_t *time = spk_recording_events(w->table.recording).time;
    for (uint64_t m = 0; m < n_members; m++) {
        if (m > 0)
            report_put_char(&w->table, ',');
        if (spike[m] == SPK_SEQUENCE_MISSING)
            report_put_text(&w->table, missing);
        else
            report_put_time(&w->table, time[spike[m]]);
    }
}

/* ---- TSV ------------------------------------------------------------------------------------- */

static spk_status put_member_rows(sequence_writer *w, uint32_t i)
{
    report_table *table = &w->table;
    const spk_sequence_columns *c = &w->columns;
    for (uint64_t m = c->member_first[i]; m < c->member_first[i + 1]; m++) {
        report_put_number(table, i + 1ULL);
        put_columns(w, REPORT_SEQUENCES, i, 1, OF_MEMBERS_SEQUENCE);
        put_columns(w, REPORT_MEMBERS, m, 0, 0);
        report_put_char(table, '\n');
    }
    return report_table_check_row(table);
}

static void put_member_heads(sequence_writer *w)
{
    report_put_text(&w->table, "sequence");
    put_heads(w, REPORT_SEQUENCES, 1, OF_MEMBERS_SEQUENCE);
    put_heads(w, REPORT_MEMBERS, 0, 0);
    report_put_char(&w->table, '\n');
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_duration(report_table *table, const char *name, spk_duration duration)
{
    char text[48];
    spk_duration_format(duration, text, sizeof text);
    report_put_text_cell(table, name, text);
}

static void put_json_head(sequence_writer *w, const spk_sequence_report *r)
{
    report_table *table = &w->table;
    report_put_text(table, "{\"format\": \"spikemine sequences 1\"");
    put_duration(table, "longest_lag", r->longest_lag);
    report_put_text_cell(table, "null", r->null);
    put_duration(table, "jitter", r->jitter);
    report_put_number_cell(table, "seed", r->seed);
    report_put_number_cell(table, "surrogates", r->summary.n_surrogates);
    report_put_real_cell(table, "alpha", r->alpha);
    report_put_number_cell(table, "rounds", r->summary.n_rounds);
    report_put_real_cell(table, "last_p", r->summary.last_p);
    report_put_text(table, ",\n \"sequences\": [");
}

static void put_json_occurrence(sequence_writer *w, uint32_t i, uint64_t o)
{
    report_table *table = &w->table;
    report_put_text(table, o > w->columns.occurrence_first[i] ? ",\n   {\"time_s\":"
                                                              : "\n   {\"time_s\":");
    report_put_time(table, w->columns.time[o]);
    put_columns(w, REPORT_MOMENTS, o, 1, 0);
    report_put_text(table, ",\"times_s\":[");
    put_spikes(w, i, o, "null");
    report_put_text(table, "]}");
}

static spk_status put_json_sequence(sequence_writer *w, uint32_t i)
{
    report_table *table = &w->table;
    const spk_sequence_columns *c = &w->columns;
    report_put_text(table, i > 0 ? ",\n {\"sequence\":" : "\n {\"sequence\":");
    report_put_number(table, i + 1ULL);
    report_put_real_cell(table, "p", c->p[i]);
    report_put_real_cell(table, "statistic", c->statistic[i]);
    report_put_text(table, ",\n  \"members\": [");
    for (uint64_t m = c->member_first[i]; m < c->member_first[i + 1]; m++) {
        report_put_text(table, m > c->member_first[i] ? ",\n   {\"unit\":" : "\n   {\"unit\":");
        report_put_piece(table, &w->labels, c->unit[m]);
        put_columns(w, REPORT_MEMBERS, m, 1, 0);
        report_put_char(table, '}');
    }
    report_put_text(table, "],\n  \"occurrences\": [");
    for (uint64_t o = c->occurrence_first[i]; o < c->occurrence_first[i + 1]; o++)
        put_json_occurrence(w, i, o);
    report_put_text(table, "]}");
    return report_table_check_row(table);
}

/* ---- files ----------------------------------------------------------------------------------- */

spk_status spk_sequences_write(spk_context *context, const char *path, spk_table_form format,
                               const spk_recording *recording, const spk_sequences *sequences,
                               const spk_sequence_report *report, const spk_provenance *provenance)
{
    const bool json = format == SPK_FORM_JSON;
    sequence_writer w = {0};
    spk_sequence_report own;
    spk_status status = SPK_OPTIONS_TAKE(context, report, &own, spk_sequence_report);
    if (status != SPK_OK)
        return status;
    status = open_table(&w, context, path, format, recording, sequences);
    if (status == SPK_OK && json)
        put_json_head(&w, &own);
    else if (status == SPK_OK)
        put_member_heads(&w);
    if (status == SPK_OK)
        status = report_table_begin(&w.table);
    for (uint32_t i = 0; i < w.columns.n && status == SPK_OK; i++)
        status = json ? put_json_sequence(&w, i) : put_member_rows(&w, i);
    return close_table(&w, status, provenance);
}

static spk_status put_occurrence_row(sequence_writer *w, uint32_t i, uint64_t o)
{
    report_table *table = &w->table;
    report_put_number(table, i + 1ULL);
    report_put_number_cell(table, "occurrence", o - w->columns.occurrence_first[i] + 1);
    put_columns(w, REPORT_MOMENTS, o, 0, 0);
    report_put_char(table, '\t');
    put_spikes(w, i, o, "-");
    report_put_char(table, '\n');
    return report_table_check_row(table);
}

spk_status spk_sequences_write_occurrences(spk_context *context, const char *path,
                                           const spk_recording *recording,
                                           const spk_sequences *sequences,
                                           const spk_provenance *provenance)
{
    sequence_writer w = {0};
    spk_status status = open_table(&w, context, path, SPK_FORM_TSV, recording, sequences);
    if (status == SPK_OK) {
        report_put_text(&w.table, "sequence\toccurrence");
        put_heads(&w, REPORT_MOMENTS, 0, 0);
        report_put_text(&w.table, "\ttimes_s\n");
        status = report_table_begin(&w.table);
    }
    for (uint32_t i = 0; i < w.columns.n && status == SPK_OK; i++)
        for (uint64_t o = w.columns.occurrence_first[i];
             o < w.columns.occurrence_first[i + 1] && status == SPK_OK; o++)
            status = put_occurrence_row(&w, i, o);
    return close_table(&w, status, provenance);
}
