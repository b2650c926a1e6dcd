/*
 * Fuzzes NumPy arrays and archives of them: the first byte chooses the options, the rest is the
 * file. What is read must be valid; a failure must explain itself in one line.
 */
#include "fuzz.h"
#include "recording/readers/reader.h"

extern const spk_reader spk_reader_npy;
extern const spk_reader spk_reader_npz;

static void set_options(uint8_t choice, spk_read_options *options)
{
    static const spk_duration start = {5, -1, 0}, end = {25, -1, 0};
    spk_read_options_init(options, sizeof *options);
    options->time_unit = (spk_time_unit)((choice >> 1) % 5);
    options->samples_per_second = 30000;
    options->start = (choice & 16) != 0 ? &start : NULL;
    options->stop = (choice & 32) != 0 ? &end : NULL;
    options->units = (choice & 64) != 0 ? "a,1" : NULL;
    options->columns = (choice & 128) != 0 ? SPK_COLUMNS_UNIT_TIME : SPK_COLUMNS_GUESS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spk_context *context = NULL;
    spk_input *input = NULL;
    spk_recording *recording = NULL;
    spk_read_options options;
    const char *reason = NULL;
    if (size == 0 || spk_context_create(&context) != SPK_OK)
        return 0;
    spk_context_set_memory_limit(context, 256000000);
    set_options(data[0], &options);
    const spk_reader *reader = (data[0] & 1) != 0 ? &spk_reader_npz : &spk_reader_npy;
    const spk_probe probe = {
        .path = "fuzz", .is_stream = true, .head = data + 1, .n_head = size - 1};
    reader->recognise(&probe);
    spk_status status = spk_input_open_memory(context, "fuzz", data + 1, size - 1, &input);
    if (status == SPK_OK)
        status = reader->read(context, &probe, input, &options, &recording);
    if (status == SPK_OK && !spk_recording_validate(recording, &reason))
        stop(reason);
    if (status == SPK_ERR_INTERNAL)
        stop(spk_context_message(context));
    if (status != SPK_OK && (recording != NULL || strlen(spk_context_message(context)) == 0 ||
                             strchr(spk_context_message(context), '\n') != NULL))
        stop("a failure without a one-line message");
    spk_recording_free(recording);
    spk_input_close(input);
    spk_context_free(context);
    return 0;
}
