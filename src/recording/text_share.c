/* Ranks that read a text together: what they tell each other. text_share.h has the idea. */
#include "recording/text_share.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/sha256.h"

enum { MESSAGE_BYTES = 512 };

static const uint64_t NONE = UINT64_MAX;

bool spk_text_can_share(const spk_text_reader *reader)
{
    const spk_ranks *ranks = spk_context_ranks(reader->context);
    const spk_read_part *wanted = reader->options->part;
    return reader->part.on && !reader->part.alone && ranks != NULL && ranks->send != NULL &&
           ranks->receive != NULL && wanted->n == ranks->n_ranks && wanted->number == ranks->rank &&
           spk_input_can_seek(reader->input);
}

/* ---- its own lines --------------------------------------------------------------------------- */

spk_status spk_text_share_begin(spk_text_reader *reader, uint64_t data)
{
    spk_context *context = reader->context;
    spk_text_part *part = &reader->part;
    uint64_t known = part->offset + reader->filled; /* the head, with the first lines of events */
    spk_status status = spk_text_lay_borders(reader, part->hex);
    uint64_t to = part->to == NONE ? spk_input_plain_size(reader->input) : part->to;
    if (status == SPK_OK)
        status = spk_ranks_compare(context, "way to read the recording", "in parts");
    if (status == SPK_OK)
        status = spk_ranks_compare(context, "recording", part->hex);
    if (status != SPK_OK)
        return status;
    part->shared = part->jumped = true;
    part->offset = data;
    if (part->from > known) {
        part->offset = part->from - 1; /* a line that begins before it is another rank's */
        reader->line = reader->header_line;
    }
    return spk_input_seek(context, reader->input, part->offset,
                          to > part->offset ? to - part->offset : 0);
}

void spk_text_own_lines(spk_text_reader *reader, const char **text, const char **end)
{
    spk_text_part *part = &reader->part;
    uint64_t at = part->offset + (uint64_t)(*text - reader->buffer);
    while (*text < *end && at < part->from) {
        const char *next = (const char *)memchr(*text, '\n', (size_t)(*end - *text)) + 1;
        at += (uint64_t)(next - *text);
        *text = next;
        reader->line++;
    }
    if (at >= part->to) {
        *end = *text;
        part->done = true;
    } else if (part->to - at < (uint64_t)(*end - *text)) {
        const char *last = *text + (part->to - at) - 1; /* a byte of the last line of its own */
        *end = (const char *)memchr(last, '\n', (size_t)(*end - last)) + 1;
        part->done = true;
    }
}

/* ---- what all tell --------------------------------------------------------------------------- */

static spk_status tell(const spk_text_sharing *s, spk_status reading, spk_blob *mine)
{
    spk_context *context = s->reader->context;
    const spk_tick_column *times = &s->reader->times;
    const spk_labels *labels = &s->reader->labels;
    char message[MESSAGE_BYTES] = "";
    spk_text_told told = {.status = (uint64_t)reading,
                          .is_strange = s->reader->backwards_line != 0 || times->cut,
                          .n_events = times->n,
                          .n_lines = s->reader->data_lines,
                          .scale = (uint64_t)times->scale};
    if (times->n > 0) {
        told.first = times->ticks[0];
        told.last = times->ticks[times->n - 1];
    }
    if (reading != SPK_OK)
        strncpy(message, spk_context_message(context), sizeof message - 1);
    spk_status status = spk_blob_add(context, mine, &told, sizeof told);
    if (status == SPK_OK)
        status = spk_blob_add(context, mine, message, sizeof message);
    return status == SPK_OK ? spk_blob_add(context, mine, labels->bytes, labels->bytes_used)
                            : status;
}

static spk_status hear(spk_text_sharing *s, spk_status reading)
{
    spk_context *context = s->reader->context;
    uint64_t n = (uint64_t)s->ranks->n_ranks;
    spk_blob mine = {.bytes = NULL};
    spk_status status = tell(s, reading, &mine);
    if (status == SPK_OK)
        status = spk_ranks_exchange(context, s->ranks, &mine, &s->said);
    spk_blob_free(&mine);
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "ranks", SPK_COLUMN(&s->told, n),
                                   SPK_COLUMN(&s->counts, n * n));
    for (int k = 0; k < s->ranks->n_ranks && status == SPK_OK; k++) {
        spk_blob_reader bytes = spk_exchanged_of(&s->said, k);
        if (!spk_blob_take(&bytes, &s->told[k], sizeof s->told[k]) ||
            bytes.end - bytes.at < MESSAGE_BYTES)
            status = spk_ranks_fail(context, k);
    }
    return status;
}

/* A rank that cannot go on ends all of them. What else went wrong has to do with the file. */
static spk_status check_ranks(const spk_text_sharing *s)
{
    for (int k = 0; k < s->ranks->n_ranks; k++) {
        spk_status status = (spk_status)s->told[k].status;
        const unsigned char *message = s->said.bytes + s->said.first[k] + sizeof s->told[k];
        if (status == SPK_ERR_MEMORY || status == SPK_ERR_CANCELLED)
            return spk_fail(s->reader->context, status, "rank %d: %.*s", k, MESSAGE_BYTES,
                            (const char *)message);
    }
    return SPK_OK;
}

/* Makes all first and last times those of the finest ticks; false where this cannot be, or where
 * they are not in order. */
static bool agree_times(spk_text_sharing *s)
{
    uint64_t scale = 0;
    const spk_text_told *before = NULL;
    for (int k = 0; k < s->ranks->n_ranks; k++) {
        if (s->told[k].status != SPK_OK || s->told[k].is_strange)
            return false;
        scale = s->told[k].scale > scale ? s->told[k].scale : scale;
    }
    assert(scale <= SPK_MAX_SCALE);
    for (int k = 0; k < s->ranks->n_ranks; k++) {
        spk_text_told *t = &s->told[k];
        int64_t factor = spk_power_of_ten[scale - t->scale];
        if (__builtin_mul_overflow(t->first, factor, &t->first) ||
            __builtin_mul_overflow(t->last, factor, &t->last) || t->last > SPK_MAX_TICK)
            return false;
        t->scale = scale;
        if (t->n_events == 0)
            continue;
        if (before != NULL && before->last > t->first)
            return false;
        before = t;
    }
    return before != NULL;
}

/* ---- what this rank does with it ------------------------------------------------------------- */

/* The labels of all ranks, in the order in which they stand in the file. */
static spk_status join_labels(const spk_text_sharing *s, spk_labels *all)
{
    spk_status status = SPK_OK;
    for (int k = 0; k < s->ranks->n_ranks; k++) {
        spk_blob_reader bytes = spk_exchanged_of(&s->said, k);
        const char *at = (const char *)bytes.at + sizeof s->told[k] + MESSAGE_BYTES;
        const char *end = (const char *)bytes.end;
        uint32_t number = 0;
        if (at < end && end[-1] != '\0')
            return spk_ranks_fail(s->reader->context, k);
        for (; at < end && status == SPK_OK; at += strlen(at) + 1)
            status = spk_labels_intern(s->reader->context, all, at, strlen(at), &number);
    }
    return status;
}

/* Gives the rank's events the numbers that all ranks have for their units. */
static spk_status take_labels(const spk_text_sharing *s)
{
    spk_text_reader *reader = s->reader;
    uint32_t *number = NULL;
    spk_labels all = {.n = 0};
    spk_status status = join_labels(s, &all);
    if (status == SPK_OK)
        status = spk_alloc(reader->context, &number, reader->labels.n, "unit labels");
    for (uint32_t u = 0; u < reader->labels.n && status == SPK_OK; u++) {
        const char *label = spk_labels_text(&reader->labels, u);
        bool found = spk_labels_find(&all, label, strlen(label), &number[u]);
        assert(found);
        (void)found;
    }
    for (uint64_t e = 0; e < reader->times.n && status == SPK_OK; e++)
        reader->unit[e] = number[reader->unit[e]];
    free(number);
    spk_labels_clear(status == SPK_OK ? &reader->labels : &all);
    if (status == SPK_OK)
        reader->labels = all;
    return status;
}

static void take_scale(const spk_text_sharing *s)
{
    spk_tick_column *times = &s->reader->times;
    int scale = (int)s->told[0].scale;
    int64_t factor = spk_power_of_ten[scale - times->scale];
    for (uint64_t e = 0; e < times->n && factor > 1; e++)
        times->ticks[e] *= factor;
    times->scale = times->written = scale;
}

static void take_lines(const spk_text_sharing *s)
{
    s->reader->data_lines = 0;
    for (int k = 0; k < s->ranks->n_ranks; k++)
        s->reader->data_lines += s->told[k].n_lines;
}

/* Number in the file of this rank's first event that lies between two of the ticks which a comment
 * tells; NONE: there is none. */
static uint64_t find_misfit(const spk_text_sharing *s)
{
    const spk_tick_column *times = &s->reader->times;
    uint64_t before = 0;
    int64_t tick = 0;
    for (int k = 0; k < s->ranks->rank; k++)
        before += s->told[k].n_events;
    if (!spk_text_tells_rate(s->reader))
        return NONE;
    for (uint64_t e = 0; e < times->n; e++)
        if (!spk_text_told_tick(s->reader, spk_text_column_rate(s->reader), times->ticks[e], &tick))
            return before + e;
    return NONE;
}

/* ---- the second round ------------------------------------------------------------------------ */

/* What a rank tells when it has done its part of the above. */
typedef struct report {
    uint64_t status;
    uint64_t misfit; /* see find_misfit */
    char message[MESSAGE_BYTES];
} report;

static spk_status tell_report(spk_text_sharing *s, const report *r, spk_exchanged *all)
{
    spk_context *context = s->reader->context;
    uint64_t n = (uint64_t)s->ranks->n_ranks;
    uint64_t *to = s->counts + (uint64_t)s->ranks->rank * n; /* overwritten by itself below */
    spk_blob mine = {.bytes = NULL};
    spk_text_move_count(s, to);
    spk_status status = spk_blob_add(context, &mine, r, sizeof *r);
    if (status == SPK_OK)
        status = spk_blob_add(context, &mine, to, n * sizeof *to);
    if (status == SPK_OK)
        status = spk_ranks_exchange(context, s->ranks, &mine, all);
    spk_blob_free(&mine);
    return status;
}

/* What all report. The first event that does not fit is the one that a single process tells. */
static spk_status hear_reports(spk_text_sharing *s, const spk_exchanged *all)
{
    spk_context *context = s->reader->context;
    uint64_t n = (uint64_t)s->ranks->n_ranks;
    uint64_t misfit = NONE;
    spk_status status = SPK_OK;
    for (int k = 0; k < s->ranks->n_ranks && status == SPK_OK; k++) {
        spk_blob_reader bytes = spk_exchanged_of(all, k);
        report r;
        if (!spk_blob_take(&bytes, &r, sizeof r) ||
            !spk_blob_take(&bytes, s->counts + (uint64_t)k * n, n * sizeof *s->counts))
            return spk_ranks_fail(context, k);
        if (r.status != SPK_OK)
            status = spk_fail(context, (spk_status)r.status, "rank %d: %.*s", k, MESSAGE_BYTES,
                              r.message);
        misfit = misfit == NONE ? r.misfit : misfit;
    }
    return status == SPK_OK && misfit != NONE ? spk_text_fail_rate(s->reader, misfit) : status;
}

static spk_status report_all(spk_text_sharing *s, spk_status status)
{
    report r = {.misfit = NONE};
    spk_exchanged all = {.bytes = NULL};
    if (status == SPK_OK)
        r.misfit = find_misfit(s);
    r.status = (uint64_t)status;
    if (status != SPK_OK)
        strncpy(r.message, spk_context_message(s->reader->context), sizeof r.message - 1);
    status = tell_report(s, &r, &all);
    if (status == SPK_OK)
        status = hear_reports(s, &all);
    spk_exchanged_free(&all);
    return status;
}

static spk_status join(spk_text_sharing *s, char *hex)
{
    spk_status status = take_labels(s);
    if (status == SPK_OK) {
        take_scale(s);
        take_lines(s);
    }
    status = report_all(s, status);
    memcpy(hex, s->reader->part.hex, SPK_SHA256_HEX);
    return status == SPK_OK ? spk_text_move(s->reader->context, s) : status;
}

spk_status spk_text_share(spk_text_reader *reader, spk_status status, char *hex, bool *again)
{
    spk_text_sharing s = {.reader = reader, .ranks = spk_context_ranks(reader->context)};
    status = hear(&s, status);
    if (status == SPK_OK)
        status = check_ranks(&s);
    *again = status == SPK_OK && !agree_times(&s);
    if (status == SPK_OK && !*again)
        status = join(&s, hex);
    spk_exchanged_free(&s.said);
    free(s.told);
    free(s.counts);
    return status;
}

/* ---- events that move between ranks ---------------------------------------------------------- */

/*
 * Events that move between ranks which have read lines of one text. A rank's stretch begins at the
 * time of its first line, so that events at one time stay together, and ends where the stretch of
 * the next rank with lines begins. Its margin goes back from there as far as episodes reach. So
 * each rank sends the last of its events to ranks behind it:
 *
 *     lines of rank 0:   . . . . . . . . . .
 *     lines of rank 1:             [ margin ][. . . . . . . . .
 */

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
