/* Episodes that are no chance and no part of another one, one of each family:  analyse RECORDING
 *   spikemine episodes RECORDING --sort -d 0:50ms -s 20 --max-size 4 --test exact \
 *       --jitter 100ms --surrogates 99 --report core --families
 * says the same; here are p, count, members and the episode. */
#include <inttypes.h>
#include <stdio.h>

#include <spikemine/spikemine.h>

static spk_status analyse(spk_analysis *analysis, const spk_recording *recording)
{
    static const spk_delay delay = {.lo = {0, 0}, .hi = {50, -3}};
    static const spk_duration jitter = {100, -3};
    spk_episode_options search;
    spk_exact_options test;
    spk_analysis_options options;
    char text[256];

    spk_episode_options_init(&search, sizeof search);
    search.delays = &delay, search.n_delays = 1, search.support = 20, search.max_size = 4;
    spk_exact_options_init(&test, sizeof test);
    test.episodes = &search, test.jitter = &jitter, test.n_jitter = 1, test.n_surrogates = 99;
    test.seed = 1;
    spk_analysis_options_init(&options, sizeof options);
    options.exact = &test, options.report = SPK_REPORT_CORE, options.families = true;

    spk_status status = spk_analysis_run(analysis, recording, &options);
    const spk_analysis_columns *found = spk_analysis_columns_of(analysis);
    for (uint64_t k = 0; k < found->n; k++) { /* row k is the best member of family k */
        spk_episode_format(recording, &found->episodes, k, text, sizeof text);
        printf("%g\t%" PRIu64 "\t%" PRIu64 "\t%s\n", found->exact->verdict[k].p,
               found->episodes.count[k], found->families->family[k].n_members, text);
    }
    return status;
}

int main(int argc, char **argv)
{
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    spk_analysis *analysis = NULL;
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    options.sort = true;
    spk_status status = spk_context_create(&context);
    if (status == SPK_OK)
        status = spk_recording_read_text(context, argc > 1 ? argv[1] : "-", &options, &recording);
    if (status == SPK_OK)
        status = spk_analysis_create(context, &analysis);
    if (status == SPK_OK)
        status = analyse(analysis, recording);
    if (status != SPK_OK)
        fprintf(stderr, "%s\n", spk_context_message(context));
    spk_analysis_free(analysis);
    spk_recording_free(recording);
    spk_context_free(context);
    return status == SPK_OK ? 0 : 1;
}
