/* Reads files of episodes: the text form line by line, or a table with a column `episode`. */
#include <stdlib.h>
#include <string.h>

#include "episode/list.h"
#include "recording/list_file.h"
#include "recording/widen.h"

typedef struct list_reader {
    spk_context *context;
    const spk_recording *recording;
    spk_labels *absent; /* labels that the recording lacks; NULL: they are errors */
    spk_episode_list *list;
} list_reader;

static spk_status take_episode(void *user, const char *text)
{
    const list_reader *r = user;
    return spk_episode_parse_absent(r->context, r->recording, r->absent, text, r->list);
}

static bool goes_on(const char *text)
{
    const char *at = text + strspn(text, " \t");
    const char *end = *at == '(' ? strchr(at, ']') : NULL;
    return end != NULL && memchr(at, ',', (size_t)(end - at)) != NULL;
}

static spk_status read_list(spk_context *context, const spk_recording *recording, const char *path,
                            spk_labels *absent, spk_episode_list **out)
{
    list_reader reader = {.context = context, .recording = recording, .absent = absent};
    const spk_list_file file = {
        .column = "episode",
        .missing = "has no episodes; write one a line, for example 56 (5ms,10ms] 49",
        .take = take_episode,
        .separators = SPK_EPISODE_SEPARATORS,
        .goes_on = goes_on,
        .user = &reader};
    spk_status status = spk_episode_list_create(context, &reader.list);
    if (status == SPK_OK)
        status = spk_list_file_read(context, path, &file);
    if (status != SPK_OK) {
        spk_episode_list_free(reader.list);
        reader.list = NULL;
    }
    *out = reader.list;
    return status;
}

spk_status spk_episode_list_read(spk_context *context, const spk_recording *recording,
                                 const char *path, spk_episode_list **out)
{
    return read_list(context, recording, path, NULL, out);
}

spk_status spk_episode_list_read_widened(spk_context *context, const spk_recording *recording,
                                         const char *path, spk_recording **widened,
                                         spk_episode_list **out)
{
    spk_labels absent = {.n = 0};
    uint32_t *number = NULL;
    *widened = NULL;
    spk_status status = read_list(context, recording, path, &absent, out);
    if (status == SPK_OK)
        status =
            spk_recording_widen(context, recording, &absent, path, "episodes", &number, widened);
    for (uint64_t k = 0; number != NULL && k < (*out)->n_positions; k++)
        (*out)->unit[k] = number[(*out)->unit[k]];
    if (status != SPK_OK) {
        spk_episode_list_free(*out);
        *out = NULL;
    }
    free(number);
    spk_labels_clear(&absent);
    return status;
}
