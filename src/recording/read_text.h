/* Text recordings from inside: reading from memory, and what files of text share. */
#pragma once

#include <stdio.h>

#include "recording/input.h"
#include "spikemine/recording.h"

/* {0, 1}: not given. */
static inline spk_rate spk_sample_rate_given(const spk_read_options *options)
{
    return options->sample_rate.denominator != 0 ? options->sample_rate
                                                 : (spk_rate){options->samples_per_second, 1};
}

/* Takes the caller's options, and checks what they say by themselves. Errors: SPK_ERR_ARGUMENT. */
spk_status spk_read_options_take(spk_context *context, const spk_read_options *given,
                                 spk_read_options *own);

/* spk_recording_read_text on an input that stays with the caller, with options that were taken. */
spk_status spk_recording_read_input(spk_context *context, spk_input *input,
                                    const spk_read_options *options, spk_recording **out);

/* spk_recording_read_text on `n` bytes; `name` stands for the path in messages. */
spk_status spk_recording_read_buffer(spk_context *context, const char *name, const void *bytes,
                                     size_t n, const spk_read_options *given, spk_recording **out);

/* The comment that tells the unit of time to the reader, before N or N/D. */
#define SPK_TEXT_SAMPLES_COMMENT "# spikemine time-unit samples@"

/* Writes a label as that reader takes it, in quotes where it needs them. */
void spk_text_write_label(FILE *file, const char *label);
bool spk_text_label_needs_quotes(const char *label);
