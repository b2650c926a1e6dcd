/* Text of two columns as a format: recording/read_text.c reads it. */
#include "recording/read_text.h"
#include "recording/readers/reader.h"
#include "recording/readers/text_look.h"

static spk_match recognise(const spk_probe *probe)
{
    return spk_text_look_probe(probe).form == SPK_FORM_TWO ? SPK_MATCH_SURE : SPK_MATCH_NO;
}

static spk_status read_text(spk_context *context, const spk_probe *probe, spk_input *input,
                            const spk_read_options *options, spk_recording **out)
{
    *out = NULL;
    spk_status status = spk_text_check_input(context, probe);
    return status == SPK_OK ? spk_recording_read_input(context, input, options, out) : status;
}

const spk_reader spk_reader_text = {
    .name = "text",
    .summary = "two columns, time and unit, one line an event",
    .endings = ".txt .csv .tsv .dat",
    .options = "columns time_unit",
    .recognise = recognise,
    .read = read_text,
};
