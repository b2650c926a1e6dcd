/* Numbers as bytes, the lowest first. */
#include "live/state.h"

#include <string.h>

#include "base/memory.h"

void live_put(live_writer *writer, const void *bytes, uint64_t n)
{
    if (writer->status == SPK_OK)
        writer->status = spk_grow(writer->context, &writer->bytes, &writer->capacity, writer->n + n,
                                  "the state of a live stream");
    if (writer->status != SPK_OK || n == 0)
        return;
    memcpy(writer->bytes + writer->n, bytes, n);
    writer->n += n;
}

void live_put_u64(live_writer *writer, uint64_t number)
{
    unsigned char bytes[8];
    for (int k = 0; k < 8; k++)
        bytes[k] = (unsigned char)(number >> 8 * k);
    live_put(writer, bytes, sizeof bytes);
}

void live_put_i64(live_writer *writer, int64_t number)
{
    live_put_u64(writer, (uint64_t)number);
}

void live_put_text(live_writer *writer, const char *text)
{
    uint64_t n = strlen(text);
    live_put_u64(writer, n);
    live_put(writer, text, n);
}

const char *live_get(live_reader *reader, uint64_t n)
{
    if (!live_require(reader, n <= reader->left))
        return NULL;
    const char *at = reader->at;
    reader->at += n;
    reader->left -= n;
    return at;
}

uint64_t live_get_u64(live_reader *reader)
{
    uint64_t number = 0;
    const char *at = live_get(reader, 8);
    for (int k = 0; at != NULL && k < 8; k++)
        number |= (uint64_t)(unsigned char)at[k] << 8 * k;
    return number;
}

int64_t live_get_i64(live_reader *reader)
{
    return (int64_t)live_get_u64(reader);
}

bool live_get_bool(live_reader *reader)
{
    uint64_t number = live_get_u64(reader);
    return live_require(reader, number <= 1) && number == 1;
}

uint64_t live_get_count(live_reader *reader, uint64_t size)
{
    uint64_t number = live_get_u64(reader);
    return live_require(reader, number <= reader->left / size) ? number : 0;
}

bool live_require(live_reader *reader, bool condition)
{
    if (!condition)
        reader->bad = true;
    return !reader->bad;
}
