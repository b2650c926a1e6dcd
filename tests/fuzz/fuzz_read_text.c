/*
 * Fuzzes the text reader: the first byte chooses the options, the rest is the file. What is read
 * must be valid; a failure must explain itself in one line.
 */
#include "fuzz.h"
#include "recording/read_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const spk_duration start = {5, -1};
    static const spk_duration end = {25, -1};
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    spk_read_options options;
    const char *reason = NULL;
    if (size == 0 || spk_context_create(&context) != SPK_OK)
        return 0;
    spk_read_options_init(&options, sizeof options);
    options.columns = (spk_columns)(data[0] % 3);
    options.time_unit = (spk_time_unit)((data[0] >> 2) % 5);
    options.samples_per_second = 30000;
    options.sort = (data[0] & 16) != 0;
    options.start = (data[0] & 32) != 0 ? &start : NULL;
    options.stop = (data[0] & 64) != 0 ? &end : NULL;
    options.units = (data[0] & 128) != 0 ? "a,1" : NULL;
    spk_status status =
        spk_recording_read_buffer(context, "fuzz", data + 1, size - 1, &options, &recording);
    if (status == SPK_OK && !spk_recording_validate(recording, &reason))
        stop(reason);
    if (status == SPK_ERR_INTERNAL)
        stop(spk_context_message(context));
    if (status != SPK_OK && (recording != NULL || strlen(spk_context_message(context)) == 0 ||
                             strchr(spk_context_message(context), '\n') != NULL))
        stop("a failure without a one-line message");
    spk_recording_free(recording);
    spk_context_free(context);
    return 0;
}
