/* Mines in one thread, while another shows progress and ends the job after some time:
 *   cancel RECORDING SECONDS */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <spikemine/spikemine.h>

typedef struct job {
    spk_context *context; /* of the mining thread; the other one only cancels it */
    spk_recording *recording;
    spk_episode_summary summary;
    spk_status status;
} job;

static void show_progress(void *user, const char *what, uint64_t done, uint64_t total)
{
    (void)user;
    fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 "\n", what, done, total);
}

static void *mine(void *user)
{
    job *j = user;
    spk_delay delays[] = {{{0, 0}, {5, -3}}, {{5, -3}, {1, -2}}, {{1, -2}, {15, -3}}};
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = delays, options.n_delays = 3, options.support = 20;
    j->status = spk_episode_mine(j->context, j->recording, &options, NULL, NULL, &j->summary);
    return NULL;
}

int main(int argc, char **argv)
{
    static job j;
    pthread_t thread;
    if (argc != 3 || spk_context_create(&j.context) != SPK_OK)
        return 2;
    spk_context_set_progress(j.context, show_progress, NULL);
    if (spk_recording_read_text(j.context, argv[1], NULL, &j.recording) != SPK_OK) {
        fprintf(stderr, "%s\n", spk_context_message(j.context));
        return 1;
    }
    struct timespec pause = {.tv_nsec = (long)(atof(argv[2]) * 1e9) % 1000000000,
                             .tv_sec = (time_t)atof(argv[2])};
    pthread_create(&thread, NULL, mine, &j);
    nanosleep(&pause, NULL);
    spk_context_cancel(j.context); /* from any thread, or from a signal handler */
    pthread_join(thread, NULL);
    printf("%s; %u sizes are complete\n", spk_status_text(j.status), j.summary.n_levels);
    spk_recording_free(j.recording);
    spk_context_free(j.context);
    return j.status == SPK_OK || j.status == SPK_ERR_CANCELLED ? 0 : 1;
}
