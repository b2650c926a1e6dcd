/*
 * Truth as JSON. Small things go through jansson; times, which can be millions, are written row by
 * row as exact decimal seconds, the same digits that the recording's text form has.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "simulate/simulate.h"

static void write_seconds(FILE *file, const spk_recording *recording, int64_t ticks)
{
    char text[48];
    spk_recording_format_time(recording, ticks, text, sizeof text);
    fputs(text, file);
}

/* [0.005, 0.0049, ...] */
static void write_row(FILE *file, const spk_recording *recording, uint32_t n, const int64_t *ticks)
{
    fputc('[', file);
    for (uint32_t p = 0; p < n; p++) {
        fputs(p > 0 ? ", " : "", file);
        if (ticks[p] == SPK_TRUTH_MISSING)
            fputs("null", file);
        else
            write_seconds(file, recording, ticks[p]);
    }
    fputc(']', file);
}

/* The units' labels as an array of strings; jansson escapes them. */
static spk_status write_units(spk_context *context, FILE *file, const spk_recording *recording,
                              const spk_truth_chain *chain)
{
    for (uint32_t p = 0; p < chain->size; p++) {
        const char *label = spk_recording_label(recording, chain->unit[p]);
        if (label == NULL)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "the truth names unit %" PRIu32 ", which the recording does not have; "
                            "give the recording that it belongs to",
                            chain->unit[p]);
        json_t *string = json_string(label);
        if (string == NULL)
            return spk_fail(context, SPK_ERR_FORMAT,
                            "the label of unit %" PRIu32 " is not UTF-8, which JSON needs; rename "
                            "the unit",
                            chain->unit[p]);
        fputs(p > 0 ? ", " : "", file);
        bool written = json_dumpf(string, file, JSON_ENCODE_ANY) == 0;
        json_decref(string);
        if (!written && ferror(file) == 0) /* what the file refuses is told when it is closed */
            return spk_fail_memory(context, strlen(label), "the truth");
    }
    return SPK_OK;
}

static spk_status write_times(spk_context *context, FILE *file, const spk_recording *recording,
                              const spk_truth_chain *chain)
{
    fputs("      \"times_s\": [", file);
    for (uint64_t i = 0; i < chain->kept; i++) {
        fputs(i > 0 ? ",\n        " : "\n        ", file);
        write_row(file, recording, chain->size, chain->time + i * chain->size);
        if ((i & 0xfff) == 0xfff) {
            spk_progress(context, "writing the truth", i, chain->kept);
            spk_status status = spk_check_cancel(context);
            if (status != SPK_OK)
                return status;
        }
    }
    fputs(chain->kept > 0 ? "\n      ]\n" : "]\n", file);
    return SPK_OK;
}

static spk_status write_chain(spk_context *context, FILE *file, const spk_recording *recording,
                              const spk_truth_chain *chain)
{
    fputs("    {\n      \"units\": [", file);
    spk_status status = write_units(context, file, recording, chain);
    if (status != SPK_OK)
        return status;
    fputs("],\n      \"delays_s\": ", file);
    write_row(file, recording, chain->size - 1, chain->delay_ticks);
    fputs(",\n      \"jitter_s\": ", file);
    write_seconds(file, recording, chain->jitter_ticks);
    fprintf(file, ",\n      \"planted\": %" PRIu64 ",\n      \"kept\": %" PRIu64 ",\n",
            chain->planted, chain->kept);
    status = write_times(context, file, recording, chain);
    fputs("    }", file);
    return status;
}

spk_status spk_truth_write(spk_context *context, const spk_recording *recording,
                           const spk_truth *truth, const char *path)
{
    spk_output *output = NULL;
    spk_status status = spk_output_open(context, path, &output);
    if (status != SPK_OK)
        return status;
    FILE *file = spk_output_stream(output);
    fputs("{\n  \"tick_s\": ", file);
    write_seconds(file, recording, 1);
    fputs(",\n  \"chains\": [", file);
    for (uint32_t k = 0; k < spk_truth_n_chains(truth) && status == SPK_OK; k++) {
        spk_truth_chain chain = spk_truth_get_chain(truth, k);
        fputs(k > 0 ? ",\n" : "\n", file);
        status = write_chain(context, file, recording, &chain);
    }
    fputs("\n  ]\n}\n", file);
    if (status == SPK_OK)
        return spk_output_commit(context, output);
    spk_output_discard(output);
    return status;
}
