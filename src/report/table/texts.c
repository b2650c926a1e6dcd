/* Texts of units and delays. */
#include "report/table/texts.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void report_texts_free(report_texts *texts)
{
    free(texts->bytes);
    free(texts->first);
    *texts = (report_texts){.bytes = NULL};
}

/* Room for a text of `length` bytes and the zero that the formatting functions put behind it. */
static spk_status reserve(spk_context *context, report_texts *texts, size_t length, char **out)
{
    uint64_t used = texts->n > 0 ? texts->first[texts->n] : 0;
    spk_status status =
        spk_grow(context, &texts->bytes, &texts->bytes_capacity, used + length + 1, "labels");
    if (status == SPK_OK)
        status = spk_grow(context, &texts->first, &texts->first_capacity, texts->n + 2, "labels");
    if (status != SPK_OK)
        return status;
    assert(texts->n == 0 || texts->first[texts->n] == used);
    texts->first[texts->n] = used;
    texts->first[++texts->n] = used + length;
    *out = texts->bytes + used;
    return SPK_OK;
}

/* ---- units ----------------------------------------------------------------------------------- */

/* The text form of an episode of one unit, which is the unit's label, quoted where needed. */
static spk_status add_episode_label(spk_context *context, const spk_recording *recording,
                                    uint32_t unit, report_texts *texts)
{
    const uint64_t offset[] = {0, 1};
    const spk_episode_columns alone = {.n = 1, .offset = offset, .unit = &unit};
    char *text = NULL;
    size_t n = spk_episode_format(recording, &alone, 0, NULL, 0);
    spk_status status = reserve(context, texts, n, &text);
    if (status == SPK_OK)
        spk_episode_format(recording, &alone, 0, text, n + 1);
    return status;
}

/* The same of a pattern, without the "@0" behind it. */
static spk_status add_pattern_label(spk_context *context, const spk_recording *recording,
                                    uint32_t unit, report_texts *texts)
{
    const uint64_t offset[] = {0, 1};
    const spk_pattern_columns alone = {.n = 1, .window = 1, .offset = offset, .item = &unit};
    char *text = NULL;
    size_t n = spk_pattern_format(recording, &alone, 0, NULL, 0) - strlen("@0");
    spk_status status = reserve(context, texts, n, &text);
    if (status == SPK_OK)
        spk_pattern_format(recording, &alone, 0, text, n + 1);
    return status;
}

static spk_status add_json_label(spk_context *context, const spk_recording *recording,
                                 uint32_t unit, report_texts *texts)
{
    char number[16];
    const char *label = recording != NULL ? spk_recording_label(recording, unit) : NULL;
    snprintf(number, sizeof number, "%" PRIu32, unit);
    json_t *string = json_string(label != NULL ? label : number);
    if (string == NULL)
        return spk_fail(
            context, SPK_ERR_FORMAT,
            "the label of unit %" PRIu32 " is not UTF-8, as JSON needs; take format tsv", unit);
    char *quoted = json_dumps(string, JSON_ENCODE_ANY);
    json_decref(string);
    if (quoted == NULL)
        return spk_fail_memory(context, 64, "labels");
    char *text = NULL;
    size_t n = strlen(quoted);
    spk_status status = reserve(context, texts, n, &text);
    if (status == SPK_OK)
        memcpy(text, quoted, n + 1);
    free(quoted);
    return status;
}

spk_status report_labels_make(spk_context *context, const spk_recording *recording,
                              uint32_t n_units, report_label_form form, report_texts *out)
{
    spk_status status = SPK_OK;
    for (uint32_t u = 0; u < n_units && status == SPK_OK; u++) {
        if (form == REPORT_LABEL_JSON)
            status = add_json_label(context, recording, u, out);
        else if (form == REPORT_LABEL_EPISODE)
            status = add_episode_label(context, recording, u, out);
        else
            status = add_pattern_label(context, recording, u, out);
    }
    return status;
}

/* ---- delays ---------------------------------------------------------------------------------- */

spk_status report_delays_make(spk_context *context, const spk_delay *delays, size_t n_delays,
                              report_texts *out)
{
    spk_status status = SPK_OK;
    for (size_t d = 0; d < n_delays && status == SPK_OK; d++) {
        char text[112];
        char *place = NULL;
        size_t n = spk_delay_format(&delays[d], text, sizeof text) + 2;
        status = reserve(context, out, n, &place);
        if (status == SPK_OK)
            snprintf(place, n + 1, " %s ", text);
    }
    return status;
}
