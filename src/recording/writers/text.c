/* Text of two columns as a format: recording/write_text.c writes it. */
#include "recording/writers/writer.h"

const spk_writer spk_writer_text = {
    .name = "text",
    .endings = ".txt .csv .tsv .dat",
    .write = spk_recording_write_text,
};
