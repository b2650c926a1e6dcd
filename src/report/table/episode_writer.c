/* Episodes as TSV or JSON. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/table/cells.h"
#include "report/table/episode_names.h"

typedef struct episode_writer {
    report_table table;
    episode_names names;
} episode_writer;

static void free_rest(report_table *table)
{
    episode_names_free(&((episode_writer *)table)->names);
}

/* Names of columns, in JSON also the table of intervals. */
static void put_head(report_table *table)
{
    const episode_writer *writer = (const episode_writer *)table;
    if (table->format != SPK_FORM_JSON) {
        report_put_text(table, "size\tcount\tepisode");
        report_put_heads(table);
        report_put_char(table, '\n');
        return;
    }
    report_put_text(table, "{\"format\": \"spikemine episodes 1\",\n \"delays\": [");
    for (size_t d = 0; d < writer->names.n_delays; d++) {
        char text[112];
        spk_delay_format(&writer->names.delays[d], text, sizeof text);
        report_put_text(table, d > 0 ? ", \"" : "\"");
        report_put_text(table, text);
        report_put_char(table, '"');
    }
    report_put_text(table, "],\n \"episodes\": [");
}

static const writer_kind episodes_kind = {
    .rows = "episodes",
    .bytes = sizeof(episode_writer),
    .layout = {.indent = " ", .tells_completed = true},
    .takes_tests = true,
    .whole_calls = true,
    .put_head = put_head,
    .free_rest = free_rest,
};

spk_status spk_episode_writer_open(spk_context *context, const char *path, spk_table_form format,
                                   const spk_recording *recording, spk_writer **out)
{
    const bool json = format == SPK_FORM_JSON;
    spk_status status = report_writer_open(&episodes_kind, context, path, format, recording, out);
    if (status == SPK_OK)
        status =
            episode_names_make(context, recording, json ? REPORT_LABEL_JSON : REPORT_LABEL_EPISODE,
                               &((episode_writer *)*out)->names);
    return report_writer_opened(status, out);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* An episode of these columns. */
typedef struct episode_at {
    episode_writer *writer;
    const spk_episode_columns *episodes;
    uint64_t i;
} episode_at;

static void put_part(void *user, uint64_t left_out)
{
    const episode_at *at = user;
    const uint64_t *offset = at->episodes->offset + at->i;
    const bool first = left_out == 0;
    const uint64_t part_offset[2] = {offset[0] + first, offset[1] - !first};
    spk_episode_columns part = *at->episodes;
    part.n = 1;
    part.offset = part_offset;
    episode_names_put(&at->writer->table, &at->writer->names, &part, 0);
}

static void put_cells(episode_writer *writer, const spk_episode_columns *episodes, uint64_t i)
{
    episode_at at = {writer, episodes, i};
    const report_names names = {&writer->names.unit, put_part, &at};
    report_put_cells(&writer->table, writer->table.n_rows, NULL, &names);
}

static void put_tsv(episode_writer *writer, const spk_episode_columns *episodes, uint64_t i)
{
    report_table *table = &writer->table;
    report_put_number(table, episodes->offset[i + 1] - episodes->offset[i]);
    report_put_char(table, '\t');
    report_put_number(table, episodes->count[i]);
    report_put_char(table, '\t');
    episode_names_put(table, &writer->names, episodes, i);
    put_cells(writer, episodes, i);
    report_put_char(table, '\n');
}

static void put_json(episode_writer *writer, const spk_episode_columns *episodes, uint64_t i)
{
    report_table *table = &writer->table;
    uint64_t first = episodes->offset[i];
    uint64_t end = episodes->offset[i + 1];
    report_put_text(table, table->n_rows > 0 ? ",\n  {\"size\": " : "\n  {\"size\": ");
    report_put_number(table, end - first);
    report_put_text(table, ", \"count\": ");
    report_put_number(table, episodes->count[i]);
    report_put_text(table, ", \"units\": [");
    for (uint64_t k = first; k < end; k++) {
        report_put_text(table, k > first ? ", " : "");
        report_put_piece(table, &writer->names.unit, episodes->unit[k]);
    }
    report_put_text(table, "], \"delays\": [");
    for (uint64_t k = first + 1; k < end; k++) {
        report_put_text(table, k > first + 1 ? ", " : "");
        report_put_number(table, episodes->delay[k]);
    }
    report_put_char(table, ']');
    put_cells(writer, episodes, i);
    report_put_char(table, '}');
}

spk_status spk_episode_writer_add(void *user, const spk_episode_columns *episodes)
{
    episode_writer *writer = user;
    report_table *table = &writer->table;
    bool json = table->format == SPK_FORM_JSON;
    spk_status status = report_writer_check(table, &episodes_kind);
    if (status == SPK_OK)
        status = episode_names_take(table->context, table->recording, episodes, &writer->names);
    if (status != SPK_OK)
        return status;
    status = report_table_begin(table);
    for (uint64_t i = 0; i < episodes->n && status == SPK_OK; i++) {
        status = report_check_cells(table, table->n_rows);
        if (status != SPK_OK)
            break;
        if (json)
            put_json(writer, episodes, i);
        else
            put_tsv(writer, episodes, i);
        table->n_rows++;
        status = report_table_check_row(table);
    }
    return status == SPK_OK ? report_table_mark(table) : status;
}
