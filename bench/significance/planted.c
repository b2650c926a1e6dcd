/* A planted chain, and what of it a test gives back. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planted.h"

static void add_spike(const planted *chain, trains *t, trains_random *random, uint32_t unit,
                      double time)
{
    if (chain->missing <= 0 || trains_unit(random) >= chain->missing)
        trains_add(t, unit, time);
}

void planted_add(const planted *chain, trains *t, trains_random *random, double seconds)
{
    const double span = (chain->size - 1) * (chain->delay_s + chain->jitter_s);
    const double stretch = (seconds - span) / chain->occurrences;
    for (uint32_t k = 0; k < chain->occurrences; k++) {
        double time = (k + trains_unit(random)) * stretch;
        add_spike(chain, t, random, 0, time);
        for (uint32_t u = 1; u < chain->size && trains_unit(random) < chain->strength; u++) {
            time += chain->delay_s + chain->jitter_s * (2 * trains_unit(random) - 1);
            add_spike(chain, t, random, u, time);
        }
    }
}

/* `links`: how many pairs of positions belong together; `whole`: nothing is missing. */
static void add(planted_tally *tally, uint32_t size, uint32_t links, uint32_t all_links, bool whole)
{
    if (whole)
        tally->whole++;
    else if (links == all_links && size >= 3)
        tally->parts++;
    else if (links == all_links && size == 2)
        tally->pairs++;
    else if (links > 0)
        tally->mixed++;
    else
        tally->others++;
}

static void add_episode(planted_tally *tally, const planted *chain,
                        const spk_episode_columns *episodes, uint64_t i)
{
    const uint32_t size = (uint32_t)(episodes->offset[i + 1] - episodes->offset[i]);
    const uint32_t *unit = episodes->unit + episodes->offset[i];
    const uint16_t *delay = episodes->delay + episodes->offset[i];
    uint32_t links = 0;
    bool whole = size == chain->size;
    for (uint32_t p = 1; p < size; p++) {
        bool linked = unit[p] == unit[p - 1] + 1 && unit[p] < chain->size;
        links += linked;
        whole = whole && linked && delay[p] == chain->interval;
    }
    add(tally, size, links, size - 1, whole);
}

/* Bins between two units of the chain. */
static int bins_between(const planted *chain, uint32_t from, uint32_t to)
{
    return (int)lround(((double)to - (double)from) * chain->delay_s / chain->bin_s);
}

static void add_pattern(planted_tally *tally, const planted *chain,
                        const spk_pattern_columns *patterns, uint64_t i)
{
    const uint32_t size = (uint32_t)(patterns->offset[i + 1] - patterns->offset[i]);
    const uint32_t *item = patterns->item + patterns->offset[i];
    uint32_t links = 0;
    bool whole = size == chain->size;
    for (uint32_t b = 1; b < size; b++)
        for (uint32_t a = 0; a < b; a++) {
            const uint32_t from = item[a] / patterns->window, to = item[b] / patterns->window;
            const int lag = (int)(item[b] % patterns->window) - (int)(item[a] % patterns->window);
            const int off = abs(lag - bins_between(chain, from, to));
            const double slack = abs((int)to - (int)from) * chain->jitter_s / chain->bin_s;
            const bool linked =
                from != to && from < chain->size && to < chain->size && off <= ceil(slack);
            links += linked;
            whole = whole && linked && off == 0;
        }
    add(tally, size, links, size * (size - 1) / 2, whole);
}

void planted_tally_found(planted_tally *tally, const planted *chain, const exact_found *found,
                         const uint8_t *keep)
{
    for (uint64_t i = 0; i < found->n; i++) {
        if (!keep[i])
            continue;
        if (found->patterns != NULL) {
            const spk_pattern_columns columns = spk_pattern_list_columns(found->patterns);
            add_pattern(tally, chain, &columns, i);
        } else {
            const spk_episode_columns columns = spk_episode_list_columns(found->episodes);
            add_episode(tally, chain, &columns, i);
        }
    }
}

void planted_tallies_print(const planted_tally *tally, size_t n, char *out, size_t size)
{
    size_t used = 0;
    for (const planted_tally *t = tally; t < tally + n && used < size; t++)
        used += (size_t)snprintf(out + used, size - used,
                                 "\t%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
                                 t->whole, t->parts, t->pairs, t->mixed, t->others);
}
