/* Sequences in a report: the table, and for each row the tables of its members and occurrences. */
#include <inttypes.h>

#include "report/page/page.h"
#include "sequence/sequence.h"

/* The rows of a table that belong to one row of the report: first[i] .. first[i + 1] - 1. */
typedef struct part {
    const char *key, *title;
    report_sequence_rows rows;
    const uint64_t *first;
    bool packed; /* there only where the file has the occurrences */
} part;

static void put_heads(page *p, report_sequence_rows rows)
{
    size_t n = 0;
    const report_column *column = report_sequence_columns(rows, &n);
    fputs("\"columns\":[", p->out);
    p->begun = false;
    page_put_columns(p, column, n);
    fputs("]", p->out);
}

static spk_status put_lines(page *p, report_sequence_rows rows, uint64_t first, uint64_t end)
{
    size_t n = 0;
    const report_column *column = report_sequence_columns(rows, &n);
    spk_status status = SPK_OK;
    fputs("[", p->out);
    for (uint64_t i = first; i < end && status == SPK_OK; i++) {
        fputs(i > first ? ",\n" : "", p->out);
        status = page_put_cells(p, column, n, i);
    }
    fputs("]", p->out);
    return status == SPK_OK ? spk_check_cancel(p->context) : status;
}

static spk_status put_part(page *p, const part *of)
{
    spk_status status = SPK_OK;
    fprintf(p->out, "{\"key\":\"%s\",\"title\":\"%s\",\n", of->key, of->title);
    put_heads(p, of->rows);
    fputs(",\n\"rows\":[", p->out);
    for (uint64_t i = 0; i < p->n_rows && status == SPK_OK; i++) {
        const uint64_t end = of->packed ? of->first[i] + p->n_found[i] : of->first[i + 1];
        fputs(i > 0 ? ",\n" : "", p->out);
        status = put_lines(p, of->rows, of->first[i], end);
    }
    fputs("]}", p->out);
    return status;
}

/* Units, lags and spreads of row i. */
static void put_result(const page *p, uint64_t i)
{
    const spk_sequence_columns *c = p->sequences;
    const uint64_t first = c->member_first[i], end = c->member_first[i + 1];
    fputs(i > 0 ? ",\n{\"units\":[" : "\n{\"units\":[", p->out);
    for (uint64_t m = first; m < end; m++)
        fprintf(p->out, "%s%" PRIu32, m > first ? "," : "", c->unit[m]);
    for (int spread = 0; spread < 2; spread++) {
        fputs(spread ? "],\"spreads\":[" : "],\"lags\":[", p->out);
        for (uint64_t m = first; m < end; m++) {
            fputs(m > first ? "," : "", p->out);
            page_put_real(p->out, spread ? c->spread_ticks[m] : c->lag_ticks[m]);
        }
    }
    const uint32_t of = sequence_find_copy(c, (uint32_t)i).of;
    if (of != i)
        fprintf(p->out, "],\"copy_of\":%" PRIu32, of);
    fprintf(p->out, "%s,\"occurrences\":%" PRIu64 "}", of != i ? "" : "]", p->n_found[i]);
}

spk_status page_put_sequences(page *p)
{
    const part parts[] = {
        {"members", "Members", REPORT_MEMBERS, p->sequences->member_first, false},
        {"occurrences", "Occurrences", REPORT_MOMENTS, p->sequences->occurrence_first, true}};
    fputs(",\n", p->out);
    put_heads(p, REPORT_SEQUENCES);
    fputs(",\n\"rows\":", p->out);
    spk_status status = put_lines(p, REPORT_SEQUENCES, 0, p->n_rows);
    fputs(",\n\"results\":[", p->out);
    for (uint64_t i = 0; i < p->n_rows && status == SPK_OK; i++)
        put_result(p, i);
    fputs("],\n\"parts\":[", p->out);
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && status == SPK_OK; k++) {
        fputs(k > 0 ? ",\n" : "", p->out);
        status = put_part(p, &parts[k]);
    }
    fputs("]", p->out);
    return status;
}

/* A report inside the report, without what both share: the recording and what is told of it. */
spk_status page_put_beside(page *p)
{
    const spk_sequence_columns columns = spk_sequences_columns(p->options.sequences);
    page beside = {.context = p->context,
                   .recording = p->options.searched,
                   .sequences = &columns,
                   .options = p->options,
                   .start = p->start,
                   .out = p->out};
    beside.options.exact = NULL; /* the tests of episodes, and their families */
    beside.options.signatures = NULL;
    beside.options.families = NULL;
    spk_status status = page_choose_rows(&beside);
    if (status == SPK_OK)
        status = page_find_occurrences(&beside);
    fputs(",\n\"sequences\":{\"kind\":\"sequences\"", p->out);
    if (status == SPK_OK)
        status = page_put_sequences(&beside);
    if (status == SPK_OK) {
        page_put_occurrences(&beside);
        status = page_put_graph(&beside);
    }
    fputs("}", p->out);
    page_free_rows(&beside);
    return status;
}
