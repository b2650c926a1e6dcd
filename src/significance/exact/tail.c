/* Sums of independent numbers. */
#include "significance/exact/tail.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Sums below that are less likely than this are left out. They would reach the number wanted less
 * often than the others, so that the chance loses no digit. */
static const double LEAST = 1e-40;
/* Chances below are 0: doubles next to 0 are slow. */
static const double LEAST_DOUBLE = 1e-300;

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
    free(tail->chance);
    free(tail->next);
    free(tail->term);
    *tail = (exact_tail){.wanted = 0};
}

double exact_tail_chance(const exact_tail *tail)
{
    return tail->high < tail->wanted ? 0 : fmin(tail->chance[tail->wanted], 1);
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
    while (low < high && t->next[low] < LEAST)
        low++;
    while (low < high && t->next[high] < LEAST_DOUBLE)
        high--;
    double *room = t->chance;
    t->chance = t->next;
    t->next = room;
    t->low = low;
    t->high = high;
}

void exact_tail_add_chance(exact_tail *tail, double chance)
{
    double one = chance < 0 ? 0 : chance > 1 ? 1 : chance;
    tail->term[0] = 1 - one;
    tail->term[1] = one;
    add(tail, 0, 2);
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
