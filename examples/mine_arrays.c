/* Mines the serial episodes of spike times that lie in arrays, and prints them. */
#include <inttypes.h>
#include <stdio.h>

#include <spikemine/spikemine.h>

/* Times in ticks of 0.1 ms, in any order; unit k of labels[] fired at time[k]. */
static const int64_t time[] = {100, 170, 240, 400, 475, 540, 700, 765, 830, 1000, 1500, 1570};
static const uint32_t unit[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 1, 0, 1};
static const char *const labels[] = {"A", "B", "C"};

/* Called with the frequent episodes of one size; `user` is the recording. */
static spk_status print_episodes(void *user, const spk_episode_columns *episodes)
{
    char text[256];
    for (uint64_t k = 0; k < episodes->n; k++) {
        spk_episode_format(user, episodes, k, text, sizeof text);
        printf("%" PRIu64 " times %s\n", episodes->count[k], text);
    }
    return SPK_OK;
}

int main(void)
{
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    spk_recording_source source;
    spk_episode_options options;
    spk_delay delay = {.lo = {5, -3}, .hi = {1, -2}}; /* more than 5 ms, at most 10 ms */

    spk_recording_source_init(&source, sizeof source);
    source.n_events = sizeof time / sizeof time[0];
    source.time = time;
    source.unit = unit;
    source.n_units = 3;
    source.labels = labels;
    source.rate = (spk_rate){10000, 1};

    spk_episode_options_init(&options, sizeof options);
    options.delays = &delay;
    options.n_delays = 1;
    options.support = 2; /* an episode is frequent from two occurrences on */

    spk_status status = spk_context_create(&context);
    if (status == SPK_OK)
        status = spk_recording_create(context, &source, &recording);
    if (status == SPK_OK)
        status = spk_episode_mine(context, recording, &options, print_episodes, recording, NULL);
    if (status != SPK_OK)
        fprintf(stderr, "%s: %s\n", spk_status_text(status), spk_context_message(context));
    spk_recording_free(recording);
    spk_context_free(context);
    return status == SPK_OK ? 0 : 1;
}
