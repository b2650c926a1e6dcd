/*
 * What is usual in a class of results: tops of pilots, and the line through them.
 *
 *     results that reach    100 |  *
 *     a raw score, on a      10 |      *           slope: from the scores above the level
 *     scale of logarithms     1 |          *
 *                               +----------|----   level: what one result of a surrogate reaches
 *
 * Invariant: within a class the score rises with the raw score, and spk_exact_classes_raw is the
 * inverse: the smallest raw score that has the score. The line depends on pilots alone, and is one
 * for the recording and all surrogates. Cost: a result goes into at most SPK_EXACT_PILOTS + 1 tops
 * of its class. Hill's estimate of a slope (1975).
 */
#include "significance/exact/classes.h"

#include <stdbool.h>

#include "base/random.h"
#include "significance/exact/exact.h"

/* ---- tops ------------------------------------------------------------------------------------ */

static void insert(uint32_t *top, uint32_t raw)
{
    if (raw <= top[SPK_EXACT_PILOTS])
        return;
    int at = SPK_EXACT_PILOTS;
    for (; at > 0 && top[at - 1] < raw; at--)
        top[at] = top[at - 1];
    top[at] = raw;
}

void spk_class_tops_add(spk_class_tops *tops, uint32_t class_number, uint32_t raw)
{
    tops->n[class_number]++;
    insert(tops->top[class_number], raw);
}

void spk_class_tops_join(spk_class_tops *tops, const spk_class_tops *other)
{
    for (int c = 0; c < SPK_EXACT_CLASSES; c++) {
        tops->n[c] += other->n[c];
        for (int k = 0; k <= SPK_EXACT_PILOTS && other->n[c] > 0; k++)
            insert(tops->top[c], other->top[c][k]);
    }
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* The raw score from which on a class is fitted, and how far it lies above that of its parts. */
typedef struct class_level {
    uint32_t raw;
    uint32_t rise;
} class_level;

/* Of the classes with one spike less, the one with the larger level. */
static class_level level_of_parts(const class_level *levels, uint64_t size, uint64_t units)
{
    class_level most = {0, 0};
    for (uint64_t less = 0; less <= 1 && size > 2 && units > less; less++) {
        const class_level *part = &levels[spk_exact_class(size - 1, units - less)];
        if (part->raw > most.raw)
            most = *part;
    }
    return most;
}

/* Of many results, that which one result of a surrogate reaches; of few, the smallest, since the
 * support of a search leaves no smaller ones to chance, either. A class that no pilot has lies as
 * far above its parts as they lie above theirs. */
static class_level level_of(const uint32_t *top, uint64_t n, class_level parts)
{
    const bool is_rare = n <= SPK_EXACT_PILOTS;
    if (n == 0) {
        const uint64_t raw = (uint64_t)parts.raw + parts.rise;
        return (class_level){.raw =
                                 raw < SPK_EXACT_MOST_SCORE ? (uint32_t)raw : SPK_EXACT_MOST_SCORE,
                             .rise = parts.rise};
    }
    const uint32_t raw = top[is_rare ? n - 1 : SPK_EXACT_PILOTS];
    const uint32_t below = is_rare ? parts.raw : 0;
    return (class_level){.raw = raw, .rise = raw > below ? raw - below : 0};
}

/* ---- the line -------------------------------------------------------------------------------- */

/* Above the level numbers fall by a factor of ten every 1 / slope. The slope is the inverse mean
 * excess of the scores above it (Hill 1975), together with one excess as a slope of 1 has it. */
static void fit(const uint32_t *top, uint64_t n, uint32_t level, double *slope, double *offset)
{
    static const double STEEPEST = 1.5;
    const double ln10 = 2.302585092994045684;
    const uint64_t n_tops = n <= SPK_EXACT_PILOTS ? n : SPK_EXACT_PILOTS + 1;
    const uint64_t n_above = n_tops > 0 ? n_tops - 1 : 0;
    double excess = 1000 / ln10;
    for (uint64_t k = 0; k < n_above; k++)
        excess += top[k] - level;
    *slope = (double)(n_above + 1) * (1000 / ln10) / excess;
    *slope = *slope < STEEPEST ? *slope : STEEPEST;
    /* So many results of a surrogate reach the level; of what no pilot has, fewer. */
    const double share = (double)(n_above + 1) / (SPK_EXACT_PILOTS + 1);
    *offset = -1000 * spk_portable_log(share) / ln10 - *slope * level;
}

void spk_exact_classes_fit(const spk_class_tops *tops, spk_exact_classes *out)
{
    class_level levels[SPK_EXACT_CLASSES] = {0};
    for (uint64_t size = 0; size <= SPK_EXACT_LARGEST; size++)
        for (uint64_t units = 0; units <= SPK_EXACT_LARGEST; units++) {
            const uint32_t c = spk_exact_class(size, units);
            levels[c] = level_of(tops->top[c], tops->n[c], level_of_parts(levels, size, units));
            fit(tops->top[c], tops->n[c], levels[c].raw, &out->slope[c], &out->offset[c]);
        }
}

uint32_t spk_exact_classes_score(const spk_exact_classes *classes, uint32_t class_number,
                                 uint32_t raw)
{
    double score = classes->offset[class_number] + classes->slope[class_number] * raw;
    if (!(score > 0))
        return 0;
    return score < SPK_EXACT_MOST_SCORE ? (uint32_t)score : SPK_EXACT_MOST_SCORE;
}

uint32_t spk_exact_classes_raw(const spk_exact_classes *classes, uint32_t class_number,
                               uint32_t score)
{
    double raw = (score - classes->offset[class_number]) / classes->slope[class_number];
    if (!(raw > 0))
        return 0;
    if (raw >= SPK_EXACT_MOST_SCORE)
        return UINT32_MAX;
    uint32_t out = (uint32_t)raw;
    /* Rounding may put it one or two beside. */
    while (out > 0 && spk_exact_classes_score(classes, class_number, out - 1) >= score)
        out--;
    while (spk_exact_classes_score(classes, class_number, out) < score)
        out++;
    return out;
}
