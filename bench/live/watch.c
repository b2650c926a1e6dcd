/*
 * What the watch costs: nanoseconds a spike, with stream, for random spikes and random episodes.
 *
 *     spikemine-bench-live-watch [SPIKES]
 *
 * Units fire at random with 20 Hz each; rows differ in the number of units and of episodes. Beside
 * the time stands how often a spike looked at a beginning of an episode.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "spikemine/spikemine.h"

enum { CHUNK = 1000 };

typedef struct setting {
    const char *what;
    uint32_t n_units;
    uint32_t n_episodes;
    uint32_t n_starts; /* different first pairs of units; 0: all at random */
    bool silent;       /* stream alone */
} setting;

static uint64_t random_state = 88172645463325252u;

static uint32_t below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 32) * n >> 32);
}

/* Seconds of the processor: what else runs on the machine does not count. */
static double seconds_now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void require(spk_context *context, spk_status status)
{
    if (status == SPK_OK)
        return;
    fprintf(stderr, "%s: %s\n", spk_status_text(status), spk_context_message(context));
    exit(1);
}

/* Episodes of 3 or 4 units with (5 ms, 10 ms] between them. */
static spk_episode_list *make_episodes(spk_context *context, const setting *s)
{
    static const spk_delay delay = {{5, -3, 0}, {10, -3, 0}};
    const spk_delay delays[] = {delay, delay, delay};
    spk_episode_list *list = NULL;
    require(context, spk_episode_list_create(context, &list));
    for (uint32_t k = 0; k < s->n_episodes; k++) {
        uint32_t start = s->n_starts > 0 ? k % s->n_starts : 0;
        uint32_t unit[4] = {start % s->n_units, start * 7919 % s->n_units, below(s->n_units),
                            below(s->n_units)};
        if (s->n_starts == 0) {
            unit[0] = below(s->n_units);
            unit[1] = below(s->n_units);
        }
        require(context, spk_episode_list_append(context, list, 3 + k % 2, unit, delays));
    }
    return list;
}

static void measure(spk_context *context, const setting *s, uint64_t n_spikes)
{
    spk_live_stream_options options;
    spk_live_watch_options watching;
    spk_live_stream *stream = NULL;
    spk_live_watch *watch = NULL;
    spk_recording *labels = NULL;
    int64_t *time = malloc(n_spikes * sizeof *time), now = 0, arrival[CHUNK] = {0};
    uint32_t *unit = malloc(n_spikes * sizeof *unit);
    if (time == NULL || unit == NULL)
        exit(1);
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_units = s->n_units;
    source.rate = (spk_rate){1000000000, 1};
    require(context, spk_recording_create(context, &source, &labels));
    spk_live_stream_options_init(&options, sizeof options);
    spk_live_watch_options_init(&watching, sizeof watching);
    options.rate = source.rate;
    watching.window = (spk_duration){10, 0, 0};
    require(context, spk_live_stream_create(context, &options, &stream));
    spk_episode_list *list = make_episodes(context, s);
    spk_episode_columns columns = spk_episode_list_columns(list);
    if (!s->silent) {
        require(context, spk_live_watch_create(context, stream, &watching, &watch));
        require(context, spk_live_watch_add_episodes(context, watch, labels, &columns));
    }
    for (uint32_t u = 0; u < s->n_units; u++) {
        uint32_t number;
        require(context,
                spk_live_stream_unit(context, stream, spk_recording_label(labels, u), &number));
    }
    uint32_t mean_step = 1000000000 / (20 * s->n_units);
    for (uint64_t k = 0; k < n_spikes; k++) {
        now += below(2 * mean_step);
        time[k] = now;
        unit[k] = below(s->n_units);
    }
    double begin = seconds_now();
    for (uint64_t k = 0; k + CHUNK <= n_spikes; k += CHUNK)
        require(context, spk_live_stream_push(context, stream, CHUNK, time + k, unit + k, arrival));
    double ns = 1e9 * (seconds_now() - begin) / (double)n_spikes;
    printf("%-44s %6u %8u %8.0f\n", s->what, s->n_units, s->silent ? 0 : s->n_episodes, ns);
    spk_live_watch_free(watch);
    spk_live_stream_free(stream);
    spk_episode_list_free(list);
    spk_recording_free(labels);
    free(time);
    free(unit);
}

int main(int argc, char **argv)
{
    static const setting settings[] = {
        {"the stream alone", 1000, 1, 0, true},
        {"1,000 episodes", 1000, 1000, 0, false},
        {"few units", 100, 1000, 0, false},
        {"10,000 episodes with 200 common beginnings", 1000, 10000, 200, false},
        {"10,000 episodes", 1000, 10000, 0, false},
    };
    uint64_t n_spikes = argc > 1 ? strtoull(argv[1], NULL, 10) : 5000000;
    spk_context *context = NULL;
    require(NULL, spk_context_create(&context));
    printf("%-44s %6s %8s %8s\n", "", "units", "episodes", "ns/spike");
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++)
        measure(context, &settings[k], n_spikes);
    spk_context_free(context);
    return 0;
}
