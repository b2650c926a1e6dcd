/* The recorder's bytes: a buffer before PATH.part, times, and labels as text has them. */
#include "live/sinks/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
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

/* What is known of a unit, from the first time on; NULL after a failure. */
static live_recorder_unit *find_unit(spk_live_recorder *r, uint32_t unit)
{
    const uint64_t before = r->unit_capacity;
    if (unit >= before) {
        const spk_stage stage = spk_stage_open(r->context);
        const spk_status status =
            spk_grow(r->context, &r->unit, &r->unit_capacity, (uint64_t)unit + 1, "labels");
        spk_stage_keep(r->context, &stage, &r->holding);
        if (status != SPK_OK) {
            live_recorder_fail(r, SPK_ERR_MEMORY, "out of memory");
            return NULL;
        }
        memset(r->unit + before, 0, (r->unit_capacity - before) * sizeof *r->unit);
    }
    live_recorder_unit *known = &r->unit[unit];
    if (known->known)
        return known;
    const char *label = spk_live_stream_label(r->stream, unit);
    if (label == NULL || !spk_utf8_is_text(label, strlen(label))) {
        live_recorder_fail(
            r, SPK_ERR_FORMAT,
            "a label is not UTF-8 text or has control bytes, which no text recording can "
            "hold");
        return NULL;
    }
    *known = (live_recorder_unit){.known = true, .quoted = spk_text_label_needs_quotes(label)};
    return known;
}

static void put_quoted(spk_live_recorder *r, const char *label)
{
    live_recorder_put(r, "\"", 1);
    while (*label != '\0') {
        const size_t n = strcspn(label, "\"");
        live_recorder_put(r, label, n);
        label += n;
        if (*label == '"')
            live_recorder_put(r, "\"\"", 2);
        label += *label == '"';
    }
    live_recorder_put(r, "\"", 1);
}

void live_recorder_put_spike(spk_live_recorder *r, int64_t tick, uint32_t unit, bool is_late)
{
    char text[32];
    live_recorder_unit *known = find_unit(r, unit);
    if (known == NULL)
        return;
    known->fired |= !is_late;
    if (is_late)
        live_recorder_put(r, "# late ", 7);
    const char *label = spk_live_stream_label(r->stream, unit);
    const size_t n = live_recorder_format_tick(r, tick, text);
    text[n] = '\t';
    live_recorder_put(r, text, n + 1);
    if (known->quoted)
        put_quoted(r, label);
    else
        live_recorder_put(r, label, strlen(label));
    live_recorder_put(r, "\n", 1);
}
