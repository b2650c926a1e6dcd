/*
 * Writes text recordings. Where a tick is a decimal fraction of a second, times are seconds with
 * the same number of decimals in every line; else times are counted in ticks. Comments tell what
 * these lines cannot: the rate of ticks that are no power of ten, segments, units that never fire
 * (text_line.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/output.h"
#include "base/utf8.h"
#include "recording/read_text.h"
#include "recording/segments.h"
#include "recording/text_line.h"

/* How ticks become numbers: ticks * factor with `decimals` places. */
typedef struct time_form {
    int64_t factor;
    int decimals; /* -1: ticks as they are */
} time_form;

static bool times_fit(const spk_events *events, int64_t factor)
{
    int64_t product = 0;
    return !__builtin_mul_overflow(events->time[0], factor, &product) &&
           !__builtin_mul_overflow(events->time[events->n_events - 1], factor, &product);
}

/* The fewest decimals with which a tick of denominator / numerator seconds is exact. Without events
 * there is no time that would show them. */
static time_form choose_form(const spk_recording *recording)
{
    const time_form ticks = {.factor = 1, .decimals = -1};
    spk_rate rate = spk_recording_rate(recording);
    spk_events events = spk_recording_events(recording);
    for (int decimals = 0; decimals < SPK_POWERS_OF_TEN && events.n_events > 0; decimals++) {
        unsigned __int128 tick =
            (unsigned __int128)rate.denominator * (uint64_t)spk_power_of_ten[decimals];
        if (tick % rate.numerator != 0)
            continue;
        tick /= rate.numerator;
        if (tick > INT64_MAX || !times_fit(&events, (int64_t)tick))
            return ticks;
        return (time_form){(int64_t)tick, decimals};
    }
    return ticks;
}

static void format_time(char *text, size_t size, int64_t ticks, time_form form)
{
    if (form.decimals < 0)
        snprintf(text, size, "%" PRId64, ticks);
    else
        spk_decimal_format(ticks * form.factor, form.decimals, text, size);
}

bool spk_text_label_needs_quotes(const char *label)
{
    if (*label == '\0' || *label == '#')
        return true;
    for (; *label != '\0'; label++)
        if (spk_byte_class_of(*label) != SPK_BYTE_PLAIN &&
            spk_byte_class_of(*label) != SPK_BYTE_HASH)
            return true;
    return false;
}

void spk_text_write_label(FILE *file, const char *label)
{
    if (!spk_text_label_needs_quotes(label)) {
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

/* ---- comments -------------------------------------------------------------------------------- */

static void write_border(FILE *file, const spk_recording *recording, spk_border border,
                         bool is_open, time_form form)
{
    char text[48];
    spk_duration time = border.time;
    if (is_open) {
        fputs(" -", file);
    } else if (border.between ||
               (form.decimals >= 0 && spk_duration_of_tick(border.tick, recording->rate, &time))) {
        spk_duration_format(time, text, sizeof text);
        fprintf(file, " %s%s", text, strcmp(text, "0") == 0 ? "s" : "");
    } else {
        fprintf(file, " %" PRId64, border.tick);
    }
}

/* Nothing for a recording that was observed from its first to its last event. */
static void write_segments(FILE *file, const spk_recording *recording, time_form form)
{
    size_t n = 0;
    const spk_recording_bounds *given = &recording->given;
    const bool is_cut = recording->n_segments > 0 || recording->events.n_events == 0;
    const bool open_start = !is_cut && given->start_of_events;
    const bool open_stop = !is_cut && given->stop_of_events;
    const bool plain = spk_trials_are_segments(recording);
    spk_recording_segments(recording, &n);
    if (open_start && open_stop)
        return;
    for (size_t k = 0; k < n; k++) {
        spk_exact_segment segment = spk_recording_exact_segment(recording, k);
        fputs("# spikemine segment", file);
        write_border(file, recording, segment.start, open_start, form);
        write_border(file, recording, segment.stop, open_stop, form);
        if (!plain)
            fprintf(file, " %zu %zu", segment.trial + 1, spk_recording_trials(recording));
        fputc('\n', file);
    }
}

static void write_silent_units(FILE *file, const spk_recording *recording)
{
    spk_events events = spk_recording_events(recording);
    for (uint32_t u = 0; u < events.n_units; u++) {
        if (events.unit_first[u] < events.unit_first[u + 1])
            continue;
        fputs(SPK_TEXT_UNIT_COMMENT, file);
        spk_text_write_label(file, spk_recording_label(recording, u));
        fputc('\n', file);
    }
}

static void write_rate(FILE *file, const char *start, spk_rate rate)
{
    fprintf(file, "%s%" PRIu64, start, rate.numerator);
    if (rate.denominator != 1)
        fprintf(file, "/%" PRIu64, rate.denominator);
    fputc('\n', file);
}

static void write_head(FILE *file, const spk_recording *recording, time_form form, char separator)
{
    if (form.decimals < 0)
        write_rate(file, SPK_TEXT_SAMPLES_COMMENT, spk_recording_rate(recording));
    else if (form.factor != 1)
        write_rate(file, SPK_TEXT_RATE_COMMENT, spk_recording_rate(recording));
    write_segments(file, recording, form);
    write_silent_units(file, recording);
    fprintf(file, "%s%cunit\n", form.decimals >= 0 ? "time_s" : "sample", separator);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Commas for .csv, also before the ending of a compression; else tabs. */
static char separator_of(const char *path)
{
    static const char *const endings[] = {".csv", ".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zst"};
    size_t n = strlen(path);
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
        size_t m = strlen(endings[k]);
        if (n > m && strcasecmp(path + n - m, endings[k]) == 0)
            return ',';
    }
    return '\t';
}

spk_status spk_recording_write_text(spk_context *context, const spk_recording *recording,
                                    const char *path)
{
    spk_output *output = NULL;
    spk_events events = spk_recording_events(recording);
    const time_form form = choose_form(recording);
    const char separator = separator_of(path);
    spk_status status = check_labels(context, recording, path);
    if (status == SPK_OK)
        status = spk_output_open(context, path, &output);
    if (status != SPK_OK)
        return status;
    FILE *file = spk_output_stream(output);
    write_head(file, recording, form, separator);
    for (uint64_t i = 0; i < events.n_events && status == SPK_OK; i++) {
        char text[64];
        format_time(text, sizeof text, events.time[i], form);
        fputs(text, file);
        fputc(separator, file);
        spk_text_write_label(file, spk_recording_label(recording, events.unit[i]));
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
