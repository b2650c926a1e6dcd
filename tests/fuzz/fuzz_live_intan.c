/* Fuzzes the spike records of Intan RHX. The first byte chooses the pieces. */
#include "live.h"
#include "live/sources/intan_records.h"

static outcome run_records(const uint8_t *data, size_t size, size_t piece)
{
    spk_intan_records records = {.any = false};
    spk_collector *collector = fresh_collector(20);
    collector->rate = (spk_rate){30000, 1};
    return run(spk_intan_records_take, &records, collector, data, size, piece);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const outcome whole = run_records(data + 1, size - 1, size);
    const outcome pieces = run_records(data + 1, size - 1, 1 + data[0] % 40u);
    compare(&whole, &pieces);
    return 0;
}
