/* The spike records of Intan RHX. */
#include "live/sources/intan_records.h"

#include <stdio.h>
#include <string.h>

static const unsigned char magic[4] = {0x0f, 0x71, 0xe2, 0x3a};

enum { ID_NONE = 0x40, ID_ARTEFACT = 0x80 };

static bool is_id(unsigned id)
{
    return id == 1 || id == 2 || id == 4 || id == 8 || id == ID_NONE || id == ID_ARTEFACT;
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

/* [p, p + 14) is a record from its first to its last byte. */
static bool is_record(const unsigned char *p)
{
    return memcmp(p, magic, sizeof magic) == 0 && p[4] >= 'A' && p[4] <= 'Z' && p[5] == '-' &&
           is_digit(p[6]) && is_digit(p[7]) && is_digit(p[8]) && is_id(p[13]);
}

/* Whether the n bytes at p can still become a record. */
static bool may_be_record(const unsigned char *p, size_t n)
{
    unsigned char whole[SPK_INTAN_RECORD] = {0, 0, 0, 0, 'A', '-', '0', '0', '0', 0, 0, 0, 0, 1};
    memcpy(whole, magic, sizeof magic);
    memcpy(whole, p, n < sizeof whole ? n : sizeof whole);
    return is_record(whole);
}

/* What a sample of 32 bits means behind the newest one. */
typedef enum step { STEP_ON, STEP_WRAP, STEP_RESTART } step;

static step unwind(const spk_intan_records *r, uint32_t raw, uint64_t second, int64_t *time)
{
    const int64_t round = (int64_t)1 << 32;
    const int64_t by = (int64_t)raw - (int64_t)r->raw;
    *time = r->time + by;
    if (!r->any) {
        *time = raw;
        return STEP_ON;
    }
    if (by >= 0) { /* a late one from before the wrap? */
        if (by > round - (int64_t)second)
            *time -= round;
        return STEP_ON;
    }
    if (-by <= (int64_t)second)
        return STEP_ON;
    *time += round;
    if (by + round <= round / 4)
        return STEP_WRAP;
    *time = raw;
    return STEP_RESTART;
}

static uint32_t read_u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* False: what was gathered must go first, or *status failed. */
static bool take_record(spk_intan_records *r, spk_collector *c, const unsigned char *p,
                        spk_status *status)
{
    const spk_rate rate = c->rate;
    const uint64_t second = rate.denominator == 0 || rate.numerator / rate.denominator > (1u << 28)
                                ? 30000
                                : rate.numerator / rate.denominator;
    const uint32_t raw = read_u32(p + 9);
    char label[12];
    int64_t time = 0;
    uint32_t unit = 0;
    const step kind = unwind(r, raw, second, &time);
    if (kind == STEP_RESTART && !spk_collect_restart(c, time))
        return false;
    const int n = p[13] == ID_NONE
                      ? snprintf(label, sizeof label, "%.5s", (const char *)p + 4)
                      : snprintf(label, sizeof label, "%.5s/%u", (const char *)p + 4, p[13]);
    c->facts.wraps += kind == STEP_WRAP;
    if (!r->any || kind == STEP_RESTART || time >= r->time) {
        r->any = true;
        r->raw = raw;
        r->time = time;
    }
    const bool is_spike = p[13] != ID_ARTEFACT;
    if (is_spike && !spk_collect_label(c, label, (size_t)n, &unit, status)) {
        c->facts.garbage += SPK_INTAN_RECORD - 1; /* it is counted in bytes here */
        return *status == SPK_OK;
    }
    c->facts.messages++;
    c->facts.other += !is_spike;
    if (is_spike)
        spk_collect(c, time, unit);
    return true;
}

/* The bytes from p on that begin no record. */
static size_t count_garbage(const unsigned char *p, size_t n)
{
    size_t k = 1;
    while (k < n) {
        const unsigned char *next = memchr(p + k, magic[0], n - k);
        if (next == NULL)
            return n;
        k = (size_t)(next - p);
        if (may_be_record(p + k, n - k))
            return k;
        k++;
    }
    return n;
}

spk_status spk_intan_records_take(void *parser, spk_collector *collector, const char *bytes,
                                  size_t n, bool urge, size_t *taken)
{
    (void)urge;
    spk_intan_records *r = parser;
    const unsigned char *p = (const unsigned char *)bytes;
    spk_status status = SPK_OK;
    size_t at = 0;
    while (at < n && !spk_collector_full(collector)) {
        if (!may_be_record(p + at, n - at)) {
            const size_t skipped = count_garbage(p + at, n - at);
            spk_collect_garbage(collector, skipped, bytes + at, skipped,
                                "no record of RHX begins here");
            collector->facts.gaps += !r->lost_step;
            r->lost_step = true;
            at += skipped;
        } else if (n - at < SPK_INTAN_RECORD) {
            break;
        } else {
            if (!take_record(r, collector, p + at, &status))
                break;
            r->lost_step = false;
            at += SPK_INTAN_RECORD;
        }
    }
    *taken = at;
    return status;
}

void spk_intan_records_renew(void *parser)
{
    ((spk_intan_records *)parser)->lost_step = false;
}
