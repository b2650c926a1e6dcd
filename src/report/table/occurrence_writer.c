/* Writes the counted occurrences of episodes, one a line. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/output.h"
#include "report/table/names.h"
#include "spikemine/report.h"

struct spk_occurrence_writer {
    spk_output *output;
    const spk_recording *recording;
    const spk_delay *delays;
    report_names names;
    /* The episode at work. */
    uint32_t size;
    const uint32_t *unit;
    const uint16_t *delay;
    uint64_t number;
};

void spk_occurrence_writer_discard(spk_occurrence_writer *writer)
{
    if (writer == NULL)
        return;
    spk_output_discard(writer->output);
    report_names_free(&writer->names);
    free(writer);
}

spk_status spk_occurrence_writer_open(spk_context *context, const char *path,
                                      const spk_recording *recording, const spk_delay *delays,
                                      size_t n_delays, spk_occurrence_writer **out)
{
    *out = NULL;
    spk_occurrence_writer *writer = NULL;
    spk_status status = spk_alloc_zero(context, &writer, 1, "a writer");
    if (status != SPK_OK)
        return status;
    writer->recording = recording;
    writer->delays = delays;
    status = report_names_make(context, recording, delays, n_delays, &writer->names);
    if (status == SPK_OK)
        status = spk_output_open(context, path, &writer->output);
    if (status != SPK_OK) {
        spk_occurrence_writer_discard(writer);
        return status;
    }
    fputs("episode\toccurrence\tstart_s\tend_s\ttimes_s\n", spk_output_stream(writer->output));
    *out = writer;
    return SPK_OK;
}

static void write_time(const spk_occurrence_writer *writer, int64_t time, char before)
{
    char text[48];
    spk_recording_format_time(writer->recording, time, text, sizeof text);
    fprintf(spk_output_stream(writer->output), "%c%s", before, text);
}

static spk_status write_occurrence(void *user, uint32_t size, const int64_t *time)
{
    spk_occurrence_writer *writer = user;
    FILE *stream = spk_output_stream(writer->output);
    report_names_write(&writer->names, writer->size, writer->unit, writer->delay, stream);
    fprintf(stream, "\t%" PRIu64, ++writer->number);
    write_time(writer, time[0], '\t');
    write_time(writer, time[size - 1], '\t');
    for (uint32_t p = 0; p < size; p++)
        write_time(writer, time[p], p == 0 ? '\t' : ',');
    fputc('\n', stream);
    return ferror(stream) ? SPK_ERR_IO : SPK_OK;
}

spk_status spk_occurrence_writer_add(spk_context *context, spk_occurrence_writer *writer,
                                     const spk_episode_columns *episodes, uint32_t min_size)
{
    spk_delay delays[SPK_EPISODE_MAX_SIZE];
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < episodes->n && status == SPK_OK; k++) {
        uint64_t offset = episodes->offset[k];
        writer->size = (uint32_t)(episodes->offset[k + 1] - offset);
        writer->unit = episodes->unit + offset;
        writer->delay = episodes->delay + offset;
        writer->number = 0;
        if (writer->size < min_size)
            continue;
        for (uint32_t p = 1; p < writer->size; p++)
            delays[p - 1] = writer->delays[writer->delay[p]];
        status = spk_episode_occurrences(context, writer->recording, writer->size, writer->unit,
                                         delays, write_occurrence, writer);
        spk_progress(context, "writing occurrences", k + 1, episodes->n);
        if (status == SPK_OK)
            status = spk_check_cancel(context);
    }
    if (status == SPK_ERR_IO)
        return spk_fail(context, status, "cannot write the occurrences; is the disk full?");
    return status;
}

spk_status spk_occurrence_writer_commit(spk_context *context, spk_occurrence_writer *writer,
                                        const char *incomplete)
{
    if (writer == NULL)
        return SPK_OK;
    if (incomplete != NULL)
        fprintf(spk_output_stream(writer->output), "# incomplete: %s\n", incomplete);
    spk_status status = incomplete == NULL ? spk_output_commit(context, writer->output)
                                           : spk_output_commit_incomplete(context, writer->output);
    writer->output = NULL;
    spk_occurrence_writer_discard(writer);
    return status;
}
