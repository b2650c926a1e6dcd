/* What of the results is listed. */
#include "select_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool cli_select_wanted(const cli_select_values *values)
{
    return values->min_size > 0 || values->distinct_units > 0 || values->maximal ||
           values->closed || values->top > 0 || values->families;
}

/* Whether a result's place on the list depends on the others. */
static bool needs_all(const cli_select_values *values)
{
    return values->maximal || values->closed || values->top > 0 || values->families;
}

spk_select_options cli_select_options(const cli_select_values *values)
{
    spk_select_options options;
    spk_select_options_init(&options, sizeof options);
    options.min_size = (uint32_t)values->min_size;
    options.distinct_units = (uint32_t)values->distinct_units;
    options.maximal = values->maximal;
    options.closed = values->closed;
    options.top = values->families ? 0 : values->top; /* else of families */
    return options;
}

/* The limits on one result alone. */
static spk_select_options limits_alone(const cli_select_values *values)
{
    spk_select_options options = cli_select_options(values);
    options.maximal = options.closed = false;
    options.top = 0;
    return options;
}

void cli_select_tell(cli_session *session, uint64_t n_listed, uint64_t n, const char *result)
{
    cli_note(session, "%" PRIu64 " of %" PRIu64 " %s%s listed", n_listed, n, result,
             n == 1 ? " is" : "s are");
}

/* ---- families -------------------------------------------------------------------------------- */

static spk_family_options family_options(const cli_select_values *values)
{
    spk_family_options options;
    spk_family_options_init(&options, sizeof options);
    options.core_units = values->distinct_units < 2 ? 0 : (uint32_t)values->distinct_units;
    return options;
}

/* "2 families, 8 and 14 occurrences each, 24 units; 9108 of 10410 episodes are members". */
void cli_families_tell(cli_session *session, const spk_family_columns *f, const char *result)
{
    enum { MOST_NUMBERS = 6 };
    char numbers[256] = "";
    size_t at = 0;
    uint64_t n_units = 0;
    for (uint64_t k = 0; k < f->n; k++) {
        n_units += f->family[k].n_units;
        if (k < MOST_NUMBERS && f->n <= MOST_NUMBERS)
            at += (size_t)snprintf(numbers + at, sizeof numbers - at, "%s%" PRIu64,
                                   k == 0          ? ""
                                   : k + 1 == f->n ? " and "
                                                   : ", ",
                                   f->family[k].n_occurrences);
    }
    if (f->n == 0)
        cli_note(session, "no families among %" PRIu64 " %ss", f->n_results, result);
    else if (f->n > MOST_NUMBERS)
        cli_note(session, "%" PRIu64 " families; %" PRIu64 " of %" PRIu64 " %ss are members", f->n,
                 f->n_members, f->n_results, result);
    else
        cli_note(session,
                 "%" PRIu64 " famil%s, %s occurrences%s, %" PRIu64 " units; %" PRIu64 " of %" PRIu64
                 " %ss are members",
                 f->n, f->n == 1 ? "y" : "ies", numbers, f->n == 1 ? "" : " each", n_units,
                 f->n_members, f->n_results, result);
    if (f->n_small > 0)
        cli_detail(session,
                   "%" PRIu64 " groups are too small for families; they have %" PRIu64
                   " of the %" PRIu64 " %ss with %" PRIu32 " different units and more",
                   f->n_small, f->n_small_cores, f->n_cores, result, f->core_units);
}

/* The families that are listed; notes what all are. */
static spk_family_columns list_families(cli_session *session, const spk_families *families,
                                        const cli_select_values *values, const char *result)
{
    spk_family_columns columns = spk_families_columns(families);
    cli_families_tell(session, &columns, result);
    if (values->top > 0 && values->top < columns.n)
        columns.n = values->top;
    return columns;
}

/* For the numbers of n results and one more. */
static spk_status make_room(uint64_t n, uint64_t **chosen)
{
    *chosen = n < SIZE_MAX / sizeof **chosen ? malloc(((size_t)n + 1) * sizeof **chosen) : NULL;
    return *chosen != NULL ? SPK_OK : SPK_ERR_MEMORY;
}

/* ---- episodes -------------------------------------------------------------------------------- */

spk_status cli_episode_selection_open(cli_episode_selection *selection)
{
    selection->collects = needs_all(selection->values);
    return spk_episode_list_create(selection->session->context, &selection->list);
}

/* Appends those results of `from` to `to`, in this order; an empty list of episodes takes over the
 * table of intervals, also where none is chosen. */
static spk_status copy_episodes(const spk_episode_columns *from, const uint64_t *chosen, uint64_t n,
                                spk_episode_list *to)
{
    spk_episode_columns none = *from;
    none.n = 0; /* the table of intervals, also where nothing is chosen */
    spk_status status = spk_episode_list_add(to, &none);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        spk_episode_columns one = *from;
        one.n = 1;
        one.offset += chosen[k];
        one.count += chosen[k];
        status = spk_episode_list_add(to, &one);
    }
    return status;
}

/* Appends what the options leave of `episodes` to `to`. */
static spk_status choose_episodes(const cli_episode_selection *selection,
                                  const spk_episode_columns *episodes,
                                  const spk_select_options *options, spk_episode_list *to)
{
    uint64_t *chosen = NULL;
    uint64_t n = 0;
    spk_status status = make_room(episodes->n, &chosen);
    if (status == SPK_OK)
        status = spk_select_episodes(selection->session->context, episodes, options, chosen, &n);
    if (status == SPK_OK)
        status = copy_episodes(episodes, chosen, n, to);
    free(chosen);
    return status;
}

static spk_status hand_on_episodes(cli_episode_selection *selection, const spk_episode_list *list,
                                   const spk_episode_level *level)
{
    spk_episode_columns columns = spk_episode_list_columns(list);
    columns.level = level;
    selection->n_listed += columns.n;
    return selection->sink(selection->user, &columns);
}

/* Those of one size that the limits leave, into the list that collects or at once. */
spk_status cli_episode_selection_add(void *user, const spk_episode_columns *episodes)
{
    cli_episode_selection *selection = user;
    spk_select_options limits = limits_alone(selection->values);
    spk_episode_list *list = selection->list;
    spk_status status = SPK_OK;
    selection->n += episodes->n;
    if (!selection->collects)
        status = spk_episode_list_create(selection->session->context, &list);
    if (status == SPK_OK)
        status = choose_episodes(selection, episodes, &limits, list);
    if (status == SPK_OK && !selection->collects)
        status = hand_on_episodes(selection, list, episodes->level);
    else if (status == SPK_OK && episodes->level != NULL)
        selection->tell_level(selection->session, episodes->level);
    if (list != selection->list)
        spk_episode_list_free(list);
    return status;
}

/* The best member of each family in place of the list; the families live until they are written. */
static spk_status hand_on_families(cli_episode_selection *selection, const spk_episode_list *list)
{
    cli_session *session = selection->session;
    spk_family_options options = family_options(selection->values);
    spk_episode_columns columns = spk_episode_list_columns(list);
    spk_families *families = NULL;
    spk_episode_list *best = NULL;
    spk_status status = spk_families_of_episodes(session->context, selection->recording, &columns,
                                                 &options, &families);
    if (status == SPK_OK)
        status = spk_episode_list_create(session->context, &best);
    if (status == SPK_OK) {
        spk_family_columns listed = list_families(session, families, selection->values, "episode");
        status = copy_episodes(&columns, NULL, 0, best);
        for (uint64_t k = 0; k < listed.n && status == SPK_OK; k++)
            status = copy_episodes(&columns, &listed.family[k].best, 1, best);
        if (status == SPK_OK)
            status = selection->set_families(selection->user, &listed);
    }
    if (status == SPK_OK)
        status = hand_on_episodes(selection, best, NULL);
    spk_episode_list_free(best);
    spk_families_free(families);
    return status;
}

static spk_status end_episodes(cli_episode_selection *selection)
{
    spk_select_options options = cli_select_options(selection->values);
    spk_episode_columns columns = spk_episode_list_columns(selection->list);
    spk_episode_list *listed = NULL;
    spk_status status = spk_episode_list_create(selection->session->context, &listed);
    if (status == SPK_OK)
        status = choose_episodes(selection, &columns, &options, listed);
    if (status == SPK_OK)
        status = selection->values->families ? hand_on_families(selection, listed)
                                             : hand_on_episodes(selection, listed, NULL);
    spk_episode_list_free(listed);
    return status;
}

spk_status cli_episode_selection_end(cli_episode_selection *selection, spk_status status)
{
    if (selection->collects && selection->list != NULL &&
        (status == SPK_OK || status == SPK_ERR_CANCELLED)) {
        if (status == SPK_ERR_CANCELLED) /* a second signal ends the program */
            spk_context_cancel_clear(selection->session->context);
        spk_status ended = end_episodes(selection);
        status = status == SPK_OK ? ended : status;
    }
    spk_episode_list_free(selection->list);
    selection->list = NULL;
    return status;
}

/* ---- patterns -------------------------------------------------------------------------------- */

spk_status cli_pattern_selection_open(cli_pattern_selection *selection)
{
    selection->collects = needs_all(selection->values);
    return spk_pattern_list_create(selection->session->context, selection->window,
                                   &selection->list);
}

static spk_status copy_patterns(const spk_pattern_columns *from, const uint64_t *chosen, uint64_t n,
                                spk_pattern_list *to)
{
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        spk_pattern_columns one = *from;
        one.n = 1;
        one.offset += chosen[k];
        one.count += chosen[k];
        status = spk_pattern_list_add(to, &one);
    }
    return status;
}

static spk_status choose_patterns(cli_session *session, const spk_pattern_columns *patterns,
                                  const spk_select_options *options, spk_pattern_list *to)
{
    uint64_t *chosen = NULL;
    uint64_t n = 0;
    spk_status status = make_room(patterns->n, &chosen);
    if (status == SPK_OK)
        status = spk_select_patterns(session->context, patterns, options, chosen, &n);
    if (status == SPK_OK)
        status = copy_patterns(patterns, chosen, n, to);
    free(chosen);
    return status;
}

static spk_status hand_on_patterns(cli_pattern_selection *selection, const spk_pattern_list *list)
{
    spk_pattern_columns columns = spk_pattern_list_columns(list);
    selection->n_listed += columns.n;
    return selection->sink(selection->user, &columns);
}

/* Those of one batch that the limits leave, into the list that collects or at once. */
spk_status cli_pattern_selection_add(void *user, const spk_pattern_columns *patterns)
{
    cli_pattern_selection *selection = user;
    spk_select_options limits = limits_alone(selection->values);
    spk_pattern_list *list = selection->list;
    spk_status status = SPK_OK;
    selection->n += patterns->n;
    if (!selection->collects)
        status = spk_pattern_list_create(selection->session->context, selection->window, &list);
    if (status == SPK_OK)
        status = choose_patterns(selection->session, patterns, &limits, list);
    if (status == SPK_OK && !selection->collects)
        status = hand_on_patterns(selection, list);
    if (list != selection->list)
        spk_pattern_list_free(list);
    return status;
}

static spk_status hand_on_pattern_families(cli_pattern_selection *selection,
                                           const spk_pattern_list *list)
{
    cli_session *session = selection->session;
    spk_family_options options = family_options(selection->values);
    spk_pattern_columns columns = spk_pattern_list_columns(list);
    spk_families *families = NULL;
    spk_pattern_list *best = NULL;
    spk_status status = spk_families_of_patterns(session->context, selection->windows, &columns,
                                                 &options, &families);
    if (status == SPK_OK)
        status = spk_pattern_list_create(session->context, columns.window, &best);
    if (status == SPK_OK) {
        spk_family_columns listed = list_families(session, families, selection->values, "pattern");
        for (uint64_t k = 0; k < listed.n && status == SPK_OK; k++)
            status = copy_patterns(&columns, &listed.family[k].best, 1, best);
        if (status == SPK_OK)
            status = selection->set_families(selection->user, &listed);
    }
    if (status == SPK_OK)
        status = hand_on_patterns(selection, best);
    spk_pattern_list_free(best);
    spk_families_free(families);
    return status;
}

static spk_status end_patterns(cli_pattern_selection *selection)
{
    spk_select_options options = cli_select_options(selection->values);
    spk_pattern_columns columns = spk_pattern_list_columns(selection->list);
    spk_pattern_list *listed = NULL;
    spk_status status =
        spk_pattern_list_create(selection->session->context, selection->window, &listed);
    if (status == SPK_OK)
        status = choose_patterns(selection->session, &columns, &options, listed);
    if (status == SPK_OK)
        status = selection->values->families ? hand_on_pattern_families(selection, listed)
                                             : hand_on_patterns(selection, listed);
    spk_pattern_list_free(listed);
    return status;
}

spk_status cli_pattern_selection_end(cli_pattern_selection *selection, spk_status status)
{
    if (selection->collects && selection->list != NULL &&
        (status == SPK_OK || status == SPK_ERR_CANCELLED)) {
        if (status == SPK_ERR_CANCELLED) /* a second signal ends the program */
            spk_context_cancel_clear(selection->session->context);
        spk_status ended = end_patterns(selection);
        status = status == SPK_OK ? ended : status;
    }
    spk_pattern_list_free(selection->list);
    selection->list = NULL;
    return status;
}
