/* Text of two columns as a format: recording/read_text.c reads it. */
#include "recording/read_text.h"
#include "recording/readers/reader.h"

static spk_match recognise(const spk_probe *probe)
{
    /* Binary content is refused by the reader, which names the line. */
    return probe->is_folder ? SPK_MATCH_NO : SPK_MATCH_POSSIBLE;
}

static spk_status read_text(spk_context *context, const spk_probe *probe, spk_input *input,
                            const spk_read_options *options, spk_recording **out)
{
    (void)probe;
    return spk_recording_read_input(context, input, options, out);
}

const spk_reader spk_reader_text = {
    .name = "text",
    .summary = "two columns, time and unit, one line an event",
    .endings = ".txt .csv .tsv .dat",
    .options = "columns time_unit",
    .recognise = recognise,
    .read = read_text,
};
