/*
 * Pieces of a run, and uniform draws of their arrangement.
 *
 *     history 2:    places:   0 1 2 3 4 5 6 7 8 9       windows of 5 places
 *                   windows: |---------|---------|
 *                   events:     *   *       *           pieces {1, 3} and {7}, as 7 - 3 > 2
 *                   others:   *   *         *           {1, 3} may move to {0, 2} or {2, 4};
 *                               *   *     *             {7} to 5 .. 9, more than 2 behind them
 *
 * The positions of a piece are numbered from 0, the lowest. An arrangement is a position for each
 * piece of the run; one is possible just where each piece is far enough behind the one before it.
 * Let S(x) be the number of arrangements of a piece and all later ones in which it has position x
 * or a higher one. The next piece is in its position max(0, x + behind) or higher, with its own S',
 * so that
 *
 *     S(x) = S(x + 1) + S'(max(0, x + behind))
 *
 * S grows beyond any number; S(x + 1) / S(x) is enough to draw, and follows from the same ratios of
 * the next piece. So a draw goes forward from the first piece, each given the one before it, and is
 * uniform over all arrangements, but for the rounding of doubles. While x + behind <= 0 the next
 * piece has all its room and S falls in equal steps: no table is needed there.
 *
 * Pieces and their positions are the same in all arrangements: events of a piece are at most the
 * history apart, pieces more than that, and positions are counted from the windows. Hence a
 * recording and its surrogates are draws from one set, given that set, and none of them is special.
 * Long windows would have too many positions: then these are some places apart, and the set is that
 * of all arrangements that lie so many places apart from the recording's.
 */
#include "base/memory.h"
#include "significance/surrogates/surrogates.h"
#include "significance/surrogates/windows.h"

/* What bounds the way of a piece. */
typedef enum surrogate_room {
    SURROGATE_ROOM_OF_ALL,   /* each of its events stays in its window */
    SURROGATE_ROOM_OF_FIRST, /* its first event stays in its window, all others in the stretch */
} surrogate_room;

/* Positions of a piece within its window: at most MOST_POSITIONS, and of all pieces together at
 * most MOST_RATIOS. */
static const uint64_t MOST_POSITIONS = 256;
static const uint64_t MOST_RATIOS = UINT64_C(1) << 27;

/* ---- places ---------------------------------------------------------------------------------- */

static bool in_bins(const spk_surrogates *s)
{
    return s->windows.grid != NULL;
}

/* The taken places of a run, ascending, to `out`; returns how many. */
static uint64_t list_places(const spk_surrogates *s, const surrogate_run *run, uint64_t *out)
{
    const spk_bin_grid *grid = in_bins(s) ? &s->windows.grid[run->stretch] : NULL;
    uint64_t n = 0;
    for (uint64_t i = run->first; i < run->first + run->n; i++) {
        uint64_t place = grid != NULL ? spk_bin_of(grid, s->time[i])
                                      : surrogate_distance(surrogate_stretch(s, run), s->time[i]);
        if (n == 0 || place != out[n - 1])
            out[n++] = place;
    }
    return n;
}

static uint64_t last_place_of(const spk_surrogates *s, const surrogate_run *run)
{
    spk_segment stretch = surrogate_stretch(s, run);
    return in_bins(s) ? spk_bin_of(&s->windows.grid[run->stretch], stretch.stop - 1)
                      : surrogate_length(stretch) - 1;
}

/* ---- cutting --------------------------------------------------------------------------------- */

/* A walk through the places of a run and their windows. */
typedef struct piece_cutter {
    spk_surrogates *s;
    surrogate_room room;
    uint64_t history;
    uint64_t group; /* of the next place */
    uint64_t used;  /* places of this group that were passed */
} piece_cutter;

static const surrogate_group *next_group(piece_cutter *c)
{
    const surrogate_group *group = &c->s->windows.group[c->group];
    if (++c->used == group->n_taken) {
        c->group++;
        c->used = 0;
    }
    return group;
}

/* The piece of the n places, which has so much room at both sides. */
static surrogate_piece make_piece(piece_cutter *c, const uint64_t *place, uint64_t n, uint64_t last)
{
    const uint64_t step = c->s->pieces.step;
    uint64_t below = UINT64_MAX, above = last - place[n - 1];
    for (uint64_t i = 0; i < n; i++) {
        const surrogate_group *group = next_group(c);
        const uint64_t to_first = place[i] - group->first;
        const uint64_t to_last = group->first + group->n - 1 - place[i];
        if (i > 0 && c->room == SURROGATE_ROOM_OF_FIRST)
            continue;
        below = to_first < below ? to_first : below;
        above = to_last < above ? to_last : above;
    }
    return (surrogate_piece){.n_events = n,
                             .lowest = -(int64_t)(below / step * step),
                             .n = below / step + above / step + 1};
}

/* Cuts run r into pieces, whose positions do not know of each other yet. */
static spk_status cut_run(spk_context *context, piece_cutter *c, uint64_t r)
{
    surrogate_pieces *p = &c->s->pieces;
    const uint64_t *place = p->place + p->first_place[r];
    const uint64_t n = p->first_place[r + 1] - p->first_place[r];
    const uint64_t last = last_place_of(c->s, &c->s->run[r]);
    spk_status status = SPK_OK;
    c->group = c->s->windows.first_group[r];
    c->used = 0;
    for (uint64_t first = 0, end; first < n && status == SPK_OK; first = end) {
        for (end = first + 1; end < n && place[end] - place[end - 1] <= c->history;)
            end++;
        status = spk_grow(context, &p->piece, &p->capacity, p->n_pieces + 1, "surrogates");
        if (status == SPK_OK)
            p->piece[p->n_pieces++] = make_piece(c, place + first, end - first, last);
    }
    return status;
}

/* ---- ratios ---------------------------------------------------------------------------------- */

/* S(y + 1) / S(y). */
static double ratio_at(const surrogate_pieces *p, const surrogate_piece *piece, uint64_t y)
{
    if (y >= piece->n_flat)
        return p->ratio[piece->ratio + y - piece->n_flat];
    const double with = piece->beyond + (double)(piece->n_flat - y);
    return (with - 1) / with;
}

/* Fills the ratios of a piece whose next one is `next`. */
static void fill_ratios(surrogate_pieces *p, surrogate_piece *piece, const surrogate_piece *next)
{
    double higher = 0; /* S(x + 1) for each arrangement with position x */
    for (uint64_t x = piece->n; x-- > piece->n_flat;) {
        p->ratio[piece->ratio + x - piece->n_flat] = higher / (1 + higher);
        piece->beyond = 1 + higher;
        if (x > piece->n_flat)
            higher = (1 + higher) * ratio_at(p, next, (uint64_t)((int64_t)(x - 1) + piece->behind));
    }
}

/* Links a piece to the next one, `pause` places behind its end. */
static spk_status link_piece(spk_context *context, uint64_t history, uint64_t pause,
                             surrogate_pieces *p, surrogate_piece *piece)
{
    const surrogate_piece *next = piece + 1;
    const int64_t step = (int64_t)p->step;
    const int64_t free = (int64_t)((pause - history - 1) / p->step); /* steps that change nothing */
    piece->behind = (piece->lowest - next->lowest) / step - free;
    const int64_t most =
        (int64_t)next->n - piece->behind; /* the next one has no room behind more */
    piece->n = (int64_t)piece->n < most ? piece->n : (uint64_t)most;
    piece->n_flat = piece->behind > 0 ? 0 : (uint64_t)-piece->behind;
    piece->n_flat = piece->n_flat < piece->n ? piece->n_flat : piece->n;
    piece->ratio = p->n_ratios;
    const uint64_t needed = p->n_ratios + piece->n - piece->n_flat;
    spk_status status = spk_grow(context, &p->ratio, &p->ratio_capacity, needed, "surrogates");
    if (status != SPK_OK)
        return status;
    p->n_ratios = needed;
    fill_ratios(p, piece, next);
    return SPK_OK;
}

/* Links the pieces of run r, from the last one back. */
static spk_status link_run(spk_context *context, uint64_t history, uint64_t r, surrogate_pieces *p)
{
    uint64_t first = p->first_piece[r], k = p->n_pieces, at = p->first_place[r + 1];
    spk_status status = SPK_OK;
    if (k == first)
        return SPK_OK;
    k--;
    p->piece[k].n_flat = p->piece[k].n; /* nothing follows */
    for (; k > first && status == SPK_OK; k--) {
        at -= p->piece[k].n_events;
        status = link_piece(context, history, p->place[at] - p->place[at - 1], p, &p->piece[k - 1]);
    }
    return status;
}

/* ---- preparing ------------------------------------------------------------------------------- */

/* The history in places. */
static spk_status find_history(spk_context *context, const spk_surrogate_options *options,
                               uint64_t usual, const spk_surrogates *s, uint64_t *out)
{
    const spk_rate rate = s->recording->rate;
    *out = usual;
    if (options->history.digits < 0)
        return SPK_OK;
    if (options->history.exponent == SPK_DURATION_INFINITE)
        return spk_fail(context, SPK_ERR_ARGUMENT, "a history must have an end, for example 10ms");
    if (in_bins(s))
        return spk_surrogate_bins_in(context, options->history, options->bin, rate, out);
    *out = spk_duration_ticks(options->history, rate);
    return SPK_OK;
}

/* So many places from position to position that the numbers of positions stay below the limits. */
static uint64_t find_step(uint64_t window, uint64_t n_places)
{
    uint64_t most = n_places > 0 ? MOST_RATIOS / n_places : MOST_POSITIONS;
    most = most < MOST_POSITIONS ? most : MOST_POSITIONS;
    most = most > 1 ? most : 1;
    return (window - 1) / most + 1;
}

static spk_status list_all_places(spk_context *context, spk_surrogates *s)
{
    surrogate_pieces *p = &s->pieces;
    uint64_t n = 0;
    spk_status status = spk_alloc_columns(
        context, "surrogates", SPK_COLUMN(&p->place, s->recording->events.n_events),
        SPK_COLUMN(&p->first_place, s->n_runs + 1), SPK_COLUMN(&p->first_piece, s->n_runs + 1));
    for (uint64_t r = 0; r < s->n_runs && status == SPK_OK; r++) {
        p->first_place[r] = n;
        n += list_places(s, &s->run[r], p->place + n);
    }
    if (status == SPK_OK)
        p->first_place[s->n_runs] = n;
    return status;
}

/* A prepare function but for the room and the history that is taken where the options name none:
 * `numerator` / `denominator` windows. Memory: 8 bytes for each event, 56 for each piece, and 8 for
 * each position in which a piece takes room from the next one: at most 2^27 positions, for more the
 * steps from position to position are longer. Errors: those of spk_surrogate_prepare_windows. */
static spk_status cut_pieces(spk_context *context, const spk_surrogate_options *options,
                             surrogate_room room, uint64_t numerator, uint64_t denominator,
                             spk_surrogates *s)
{
    surrogate_pieces *p = &s->pieces;
    piece_cutter cutter = {.s = s, .room = room};
    spk_status status = spk_surrogate_prepare_windows(context, options, s);
    const uint64_t window = in_bins(s) ? s->windows.length : s->dither;
    const uint64_t usual =
        window < UINT64_MAX / numerator ? window * numerator / denominator : UINT64_MAX;
    if (status == SPK_OK)
        status = find_history(context, options, usual, s, &cutter.history);
    if (status == SPK_OK)
        status = list_all_places(context, s);
    if (status != SPK_OK)
        return status;
    p->step = find_step(window, p->first_place[s->n_runs]);
    /* Pieces of all runs stand in one list, in which each run has its stretch. */
    for (uint64_t r = 0; r < s->n_runs && status == SPK_OK; r++) {
        p->first_piece[r] = p->n_pieces;
        status = cut_run(context, &cutter, r);
        if (status == SPK_OK)
            status = link_run(context, cutter.history, r, p);
        if (status == SPK_OK && r % 64 == 0)
            status = spk_check_cancel(context);
    }
    p->first_piece[s->n_runs] = p->n_pieces;
    return status;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* The position of a piece, `least` or higher. */
static uint64_t draw_position(const surrogate_pieces *p, const surrogate_piece *piece,
                              uint64_t least, spk_random *random)
{
    const uint64_t n_flat = piece->n_flat;
    if (piece->n - least == 1)
        return least;
    if (n_flat == piece->n)
        return least + spk_random_below(random, piece->n - least);
    /* Up to n_flat all positions leave the next piece as much room: they are equally likely.
     * `beyond` is the weight of all further ones, in units of one of these. */
    if (least < n_flat) {
        const double flat = (double)(n_flat - least);
        const double drawn = spk_random_unit(random) * (flat + piece->beyond);
        if (drawn < flat)
            return least + (uint64_t)drawn;
        least = n_flat;
    }
    /* ratio is S(x + 1) / S(x), the chance to go on to a higher position: one draw inverts their
     * product. */
    const double unit = spk_random_unit(random);
    const double *ratio = p->ratio + piece->ratio + (least - n_flat);
    double chance = ratio[0];
    uint64_t higher = 0;
    while (chance > unit)
        chance *= ratio[++higher];
    return least + higher;
}

/* A make function: all arrangements of the pieces of a run are equally likely. */
static uint64_t move_pieces(const spk_surrogates *s, const surrogate_run *run, spk_random *random,
                            const surrogate_space *space, int64_t *out)
{
    const surrogate_pieces *p = &s->pieces;
    const uint64_t r = (uint64_t)(run - s->run);
    const uint64_t *place = p->place + p->first_place[r];
    const uint32_t *in_bin = in_bins(s) ? s->windows.in_bin + s->windows.first_bin[r] : NULL;
    spk_segment stretch = surrogate_stretch(s, run);
    uint64_t n = 0, taken = 0, least = 0;
    for (uint64_t k = p->first_piece[r]; k < p->first_piece[r + 1]; k++) {
        const surrogate_piece *piece = &p->piece[k];
        const uint64_t x = draw_position(p, piece, least, random);
        const uint64_t shift = (uint64_t)piece->lowest + x * p->step;
        for (uint64_t end = taken + piece->n_events; taken < end; taken++)
            if (in_bin == NULL)
                out[n++] = surrogate_tick(stretch, place[taken] + shift);
            else
                n += spk_surrogate_fill_bin(s, run, place[taken] + shift, in_bin[taken], random,
                                            space, out + n);
        /* What this position leaves the next piece; see the top. */
        const int64_t next = (int64_t)x + piece->behind;
        least = next > 0 ? (uint64_t)next : 0;
    }
    return n;
}

/* ---- pattern jitter -------------------------------------------------------------------------- */

/* Without a history that of half a window. */
static spk_status prepare_jitter(spk_context *context, const spk_surrogate_options *options,
                                 spk_surrogates *s)
{
    return cut_pieces(context, options, SURROGATE_ROOM_OF_ALL, 1, 2, s);
}

const surrogate_method spk_surrogate_pattern_jitter = {
    .facts =
        {.name = "pattern-jitter",
         .summary = "spikes of a unit within the history move together, each in its window",
         .null_hypothesis =
             "given how many ticks (with a bin: bins) each unit takes in each window of the "
             "jitter's length, and its intervals up to the history, all arrangements that keep "
             "both are equally likely and independent; the windows' offset is drawn once from "
             "the seed",
         .keeps = "the number of spikes of each unit in each window; all intervals up to the "
                  "history, and the order of what lies between them; with a bin, both in bins",
         .source = "Harrison & Geman 2009",
         .warning = "where a unit's spikes follow each other within the history for long, they can "
                    "hardly move"},
    .number = 12,
    .prepare = prepare_jitter,
    .make = move_pieces,
};

/* ---- shifts of pieces ------------------------------------------------------------------------ */

/*
 * Shifts of what lies between two long pauses of a unit.
 *
 * A piece ends where its unit pauses for longer than the history, so that a shift cuts no rhythm.
 * Its first event stays in its window; the others go with it, wherever that is, but not over the
 * border of their stretch. Nothing is turned round or reflected there: a piece near a border has
 * fewer positions, and these are the same whichever of them the recording has.
 */

/*
 * Without a history it is that of four windows, or twice, four or eight times as much where the
 * units keep time beyond it. Example: a place cell bursts at each cycle of theta, for the second
 * that the animal takes through its field. Its pauses are of 120 ms, or of many seconds. A history
 * of 100 ms would make a piece of each burst, and cut the rhythm.
 *
 *     pauses longer than one history | two | four        n[0], n[1], n[2] of them
 *
 * Silence that ends by chance ends at one rate: as often within the next history as within each of
 * the two behind it. A unit keeps time where it ends more than four times as often, so that
 * ln(n[0] / n[1]) > 4 ln(n[1] / n[2]) / 2. Where pauses have no scale, as in rates that change
 * slowly, it is twice as often. Shifts change pauses beyond the history by less than two windows,
 * and no others: only where a recording is at the edge of the rule could its draws be cut
 * otherwise. Cost: a pass over all events for each length that is tried.
 */
enum { USUAL_WINDOWS = 4, MOST_WINDOWS = 32, ENOUGH_PAUSES = 12 };

static bool keeps_time(const spk_recording *recording, uint32_t u, uint64_t history)
{
    const spk_events e = spk_recording_events(recording);
    size_t n_segments = 0, k = 0;
    const spk_segment *segment = spk_recording_segments(recording, &n_segments);
    uint64_t n[3] = {0};
    for (uint64_t i = e.unit_first[u]; i + 1 < e.unit_first[u + 1]; i++) {
        const int64_t time = e.time[e.by_unit[i]], next = e.time[e.by_unit[i + 1]];
        const uint64_t pause = (uint64_t)next - (uint64_t)time;
        while (k < n_segments && segment[k].start <= time)
            k++;
        if (pause <= history || (k < n_segments && segment[k].start <= next))
            continue;
        n[0]++;
        n[1] += (pause - 1) / 2 >= history;
        n[2] += (pause - 1) / 4 >= history;
    }
    const double one = (double)n[0] + 1, two = (double)n[1] + 1, four = (double)n[2] + 1;
    return n[0] - n[1] >= ENOUGH_PAUSES && one * four * four > two * two * two;
}

uint64_t spk_shift_windows(const spk_recording *recording, uint64_t window)
{
    const spk_events e = spk_recording_events(recording);
    uint64_t windows = USUAL_WINDOWS;
    for (; windows < MOST_WINDOWS && window <= UINT64_MAX / MOST_WINDOWS; windows *= 2) {
        uint64_t n_units = 0, n_with = 0;
        for (uint32_t u = 0; u < e.n_units; u++) {
            n_units += e.unit_first[u + 1] > e.unit_first[u];
            n_with += keeps_time(recording, u, windows * window);
        }
        if (2 * n_with <= n_units)
            break;
    }
    return windows;
}

static spk_status prepare_shift(spk_context *context, const spk_surrogate_options *options,
                                spk_surrogates *s)
{
    const uint64_t window = spk_duration_ticks(options->dither, s->recording->rate);
    const uint64_t windows = spk_shift_windows(s->recording, window);
    return cut_pieces(context, options, SURROGATE_ROOM_OF_FIRST, windows, 1, s);
}

const surrogate_method spk_surrogate_shift_pieces = {
    .facts =
        {.name = "shift-pieces",
         .summary = "spikes of a unit between two pauses move together; the first in its window",
         .null_hypothesis =
             "given each unit's spikes between pauses longer than the history, and the window of "
             "the jitter's length in which the first of them lies, all shifts that keep both are "
             "equally likely and independent; the windows' offset is drawn once from the seed",
         .keeps = "the number of spikes of each unit in each segment; all intervals up to the "
                  "history; with a bin, both in bins",
         .source = "after Harrison & Geman 2009 and Pipa, Wheeler, Singer & Nikolic 2008",
         .warning = "a unit without pauses moves as a whole, so that a short recording has few "
                    "different surrogates"},
    .number = 13,
    .prepare = prepare_shift,
    .make = move_pieces,
};
