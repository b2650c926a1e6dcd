/* From the feeding thread to the serving one: a buffer that is filled, and one that is read. */
#include "live/page/page.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

spk_status inbox_open(spk_context *context, inbox *box)
{
    memset(box, 0, sizeof *box);
    if (pthread_mutex_init(&box->lock, NULL) != 0)
        return spk_fail(context, SPK_ERR_MEMORY, "a lock of the page cannot be made");
    box->usable = true;
    return spk_alloc_columns(context, "the page of a live stream",
                             SPK_COLUMN(&box->filling, INBOX_BYTES),
                             SPK_COLUMN(&box->reading, INBOX_BYTES));
}

void inbox_close(inbox *box)
{
    if (box->usable)
        pthread_mutex_destroy(&box->lock);
    free(box->filling);
    free(box->reading);
    memset(box, 0, sizeof *box);
}

bool inbox_put(inbox *box, inbox_kind kind, const inbox_part *part, size_t n_parts)
{
    size_t bytes = 0;
    for (size_t k = 0; k < n_parts; k++)
        bytes += part[k].n;
    const size_t room = kind == INBOX_SPIKES ? INBOX_BYTES - INBOX_RESERVE : INBOX_BYTES;
    const size_t needed = sizeof(inbox_record) + padded(bytes);
    if (needed > room)
        return false;
    const inbox_record record = {.kind = (uint32_t)kind, .bytes = (uint32_t)bytes};
    pthread_mutex_lock(&box->lock);
    const bool fits = box->n + needed <= room;
    if (fits) {
        unsigned char *at = box->filling + box->n;
        memcpy(at, &record, sizeof record);
        at += sizeof record;
        for (size_t k = 0; k < n_parts; k++) {
            if (part[k].n > 0)
                memcpy(at, part[k].bytes, part[k].n);
            at += part[k].n;
        }
        box->n += needed;
    }
    pthread_mutex_unlock(&box->lock);
    return fits;
}

const unsigned char *inbox_take(inbox *box, size_t *bytes)
{
    unsigned char *empty = box->reading;
    pthread_mutex_lock(&box->lock);
    box->reading = box->filling;
    box->filling = empty;
    *bytes = box->n;
    box->n = 0;
    pthread_mutex_unlock(&box->lock);
    return box->reading;
}

bool inbox_next(const unsigned char *bytes, size_t n, size_t *at, inbox_record *record,
                const unsigned char **body)
{
    if (*at >= n)
        return false;
    memcpy(record, bytes + *at, sizeof *record);
    *body = bytes + *at + sizeof *record;
    *at += sizeof *record + padded(record->bytes);
    assert(*at <= n);
    return true;
}
