/*
 * What is usual in a class of results. Results with as many spikes and as many different units are
 * a class. In some classes chance alone makes many results and large scores; a test whose largest
 * scores came from there would find nothing elsewhere. So scores are put on one scale: the same
 * search in some surrogates of their own, the pilots, tells how many results of a class reach a
 * score by chance.
 *
 *     class of 3 spikes, 2 units: one result of a surrogate reaches 2.1, and every 0.8 above it
 *     there are ten times fewer. A result with 3.7 has the score (3.7 - 2.1) / 0.8 = 2
 *
 * Pilots depend on nothing but what the null hypothesis keeps, and on the seed. So this is a fixed
 * function, too, and p stays right whatever the pilots say.
 */
#pragma once

#include "base/context.h"

enum {
    SPK_EXACT_PILOTS = 24,
    SPK_EXACT_LARGEST = 32, /* sizes and numbers of units from here on are one */
    SPK_EXACT_CLASSES = (SPK_EXACT_LARGEST + 1) * (SPK_EXACT_LARGEST + 1)
};

#define SPK_EXACT_NO_CLASS UINT32_MAX

static inline uint32_t spk_exact_class(uint64_t size, uint64_t units)
{
    uint32_t s = size < SPK_EXACT_LARGEST ? (uint32_t)size : SPK_EXACT_LARGEST;
    uint32_t u = units < SPK_EXACT_LARGEST ? (uint32_t)units : SPK_EXACT_LARGEST;
    return s * (SPK_EXACT_LARGEST + 1) + u;
}

/* The largest raw scores of pilots by class, and how many results there are. */
typedef struct spk_class_tops {
    uint64_t n[SPK_EXACT_CLASSES];
    uint32_t top[SPK_EXACT_CLASSES][SPK_EXACT_PILOTS + 1]; /* falling, the rest 0 */
} spk_class_tops;

void spk_class_tops_add(spk_class_tops *tops, uint32_t class_number, uint32_t raw);
void spk_class_tops_join(spk_class_tops *tops, const spk_class_tops *other);

/* By class: the score is offset + slope * raw, at least 0, in thousandths. */
typedef struct spk_exact_classes {
    double slope[SPK_EXACT_CLASSES];
    double offset[SPK_EXACT_CLASSES];
} spk_exact_classes;

/* From the results of SPK_EXACT_PILOTS pilots. */
void spk_exact_classes_fit(const spk_class_tops *tops, spk_exact_classes *out);

uint32_t spk_exact_classes_score(const spk_exact_classes *classes, uint32_t class_number,
                                 uint32_t raw);

/* The smallest raw score that has at least this score, above 0; UINT32_MAX where none has. */
uint32_t spk_exact_classes_raw(const spk_exact_classes *classes, uint32_t class_number,
                               uint32_t score);
