/* Two conditions: options, trials, rows. */
#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "select_options.h"

/* ---- options --------------------------------------------------------------------------------- */

int compare_plan_make(cli_session *session, const compare_values *v, const char *input,
                      double alpha, uint64_t seed, bool all, compare_plan *plan)
{
    *plan = (compare_plan){.wanted = v->other != NULL || v->labels != NULL,
                           .values = v,
                           .input = input,
                           .alpha = alpha,
                           .seed = seed,
                           .all = all};
    if (plan->wanted && plan->alpha >= 1)
        return cli_usage_error(session->command, "--alpha %g: a comparison needs less than 1",
                               alpha);
    return CLI_DONE;
}

int compare_check_files(cli_session *session, const compare_values *v, const cli_file_values *files,
                        const char *input, const char *output, const char *occurrences,
                        const char *figure)
{
    const spk_file_use use[] = {
        {input, SPK_FILE_INPUT, "the recording", NULL},
        {v->other, SPK_FILE_INPUT, "the other recording", "--compare"},
        {v->labels, SPK_FILE_INPUT, "the labels", "--compare-trials"},
        {output, SPK_FILE_RESULT, "the table", "--output"},
        {occurrences, SPK_FILE_RESULT, "the list of occurrences", "--occurrences"},
        {figure, SPK_FILE_OUTPUT, "the figure", "--figure"},
    };
    if (v->other == NULL && v->labels == NULL)
        return CLI_DONE;
    return cli_files_check(session, files, use, sizeof use / sizeof use[0]);
}

void compare_plan_free(compare_plan *plan)
{
    free(plan->condition);
    free(plan->label[0]);
    free(plan->label[1]);
    plan->condition = NULL;
    plan->label[0] = plan->label[1] = NULL;
}

spk_compare_options compare_plan_options(const compare_plan *plan, const cli_select_values *select)
{
    spk_compare_options options;
    spk_compare_options_init(&options, sizeof options);
    options.n_trials = plan->n_trials;
    options.condition = plan->condition;
    options.alpha = plan->alpha;
    options.seed = plan->seed;
    options.n_permutations = plan->values->n_permutations;
    options.min_size = (uint32_t)select->min_size;
    options.distinct_units = (uint32_t)select->distinct_units;
    return options;
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

/* The trials of REC have condition 0, those of the other recording condition 1. */
static int set_conditions(cli_session *session, compare_plan *plan, size_t n_a, size_t n_b)
{
    plan->n_trials = n_a + n_b;
    plan->condition = calloc(plan->n_trials, 1);
    if (plan->condition == NULL)
        return cli_fail(session, "out of memory");
    memset(plan->condition + n_a, 1, n_b);
    int code = copy_label(session, plan->input, &plan->label[0]);
    return code == CLI_DONE ? copy_label(session, plan->values->other, &plan->label[1]) : code;
}

static int join_other(cli_session *session, compare_plan *plan, const cli_recording_values *reading,
                      spk_recording **recording)
{
    spk_recording *other = NULL, *both = NULL;
    const size_t n_a = spk_recording_trials(*recording);
    int code = check_trials(session, plan->input, n_a);
    if (code == CLI_DONE)
        code = cli_recording_read(session, reading, plan->values->other, &other);
    if (code != CLI_DONE)
        return code;
    const size_t n_b = spk_recording_trials(other);
    code = check_trials(session, plan->values->other, n_b);
    if (code == CLI_DONE)
        code = cli_report(session, spk_recording_join(session->context, *recording, other, &both));
    if (code == CLI_DONE) {
        snprintf(plan->sha256_b, sizeof plan->sha256_b, "%s",
                 spk_recording_get_facts(other)->sha256);
        code = set_conditions(session, plan, n_a, n_b);
        spk_recording_free(*recording);
        *recording = both;
    }
    spk_recording_free(other);
    return code;
}

static int read_labels(cli_session *session, compare_plan *plan, const spk_recording *recording)
{
    spk_conditions *conditions = NULL;
    plan->n_trials = spk_recording_trials(recording);
    int code = check_trials(session, plan->input, plan->n_trials);
    if (code == CLI_DONE)
        code = cli_report(session, spk_conditions_read(session->context, plan->values->labels,
                                                       plan->n_trials, &conditions));
    if (code != CLI_DONE)
        return code;
    const spk_condition_columns c = spk_conditions_columns(conditions);
    plan->condition = calloc(plan->n_trials, 1);
    if (plan->condition != NULL)
        memcpy(plan->condition, c.condition, plan->n_trials);
    else
        code = cli_fail(session, "out of memory");
    for (int g = 0; g < 2 && code == CLI_DONE; g++)
        code = copy_label(session, c.label[g], &plan->label[g]);
    spk_conditions_free(conditions);
    return code;
}

/* Trials of which something is left. */
static bool count_trials(const compare_plan *plan, const spk_recording *recording, size_t n_of[2])
{
    size_t n_segments = 0;
    uint8_t *counted = calloc(plan->n_trials, 1);
    if (counted == NULL)
        return false;
    (void)spk_recording_segments(recording, &n_segments);
    for (size_t k = 0; k < n_segments; k++) {
        const size_t t = spk_recording_trial(recording, k);
        n_of[plan->condition[t]] += !counted[t];
        counted[t] = 1;
    }
    free(counted);
    return true;
}

/* With few trials no difference, however large, can be significant. */
static int check_smallest(cli_session *session, const compare_plan *plan,
                          const spk_recording *recording)
{
    size_t n_of[2] = {0, 0};
    if (!count_trials(plan, recording, n_of))
        return cli_fail(session, "out of memory");
    double least = spk_compare_smallest_p(n_of[0], n_of[1], UINT64_MAX);
    if (least <= plan->alpha)
        return CLI_DONE;
    return cli_fail(session,
                    "%zu trials of '%s' and %zu of '%s' are too few: no p-value can be below "
                    "%.3g, and --alpha is %g; give more trials, or a larger --alpha",
                    n_of[0], plan->label[0], n_of[1], plan->label[1], least, plan->alpha);
}

int compare_read(cli_session *session, compare_plan *plan, const cli_recording_values *reading,
                 spk_recording **recording)
{
    if (!plan->wanted)
        return CLI_DONE;
    int code = plan->values->other != NULL ? join_other(session, plan, reading, recording)
                                           : read_labels(session, plan, *recording);
    return code == CLI_DONE ? check_smallest(session, plan, *recording) : code;
}

/* ---- rows ------------------------------------------------------------------------------------ */

spk_status compare_findings_create(const compare_plan *plan, uint64_t n, compare_findings *out)
{
    size_t room = (size_t)n + 1;
    *out = (compare_findings){.plan = plan, .n = n};
    spk_compare_report_init(&out->report, sizeof out->report);
    out->verdict = calloc(room, sizeof *out->verdict);
    out->score = calloc(room, sizeof *out->score);
    out->row = calloc(room, sizeof *out->row);
    out->row_verdict = calloc(room, sizeof *out->row_verdict);
    out->row_score = calloc(room, sizeof *out->row_score);
    if (out->verdict != NULL && out->score != NULL && out->row != NULL &&
        out->row_verdict != NULL && out->row_score != NULL)
        return SPK_OK;
    compare_findings_free(out);
    return SPK_ERR_MEMORY;
}

void compare_findings_free(compare_findings *f)
{
    free(f->verdict);
    free(f->score);
    free(f->row);
    free(f->row_verdict);
    free(f->row_score);
    *f = (compare_findings){.n = 0};
}

/* The least likely first; of equal ones the search's order. */
typedef struct listed {
    double p;
    double z;
    uint64_t number;
} listed;

static int compare_listed(const void *a, const void *b)
{
    const listed *x = a, *y = b;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    if (x->z != y->z)
        return x->z > y->z ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* What the table says of the rows. */
static void fill_rows(compare_findings *f)
{
    for (uint64_t k = 0; k < f->n_rows; k++) {
        f->row_verdict[k] = f->verdict[f->row[k]];
        f->row_score[k] = f->score[f->row[k]];
    }
    f->report.n_rows = f->n_rows;
    f->report.verdict = f->row_verdict;
}

static void begin_report(compare_findings *f)
{
    spk_compare_report *r = &f->report;
    const compare_plan *plan = f->plan;
    r->label[0] = plan->label[0];
    r->label[1] = plan->label[1];
    r->input_b = plan->values->other;
    r->sha256_b = plan->sha256_b;
    r->seed = plan->seed;
    r->alpha = plan->alpha;
}

spk_status compare_choose_rows(compare_findings *f)
{
    listed *list = calloc((size_t)f->n + 1, sizeof *list);
    if (list == NULL)
        return SPK_ERR_MEMORY;
    begin_report(f);
    f->n_rows = 0;
    for (uint64_t i = 0; i < f->n; i++) {
        const bool significant = f->verdict[i].p <= f->plan->alpha;
        f->report.n_significant += significant;
        if (significant || f->plan->all)
            list[f->n_rows++] = (listed){f->verdict[i].p, fabs(f->verdict[i].z), i};
    }
    qsort(list, f->n_rows, sizeof *list, compare_listed);
    for (uint64_t k = 0; k < f->n_rows; k++) {
        const uint64_t worse = f->n_rows - k;
        f->row[k] = list[k].number;
        f->score[list[k].number] = worse < UINT32_MAX ? (uint32_t)worse : UINT32_MAX - 1;
    }
    free(list);
    fill_rows(f);
    return SPK_OK;
}

spk_status compare_narrow_rows(compare_findings *f, const uint64_t *chosen, uint64_t n)
{
    spk_status status = cli_narrow_rows(&f->row, &f->n_rows, chosen, n);
    if (status == SPK_OK)
        fill_rows(f);
    return status;
}

void compare_tell(cli_session *session, const compare_findings *f, const char *results)
{
    const spk_compare_summary *s = &f->report.summary;
    uint64_t more[2] = {0, 0};
    for (uint64_t i = 0; i < f->n; i++)
        if (f->verdict[i].p <= f->plan->alpha)
            more[f->verdict[i].z > 0]++;
    for (int g = 0; g < 2; g++)
        cli_note(session, "condition %s: %s, %zu trials, %.6g s", g == 0 ? "a" : "b",
                 f->plan->label[g], s->trials[g], s->duration_s[g]);
    cli_note(session,
             "%s%" PRIu64 " permutations of the trials: %" PRIu64 " of %" PRIu64
             " %s are significant at %g, more often in a: %" PRIu64 ", in b: %" PRIu64,
             s->all ? "all " : "", s->n_permutations, f->report.n_significant, s->n_tested, results,
             f->plan->alpha, more[0], more[1]);
    if (s->smallest_p > f->plan->alpha)
        cli_note(session,
                 "%" PRIu64 " permutations are too few for alpha %g: no p-value can be below %.3g",
                 s->n_permutations, f->plan->alpha, s->smallest_p);
}
