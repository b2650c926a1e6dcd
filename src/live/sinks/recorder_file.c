/*
 * What stands round the spikes of a recording.
 *
 * Comments about segments and silent units must stand before the first event, but are known at the
 * end only. So the file grows with a short head; where comments are needed at the end, it is copied
 * behind a longer one, and else it only gets its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/utf8.h"
#include "live/sinks/recorder.h"
#include "recording/read_text.h"
#include "recording/text_line.h"

/* ---- files ----------------------------------------------------------------------------------- */

bool live_recorder_ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcasecmp(path + n - m, ending) == 0;
}

/* ---- the head ---------------------------------------------------------------------------------
 */

static void write_head(const spk_live_recorder *r, FILE *file)
{
    if (r->decimals < 0) {
        fprintf(file, SPK_TEXT_SAMPLES_COMMENT "%" PRIu64, r->rate.numerator);
        if (r->rate.denominator != 1)
            fprintf(file, "/%" PRIu64, r->rate.denominator);
        fputc('\n', file);
    }
}

static void write_header(const spk_live_recorder *r, FILE *file)
{
    fprintf(file, "%s\tunit\n", r->decimals < 0 ? "sample" : "time_s");
}

spk_status live_recorder_put_head(spk_live_recorder *r)
{
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    if (file != NULL) {
        write_head(r, file);
        write_header(r, file);
    }
    if (!spk_close_text(file, &text))
        return spk_fail(r->context, SPK_ERR_MEMORY, "out of memory; close other programs");
    live_recorder_put(r, text, n);
    r->head = n;
    free(text);
    return SPK_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* A tick, or the exact time where it lies between two. */
static void write_border(FILE *file, bool given, spk_duration time, int64_t tick)
{
    char text[48];
    if (given) {
        spk_duration_format(time, text, sizeof text);
        fprintf(file, " %s%s", text, strcmp(text, "0") == 0 ? "s" : "");
    } else {
        fprintf(file, " %" PRId64, tick);
    }
}

/* How many trials the segments are parts of; 0 where each is one, in order, as readers take them.
 */
static uint64_t count_trials(const spk_live_recorder *r)
{
    uint64_t n = 0;
    bool plain = true;
    for (uint64_t k = 0; k < r->n_segments; k++) {
        const live_recorder_segment *s = &r->segment[k];
        const uint64_t least = s->n_trials > 0 ? s->n_trials : s->trial + 1;
        n = least > n ? least : n;
        plain = plain && s->trial == k;
    }
    return plain && n == r->n_segments ? 0 : n;
}

static void write_segments(FILE *file, const spk_live_recorder *r)
{
    const bool single = r->n_segments == 1;
    const uint64_t n_trials = count_trials(r);
    for (uint64_t k = 0; k < r->n_segments; k++) {
        const live_recorder_segment *s = &r->segment[k];
        if (single && !s->has_start && !s->has_stop)
            return; /* observed from the first to the last event */
        fputs("# spikemine segment", file);
        if (single && !s->has_start)
            fputs(" -", file);
        else
            write_border(file, s->has_start, s->start, s->first);
        if (single && !s->has_stop)
            fputs(" -", file);
        else
            write_border(file, s->has_stop, s->stop, s->begun ? s->last + 1 : s->first);
        if (n_trials > 0)
            fprintf(file, " %" PRIu64 " %" PRIu64, s->trial + 1, n_trials);
        fputc('\n', file);
    }
    if (r->n_segments == 0)
        fputs("# spikemine segment 0 0\n", file); /* nothing came */
}

static bool has_fired(const spk_live_recorder *r, uint32_t unit)
{
    return unit < r->unit_capacity && r->unit[unit].fired;
}

/* What the end knows and the short head lacks. */
static void write_comments(FILE *file, const spk_live_recorder *r)
{
    write_segments(file, r);
    for (uint32_t u = 0; u < spk_live_stream_n_units(r->stream); u++) {
        const char *label = spk_live_stream_label(r->stream, u);
        if (has_fired(r, u) || !spk_utf8_is_text(label, strlen(label)))
            continue;
        fputs(SPK_TEXT_UNIT_COMMENT, file);
        spk_text_write_label(file, label);
        fputc('\n', file);
    }
}

static bool is_compressed(const char *path)
{
    return live_recorder_ends_in(path, ".gz") || live_recorder_ends_in(path, ".bz2") ||
           live_recorder_ends_in(path, ".xz") || live_recorder_ends_in(path, ".zst");
}

/* The bytes of the part behind its head. */
static spk_status copy_body(spk_live_recorder *r, spk_output *output)
{
    spk_status status = SPK_OK;
    ssize_t n = 1;
    int from = open(r->part, O_RDONLY | O_CLOEXEC);
    if (from < 0 || lseek(from, (off_t)r->head, SEEK_SET) < 0)
        status =
            spk_fail(r->context, SPK_ERR_IO, "%s: cannot be read: %s", r->part, strerror(errno));
    while (status == SPK_OK && n > 0) {
        n = read(from, r->buffer, LIVE_RECORDER_BUFFER_BYTES);
        if (n > 0)
            status = spk_output_write(r->context, output, r->buffer, (size_t)n);
        else if (n < 0)
            status = spk_fail(r->context, SPK_ERR_IO, "%s: cannot be read: %s", r->part,
                              strerror(errno));
    }
    if (from >= 0)
        close(from);
    return status;
}

static spk_status copy(spk_live_recorder *r, const char *comments)
{
    spk_output *output = NULL;
    spk_status status = spk_output_open(r->context, r->path, &output);
    if (status != SPK_OK)
        return status;
    FILE *file = spk_output_stream(output);
    write_head(r, file);
    fputs(comments, file);
    write_header(r, file);
    status = spk_output_flush(r->context, output);
    if (status == SPK_OK)
        status = copy_body(r, output);
    if (status != SPK_OK) {
        spk_output_discard(output);
        return status;
    }
    status = spk_output_commit(r->context, output);
    if (status == SPK_OK)
        unlink(r->part);
    return status;
}

static spk_status rename_part(spk_live_recorder *r)
{
    if (fsync(r->descriptor) == 0 || errno == EINVAL || errno == EROFS)
        if (rename(r->part, r->path) == 0)
            return SPK_OK;
    return spk_fail(r->context, SPK_ERR_IO, "%s: cannot get its name: %s; the spikes are in %s",
                    r->path, strerror(errno), r->part);
}

spk_status live_recorder_finish(spk_live_recorder *r)
{
    char *comments = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&comments, &n);
    if (file != NULL)
        write_comments(file, r);
    if (!spk_close_text(file, &comments))
        return spk_fail(r->context, SPK_ERR_MEMORY, "out of memory; the spikes are in %s", r->part);
    spk_status status = n > 0 || is_compressed(r->path) ? copy(r, comments) : rename_part(r);
    free(comments);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

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
