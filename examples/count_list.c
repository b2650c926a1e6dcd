/* Counts episodes that somebody has in mind:  count_list RECORDING EPISODE...
 *   count_list data/songbird_spikes.txt '2 (0,200ms] 6' '2 (0,100ms] 6' */
#include <inttypes.h>
#include <stdio.h>

#include <spikemine/spikemine.h>

static spk_status count_all(spk_context *context, const spk_recording *recording, int n,
                            char **texts, spk_episode_list *list)
{
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    spk_status status = SPK_OK;
    for (int k = 0; k < n && status == SPK_OK; k++)
        status = spk_episode_parse(context, recording, texts[k], list);
    if (status == SPK_OK)
        status = spk_episode_count(context, recording, &options, list, NULL);
    if (status != SPK_OK)
        return status;
    spk_episode_columns episodes = spk_episode_list_columns(list);
    for (int k = 0; k < n; k++)
        printf("%" PRIu64 "\t%s\n", episodes.count[k], texts[k]);
    return SPK_OK;
}

int main(int argc, char **argv)
{
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    spk_episode_list *list = NULL;
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    options.sort = true; /* files that are grouped by unit are fine */
    if (argc < 3) {
        fprintf(stderr, "count_list RECORDING EPISODE...\n");
        return 2;
    }
    spk_status status = spk_context_create(&context);
    if (status == SPK_OK)
        status = spk_recording_read_text(context, argv[1], &options, &recording);
    if (status == SPK_OK)
        status = spk_episode_list_create(context, &list);
    if (status == SPK_OK)
        status = count_all(context, recording, argc - 2, argv + 2, list);
    if (status != SPK_OK)
        fprintf(stderr, "%s\n", spk_context_message(context));
    spk_episode_list_free(list);
    spk_recording_free(recording);
    spk_context_free(context);
    return status == SPK_OK ? 0 : 1;
}
