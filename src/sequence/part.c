/*
 * A part of a sequence can occur by itself, too:
 *
 *     A B C D E F     A B C D E F        C D E        A B C D E F        C D E
 *
 * A search takes all five for occurrences of A to F, in which A, B and F are often missing. But
 * they are missing together, and the rest is one stretch of the sequence. Those occurrences are
 * left out here; their spikes stay, so that the next round finds C D E, with a p of its own.
 *
 * Test: how many nats fewer it takes to tell which of the members beside the stretch fire in each
 * occurrence, if the kind of the occurrence is told first. Members that are missing independently
 * make it take more. It must be worth the parameters (half a log of the occurrences each, Rissanen
 * 1978) and the choice of the stretch, one of half the square of the members. Cost: stretches times
 * occurrences.
 *
 * A unit that fades, or whose spikes are lost for a while, is missing in a row of occurrences. So
 * the two kinds must alternate as often as chance has it (runs, Wald & Wolfowitz 1940).
 */
#include <math.h>

#include "base/random.h"
#include "sequence/sequence.h"

/* Members that are missing together, at least. */
enum { LEAST_MISSING = 2 };

/* Share of these in the occurrences of the part, at most: they are missing there. */
static const double most_there = 0.25;

/* Standard deviations below the mean number of runs. */
static const double most_below = 2.326;

/* One stretch, members `first` up to, and without, `end`, and the occurrences that have less than
 * half of the others. */
typedef struct stretch {
    uint32_t first, end;
    uint64_t n_part;
    double saved; /* nats */
} stretch;

static uint64_t beside(const sequence_presence *p, const stretch *s, uint64_t k)
{
    const uint32_t *before = p->before + k * (p->width + 1ULL);
    return before[s->first] + before[p->width] - before[s->end];
}

static bool is_of_part(const sequence_presence *p, const stretch *s, uint64_t k)
{
    return 2 * beside(p, s, k) < p->width - (s->end - s->first);
}

/* What it takes to tell which `some` of n. */
static double nats(uint64_t some, uint64_t n)
{
    const double a = (double)some, b = (double)(n - some);
    return (double)n * spk_portable_log(fmax(1, (double)n)) - a * spk_portable_log(fmax(1, a)) -
           b * spk_portable_log(fmax(1, b));
}

/* Occurrences of the part, and members beside the stretch that they have. */
static uint64_t count_part(const sequence_presence *p, const stretch *s, uint64_t *n_there)
{
    uint64_t n = 0;
    *n_there = 0;
    for (uint64_t k = 0; k < p->n; k++)
        if (is_of_part(p, s, k)) {
            n++;
            *n_there += beside(p, s, k);
        }
    return n;
}

/* Nats that the two kinds save for member m beside the stretch; -INFINITY if it is in it, and
 * missing in half of the part or more. */
static double saved_by(const sequence_presence *p, const stretch *s, uint32_t m)
{
    uint64_t there[2] = {0, 0};
    for (uint64_t k = 0; k < p->n; k++)
        there[is_of_part(p, s, k)] += spk_sequence_is_there(p, k, m);
    if (m >= s->first && m < s->end)
        return 2 * there[1] > s->n_part ? 0 : -INFINITY;
    return nats(there[0] + there[1], p->n) - nats(there[0], p->n - s->n_part) -
           nats(there[1], s->n_part);
}

/* Looks at one stretch; the better one stays in *best. */
static void try_stretch(const sequence_presence *p, stretch s, stretch *best)
{
    const double log_n = spk_portable_log((double)p->n);
    const uint32_t n_beside = p->width - (s.end - s.first);
    uint64_t n_there;
    s.n_part = count_part(p, &s, &n_there);
    if (s.n_part < SEQUENCE_LEAST || p->n - s.n_part < SEQUENCE_LEAST ||
        (double)n_there > most_there * (double)(s.n_part * n_beside))
        return;
    s.saved = -nats(s.n_part, p->n) - (n_beside + 1) * log_n / 2 -
              spk_portable_log(p->width * (double)p->width / 2);
    for (uint32_t m = 0; m < p->width; m++)
        s.saved += saved_by(p, &s, m);
    if (s.saved > best->saved)
        *best = s;
}

static bool alternate(const sequence_presence *p, const stretch *s)
{
    const double n = (double)p->n, pairs = 2 * (double)s->n_part * (n - (double)s->n_part);
    uint64_t n_runs = 1;
    for (uint64_t k = 1; k < p->n; k++)
        n_runs += is_of_part(p, s, k) != is_of_part(p, s, k - 1);
    return (double)n_runs >
           1 + pairs / n - most_below * sqrt(pairs * (pairs - n) / (n * n * (n - 1)));
}

bool spk_sequence_find_part(const sequence_presence *p, uint8_t *is_part)
{
    stretch best = {0};
    if (p->n < 2 * (uint64_t)SEQUENCE_LEAST) /* of each kind */
        return false;
    for (uint32_t first = 0; first + SEQUENCE_LEAST <= p->width; first++)
        for (uint32_t end = first + SEQUENCE_LEAST; end <= p->width; end++)
            if (p->width - (end - first) >= LEAST_MISSING)
                try_stretch(p, (stretch){.first = first, .end = end}, &best);
    if (best.end == 0 || !alternate(p, &best))
        return false;
    for (uint64_t k = 0; k < p->n; k++)
        is_part[k] = is_of_part(p, &best, k);
    return true;
}
