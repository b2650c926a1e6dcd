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
#include "recording/text_comment.h"

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
