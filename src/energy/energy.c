/*
 * Measurements of energy. The counter of a processor begins again at 0 when it is full, after some
 * twenty minutes of work, so a thread reads all meters often enough to see each time.
 */
#include "energy/energy.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/deadline.h"
#include "base/memory.h"

/* Seconds between readings: a counter of 60 kJ, the smallest that is known, holds more than ten
 * seconds of any processor. */
enum { READ_EVERY_S = 10 };

struct spk_energy {
    spk_energy_list list; /* in work, under the lock */
    spk_nvml nvml;
    spk_energy_meter told[SPK_ENERGY_MOST_METERS]; /* of the last spk_energy_read */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool ends;
    bool watched; /* the thread runs */
    pthread_t watcher;
};

/* ---- meters ---------------------------------------------------------------------------------- */

/* What the counter went on by; one that goes backwards without a range was set anew by others. */
static bool count_on(spk_energy_source *source, uint64_t now, uint64_t *units)
{
    if (now < source->last && source->range < source->last - now)
        return false;
    *units = now >= source->last ? now - source->last : now + (source->range - source->last);
    source->last = now;
    return true;
}

static void read_meter(spk_energy *energy, size_t k)
{
    spk_energy_meter *meter = &energy->list.meter[k];
    spk_energy_source *source = &energy->list.source[k];
    uint64_t now = 0, units = 0;
    if (!meter->readable)
        return;
    meter->readable =
        meter->kind == SPK_ENERGY_GPU
            ? spk_nvml_read(&energy->nvml, source->device, &now, meter->why, sizeof meter->why)
            : spk_rapl_read(source->path, &now, meter->why, sizeof meter->why);
    if (!meter->readable)
        return;
    meter->readable = count_on(source, now, &units);
    if (meter->readable)
        meter->joules += (double)units * source->per_unit;
    else
        snprintf(meter->why, sizeof meter->why, "the counter went backwards during the job");
}

static void read_all(spk_energy *energy)
{
    for (size_t k = 0; k < energy->list.n; k++)
        read_meter(energy, k);
}

/* The readings from which the measurement counts. */
static void begin_all(spk_energy *energy)
{
    read_all(energy);
    for (size_t k = 0; k < energy->list.n; k++)
        energy->list.meter[k].joules = 0;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void *watch(void *user)
{
    spk_energy *energy = user;
    pthread_mutex_lock(&energy->lock);
    while (!energy->ends) {
        const struct timespec until = spk_time_from_now(READ_EVERY_S);
        (void)spk_wait_until(&energy->ended, &energy->lock, &until);
        read_all(energy);
    }
    pthread_mutex_unlock(&energy->lock);
    return NULL;
}

/* Signals are for the other threads. Where no thread can be started, a counter that begins again
 * more than once is counted short. */
static void begin_watch(spk_energy *energy)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    energy->watched = pthread_create(&energy->watcher, NULL, watch, energy) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- measurements ---------------------------------------------------------------------------- */

spk_status spk_energy_begin_at(spk_context *context, const char *folder, const char *library,
                               spk_energy **out)
{
    spk_energy *energy = NULL;
    *out = NULL;
    spk_status status = spk_alloc_zero(context, &energy, 1, "meters of energy");
    if (status != SPK_OK)
        return status;
    pthread_mutex_init(&energy->lock, NULL);
    spk_timed_condition_init(&energy->ended);
    spk_rapl_find(&energy->list, folder);
    spk_nvml_find(&energy->list, &energy->nvml, library);
    begin_all(energy);
    begin_watch(energy);
    *out = energy;
    return SPK_OK;
}

spk_status spk_energy_begin(spk_context *context, spk_energy **out)
{
    return spk_energy_begin_at(context, SPK_POWERCAP, getenv("SPIKEMINE_NVML"), out);
}

const spk_energy_meter *spk_energy_read(spk_energy *energy, size_t *n)
{
    pthread_mutex_lock(&energy->lock);
    read_all(energy);
    for (size_t k = 0; k < energy->list.n; k++)
        energy->told[k] = energy->list.meter[k];
    pthread_mutex_unlock(&energy->lock);
    *n = energy->list.n;
    return energy->told;
}

double spk_energy_total(const spk_energy *energy)
{
    double joules = 0;
    bool any = false;
    for (size_t k = 0; k < energy->list.n; k++) {
        any |= energy->told[k].readable;
        joules += energy->told[k].readable ? energy->told[k].joules : 0;
    }
    return any ? joules : -1;
}

void spk_energy_free(spk_energy *energy)
{
    if (energy == NULL)
        return;
    pthread_mutex_lock(&energy->lock);
    energy->ends = true;
    pthread_cond_signal(&energy->ended);
    pthread_mutex_unlock(&energy->lock);
    if (energy->watched)
        pthread_join(energy->watcher, NULL);
    spk_nvml_end(&energy->nvml);
    pthread_cond_destroy(&energy->ended);
    pthread_mutex_destroy(&energy->lock);
    free(energy);
}
