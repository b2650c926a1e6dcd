/* The text form of episodes: whatever is accepted must write and read back to the same. */
#include "fuzz.h"

/* No byte that a terminal obeys or a table is cut at. */
static int is_printable(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return 0;
    return 1;
}

static spk_recording *make_recording(spk_context *context)
{
    static const char *const labels[] = {"a",    "b",       "12",    "left hand", "q\"q",    "",
                                         "a\tb", "\x1b[0m", "\\ \\", "#",         "episode", "\n"};
    enum { N = sizeof labels / sizeof labels[0] };
    int64_t time[N];
    uint32_t unit[N];
    for (uint32_t u = 0; u < N; u++) {
        time[u] = u;
        unit[u] = u;
    }
    const spk_recording_source source = {.struct_size = sizeof source,
                                         .n_events = N,
                                         .time = time,
                                         .unit = unit,
                                         .n_units = N,
                                         .labels = labels,
                                         .rate = {1000, 1}};
    spk_recording *recording = NULL;
    require(spk_recording_create(context, &source, &recording) == SPK_OK);
    return recording;
}

static void check_round_trip(spk_context *context, const spk_recording *recording,
                             spk_episode_list *list)
{
    spk_episode_columns columns = spk_episode_list_columns(list);
    size_t length = spk_episode_format(recording, &columns, 0, NULL, 0);
    char *text = malloc(length + 1);
    char *again = malloc(length + 1);
    spk_episode_list *second = NULL;
    require(text != NULL && again != NULL);
    spk_episode_format(recording, &columns, 0, text, length + 1);
    require(spk_episode_list_create(context, &second) == SPK_OK);
    require(spk_episode_parse(context, recording, text, second) == SPK_OK);
    spk_episode_columns columns2 = spk_episode_list_columns(second);
    require(columns2.offset[1] == columns.offset[1]);
    require(spk_episode_format(recording, &columns2, 0, again, length + 1) == length);
    require(strcmp(text, again) == 0);
    require(is_printable(text) && text[0] != '#');
    spk_episode_list_free(second);
    free(text);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spk_context *context = NULL;
    require(spk_context_create(&context) == SPK_OK);
    spk_recording *recording = make_recording(context);
    char *text = malloc(size + 1);
    spk_episode_list *list = NULL;
    require(text != NULL && spk_episode_list_create(context, &list) == SPK_OK);
    memcpy(text, data, size);
    text[size] = '\0';
    if (spk_episode_parse(context, recording, text, list) == SPK_OK)
        check_round_trip(context, recording, list);
    else
        require(spk_context_message(context)[0] != '\0' &&
                is_printable(spk_context_message(context)));
    spk_episode_list_free(list);
    free(text);
    spk_recording_free(recording);
    spk_context_free(context);
    return 0;
}
