/* Files of episodes: a table of them as TSV or JSON, and their counted occurrences, one a line. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/check.h"
#include "report/table/cells.h"
#include "spikemine/occurrences.h"

/* What rows of episodes are made of: the labels of units, and the delay intervals, which the first
 * episodes bring with them. */
typedef struct episode_names {
    report_texts unit;
    report_texts delay; /* by number in the table */
    bool has_table;
    size_t n_delays;
    spk_delay *delays; /* a copy of the table */
} episode_names;

/* A writer of either file. */
typedef struct episode_writer {
    report_table table;
    episode_names names;
    report_names cells;
    const spk_episode_columns *episodes; /* at work: one of these */
    uint64_t episode;
    /* Of occurrences: */
    uint32_t min_size;
    bool has_segments; /* or trials, more than one: each row tells in which it lies */
    uint64_t number;   /* of the episode's occurrence, from 1 */
} episode_writer;

static void free_rest(report_table *table)
{
    episode_names *names = &((episode_writer *)table)->names;
    report_texts_free(&names->unit);
    report_texts_free(&names->delay);
    free(names->delays);
    *names = (episode_names){.delays = NULL};
}

static spk_status open_writer(const writer_kind *kind, spk_context *context, const char *path,
                              spk_table_form format, const spk_recording *recording,
                              spk_writer **out)
{
    spk_status status = report_writer_open(kind, context, path, format, recording, out);
    if (status == SPK_OK)
        status =
            report_labels_make(context, recording, spk_recording_events(recording).n_units,
                               format == SPK_FORM_JSON ? REPORT_LABEL_JSON : REPORT_LABEL_EPISODE,
                               &((episode_writer *)*out)->names.unit);
    return report_writer_opened(status, out);
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool same_duration(spk_duration a, spk_duration b)
{
    return spk_duration_compare(a, b) == 0;
}

static bool same_table(const episode_names *names, const spk_episode_columns *episodes)
{
    bool same = names->n_delays == episodes->n_delays;
    for (size_t d = 0; d < names->n_delays && same; d++)
        same = same_duration(names->delays[d].lo, episodes->delays[d].lo) &&
               same_duration(names->delays[d].hi, episodes->delays[d].hi);
    return same;
}

static spk_status keep_table(spk_context *context, const spk_episode_columns *episodes,
                             episode_names *names)
{
    size_t n = episodes->n_delays;
    spk_status status = spk_alloc(context, &names->delays, n, "delay intervals");
    if (status != SPK_OK)
        return status;
    for (size_t d = 0; d < n; d++)
        names->delays[d] = episodes->delays[d];
    names->n_delays = n;
    names->has_table = true;
    return report_delays_make(context, names->delays, n, &names->delay);
}

/* Takes the table of the first episodes; checks that these episodes fit the recording and that
 * theirs is the same. Errors: SPK_ERR_ARGUMENT, SPK_ERR_MEMORY. */
static spk_status take(report_table *table, const void *columns)
{
    episode_writer *writer = (episode_writer *)table;
    const spk_episode_columns *episodes = columns;
    spk_context *context = table->context;
    episode_names *names = &writer->names;
    spk_status status = report_check_episodes(context, table->recording, episodes);
    if (status != SPK_OK)
        return status;
    if (!names->has_table)
        return keep_table(context, episodes, names);
    if (same_table(names, episodes))
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "these episodes have another table of delay intervals than those before them; "
                    "write them to a file of their own");
}

/* Writes the text form of episode i. */
static void put_name(episode_writer *writer, const spk_episode_columns *episodes, uint64_t i)
{
    report_table *table = &writer->table;
    const episode_names *names = &writer->names;
    uint64_t first = episodes->offset[i];
    for (uint64_t k = first; k < episodes->offset[i + 1]; k++) {
        if (k > first)
            report_put_piece(table, &names->delay, episodes->delay[k]);
        report_put_piece(table, &names->unit, episodes->unit[k]);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

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

/* The text form of the episode at work without one of its positions. */
static void put_part(report_table *table, uint64_t left_out)
{
    episode_writer *writer = (episode_writer *)table;
    const uint64_t *offset = writer->episodes->offset + writer->episode;
    const bool first = left_out == 0;
    const uint64_t part_offset[2] = {offset[0] + first, offset[1] - !first};
    spk_episode_columns part = *writer->episodes;
    part.n = 1;
    part.offset = part_offset;
    put_name(writer, &part, 0);
}

static void put_tsv(episode_writer *writer, const spk_episode_columns *episodes, uint64_t i)
{
    report_table *table = &writer->table;
    report_put_number(table, episodes->offset[i + 1] - episodes->offset[i]);
    report_put_char(table, '\t');
    report_put_number(table, episodes->count[i]);
    report_put_char(table, '\t');
    put_name(writer, episodes, i);
    report_put_cells(table, table->n_rows, NULL, &writer->cells);
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
    report_put_cells(table, table->n_rows, NULL, &writer->cells);
    report_put_char(table, '}');
}

static spk_status put_episode(report_table *table, const void *columns, uint64_t i)
{
    episode_writer *writer = (episode_writer *)table;
    spk_status status = report_check_cells(table, table->n_rows);
    if (status != SPK_OK)
        return status;
    writer->episodes = columns;
    writer->episode = i;
    if (table->format == SPK_FORM_JSON)
        put_json(writer, columns, i);
    else
        put_tsv(writer, columns, i);
    table->n_rows++;
    return report_table_check_row(table);
}

static const writer_kind episodes_kind = {
    .rows = "episodes",
    .bytes = sizeof(episode_writer),
    .layout = {.indent = " ", .tells_completed = true},
    .takes_tests = true,
    .whole_calls = true,
    .rows_apart = true,
    .put_head = put_head,
    .free_rest = free_rest,
    .take = take,
    .put = put_episode,
};

spk_status spk_episode_writer_open(spk_context *context, const char *path, spk_table_form format,
                                   const spk_recording *recording, spk_writer **out)
{
    spk_status status = open_writer(&episodes_kind, context, path, format, recording, out);
    episode_writer *writer = (episode_writer *)*out;
    if (status == SPK_OK)
        writer->cells = (report_names){&writer->names.unit, put_part};
    return status;
}

spk_status spk_episode_writer_add(void *user, const spk_episode_columns *episodes)
{
    return report_writer_add(user, &episodes_kind, episodes, episodes->n);
}

/* ---- occurrences ----------------------------------------------------------------------------- */

static void put_occurrence_head(report_table *table)
{
    const episode_writer *writer = (const episode_writer *)table;
    report_put_text(table,
                    writer->has_segments
                        ? "episode\toccurrence\tsegment\tstart_s\tend_s\ttimes_s\twithin_s\ttrial\n"
                        : "episode\toccurrence\tstart_s\tend_s\ttimes_s\n");
}

static void put_time(report_table *table, char before, int64_t time)
{
    report_put_char(table, before);
    report_put_time(table, time);
}

/* The start of an occurrence as time since the start of its segment. */
static void put_time_within(report_table *table, size_t segment, int64_t time)
{
    char text[48];
    spk_recording_format_time_within(table->recording, segment, time, text, sizeof text);
    report_put_char(table, '\t');
    report_put_text(table, text);
}

static spk_status put_occurrence(void *user, size_t segment, uint32_t size, const int64_t *time)
{
    episode_writer *writer = user;
    report_table *table = &writer->table;
    put_name(writer, writer->episodes, writer->episode);
    report_put_char(table, '\t');
    report_put_number(table, ++writer->number);
    if (writer->has_segments) {
        report_put_char(table, '\t');
        report_put_number(table, (uint64_t)segment + 1);
    }
    put_time(table, '\t', time[0]);
    put_time(table, '\t', time[size - 1]);
    for (uint32_t p = 0; p < size; p++)
        put_time(table, p == 0 ? '\t' : ',', time[p]);
    if (writer->has_segments) {
        put_time_within(table, segment, time[0]);
        report_put_char(table, '\t');
        report_put_number(table, (uint64_t)spk_recording_trial(table->recording, segment) + 1);
    }
    report_put_char(table, '\n');
    return report_table_check_row(table);
}

static spk_status put_occurrences(report_table *table, const void *columns, uint64_t i)
{
    episode_writer *writer = (episode_writer *)table;
    const spk_episode_columns *episodes = columns;
    uint64_t first = episodes->offset[i];
    uint32_t size = (uint32_t)(episodes->offset[i + 1] - first);
    spk_delay delays[SPK_EPISODE_MAX_SIZE];
    spk_status status = SPK_OK;
    for (uint32_t p = 1; p < size; p++)
        delays[p - 1] = episodes->delays[episodes->delay[first + p]];
    writer->episodes = episodes;
    writer->episode = i;
    writer->number = 0;
    if (size >= writer->min_size)
        status = spk_episode_occurrences_in_segments(table->context, table->recording, size,
                                                     episodes->unit + first, delays, put_occurrence,
                                                     writer);
    spk_progress(table->context, "writing occurrences", i + 1, episodes->n);
    return status;
}

static const writer_kind occurrences_kind = {
    .rows = "occurrences of episodes",
    .bytes = sizeof(episode_writer),
    .whole_calls = true,
    .put_head = put_occurrence_head,
    .free_rest = free_rest,
    .take = take,
    .put = put_occurrences,
};

spk_status spk_episode_occurrence_writer_open(spk_context *context, const char *path,
                                              const spk_recording *recording, uint32_t min_size,
                                              spk_writer **out)
{
    spk_status status = open_writer(&occurrences_kind, context, path, SPK_FORM_TSV, recording, out);
    if (status != SPK_OK)
        return status;
    episode_writer *writer = (episode_writer *)*out;
    size_t n_segments = 0;
    spk_recording_segments(recording, &n_segments);
    writer->has_segments = n_segments > 1 || spk_recording_trials(recording) > 1;
    writer->min_size = min_size;
    return SPK_OK;
}

spk_status spk_episode_occurrence_writer_add(void *user, const spk_episode_columns *episodes)
{
    return report_writer_add(user, &occurrences_kind, episodes, episodes->n);
}
