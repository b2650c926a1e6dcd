/*
 * The cost model.
 *
 * Example: 1,000 ends of a prefix, one interval, candidates in two tiles. With tables that are
 * there these are 1,000 * 2 steps. A scan visits 1,000 ends, and behind each as many events as the
 * interval holds on average.
 *
 * Invariant: all strategies count the same, so that a wrong guess costs time and nothing else. Cost
 * of the model: a look at every candidate, and SAMPLES events for each unit and interval that
 * prefixes ask for. Bytes: 8 for each unit and interval. Ours.
 */
#include "episode/engine/sweep/strategy.h"

#include <assert.h>
#include <float.h>
#include <stdlib.h>

/* Nanoseconds, of which the ratios matter most. */

/* A scan: an event behind an end takes loads from cache and a comparison; an end takes what is not
 * in cache yet, because events behind different ends lie all over the recording. */
static const double VISIT = 1.3;
static const double END = 20;
/* Tables: a row has 32 entries, which are worked out and written; a step goes over an end in one
 * strip, a few vector instructions on one cache line. */
static const double ROW = 18;
static const double STEP = 1.2;
/* Lists: an end whose followers of one unit are looked up. */
static const double EXTEND = 8;
/* A scan must be expected to take less than this share of the time. It counts everything, where
 * counting with tables may stop early, and how many events it meets is known from samples only. */
static const double ADVANTAGE = 0.4;
/* Ends of a unit that are looked at to learn how many events an interval holds. */
enum { SAMPLES = 32 };

/* Episode sizes whose blocks use a table that stays; other tables are built for each block. */
enum { SIZES_SERVED = 4 };

/* Windows and unit by unit, in walks through the recording for one unit: a walk for all units,
 * which finds every unit's places on the way, takes about two, and so does a strip of all events'
 * rows. */
enum { WALK_OF_ALL = 2, STRIP_OF_ROWS = 2 };

/* Unit by unit: building a row takes as long as going over four ends. */
enum { STEPS_A_ROW = 4 };

uint64_t sweep_cost_resident_rows(uint64_t n_missing, uint64_t n_events)
{
    return n_missing * n_events / SIZES_SERVED;
}

uint64_t sweep_cost_unit(uint64_t rows, uint64_t n_groups, uint64_t n_batches, int threads)
{
    uint64_t n = (uint64_t)threads;
    assert(threads > 0);
    return rows * (STEPS_A_ROW * n_batches / n + (n_groups + n - 1) / n) + 1;
}

/* ---- windows --------------------------------------------------------------------------------- */

/* How often the unit with which prefixes end changes from group to group, at most as often as there
 * are units: about as many walks through the recording as unit by unit takes. */
static uint64_t count_last_units(const sweep_shared *shared, const sweep_groups *groups)
{
    uint64_t most = shared->index->events.n_units;
    uint64_t n = 0;
    for (uint64_t g = 0; g < groups->n && n < most; g++)
        n += g == 0 || sweep_groups_last_unit(shared->block, groups, g) !=
                           sweep_groups_last_unit(shared->block, groups, g - 1);
    return n;
}

/* Windows take a walk for all units and all rows for every batch of groups. Unit by unit takes a
 * walk for each unit, and all rows once. */
bool sweep_cost_windows_pay(const sweep_shared *shared, const sweep_groups *groups,
                            uint64_t n_batches, uint64_t n_strips)
{
    uint64_t rows = STRIP_OF_ROWS * n_strips;
    return n_batches * (WALK_OF_ALL + rows) < count_last_units(shared, groups) + rows;
}

/* ---- scan ------------------------------------------------------------------------------------ */

/* Events in the interval behind an event of the unit, on average over some of them. */
static double events_behind(const sweep_index *index, uint32_t unit, size_t delay)
{
    const uint64_t *first = index->events.unit_first + unit;
    uint64_t n = first[1] - first[0];
    uint64_t step = n / SAMPLES + 1;
    double ranks = 0;
    uint64_t n_samples = 0;
    for (uint64_t place = first[0]; place < first[1]; place += step, n_samples++)
        ranks += sweep_reach_at(index, index->hi_reach[delay], place) -
                 sweep_reach_at(index, index->lo_reach[delay], place);
    double events_a_rank = (double)index->events.n_events / index->n_ranks;
    return n_samples > 0 ? ranks / (double)n_samples * events_a_rank : 0;
}

static double events_of(const sweep_index *index, uint32_t unit)
{
    return (double)(index->events.unit_first[unit + 1] - index->events.unit_first[unit]);
}

/* About how many ends the list of the group's prefix has. */
static double expected_ends(const sweep_shared *shared, const sweep_groups *groups, uint64_t g)
{
    const spk_episode_block *block = shared->block;
    double most = events_of(shared->index, sweep_groups_last_unit(block, groups, g));
    if (block->prefix == NULL || block->size == 2)
        return most;
    double counted = 2.0 * (double)block->prefix_count[block->prefix[groups->first[g]]];
    return counted < most ? counted : most;
}

/* Nanoseconds for a group: by a scan, and with tables that are built already. */
typedef struct group_cost {
    double scan;
    double tables;
} group_cost;

/* behind: per unit and interval, the events in it, as far as asked for; else negative. */
static double visit_cost(const sweep_index *index, uint32_t unit, size_t delay, double *behind)
{
    double *n = &behind[unit * index->n_delays + delay];
    if (*n < 0)
        *n = events_behind(index, unit, delay);
    return END + VISIT * *n;
}

/* Counting one group. A scan visits an interval once for all candidates that end with it, and these
 * come in order of interval. With tables a candidate takes a step for each end, but candidates of
 * one tile share it: no more steps than there are tiles. */
static group_cost count_cost(const sweep_shared *shared, const sweep_groups *groups, uint64_t g,
                             double *behind)
{
    const spk_episode_block *block = shared->block;
    const sweep_index *index = shared->index;
    uint32_t unit = sweep_groups_last_unit(block, groups, g);
    double ends = expected_ends(shared, groups, g);
    group_cost cost = {0, 0};
    uint32_t before = UINT32_MAX;
    uint64_t n_of_delay = 0;
    for (uint64_t c = groups->first[g]; c < groups->first[g + 1]; c++) {
        uint16_t delay = sweep_final_delay(block, c);
        if (delay != before) {
            cost.scan += ends * visit_cost(index, unit, delay, behind);
            n_of_delay = 0;
        }
        cost.tables += n_of_delay++ < index->n_tiles ? ends * STEP : 0;
        before = delay;
    }
    return cost;
}

/* The list of a group's prefix, from that of the prefix's prefix. */
static group_cost list_cost(const sweep_shared *shared, const sweep_groups *groups, uint64_t g,
                            double *behind)
{
    const spk_episode_block *block = shared->block;
    const sweep_index *index = shared->index;
    if (block->size == 2)
        return (group_cost){0, 0};
    uint64_t last = groups->first[g] * block->size + block->size - 2;
    uint32_t unit = block->unit[last - 1];
    double ends = block->size == 3 ? events_of(index, unit) : expected_ends(shared, groups, g);
    bool first = g == 0 || !sweep_groups_same_family(block, groups, g - 1, g);
    double scan = first ? ends * visit_cost(index, unit, block->delay[last], behind) : 0;
    return (group_cost){scan, ends * EXTEND};
}

/* What an interval holds behind a unit is sampled when it is first asked for, and kept. Without
 * memory for that tables are taken. */
bool sweep_cost_scan_pays(const sweep_shared *shared, const sweep_groups *groups, uint64_t rows,
                          double *nanoseconds)
{
    *nanoseconds = DBL_MAX;
    const sweep_index *index = shared->index;
    size_t n = index->events.n_units * index->n_delays;
    double *behind = malloc(n * sizeof *behind);
    if (behind == NULL)
        return false;
    for (size_t k = 0; k < n; k++)
        behind[k] = -1;
    double scan = 0;
    double tables = ROW * (double)rows;
    for (uint64_t g = 0; g < groups->n; g++) {
        group_cost counting = count_cost(shared, groups, g, behind);
        group_cost listing = list_cost(shared, groups, g, behind);
        scan += counting.scan + listing.scan;
        tables += counting.tables + listing.tables;
    }
    free(behind);
    *nanoseconds = scan < ADVANTAGE * tables ? scan : tables;
    return scan < ADVANTAGE * tables;
}
