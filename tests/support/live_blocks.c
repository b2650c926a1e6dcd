/* What a browser reads of the blocks of a live page. */
#include "support/live_blocks.h"

#include "support/test.h"

static double real_at(const unsigned char *at)
{
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t u32_at(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static int64_t i64_at(const unsigned char *at)
{
    int64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static size_t read_spikes(const unsigned char *at, int64_t origin, live_blocks *out)
{
    const uint32_t n = u32_at(at + 4);
    if (out->n == 0)
        out->first = real_at(at + 8);
    for (uint32_t k = 0; k < n; k++, out->n++) {
        assert_true(out->n < LIVE_BLOCKS_SPIKES);
        out->place[out->n] = (int64_t)real_at(at + 32) + u32_at(at + 48 + 4 * k);
        out->time[out->n] = out->place[out->n] + origin - i64_at(at + 40);
        out->unit[out->n] = u32_at(at + 48 + 4 * n + 4 * k);
        out->segment[out->n] = (uint64_t)real_at(at + 16);
    }
    return 48 + 8 * (size_t)n;
}

static size_t read_occurrences(const unsigned char *at, live_blocks *out)
{
    size_t used = 16;
    out->n_occurrences = u32_at(at + 4);
    out->first_occurrence = real_at(at + 8);
    for (uint64_t k = 0; k < out->n_occurrences && k < LIVE_BLOCKS_OCCURRENCES; k++) {
        out->item[k] = u32_at(at + used);
        out->size[k] = u32_at(at + used + 4);
        out->count[k] = real_at(at + used + 8);
        for (uint32_t i = 0; i < out->size[k]; i++)
            out->places[k][i] = real_at(at + used + 16 + 8 * i);
        used += 16 + 8 * (size_t)out->size[k];
    }
    return used;
}

void live_blocks_read(const unsigned char *bytes, size_t n, int64_t origin, live_blocks *out)
{
    memset(out, 0, sizeof *out);
    assert_true(n >= 48 && memcmp(bytes, "SPKH", 4) == 0);
    out->oldest = real_at(bytes + 16);
    out->next = real_at(bytes + 24);
    for (size_t at = 48; at < n;) {
        if (memcmp(bytes + at, "SPKS", 4) == 0) {
            at += read_spikes(bytes + at, origin, out);
        } else {
            assert_memory_equal(bytes + at, "SPKO", 4);
            at += read_occurrences(bytes + at, out);
            assert_int_equal(at, n);
        }
    }
}
