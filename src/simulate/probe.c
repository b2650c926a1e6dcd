/* A simulated probe: its options, and its parts in their order. */
#include "simulate/probe.h"

#include <stdlib.h>

#include "base/options.h"

static const spk_rate RATE = {100000, 1}; /* of simulated units: ticks of 10 us */

SPK_OPTIONS_INIT(spk_probe_options, .seed = 1, .duration = {9, 1}, .n_units = 40, .mean_rate_hz = 5,
                 .rate_spread = 1, .refractory = {2, -3}, .modulation_hz = 0.2, .rhythm_hz = 8,
                 .n_sequences = 2, .min_size = 5, .max_size = 7, .min_step = {1, -2},
                 .max_step = {3, -2}, .jitter = {2, -3}, .failing = 0.1, .repeats = 30, .warp = 1);

/* ---- options --------------------------------------------------------------------------------- */

static spk_status check_numbers(spk_context *context, const spk_probe_options *o)
{
    const struct {
        const char *name;
        double value, minimum, maximum;
    } numbers[] = {
        {"the number of units", o->n_units, 1, SPK_MAX_UNITS},
        {"the mean rate in Hz", o->mean_rate_hz, 0, 1000},
        {"the rate spread", o->rate_spread, 0, 5},
        {"the share of units with bursts", o->burst_share, 0, 1},
        {"the modulation depth", o->modulation, 0, 1},
        {"the modulation in Hz", o->modulation_hz, 0, 1000},
        {"the depth of the rhythm", o->rhythm, 0, 1},
        {"the rhythm in Hz", o->rhythm_hz, 0, 1000},
        {"the share of units that fade", o->drift, 0, 1},
        {"the share of spikes that are missed", o->missed, 0, 1},
        {"the number of merged pairs", o->n_merged, 0, 100000},
        {"the number of split units", o->n_split, 0, 100000},
        {"the number of sequences", o->n_sequences, 0, 100000},
        {"the smallest size", o->min_size, 2, 100000},
        {"the largest size", o->max_size, o->min_size, 100000},
        {"the share of planted spikes that are missing", o->failing, 0, 1},
        {"the number of occurrences", o->repeats, 1, 10000000},
        {"the warp", o->warp, 1, 10},
        {"the share of reversed occurrences", o->reversed, 0, 1},
        {"the number of shared units", o->n_shared, 0, o->nested ? 0 : o->min_size - 1},
    };
    spk_status status = SPK_OK;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0] && status == SPK_OK; k++)
        status = spk_check_number(context, numbers[k].name, numbers[k].value, numbers[k].minimum,
                                  numbers[k].maximum);
    return status;
}

/* Members that are not shared, if all sequences have the largest size. */
static double most_members(const spk_probe_options *o)
{
    const uint32_t n_parts = o->nested ? o->n_sequences / 2 : 0;
    const double n_whole = (double)o->n_sequences - n_parts;
    return n_whole * o->max_size - (n_whole > 0 ? n_whole - 1 : 0) * o->n_shared;
}

static spk_status check_durations(spk_context *context, const probe *p)
{
    const spk_probe_options *o = p->options;
    const double least = probe_ticks(p, o->min_step), most = probe_ticks(p, o->max_step);
    const double stimulus = probe_ticks(p, o->stimulus);
    if (least > most || most > 100 * p->second || probe_ticks(p, o->jitter) > p->second)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "steps are from %.6g to %.6g s with a jitter of %.6g s; the first must not "
                        "be the larger one, steps are at most 100 s, and a jitter 1 s",
                        least / p->second, most / p->second, probe_ticks(p, o->jitter) / p->second);
    if (stimulus > 0 && stimulus < 0.2 * p->second)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "stimuli come every %.6g s; 200ms is the least, 0 stands for none",
                        stimulus / p->second);
    if (p->background == NULL && o->mean_rate_hz * (double)p->refractory > 0.5 * p->second)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a refractory time of %.6g s leaves no room for %g Hz; lower one of them",
                        (double)p->refractory / p->second, o->mean_rate_hz);
    return SPK_OK;
}

/* Ticks, extent and units: of the background where there is one. */
static spk_status frame(spk_context *context, probe *p)
{
    const spk_probe_options *o = p->options;
    size_t n_segments = 0;
    spk_status status = SPK_OK;
    p->rate = p->background != NULL ? spk_recording_rate(p->background) : RATE;
    p->second = (double)p->rate.numerator / (double)p->rate.denominator;
    p->n_units = o->n_units;
    if (p->background == NULL)
        status = spk_check_duration(context, o->duration, p->rate, &p->stop);
    if (p->background != NULL) {
        p->n_units = spk_recording_events(p->background).n_units;
        p->stop = spk_recording_stop(p->background) - spk_recording_start(p->background);
        (void)spk_recording_segments(p->background, &n_segments);
        if (n_segments != 1)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "the background has %zu segments, and its units are shifted over all "
                            "of its time; give a recording of one segment",
                            n_segments);
    }
    p->refractory = (int64_t)probe_ticks(p, o->refractory);
    return status;
}

static spk_status check_options(spk_context *context, probe *p)
{
    const spk_probe_options *o = p->options;
    spk_status status = check_numbers(context, o);
    if (status == SPK_OK)
        status = frame(context, p);
    if (status == SPK_OK)
        status = check_durations(context, p);
    if (status != SPK_OK)
        return status;
    if (most_members(o) > p->n_units)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%u sequences of up to %u units need %.0f units, and there are %u", //
                        o->n_sequences, o->max_size, most_members(o), p->n_units);
    if (2 * (uint64_t)o->n_merged + o->n_split > p->n_units)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%u merged pairs and %u split units are more than %u units", o->n_merged,
                        o->n_split, p->n_units);
    return SPK_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* With a spread, single units can be far above the mean: the sum of what was drawn. Stimuli and
 * bursts can add more, for which the buffer grows. */
static double expected_events(const probe *p)
{
    const spk_probe_options *o = p->options;
    double per_tick = 0;
    for (uint32_t u = 0; u < p->n_units && p->background == NULL; u++)
        per_tick += p->unit[u].gap_rate;
    const double own = p->background != NULL ? (double)spk_recording_events(p->background).n_events
                                             : per_tick * (double)p->stop;
    return own + (double)o->n_sequences * o->max_size * o->repeats;
}

static spk_status simulate(spk_context *context, probe *p, spk_recording **recording)
{
    enum { BYTES_PER_EVENT = 48 }; /* while sorting: columns, pairs and the sort's own copy */
    spk_status status = check_options(context, p);
    if (status == SPK_OK)
        status = probe_draw_units(context, p);
    if (status == SPK_OK)
        status = spk_event_buffer_reserve(context, &p->events, expected_events(p), BYTES_PER_EVENT);
    if (status == SPK_OK)
        status = probe_plant(context, p);
    if (status == SPK_OK)
        status = probe_add_units(context, p);
    return status == SPK_OK ? probe_sort(context, p, recording) : status;
}

spk_status spk_simulate_probe(spk_context *context, const spk_probe_options *given,
                              const spk_recording *background, spk_recording **recording,
                              spk_truth **truth)
{
    *recording = NULL;
    if (truth != NULL)
        *truth = NULL;
    spk_probe_options own;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &own, spk_probe_options);
    if (status != SPK_OK)
        return status;
    probe p = {.options = &own, .background = background};
    status = simulate(context, &p, recording);
    if (status == SPK_OK && truth != NULL) {
        *truth = p.truth;
        p.truth = NULL;
    }
    spk_truth_free(p.truth);
    spk_event_buffer_free(&p.events);
    spk_planted_times_free(&p.planted);
    free(p.stimulus);
    free(p.unit);
    return status;
}
