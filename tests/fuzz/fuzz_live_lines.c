/* Fuzzes lines of text as they come in. The first byte chooses options, the second the pieces. */
#include "live.h"
#include "live/sources/lines.h"

static outcome run_lines(unsigned options_byte, const uint8_t *data, size_t size, size_t piece)
{
    outcome o = {.status = SPK_OK};
    spk_lines lines;
    spk_collector *collector = fresh_collector(20);
    spk_live_source_options options;
    spk_read_options read;
    spk_live_source_options_init(&options, sizeof options);
    spk_read_options_init(&read, sizeof read);
    read.columns = (spk_columns)((options_byte & 3) % 3);
    if ((options_byte & 4) != 0)
        read.time_unit = (spk_time_unit)(options_byte >> 6);
    read.samples_per_second = 30000;
    options.read = &read;
    if ((options_byte & 8) != 0)
        options.tick = (spk_rate){30000, 7};
    if (spk_lines_init(NULL, &lines, &options) == SPK_OK) {
        collector->fresh = (options_byte & 16) != 0;
        o = run(spk_lines_take, &lines, collector, data, size, piece);
        if (o.status == SPK_OK)
            check_sum(collector, o.spikes, o.garbage);
        spk_lines_clear(&lines);
    }
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Below the size at which the columns are guessed from what is there. */
    if (size < 2 || size > 60000)
        return 0;
    const outcome whole = run_lines(data[0], data + 2, size - 2, size);
    const outcome pieces = run_lines(data[0], data + 2, size - 2, 1 + data[1]);
    compare(&whole, &pieces);
    return 0;
}
