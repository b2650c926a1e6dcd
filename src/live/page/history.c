/* What the page remembers of the stream. */
#include "live/page/history.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

spk_status history_open(spk_context *context, history *h, uint64_t capacity, uint64_t span)
{
    memset(h, 0, sizeof *h);
    h->capacity = capacity;
    h->span = span;
    return spk_alloc_columns(
        context, "the history of a page", SPK_COLUMN(&h->place, capacity),
        SPK_COLUMN(&h->unit, capacity), SPK_COLUMN(&h->segment, HISTORY_SEGMENTS),
        SPK_COLUMN(&h->occurrence, HISTORY_OCCURRENCES), SPK_COLUMN(&h->word, HISTORY_WORDS));
}

void history_close(history *h)
{
    spk_free_all(h->place, h->unit, h->segment, h->occurrence, h->word);
    memset(h, 0, sizeof *h);
}

/* ---- segments -------------------------------------------------------------------------------- */

static history_segment *segment_of(const history *h, uint64_t number)
{
    return &h->segment[number % HISTORY_SEGMENTS];
}

/* Ticks that wrap would be a lie about time; they end at the border instead. */
static int64_t add_ticks(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return a > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

static int64_t subtract_ticks(int64_t a, int64_t b)
{
    int64_t difference;
    if (__builtin_sub_overflow(a, b, &difference))
        return a > b ? INT64_MAX : INT64_MIN;
    return difference;
}

static int64_t place_of(const history *h, const history_segment *segment, int64_t time)
{
    return subtract_ticks(add_ticks(time, segment->offset), h->origin);
}

/* Drops the oldest segment; spikes without a segment go with it. */
static void drop_segment(history *h)
{
    h->oldest_segment++;
    const uint64_t first =
        h->oldest_segment < h->next_segment ? segment_of(h, h->oldest_segment)->first : h->next;
    if (h->oldest < first)
        h->oldest = first;
}

static void begin_at(history *h, uint64_t segment, uint64_t trial, int64_t start)
{
    if (!h->begun) {
        h->origin = start;
        h->begun = true;
    }
    int64_t offset = h->next_segment > 0 ? segment_of(h, h->next_segment - 1)->offset : 0;
    const int64_t last = add_ticks(h->newest, h->origin);
    if (add_ticks(start, offset) < last)
        offset = subtract_ticks(last, start);
    if (h->next_segment - h->oldest_segment == HISTORY_SEGMENTS)
        drop_segment(h);
    history_segment *made = segment_of(h, h->next_segment++);
    *made =
        (history_segment){.segment = segment, .trial = trial, .first = h->next, .offset = offset};
    made->start = place_of(h, made, start);
    if (made->start > h->newest)
        h->newest = made->start;
    h->announced = false;
}

void history_begin(history *h, uint64_t segment, uint64_t trial, bool has_start, int64_t start)
{
    if (has_start) {
        begin_at(h, segment, trial, start);
    } else {
        h->announced = true;
        h->announced_segment = segment;
        h->announced_trial = trial;
    }
}

const history_segment *history_segment_at(const history *h, int64_t place)
{
    for (uint64_t k = h->next_segment; k > h->oldest_segment && place <= h->newest; k--)
        if (segment_of(h, k - 1)->start <= place)
            return segment_of(h, k - 1);
    return NULL;
}

/* ---- spikes ---------------------------------------------------------------------------------- */

/* Forgets what is older than the span or finds no room, and segments that have ended by then. */
static void forget(history *h)
{
    if (h->next - h->oldest > h->capacity)
        h->oldest = h->next - h->capacity;
    while (h->oldest < h->next &&
           (uint64_t)subtract_ticks(h->newest, h->place[h->oldest % h->capacity]) > h->span)
        h->oldest++;
    while (h->next_segment - h->oldest_segment > 1 &&
           segment_of(h, h->oldest_segment + 1)->first <= h->oldest)
        h->oldest_segment++;
}

void history_add(history *h, uint64_t n, const int64_t *time, const uint32_t *unit)
{
    if (n == 0)
        return;
    if (h->announced || h->next_segment == 0)
        begin_at(h, h->announced_segment, h->announced_trial, time[0]);
    const history_segment *segment = segment_of(h, h->next_segment - 1);
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t at = h->next++ % h->capacity;
        h->place[at] = place_of(h, segment, time[k]);
        h->unit[at] = unit[k];
    }
    const int64_t last = h->place[(h->next - 1) % h->capacity];
    if (last > h->newest)
        h->newest = last;
    forget(h);
}

/* ---- occurrences ----------------------------------------------------------------------------- */

void history_add_occurrence(history *h, const history_occurrence *occurrence, const int64_t *time)
{
    assert(occurrence->size <= HISTORY_WORDS);
    while (h->oldest_occurrence < h->next_occurrence &&
           (h->next_occurrence - h->oldest_occurrence == HISTORY_OCCURRENCES ||
            h->next_word + occurrence->size -
                    h->occurrence[h->oldest_occurrence % HISTORY_OCCURRENCES].word >
                HISTORY_WORDS))
        h->oldest_occurrence++;
    history_occurrence *made = &h->occurrence[h->next_occurrence++ % HISTORY_OCCURRENCES];
    *made = *occurrence;
    made->word = h->next_word;
    for (uint64_t k = 0; k < occurrence->size; k++)
        h->word[h->next_word++ % HISTORY_WORDS] = time[k];
}

/* ---- for browsers ---------------------------------------------------------------------------- */

typedef struct writer {
    unsigned char *at;
} writer;

static void put_u32(writer *w, uint32_t value)
{
    for (int k = 0; k < 4; k++)
        *w->at++ = (unsigned char)(value >> (8 * k));
}

static void put_u64(writer *w, uint64_t value)
{
    put_u32(w, (uint32_t)value);
    put_u32(w, (uint32_t)(value >> 32));
}

static void put_real(writer *w, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u64(w, bits);
}

static void put_name(writer *w, const char *name)
{
    memcpy(w->at, name, 4);
    w->at += 4;
}

static void put_head(writer *w, const history *h, double server)
{
    put_name(w, "SPKH");
    put_u32(w, 1);
    put_real(w, server);
    put_real(w, (double)h->oldest);
    put_real(w, (double)h->next);
    put_real(w, (double)h->oldest_occurrence);
    put_real(w, (double)h->next_occurrence);
}

/* Spikes from `from` on that share a block: of one segment, and at most 2^32 - 1 ticks apart. */
static uint64_t block_of(const history *h, uint64_t from, uint64_t end,
                         const history_segment **segment)
{
    uint64_t k = h->oldest_segment;
    while (k + 1 < h->next_segment && segment_of(h, k + 1)->first <= from)
        k++;
    *segment = segment_of(h, k);
    if (k + 1 < h->next_segment && segment_of(h, k + 1)->first < end)
        end = segment_of(h, k + 1)->first;
    const int64_t base = h->place[from % h->capacity];
    uint64_t n = 1;
    while (from + n < end &&
           (uint64_t)h->place[(from + n) % h->capacity] - (uint64_t)base <= UINT32_MAX)
        n++;
    return n;
}

static void put_block(writer *w, const history *h, uint64_t from, uint64_t n,
                      const history_segment *segment)
{
    const int64_t base = h->place[from % h->capacity];
    put_name(w, "SPKS");
    put_u32(w, (uint32_t)n);
    put_real(w, (double)from);
    put_real(w, (double)segment->segment);
    put_real(w, (double)segment->start);
    put_real(w, (double)base);
    put_u64(w, (uint64_t)segment->offset);
    for (uint64_t k = from; k < from + n; k++)
        put_u32(w, (uint32_t)((uint64_t)h->place[k % h->capacity] - (uint64_t)base));
    for (uint64_t k = from; k < from + n; k++)
        put_u32(w, h->unit[k % h->capacity]);
}

/* Segments in which occurrences lie come in order; the one of an occurrence may be forgotten, or
 * not have begun yet. */
static const history_segment *segment_named(const history *h, uint64_t segment)
{
    for (uint64_t k = h->next_segment; k > h->oldest_segment; k--)
        if (segment_of(h, k - 1)->segment <= segment)
            return segment_of(h, k - 1)->segment == segment ? segment_of(h, k - 1) : NULL;
    return NULL;
}

static bool is_to_come(const history *h, uint64_t segment)
{
    return h->next_segment == 0 || segment > segment_of(h, h->next_segment - 1)->segment;
}

/* Occurrences [from, *end) that can be told, until they take `most` bytes, and their bytes; those
 * of a segment that has not begun wait. */
static size_t measure_occurrences(const history *h, uint64_t from, uint64_t most, uint64_t *end)
{
    size_t bytes = HISTORY_OCCURRENCES_HEAD;
    uint64_t k = from;
    for (; k < h->next_occurrence && bytes < most; k++) {
        const history_occurrence *o = &h->occurrence[k % HISTORY_OCCURRENCES];
        if (is_to_come(h, o->segment))
            break;
        bytes += 16 + 8 * (size_t)o->size;
    }
    *end = k;
    return bytes;
}

/* One whose segment is forgotten lies before everything that is kept: its places are -1. */
static void put_occurrence(writer *w, const history *h, const history_occurrence *o)
{
    const history_segment *segment = segment_named(h, o->segment);
    put_u32(w, (uint32_t)o->item);
    put_u32(w, (uint32_t)o->size);
    put_real(w, (double)o->count);
    for (uint64_t k = 0; k < o->size; k++) {
        const int64_t time = h->word[(o->word + k) % HISTORY_WORDS];
        put_real(w, segment != NULL ? (double)place_of(h, segment, time) : -1);
    }
}

static void put_occurrences(writer *w, const history *h, uint64_t from, uint64_t end)
{
    put_name(w, "SPKO");
    put_u32(w, (uint32_t)(end - from));
    put_real(w, (double)from);
    for (uint64_t k = from; k < end; k++)
        put_occurrence(w, h, &h->occurrence[k % HISTORY_OCCURRENCES]);
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

spk_status history_write(const history *h, double server, uint64_t from, uint64_t from_occurrence,
                         uint64_t most, unsigned char **out, size_t *bytes)
{
    from = clamp(from, h->oldest, h->next);
    const uint64_t end = h->next - from > most ? from + most : h->next;
    from_occurrence = clamp(from_occurrence, h->oldest_occurrence, h->next_occurrence);
    uint64_t end_occurrence;
    size_t needed =
        HISTORY_HEAD + measure_occurrences(h, from_occurrence, 8 * most, &end_occurrence);
    const history_segment *segment;
    for (uint64_t k = from, n; k < end; k += n) {
        n = block_of(h, k, end, &segment);
        needed += HISTORY_SPIKES_HEAD + 8 * (size_t)n;
    }
    spk_status status = spk_alloc(NULL, out, needed, "an answer of the page");
    if (status != SPK_OK)
        return status;
    writer w = {*out};
    put_head(&w, h, server);
    for (uint64_t k = from, n; k < end; k += n) {
        n = block_of(h, k, end, &segment);
        put_block(&w, h, k, n, segment);
    }
    put_occurrences(&w, h, from_occurrence, end_occurrence);
    assert((size_t)(w.at - *out) == needed);
    *bytes = needed;
    return SPK_OK;
}
