/* Fuzzes the spike records of Intan RHX. The first byte chooses the pieces. */
#include "live.h"
#include "live/sources/intan_records.h"

static outcome run_records(const uint8_t *data, size_t size, size_t piece)
{
    spk_intan_records records = {.any = false};
    spk_collector *collector = fresh_collector(20);
    collector->rate = (spk_rate){30000, 1};
    const outcome o = run(spk_intan_records_take, &records, collector, data, size, piece);
    const spk_live_source_facts *f = &collector->facts;
    check_sum(collector, o.spikes, 0);
    if (size - SPK_INTAN_RECORD * f->messages - f->garbage >= SPK_INTAN_RECORD)
        stop("a byte in no counter, or in two");
    return o;
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
