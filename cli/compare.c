/* Two conditions: options, trials. */
#include "analysis.h"

#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

int cli_compare_take(cli_analysis *a)
{
    const cli_shared *v = a->session->shared;
    if (v->other == NULL && v->labels == NULL)
        return CLI_DONE;
    a->options.compare = &a->compare;
    spk_compare_options_init(&a->compare, sizeof a->compare);
    a->compare.alpha = v->alpha;
    a->compare.seed = v->seed;
    a->compare.n_permutations = v->n_permutations;
    if (v->alpha >= 1)
        return cli_usage_error(a->session->command, "--alpha %g: a comparison needs less than 1",
                               v->alpha);
    return CLI_DONE;
}

/* ---- trials ---------------------------------------------------------------------------------- */

static int check_trials(cli_session *session, const char *path, size_t n_trials)
{
    if (n_trials > 1)
        return CLI_DONE;
    return cli_fail(session,
                    "%s: the recording has one trial, and a comparison deals out conditions to "
                    "trials; give them with --trials FILE, or equal stretches of time where they "
                    "are much longer than anything that lasts in the activity",
                    path);
}

static int copy_label(cli_session *session, const char *label, char **out)
{
    *out = strdup(label);
    return *out != NULL ? CLI_DONE : cli_fail(session, "out of memory");
}

/* Room for the condition of each trial, all 0. */
static int make_conditions(cli_analysis *a, size_t n_trials)
{
    cli_session *session = a->session;
    a->compare.n_trials = n_trials;
    a->compare.condition = a->condition = calloc(n_trials, 1);
    return a->condition != NULL ? CLI_DONE : cli_fail(session, "out of memory");
}

/* The trials of REC have condition 0, those of the other recording condition 1. */
static int set_conditions(cli_analysis *a, size_t n_a, size_t n_b)
{
    cli_session *session = a->session;
    int code = make_conditions(a, n_a + n_b);
    if (code != CLI_DONE)
        return code;
    memset(a->condition + n_a, 1, n_b);
    code = copy_label(session, session->arguments[0], &a->label[0]);
    return code == CLI_DONE ? copy_label(session, session->shared->other, &a->label[1]) : code;
}

static int join_other(cli_analysis *a, spk_recording **recording)
{
    cli_session *session = a->session;
    spk_recording *other = NULL, *both = NULL;
    const size_t n_a = spk_recording_trials(*recording);
    int code = check_trials(session, session->arguments[0], n_a);
    if (code == CLI_DONE)
        code = cli_recording_read(session, session->shared->other, &other);
    if (code != CLI_DONE)
        return code;
    const size_t n_b = spk_recording_trials(other);
    code = check_trials(session, session->shared->other, n_b);
    if (code == CLI_DONE)
        code = cli_report(session, spk_recording_join(session->context, *recording, other, &both));
    if (code == CLI_DONE) {
        snprintf(a->sha256_b, sizeof a->sha256_b, "%s", spk_recording_get_facts(other)->sha256);
        code = set_conditions(a, n_a, n_b);
        spk_recording_free(*recording);
        *recording = both;
    }
    spk_recording_free(other);
    return code;
}

static int read_labels(cli_analysis *a, const spk_recording *recording)
{
    cli_session *session = a->session;
    spk_conditions *conditions = NULL;
    const size_t n_trials = spk_recording_trials(recording);
    int code = check_trials(session, session->arguments[0], n_trials);
    if (code == CLI_DONE)
        code = cli_report(session, spk_conditions_read(session->context, session->shared->labels,
                                                       n_trials, &conditions));
    if (code != CLI_DONE)
        return code;
    const spk_condition_columns c = spk_conditions_columns(conditions);
    code = make_conditions(a, n_trials);
    if (code == CLI_DONE)
        memcpy(a->condition, c.condition, n_trials);
    for (int g = 0; g < 2 && code == CLI_DONE; g++)
        code = copy_label(session, c.label[g], &a->label[g]);
    spk_conditions_free(conditions);
    return code;
}

/* Trials of which something is left. */
static bool count_trials(const cli_analysis *a, const spk_recording *recording, size_t n_of[2])
{
    size_t n_segments = 0;
    uint8_t *counted = calloc(a->compare.n_trials, 1);
    if (counted == NULL)
        return false;
    (void)spk_recording_segments(recording, &n_segments);
    for (size_t k = 0; k < n_segments; k++) {
        const size_t t = spk_recording_trial(recording, k);
        n_of[a->condition[t]] += !counted[t];
        counted[t] = 1;
    }
    free(counted);
    return true;
}

/* With few trials no difference, however large, can be significant. */
static int check_smallest(cli_analysis *a, const spk_recording *recording)
{
    cli_session *session = a->session;
    size_t n_of[2] = {0, 0};
    if (!count_trials(a, recording, n_of))
        return cli_fail(session, "out of memory");
    double least = spk_compare_smallest_p(n_of[0], n_of[1], UINT64_MAX);
    const double alpha = session->shared->alpha;
    if (least <= alpha)
        return CLI_DONE;
    return cli_fail(session,
                    "%zu trials of '%s' and %zu of '%s' are too few: no p-value can be below "
                    "%.3g, and --alpha is %g; give more trials, or a larger --alpha",
                    n_of[0], a->label[0], n_of[1], a->label[1], least, alpha);
}

int cli_compare_read(cli_analysis *a, spk_recording **recording)
{
    if (a->options.compare == NULL)
        return CLI_DONE;
    int code =
        a->session->shared->other != NULL ? join_other(a, recording) : read_labels(a, *recording);
    return code == CLI_DONE ? check_smallest(a, *recording) : code;
}
