/*
 * Sums of independent numbers.
 *
 *     sum       0   1   2   3  ...  wanted      wanted stands for itself and all above
 *     chance        low ......... high          what lies outside has less than LEAST
 *
 * Invariant: the chances of low .. high add up to 1, but for what was left out. Cost: a number with
 * n values takes n * (high - low + 1) steps, one that is 0 or 1 one pass. Bytes: 24 a sum.
 */
#include "significance/exact/tail.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

/* Sums at both ends that are less likely than this are left out: chances below have no meaning. */
static const double LEAST = 1e-40;

spk_status exact_tail_start(spk_context *context, uint64_t wanted, exact_tail *tail)
{
    spk_status status = spk_grow_columns(context, &tail->capacity, wanted + 2, "test of parts",
                                         SPK_COLUMN(&tail->chance, 1), SPK_COLUMN(&tail->next, 1),
                                         SPK_COLUMN(&tail->term, 1));
    if (status != SPK_OK)
        return status;
    tail->wanted = wanted;
    tail->low = tail->high = 0;
    tail->chance[0] = 1;
    return SPK_OK;
}

void exact_tail_free(exact_tail *tail)
{
    spk_free_all(tail->chance, tail->next, tail->term);
    *tail = (exact_tail){.wanted = 0};
}

double exact_tail_chance(const exact_tail *tail)
{
    return tail->high < tail->wanted ? 0 : fmin(tail->chance[tail->wanted], 1);
}

static void swap_rows(exact_tail *t)
{
    double *room = t->chance;
    t->chance = t->next;
    t->next = room;
}

/* The sums that are kept of low .. high. */
static void trim(exact_tail *t, uint64_t low, uint64_t high)
{
    while (low < high && t->chance[low] < LEAST)
        low++;
    while (low < high && t->chance[high] < LEAST)
        high--;
    t->low = low;
    t->high = high;
}

/* Adds a number that is first + k with chance term[k], k < n. */
static void add(exact_tail *t, uint64_t first, uint64_t n)
{
    if (t->wanted == 0)
        return;
    uint64_t low = t->low + first, high = t->high + first + n - 1;
    low = low < t->wanted ? low : t->wanted;
    high = high < t->wanted ? high : t->wanted;
    memset(t->next + low, 0, (high - low + 1) * sizeof *t->next);
    for (uint64_t k = t->low; k <= t->high; k++)
        for (uint64_t j = 0; j < n; j++) {
            uint64_t sum = k + first + j;
            t->next[sum < t->wanted ? sum : t->wanted] += t->chance[k] * t->term[j];
        }
    swap_rows(t);
    trim(t, low, high);
}

void exact_tail_add_chance(exact_tail *t, double chance)
{
    const double one = chance < 0 ? 0 : chance > 1 ? 1 : chance, none = 1 - one;
    const uint64_t low = t->low, high = t->high;
    if (t->wanted == 0)
        return;
    double *restrict next = t->next;
    const double *restrict now = t->chance;
    next[low] = now[low] * none;
    for (uint64_t k = low + 1; k <= high; k++)
        next[k] = now[k] * none + now[k - 1] * one;
    if (high < t->wanted)
        next[high + 1] = now[high] * one;
    else
        next[high] += now[high] * one; /* what has reached the number wanted stays */
    swap_rows(t);
    trim(t, low, high < t->wanted ? high + 1 : high);
}

/* P[k + 1] / P[k] of hypergeometric numbers. */
static double ratio(double places, double targets, double events, double k)
{
    return (events - k) * (targets - k) / ((k + 1) * (places - events - targets + k + 1));
}

/* The chances of first .. last relative to that of the likeliest number, hence without underflow of
 * all; then all by their sum. What is beyond `room` of them counts as the last one. */
void exact_tail_add_hits(exact_tail *t, uint64_t n_places, uint64_t n_targets, uint64_t n_events)
{
    assert(n_targets <= n_places && n_events <= n_places);
    const double places = (double)n_places, targets = (double)n_targets, events = (double)n_events;
    uint64_t first = n_events + n_targets > n_places ? n_events + n_targets - n_places : 0;
    uint64_t last = n_events < n_targets ? n_events : n_targets;
    uint64_t mode = (uint64_t)((events + 1) * (targets + 1) / (places + 2));
    uint64_t room = t->wanted + 2;
    mode = mode < first ? first : mode > last ? last : mode;
    if (first == last && first == 0)
        return;
    memset(t->term, 0, (last - first < room ? last - first + 1 : room) * sizeof *t->term);
    /* From the likeliest number on to both sides chances only fall: no term can overflow, and those
     * that underflow do not matter. */
    double sum = 0, chance = 1;
    for (uint64_t k = mode; k <= last && chance > 0; k++) {
        t->term[k - first < room - 1 ? k - first : room - 1] += chance;
        sum += chance;
        chance *= ratio(places, targets, events, (double)k);
    }
    chance = 1;
    for (uint64_t k = mode; k > first && chance > 0; k--) {
        chance /= ratio(places, targets, events, (double)(k - 1));
        t->term[k - 1 - first < room - 1 ? k - 1 - first : room - 1] += chance;
        sum += chance;
    }
    uint64_t n = last - first < room ? last - first + 1 : room;
    for (uint64_t k = 0; k < n; k++)
        t->term[k] /= sum;
    add(t, first, n);
}
