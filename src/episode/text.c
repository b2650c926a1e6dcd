/* The text form of episodes: `56 (5ms,10ms] 49 (5ms,10ms] 12`. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "episode/delays.h"
#include "episode/list.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* Where text goes, counting what does not fit. */
typedef struct writer {
    char *buffer;
    size_t size;
    size_t length;
} writer;

static void put(writer *w, char c)
{
    if (w->length + 1 < w->size)
        w->buffer[w->length] = c;
    w->length++;
}

static void put_text(writer *w, const char *text)
{
    for (; *text != '\0'; text++)
        put(w, *text);
}

static bool needs_quotes(const char *label)
{
    return label[0] == '\0' || strpbrk(label, " \t\"()[],") != NULL;
}

static void put_label(writer *w, const char *label)
{
    if (!needs_quotes(label)) {
        put_text(w, label);
        return;
    }
    put(w, '"');
    for (; *label != '\0'; label++) {
        if (*label == '"')
            put(w, '"');
        put(w, *label);
    }
    put(w, '"');
}

size_t spk_episode_format(const spk_recording *recording, const spk_episode_columns *episodes,
                          uint64_t i, char *buffer, size_t buffer_size)
{
    assert(i < episodes->n);
    writer w = {buffer, buffer_size, 0};
    for (uint64_t k = episodes->offset[i]; k < episodes->offset[i + 1]; k++) {
        if (k > episodes->offset[i]) {
            char text[112];
            assert(episodes->delay[k] < episodes->n_delays);
            spk_delay_format(&episodes->delays[episodes->delay[k]], text, sizeof text);
            put(&w, ' ');
            put_text(&w, text);
            put(&w, ' ');
        }
        put_label(&w, spk_recording_label(recording, episodes->unit[k]));
    }
    if (buffer_size > 0)
        buffer[w.length < buffer_size ? w.length : buffer_size - 1] = '\0';
    return w.length;
}

/* ---- reading --------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
        at++;
    return at;
}

/* Copies the label at `at` into `label` (room for all of the text); NULL when a quote is not
 * closed, else where it ends. */
static const char *take_label(const char *at, char *label)
{
    if (*at != '"') {
        while (*at != '\0' && strchr(" \t\r\n\"()[],", *at) == NULL)
            *label++ = *at++;
        *label = '\0';
        return at;
    }
    for (at++; *at != '\0'; at++) {
        if (*at == '"' && at[1] != '"') {
            *label = '\0';
            return at + 1;
        }
        at += *at == '"';
        *label++ = *at;
    }
    return NULL;
}

static spk_status take_unit(spk_context *context, const spk_recording *recording, const char *text,
                            const char **at, char *label, uint32_t *unit)
{
    const char *end = take_label(*at, label);
    if (end == NULL)
        return spk_fail(context, SPK_ERR_FORMAT, "episode '%.200s': a quote is not closed", text);
    if (end == *at)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "episode '%.200s': a unit is missing at '%.20s'; write for example "
                        "56 (5ms,10ms] 49",
                        text, *at);
    if (!spk_recording_find_unit(recording, label, unit))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "episode '%.200s': the recording has no unit '%.60s'", text, label);
    *at = skip_blanks(end);
    return SPK_OK;
}

static spk_status take_delay(spk_context *context, const char *text, const char **at,
                             spk_delay *delay)
{
    const char *end = **at == '(' ? strchr(*at, ']') : NULL;
    if (end == NULL)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "episode '%.200s': expected a delay interval such as (5ms,10ms] at '%.20s'",
                        text, *at);
    spk_status status = spk_delay_parse_range(context, *at, (size_t)(end + 1 - *at), delay);
    *at = skip_blanks(end + 1);
    return status;
}

spk_status spk_episode_parse(spk_context *context, const spk_recording *recording, const char *text,
                             spk_episode_list *list)
{
    uint32_t units[SPK_EPISODE_MAX_SIZE];
    spk_delay delays[SPK_EPISODE_MAX_SIZE];
    char *label = NULL;
    uint32_t size = 0;
    const char *at = skip_blanks(text);
    spk_status status = spk_alloc(context, &label, strlen(text) + 1, "an episode");
    if (status != SPK_OK)
        return status;
    do {
        if (size == SPK_EPISODE_MAX_SIZE) {
            status = spk_fail(context, SPK_ERR_RANGE, "episode '%.200s': more than %u positions",
                              text, SPK_EPISODE_MAX_SIZE);
            break;
        }
        status = take_unit(context, recording, text, &at, label, &units[size]);
        size++;
        if (status == SPK_OK && *at != '\0')
            status = take_delay(context, text, &at, &delays[size - 1]);
        else
            break;
    } while (status == SPK_OK);
    if (status == SPK_OK)
        status = spk_episode_list_append(context, list, size, units, delays);
    free(label);
    return status;
}
