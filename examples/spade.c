/* Finds SPADE patterns in a text recording and writes them as a table:  spade RECORDING TABLE */
#include <inttypes.h>
#include <stdio.h>

#include <spikemine/spikemine.h>

static spk_status mine(spk_context *context, const spk_recording *recording, const char *path)
{
    spk_windows *windows = NULL;
    spk_writer *writer = NULL;
    spk_pattern_summary summary;
    spk_window_options cut;
    spk_pattern_options options;

    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){5, -3}; /* bins of 5 ms, windows of 20 bins */
    cut.window = 20;
    spk_pattern_options_init(&options, sizeof options);
    options.support = 10; /* windows that hold the pattern, at least */
    options.min_spikes = 5;
    options.min_neurons = 5;

    spk_status status = spk_windows_create(context, recording, &cut, &windows);
    if (status == SPK_OK)
        status = spk_pattern_writer_open(context, path, SPK_FORM_TSV, windows, recording, &writer);
    if (status == SPK_OK)
        status =
            spk_pattern_mine(context, windows, &options, spk_pattern_writer_add, writer, &summary);
    if (status == SPK_OK)
        printf("%" PRIu64 " patterns by engine %s\n", summary.n_reported, summary.engine);
    if (status == SPK_OK)
        status = spk_writer_commit(writer, NULL); /* only now the file has its name */
    else
        spk_writer_free(writer);
    spk_windows_free(windows);
    return status;
}

int main(int argc, char **argv)
{
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    if (argc != 3) {
        fprintf(stderr, "spade RECORDING TABLE\n");
        return 2;
    }
    spk_status status = spk_context_create(&context);
    if (status == SPK_OK)
        status = spk_recording_read_text(context, argv[1], NULL, &recording);
    if (status == SPK_OK)
        status = mine(context, recording, argv[2]);
    if (status != SPK_OK)
        fprintf(stderr, "%s\n", spk_context_message(context));
    spk_recording_free(recording);
    spk_context_free(context);
    return status == SPK_OK ? 0 : 1;
}
