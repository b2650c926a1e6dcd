/* Random numbers, renewal processes, and recordings of what was drawn. */
#include <math.h>
#include <stdlib.h>

#include "trains.h"

/* ---- random numbers -------------------------------------------------------------------------- */

static uint64_t next(trains_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

trains_random trains_start(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t part[] = {seed, a, b, c};
    trains_random random = {0};
    for (int k = 0; k < 4; k++) {
        random.state ^= part[k];
        random.state = next(&random);
    }
    return random;
}

double trains_unit(trains_random *random)
{
    return ((double)(next(random) >> 12) + 0.5) * 0x1p-52;
}

double trains_exponential(trains_random *random)
{
    return -log(trains_unit(random));
}

uint32_t trains_below(trains_random *random, uint32_t bound)
{
    return (uint32_t)(trains_unit(random) * bound);
}

/* ---- growing trains -------------------------------------------------------------------------- */

static bool make_room(trains *t)
{
    if (t->n < t->room)
        return true;
    uint64_t room = t->room > 0 ? 2 * t->room : 1024;
    int64_t *time = realloc(t->time, room * sizeof *time);
    if (time != NULL)
        t->time = time;
    uint32_t *unit = realloc(t->unit, room * sizeof *unit);
    if (unit != NULL)
        t->unit = unit;
    t->failed = time == NULL || unit == NULL;
    t->room = t->failed ? t->room : room;
    return !t->failed;
}

void trains_add(trains *t, uint32_t unit, double seconds)
{
    if (t->failed || !make_room(t))
        return;
    int64_t tick = (int64_t)(seconds * TRAINS_RATE);
    t->time[t->n] = tick % 1000 == 0 ? tick + 1 : tick;
    t->unit[t->n++] = unit;
}

static spk_status make_recording(spk_context *context, const trains *t, uint32_t n_units,
                                 double seconds, uint32_t n_segments, spk_recording **out)
{
    spk_segment *segments = malloc(n_segments * sizeof *segments);
    if (segments == NULL || t->failed) {
        free(segments);
        return SPK_ERR_MEMORY;
    }
    const int64_t start = 0, stop = (int64_t)(seconds * TRAINS_RATE);
    for (uint32_t k = 0; k < n_segments; k++)
        segments[k] = (spk_segment){stop * k / n_segments, stop * (k + 1) / n_segments};
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = t->n;
    source.time = t->time;
    source.unit = t->unit;
    source.n_units = n_units;
    source.rate = (spk_rate){TRAINS_RATE, 1};
    source.start = &start;
    source.stop = &stop;
    source.segments = segments;
    source.n_segments = n_segments;
    spk_status status = spk_recording_create(context, &source, out);
    free(segments);
    return status;
}

spk_status trains_recording(spk_context *context, trains *t, uint32_t n_units, double seconds,
                            uint32_t n_segments, spk_recording **out)
{
    spk_status status = make_recording(context, t, n_units, seconds, n_segments, out);
    free(t->time);
    free(t->unit);
    *t = (trains){0};
    return status;
}

/* ---- processes ------------------------------------------------------------------------------- */

/* The time at which the integral of 1 + depth * sin(2 pi wave t) reaches `area`, by bisection: the
 * integral grows, and lies within depth / (pi wave) of t. */
static double time_of(double area, double depth, double wave_hz)
{
    if (depth <= 0)
        return area;
    const double pi = 3.14159265358979323846;
    double low = area - depth / (pi * wave_hz), high = area;
    for (int k = 0; k < 50; k++) {
        double t = (low + high) / 2;
        double reached = t + depth * (1 - cos(2 * pi * wave_hz * t)) / (2 * pi * wave_hz);
        if (reached < area)
            low = t;
        else
            high = t;
    }
    return high;
}

static double interval(trains_random *random, const trains_process *process)
{
    double mean = 1 / process->rate_hz - process->dead_s;
    double sum = 0;
    for (uint32_t k = 0; k < process->order; k++)
        sum += trains_exponential(random);
    return process->dead_s + mean * sum / process->order;
}

void trains_renewal(trains *t, trains_random *random, uint32_t unit, const trains_process *process,
                    double seconds)
{
    /* Begun long before 0, so that time 0 is as any other. */
    double area = -20 / process->rate_hz * (1 + trains_unit(random));
    double last = seconds + (process->depth > 0 ? process->depth / process->wave_hz : 0);
    while (area < last) {
        area += interval(random, process);
        double time = area < 0 ? area : time_of(area, process->depth, process->wave_hz);
        if (time >= 0 && time < seconds)
            trains_add(t, unit, time);
    }
}

void trains_rhythm(trains *t, trains_random *random, uint32_t unit, const trains_process *process,
                   double wander, double seconds)
{
    double left = trains_exponential(random) / process->rate_hz; /* behind the cycle's start */
    for (double at = -trains_unit(random) / process->wave_hz; at < seconds;) {
        const double cycle = (1 + wander * (2 * trains_unit(random) - 1)) / process->wave_hz;
        while (left < cycle) {
            const double time = at + cycle * time_of(left / cycle, process->depth, 1);
            if (time >= 0 && time < seconds)
                trains_add(t, unit, time);
            left += trains_exponential(random) / process->rate_hz;
        }
        left -= cycle;
        at += cycle;
    }
}

void trains_bursts(trains *t, trains_random *random, uint32_t unit, double rate_hz,
                   uint32_t n_spikes, double gap_s, double seconds)
{
    double burst = -gap_s * n_spikes;
    while ((burst += trains_exponential(random) * n_spikes / rate_hz) < seconds)
        for (uint32_t k = 0; k < n_spikes; k++)
            if (burst + k * gap_s >= 0 && burst + k * gap_s < seconds)
                trains_add(t, unit, burst + k * gap_s);
}

void trains_poisson(trains *t, trains_random *random, uint32_t unit, double rate_hz, double from,
                    double to)
{
    double time = from + trains_exponential(random) / rate_hz;
    while (time < to) {
        trains_add(t, unit, time);
        time += trains_exponential(random) / rate_hz;
    }
}
