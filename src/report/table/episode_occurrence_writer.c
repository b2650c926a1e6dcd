/* The counted occurrences of episodes, one a line. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/table/cells.h"
#include "report/table/episode_names.h"
#include "spikemine/occurrences.h"

typedef struct episode_occurrence_writer {
    report_table table;
    episode_names names;
    uint32_t min_size;
    bool has_segments; /* or trials, more than one: each row tells in which it lies */
    /* The episode at work. */
    const spk_episode_columns *episodes;
    uint64_t episode;
    uint64_t number; /* of its occurrence, from 1 */
} episode_occurrence_writer;

static void free_rest(report_table *table)
{
    episode_names_free(&((episode_occurrence_writer *)table)->names);
}

static void put_head(report_table *table)
{
    const episode_occurrence_writer *writer = (const episode_occurrence_writer *)table;
    report_put_text(table,
                    writer->has_segments
                        ? "episode\toccurrence\tsegment\tstart_s\tend_s\ttimes_s\twithin_s\ttrial\n"
                        : "episode\toccurrence\tstart_s\tend_s\ttimes_s\n");
}

static const writer_kind occurrences_kind = {
    .rows = "occurrences of episodes",
    .bytes = sizeof(episode_occurrence_writer),
    .whole_calls = true,
    .put_head = put_head,
    .free_rest = free_rest,
};

spk_status spk_episode_occurrence_writer_open(spk_context *context, const char *path,
                                              const spk_recording *recording, uint32_t min_size,
                                              spk_writer **out)
{
    spk_status status =
        report_writer_open(&occurrences_kind, context, path, SPK_FORM_TSV, recording, out);
    if (status != SPK_OK)
        return status;
    episode_occurrence_writer *writer = (episode_occurrence_writer *)*out;
    size_t n_segments = 0;
    spk_recording_segments(recording, &n_segments);
    writer->has_segments = n_segments > 1 || spk_recording_trials(recording) > 1;
    writer->min_size = min_size;
    status = episode_names_make(context, recording, REPORT_LABEL_EPISODE, &writer->names);
    return report_writer_opened(status, out);
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
    episode_occurrence_writer *writer = user;
    report_table *table = &writer->table;
    episode_names_put(table, &writer->names, writer->episodes, writer->episode);
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

static spk_status put_occurrences(episode_occurrence_writer *writer,
                                  const spk_episode_columns *episodes, uint64_t i)
{
    const report_table *table = &writer->table;
    uint64_t first = episodes->offset[i];
    uint32_t size = (uint32_t)(episodes->offset[i + 1] - first);
    spk_delay delays[SPK_EPISODE_MAX_SIZE];
    if (size < writer->min_size)
        return SPK_OK;
    for (uint32_t p = 1; p < size; p++)
        delays[p - 1] = episodes->delays[episodes->delay[first + p]];
    writer->episodes = episodes;
    writer->episode = i;
    writer->number = 0;
    return spk_episode_occurrences_in_segments(table->context, table->recording, size,
                                               episodes->unit + first, delays, put_occurrence,
                                               writer);
}

spk_status spk_episode_occurrence_writer_add(void *user, const spk_episode_columns *episodes)
{
    episode_occurrence_writer *writer = user;
    report_table *table = &writer->table;
    spk_status status = report_writer_check(table, &occurrences_kind);
    if (status == SPK_OK)
        status = episode_names_take(table->context, table->recording, episodes, &writer->names);
    if (status == SPK_OK)
        status = report_table_begin(table);
    for (uint64_t i = 0; i < episodes->n && status == SPK_OK; i++) {
        status = put_occurrences(writer, episodes, i);
        spk_progress(table->context, "writing occurrences", i + 1, episodes->n);
    }
    return status == SPK_OK ? report_table_mark(table) : status;
}
