/* The recorder's bytes: a buffer before PATH.part, times, and labels as text has them. */
#include "live/sinks/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text_stream.h"
#include "base/utf8.h"
#include "recording/read_text.h"
#include "recording/text_comment.h"

void live_recorder_fail(spk_live_recorder *r, spk_status status, const char *what)
{
    if (r->status != SPK_OK)
        return;
    r->status = status;
    if (status == SPK_ERR_IO)
        snprintf(r->problem, sizeof r->problem, "%.400s: writing failed: %.60s; is the disk full?",
                 r->part, what);
    else
        snprintf(r->problem, sizeof r->problem, "%.400s: %.100s", r->part, what);
}

void live_recorder_write_out(spk_live_recorder *r)
{
    for (size_t at = 0; at < r->used && r->status == SPK_OK;) {
        ssize_t done = write(r->descriptor, r->buffer + at, r->used - at);
        if (done >= 0)
            at += (size_t)done;
        else if (errno != EINTR)
            live_recorder_fail(r, SPK_ERR_IO, strerror(errno));
    }
    r->used = 0;
}

void live_recorder_put(spk_live_recorder *r, const char *text, size_t n)
{
    while (n > 0) {
        if (r->used == LIVE_RECORDER_BUFFER_BYTES)
            live_recorder_write_out(r);
        const size_t room = LIVE_RECORDER_BUFFER_BYTES - r->used;
        const size_t some = n < room ? n : room;
        memcpy(r->buffer + r->used, text, some);
        r->used += some;
        text += some;
        n -= some;
    }
}

/* The digits of a tick: seconds with a fixed number of decimals, or the tick. */
size_t live_recorder_format_tick(const spk_live_recorder *r, int64_t tick, char *text)
{
    char digits[32];
    size_t n = 0, used = 0;
    uint64_t left = tick < 0 ? 0 - (uint64_t)tick : (uint64_t)tick;
    for (int k = 0; k < r->decimals; k++, left /= 10)
        digits[n++] = (char)('0' + left % 10);
    if (r->decimals > 0)
        digits[n++] = '.';
    do {
        digits[n++] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (tick < 0)
        digits[n++] = '-';
    while (n > 0)
        text[used++] = digits[--n];
    return used;
}

/* "TAB label NEWLINE", kept from the first time on; NULL after a failure. */
static live_recorder_unit *text_of_unit(spk_live_recorder *r, uint32_t unit)
{
    const uint64_t before = r->unit_capacity;
    if (unit >= before &&
        spk_grow(NULL, &r->unit, &r->unit_capacity, (uint64_t)unit + 1, "labels") != SPK_OK) {
        live_recorder_fail(r, SPK_ERR_MEMORY, "out of memory");
        return NULL;
    }
    for (uint64_t k = before; k < r->unit_capacity; k++)
        r->unit[k] = (live_recorder_unit){NULL, 0, false};
    live_recorder_unit *text = &r->unit[unit];
    if (text->text != NULL)
        return text;
    const char *label = spk_live_stream_label(r->stream, unit);
    if (label == NULL || !spk_utf8_is_text(label, strlen(label))) {
        live_recorder_fail(
            r, SPK_ERR_FORMAT,
            "a label is not UTF-8 text or has control bytes, which no text recording can "
            "hold");
        return NULL;
    }
    FILE *file = open_memstream(&text->text, &text->length);
    if (file != NULL) {
        fputc('\t', file);
        spk_text_write_label(file, label);
        fputc('\n', file);
    }
    if (!spk_close_text(file, &text->text)) {
        live_recorder_fail(r, SPK_ERR_MEMORY, "out of memory");
        return NULL;
    }
    return text;
}

void live_recorder_put_spike(spk_live_recorder *r, int64_t tick, uint32_t unit, bool is_late)
{
    char text[32];
    live_recorder_unit *label = text_of_unit(r, unit);
    if (label == NULL)
        return;
    label->fired |= !is_late;
    if (is_late)
        live_recorder_put(r, "# late ", 7);
    live_recorder_put(r, text, live_recorder_format_tick(r, tick, text));
    live_recorder_put(r, label->text, label->length);
}
