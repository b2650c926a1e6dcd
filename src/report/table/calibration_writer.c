/* Runs of a calibration, as TSV or JSON. */
#include <stdio.h>

#include "base/options.h"
#include "report/table/cells.h"
#include "spikemine/report_tests.h"

SPK_OPTIONS_INIT(spk_calibration_report, .alpha = SPK_USUAL_ALPHA, .method = "auto");

typedef struct calibration_writer {
    report_table table;
    spk_calibration_report report;
    const spk_calibration *calibration;
    spk_calibration_columns columns;
} calibration_writer;

/* "p_25ms" */
static void name_scale(const calibration_writer *w, const char *what, uint32_t s, char *name,
                       size_t size)
{
    char text[48];
    spk_duration_format(w->report.jitter[s], text, sizeof text);
    snprintf(name, size, "%s_%s", what, text);
}

/* ---- the head -------------------------------------------------------------------------------- */

static void put_tsv_head(calibration_writer *w)
{
    report_put_text(&w->table, "run\tp");
    if (w->columns.n_scales == 1)
        report_put_text(&w->table, "\trank");
    for (uint32_t s = 0; s < w->columns.n_scales && w->columns.n_scales > 1; s++) {
        char name[64];
        for (int k = 0; k < 2; k++) {
            name_scale(w, k == 0 ? "p" : "rank", s, name, sizeof name);
            report_put_char(&w->table, '\t');
            report_put_text(&w->table, name);
        }
    }
    report_put_char(&w->table, '\n');
}

/* The rate of one window, or with SPK_ALL_SCALES of all together. */
static void put_rate(calibration_writer *w, uint32_t scale)
{
    report_table *table = &w->table;
    spk_alarm_rate rate;
    char text[48];
    spk_calibration_rate(w->calibration, w->report.alpha, scale, &rate);
    if (scale != SPK_ALL_SCALES) {
        spk_duration_format(w->report.jitter[scale], text, sizeof text);
        report_put_text(table, scale > 0 ? ",\n  {\"jitter\":\"" : "\n  {\"jitter\":\"");
        report_put_text(table, text);
        report_put_char(table, '"');
    } else {
        report_put_text(table, ",\n  {\"jitter\":null");
    }
    report_put_number_cell(table, "alarms", rate.n_alarms);
    report_put_real_cell(table, "share", rate.share);
    report_put_real_cell(table, "low", rate.low);
    report_put_real_cell(table, "high", rate.high);
    report_put_real_cell(table, "promised", rate.promised);
    report_put_real_cell(table, "uniform_p", rate.uniform_p);
    report_put_char(table, '}');
}

static void put_json_head(calibration_writer *w)
{
    report_table *table = &w->table;
    report_put_text(table, "{\"format\": \"spikemine calibration 1\",\n \"method\": \"");
    report_put_text(table, w->report.method); /* a name of our own */
    report_put_text(table, "\",\n \"alpha\": ");
    report_put_real(table, w->report.alpha);
    report_put_text(table, ",\n \"seed\": ");
    report_put_number(table, w->report.seed);
    report_put_text(table, ",\n \"surrogates\": ");
    report_put_number(table, w->columns.n_surrogates);
    report_put_text(table, ",\n \"rates\": [");
    for (uint32_t s = 0; s < w->columns.n_scales; s++)
        put_rate(w, s);
    if (w->columns.n_scales > 1)
        put_rate(w, SPK_ALL_SCALES);
    report_put_text(table, "],\n \"runs\": [");
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void put_row(calibration_writer *w, uint64_t r)
{
    report_table *table = &w->table;
    const spk_calibration_columns *c = &w->columns;
    const bool json = table->format == SPK_FORM_JSON;
    if (json)
        report_put_text(table, r > 0 ? ",\n{\"run\":" : "\n{\"run\":");
    report_put_number(table, r + 1);
    report_put_real_cell(table, "p", c->p[r]);
    if (c->n_scales == 1)
        report_put_number_cell(table, "rank", c->rank[r]);
    for (uint32_t s = 0; s < c->n_scales && c->n_scales > 1; s++) {
        char name[64];
        name_scale(w, "p", s, name, sizeof name);
        report_put_real_cell(table, name, c->scale_p[r * c->n_scales + s]);
        name_scale(w, "rank", s, name, sizeof name);
        report_put_number_cell(table, name, c->rank[r * c->n_scales + s]);
    }
    report_put_text(table, json ? "}" : "\n");
}

spk_status spk_calibration_write(spk_context *context, const char *path, spk_table_form format,
                                 const spk_recording *recording, const spk_calibration *calibration,
                                 const spk_calibration_report *report,
                                 const spk_provenance *provenance)
{
    calibration_writer w = {.calibration = calibration,
                            .columns = spk_calibration_columns_of(calibration)};
    spk_status status = SPK_OPTIONS_TAKE(context, report, &w.report, spk_calibration_report);
    if (status == SPK_OK && w.report.n_jitter != w.columns.n_scales)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the calibration has another number of windows than the report");
    if (status != SPK_OK)
        return status;
    status = report_table_open(&w.table, context, path, format, recording);
    if (status == SPK_OK) {
        w.table.layout = (report_layout){.indent = " ", .tells_completed = true};
        if (format == SPK_FORM_JSON)
            put_json_head(&w);
        else
            put_tsv_head(&w);
        status = report_table_begin(&w.table);
    }
    for (uint64_t r = 0; r < w.columns.n && status == SPK_OK; r++) {
        put_row(&w, r);
        status = report_table_check_row(&w.table);
    }
    if (status == SPK_OK)
        status = report_table_commit(&w.table, provenance);
    report_table_discard(&w.table);
    return status;
}
