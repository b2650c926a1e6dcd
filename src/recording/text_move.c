/*
 * Events that move between ranks which have read lines of one text. A rank's stretch begins at the
 * time of its first line, so that events at one time stay together, and ends where the stretch of
 * the next rank with lines begins. Its margin goes back from there as far as episodes reach. So
 * each rank sends the last of its events to ranks behind it:
 *
 *     lines of rank 0:   . . . . . . . . . .
 *     lines of rank 1:             [ margin ][. . . . . . . . .
 */
#include <assert.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "recording/text_share.h"

/* The next rank from k on that has lines; n_ranks: none. */
static int with_lines(const spk_text_sharing *s, int k)
{
    while (k < s->ranks->n_ranks && s->told[k].n_events == 0)
        k++;
    return k;
}

/* Whether any time belongs to rank k alone. */
static bool has_stretch(const spk_text_sharing *s, int k)
{
    int next = with_lines(s, k + 1);
    return s->told[k].n_events > 0 &&
           (next == s->ranks->n_ranks || s->told[next].first > s->told[k].first);
}

void spk_text_move_count(spk_text_sharing *s, uint64_t *to)
{
    const spk_tick_column *times = &s->reader->times;
    uint64_t reach = spk_text_part_reach(s->reader);
    int own = s->ranks->rank;
    int next = with_lines(s, own + 1);
    for (int k = 0; k < s->ranks->n_ranks; k++) {
        int64_t from = s->told[k].first;
        if (reach > (uint64_t)from - (uint64_t)INT64_MIN)
            from = INT64_MIN;
        else
            from = (int64_t)((uint64_t)from - reach);
        to[k] = k > own && has_stretch(s, k)
                    ? times->n - spk_first_i64(times->ticks, 0, times->n, from)
                    : 0;
    }
    s->n_own = times->n;
    if (next < s->ranks->n_ranks)
        s->n_own = spk_first_i64(times->ticks, 0, times->n, s->told[next].first);
}

static spk_status fail_reach(spk_context *context, spk_status status)
{
    return status == SPK_OK ? SPK_OK
                            : spk_fail(context, status, "the ranks cannot reach each other");
}

/* The events of ranks before this one, to the columns from number 1 on. */
static spk_status receive_margin(spk_context *context, const spk_text_sharing *s)
{
    const spk_ranks *ranks = s->ranks;
    uint64_t at = 1;
    spk_status status = SPK_OK;
    for (int j = 0; j < ranks->rank && status == SPK_OK; j++) {
        uint64_t n = s->counts[j * ranks->n_ranks + ranks->rank];
        if (n == 0)
            continue;
        status = ranks->receive(ranks->user, j, s->reader->times.ticks + at,
                                n * sizeof *s->reader->times.ticks);
        if (status == SPK_OK)
            status =
                ranks->receive(ranks->user, j, s->reader->unit + at, n * sizeof *s->reader->unit);
        at += n;
    }
    return fail_reach(context, status);
}

/* The last events of this rank's lines, which end before number `end`, to the ranks behind it. */
static spk_status send_margins(spk_context *context, const spk_text_sharing *s, uint64_t end)
{
    const spk_ranks *ranks = s->ranks;
    spk_status status = SPK_OK;
    for (int k = ranks->rank + 1; k < ranks->n_ranks && status == SPK_OK; k++) {
        uint64_t n = s->counts[ranks->rank * ranks->n_ranks + k];
        if (n == 0)
            continue;
        status = ranks->send(ranks->user, k, s->reader->times.ticks + end - n,
                             n * sizeof *s->reader->times.ticks);
        if (status == SPK_OK)
            status =
                ranks->send(ranks->user, k, s->reader->unit + end - n, n * sizeof *s->reader->unit);
    }
    return fail_reach(context, status);
}

/* Number in the column of the first event of its own stretch: some of them have come from ranks
 * before, with the time of its first line. */
static uint64_t first_own(const spk_text_sharing *s, uint64_t n_margin)
{
    const int64_t *time = s->reader->times.ticks;
    uint64_t own = 1 + n_margin;
    while (own > 1 && time[own - 1] == s->told[s->ranks->rank].first)
        own--;
    return own;
}

/* The first event of the file before the others, the last one behind them. */
static void put_ends(const spk_text_sharing *s, uint64_t n_margin)
{
    spk_tick_column *times = &s->reader->times;
    int first = with_lines(s, 0), last = first;
    assert(first < s->ranks->n_ranks);
    for (int k = first; k < s->ranks->n_ranks; k++)
        last = s->told[k].n_events > 0 ? k : last;
    times->n = 1 + n_margin + s->n_own;
    times->ticks[0] = s->told[first].first;
    times->ticks[times->n] = s->told[last].last;
    s->reader->unit[0] = s->reader->unit[times->n] = 0;
    times->n++;
}

spk_status spk_text_move(spk_context *context, spk_text_sharing *s)
{
    spk_text_reader *reader = s->reader;
    spk_tick_column *times = &reader->times;
    const uint64_t n_read = times->n;
    uint64_t n_margin = 0;
    for (int j = 0; j < s->ranks->rank; j++)
        n_margin += s->counts[j * s->ranks->n_ranks + s->ranks->rank];
    spk_status status =
        spk_grow_columns(context, &times->capacity, n_read + n_margin + 2, "events",
                         SPK_COLUMN(&times->ticks, 1), SPK_COLUMN(&reader->unit, 1));
    if (status != SPK_OK)
        return status;
    memmove(times->ticks + 1 + n_margin, times->ticks, n_read * sizeof *times->ticks);
    memmove(reader->unit + 1 + n_margin, reader->unit, n_read * sizeof *reader->unit);
    status = receive_margin(context, s);
    if (status == SPK_OK)
        status = send_margins(context, s, 1 + n_margin + n_read);
    put_ends(s, n_margin);
    reader->part.kept = (spk_text_kept){.first = 0, .last = 0};
    if (has_stretch(s, s->ranks->rank))
        reader->part.kept = (spk_text_kept){.first = 1, .last = times->n - 1};
    reader->part.own = first_own(s, n_margin);
    return status;
}
