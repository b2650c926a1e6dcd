/* The recorder: the spikes of a stream as a text recording. */
#include "live/sinks/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/fraction.h"
#include "base/memory.h"
#include "base/utf8.h"

/* ---- segments -------------------------------------------------------------------------------- */

/* First tick behind a segment that was written. */
static int64_t end_of(const live_recorder_segment *s, spk_rate rate)
{
    if (s->has_stop)
        return spk_duration_first_tick(s->stop, rate);
    return s->begun ? s->last + 1 : spk_duration_first_tick(s->start, rate);
}

/* Makes the segment later where it would begin at `begin`, before the end of the last one. */
static void place_segment(spk_live_recorder *r, live_recorder_segment *s, int64_t begin)
{
    char note[160];
    const live_recorder_segment *before = r->n_segments > 1 ? &r->segment[r->n_segments - 2] : NULL;
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
        live_recorder_fail(r, SPK_ERR_RANGE,
                           "the times of all segments together need more than 64 bits");
        return;
    }
    s->shift = (int64_t)shift;
    s->seconds = (int64_t)seconds;
    int n = snprintf(note, sizeof note,
                     "# segment %" PRIu64 " is written %" PRId64 " s later than it came\n",
                     r->n_segments, s->seconds);
    live_recorder_put(r, note, (size_t)n);
    spk_note_again(r->context, &r->n_shifted,
                   "%s: segment %" PRIu64 " begins before the end of the one before it; it is "
                   "written %" PRId64 " s later than it came",
                   r->path, r->n_segments, s->seconds);
}

static void begin_segment(spk_live_recorder *r, const spk_live_batch *batch)
{
    const spk_stage stage = spk_stage_open(r->context);
    const spk_status status =
        spk_grow(r->context, &r->segment, &r->segment_capacity, r->n_segments + 1, "segments");
    spk_stage_keep(r->context, &stage, &r->holding);
    if (status != SPK_OK) {
        live_recorder_fail(r, SPK_ERR_MEMORY, "out of memory");
        return;
    }
    r->segment[r->n_segments++] = (live_recorder_segment){.number = batch->segment,
                                                          .trial = batch->trial,
                                                          .n_trials = batch->n_trials,
                                                          .has_start = batch->has_start,
                                                          .has_stop = batch->has_stop,
                                                          .start = batch->start,
                                                          .stop = batch->stop};
    live_recorder_segment *s = &r->segment[r->n_segments - 1];
    if (s->has_start)
        place_segment(r, s, spk_duration_first_tick(s->start, r->rate));
}

/* Forgets a segment of which nothing is known. */
static void end_segment(spk_live_recorder *r)
{
    const live_recorder_segment *s = &r->segment[r->n_segments - 1];
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
    live_recorder_segment *s = &r->segment[r->n_segments - 1];
    if (batch->n > 0 && !s->begun) {
        if (!s->has_start)
            place_segment(r, s, batch->time[0]);
        s->begun = true;
        s->first = batch->time[0] + s->shift;
    }
    for (uint64_t k = 0; k < batch->n && r->status == SPK_OK; k++)
        live_recorder_put_spike(r, batch->time[k] + s->shift, batch->unit[k], false);
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
    live_recorder_put_spike(r, time, unit, true);
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
    live_recorder_put(r, "# mark ", 7);
    live_recorder_put(r, time,
                      live_recorder_format_tick(r, mark->time + shift_of(r, mark->segment), time));
    live_recorder_put(r, " ", n > 0 ? 1 : 0);
    live_recorder_put(r, mark->text, n);
    live_recorder_put(r, "\n", 1);
    return SPK_OK;
}

/* ---- opening --------------------------------------------------------------------------------- */

static spk_status check_path(spk_context *context, const char *path)
{
    static const char *const others[] = {".npz", ".npy", ".nwb", ".mat"};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        if (live_recorder_ends_in(path, others[k]))
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
                                   SPK_COLUMN(&r->buffer, LIVE_RECORDER_BUFFER_BYTES));
    if (status == SPK_OK) {
        snprintf(r->part, n + 5, "%s.part", path);
        status = create_part(r);
    }
    if (status == SPK_OK)
        status = live_recorder_put_head(r);
    if (status == SPK_OK)
        status = spk_live_stream_add_sink(context, stream, take_batch, r);
    if (status != SPK_OK) {
        if (r->descriptor >= 0)
            unlink(r->part);
        spk_live_recorder_free(r);
        return status;
    }
    r->added = true;
    spk_live_stream_set_late_sink(stream, take_late, r);
    *out = r;
    return SPK_OK;
}

spk_status spk_live_recorder_flush(spk_live_recorder *recorder)
{
    live_recorder_write_out(recorder);
    if (recorder->status == SPK_OK)
        return SPK_OK;
    return spk_fail(recorder->context, recorder->status, "%s", recorder->problem);
}

/* ---- the end --------------------------------------------------------------------------------- */

spk_status spk_live_recorder_commit(spk_live_recorder *recorder)
{
    if (recorder == NULL)
        return SPK_OK;
    spk_status status = spk_live_recorder_flush(recorder);
    if (status == SPK_OK)
        status = live_recorder_finish(recorder);
    spk_live_recorder_free(recorder);
    return status;
}

void spk_live_recorder_free(spk_live_recorder *recorder)
{
    if (recorder == NULL)
        return;
    if (recorder->buffer != NULL && recorder->descriptor >= 0)
        live_recorder_write_out(recorder);
    if (recorder->descriptor >= 0)
        close(recorder->descriptor);
    if (recorder->added) {
        spk_live_stream_set_late_sink(recorder->stream, NULL, NULL);
        spk_live_stream_remove_sink(recorder->stream, take_batch, recorder);
    }
    spk_holding_release(&recorder->holding);
    spk_free_all(recorder->unit, recorder->segment, recorder->path, recorder->part,
                 recorder->buffer, recorder);
}
