/* Draws the frequent episodes of a generated network, and gives a plotting program their counts:
 *   columns_to_plot PICTURE.svg >counts.tsv */
#include <inttypes.h>
#include <stdio.h>

#include <spikemine/spikemine.h>

/* The columns are flat arrays: a plotting program or another language takes them as they are. */
static void print_columns(const spk_episode_columns *episodes)
{
    printf("size\tcount\n");
    for (uint64_t k = 0; k < episodes->n; k++)
        printf("%" PRIu64 "\t%" PRIu64 "\n", episodes->offset[k + 1] - episodes->offset[k],
               episodes->count[k]);
}

int main(int argc, char **argv)
{
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    spk_episode_list *list = NULL;
    spk_network_options network;
    spk_episode_options options;
    spk_delay delay = {.lo = {4, -3}, .hi = {6, -3}};
    if (argc != 2)
        return 2;
    spk_network_options_init(&network, sizeof network);
    spk_episode_options_init(&options, sizeof options);
    options.delays = &delay, options.n_delays = 1, options.support = 50;

    spk_status status = spk_context_create(&context);
    if (status == SPK_OK)
        status = spk_simulate_network(context, &network, &recording, NULL);
    if (status == SPK_OK)
        status = spk_episode_list_create(context, &list);
    if (status == SPK_OK)
        status = spk_episode_mine(context, recording, &options, spk_episode_list_add, list, NULL);
    if (status == SPK_OK) {
        spk_episode_columns episodes = spk_episode_list_columns(list);
        print_columns(&episodes);
        status = spk_figure_episodes(context, recording, &episodes, NULL, argv[1]);
    }
    if (status != SPK_OK)
        fprintf(stderr, "%s\n", spk_context_message(context));
    spk_episode_list_free(list);
    spk_recording_free(recording);
    spk_context_free(context);
    return status == SPK_OK ? 0 : 1;
}
