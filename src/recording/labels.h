/* The labels met while reading: bytes to number, in order of appearance; and lists of units that a
 * user gives, labels between commas, in quotes where they hold one. */
#pragma once

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

/* ---- lists of units -------------------------------------------------------------------------- */

typedef struct spk_unit_list {
    const char *list;          /* as the user wrote it */
    const char *name;          /* the file's, for messages */
    uint32_t n;                /* units that there are */
    const char *const *labels; /* of the first three of them, for messages */
    /* Takes a label of the list; false: no unit has it. */
    bool (*mark)(void *user, const char *label);
    void *user;
} spk_unit_list;

/* Gives `mark` all labels of the list. One that no unit has is an error, which names some that
 * there are. Errors: SPK_ERR_ARGUMENT, SPK_ERR_MEMORY. */
spk_status spk_unit_list_mark(spk_context *context, const spk_unit_list *units);

/* Leaves of the units that are kept those in `list`, by their n labels, of which some may be the
 * same. Errors: as above. */
spk_status spk_unit_list_apply(spk_context *context, const char *name, const char *list, uint32_t n,
                               const char *const *labels, bool *keep);
