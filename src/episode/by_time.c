/* Ranks that share a recording by time. */
#include "episode/opened.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "recording/recording.h"

/* ---- the stretch of a rank ------------------------------------------------------------------- */

/* The first event of rank k's stretch. Events at one time belong together. */
static uint64_t border(const spk_events *events, const spk_ranks *ranks, int k)
{
    uint64_t n = events->n_events;
    uint64_t at =
        (uint64_t)((unsigned __int128)n * (unsigned)k / (unsigned)ranks->n_ranks); /* < n * k */
    while (at > 0 && at < n && events->time[at] == events->time[at - 1])
        at++;
    return at;
}

static uint64_t reach_back(const spk_tick_delay *delays, size_t n_delays, uint32_t max_size)
{
    uint64_t longest = 0;
    uint64_t reach = 0;
    for (size_t d = 0; d < n_delays; d++)
        longest = delays[d].hi > longest ? delays[d].hi : longest;
    return __builtin_mul_overflow(longest, (uint64_t)max_size - 1, &reach) ? UINT64_MAX : reach;
}

/* The first event that lies at most `reach` before the event `own`. */
static uint64_t margin_begin(const spk_events *events, uint64_t own, uint64_t reach)
{
    spk_bisect s = {0, own};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, (uint64_t)events->time[own] - (uint64_t)events->time[s.middle] > reach);
    return s.low;
}

/* The events [first, last) of a recording, read where they are. */
static spk_status make_view(spk_context *context, const spk_recording *whole, uint64_t first,
                            uint64_t last, spk_recording **out)
{
    const char **labels = NULL;
    spk_events events = spk_recording_events(whole);
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    spk_status status = spk_alloc(context, &labels, events.n_units, "a stretch of the recording");
    if (status != SPK_OK)
        return status;
    for (uint32_t u = 0; u < events.n_units; u++)
        labels[u] = spk_recording_label(whole, u);
    source.n_events = last - first;
    source.time = events.time + first;
    source.unit = events.unit + first;
    source.n_units = events.n_units;
    source.labels = labels;
    source.rate = spk_recording_rate(whole);
    status = spk_recording_take(context, &source, NULL, NULL, out);
    free(labels);
    return status;
}

spk_status episode_stretch_take(spk_context *context, const spk_ranks *ranks,
                                const spk_recording *whole, const spk_tick_delay *delays,
                                size_t n_delays, uint32_t max_size, episode_stretch *out)
{
    spk_events events = spk_recording_events(whole);
    uint64_t own = border(&events, ranks, ranks->rank);
    uint64_t end = ranks->rank + 1 < ranks->n_ranks ? border(&events, ranks, ranks->rank + 1)
                                                    : events.n_events;
    *out = (episode_stretch){.before = own};
    if (own < end)
        out->before = margin_begin(&events, own, reach_back(delays, n_delays, max_size));
    out->margin = own - out->before;
    spk_status status =
        spk_alloc(context, &out->unit_count, events.n_units, "a stretch of the recording");
    if (status == SPK_OK)
        status = make_view(context, whole, out->before, end, &out->view);
    for (uint32_t u = 0; u < events.n_units && status == SPK_OK; u++)
        out->unit_count[u] = events.unit_first[u + 1] - events.unit_first[u];
    out->recording = out->view;
    if (status != SPK_OK)
        episode_stretch_close(out);
    return status;
}

spk_status episode_stretch_adopt(spk_context *context, const spk_ranks *ranks,
                                 const spk_recording *recording, const spk_tick_delay *delays,
                                 size_t n_delays, uint32_t max_size, episode_stretch *out)
{
    const spk_part *part = &recording->part;
    uint32_t n_units = spk_recording_events(recording).n_units;
    *out =
        (episode_stretch){.recording = recording, .before = part->before, .margin = part->margin};
    if (!part->joined || ranks == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a part of a recording is mined by ranks that have joined their parts; "
                        "call spk_ranks_join_parts, or read the whole");
    spk_tick_delay read = {0, spk_duration_ticks(part->reach, spk_recording_rate(recording))};
    if (reach_back(delays, n_delays, max_size) > reach_back(&read, 1, part->steps + 1))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the part of the recording was read for shorter delays or episodes than "
                        "these; read it with a larger reach, or more steps");
    spk_status status = spk_alloc(context, &out->unit_count, n_units, "a stretch of the recording");
    if (status == SPK_OK && n_units > 0)
        memcpy(out->unit_count, part->unit_count, n_units * sizeof *out->unit_count);
    return status;
}

void episode_stretch_close(episode_stretch *stretch)
{
    spk_recording_free(stretch->view);
    free(stretch->unit_count);
    *stretch = (episode_stretch){.before = 0};
}

spk_status episode_stretch_check(spk_context *context, const spk_ranks *ranks, const char *name,
                                 const spk_episode_engine *engine, bool two_pass)
{
    if (ranks->send == NULL || ranks->receive == NULL)
        return spk_fail(context, SPK_ERR_UNSUPPORTED,
                        "these ranks have no functions to send and to receive: the recording "
                        "cannot be divided by time; divide the candidates");
    if (engine->resume == NULL)
        return spk_fail(context, SPK_ERR_UNSUPPORTED,
                        "engine '%s' cannot count in a stretch of time; take engine auto, or "
                        "divide the candidates",
                        name);
    if (two_pass && engine->bound != NULL && engine->resume_bound == NULL)
        return spk_fail(context, SPK_ERR_UNSUPPORTED,
                        "the first of two passes of engine '%s' needs the whole recording, which "
                        "is divided by time; leave out the first pass, or divide the candidates",
                        name);
    return SPK_OK;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Pieces for each rank: only while the first and the last ones are on their way do ranks wait. */
enum { PIECES_PER_RANK = 8, FEWEST_IN_A_PIECE = 16 };

/* What is known of an episode left of a border. */
typedef struct carried {
    uint64_t free_from; /* number, in the whole, of the first event that is later than the end of
                           the last occurrence counted; 0: none was */
    uint64_t count;
} carried;

/* A wave of pieces through the ranks. */
typedef struct wave {
    const spk_ranks *ranks;
    const episode_stretch *stretch;
    episode_opened *opened;
    const spk_episode_block *block;
    bool bound;          /* bounds are wanted, not counts */
    uint64_t most;       /* episodes of a piece, but for those of one prefix */
    carried *carried;    /* of a piece */
    uint64_t *free_from; /* likewise, in numbers of the stretch */
    uint64_t *counts;    /* of the block */
} wave;

/* Whether two episodes of the block have the same prefix, for which engines do the work once. */
static bool same_prefix(const spk_episode_block *block, uint64_t a, uint64_t b)
{
    uint64_t n = block->size - 1;
    const uint32_t *units = block->unit;
    const uint16_t *delays = block->delay;
    return memcmp(units + a * block->size, units + b * block->size, n * sizeof *units) == 0 &&
           memcmp(delays + a * block->size, delays + b * block->size, n * sizeof *delays) == 0;
}

static uint64_t piece_end(const wave *w, uint64_t first)
{
    uint64_t n = w->block->n;
    uint64_t end = n - first > w->most ? first + w->most : n;
    while (end < n && same_prefix(w->block, end - 1, end))
        end++;
    return end;
}

static uint64_t longest_piece(const wave *w)
{
    uint64_t longest = 0;
    for (uint64_t first = 0; first < w->block->n;) {
        uint64_t end = piece_end(w, first);
        longest = end - first > longest ? end - first : longest;
        first = end;
    }
    return longest;
}

static spk_status fail_reach(spk_context *context, spk_status status)
{
    return status == SPK_OK ? SPK_OK
                            : spk_fail(context, status, "the ranks cannot reach each other");
}

static spk_status count_piece(spk_context *context, const wave *w, uint64_t first, uint64_t n)
{
    const episode_stretch *stretch = w->stretch;
    uint64_t *counts = w->counts + first;
    spk_episode_block part = *w->block;
    part.n = n;
    part.unit += first * part.size;
    part.delay += first * part.size;
    part.prefix = NULL; /* the counts of a stretch are not those of the whole */
    part.prefix_count = NULL;
    part.support = 0;
    for (uint64_t k = 0; k < n; k++)
        w->free_from[k] = w->carried[k].free_from > stretch->before
                              ? w->carried[k].free_from - stretch->before
                              : 0;
    spk_status status =
        episode_opened_resume(context, w->opened, &part, w->bound, w->free_from, counts);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        if (counts[k] > 0)
            w->carried[k].free_from = stretch->before + w->free_from[k];
        w->carried[k].count += counts[k];
    }
    return status;
}

/* Takes a piece from the rank at the left, counts it and hands it on to the one at the right. */
static spk_status pass_piece(spk_context *context, const wave *w, uint64_t first, uint64_t n)
{
    const spk_ranks *ranks = w->ranks;
    uint64_t n_events = spk_recording_events(w->stretch->recording).n_events;
    spk_status status = SPK_OK;
    if (ranks->rank > 0)
        status = fail_reach(context, ranks->receive(ranks->user, ranks->rank - 1, w->carried,
                                                    n * sizeof *w->carried));
    else
        memset(w->carried, 0, n * sizeof *w->carried);
    if (status == SPK_OK && n_events > w->stretch->margin)
        status = count_piece(context, w, first, n);
    if (status == SPK_OK && ranks->rank + 1 < ranks->n_ranks)
        status = fail_reach(
            context, ranks->send(ranks->user, ranks->rank + 1, w->carried, n * sizeof *w->carried));
    for (uint64_t k = 0; k < n && status == SPK_OK; k++)
        w->counts[first + k] = w->carried[k].count;
    return status;
}

/* The last rank's counts are those of the whole. */
static spk_status tell_counts(spk_context *context, const wave *w)
{
    const spk_ranks *ranks = w->ranks;
    uint64_t bytes = w->block->n * sizeof *w->counts;
    spk_blob mine = {.bytes = NULL};
    spk_exchanged all;
    bool last = ranks->rank + 1 == ranks->n_ranks;
    spk_status status = last ? spk_blob_add(context, &mine, w->counts, bytes) : SPK_OK;
    if (status == SPK_OK)
        status = spk_ranks_exchange(context, ranks, &mine, &all);
    spk_blob_free(&mine);
    if (status != SPK_OK)
        return status;
    spk_blob_reader from = spk_exchanged_of(&all, ranks->n_ranks - 1);
    if (!spk_blob_take(&from, w->counts, bytes) || from.at != from.end)
        status = spk_ranks_fail(context, ranks->n_ranks - 1);
    spk_exchanged_free(&all);
    return status;
}

static spk_status pass_block(spk_context *context, wave *w)
{
    uint64_t longest = longest_piece(w);
    spk_status status =
        spk_alloc_columns(context, "pieces for ranks", SPK_COLUMN(&w->carried, longest),
                          SPK_COLUMN(&w->free_from, longest));
    for (uint64_t first = 0; first < w->block->n && status == SPK_OK;) {
        uint64_t end = piece_end(w, first);
        status = pass_piece(context, w, first, end - first);
        first = end;
    }
    free(w->carried);
    free(w->free_from);
    return status == SPK_OK ? tell_counts(context, w) : status;
}

spk_status episode_stretch_count(spk_context *context, const spk_ranks *ranks,
                                 const episode_stretch *stretch, episode_opened *opened,
                                 const spk_episode_block *block, bool bound, uint64_t *counts)
{
    uint64_t fair = block->n / ((uint64_t)ranks->n_ranks * PIECES_PER_RANK);
    wave w = {.ranks = ranks,
              .stretch = stretch,
              .opened = opened,
              .block = block,
              .bound = bound,
              .most = fair > FEWEST_IN_A_PIECE ? fair : FEWEST_IN_A_PIECE,
              .counts = counts};
    assert(opened->engine->resume != NULL && (!bound || opened->engine->resume_bound != NULL));
    if (block->size > 1)
        return pass_block(context, &w);
    for (uint64_t k = 0; k < block->n; k++)
        counts[k] = stretch->unit_count[block->unit[k]];
    return SPK_OK;
}
