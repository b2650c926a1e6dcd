/* Lists of trials as text: start and stop, one trial a line. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "spikemine/pattern.h"

/* The first tick that is not before the time, which may be negative and is in seconds where it ends
 * in a digit. */
static bool time_in_ticks(const char *word, spk_rate rate, int64_t *out)
{
    char text[64];
    size_t n = strlen(word);
    spk_duration duration;
    if (n == 0 || n + 2 > sizeof text)
        return false;
    snprintf(text, sizeof text, "%s%s", word, spk_is_digit(word[n - 1]) ? "s" : "");
    if (spk_duration_parse(NULL, text, strlen(text), &duration) != SPK_OK)
        return false;
    *out = spk_duration_first_tick(duration, rate);
    return *out > INT64_MIN && *out < INT64_MAX;
}

static spk_status read_trial(spk_context *context, const char *name, uint64_t line, char *text,
                             spk_rate rate, spk_segment *trial)
{
    char *rest = NULL;
    const char *start = strtok_r(text, " \t\r\n,;", &rest);
    const char *stop = start != NULL ? strtok_r(NULL, " \t\r\n,;", &rest) : NULL;
    if (stop == NULL || strtok_r(NULL, " \t\r\n,;", &rest) != NULL)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": a trial is two times, start and stop, e.g. 1.5 2.25", name,
                        line);
    if (!time_in_ticks(start, rate, &trial->start))
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": start '%s' is no time; write 1.5 (seconds) or 1500ms",
                        name, line, start);
    if (!time_in_ticks(stop, rate, &trial->stop))
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
                           spk_segment **trials, size_t *n_trials)
{
    char *text = NULL;
    size_t text_bytes = 0;
    uint64_t line = 0, n = 0, capacity = 0;
    spk_status status = SPK_OK;
    *trials = NULL;
    *n_trials = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return spk_fail(context, SPK_ERR_IO, "%s: cannot read the trials: %s; check the name", path,
                        strerror(errno));
    while (status == SPK_OK && getline(&text, &text_bytes, file) >= 0) {
        line++;
        text[strcspn(text, "#")] = '\0';
        if (text[strspn(text, " \t\r\n,;")] == '\0')
            continue;
        status = spk_grow(context, trials, &capacity, n + 1, "trials");
        if (status == SPK_OK)
            status = read_trial(context, path, line, text, spk_recording_rate(recording),
                                &(*trials)[n++]);
    }
    if (status == SPK_OK && ferror(file) != 0)
        status = spk_fail(context, SPK_ERR_IO, "%s: reading the trials failed: %s", path,
                          strerror(errno));
    if (status == SPK_OK && n == 0)
        status = spk_fail(context, SPK_ERR_FORMAT,
                          "%s: holds no trial; a line is two times, start and stop", path);
    fclose(file);
    free(text);
    if (status == SPK_OK) {
        *n_trials = (size_t)n;
    } else {
        free(*trials);
        *trials = NULL;
    }
    return status;
}
