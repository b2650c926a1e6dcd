/* Lists of stretches of time as text - trials, epochs: start and stop, one a line. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/reads.h"
#include "base/stage.h"
#include "recording/recording.h"

/* A number of samples as a duration; false where it is no whole number or does not fit. */
static bool read_samples(const char *word, spk_rate rate, spk_duration *out)
{
    uint64_t samples;
    const char *at = word + (*word == '-' || *word == '+');
    const char *end = at + strlen(at);
    if (!spk_whole_scan(&at, end, &samples) || at != end || samples > INT64_MAX)
        return false;
    return spk_duration_of_tick(*word == '-' ? -(int64_t)samples : (int64_t)samples, rate, out);
}

/* The word and a unit as the text of a duration. Digits beyond those that durations hold are cut,
 * as those of times are beyond a tick. False: it is too long for any time. */
static bool put_duration(const char *word, const char *unit, char *text, size_t size)
{
    const unsigned __int128 most = (unsigned __int128)spk_power_of_ten[SPK_POWERS_OF_TEN - 1] - 1;
    spk_written_decimal number;
    const char *rest;
    int n;
    if (!spk_decimal_scan(word, word + strlen(word), &number, &rest) ||
        (number.digits <= most && strlen(word) < size)) {
        n = snprintf(text, size, "%s%s", word, unit);
    } else {
        for (; number.digits > most; number.exponent++)
            number.digits /= 10;
        n = snprintf(text, size, "%s%" PRIu64 "e%" PRId64 "%s%s", number.negative ? "-" : "",
                     (uint64_t)number.digits, number.exponent, rest, unit);
    }
    return n > 0 && (size_t)n < size;
}

/* A time, which may be negative, and is in the recording's unit of time where it has none, which
 * *plain_seen keeps. False also for times that no tick reaches. */
static bool read_time(const spk_recording *recording, const char *word, spk_duration *out,
                      bool *plain_seen)
{
    static const char *const units[] = {"s", "ms", "us"};
    char text[64];
    size_t n = strlen(word);
    spk_time_unit unit = recording->time_unit;
    if (n == 0)
        return false;
    bool plain = spk_is_digit(word[n - 1]) || word[n - 1] == '.';
    *plain_seen |= plain;
    if (plain && unit == SPK_TIME_SAMPLES && !read_samples(word, recording->rate, out))
        return false;
    if (!plain || unit != SPK_TIME_SAMPLES) {
        if (!put_duration(word, plain ? units[unit] : "", text, sizeof text) ||
            spk_duration_parse(NULL, text, strlen(text), out) != SPK_OK)
            return false;
    }
    int64_t tick = spk_duration_first_tick(*out, recording->rate);
    return tick > INT64_MIN && tick < INT64_MAX;
}

static spk_status fail_time(spk_context *context, const char *name, uint64_t line, const char *what,
                            const char *word, spk_time_unit unit)
{
    static const char *const remedies[] = {"write 1.5 (seconds) or 1500ms",
                                           "write 1500 (ms, the recording's unit) or 1.5s",
                                           "write 1500 (us, the recording's unit) or 1.5ms",
                                           "write 45000 (samples, as the recording) or 1.5s"};
    return spk_fail(context, SPK_ERR_FORMAT, "%s:%" PRIu64 ": %s '%.40s' is no time; %s", name,
                    line, what, word, remedies[unit]);
}

static spk_status read_range(spk_context *context, const spk_recording *recording, const char *name,
                             uint64_t line, char *text, spk_time_range *range, bool *plain_seen)
{
    char *rest = NULL;
    const char *start = strtok_r(text, " \t\r\n,;", &rest);
    const char *stop = start != NULL ? strtok_r(NULL, " \t\r\n,;", &rest) : NULL;
    if (stop == NULL || strtok_r(NULL, " \t\r\n,;", &rest) != NULL)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": a line is two times, start and stop, e.g. 1.5 2.25", name,
                        line);
    if (!read_time(recording, start, &range->start, plain_seen))
        return fail_time(context, name, line, "start", start, recording->time_unit);
    if (!read_time(recording, stop, &range->stop, plain_seen))
        return fail_time(context, name, line, "stop", stop, recording->time_unit);
    if (spk_duration_compare(range->start, range->stop) >= 0)
        return spk_fail(context, SPK_ERR_RANGE,
                        "%s:%" PRIu64
                        ": the segment stops before it starts; write start, then stop",
                        name, line);
    return SPK_OK;
}

/* Numbers that are not seconds were a surprise to those who wrote seconds. */
static void tell_unit(spk_context *context, const spk_recording *recording, const char *name,
                      bool plain_seen)
{
    static const char *const units[] = {"s", "ms", "us", "samples"};
    if (plain_seen && recording->time_unit != SPK_TIME_SECONDS)
        spk_note(context,
                 "%s: numbers without a unit are read in %s, as the recording's; write 1.5s for "
                 "seconds",
                 name, units[recording->time_unit]);
}

enum { MAX_LINE = 4096 };

/* One line into `text`, without its end; false at the end of the file and after a failure. */
static bool read_line(spk_context *context, FILE *file, const char *path, uint64_t line, char *text,
                      spk_status *status)
{
    size_t n = 0;
    int c = getc(file);
    for (; c != EOF && c != '\n'; c = getc(file)) {
        const char *problem = c == '\0'           ? "a NUL byte in the line; give a text file"
                              : n + 1 == MAX_LINE ? "the line is too long; it is two times"
                                                  : NULL;
        if (problem != NULL) {
            *status = spk_fail(context, SPK_ERR_FORMAT, "%s:%" PRIu64 ": %s", path, line, problem);
            return false;
        }
        text[n++] = (char)c;
    }
    text[n] = '\0';
    if (c == EOF && ferror(file) != 0) {
        *status = spk_fail(context, SPK_ERR_IO, "%s: reading the times failed: %s", path,
                           strerror(errno));
        return false;
    }
    return c != EOF || n > 0;
}

static spk_status read_ranges(spk_context *context, const spk_recording *recording,
                              const char *path, spk_time_range **ranges, size_t *n_ranges)
{
    char text[MAX_LINE];
    uint64_t line = 0, n = 0, capacity = 0;
    bool plain_seen = false;
    spk_status status = SPK_OK;
    *ranges = NULL;
    *n_ranges = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return spk_fail(context, SPK_ERR_IO, "%s: cannot read the times: %s; check the name", path,
                        strerror(errno));
    status = spk_reads_add(context, fileno(file));
    while (status == SPK_OK && read_line(context, file, path, ++line, text, &status)) {
        text[strcspn(text, "#")] = '\0';
        if (text[strspn(text, " \t\r\n,;")] == '\0')
            continue;
        status = spk_grow(context, ranges, &capacity, n + 1, "times");
        if (status == SPK_OK)
            status = read_range(context, recording, path, line, text, &(*ranges)[n++], &plain_seen);
    }
    if (status == SPK_OK && n == 0)
        status = spk_fail(context, SPK_ERR_FORMAT,
                          "%s: holds no times; a line is two times, start and stop", path);
    fclose(file);
    if (status == SPK_OK) {
        *n_ranges = (size_t)n;
        tell_unit(context, recording, path, plain_seen);
    } else {
        free(*ranges);
        *ranges = NULL;
    }
    return status;
}

spk_status spk_intervals_read(spk_context *context, const spk_recording *recording,
                              const char *path, spk_time_range **ranges, size_t *n_ranges)
{
    spk_stage stage = spk_stage_open(context);
    spk_status status = read_ranges(context, recording, path, ranges, n_ranges);
    spk_stage_close(context, &stage);
    return status;
}
