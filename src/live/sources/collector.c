/* What a source gathers between two polls. */
#include "live/sources/collector.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/utf8.h"

spk_status spk_collector_init(spk_context *context, spk_collector *collector, uint32_t max_units)
{
    *collector = (spk_collector){.context = context, .max_units = max_units};
    return spk_alloc_columns(context, "live spikes",
                             SPK_COLUMN(&collector->time, SPK_COLLECTOR_SPIKES),
                             SPK_COLUMN(&collector->unit, SPK_COLLECTOR_SPIKES),
                             SPK_COLUMN(&collector->arrival_ns, SPK_COLLECTOR_SPIKES));
}

void spk_collector_clear(spk_collector *collector)
{
    spk_labels_clear(&collector->labels);
    spk_holding_release(&collector->holding);
    spk_free_all(collector->time, collector->unit, collector->arrival_ns);
    *collector = (spk_collector){.n = 0};
}

bool spk_collect_border(spk_collector *collector, const spk_duration *start,
                        const spk_duration *stop)
{
    if (collector->n > 0 || collector->head.border)
        return false;
    collector->head.border = true;
    collector->head.has_start = start != NULL;
    collector->head.has_stop = stop != NULL;
    if (start != NULL)
        collector->head.start = *start;
    if (stop != NULL)
        collector->head.stop = *stop;
    collector->any = false;
    collector->fresh = false;
    collector->began = true;
    return true;
}

void spk_collect_trial(spk_collector *collector, uint64_t trial, uint64_t n_trials)
{
    collector->head.trial = trial;
    collector->head.n_trials = n_trials;
}

bool spk_collector_restarted(const spk_collector *collector, int64_t time)
{
    const spk_rate rate = collector->rate;
    if (!collector->any || time >= collector->newest || rate.denominator == 0)
        return false;
    const uint64_t back = (uint64_t)collector->newest - (uint64_t)time;
    return back > rate.numerator / rate.denominator;
}

bool spk_collect_restart(spk_collector *collector, int64_t time)
{
    const double ticks = collector->rate.denominator == 0 ? 1
                                                          : (double)collector->rate.numerator /
                                                                (double)collector->rate.denominator;
    const double newest_s = (double)collector->newest / ticks;
    if (!spk_collect_border(collector, NULL, NULL))
        return false;
    spk_note_again(
        collector->context, &collector->facts.restarts,
        "the clock of the live source began anew, %.3f s after %.3f s: a new segment begins",
        (double)time / ticks, newest_s);
    return true;
}

void spk_collect_lost(spk_collector *collector, uint64_t n)
{
    collector->head.lost += n;
    collector->facts.lost += n;
    collector->facts.gaps++;
}

void spk_collect_unrated(spk_collector *collector, uint64_t n)
{
    collector->facts.unrated += n;
    spk_collect_lost(collector, n);
}

void spk_collect_garbage(spk_collector *collector, uint64_t n, const char *text, size_t length,
                         const char *reason)
{
    spk_live_source_facts *facts = &collector->facts;
    facts->garbage += n;
    if (facts->example[0] != '\0' || n == 0)
        return;
    /* The end of what is shown is the first zero byte, which is no printable text anyway. */
    char shown[41] = "";
    char printable[73];
    memcpy(shown, text, length < sizeof shown - 1 ? length : sizeof shown - 1);
    spk_text_printable(shown, printable, sizeof printable);
    snprintf(facts->example, sizeof facts->example, "'%s': %.80s", printable, reason);
}

bool spk_collect_label(spk_collector *collector, const char *text, size_t length, uint32_t *unit,
                       spk_status *status)
{
    if (spk_labels_find(&collector->labels, text, length, unit))
        return true;
    const char *reason = NULL;
    if (length > SPK_LIVE_MAX_LABEL)
        reason = "the unit's label is too long";
    else if (!spk_utf8_is_text(text, length))
        reason = "the unit's label is not UTF-8 text";
    else if (collector->labels.n >= collector->max_units)
        reason = "one unit too many; are time and unit swapped?";
    if (reason == NULL) {
        const spk_stage stage = spk_stage_open(collector->context);
        *status = spk_labels_intern(collector->context, &collector->labels, text, length, unit);
        spk_stage_keep(collector->context, &stage, &collector->holding);
        if (*status == SPK_OK)
            return true;
        reason = "no memory for its label";
    }
    spk_collect_garbage(collector, 1, text, length, reason);
    return false;
}
