/*
 * Errors of sorting. Units in one random order: the first pairs are taken for one unit each, the
 * next ones are split, each spike going to either half with the same chance.
 *
 *     order:    17 3 | 9 40 | 5 | ...      two pairs and one split unit
 *     labels:   "3+17"  "9+40"  "5" and "5b"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "simulate/probe.h"

/* What becomes of units. */
typedef struct sorting {
    uint32_t *partner; /* by unit: the one that it is merged with, else itself */
    bool *is_split;
    uint32_t *sorted; /* by unit: its number among the sorted ones; a split unit's second half is
                         the next number */
    uint32_t n_sorted;
    char *text; /* of all labels, `bytes` each */
    size_t bytes;
    const char **label;
} sorting;

static void free_sorting(sorting *s)
{
    spk_free_all(s->partner, s->is_split, s->sorted, s->text, s->label);
}

/* The label of a unit before sorting; a simulated one's is its number, in `number`. */
static const char *label_of(const probe *p, uint32_t unit, char number[16])
{
    if (p->background != NULL)
        return spk_recording_label(p->background, unit);
    snprintf(number, 16, "%u", unit);
    return number;
}

static spk_status draw_errors(spk_context *context, const probe *p, sorting *s)
{
    const spk_probe_options *o = p->options;
    spk_random random = spk_random_start(o->seed, SPK_RANDOM_PROBE_SORT, 0);
    uint32_t *order = NULL;
    size_t longest = 0;
    char number[16];
    for (uint32_t u = 0; u < p->n_units; u++) {
        const size_t length = strlen(label_of(p, u, number));
        longest = length > longest ? length : longest;
    }
    s->bytes = 2 * longest + 3;
    const uint64_t most = (uint64_t)p->n_units + o->n_split;
    spk_status status = spk_alloc_columns(
        context, "sorted units", SPK_COLUMN(&order, p->n_units),
        SPK_COLUMN(&s->partner, p->n_units), SPK_COLUMN_ZERO(&s->is_split, p->n_units),
        SPK_COLUMN(&s->sorted, p->n_units), SPK_COLUMN(&s->text, most * s->bytes),
        SPK_COLUMN(&s->label, most));
    if (status != SPK_OK)
        return status;
    spk_random_order(&random, p->n_units, order);
    for (uint32_t u = 0; u < p->n_units; u++)
        s->partner[u] = u;
    for (uint32_t k = 0; k < o->n_merged; k++) {
        const uint32_t *pair = order + 2 * (size_t)k;
        s->partner[pair[0]] = pair[1];
        s->partner[pair[1]] = pair[0];
    }
    for (uint32_t k = 0; k < o->n_split; k++)
        s->is_split[order[2 * (size_t)o->n_merged + k]] = true;
    free(order);
    return SPK_OK;
}

static void add_label(sorting *s, const char *label, const char *between, const char *second)
{
    char *text = s->text + s->n_sorted * s->bytes;
    snprintf(text, s->bytes, "%s%s%s", label, between, second);
    s->label[s->n_sorted++] = text;
}

static void number_units(const probe *p, sorting *s)
{
    char number[2][16];
    for (uint32_t u = 0; u < p->n_units; u++) {
        const uint32_t other = s->partner[u];
        const char *label = label_of(p, u, number[0]);
        s->sorted[u] = other < u ? s->sorted[other] : s->n_sorted;
        if (other < u)
            continue;
        if (other > u)
            add_label(s, label, "+", label_of(p, other, number[1]));
        else
            add_label(s, label, "", "");
        if (s->is_split[u])
            add_label(s, label, "b", "");
    }
}

static void renumber_events(probe *p, const sorting *s)
{
    spk_random random = spk_random_start(p->options->seed, SPK_RANDOM_PROBE_SORT, 1);
    for (uint64_t i = 0; i < p->events.n; i++) {
        const uint32_t unit = p->events.unit[i];
        const bool is_second = s->is_split[unit] && spk_random_chance(&random, 0.5);
        p->events.unit[i] = s->sorted[unit] + is_second;
    }
}

/* A label that a unit of the background has, too, would join two units. */
static spk_status check_labels(spk_context *context, const sorting *s,
                               const spk_recording *recording)
{
    const uint32_t n_units = spk_recording_events(recording).n_units;
    if (n_units == s->n_sorted)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "units of the background have labels that merged or split ones would have "
                    "(\"5b\", \"3+17\"); rename them, or take another seed");
}

static void name_members(const probe *p, const sorting *s, const spk_recording *recording)
{
    for (uint32_t k = 0; k < p->truth->n_chains; k++) {
        spk_planted *chain = &p->truth->chain[k];
        for (uint32_t m = 0; m < chain->size; m++)
            (void)spk_recording_find_unit(recording, s->label[s->sorted[chain->unit[m]]],
                                          &chain->unit[m]);
    }
}

spk_status probe_sort(spk_context *context, probe *p, spk_recording **out)
{
    sorting s = {0};
    spk_status status = draw_errors(context, p, &s);
    if (status == SPK_OK) {
        number_units(p, &s);
        renumber_events(p, &s);
        status =
            spk_event_buffer_take(context, &p->events, s.n_sorted, s.label, p->rate, p->stop, out);
    }
    if (status == SPK_OK)
        status = check_labels(context, &s, *out);
    if (status == SPK_OK)
        name_members(p, &s, *out);
    if (status != SPK_OK) {
        spk_recording_free(*out);
        *out = NULL;
    }
    free_sorting(&s);
    return status;
}
