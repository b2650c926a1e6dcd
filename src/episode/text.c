/* The text form of episodes: `56 (5ms,10ms] 49 (5ms,10ms] 12`. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/label.h"
#include "base/memory.h"
#include "episode/delays.h"
#include "episode/list.h"
#include "recording/widen.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* The header of a table of episodes is known by this name, which a plain list may begin with. */
static bool is_header(const char *label)
{
    return strcmp(label, "episode") == 0;
}

size_t spk_episode_format(const spk_recording *recording, const spk_episode_columns *episodes,
                          uint64_t i, char *buffer, size_t buffer_size)
{
    assert(i < episodes->n);
    spk_text_buffer b = {buffer, buffer_size, 0};
    for (uint64_t k = episodes->offset[i]; k < episodes->offset[i + 1]; k++) {
        if (k > episodes->offset[i]) {
            char text[112];
            assert(episodes->delay[k] < episodes->n_delays);
            spk_delay_format(&episodes->delays[episodes->delay[k]], text, sizeof text);
            spk_text_put_char(&b, ' ');
            spk_text_put(&b, text);
            spk_text_put_char(&b, ' ');
        }
        const char *label = spk_recording_label(recording, episodes->unit[k]);
        spk_label_put(&b, label,
                      spk_label_needs_quotes(label, SPK_EPISODE_SEPARATORS) || is_header(label));
    }
    return spk_text_end(&b);
}

/* ---- reading --------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
        at++;
    return at;
}

/* An episode while it is read. */
typedef struct reader {
    spk_context *context;
    const spk_recording *recording;
    spk_labels *absent; /* labels that the recording lacks; NULL: they are errors */
    const char *text;   /* the whole, for messages */
    const char *at;
    char *label; /* room for any label of the text */
} reader;

static spk_status take_unit(reader *r, uint32_t *unit)
{
    const char *end = spk_label_take(r->at, SPK_EPISODE_SEPARATORS, r->label);
    if (end == NULL)
        return spk_fail(r->context, SPK_ERR_FORMAT, "episode '%.200s': a quote is not closed",
                        r->text);
    if (end == r->at)
        return spk_fail(r->context, SPK_ERR_FORMAT,
                        "episode '%.200s': a unit is missing at '%.20s'; write for example "
                        "56 (5ms,10ms] 49",
                        r->text, r->at);
    spk_status status =
        spk_unit_number(r->context, r->recording, r->absent, r->label, "episode", r->text, unit);
    r->at = skip_blanks(end);
    return status;
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

spk_status spk_episode_parse_absent(spk_context *context, const spk_recording *recording,
                                    spk_labels *absent, const char *text, spk_episode_list *list)
{
    uint32_t units[SPK_EPISODE_MAX_SIZE];
    spk_delay delays[SPK_EPISODE_MAX_SIZE];
    reader r = {.context = context,
                .recording = recording,
                .absent = absent,
                .text = text,
                .at = skip_blanks(text)};
    uint32_t size = 0;
    spk_status status = spk_alloc(context, &r.label, strlen(text) + 1, "an episode");
    if (status != SPK_OK)
        return status;
    do {
        if (size == SPK_EPISODE_MAX_SIZE) {
            status = spk_fail(context, SPK_ERR_RANGE, "episode '%.200s': more than %u positions",
                              text, SPK_EPISODE_MAX_SIZE);
            break;
        }
        status = take_unit(&r, &units[size]);
        size++;
        if (status == SPK_OK && *r.at != '\0')
            status = take_delay(context, text, &r.at, &delays[size - 1]);
        else
            break;
    } while (status == SPK_OK);
    if (status == SPK_OK)
        status = spk_episode_list_append(context, list, size, units, delays);
    free(r.label);
    return status;
}

spk_status spk_episode_parse(spk_context *context, const spk_recording *recording, const char *text,
                             spk_episode_list *list)
{
    return spk_episode_parse_absent(context, recording, NULL, text, list);
}
