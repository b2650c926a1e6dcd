/*
 * Writes text recordings. Where a tick is a decimal fraction of a second, times are seconds with
 * the same number of decimals in every line, from which the reader finds the same tick; else times
 * are counted in ticks and a comment tells their rate.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/output.h"
#include "base/utf8.h"
#include "recording/read_text.h"
#include "recording/text_line.h"

/* How ticks become numbers: ticks * factor with `decimals` places. */
typedef struct time_form {
    int64_t factor;
    int decimals; /* -1: ticks as they are */
} time_form;

static bool times_fit(const spk_events *events, int64_t factor)
{
    int64_t product = 0;
    return events->n_events == 0 ||
           (!__builtin_mul_overflow(events->time[0], factor, &product) &&
            !__builtin_mul_overflow(events->time[events->n_events - 1], factor, &product));
}

/* The fewest decimals with which a tick of denominator / numerator seconds is exact. */
static time_form choose_form(const spk_recording *recording)
{
    const time_form ticks = {.factor = 1, .decimals = -1};
    spk_rate rate = spk_recording_rate(recording);
    spk_events events = spk_recording_events(recording);
    uint64_t power = 1;
    for (int decimals = 0; decimals <= 18; decimals++, power *= 10) {
        unsigned __int128 tick = (unsigned __int128)rate.denominator * power;
        if (tick % rate.numerator != 0)
            continue;
        tick /= rate.numerator;
        if (tick > INT64_MAX || !times_fit(&events, (int64_t)tick))
            return ticks;
        return (time_form){(int64_t)tick, decimals};
    }
    return ticks;
}

static int format_time(char *text, size_t size, int64_t ticks, time_form form)
{
    if (form.decimals < 0)
        return snprintf(text, size, "%" PRId64, ticks);
    return (int)spk_decimal_format(ticks * form.factor, form.decimals, text, size);
}

static bool needs_quotes(const char *label)
{
    if (*label == '\0' || *label == '#')
        return true;
    for (; *label != '\0'; label++)
        if (spk_byte_class_of(*label) != SPK_BYTE_PLAIN &&
            spk_byte_class_of(*label) != SPK_BYTE_HASH)
            return true;
    return false;
}

static void write_label(FILE *file, const char *label)
{
    if (!needs_quotes(label)) {
        fputs(label, file);
        return;
    }
    fputc('"', file);
    for (; *label != '\0'; label++) {
        if (*label == '"')
            fputc('"', file);
        fputc(*label, file);
    }
    fputc('"', file);
}

static spk_status check_labels(spk_context *context, const spk_recording *recording,
                               const char *path)
{
    const char *label;
    for (uint32_t u = 0; (label = spk_recording_label(recording, u)) != NULL; u++)
        if (!spk_utf8_is_text(label, strlen(label)))
            return spk_fail(context, SPK_ERR_FORMAT,
                            "%s: the label of unit %" PRIu32 " is not UTF-8 text or has control "
                            "bytes, which no text recording can hold; rename the unit",
                            path, u);
    return SPK_OK;
}

static void write_head(FILE *file, spk_rate rate, time_form form)
{
    if (form.decimals >= 0) {
        fputs("time_s\tunit\n", file);
        return;
    }
    fprintf(file, SPK_TEXT_SAMPLES_COMMENT "%" PRIu64, rate.numerator);
    if (rate.denominator != 1)
        fprintf(file, "/%" PRIu64, rate.denominator);
    fputs("\nsample\tunit\n", file);
}

spk_status spk_recording_write_text(spk_context *context, const spk_recording *recording,
                                    const char *path)
{
    spk_output *output = NULL;
    spk_events events = spk_recording_events(recording);
    time_form form = choose_form(recording);
    spk_status status = check_labels(context, recording, path);
    if (status == SPK_OK)
        status = spk_output_open(context, path, &output);
    if (status != SPK_OK)
        return status;
    FILE *file = spk_output_stream(output);
    write_head(file, spk_recording_rate(recording), form);
    for (uint64_t i = 0; i < events.n_events && status == SPK_OK; i++) {
        char text[64];
        int n = format_time(text, sizeof text, events.time[i], form);
        fwrite(text, 1, (size_t)n, file);
        fputc('\t', file);
        write_label(file, spk_recording_label(recording, events.unit[i]));
        fputc('\n', file);
        if ((i & 0xffff) == 0) {
            spk_progress(context, "writing", i, events.n_events);
            status =
                ferror(file) == 0 ? spk_check_cancel(context) : spk_output_flush(context, output);
        }
    }
    if (status == SPK_OK)
        return spk_output_commit(context, output);
    spk_output_discard(output);
    return status;
}
