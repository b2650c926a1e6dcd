/*
 * Files beside a recording: the first byte says whether the rest is a list of trials, of episodes
 * or of patterns. What is accepted is in order.
 */
#define _GNU_SOURCE /* memfd_create */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

/* A file with these bytes, by a path; -1 in *file where the system gives none. */
static void make_file(const uint8_t *data, size_t size, int *file, char path[64])
{
    *file = memfd_create("fuzz", 0);
    if (*file < 0)
        return;
    require(write(*file, data, size) == (ssize_t)size);
    snprintf(path, 64, "/proc/self/fd/%d", *file);
}

static spk_recording *make_recording(spk_context *context)
{
    static const char *const labels[] = {"a", "b", "left hand", "q\"q"};
    int64_t time[40];
    uint32_t unit[40];
    for (uint32_t k = 0; k < 40; k++) {
        time[k] = 3 * (int64_t)k;
        unit[k] = k % 4;
    }
    const spk_recording_source source = {.struct_size = sizeof source,
                                         .n_events = 40,
                                         .time = time,
                                         .unit = unit,
                                         .n_units = 4,
                                         .labels = labels,
                                         .rate = {1000, 1}};
    spk_recording *recording = NULL;
    require(spk_recording_create(context, &source, &recording) == SPK_OK);
    return recording;
}

/* What is left has its segments in order, holds all its events and can be used. */
static void cut(spk_context *context, const spk_recording *recording, size_t n,
                const spk_time_range *trials)
{
    const char *reason = NULL;
    spk_recording *parts = NULL;
    spk_recording *shuffled = NULL;
    spk_recording_description description;
    const spk_delay delay = {{0, 0, 0}, {1, SPK_DURATION_INFINITE, 0}};
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = &delay;
    options.n_delays = 1;
    options.max_size = 2;
    if (n > 200 || spk_recording_cut(context, recording, n, trials, &parts) != SPK_OK)
        return;
    require(spk_recording_validate(parts, &reason));
    require(spk_recording_describe(context, parts, &description) == SPK_OK);
    require(spk_recording_shuffle(context, parts, 1, &shuffled) == SPK_OK);
    require(spk_recording_events(shuffled).n_events == spk_recording_events(parts).n_events);
    require(spk_episode_mine(context, parts, &options, NULL, NULL, NULL) == SPK_OK);
    spk_recording_free(shuffled);
    spk_recording_free(parts);
}

static void read_trials(spk_context *context, const spk_recording *recording, const char *path)
{
    spk_time_range *trials = NULL;
    size_t n = 0;
    spk_status status = spk_intervals_read(context, recording, path, &trials, &n);
    require((status == SPK_OK) == (trials != NULL) && (status == SPK_OK) == (n > 0));
    require(status == SPK_OK || spk_context_message(context)[0] != '\0');
    for (size_t k = 0; k < n; k++)
        require(spk_duration_compare(trials[k].start, trials[k].stop) < 0);
    if (status == SPK_OK)
        cut(context, recording, n, trials);
    free(trials);
}

static void read_episodes(spk_context *context, const spk_recording *recording, const char *path)
{
    spk_episode_list *list = NULL;
    spk_status status = spk_episode_list_read(context, recording, path, &list);
    require((status == SPK_OK) == (list != NULL));
    require(status == SPK_OK || spk_context_message(context)[0] != '\0');
    if (list != NULL) {
        spk_episode_columns columns = spk_episode_list_columns(list);
        for (uint64_t k = 0; k < columns.n; k++)
            require(columns.offset[k + 1] > columns.offset[k]);
    }
    spk_episode_list_free(list);
}

/* Items are those of the recording, by lag, and the first one has lag 0. */
static void read_patterns(spk_context *context, const spk_recording *recording, const char *path)
{
    spk_pattern_list *list = NULL;
    spk_recording *widened = NULL;
    spk_status status = spk_pattern_list_read(context, recording, path, 0, &widened, &list);
    require((status == SPK_OK) == (list != NULL));
    require(status == SPK_OK || (spk_context_message(context)[0] != '\0' && widened == NULL));
    spk_pattern_columns columns = {.n = 0};
    if (list != NULL)
        columns = spk_pattern_list_columns(list);
    for (uint64_t k = 0; k < columns.n; k++) {
        uint32_t before = 0;
        require(columns.offset[k + 1] > columns.offset[k]);
        require(columns.item[columns.offset[k]] % columns.window == 0);
        for (uint64_t i = columns.offset[k]; i < columns.offset[k + 1]; i++) {
            uint32_t unit = columns.item[i] / columns.window,
                     lag = columns.item[i] % columns.window;
            require(spk_recording_label(widened != NULL ? widened : recording, unit) != NULL);
            require(lag >= before);
            before = lag;
        }
    }
    spk_pattern_list_free(list);
    spk_recording_free(widened);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int file = -1;
    char path[64];
    spk_context *context = NULL;
    if (size < 1)
        return 0;
    make_file(data + 1, size - 1, &file, path);
    if (file < 0)
        return 0;
    require(spk_context_create(&context) == SPK_OK);
    spk_context_set_memory_limit(context, 50000000);
    spk_recording *recording = make_recording(context);
    if (data[0] % 2 == 0)
        read_trials(context, recording, path);
    else if (data[0] % 4 == 1)
        read_episodes(context, recording, path);
    else
        read_patterns(context, recording, path);
    spk_recording_free(recording);
    spk_context_free(context);
    close(file);
    return 0;
}
