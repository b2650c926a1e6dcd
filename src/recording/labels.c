/* Hash table of unit labels, and lists of them. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* getentropy */
#endif
#include "recording/labels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/label.h"
#include "base/memory.h"

void spk_labels_clear(spk_labels *labels)
{
    spk_free_all(labels->bytes, labels->first, labels->slots);
    memset(labels, 0, sizeof *labels);
}

/* Value of a canonical number below SPK_SMALL_LABELS, else SPK_SMALL_LABELS. */
static uint32_t small_number(const char *text, size_t length)
{
    if (length == 0 || length > 4 || (text[0] == '0' && length > 1))
        return SPK_SMALL_LABELS;
    uint32_t value = 0;
    for (size_t k = 0; k < length; k++) {
        uint32_t digit = (uint32_t)((unsigned char)text[k] - '0');
        if (digit > 9)
            return SPK_SMALL_LABELS;
        value = value * 10 + digit;
    }
    return value < SPK_SMALL_LABELS ? value : SPK_SMALL_LABELS;
}

/* A seed that nobody can foresee, so that nobody can choose labels which share a slot. Where the
 * system gives none the time and an address do. */
static void draw_seed(spk_labels *labels)
{
    struct timespec now = {0};
    if (getentropy(labels->seed, sizeof labels->seed) == 0)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    labels->seed[0] = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)now.tv_sec;
    labels->seed[1] = (uint64_t)(uintptr_t)labels;
}

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void sip_rounds(uint64_t v[4], int n)
{
    for (int k = 0; k < n; k++) {
        v[0] += v[1];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[0] = rotate(v[0], 32);
        v[2] += v[3];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[2] = rotate(v[2], 32);
    }
}

/* SipHash-1-3 (Aumasson and Bernstein 2012): without the seed, labels that collide cannot be found.
 */
static uint32_t hash(const spk_labels *labels, const char *text, size_t length)
{
    uint64_t v[4] = {labels->seed[0] ^ 0x736f6d6570736575u, labels->seed[1] ^ 0x646f72616e646f6du,
                     labels->seed[0] ^ 0x6c7967656e657261u, labels->seed[1] ^ 0x7465646279746573u};
    for (size_t at = 0; at <= length; at += 8) { /* the last word holds the rest and the length */
        size_t n = length - at < 8 ? length - at : 8;
        uint64_t word = n < 8 ? (uint64_t)length << 56 : 0;
        for (size_t k = 0; k < n; k++)
            word |= (uint64_t)(unsigned char)text[at + k] << (8 * k);
        v[3] ^= word;
        sip_rounds(v, 1);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    sip_rounds(v, 3);
    return (uint32_t)(v[0] ^ v[1] ^ v[2] ^ v[3]);
}

static bool same_label(const spk_labels *labels, uint32_t number, const char *text, size_t length)
{
    const char *label = spk_labels_text(labels, number);
    return memcmp(label, text, length) == 0 && label[length] == '\0';
}

/* The slot that holds the label, or the empty one where it belongs. The
 * comparison stays inside the block because a shorter rest of it cannot hold the label. */
static uint32_t *find_slot(const spk_labels *labels, const char *text, size_t length)
{
    /* A power of two, and some slot is empty, so that the walk ends. */
    assert((labels->n_slots & (labels->n_slots - 1)) == 0 && labels->n < labels->n_slots);
    uint32_t mask = labels->n_slots - 1;
    uint32_t k = hash(labels, text, length) & mask;
    while (labels->slots[k] != 0) {
        const uint32_t number = labels->slots[k] - 1;
        if (labels->bytes_used - labels->first[number] > length &&
            same_label(labels, number, text, length))
            break;
        k = (k + 1) & mask;
    }
    return &labels->slots[k];
}

static spk_status enlarge(spk_context *context, spk_labels *labels)
{
    uint32_t n_slots = labels->n_slots == 0 ? 256 : labels->n_slots * 2;
    uint32_t *old = labels->slots;
    uint32_t *slots = NULL;
    spk_status status = spk_alloc_zero(context, &slots, n_slots, "unit labels");
    if (status != SPK_OK)
        return status;
    if (labels->n_slots == 0)
        draw_seed(labels);
    labels->slots = slots;
    labels->n_slots = n_slots;
    for (uint32_t k = 0; k < labels->n; k++) {
        const char *text = spk_labels_text(labels, k);
        *find_slot(labels, text, strlen(text)) = k + 1;
    }
    spk_free(context, old);
    return SPK_OK;
}

static spk_status append(spk_context *context, spk_labels *labels, const char *text, size_t length)
{
    spk_status status = spk_grow(context, &labels->bytes, &labels->bytes_capacity,
                                 labels->bytes_used + length + 1, "unit labels");
    if (status == SPK_OK)
        status = spk_grow(context, &labels->first, &labels->first_capacity, (uint64_t)labels->n + 1,
                          "unit labels");
    if (status != SPK_OK)
        return status;
    labels->first[labels->n++] = labels->bytes_used;
    if (length > 0)
        memcpy(labels->bytes + labels->bytes_used, text, length);
    labels->bytes[labels->bytes_used + length] = '\0';
    labels->bytes_used += length + 1;
    return SPK_OK;
}

spk_status spk_labels_intern(spk_context *context, spk_labels *labels, const char *text,
                             size_t length, uint32_t *number)
{
    uint32_t small = small_number(text, length);
    if (small < SPK_SMALL_LABELS && labels->small[small] != 0) {
        *number = labels->small[small] - 1;
        return SPK_OK;
    }
    if (2 * (uint64_t)labels->n >= labels->n_slots) {
        spk_status status = enlarge(context, labels);
        if (status != SPK_OK)
            return status;
    }
    uint32_t *slot = find_slot(labels, text, length);
    if (*slot == 0) {
        spk_status status = append(context, labels, text, length);
        if (status != SPK_OK)
            return status;
        *slot = labels->n;
        if (small < SPK_SMALL_LABELS)
            labels->small[small] = labels->n;
    }
    *number = *slot - 1;
    return SPK_OK;
}

bool spk_labels_find(const spk_labels *labels, const char *text, size_t length, uint32_t *number)
{
    uint32_t small = small_number(text, length);
    if (small < SPK_SMALL_LABELS) {
        *number = labels->small[small] - 1;
        return labels->small[small] != 0;
    }
    if (labels->n == 0)
        return false;
    uint32_t slot = *find_slot(labels, text, length);
    if (slot == 0)
        return false;
    *number = slot - 1;
    return true;
}

/* ---- lists of units -------------------------------------------------------------------------- */

static spk_status fail_unknown(spk_context *context, const spk_unit_list *units, const char *label)
{
    const uint32_t n = units->n;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "%s: there is no unit '%.40s'; its %" PRIu32 " units are %.40s%s%.40s%s%.40s%s",
                    units->name, label, n, n > 0 ? units->labels[0] : "none", n > 1 ? ", " : "",
                    n > 1 ? units->labels[1] : "", n > 2 ? ", " : "", n > 2 ? units->labels[2] : "",
                    n > 3 ? " ..." : "");
}

/* A unit of that name, else one whose name means the same number. */
static bool mark_unit(const spk_unit_list *units, const char *label)
{
    char alias[SPK_LABEL_NUMBER];
    return units->mark(units->user, label) ||
           (spk_label_alias(label, alias) && units->mark(units->user, alias));
}

/* Takes the next label of the list; NULL when a quote is not closed. */
static const char *take_label(const char *at, char *text)
{
    if (*at == '"')
        return spk_label_take(at, ",", text);
    size_t n = strcspn(at, ",");
    memcpy(text, at, n);
    text[n] = '\0';
    return at + n;
}

spk_status spk_unit_list_mark(spk_context *context, const spk_unit_list *units)
{
    const char *at = units->list;
    char *text = NULL;
    spk_status status = spk_alloc(context, &text, strlen(at) + 1, "the list of units");
    while (status == SPK_OK) {
        at = take_label(at, text);
        if (at == NULL) {
            status = spk_fail(context, SPK_ERR_ARGUMENT,
                              "units '%s': a quote is not closed; close it, or write \"\" for a "
                              "quote",
                              units->list);
            break;
        }
        if (*at != ',' && *at != '\0')
            status = spk_fail(context, SPK_ERR_ARGUMENT,
                              "units '%s': text follows a closing quote; separate labels by commas",
                              units->list);
        else if (!mark_unit(units, text))
            status = fail_unknown(context, units, text);
        if (*at == '\0')
            break;
        at++;
    }
    free(text);
    return status;
}

typedef struct listing {
    uint32_t n;
    const char *const *labels;
    bool *listed;
} listing;

static bool list_label(void *user, const char *label)
{
    const listing *all = user;
    bool found = false;
    for (uint32_t u = 0; u < all->n; u++)
        if (strcmp(all->labels[u], label) == 0)
            found = all->listed[u] = true;
    return found;
}

spk_status spk_unit_list_apply(spk_context *context, const char *name, const char *list, uint32_t n,
                               const char *const *labels, bool *keep)
{
    listing all = {.n = n, .labels = labels};
    spk_status status = spk_alloc_zero(context, &all.listed, n, "the list of units");
    if (status == SPK_OK)
        status = spk_unit_list_mark(context, &(const spk_unit_list){.list = list,
                                                                    .name = name,
                                                                    .n = n,
                                                                    .labels = labels,
                                                                    .mark = list_label,
                                                                    .user = &all});
    for (uint32_t u = 0; u < n && status == SPK_OK; u++)
        keep[u] = keep[u] && all.listed[u];
    free(all.listed);
    return status;
}
