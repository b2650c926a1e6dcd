/* Fuzzes the reader of tables, and the look that tells text formats apart. */
#include "text_reader.h"

extern const spk_reader spk_reader_table;

static void choose(spk_read_options *options, unsigned byte)
{
    static const spk_duration start = {5, -1};
    static const spk_duration end = {25, -1};
    static const char *const times[] = {NULL, "time", "2", "\"1\""};
    static const char *const units[] = {NULL, "unit", "1", "3"};
    options->time_column = times[byte & 3];
    options->unit_column = units[(byte >> 6) & 3];
    options->sort = (byte & 4) != 0;
    options->start = (byte & 8) != 0 ? &start : NULL;
    options->stop = (byte & 16) != 0 ? &end : NULL;
    options->units = (byte & 32) != 0 ? "a,1" : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(&spk_reader_table, choose, data, size);
}
