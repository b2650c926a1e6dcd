/*
 * Whether a null hypothesis suits the units, measured on draws of their own. Interval jitter makes
 * intervals that a unit with a refractory period never has, and takes bursts apart: then the test
 * is alarmed by units that know nothing of each other. Nulls that move pieces need some that can
 * move.
 *
 * Example: a window of 40 ms has intervals of up to 2.5, 5, 10 and 20 ms counted. A unit that never
 * fires twice within 3 ms has none of the shortest in the recording and many in the draws.
 *
 * Invariant: draws have numbers of their own and change no result; only notes come of them. Cost:
 * DRAWS surrogates and a pass over each. Bytes: 32 for each unit and length.
 */
#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "significance/exact/exact.h"
#include "significance/surrogates/surrogates.h"

enum { DRAWS = 8, LENGTHS = 4 };
static const uint64_t FIRST_DRAW = UINT64_C(7) << 60;
/* Standard deviations from the draws' mean that chance does not reach among some thousand units. */
static const double FAR = 8;
/* Less of all events than this leaves next to nothing to chance. */
static const double LITTLE_ROOM = 0.1;

/* ---- rhythm ---------------------------------------------------------------------------------- */

/* For each unit, how many of its intervals are at most longest / 8, / 4, / 2, and longest. */
static void count_intervals(const spk_recording *recording, uint64_t longest, double *count)
{
    const spk_events e = spk_recording_events(recording);
    for (uint32_t u = 0; u < e.n_units; u++)
        for (uint64_t i = e.unit_first[u] + 1; i < e.unit_first[u + 1]; i++) {
            const uint64_t interval =
                (uint64_t)e.time[e.by_unit[i]] - (uint64_t)e.time[e.by_unit[i - 1]];
            for (uint32_t k = 0; k < LENGTHS; k++)
                count[u * LENGTHS + k] += interval <= longest >> (LENGTHS - 1 - k);
        }
}

/* Numbers of intervals in the recording, and their sums and sums of squares in draws. */
typedef struct interval_counts {
    double *own;
    double *drawn;
    double *sum;
    double *squares;
} interval_counts;

/* Whole numbers in doubles: sums are exact, whatever their order. */
static spk_status add_draws(spk_context *context, const spk_surrogates *surrogates,
                            uint64_t longest, uint64_t n, const interval_counts *c)
{
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < DRAWS && status == SPK_OK; k++) {
        spk_recording *made = NULL;
        status = spk_surrogates_make(context, surrogates, FIRST_DRAW + k, &made);
        for (uint64_t i = 0; i < n; i++)
            c->drawn[i] = 0;
        if (status == SPK_OK)
            count_intervals(made, longest, c->drawn);
        for (uint64_t i = 0; i < n && status == SPK_OK; i++) {
            c->sum[i] += c->drawn[i];
            c->squares[i] += c->drawn[i] * c->drawn[i];
        }
        spk_recording_free(made);
    }
    return status;
}

/* How far the number i lies from those of draws, in standard deviations; that of a Poisson number
 * is taken where the draws vary less. */
static double deviation(const interval_counts *c, uint64_t i)
{
    const double mean = c->sum[i] / DRAWS;
    const double variance = (c->squares[i] - c->sum[i] * mean) / (DRAWS - 1);
    const double least = mean > 1 ? mean : 1;
    return fabs(c->own[i] - mean) / sqrt(variance > least ? variance : least);
}

/* Tells of the unit that lies furthest away. */
static void tell_rhythm(spk_context *context, const spk_recording *recording, spk_duration window,
                        const interval_counts *c)
{
    const uint32_t n_units = spk_recording_events(recording).n_units;
    uint32_t n_far = 0, worst = 0;
    char text[48];
    double most = 0;
    for (uint32_t u = 0; u < n_units; u++) {
        double far = 0;
        for (uint32_t k = 0; k < LENGTHS; k++)
            far = fmax(far, deviation(c, (uint64_t)u * LENGTHS + k));
        n_far += far > FAR;
        if (far > most)
            most = far, worst = u;
    }
    if (n_far == 0)
        return;
    /* Of that unit, the length of intervals that tells most. */
    uint64_t at = (uint64_t)worst * LENGTHS;
    for (uint32_t k = 1; k < LENGTHS; k++)
        if (deviation(c, (uint64_t)worst * LENGTHS + k) > deviation(c, at))
            at = (uint64_t)worst * LENGTHS + k;
    spk_duration_format(window, text, sizeof text);
    spk_note(context,
             "interval jitter within %s breaks the rhythm of %u of %u units: %s has %.0f intervals "
             "of up to 1/%u of the window, and %.0f where all is chance; that alone can be "
             "significant, and the nulls shift and pattern-jitter keep it",
             text, n_far, n_units, spk_recording_label(recording, worst), c->own[at],
             2u << (LENGTHS - 1 - at % LENGTHS), c->sum[at] / DRAWS);
}

static spk_status check_rhythm(spk_context *context, const spk_recording *recording,
                               const spk_surrogates *surrogates, spk_duration window)
{
    const uint64_t n = (uint64_t)spk_recording_events(recording).n_units * LENGTHS;
    const uint64_t longest = spk_duration_ticks(window, spk_recording_rate(recording)) / 2;
    interval_counts c = {NULL, NULL, NULL, NULL};
    spk_status status =
        spk_alloc_columns(context, "rhythm", SPK_COLUMN_ZERO(&c.own, n), SPK_COLUMN(&c.drawn, n),
                          SPK_COLUMN_ZERO(&c.sum, n), SPK_COLUMN_ZERO(&c.squares, n));
    if (status == SPK_OK)
        status = add_draws(context, surrogates, longest, n, &c);
    if (status == SPK_OK) {
        count_intervals(recording, longest, c.own);
        tell_rhythm(context, recording, window, &c);
    }
    spk_free(context, c.own);
    spk_free(context, c.drawn);
    spk_free(context, c.sum);
    spk_free(context, c.squares);
    return status;
}

/* ---- room ------------------------------------------------------------------------------------ */

static void check_pieces(spk_context *context, const spk_surrogates *s, const char *null,
                         spk_duration window)
{
    uint64_t n = 0, n_free = 0;
    char text[48];
    for (uint64_t k = 0; k < s->pieces.n_pieces; k++) {
        n += s->pieces.piece[k].n_events;
        n_free += s->pieces.piece[k].n > 1 ? s->pieces.piece[k].n_events : 0;
    }
    if (n == 0 || (double)n_free >= LITTLE_ROOM * (double)n)
        return;
    spk_duration_format(window, text, sizeof text);
    spk_note(context,
             "%s within %s can move %.2g %% of the spikes: units fire on for too long without a "
             "pause, so that surrogates are nearly the recording and little can be found; take a "
             "shorter history, longer windows, or another null",
             null, text, 100.0 * (double)n_free / (double)n);
}

/* Tells what is broken, and why it was chosen where it would have been. */
static void tell_apart(spk_context *context, bool has_pauses)
{
    char caution[300];
    (void)spk_exact_null_caution("shift-apart", NULL, 0, caution, sizeof caution);
    spk_note(context, "%s%s", caution,
             has_pauses ? "" : "; more than half of the units pause too rarely for smaller shifts");
}

static void tell_few_pauses(spk_context *context, spk_duration window)
{
    char text[48];
    spk_duration_format(window, text, sizeof text);
    spk_note(context,
             "shift within %s: more than half of the units pause too rarely, so that a rhythm that "
             "they share can be significant; take shorter windows, or the null shift-apart",
             text);
}

/* The windows of a history that nobody named; 4 need no word. */
static void tell_history(spk_context *context, const spk_recording *recording,
                         const spk_exact_job *job, size_t k)
{
    const uint64_t ticks = spk_duration_ticks(job->jitter[k], spk_recording_rate(recording));
    const uint64_t windows = spk_shift_windows(recording, ticks);
    char text[48];
    if (job->options.history.digits >= 0 || windows == 4)
        return;
    spk_duration_format(job->jitter[k], text, sizeof text);
    spk_note(context,
             "more than half of the units keep a rhythm across pauses of 4 windows of %s, so that "
             "shifts cut at pauses longer than %" PRIu64 " windows (--history)",
             text, windows);
}

spk_status spk_exact_check_null(spk_context *context, const spk_recording *recording,
                                const spk_exact_job *job, const spk_exact_scale *scale, size_t k)
{
    if (scale->surrogates->method == &spk_surrogate_interval_jitter)
        return check_rhythm(context, recording, scale->surrogates, job->jitter[k]);
    const surrogate_method *method = scale->surrogates->method;
    const bool has_pauses = spk_exact_has_pauses(
        recording, spk_duration_ticks(job->jitter[k], spk_recording_rate(recording)));
    if (method == &spk_surrogate_shift_apart && k == 0)
        tell_apart(context, has_pauses);
    if (method == &spk_surrogate_shift_pieces && !has_pauses)
        tell_few_pauses(context, job->jitter[k]);
    else if (method == &spk_surrogate_shift_pieces)
        tell_history(context, recording, job, k);
    check_pieces(context, scale->surrogates, job->null->facts.name, job->jitter[k]);
    return SPK_OK;
}
