/* The text form of a pattern, `12@0 40@3 7@11`, and lists of trials. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "spikemine/pattern.h"

/* ---- patterns ----------------------------------------------------------------------------------
 */

/* A buffer that counts what does not fit any more, as snprintf does. */
typedef struct text_buffer {
    char *at;
    size_t size;
    size_t length;
} text_buffer;

static void put(text_buffer *b, char c)
{
    if (b->length + 1 < b->size)
        b->at[b->length] = c;
    b->length++;
}

static void put_label(text_buffer *b, const char *label)
{
    bool quoted = label[0] == '\0' || strpbrk(label, " \t\"@") != NULL;
    if (quoted)
        put(b, '"');
    for (; *label != '\0'; label++) {
        if (*label == '"')
            put(b, '"');
        put(b, *label);
    }
    if (quoted)
        put(b, '"');
}

static void put_number(text_buffer *b, uint32_t number)
{
    char digits[12];
    int n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (n > 0)
        put(b, digits[--n]);
}

size_t spk_pattern_format(const spk_recording *recording, const spk_pattern_columns *patterns,
                          uint64_t i, char *buffer, size_t buffer_size)
{
    assert(i < patterns->n);
    text_buffer b = {buffer, buffer_size, 0};
    for (uint64_t k = patterns->offset[i]; k < patterns->offset[i + 1]; k++) {
        uint32_t unit = patterns->item[k] / patterns->window;
        const char *label = recording != NULL ? spk_recording_label(recording, unit) : NULL;
        if (k > patterns->offset[i])
            put(&b, ' ');
        if (label != NULL)
            put_label(&b, label);
        else
            put_number(&b, unit);
        put(&b, '@');
        put_number(&b, patterns->item[k] % patterns->window);
    }
    if (buffer_size > 0)
        buffer[b.length < buffer_size ? b.length : buffer_size - 1] = '\0';
    return b.length;
}

/* ---- trials ---------------------------------------------------------------------------------- */

/* floor for times from 0, ceil of the magnitude below: the tick at or before the time. */
static bool time_in_ticks(spk_context *context, const char *word, spk_rate rate, int64_t *out)
{
    char text[64];
    bool negative = word[0] == '-';
    size_t n = strlen(word + negative);
    if (n == 0 || n + 2 > sizeof text || word[negative] == '-')
        return false;
    bool bare = word[negative + n - 1] >= '0' && word[negative + n - 1] <= '9';
    snprintf(text, sizeof text, "%s%s", word + negative, bare ? "s" : "");
    spk_duration duration;
    if (spk_duration_parse(context, text, strlen(text), &duration) != SPK_OK)
        return false;
    uint64_t ticks = spk_duration_ticks(duration, rate);
    if (ticks > INT64_MAX)
        return false;
    *out = negative ? -(int64_t)ticks : (int64_t)ticks;
    return true;
}

static spk_status read_trial(spk_context *context, const char *name, uint64_t line, char *text,
                             spk_rate rate, spk_trial *trial)
{
    char *rest = NULL;
    const char *start = strtok_r(text, " \t\r\n,;", &rest);
    const char *stop = start != NULL ? strtok_r(NULL, " \t\r\n,;", &rest) : NULL;
    if (stop == NULL || strtok_r(NULL, " \t\r\n,;", &rest) != NULL)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": a trial is two times, start and stop, e.g. 1.5 2.25", name,
                        line);
    if (!time_in_ticks(context, start, rate, &trial->start))
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": start '%s' is no time; write 1.5 (seconds) or 1500ms",
                        name, line, start);
    if (!time_in_ticks(context, stop, rate, &trial->stop))
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": stop '%s' is no time; write 1.5 (seconds) or 1500ms", name,
                        line, stop);
    if (trial->start >= trial->stop)
        return spk_fail(context, SPK_ERR_RANGE,
                        "%s:%" PRIu64 ": the trial stops before it starts; write start, then stop",
                        name, line);
    return SPK_OK;
}

spk_status spk_trials_read(spk_context *context, const spk_recording *recording, const char *path,
                           spk_trial **trials, size_t *n_trials)
{
    char *text = NULL;
    size_t text_bytes = 0;
    uint64_t line = 0, n = 0, capacity = 0;
    spk_status status = SPK_OK;
    *trials = NULL;
    *n_trials = 0;
    FILE *stream = fopen(path, "r");
    if (stream == NULL)
        return spk_fail(context, SPK_ERR_IO, "%s: cannot read the trials: %s; check the name", path,
                        strerror(errno));
    while (status == SPK_OK && getline(&text, &text_bytes, stream) >= 0) {
        line++;
        text[strcspn(text, "#")] = '\0';
        if (text[strspn(text, " \t\r\n,;")] == '\0')
            continue;
        status = spk_grow(context, trials, &capacity, n + 1, "trials");
        if (status == SPK_OK)
            status = read_trial(context, path, line, text, spk_recording_rate(recording),
                                &(*trials)[n++]);
    }
    if (status == SPK_OK && ferror(stream) != 0)
        status = spk_fail(context, SPK_ERR_IO, "%s: reading the trials failed: %s", path,
                          strerror(errno));
    if (status == SPK_OK && n == 0)
        status = spk_fail(context, SPK_ERR_FORMAT,
                          "%s: holds no trial; a line is two times, start and stop", path);
    fclose(stream);
    free(text);
    if (status == SPK_OK) {
        *n_trials = (size_t)n;
    } else {
        free(*trials);
        *trials = NULL;
    }
    return status;
}
