/* Levels and the prefix/suffix join. */
#include "episode/level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "episode/list.h"
#include "recording/segments.h"

/* ---- links ----------------------------------------------------------------------------------- */

static spk_status check(spk_context *context, const spk_recording *recording, double share)
{
    if (!(share >= 0 && share <= SPK_EPISODE_MAX_LINK_SHARE))
        return spk_fail(context, SPK_ERR_ARGUMENT, "a link share is a number from 0 to %g",
                        SPK_EPISODE_MAX_LINK_SHARE);
    if (share > 0 && recording->part.divided)
        return spk_fail(context, SPK_ERR_UNSUPPORTED,
                        "a link share needs the numbers of events of the whole recording, which "
                        "ranks that divide it by time do not have; divide candidates");
    return SPK_OK;
}

double episode_observed_ticks(const spk_recording *recording)
{
    size_t n = 0;
    const spk_segment *segment = spk_recording_segments(recording, &n);
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += (double)segment[k].stop - (double)segment[k].start;
    return sum;
}

spk_status episode_links_open(spk_context *context, const spk_recording *recording,
                              const spk_episode_options *options, const episode_run *run,
                              episode_links *out)
{
    spk_tick_delay *delay = NULL;
    const uint32_t n_units = episode_run_n_units(run);
    *out = (episode_links){.share = options->link_share};
    spk_status status = check(context, recording, options->link_share);
    if (status != SPK_OK || out->share == 0)
        return status;
    out->ticks = episode_observed_ticks(recording);
    status = spk_delays_to_ticks(context, options->delays, options->n_delays,
                                 spk_recording_rate(recording), &delay);
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "links", SPK_COLUMN(&out->events, n_units),
                                   SPK_COLUMN(&out->width, options->n_delays));
    for (uint32_t u = 0; u < n_units && status == SPK_OK; u++)
        out->events[u] = (double)episode_run_unit_count(run, u);
    for (size_t d = 0; d < options->n_delays && status == SPK_OK; d++)
        out->width[d] = fmax(fmin((double)delay[d].hi, out->ticks) - (double)delay[d].lo, 0);
    free(delay);
    return status;
}

void episode_links_close(episode_links *links)
{
    free(links->events);
    free(links->width);
    *links = (episode_links){.share = 0};
}

/* What chance gives a link at the mean rates. Counted occurrences do not overlap, so that where the
 * interval holds events all the time they are nearly as many as the events of the rarer unit. */
static double by_chance(const episode_links *l, uint32_t before, uint16_t delay, uint32_t unit)
{
    const double a = l->events[before], b = l->events[unit], width = l->width[delay];
    return a > 0 && b > 0 ? a * b * width / (l->ticks + fmax(a, b) * width) : 0;
}

uint64_t episode_links_limit(const episode_links *links, uint32_t size, const uint32_t *unit,
                             const uint16_t *delay)
{
    double most = 0;
    for (uint32_t p = 1; p < size && links->share > 0; p++)
        most = fmax(most, by_chance(links, unit[p - 1], delay[p], unit[p]));
    const double limit = ceil(links->share * most);
    return limit < 0x1p63 ? (uint64_t)limit : UINT64_MAX;
}

/* ---- levels ---------------------------------------------------------------------------------- */

void episode_level_free(episode_level *level)
{
    spk_free_all(level->unit, level->delay, level->count, level->suffix, level->child_first);
    *level = (episode_level){.size = 0};
}

uint64_t episode_level_bytes(const episode_level *level)
{
    return level->capacity * (level->size * 6 + 12) + level->n_before * 8;
}

spk_status episode_level_start(spk_context *context, const episode_level *before,
                               episode_level *level)
{
    *level = (episode_level){.size = before != NULL ? before->size + 1 : 1};
    if (before == NULL)
        return SPK_OK;
    level->n_before = before->n;
    return spk_alloc_zero(context, &level->child_first, before->n + 2, "frequent episodes");
}

static spk_status reserve_rows(spk_context *context, episode_level *level, uint64_t n)
{
    if (n <= level->capacity)
        return SPK_OK;
    if (n > UINT32_MAX - 1)
        return spk_fail(context, SPK_ERR_MEMORY,
                        "more than 4 billion frequent episodes of size %u; raise the support",
                        level->size);
    return spk_grow_columns(context, &level->capacity, n, "frequent episodes",
                            SPK_COLUMN(&level->unit, level->size),
                            SPK_COLUMN(&level->delay, level->size), SPK_COLUMN(&level->count, 1),
                            SPK_COLUMN(&level->suffix, 1));
}

spk_status episode_level_append(spk_context *context, const episode_level *before, uint64_t prefix,
                                uint16_t delay, uint32_t unit, uint32_t suffix, uint64_t count,
                                episode_level *level)
{
    spk_status status = reserve_rows(context, level, level->n + 1);
    if (status != SPK_OK)
        return status;
    uint32_t size = level->size;
    uint32_t *units = level->unit + level->n * size;
    uint16_t *delays = level->delay + level->n * size;
    if (size > 1) {
        memcpy(units, before->unit + prefix * (size - 1), (size - 1) * sizeof *units);
        memcpy(delays, before->delay + prefix * (size - 1), (size - 1) * sizeof *delays);
        level->child_first[prefix + 1]++; /* counts; episode_level_finish makes offsets */
    }
    units[size - 1] = unit;
    delays[size - 1] = delay;
    level->count[level->n] = count;
    level->suffix[level->n] = suffix;
    level->n++;
    return SPK_OK;
}

void episode_level_finish(episode_level *level)
{
    for (uint64_t row = 0; row < level->n_before; row++)
        level->child_first[row + 1] += level->child_first[row];
}

/* ---- candidates ------------------------------------------------------------------------------ */

void candidate_block_free(candidate_block *block)
{
    spk_free_all(block->unit, block->delay, block->prefix, block->suffix);
    *block = (candidate_block){.n = 0};
}

spk_status candidate_block_reserve(spk_context *context, uint32_t size, uint64_t capacity,
                                   candidate_block *block)
{
    candidate_block_free(block);
    spk_status status = spk_alloc_columns(
        context, "candidates", SPK_COLUMN(&block->unit, capacity * size),
        SPK_COLUMN(&block->delay, capacity * size), SPK_COLUMN(&block->prefix, capacity),
        SPK_COLUMN(&block->suffix, capacity));
    block->capacity = status == SPK_OK ? capacity : 0;
    return status;
}

/* How many candidates have this row as prefix. Of a single unit every interval and unit may follow.
 */
static uint64_t n_children(const episode_level *level, size_t n_delays, uint64_t row)
{
    if (level->size == 1)
        return level->n * n_delays;
    uint32_t suffix = level->suffix[row];
    return level->child_first[suffix + 1] - level->child_first[suffix];
}

uint64_t candidate_total(const episode_level *level, size_t n_delays)
{
    uint64_t total = 0;
    for (uint64_t row = 0; row < level->n; row++)
        total += n_children(level, n_delays, row);
    return total;
}

static void add_candidate(const episode_level *level, uint64_t row, uint64_t child,
                          candidate_block *block)
{
    uint32_t size = level->size + 1;
    uint32_t *unit = block->unit + block->n * size;
    uint16_t *delay = block->delay + block->n * size;
    memcpy(unit, level->unit + row * level->size, level->size * sizeof *unit);
    memcpy(delay, level->delay + row * level->size, level->size * sizeof *delay);
    uint64_t suffix; /* the candidate without its first position */
    if (level->size == 1) {
        suffix = child % level->n;
        delay[1] = (uint16_t)(child / level->n);
        unit[1] = level->unit[suffix];
    } else {
        suffix = level->child_first[level->suffix[row]] + child;
        uint64_t final = suffix * level->size + level->size - 1;
        delay[size - 1] = level->delay[final];
        unit[size - 1] = level->unit[final];
    }
    block->prefix[block->n] = (uint32_t)row;
    block->suffix[block->n] = (uint32_t)suffix;
    block->n++;
}

/* Whether the last candidate of the block may reach the limit of its links: its count is none
 * larger than those of its parts. */
static bool may_reach(const episode_level *level, const episode_links *links,
                      const candidate_block *block)
{
    const uint64_t last = block->n - 1;
    const uint32_t size = level->size + 1;
    const uint64_t limit =
        episode_links_limit(links, size, block->unit + last * size, block->delay + last * size);
    return level->count[block->prefix[last]] >= limit && level->count[block->suffix[last]] >= limit;
}

void candidate_fill(const episode_level *level, size_t n_delays, const episode_links *links,
                    candidate_cursor *cursor, candidate_block *block)
{
    block->n = 0;
    while (cursor->prefix < level->n && block->n < block->capacity) {
        uint64_t n = n_children(level, n_delays, cursor->prefix);
        while (cursor->child < n && block->n < block->capacity) {
            add_candidate(level, cursor->prefix, cursor->child++, block);
            cursor->joined++;
            if (links->share > 0 && !may_reach(level, links, block))
                block->n--;
        }
        if (cursor->child == n) {
            cursor->prefix++;
            cursor->child = 0;
        }
    }
}
