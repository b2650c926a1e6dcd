/* The labels met while reading: bytes to number, in order of appearance. */
#ifndef SPK_RECORDING_LABELS_H
#define SPK_RECORDING_LABELS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

enum { SPK_SMALL_LABELS = 4096 };

typedef struct spk_labels {
    uint32_t n;
    char *bytes; /* all labels, each terminated */
    uint64_t bytes_used;
    uint64_t bytes_capacity;
    uint64_t *first; /* offset of label k */
    uint64_t first_capacity;
    uint32_t *slots; /* open addressing: label number + 1, 0 empty; at most half full */
    uint32_t n_slots;
    uint64_t seed[2]; /* of the hash, drawn with the first slots; numbers do not depend on it */
    uint32_t
        small[SPK_SMALL_LABELS]; /* label number + 1 of "0" .. "4095": what channels are called */
} spk_labels;

/* Frees the content; the struct starts zeroed and may be used again after. */
void spk_labels_clear(spk_labels *labels);

/* Number of the label, added when new. SPK_ERR_MEMORY only; counts are the caller's business. */
spk_status spk_labels_intern(spk_context *context, spk_labels *labels, const char *text,
                             size_t length, uint32_t *number);

/* Number of a label that is there. */
bool spk_labels_find(const spk_labels *labels, const char *text, size_t length, uint32_t *number);

static inline const char *spk_labels_text(const spk_labels *labels, uint32_t number)
{
    assert(number < labels->n);
    return labels->bytes + labels->first[number];
}

#endif
