/* Episodes as TSV or JSON. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/table/compare_cells.h"
#include "report/table/episode_names.h"
#include "report/table/exact_cells.h"
#include "report/table/family_cells.h"

struct spk_episode_writer {
    report_table table;
    episode_names names;
    bool begun;             /* the head: names of columns, in JSON also the table of intervals */
    spk_exact_report exact; /* where table.exact is set */
    spk_compare_report comparison; /* where table.comparison is set */
    spk_family_columns families;   /* of rows, where `has_families` */
    bool has_families;
};

void spk_episode_writer_discard(spk_episode_writer *writer)
{
    if (writer == NULL)
        return;
    report_table_discard(&writer->table);
    episode_names_free(&writer->names);
    free(writer);
}

spk_status spk_episode_writer_open(spk_context *context, const char *path, spk_format format,
                                   const spk_recording *recording, spk_episode_writer **out)
{
    *out = NULL;
    spk_episode_writer *writer = NULL;
    bool json = format == SPK_FORMAT_JSON;
    spk_status status = spk_alloc_zero(context, &writer, 1, "a writer");
    if (status == SPK_OK)
        status = episode_names_make(
            context, recording, json ? REPORT_LABEL_JSON : REPORT_LABEL_EPISODE, &writer->names);
    if (status == SPK_OK)
        status = report_table_open(&writer->table, context, path, format, recording);
    if (status != SPK_OK) {
        spk_episode_writer_discard(writer);
        return status;
    }
    writer->table.whole_calls = true;
    writer->table.layout = (report_layout){.indent = " ", .tells_completed = true};
    *out = writer;
    return SPK_OK;
}

spk_status spk_episode_writer_set_exact(spk_episode_writer *writer, const spk_exact_report *test)
{
    return report_set_exact(&writer->table, test, &writer->exact);
}

spk_status spk_episode_writer_set_compare(spk_episode_writer *writer,
                                          const spk_compare_report *comparison)
{
    return report_set_compare(&writer->table, comparison, &writer->comparison);
}

spk_status spk_episode_writer_set_families(spk_episode_writer *writer,
                                           const spk_family_columns *families)
{
    if (writer->begun)
        return spk_fail(writer->table.context, SPK_ERR_ARGUMENT,
                        "families must be there before the first episode is written");
    writer->families = *families;
    writer->has_families = true;
    return SPK_OK;
}

/* ---- episodes -------------------------------------------------------------------------------- */

static void put_tsv_head(const spk_episode_writer *writer, report_table *table)
{
    report_put_text(table, "size\tcount\tepisode");
    if (table->exact != NULL)
        report_put_exact_head(table);
    report_put_compare_head(table);
    if (writer->has_families)
        report_put_family_names(table);
    report_put_char(table, '\n');
}

static void put_head(spk_episode_writer *writer)
{
    report_table *table = &writer->table;
    if (writer->begun)
        return;
    writer->begun = true;
    if (table->format != SPK_FORMAT_JSON) {
        put_tsv_head(writer, table);
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

/* What an exact test says of row k, which is episode i. */
static void put_exact(spk_episode_writer *writer, const spk_episode_columns *episodes, uint64_t i)
{
    report_table *table = &writer->table;
    uint32_t left_out = 0;
    if (table->exact == NULL)
        return;
    report_put_exact(table, table->n_rows);
    if (report_put_explained(table, table->n_rows, &left_out)) {
        const bool first = left_out == 0;
        const uint64_t part_offset[2] = {episodes->offset[i] + first,
                                         episodes->offset[i + 1] - !first};
        spk_episode_columns part = *episodes;
        part.n = 1;
        part.offset = part_offset;
        episode_names_put(table, &writer->names, &part, 0);
    }
    report_put_meaning(table, table->n_rows);
}

/* What the present row says of its family. */
static spk_status put_family(spk_episode_writer *writer)
{
    if (!writer->has_families)
        return SPK_OK;
    return report_put_family(&writer->table, &writer->families, writer->table.n_rows,
                             &writer->names.unit, " ");
}

static spk_status put_tsv(spk_episode_writer *writer, const spk_episode_columns *episodes,
                          uint64_t i)
{
    report_table *table = &writer->table;
    report_put_number(table, episodes->offset[i + 1] - episodes->offset[i]);
    report_put_char(table, '\t');
    report_put_number(table, episodes->count[i]);
    report_put_char(table, '\t');
    episode_names_put(table, &writer->names, episodes, i);
    put_exact(writer, episodes, i);
    spk_status status = report_put_compare(table, table->n_rows);
    if (status == SPK_OK)
        status = put_family(writer);
    report_put_char(table, '\n');
    return status;
}

static spk_status put_json(spk_episode_writer *writer, const spk_episode_columns *episodes,
                           uint64_t i)
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
    put_exact(writer, episodes, i);
    spk_status status = report_put_compare(table, table->n_rows);
    if (status == SPK_OK)
        status = put_family(writer);
    report_put_char(table, '}');
    return status;
}

spk_status spk_episode_writer_add(void *user, const spk_episode_columns *episodes)
{
    spk_episode_writer *writer = user;
    report_table *table = &writer->table;
    bool json = table->format == SPK_FORMAT_JSON;
    spk_status status =
        episode_names_take(table->context, table->recording, episodes, &writer->names);
    if (status != SPK_OK)
        return status;
    put_head(writer);
    status = report_table_begin(table);
    for (uint64_t i = 0; i < episodes->n && status == SPK_OK; i++) {
        status = report_check_exact(table, table->n_rows);
        if (status != SPK_OK)
            break;
        status = json ? put_json(writer, episodes, i) : put_tsv(writer, episodes, i);
        table->n_rows++;
        if (status == SPK_OK)
            status = report_table_check_row(table);
    }
    return status == SPK_OK ? report_table_mark(table) : status;
}

spk_status spk_episode_writer_commit(spk_episode_writer *writer, const spk_provenance *provenance)
{
    if (writer == NULL)
        return SPK_OK;
    put_head(writer);
    spk_status status = report_table_commit(&writer->table, provenance);
    spk_episode_writer_discard(writer);
    return status;
}
