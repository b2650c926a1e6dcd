/* Writes episodes as TSV or JSON. JSON is framed here and its strings and the provenance come from
 * jansson, so that millions of episodes need no tree in memory. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "report/table/names.h"
#include "report/table/provenance.h"
#include "spikemine/report.h"

struct spk_episode_writer {
    spk_output *output;
    spk_format format;
    const spk_recording *recording;
    const spk_delay *delays;
    size_t n_delays;
    report_names names;
    char **json_label; /* per unit, with quotes and escapes; JSON only */
    uint64_t n_written;
};

static void writer_free(spk_episode_writer *writer)
{
    if (writer->json_label != NULL)
        for (uint32_t u = 0; u < writer->names.n_units; u++)
            free(writer->json_label[u]);
    free(writer->json_label);
    report_names_free(&writer->names);
    free(writer);
}

void spk_episode_writer_discard(spk_episode_writer *writer)
{
    if (writer == NULL)
        return;
    spk_output_discard(writer->output);
    writer_free(writer);
}

static char *json_string_text(const char *text)
{
    json_t *string = json_string(text);
    char *out = string != NULL ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    json_decref(string);
    return out;
}

static spk_status make_json_labels(spk_context *context, spk_episode_writer *writer)
{
    uint32_t n_units = writer->names.n_units;
    spk_status status = spk_alloc_zero(context, &writer->json_label, n_units, "labels");
    for (uint32_t u = 0; u < n_units && status == SPK_OK; u++) {
        writer->json_label[u] = json_string_text(spk_recording_label(writer->recording, u));
        if (writer->json_label[u] == NULL)
            status =
                spk_fail(context, SPK_ERR_FORMAT, "unit label '%.60s' is not UTF-8, as JSON needs",
                         spk_recording_label(writer->recording, u));
    }
    return status;
}

static void write_json_head(spk_episode_writer *writer)
{
    FILE *stream = spk_output_stream(writer->output);
    fputs("{\"format\": \"spikemine episodes 1\",\n \"delays\": [", stream);
    for (size_t d = 0; d < writer->n_delays; d++) {
        char text[112];
        spk_delay_format(&writer->delays[d], text, sizeof text);
        fprintf(stream, "%s\"%s\"", d > 0 ? ", " : "", text);
    }
    fputs("],\n \"episodes\": [", stream);
}

spk_status spk_episode_writer_open(spk_context *context, const char *path, spk_format format,
                                   const spk_recording *recording, const spk_delay *delays,
                                   size_t n_delays, spk_episode_writer **out)
{
    *out = NULL;
    spk_episode_writer *writer = NULL;
    spk_status status = spk_alloc_zero(context, &writer, 1, "a writer");
    if (status != SPK_OK)
        return status;
    writer->format = format;
    writer->recording = recording;
    writer->delays = delays;
    writer->n_delays = n_delays;
    status = report_names_make(context, recording, delays, n_delays, &writer->names);
    if (status == SPK_OK && format == SPK_FORMAT_JSON)
        status = make_json_labels(context, writer);
    if (status == SPK_OK)
        status = spk_output_open(context, path, &writer->output);
    if (status != SPK_OK) {
        spk_episode_writer_discard(writer);
        return status;
    }
    if (format == SPK_FORMAT_JSON)
        write_json_head(writer);
    else
        fputs("size\tcount\tepisode\n", spk_output_stream(writer->output));
    *out = writer;
    return SPK_OK;
}

/* ---- episodes -------------------------------------------------------------------------------- */

static void write_tsv(const spk_episode_writer *writer, uint32_t size, uint64_t count,
                      const uint32_t *unit, const uint16_t *delay)
{
    FILE *stream = spk_output_stream(writer->output);
    fprintf(stream, "%" PRIu32 "\t%" PRIu64 "\t", size, count);
    report_names_write(&writer->names, size, unit, delay, stream);
    fputc('\n', stream);
}

static void write_json(const spk_episode_writer *writer, uint32_t size, uint64_t count,
                       const uint32_t *unit, const uint16_t *delay)
{
    FILE *stream = spk_output_stream(writer->output);
    fprintf(stream, "%s\n  {\"size\": %" PRIu32 ", \"count\": %" PRIu64 ", \"units\": [",
            writer->n_written > 0 ? "," : "", size, count);
    for (uint32_t p = 0; p < size; p++)
        fprintf(stream, "%s%s", p > 0 ? ", " : "", writer->json_label[unit[p]]);
    fputs("], \"delays\": [", stream);
    for (uint32_t p = 1; p < size; p++)
        fprintf(stream, "%s%" PRIu16, p > 1 ? ", " : "", delay[p]);
    fputs("]}", stream);
}

spk_status spk_episode_writer_add(spk_context *context, spk_episode_writer *writer,
                                  const spk_episode_columns *episodes)
{
    for (uint64_t k = 0; k < episodes->n; k++) {
        uint64_t offset = episodes->offset[k];
        uint32_t size = (uint32_t)(episodes->offset[k + 1] - offset);
        const uint32_t *unit = episodes->unit + offset;
        const uint16_t *delay = episodes->delay + offset;
        if (writer->format == SPK_FORMAT_JSON)
            write_json(writer, size, episodes->count[k], unit, delay);
        else
            write_tsv(writer, size, episodes->count[k], unit, delay);
        writer->n_written++;
    }
    /* A full disk shows here and not only after hours of work. */
    if (fflush(spk_output_stream(writer->output)) != 0)
        return spk_fail(context, SPK_ERR_IO,
                        "cannot write the episodes; is the disk full, or did the "
                        "reader of the pipe go away?");
    return SPK_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

static spk_status write_json_end(spk_context *context, spk_episode_writer *writer,
                                 const spk_provenance *provenance)
{
    FILE *stream = spk_output_stream(writer->output);
    fprintf(stream, "\n ],\n \"complete\": %s,\n \"provenance\": ",
            provenance->incomplete == NULL ? "true" : "false");
    char *text = spk_provenance_json(writer->recording, provenance);
    if (text == NULL)
        return spk_fail_memory(context, 4096, "provenance");
    fputs(text, stream);
    fputs("}\n", stream);
    free(text);
    return SPK_OK;
}

spk_status spk_episode_writer_commit(spk_context *context, spk_episode_writer *writer,
                                     const spk_provenance *provenance)
{
    if (writer == NULL)
        return SPK_OK;
    spk_status status = SPK_OK;
    if (writer->format == SPK_FORMAT_JSON)
        status = write_json_end(context, writer, provenance);
    else if (provenance->incomplete != NULL)
        fprintf(spk_output_stream(writer->output), "# incomplete: %s\n", provenance->incomplete);
    if (status != SPK_OK) {
        spk_episode_writer_discard(writer);
        return status;
    }
    status = provenance->incomplete == NULL ? spk_output_commit(context, writer->output)
                                            : spk_output_commit_incomplete(context, writer->output);
    writer_free(writer);
    return status;
}
