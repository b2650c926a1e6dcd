/* The table of a report: its columns, its rows, and what each row shows when it is chosen. */
#include "report/page/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns --------------------------------------------------------------------------------- */

static void put_column(page *p, const char *key, const char *title, const char *type,
                       const char *help)
{
    page_put_separator(p, ",\n");
    fputs("{\"key\":", p->out);
    page_put_string(p->out, key);
    fputs(",\"title\":", p->out);
    page_put_string(p->out, title);
    fprintf(p->out, ",\"type\":\"%s\",\"help\":", type);
    page_put_string(p->out, help);
    fputc('}', p->out);
}

void page_put_columns(page *p, const report_column *column, size_t n)
{
    const report_tests tests = page_tests(p);
    char key[REPORT_COLUMN_TEXT], title[REPORT_COLUMN_TEXT], meaning[REPORT_COLUMN_TEXT];
    char help[2 * REPORT_COLUMN_TEXT];
    for (size_t c = 0; c < n; c++)
        for (size_t k = 0; column[c].facts.title != NULL && k < report_column_n(&column[c], &tests);
             k++) {
            const char *more = column[c].more;
            snprintf(help, sizeof help, "%s%s%s",
                     report_column_text(&tests, column[c].facts.meaning, k, meaning),
                     more != NULL ? "; " : "", more != NULL ? more : "");
            put_column(p, report_column_text(&tests, column[c].facts.key, k, key),
                       report_column_text(&tests, column[c].facts.title, k, title),
                       report_column_type(&column[c]), help);
        }
}

static void put_columns(page *p)
{
    size_t n = 0;
    const report_column *column = report_columns(&n); /* one language and one kind of test */
    fputs(",\n\"columns\":[", p->out);
    p->begun = false;
    if (p->episodes != NULL) {
        put_column(p, "name", "episode", "text", "units and the delays between them");
        put_column(p, "size", "events", "integer", "events in the chain");
        put_column(p, "neurons", "units", "integer", "different units");
        put_column(p, "count", "count", "integer", "occurrences that do not overlap");
    } else {
        put_column(p, "name", "pattern", "text", "spikes as unit@lag, lags in bins");
        put_column(p, "size", "spikes", "integer", "spikes in the pattern");
        put_column(p, "neurons", "neurons", "integer", "different units");
        put_column(p, "duration", "duration", "integer", "bins from the first spike to the last");
        put_column(p, "count", "count", "integer", "windows in which it occurs");
    }
    page_put_columns(p, column, n);
    fputs("]", p->out);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The text form of result 0 of some columns; *text grows. */
typedef struct text_form {
    char *text;
    uint64_t capacity;
} text_form;

static size_t format(const page *p, const spk_episode_columns *episodes,
                     const spk_pattern_columns *patterns, uint64_t i, char *text, size_t size)
{
    return episodes != NULL   ? spk_episode_format(p->recording, episodes, i, text, size)
           : patterns != NULL ? spk_pattern_format(p->recording, patterns, i, text, size)
                              : 0;
}

static spk_status put_name(const page *p, text_form *form, const spk_episode_columns *episodes,
                           const spk_pattern_columns *patterns, uint64_t i)
{
    size_t n = format(p, episodes, patterns, i, form->text, (size_t)form->capacity);
    if (n >= form->capacity) {
        spk_status status = spk_grow(p->context, &form->text, &form->capacity, n + 1, "names");
        if (status != SPK_OK)
            return status;
        format(p, episodes, patterns, i, form->text, (size_t)form->capacity);
    }
    page_put_string(p->out, form->text);
    return SPK_OK;
}

/* An episode without its first or last unit. */
static spk_status put_episode_part(const page *p, text_form *form, uint64_t i, uint32_t left_out)
{
    const uint64_t offset[2] = {p->episodes->offset[i] + (left_out == 0),
                                p->episodes->offset[i + 1] - (left_out != 0)};
    spk_episode_columns part = *p->episodes;
    part.n = 1;
    part.offset = offset;
    return put_name(p, form, &part, NULL, 0);
}

/* A pattern without one of its spikes; the first spike of the rest has lag 0 again. */
static spk_status put_pattern_part(const page *p, text_form *form, uint64_t i, uint32_t left_out)
{
    const spk_pattern_columns *patterns = p->patterns;
    const uint32_t size = page_size(p, i), *item = patterns->item + patterns->offset[i];
    const uint64_t offset[2] = {0, size - 1};
    const uint32_t shift = item[left_out == 0 ? 1 : 0] % patterns->window;
    uint32_t n = 0, *left = NULL;
    spk_status status = spk_alloc(p->context, &left, size, "names");
    for (uint32_t k = 0; k < size && status == SPK_OK; k++)
        if (k != left_out)
            left[n++] = item[k] - shift;
    const spk_pattern_columns part = {
        .n = 1, .window = patterns->window, .offset = offset, .item = left};
    if (status == SPK_OK)
        status = put_name(p, form, NULL, &part, 0);
    spk_free(p->context, left);
    return status;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void put_integer_cell(page *p, uint64_t number)
{
    page_put_separator(p, ",");
    fprintf(p->out, "%" PRIu64, number);
}

static void put_real_cell(page *p, double value)
{
    page_put_separator(p, ",");
    page_put_real(p->out, value);
}

static void put_text_cell(page *p, const char *text)
{
    page_put_separator(p, ",");
    page_put_string(p->out, text);
}

static uint32_t count_neurons(const page *p, uint64_t i)
{
    uint32_t n = 0;
    const uint64_t first = page_offset(p, i), end = page_offset(p, i + 1);
    for (uint64_t k = first; k < end; k++) {
        uint64_t before = first;
        while (before < k && page_unit(p, before) != page_unit(p, k))
            before++;
        n += before == k;
    }
    return n;
}

static spk_status put_part_cell(page *p, text_form *form, uint64_t i, uint32_t left_out)
{
    page_put_separator(p, ",");
    if (left_out >= page_size(p, i) || page_size(p, i) < 2)
        fputs("null", p->out);
    else
        return p->episodes != NULL ? put_episode_part(p, form, i, left_out)
                                   : put_pattern_part(p, form, i, left_out);
    return SPK_OK;
}

/* Labels of units, as one text. */
static spk_status put_units_cell(page *p, const report_cell *cell)
{
    char *text = NULL;
    size_t n = 0, size = 1;
    for (uint32_t k = 0; k < cell->n_units; k++)
        size += strlen(spk_recording_label(p->recording, cell->unit[k])) + 1;
    spk_status status = spk_alloc_zero(p->context, &text, size, "names");
    for (uint32_t k = 0; k < cell->n_units && status == SPK_OK; k++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", k > 0 ? " " : "",
                              spk_recording_label(p->recording, cell->unit[k]));
    if (status == SPK_OK)
        put_text_cell(p, text);
    spk_free(p->context, text);
    return status;
}

/* Numbers with commas, as one text. */
static void put_reals_cell(page *p, const report_cell *cell)
{
    page_put_separator(p, ",");
    fputc('"', p->out);
    for (uint64_t k = 0; k < cell->n_reals; k++) {
        if (k > 0)
            fputs(", ", p->out);
        page_put_real(p->out, cell->reals[k]);
    }
    fputc('"', p->out);
}

static spk_status put_cell(page *p, text_form *form, uint64_t i, const report_cell *cell)
{
    switch (cell->kind) {
    case REPORT_INTEGER:
        put_integer_cell(p, cell->integer);
        return SPK_OK;
    case REPORT_REAL:
        put_real_cell(p, cell->real);
        return SPK_OK;
    case REPORT_WORD:
        put_text_cell(p, cell->word);
        return SPK_OK;
    case REPORT_VERDICT:
        put_text_cell(p, cell->integer != 0 ? "yes" : "no");
        return SPK_OK;
    case REPORT_PART:
        return put_part_cell(p, form, i, (uint32_t)cell->integer);
    case REPORT_UNITS:
        return put_units_cell(p, cell);
    case REPORT_REALS:
        put_reals_cell(p, cell);
        return SPK_OK;
    case REPORT_UNIT:
        put_text_cell(p, spk_recording_label(p->recording, cell->unit[0]));
        return SPK_OK;
    case REPORT_TIME:
        put_real_cell(p, (double)cell->tick / page_rate_hz(p));
        return SPK_OK;
    default:
        page_put_separator(p, ",");
        fputs("null", p->out);
        return SPK_OK;
    }
}

static spk_status put_listed(page *p, text_form *form, const report_column *column, size_t n,
                             const report_row *row)
{
    report_cell cell;
    spk_status status = SPK_OK;
    for (size_t c = 0; c < n; c++)
        for (size_t k = 0; column[c].facts.title != NULL &&
                           k < report_column_n(&column[c], row->tests) && status == SPK_OK;
             k++) {
            report_column_get(&column[c], row, k, &cell);
            status = put_cell(p, form, row->row, &cell);
        }
    return status;
}

spk_status page_put_cells(page *p, const report_column *column, size_t n, uint64_t row)
{
    const report_tests tests = page_tests(p);
    const report_row at = {.tests = &tests, .row = row};
    fputc('[', p->out);
    p->begun = false;
    spk_status status = put_listed(p, NULL, column, n, &at);
    fputc(']', p->out);
    return status;
}

static spk_status put_cells(page *p, text_form *form, uint64_t i)
{
    size_t n = 0;
    const report_column *column = report_columns(&n);
    const report_tests tests = page_tests(p);
    const report_row row = {&tests, i, page_signature(p, i)};
    p->begun = true;
    spk_status status = put_name(p, form, p->episodes, p->patterns, i);
    put_integer_cell(p, page_size(p, i));
    put_integer_cell(p, count_neurons(p, i));
    if (p->episodes == NULL)
        put_integer_cell(p,
                         p->patterns->item[p->patterns->offset[i + 1] - 1] % p->patterns->window);
    put_integer_cell(p, page_count(p, i));
    return status == SPK_OK ? put_listed(p, form, column, n, &row) : status;
}

/* ---- what a row is made of ------------------------------------------------------------------- */

static void put_lags(const page *p, uint64_t i)
{
    const uint64_t first = page_offset(p, i), end = page_offset(p, i + 1);
    for (uint64_t k = first; k < end && p->episodes == NULL; k++) {
        if (k > first)
            fputc(',', p->out);
        page_put_real(p->out, page_ticks(p, p->bin) * (p->patterns->item[k] % p->patterns->window));
    }
    for (uint64_t k = first + 1; k < end && p->episodes != NULL; k++) {
        const spk_delay *delay = &p->episodes->delays[p->episodes->delay[k]];
        fputs(k > first + 1 ? ",[" : "[", p->out);
        page_put_real(p->out, page_ticks(p, delay->lo));
        fputc(',', p->out);
        page_put_real(p->out, page_ticks(p, delay->hi));
        fputc(']', p->out);
    }
}

static void put_result(const page *p, uint64_t k)
{
    const uint64_t i = p->row[k];
    fputs(k > 0 ? ",\n{\"units\":[" : "\n{\"units\":[", p->out);
    for (uint64_t at = page_offset(p, i); at < page_offset(p, i + 1); at++)
        fprintf(p->out, "%s%" PRIu32, at > page_offset(p, i) ? "," : "", page_unit(p, at));
    fputs("],\"lags\":[", p->out);
    put_lags(p, i);
    fprintf(p->out, "],\"occurrences\":%" PRIu64 "}", p->n_found[k]);
}

spk_status page_put_rows(page *p)
{
    text_form form = {.text = NULL};
    spk_status status = SPK_OK;
    put_columns(p);
    fputs(",\n\"rows\":[", p->out);
    for (uint64_t k = 0; k < p->n_rows && status == SPK_OK; k++) {
        fputs(k > 0 ? ",\n[" : "\n[", p->out);
        status = put_cells(p, &form, p->row[k]);
        fputc(']', p->out);
        if (status == SPK_OK)
            status = spk_check_cancel(p->context);
    }
    fputs("],\n\"results\":[", p->out);
    for (uint64_t k = 0; k < p->n_rows && status == SPK_OK; k++)
        put_result(p, k);
    fputs("]", p->out);
    spk_free(p->context, form.text);
    return status;
}
