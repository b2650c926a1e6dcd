/*
 * What the fuzz targets of readers of text share: the first byte of the input chooses the options,
 * the rest is the file. What is read must be valid; a failure must explain itself in one line.
 */
#pragma once

#include "fuzz.h"
#include "recording/readers/reader.h"

typedef void fuzz_choose(spk_read_options *options, unsigned byte);

static spk_status read_bytes(spk_context *context, const spk_reader *reader, const uint8_t *data,
                             size_t size, const spk_read_options *options, spk_recording **out)
{
    spk_input *input = NULL;
    spk_probe probe = {.path = "fuzz"};
    spk_status status = spk_input_open_memory(context, "fuzz", data, size, &input);
    if (status == SPK_OK)
        status = spk_input_peek(context, input, SPK_PROBE_BYTES, &probe.head, &probe.n_head);
    if (status == SPK_OK) {
        (void)reader->recognise(&probe);
        status = reader->read(context, &probe, input, options, out);
    }
    spk_input_close(input);
    return status;
}

static int fuzz_reader(const spk_reader *reader, fuzz_choose *choose, const uint8_t *data,
                       size_t size)
{
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    spk_read_options options;
    const char *reason = NULL;
    if (size == 0 || spk_context_create(&context) != SPK_OK)
        return 0;
    spk_read_options_init(&options, sizeof options);
    choose(&options, data[0]);
    spk_status status = read_bytes(context, reader, data + 1, size - 1, &options, &recording);
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
