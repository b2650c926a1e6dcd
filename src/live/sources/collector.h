/*
 * What a source gathers between two polls: spikes of one segment, its border, what was lost, and
 * the counters. The parsers of all sources fill it; they need no socket, so that tests and fuzzers
 * hand them bytes.
 */
#pragma once

#include <assert.h>

#include "base/deadline.h"
#include "base/stage.h"
#include "recording/labels.h"
#include "spikemine/live_source.h"

enum { SPK_COLLECTOR_SPIKES = 1 << 16 };

typedef struct spk_collector {
    spk_context *context; /* of the running call */
    spk_rate rate;        /* {0, 0}: not known yet */
    spk_labels labels;
    spk_holding holding; /* theirs */
    uint32_t max_units;
    uint64_t n; /* at most SPK_COLLECTOR_SPIKES */
    int64_t *time;
    uint32_t *unit;
    int64_t *arrival_ns;
    spk_live_arrivals
        head; /* border, bounds, lost, ended; the columns are filled in when it is handed over */
    int64_t now_ns; /* when the bytes that are being taken came in */
    bool began;     /* some spike or border was collected */
    int64_t newest; /* the latest time in this segment */
    bool any;       /* `newest` holds one */
    bool fresh;     /* the connection is new: the clock may have started anew */
    spk_live_source_facts facts;
} spk_collector;

/* Errors: SPK_ERR_MEMORY. Clear frees the content; a zeroed one has none. */
spk_status spk_collector_init(spk_context *context, spk_collector *collector, uint32_t max_units);
void spk_collector_clear(spk_collector *collector);

/* Whether there is something to hand over. */
static inline bool spk_collector_has_news(const spk_collector *collector)
{
    return collector->n > 0 || collector->head.border || collector->head.lost > 0 ||
           collector->head.ended;
}

static inline bool spk_collector_full(const spk_collector *collector)
{
    return collector->n == SPK_COLLECTOR_SPIKES;
}

/* Adds a spike; the collector is not full. */
static inline void spk_collect(spk_collector *collector, int64_t time, uint32_t unit)
{
    assert(collector->n < SPK_COLLECTOR_SPIKES);
    collector->time[collector->n] = time;
    collector->unit[collector->n] = unit;
    collector->arrival_ns[collector->n++] = collector->now_ns;
    collector->newest = collector->any && collector->newest > time ? collector->newest : time;
    collector->any = collector->began = true;
}

/* A segment begins, with the bounds that are not NULL. False: what was gathered before must be
 * handed over first; come again with the same border in the next poll. */
bool spk_collect_border(spk_collector *collector, const spk_duration *start,
                        const spk_duration *stop);

/* It is a part of a trial, from 0, of n_trials; behind the border, before a spike. */
void spk_collect_trial(spk_collector *collector, uint64_t trial, uint64_t n_trials);

/* Whether a clock that shows `time` has started anew: more than a second before the newest spike.
 */
bool spk_collector_restarted(const spk_collector *collector, int64_t time);

/* The clock has started anew: a segment without bounds begins, which is counted and said. False as
 * above. */
bool spk_collect_restart(spk_collector *collector, int64_t time);

/* n messages or spikes are missing here. */
void spk_collect_lost(spk_collector *collector, uint64_t n);

/* n spikes came, and no sample rate. */
void spk_collect_unrated(spk_collector *collector, uint64_t n);

/* n pieces of garbage; [text, text + length) is shown as the first one, with the reason. */
void spk_collect_garbage(spk_collector *collector, uint64_t n, const char *text, size_t length,
                         const char *reason);

/* The number of a label, new or not. False, with garbage counted: too long, no text, one too many.
 * Out of memory counts as garbage, too, and sets *status. */
bool spk_collect_label(spk_collector *collector, const char *text, size_t length, uint32_t *unit,
                       spk_status *status);
