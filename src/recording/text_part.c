/*
 * A part of a text by time. Ranks read the lines of theirs together where they can (text_share.c).
 * Else every part reads all lines, and keeps few of them: those of its own stretch, and before them
 * what is in reach. Lines belong to a part by the byte at which they begin, and a stretch begins at
 * the time of its first line, so that events at one time stay together. While reading, the column
 * holds
 *
 *     first event of the file | margin and own | first event behind them | last event so far
 *
 * so that extent and borders are rescaled with it when finer digits come.
 */
#include <assert.h>
#include <string.h>

#include "recording/part.h"
#include "recording/text_reader.h"

enum { LOOK_FIRST = 1 << 16 };

static const uint64_t NONE = UINT64_MAX;

void spk_text_part_begin(spk_text_reader *reader)
{
    const spk_read_part *wanted = reader->options->part;
    uint64_t size = spk_input_plain_size(reader->input);
    if (reader->part.whole || size == 0 || !spk_part_is_wanted(reader->options) ||
        reader->comments.n_segments > 1)
        return;
    unsigned __int128 bytes = size;
    reader->part.on = true;
    reader->part.from = (uint64_t)(bytes * (unsigned)wanted->number / (unsigned)wanted->n);
    reader->part.to = (uint64_t)(bytes * ((unsigned)wanted->number + 1) / (unsigned)wanted->n);
    if (wanted->number + 1 == wanted->n)
        reader->part.to = NONE;
    reader->part.own = reader->part.end = NONE;
    reader->part.look_next = LOOK_FIRST;
}

uint64_t spk_text_part_reach(const spk_text_reader *reader)
{
    return spk_part_reach(reader->options->part, spk_text_column_rate(reader));
}

/* Left of its own stretch: drops what no episode reaches back to any more. */
static void drop_out_of_reach(spk_text_reader *reader)
{
    spk_tick_column *times = &reader->times;
    uint64_t reach = spk_text_part_reach(reader);
    uint64_t keep = 1;
    uint64_t now = (uint64_t)times->ticks[times->n - 1];
    while (now - (uint64_t)times->ticks[keep] > reach)
        keep++;
    memmove(times->ticks + 1, times->ticks + keep, (times->n - keep) * sizeof *times->ticks);
    memmove(reader->unit + 1, reader->unit + keep, (times->n - keep) * sizeof *reader->unit);
    times->n -= keep - 1;
    reader->part.look_next = 2 * times->n + LOOK_FIRST;
}

/* The first event of the file stands twice. */
static void take_first(spk_text_reader *reader)
{
    spk_tick_column *times = &reader->times;
    assert(times->capacity > 1);
    times->ticks[1] = times->ticks[0];
    reader->unit[1] = reader->unit[0];
    times->n = 2;
}

void spk_text_part_take(spk_text_reader *reader, uint64_t at)
{
    spk_tick_column *times = &reader->times;
    spk_text_part *part = &reader->part;
    if (times->n == 1)
        take_first(reader);
    uint64_t last = times->n - 1;
    if (part->end == NONE && at >= part->to)
        part->end = last;
    if (part->end != NONE && last > part->end + 1) {
        times->ticks[part->end + 1] = times->ticks[last];
        reader->unit[part->end + 1] = reader->unit[last];
        times->n = part->end + 2;
    }
    if (part->end == NONE && part->own == NONE && at >= part->from)
        part->own = last;
    if (part->end == NONE && part->own == NONE && times->n >= part->look_next)
        drop_out_of_reach(reader);
}

spk_text_kept spk_text_part_end(const spk_text_reader *reader)
{
    const int64_t *time = reader->times.ticks;
    const spk_text_part *part = &reader->part;
    spk_text_kept kept = {.last = reader->times.n};
    if (!part->on)
        return kept;
    if (part->shared) {
        kept = part->kept;
        kept.own = time[part->own];
        return kept;
    }
    if (part->own == NONE) /* nothing is its own */
        return (spk_text_kept){.first = 0, .last = 0};
    uint64_t reach = spk_text_part_reach(reader);
    kept = (spk_text_kept){1, part->end != NONE ? part->end : reader->times.n, time[part->own]};
    while (part->end != NONE && kept.last > 1 && time[kept.last - 1] >= time[part->end])
        kept.last--;
    if (part->end != NONE && kept.own >= time[part->end])
        return (spk_text_kept){.first = 0, .last = 0};
    while (kept.first < part->own && (uint64_t)kept.own - (uint64_t)time[kept.first] > reach)
        kept.first++;
    assert(kept.first <= part->own && part->own < kept.last);
    return kept;
}
