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
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "recording/digest_state.h"
#include "recording/recording.h"
#include "recording/text_reader.h"
#include "recording/text_share.h"

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

/* ---- borders between ranks ------------------------------------------------------------------- */

/*
 * Where the lines of one rank end and those of the next begin: each should have as many lines, that
 * is events, so that no rank needs more memory than the others.
 *
 * Lines at the end of a long recording are longer than those at its beginning, since times get more
 * digits: 9.00513 and 999999.00513. So ranks count the lines in samples all over the file, and lay
 * the borders so that each has the same share of the lines expected between them:
 *
 *     lines in a sample:   300      280      240      200      180
 *     borders, 2 ranks:    |................|.....................|
 *
 * All ranks see the same samples, and so find the same borders. Each digests the whole file, which
 * takes less time than reading its share of the events: ranks that read different bytes of
 * different files of one size would make a recording that is none of these.
 */

enum { SAMPLE_BYTES = 1024, SAMPLES_OF_RANK = 16 };

/* Samples lie at equal distances from the first byte to the last; cells are what is between. */
typedef struct samples {
    uint64_t size; /* of the file */
    uint64_t n_cells;
    uint64_t *lines; /* n_cells + 1; at least 1 */
} samples;

static uint64_t place_of(const samples *s, uint64_t cell)
{
    const uint64_t n = s->n_cells > 0 ? s->n_cells : 1;
    return (uint64_t)((unsigned __int128)s->size * cell / n);
}

static spk_status take_sample(const spk_text_reader *reader, const samples *s, uint64_t k)
{
    char bytes[SAMPLE_BYTES];
    size_t n = 0;
    uint64_t at = place_of(s, k);
    at = at > SAMPLE_BYTES / 2 ? at - SAMPLE_BYTES / 2 : 0;
    if (s->size > SAMPLE_BYTES && at > s->size - SAMPLE_BYTES)
        at = s->size - SAMPLE_BYTES;
    spk_status status =
        spk_input_read_at(reader->context, reader->input, at, bytes, sizeof bytes, &n);
    s->lines[k] = 1;
    for (size_t b = 0; b < n; b++)
        s->lines[k] += bytes[b] == '\n';
    return status;
}

/* Lines expected in a cell, in some unit. */
static uint64_t weight_of(const samples *s, uint64_t cell)
{
    return s->lines[cell] + s->lines[cell + 1];
}

/* The byte before which k of n shares of the lines are expected. */
static uint64_t border(const samples *s, uint64_t k, uint64_t n)
{
    uint64_t all = 0, before = 0, cell = 0;
    for (uint64_t c = 0; c < s->n_cells; c++)
        all += weight_of(s, c);
    while (cell + 1 < s->n_cells && (before + weight_of(s, cell)) * n <= all * k)
        before += weight_of(s, cell++);
    uint64_t from = place_of(s, cell), length = place_of(s, cell + 1) - from;
    uint64_t part = all * k - before * n, whole = weight_of(s, cell) * n;
    return from + (uint64_t)((unsigned __int128)length * part / whole);
}

static spk_status digest_file(const spk_text_reader *reader, uint64_t size, char *hex)
{
    char *bytes = NULL;
    size_t n = 1;
    spk_digest_state digest;
    spk_digest_state_start(&digest);
    spk_status status = spk_alloc(reader->context, &bytes, SPK_TEXT_BUFFER, "a part of a text");
    for (uint64_t at = 0; status == SPK_OK && at < size && n > 0; at += n) {
        const uint64_t rest = size - at;
        const size_t wanted = rest < SPK_TEXT_BUFFER ? (size_t)rest : SPK_TEXT_BUFFER;
        status = spk_input_read_at(reader->context, reader->input, at, bytes, wanted, &n);
        if (status == SPK_OK)
            spk_digest_state_add(&digest, bytes, n);
    }
    spk_digest_state_end(&digest, hex);
    spk_free(reader->context, bytes);
    return status;
}

spk_status spk_text_lay_borders(spk_text_reader *reader, char *hex)
{
    const spk_read_part *wanted = reader->options->part;
    const uint64_t n = wanted->n > 1 ? (uint64_t)wanted->n : 1, k = (uint64_t)wanted->number;
    const uint64_t n_cells = n * SAMPLES_OF_RANK;
    uint64_t *lines = NULL;
    spk_status status = spk_alloc(reader->context, &lines, n_cells + 1, "samples of a text");
    const samples s = {
        .size = spk_input_plain_size(reader->input), .n_cells = n_cells, .lines = lines};
    for (uint64_t c = 0; c <= n_cells && status == SPK_OK; c++)
        status = take_sample(reader, &s, c);
    if (status == SPK_OK)
        status = digest_file(reader, s.size, hex);
    if (status == SPK_OK) {
        reader->part.from = border(&s, k, n);
        if (k + 1 < n)
            reader->part.to = border(&s, k + 1, n);
    }
    spk_free(reader->context, lines);
    return status;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static spk_status check_text(spk_text_reader *reader)
{
    const char *zero = memchr(reader->buffer, '\0', reader->filled);
    if (zero == NULL)
        return SPK_OK;
    uint64_t line = reader->line + !reader->inside;
    for (const char *at = reader->buffer; at < zero; at++)
        line += *at == '\n';
    return spk_fail(reader->context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64 ": a NUL byte: looks binary; give a text file of two columns, "
                    "time and unit",
                    reader->name, line);
}

/* Text of two bytes a letter would be met as NUL bytes, too. */
static spk_status check_encoding(spk_text_reader *reader)
{
    const char *text = reader->buffer;
    if (reader->filled < 2 ||
        (memcmp(text, "\xff\xfe", 2) != 0 && memcmp(text, "\xfe\xff", 2) != 0))
        return SPK_OK;
    return spk_fail(reader->context, SPK_ERR_FORMAT,
                    "%s: is text in UTF-16; convert it, for example with iconv -f utf-16 -t utf-8",
                    reader->name);
}

/* Fills the buffer behind the rest of the last block. */
static spk_status fill(spk_text_reader *reader, bool first)
{
    size_t n = 0;
    size_t space = SPK_TEXT_BUFFER - reader->filled;
    spk_status status =
        spk_input_read(reader->context, reader->input, reader->buffer + reader->filled, space, &n);
    reader->filled += n;
    reader->at_end = n < space;
    if (status == SPK_OK && first)
        status = check_encoding(reader);
    if (status == SPK_OK)
        status = check_text(reader);
    if (status == SPK_OK && reader->at_end && reader->filled > 0 &&
        reader->buffer[reader->filled - 1] != '\n')
        reader->buffer[reader->filled++] =
            '\n'; /* the last line's, for which the buffer has a byte more */
    return status;
}

const char *spk_text_complete(const char *text, const char *end)
{
    while (end > text && end[-1] != '\n')
        end--;
    return end;
}

spk_status spk_text_read_all(spk_text_reader *reader)
{
    bool first = true;
    while (!reader->at_end && !reader->part.done) {
        spk_status status = fill(reader, first);
        if (status != SPK_OK)
            return status;
        const char *text = reader->buffer;
        const char *end = reader->buffer + reader->filled;
        if (first && end - text >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
            text += 3; /* byte order mark */
        first = false;
        const char *rest = text;
        status = reader->way->take(reader, text, end, &rest);
        assert(status != SPK_OK ||
               (rest >= text && rest <= end && (!reader->at_end || rest == end)));
        if (status == SPK_OK && rest == text && !reader->at_end)
            status = spk_fail(reader->context, SPK_ERR_FORMAT,
                              "%s:%" PRIu64 ": a line of over %d bytes; give a text file with a "
                              "line per event (line ends are newlines)",
                              reader->name, reader->line + !reader->inside, SPK_TEXT_BUFFER);
        if (status != SPK_OK)
            return status;
        if (reader->part.jumped) {
            reader->part.jumped = reader->at_end = false;
            reader->filled = 0;
            continue;
        }
        reader->part.offset += (uint64_t)(rest - reader->buffer);
        reader->filled = (size_t)(end - rest);
        memmove(reader->buffer, rest, reader->filled);
    }
    return SPK_OK;
}
