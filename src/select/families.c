/* Families: rounds of groups, what joins them, and what is told of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "base/stage.h"
#include "select/founders.h"

enum { MOST_ROUNDS = 8, CORE_UNITS = 4 };

struct spk_families {
    spk_family_columns columns;
    spk_family *family;
    uint32_t *member;
    uint32_t *unit; /* of all families */
    spk_holding holding;
};

/* A group of any round. */
typedef struct group {
    uint32_t best;
    uint64_t n_cores;
    uint64_t n_members;
    uint32_t family; /* its number, SPK_NO_FAMILY */
} group;

typedef struct grouping {
    spk_context *context;
    spk_results results;
    spk_cells cells;
    spk_family_options options;
    uint32_t *core; /* the best one first */
    uint64_t n_cores;
    uint32_t *waiting; /* cores that have joined nothing yet */
    spk_unit_place *places;
    spk_founders round[MOST_ROUNDS];
    uint32_t first_group[MOST_ROUNDS]; /* number of its first group among all */
    uint32_t n_rounds;
    group *groups;
    uint32_t n_groups;
    uint64_t group_capacity;
    uint32_t *order; /* groups that are families, as they are listed */
    spk_families *out;
} grouping;

SPK_OPTIONS_INIT(spk_family_options, .coincidence = 0.2);

void spk_families_free(spk_families *families)
{
    if (families == NULL)
        return;
    spk_free_all(families->family, families->member, families->unit);
    spk_holding_release(&families->holding);
    free(families);
}

spk_family_columns spk_families_columns(const spk_families *families)
{
    return families->columns;
}

size_t spk_family_format(const spk_family_columns *families, char *buffer, size_t size)
{
    enum { MOST_NUMBERS = 6 };
    const uint64_t n = families->n, last = n <= MOST_NUMBERS ? n : MOST_NUMBERS;
    char text[64 + MOST_NUMBERS * (SPK_GROUPED_BYTES + 8)], number[SPK_GROUPED_BYTES];
    size_t at = (size_t)snprintf(text, sizeof text, "%s famil%s", spk_group_digits(n, number),
                                 n == 1 ? "y" : "ies");
    for (uint64_t k = 0; k < last; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s",
                               k == 0       ? " ("
                               : k + 1 == n ? " and "
                                            : ", ",
                               spk_group_digits(families->family[k].n_members, number));
    if (n > 0)
        snprintf(text + at, sizeof text - at, "%s member%s)", n > MOST_NUMBERS ? ", ..." : "",
                 n == 1 && families->family[0].n_members == 1 ? "" : "s");
    return (size_t)snprintf(buffer, size, "%s", text);
}

static bool is_in_list(const grouping *g, uint64_t i)
{
    return g->options.among == NULL || g->options.among[i] != 0;
}

static bool is_aside(const grouping *g, uint32_t i)
{
    return g->options.aside != NULL && g->options.aside[i] != 0;
}

/* The better one first; what stands aside comes last. */
static int compare_results(const void *user, uint32_t a, uint32_t b)
{
    const grouping *g = user;
    if (is_aside(g, a) != is_aside(g, b))
        return is_aside(g, a) ? 1 : -1;
    return spk_result_compare(&g->results, a, b);
}

/* ---- cores ----------------------------------------------------------------------------------- */

static void choose_core_units(grouping *g)
{
    uint32_t most = 0;
    for (uint64_t i = 0; i < g->results.n; i++) {
        if (!is_in_list(g, i))
            continue;
        g->out->columns.n_results++;
        most = g->results.distinct[i] > most ? g->results.distinct[i] : most;
    }
    uint32_t units = most < CORE_UNITS ? most : CORE_UNITS;
    units = g->options.core_units > 0 ? g->options.core_units : units;
    g->out->columns.core_units = units < 2 ? 2 : units;
}

static spk_status list_cores(grouping *g)
{
    uint64_t n = g->results.n;
    uint32_t longest = 0;
    choose_core_units(g);
    for (uint64_t i = 0; i < n; i++) {
        g->n_cores += is_in_list(g, i) && g->results.distinct[i] >= g->out->columns.core_units;
        longest =
            spk_result_size(&g->results, i) > longest ? spk_result_size(&g->results, i) : longest;
    }
    g->out->columns.n_cores = g->n_cores;
    spk_status status =
        spk_alloc_columns(g->context, "families", SPK_COLUMN(&g->core, g->n_cores),
                          SPK_COLUMN(&g->waiting, g->n_cores), SPK_COLUMN(&g->places, longest));
    if (status != SPK_OK)
        return status;
    g->n_cores = 0;
    for (uint64_t i = 0; i < n; i++)
        if (is_in_list(g, i) && g->results.distinct[i] >= g->out->columns.core_units)
            g->core[g->n_cores++] = (uint32_t)i;
    return spk_sort_indices(g->context, g->n_cores, g->core, compare_results, g);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void count_core(grouping *g, uint32_t i, uint32_t number)
{
    group *own = &g->groups[number];
    if (own->n_cores++ == 0 || compare_results(g, i, own->best) < 0)
        own->best = i;
    own->n_members++;
    g->out->member[i] = number;
}

/* The group of one round that a result joins, by its number among all; SPK_NO_FAMILY. */
static spk_status find_group(grouping *g, uint32_t i, uint32_t first_round, uint32_t *number)
{
    double most = g->options.coincidence;
    *number = SPK_NO_FAMILY;
    spk_status status = spk_cells_find(&g->cells, i);
    uint32_t n_places = spk_unit_places(&g->results, i, g->places);
    for (uint32_t r = first_round; r < g->n_rounds && status == SPK_OK; r++) {
        uint32_t found = spk_founders_join(&g->round[r], &g->cells, g->places, n_places, &most);
        if (found < g->round[r].n_groups)
            *number = g->first_group[r] + found;
    }
    return status;
}

/* Groups the first of the waiting cores; the rest joins, or waits. */
static spk_status run_round(grouping *g, uint64_t *n_waiting)
{
    uint32_t n = *n_waiting < SPK_MAX_FOUNDERS ? (uint32_t)*n_waiting : SPK_MAX_FOUNDERS;
    uint32_t r = g->n_rounds++;
    spk_founders *founders = &g->round[r];
    uint64_t left = 0;
    g->first_group[r] = g->n_groups;
    spk_status status = spk_founders_make(g->context, &g->results, &g->cells, g->waiting, n,
                                          g->options.coincidence, founders);
    if (status == SPK_OK)
        status = spk_grow(g->context, &g->groups, &g->group_capacity,
                          (uint64_t)g->n_groups + founders->n_groups, "families");
    if (status != SPK_OK)
        return status;
    memset(g->groups + g->n_groups, 0, founders->n_groups * sizeof *g->groups);
    g->n_groups += founders->n_groups;
    for (uint32_t k = 0; k < n; k++)
        count_core(g, g->waiting[k], g->first_group[r] + founders->group[k]);
    for (uint64_t k = n; k < *n_waiting && status == SPK_OK; k++) {
        uint32_t number = SPK_NO_FAMILY;
        status = find_group(g, g->waiting[k], r, &number);
        if (number != SPK_NO_FAMILY)
            count_core(g, g->waiting[k], number);
        else
            g->waiting[left++] = g->waiting[k];
        if (status == SPK_OK && k % 64 == 0)
            status = spk_check_cancel(g->context);
    }
    *n_waiting = left;
    return status;
}

static spk_status run_rounds(grouping *g)
{
    uint64_t n_waiting = g->n_cores;
    spk_status status = SPK_OK;
    if (n_waiting > 0)
        memcpy(g->waiting, g->core, n_waiting * sizeof *g->waiting);
    while (n_waiting > 0 && g->n_rounds < MOST_ROUNDS && status == SPK_OK)
        status = run_round(g, &n_waiting);
    return status;
}

/* ---- what is a family ------------------------------------------------------------------------ */

/* Groups with enough cores stay open; the others are none, and their cores may join as parts. */
static void close_small_groups(grouping *g)
{
    uint64_t least = g->options.min_cores;
    if (least == 0)
        least = (g->n_cores + 99) / 100;
    for (uint32_t r = 0; r < g->n_rounds; r++) {
        for (uint32_t k = 0; k < g->round[r].n_groups; k++) {
            group *own = &g->groups[g->first_group[r] + k];
            own->family = own->n_cores >= least ? 0 : SPK_NO_FAMILY;
            g->round[r].closed[k] = own->family == SPK_NO_FAMILY;
            g->out->columns.n_small += own->family == SPK_NO_FAMILY;
            g->out->columns.n_small_cores += own->family == SPK_NO_FAMILY ? own->n_cores : 0;
        }
    }
    for (uint64_t i = 0; i < g->results.n; i++)
        if (g->out->member[i] != SPK_NO_FAMILY &&
            g->groups[g->out->member[i]].family == SPK_NO_FAMILY)
            g->out->member[i] = SPK_NO_FAMILY;
}

static spk_status join_parts(grouping *g)
{
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < g->results.n && status == SPK_OK; i++) {
        if (!is_in_list(g, i) || g->results.distinct[i] < 2 || g->out->member[i] != SPK_NO_FAMILY)
            continue;
        uint32_t number = SPK_NO_FAMILY;
        status = find_group(g, (uint32_t)i, 0, &number);
        if (number != SPK_NO_FAMILY) {
            g->groups[number].n_members++;
            g->out->member[i] = number;
        }
        if (status == SPK_OK && i % 64 == 0)
            status = spk_check_cancel(g->context);
    }
    return status;
}

/* Those whose best stands aside come last; else many members first, then the better best one. */
static int compare_groups(const void *user, uint32_t a, uint32_t b)
{
    const grouping *g = user;
    const group *x = &g->groups[a];
    const group *y = &g->groups[b];
    if (is_aside(g, x->best) != is_aside(g, y->best))
        return compare_results(g, x->best, y->best);
    if (x->n_members != y->n_members)
        return x->n_members > y->n_members ? -1 : 1;
    return spk_result_compare(&g->results, x->best, y->best);
}

static spk_status list_families(grouping *g)
{
    spk_family_columns *columns = &g->out->columns;
    spk_status status = spk_alloc(g->context, &g->order, g->n_groups, "families");
    for (uint32_t k = 0; k < g->n_groups && status == SPK_OK; k++)
        if (g->groups[k].family != SPK_NO_FAMILY)
            g->order[columns->n++] = k;
    if (status == SPK_OK)
        status = spk_sort_indices(g->context, columns->n, g->order, compare_groups, g);
    if (status == SPK_OK)
        status = spk_alloc_zero(g->context, &g->out->family, columns->n, "families");
    for (uint32_t k = 0; k < columns->n && status == SPK_OK; k++) {
        group *own = &g->groups[g->order[k]];
        own->family = k;
        g->out->family[k] =
            (spk_family){.best = own->best, .n_members = own->n_members, .n_cores = own->n_cores};
        columns->n_members += own->n_members;
    }
    for (uint64_t i = 0; i < g->results.n && status == SPK_OK; i++)
        if (g->out->member[i] != SPK_NO_FAMILY)
            g->out->member[i] = g->groups[g->out->member[i]].family;
    return status;
}

/* ---- what is told of a family ---------------------------------------------------------------- */

/* Stretches of neighbouring cells with a quarter of the cores. */
static uint64_t count_stretches(const spk_cells *cells, const uint32_t *n_occurring,
                                uint64_t n_cores)
{
    uint64_t n = 0;
    bool inside = false;
    for (uint32_t c = 0; c < cells->n_cells; c++) {
        bool many = n_occurring[c] > 0 && 4 * (uint64_t)n_occurring[c] >= n_cores;
        n += many && !(inside && cells->touches[c] != 0);
        inside = many;
    }
    return n;
}

/* Occurrences and units of family k. */
static spk_status describe(grouping *g, uint32_t k, const uint32_t *unit, uint32_t n_units,
                           uint32_t *n_occurring, uint32_t *listed)
{
    spk_family *family = &g->out->family[k];
    spk_group_order order = {.n = 0};
    uint64_t n_cores = 0; /* with those of small groups that joined */
    memset(n_occurring, 0, g->cells.n_cells * sizeof *n_occurring);
    spk_status status = spk_group_order_make(g->context, unit, n_units, &order);
    for (uint64_t c = 0; c < g->n_cores && status == SPK_OK; c++) {
        uint32_t i = g->core[c];
        if (g->out->member[i] != k)
            continue;
        n_cores++;
        status = spk_cells_find(&g->cells, i);
        for (uint64_t at = 0; at < g->cells.n_found && status == SPK_OK; at++)
            n_occurring[g->cells.found[at]]++;
        spk_group_order_add(&order, g->places, spk_unit_places(&g->results, i, g->places));
        if (status == SPK_OK && c % 64 == 0)
            status = spk_check_cancel(g->context);
    }
    if (status == SPK_OK) {
        family->n_occurrences = count_stretches(&g->cells, n_occurring, n_cores);
        status =
            spk_group_order_list(g->context, &order, (n_cores + 19) / 20, listed, &family->n_units);
    }
    spk_group_order_free(&order);
    return status;
}

/* The units of a family's cores, ascending; `seen` is 0 for each at first and at last. */
static uint32_t units_of_family(const grouping *g, uint32_t k, uint8_t *seen, uint32_t *unit)
{
    uint32_t n = 0;
    for (uint64_t c = 0; c < g->n_cores; c++)
        for (uint64_t at = g->results.offset[g->core[c]];
             at < g->results.offset[g->core[c] + 1u] && g->out->member[g->core[c]] == k; at++)
            seen[spk_result_unit(&g->results, at)] = 1;
    for (uint32_t u = 0; u < g->results.n_units; u++) {
        if (seen[u] != 0)
            unit[n++] = u;
        seen[u] = 0;
    }
    return n;
}

static spk_status describe_families(grouping *g)
{
    spk_families *out = g->out;
    uint32_t *n_occurring = NULL, *unit = NULL, *listed = NULL;
    uint8_t *seen = NULL;
    uint64_t n_units = 0, capacity = 0;
    spk_status status = spk_alloc_columns(
        g->context, "families", SPK_COLUMN(&n_occurring, g->cells.n_cells),
        SPK_COLUMN(&unit, g->results.n_units), SPK_COLUMN(&listed, g->results.n_units),
        SPK_COLUMN_ZERO(&seen, g->results.n_units));
    for (uint32_t k = 0; k < out->columns.n && status == SPK_OK; k++) {
        uint32_t n = units_of_family(g, k, seen, unit);
        status = describe(g, k, unit, n, n_occurring, listed);
        if (status == SPK_OK)
            status = spk_grow(g->context, &out->unit, &capacity, n_units + out->family[k].n_units,
                              "families");
        if (status != SPK_OK)
            break;
        memcpy(out->unit + n_units, listed, out->family[k].n_units * sizeof *listed);
        n_units += out->family[k].n_units;
    }
    n_units = 0; /* only now the units stay where they are */
    for (uint32_t k = 0; k < out->columns.n && status == SPK_OK; k++) {
        out->family[k].unit = out->unit + n_units;
        n_units += out->family[k].n_units;
    }
    spk_free(g->context, n_occurring);
    spk_free(g->context, unit);
    spk_free(g->context, listed);
    spk_free(g->context, seen);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static spk_status check_options(spk_context *context, const spk_family_options *options)
{
    if (!(options->coincidence > 0 && options->coincidence < 1))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the coincidence of a family is above 0 and below 1, not %g",
                        options->coincidence);
    if (options->core_units == 1)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the cores of families have at least 2 different units, not 1");
    return SPK_OK;
}

static spk_status group_results(grouping *g)
{
    spk_families *out = g->out;
    spk_status status = spk_alloc(g->context, &out->member, g->results.n, "families");
    if (status == SPK_OK && g->results.n > 0)
        memset(out->member, 0xff, g->results.n * sizeof *out->member);
    g->results.score = g->options.score;
    if (status == SPK_OK)
        status = list_cores(g);
    if (status == SPK_OK)
        status = run_rounds(g);
    if (status == SPK_OK) {
        close_small_groups(g);
        status = join_parts(g);
    }
    if (status == SPK_OK)
        status = list_families(g);
    if (status == SPK_OK)
        status = describe_families(g);
    return status;
}

/* Gives the families away, or frees them. */
static spk_status end(grouping *g, const spk_stage *stage, spk_status status, spk_families **out)
{
    for (uint32_t r = 0; r < g->n_rounds; r++)
        spk_founders_free(&g->round[r]);
    spk_results_close(&g->results);
    spk_cells_close(&g->cells);
    spk_free_all(g->core, g->waiting, g->places, g->groups, g->order);
    spk_stage_close(g->context, stage);
    if (status == SPK_OK) {
        g->out->columns.family = g->out->family;
        g->out->columns.member = g->out->member;
        spk_holding_set(g->context, &g->out->holding, g->results.n * sizeof *g->out->member);
        *out = g->out;
    } else {
        spk_families_free(g->out);
    }
    return status;
}

static spk_status begin(spk_context *context, const spk_family_options *options, grouping *g,
                        spk_families **out)
{
    *out = NULL;
    *g = (grouping){.context = context};
    spk_status status = SPK_OPTIONS_TAKE(context, options, &g->options, spk_family_options);
    if (status == SPK_OK)
        status = check_options(context, &g->options);
    return status == SPK_OK ? spk_alloc_zero(context, &g->out, 1, "families") : status;
}

spk_status spk_families_of_episodes(spk_context *context, const spk_recording *recording,
                                    const spk_episode_columns *episodes,
                                    const spk_family_options *options, spk_families **out)
{
    grouping g;
    spk_status status = begin(context, options, &g, out);
    if (status != SPK_OK)
        return status;
    spk_stage stage = spk_stage_open(context);
    status = spk_results_of_episodes(context, episodes, &g.results);
    if (status == SPK_OK && g.results.n_units > spk_recording_events(recording).n_units)
        status = spk_fail(context, SPK_ERR_ARGUMENT, "the recording has %u units, not unit %u",
                          spk_recording_events(recording).n_units, g.results.n_units - 1);
    if (status == SPK_OK)
        status = spk_cells_of_episodes(context, recording, episodes, &g.cells);
    if (status == SPK_OK)
        status = group_results(&g);
    return end(&g, &stage, status, out);
}

spk_status spk_families_of_patterns(spk_context *context, const spk_windows *windows,
                                    const spk_pattern_columns *patterns,
                                    const spk_family_options *options, spk_families **out)
{
    grouping g;
    spk_status status = begin(context, options, &g, out);
    if (status != SPK_OK)
        return status;
    spk_stage stage = spk_stage_open(context);
    status = spk_results_of_patterns(context, patterns, &g.results);
    if (status == SPK_OK)
        status = spk_cells_of_patterns(context, windows, patterns, &g.cells);
    if (status == SPK_OK)
        status = group_results(&g);
    return end(&g, &stage, status, out);
}
