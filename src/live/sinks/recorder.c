/*
 * The recorder: the spikes of a stream as a text recording.
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

#include "base/fraction.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/utf8.h"
#include "live/sinks/line.h"
#include "recording/read_text.h"
#include "recording/text_comment.h"
#include "spikemine/live_session.h"

enum { BUFFER_BYTES = 1 << 18 };

/* A segment as it was written: behind the one before it. */
typedef struct segment {
    uint64_t number; /* in the stream */
    bool begun;      /* it has a spike */
    bool has_start;
    bool has_stop;
    spk_duration start; /* as the source gave them, later by `seconds` */
    spk_duration stop;
    int64_t first; /* ticks of its first and last spike, later by `shift` */
    int64_t last;
    int64_t shift;
    int64_t seconds; /* the same */
} segment;

/* A unit's label as it stands in the file. */
typedef struct unit_text {
    char *text; /* NULL: not needed yet */
    size_t length;
    bool fired; /* a spike of it stands in the file */
} unit_text;

struct spk_live_recorder {
    spk_context *context;
    spk_live_stream *stream;
    char *path;
    char *part; /* PATH.part */
    int descriptor;
    bool added; /* it is a sink of the stream */
    spk_rate rate;
    int decimals;  /* of seconds; -1: times are ticks */
    uint64_t head; /* bytes of the short head */
    char *buffer;
    size_t used;
    unit_text *unit;
    uint64_t unit_capacity;
    segment *segment;
    uint64_t n_segments;
    uint64_t segment_capacity;
    uint64_t accepted;
    spk_status status; /* the first failure; nothing is written after it */
    char problem[512];
};

/* ---- writing --------------------------------------------------------------------------------- */

/* Failures are kept, since the stream goes on without its recorder. */
static void keep_failure(spk_live_recorder *r, spk_status status, const char *what)
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

static void write_out(spk_live_recorder *r)
{
    for (size_t at = 0; at < r->used && r->status == SPK_OK;) {
        ssize_t done = write(r->descriptor, r->buffer + at, r->used - at);
        if (done >= 0)
            at += (size_t)done;
        else if (errno != EINTR)
            keep_failure(r, SPK_ERR_IO, strerror(errno));
    }
    r->used = 0;
}

static void put(spk_live_recorder *r, const char *text, size_t n)
{
    if (r->used + n > BUFFER_BYTES)
        write_out(r);
    if (n > BUFFER_BYTES) {
        keep_failure(r, SPK_ERR_RANGE, "a label is too long");
        return;
    }
    memcpy(r->buffer + r->used, text, n);
    r->used += n;
}

/* The digits of a tick: seconds with a fixed number of decimals, or the tick. */
static size_t format_tick(const spk_live_recorder *r, int64_t tick, char *text)
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
static unit_text *text_of_unit(spk_live_recorder *r, uint32_t unit)
{
    const uint64_t before = r->unit_capacity;
    if (unit >= before &&
        spk_grow(NULL, &r->unit, &r->unit_capacity, (uint64_t)unit + 1, "labels") != SPK_OK) {
        keep_failure(r, SPK_ERR_MEMORY, "out of memory");
        return NULL;
    }
    for (uint64_t k = before; k < r->unit_capacity; k++)
        r->unit[k] = (unit_text){NULL, 0, false};
    unit_text *text = &r->unit[unit];
    if (text->text != NULL)
        return text;
    const char *label = spk_live_stream_label(r->stream, unit);
    if (label == NULL || !spk_utf8_is_text(label, strlen(label))) {
        keep_failure(r, SPK_ERR_FORMAT,
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
    if (file == NULL || fclose(file) != 0) {
        keep_failure(r, SPK_ERR_MEMORY, "out of memory");
        return NULL;
    }
    return text;
}

static void put_spike(spk_live_recorder *r, int64_t tick, uint32_t unit, bool is_late)
{
    char text[32];
    unit_text *label = text_of_unit(r, unit);
    if (label == NULL)
        return;
    label->fired |= !is_late;
    put(r, text, format_tick(r, tick, text));
    put(r, label->text, label->length);
}

/* ---- segments -------------------------------------------------------------------------------- */

/* First tick behind a segment that was written. */
static int64_t end_of(const segment *s, spk_rate rate)
{
    if (s->has_stop)
        return spk_duration_first_tick(s->stop, rate);
    return s->begun ? s->last + 1 : spk_duration_first_tick(s->start, rate);
}

/* Makes the segment later where it would begin at `begin`, before the end of the last one. */
static void place_segment(spk_live_recorder *r, segment *s, int64_t begin)
{
    char note[160];
    const segment *before = r->n_segments > 1 ? &r->segment[r->n_segments - 2] : NULL;
    const int64_t end = before != NULL ? end_of(before, r->rate) : begin;
    if (begin >= end)
        return;
    /* Seconds in steps that are whole numbers of ticks. */
    __int128 steps =
        ((__int128)end - begin + (int64_t)r->rate.numerator - 1) / (int64_t)r->rate.numerator;
    __int128 shift = steps * (int64_t)r->rate.numerator;
    __int128 seconds = steps * (int64_t)r->rate.denominator;
    if (shift > INT64_MAX || seconds > INT64_MAX ||
        (s->has_start && !spk_duration_add_seconds(s->start, (int64_t)seconds, &s->start)) ||
        (s->has_stop && !spk_duration_add_seconds(s->stop, (int64_t)seconds, &s->stop))) {
        keep_failure(r, SPK_ERR_RANGE, "the times of all segments together need more than 64 bits");
        return;
    }
    s->shift = (int64_t)shift;
    s->seconds = (int64_t)seconds;
    int n = snprintf(note, sizeof note,
                     "# segment %" PRIu64 " is written %" PRId64 " s later than it came\n",
                     r->n_segments, s->seconds);
    put(r, note, (size_t)n);
    spk_note(r->context,
             "%s: segment %" PRIu64 " begins before the end of the one before it; it is written "
             "%" PRId64 " s later than it came",
             r->path, r->n_segments, s->seconds);
}

static void begin_segment(spk_live_recorder *r, const spk_live_batch *batch)
{
    if (spk_grow(NULL, &r->segment, &r->segment_capacity, r->n_segments + 1, "segments") !=
        SPK_OK) {
        keep_failure(r, SPK_ERR_MEMORY, "out of memory");
        return;
    }
    r->segment[r->n_segments++] = (segment){.number = batch->segment,
                                            .has_start = batch->has_start,
                                            .has_stop = batch->has_stop,
                                            .start = batch->start,
                                            .stop = batch->stop};
    segment *s = &r->segment[r->n_segments - 1];
    if (s->has_start)
        place_segment(r, s, spk_duration_first_tick(s->start, r->rate));
}

/* Forgets a segment of which nothing is known. */
static void end_segment(spk_live_recorder *r)
{
    const segment *s = &r->segment[r->n_segments - 1];
    if (!s->begun && !(s->has_start && s->has_stop))
        r->n_segments--;
}

static spk_status take_batch(void *user, const spk_live_batch *batch)
{
    spk_live_recorder *r = user;
    if (r->status != SPK_OK)
        return SPK_OK;
    if (batch->begins_segment)
        begin_segment(r, batch);
    if (r->n_segments == 0 || r->status != SPK_OK)
        return SPK_OK;
    segment *s = &r->segment[r->n_segments - 1];
    if (batch->n > 0 && !s->begun) {
        if (!s->has_start)
            place_segment(r, s, batch->time[0]);
        s->begun = true;
        s->first = batch->time[0] + s->shift;
    }
    for (uint64_t k = 0; k < batch->n && r->status == SPK_OK; k++)
        put_spike(r, batch->time[k] + s->shift, batch->unit[k], false);
    if (batch->n > 0)
        s->last = batch->time[batch->n - 1] + s->shift;
    r->accepted += batch->n;
    if (batch->ends_segment)
        end_segment(r);
    return SPK_OK;
}

static spk_status take_late(void *user, int64_t time, uint32_t unit)
{
    spk_live_recorder *r = user;
    if (r->status != SPK_OK)
        return SPK_OK;
    put(r, "# late ", 7);
    put_spike(r, time, unit, true);
    return SPK_OK;
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* How much later than it came a segment of the stream was written. */
static int64_t shift_of(const spk_live_recorder *r, uint64_t number)
{
    for (uint64_t k = r->n_segments; k-- > 0;)
        if (r->segment[k].number == number)
            return r->segment[k].shift;
    return 0;
}

spk_status spk_live_recorder_mark(spk_live_recorder *r, const spk_live_mark *mark)
{
    char time[32];
    const size_t n = strlen(mark->text);
    if (!spk_utf8_is_text(mark->text, n))
        return spk_fail(r->context, SPK_ERR_ARGUMENT,
                        "the text of a mark is not UTF-8, or has control characters");
    if (r->status != SPK_OK)
        return SPK_OK;
    put(r, "# mark ", 7);
    put(r, time, format_tick(r, mark->time + shift_of(r, mark->segment), time));
    put(r, " ", n > 0 ? 1 : 0);
    put(r, mark->text, n);
    put(r, "\n", 1);
    return SPK_OK;
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcasecmp(path + n - m, ending) == 0;
}

static spk_status check_path(spk_context *context, const char *path)
{
    static const char *const others[] = {".npz", ".npy", ".nwb", ".mat"};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        if (ends_in(path, others[k]))
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "%s: a live recording is text; name it .txt, and convert it afterwards",
                            path);
    return SPK_OK;
}

static spk_status create_part(spk_live_recorder *r)
{
    r->descriptor = open(r->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (r->descriptor >= 0)
        return SPK_OK;
    if (errno == EEXIST)
        return spk_fail(r->context, SPK_ERR_IO,
                        "%s: is there already, kept by a run that was cut off; give it another "
                        "name, or remove it",
                        r->part);
    return spk_fail(r->context, SPK_ERR_IO, "%s: cannot write here: %s; choose another place",
                    r->part, strerror(errno));
}

static int decimals_of(spk_rate rate)
{
    uint64_t power = 1;
    for (int decimals = 0; decimals <= 12 && rate.denominator == 1; decimals++, power *= 10)
        if (rate.numerator == power)
            return decimals;
    return -1;
}

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

static spk_status put_head(spk_live_recorder *r)
{
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    if (file != NULL) {
        write_head(r, file);
        write_header(r, file);
    }
    if (file == NULL || fclose(file) != 0) {
        free(text);
        return spk_fail(r->context, SPK_ERR_MEMORY, "out of memory; close other programs");
    }
    put(r, text, n);
    r->head = n;
    free(text);
    return SPK_OK;
}

spk_status spk_live_recorder_open(spk_context *context, spk_live_stream *stream, const char *path,
                                  spk_live_recorder **out)
{
    spk_live_recorder *r = NULL;
    *out = NULL;
    spk_status status = check_path(context, path);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &r, 1, "a recorder");
    if (status != SPK_OK)
        return status;
    r->context = context;
    r->stream = stream;
    r->descriptor = -1;
    r->rate = spk_live_stream_rate(stream);
    r->decimals = decimals_of(r->rate);
    const size_t n = strlen(path) + 1;
    status = spk_strdup(context, &r->path, path);
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "a recorder", SPK_COLUMN(&r->part, n + 5),
                                   SPK_COLUMN(&r->buffer, BUFFER_BYTES));
    if (status == SPK_OK) {
        snprintf(r->part, n + 5, "%s.part", path);
        status = create_part(r);
    }
    if (status == SPK_OK)
        status = put_head(r);
    if (status == SPK_OK)
        status = spk_live_stream_add_sink(context, stream, take_batch, r);
    if (status != SPK_OK) {
        if (r->descriptor >= 0)
            unlink(r->part);
        spk_live_recorder_discard(r);
        return status;
    }
    r->added = true;
    spk_live_stream_set_late_sink(stream, take_late, r);
    *out = r;
    return SPK_OK;
}

spk_status spk_live_recorder_flush(spk_live_recorder *recorder)
{
    write_out(recorder);
    if (recorder->status == SPK_OK)
        return SPK_OK;
    return spk_fail(recorder->context, recorder->status, "%s", recorder->problem);
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

static void write_segments(FILE *file, const spk_live_recorder *r)
{
    const bool single = r->n_segments == 1;
    for (uint64_t k = 0; k < r->n_segments; k++) {
        const segment *s = &r->segment[k];
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
    return ends_in(path, ".gz") || ends_in(path, ".bz2") || ends_in(path, ".xz") ||
           ends_in(path, ".zst");
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
        n = read(from, r->buffer, BUFFER_BYTES);
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

static spk_status finish(spk_live_recorder *r)
{
    char *comments = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&comments, &n);
    if (file != NULL)
        write_comments(file, r);
    if (file == NULL || fclose(file) != 0) {
        free(comments);
        return spk_fail(r->context, SPK_ERR_MEMORY, "out of memory; the spikes are in %s", r->part);
    }
    spk_status status = n > 0 || is_compressed(r->path) ? copy(r, comments) : rename_part(r);
    free(comments);
    return status;
}

spk_status spk_live_recorder_commit(spk_live_recorder *recorder)
{
    if (recorder == NULL)
        return SPK_OK;
    spk_status status = spk_live_recorder_flush(recorder);
    if (status == SPK_OK)
        status = finish(recorder);
    spk_live_recorder_discard(recorder);
    return status;
}

void spk_live_recorder_discard(spk_live_recorder *recorder)
{
    if (recorder == NULL)
        return;
    if (recorder->buffer != NULL && recorder->descriptor >= 0)
        write_out(recorder);
    if (recorder->descriptor >= 0)
        close(recorder->descriptor);
    if (recorder->added) {
        spk_live_stream_set_late_sink(recorder->stream, NULL, NULL);
        spk_live_stream_remove_sink(recorder->stream, take_batch, recorder);
    }
    for (uint64_t k = 0; k < recorder->unit_capacity; k++)
        free(recorder->unit[k].text);
    free(recorder->unit);
    free(recorder->segment);
    free(recorder->path);
    free(recorder->part);
    free(recorder->buffer);
    free(recorder);
}
