/* A recording in sentences: what is in it, and what looks wrong. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/decimal.h"
#include "recording/recording.h"

enum { FEW = 10, SENTENCE_BYTES = 300 };

/* Sentences on their way. */
typedef struct telling {
    const spk_recording *recording;
    spk_events events;
    const spk_recording_description *d;
    spk_sentence_sink *sink;
    void *user;
    spk_status status;
    uint32_t n;
} telling;

static telling begin(const spk_recording *recording, const spk_recording_description *d,
                     spk_sentence_sink *sink, void *user)
{
    return (telling){.recording = recording,
                     .events = spk_recording_events(recording),
                     .d = d,
                     .sink = sink,
                     .user = user};
}

static void tell(telling *t, const char *format, ...) SPK_PRINTF(2, 3);

static void tell(telling *t, const char *format, ...)
{
    char text[SENTENCE_BYTES];
    va_list arguments;
    if (t->status != SPK_OK)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    t->n++;
    if (t->sink != NULL)
        t->status = t->sink(t->user, text);
}

/* ---- what looks wrong ------------------------------------------------------------------------ */

static void tell_rates(telling *t)
{
    char doubt[SENTENCE_BYTES];
    if (spk_rate_doubt_format(t->d, doubt, sizeof doubt) > 0)
        tell(t, "%s", doubt);
    if (t->events.n_units > 100 && t->events.n_events < 2 * (uint64_t)t->events.n_units)
        tell(t, "nearly as many units as events; are the columns swapped (--columns)?");
}

static void tell_grid(telling *t)
{
    const spk_rate rate = t->d->grid.points_per_second;
    if (t->d->grid.rounded)
        tell(t,
             "all times lie on a grid of %" PRIu64 "/%" PRIu64
             " s, rounded; put bounds of delays between its points, or number the points and pass "
             "--time-unit samples@%.9g",
             rate.denominator, rate.numerator, (double)rate.numerator / (double)rate.denominator);
}

/* Behind a noun. */
static const char *have(uint64_t n)
{
    return n == 1 ? " has" : "s have";
}

static void tell_warnings(telling *t)
{
    const spk_recording_facts *facts = spk_recording_get_facts(t->recording);
    const spk_recording_description *d = t->d;
    tell_rates(t);
    tell_grid(t);
    char number[SPK_GROUPED_BYTES];
    if (d->intervals_below_1ms > 0)
        tell(t, "%s interval%s within a unit %s shorter than 1 ms; several neurons in a unit?",
             spk_group_digits(d->intervals_below_1ms, number), spk_plural(d->intervals_below_1ms),
             d->intervals_below_1ms == 1 ? "is" : "are");
    if (facts->duplicates > 0)
        tell(t, "%" PRIu64 " event%s unit and time of another and count%s once", facts->duplicates,
             facts->duplicates == 1 ? " repeats" : "s repeat", facts->duplicates == 1 ? "s" : "");
    if (d->units_without_events > 0)
        tell(t, "%" PRIu32 " unit%s no event", d->units_without_events,
             have(d->units_without_events));
    if (d->units_with_few_events > 0)
        tell(t, "%" PRIu32 " unit%s fewer than %d events", d->units_with_few_events,
             have(d->units_with_few_events), FEW);
    if (t->events.n_events >= 100 && d->longest_gap_s > 0.1 * d->duration_s)
        tell(t, "nothing happens for %.6g s from %.*g s on; was the recording interrupted?",
             d->longest_gap_s, fabs(d->longest_gap_from_s) < 1e5 ? 6 : 12, d->longest_gap_from_s);
    if (d->n_silences > 0)
        tell(t,
             "all units fall silent together %" PRIu64
             " times for %.3g s; trials that were put one "
             "after the other? give their borders (--trials)",
             d->n_silences, d->silence_s);
    if (!facts->sorted)
        tell(t, "the times were not in order and have been sorted");
    if (facts->truncated_digits)
        tell(t, "digits finer than a tick were cut");
}

spk_status spk_recording_tell_warnings(const spk_recording *recording,
                                       const spk_recording_description *description,
                                       spk_sentence_sink *sink, void *user)
{
    telling t = begin(recording, description, sink, user);
    tell_warnings(&t);
    return t.status;
}

/* ---- what is in it --------------------------------------------------------------------------- */

/* "90 s", "25 min", "3.5 h". */
static void write_length(double seconds, char text[32])
{
    if (seconds < 120)
        snprintf(text, 32, "%.3g s", seconds);
    else if (seconds < 7200)
        snprintf(text, 32, "%.3g min", seconds / 60);
    else
        snprintf(text, 32, "%.3g h", seconds / 3600);
}

static void tell_contents(telling *t)
{
    char units[SPK_GROUPED_BYTES], events[SPK_GROUPED_BYTES], length[32], segments[64] = "";
    write_length(t->d->duration_s, length);
    if (t->d->n_segments > 1)
        snprintf(segments, sizeof segments, ", in %" PRIu64 " separate stretches",
                 t->d->n_segments);
    tell(t, "%s unit%s with %s spike%s in %s%s", spk_group_digits(t->events.n_units, units),
         spk_plural(t->events.n_units), spk_group_digits(t->events.n_events, events),
         spk_plural(t->events.n_events), length, segments);
}

static void tell_activity(telling *t)
{
    tell(t,
         "the median unit fires %.3g times a second, the slowest %.3g and the fastest %.3g times; "
         "all together %.4g times",
         t->d->rate_unit_median_hz, t->d->rate_unit_min_hz, t->d->rate_unit_max_hz,
         t->d->rate_total_hz);
}

spk_status spk_recording_tell(const spk_recording *recording,
                              const spk_recording_description *description, spk_sentence_sink *sink,
                              void *user)
{
    telling t = begin(recording, description, sink, user);
    telling counted = begin(recording, description, NULL, NULL);
    tell_warnings(&counted);
    tell_contents(&t);
    tell_activity(&t);
    if (counted.n == 0)
        tell(&t, "nothing looks wrong");
    else
        tell(&t, "%" PRIu32 " thing%s may be wrong: see the warning%s", counted.n,
             spk_plural(counted.n), spk_plural(counted.n));
    return t.status;
}
