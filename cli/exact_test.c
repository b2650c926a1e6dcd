/* The options of an exact test, its surrogates, and the rows that it lists. */
#include "exact_test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "select_options.h"

/* ---- options --------------------------------------------------------------------------------- */

static int parse_jitter(cli_session *session, const char *text, exact_plan *plan)
{
    for (const char *at = text;;) {
        size_t length = strcspn(at, ",");
        if (plan->n_jitter == SPK_EXACT_MAX_SCALES)
            return cli_usage_error(session->command, "--jitter %s: more than %u windows", text,
                                   SPK_EXACT_MAX_SCALES);
        if (length == 0)
            return cli_usage_error(session->command,
                                   "--jitter %s: must be a time or several with commas between, "
                                   "such as 5ms,25ms,100ms",
                                   text);
        spk_status status =
            spk_duration_parse(session->context, at, length, &plan->jitter[plan->n_jitter++]);
        if (status != SPK_OK)
            return cli_report_usage(session, status);
        if (at[length] == '\0')
            return CLI_DONE;
        at += length + 1;
    }
}

static int compare_durations(const void *a, const void *b)
{
    return spk_duration_compare(*(const spk_duration *)a, *(const spk_duration *)b);
}

static int sort_jitter(const cli_session *session, exact_plan *plan)
{
    qsort(plan->jitter, plan->n_jitter, sizeof plan->jitter[0], compare_durations);
    for (size_t k = 1; k < plan->n_jitter; k++)
        if (spk_duration_compare(plan->jitter[k - 1], plan->jitter[k]) == 0)
            return cli_usage_error(session->command, "--jitter %s: a window is given twice",
                                   plan->values->jitter);
    return CLI_DONE;
}

int exact_plan_make(cli_session *session, const exact_values *v, bool wanted, exact_plan *plan)
{
    enum { USUAL_SURROGATES = 199 };
    *plan = (exact_plan){.wanted = wanted, .values = v};
    if (!wanted)
        return CLI_DONE;
    plan->n_surrogates = v->n_surrogates;
    if (v->n_surrogates == 0 && v->maxima == NULL)
        plan->n_surrogates = USUAL_SURROGATES;
    plan->alpha = v->alpha;
    plan->null = v->null > 0 ? spk_exact_null_get((size_t)v->null - 1) : NULL;
    int code = parse_jitter(session, v->jitter, plan);
    if (code == CLI_DONE)
        code = sort_jitter(session, plan);
    if (code == CLI_DONE && v->calibrate.n_runs > 0 && v->n_surrogates == 0)
        plan->n_surrogates = spk_exact_least_surrogates(plan->alpha, plan->n_jitter);
    return code == CLI_DONE ? cli_shard_parse(session, v->shard, &plan->shard, &plan->n_shards)
                            : code;
}

void exact_plan_choose(exact_plan *plan, const spk_recording *recording)
{
    if (plan->wanted && plan->null == NULL)
        plan->null = spk_exact_null_choose(recording, plan->jitter, plan->n_jitter);
}

/* ---- surrogates ------------------------------------------------------------------------------ */

spk_exact_options exact_plan_options(const exact_plan *plan)
{
    spk_exact_options options;
    spk_exact_options_init(&options, sizeof options);
    options.jitter = plan->jitter;
    options.n_jitter = plan->n_jitter;
    options.null = plan->null->name;
    if (plan->values->history.given)
        options.history = plan->values->history.value;
    options.seed = plan->values->seed;
    options.n_surrogates = plan->n_surrogates;
    if (plan->n_shards > 0) {
        options.shard = plan->shard;
        options.n_shards = plan->n_shards;
    }
    options.checkpoint = plan->values->checkpoint;
    return options;
}

spk_status exact_surrogates(cli_session *session, const spk_recording *recording,
                            const exact_plan *plan, const spk_exact_options *options,
                            spk_maxima **out)
{
    const char *path = plan->values->maxima;
    spk_status status = SPK_OK;
    if (path != NULL) {
        status = spk_maxima_read(session->context, path, out);
        return status == SPK_OK ? spk_exact_check(session->context, *out, recording, options)
                                : status;
    }
    cli_interrupt_keep(true); /* for the checkpoint, and the message that tells how far it came */
    status = spk_exact_run(session->context, recording, options, out);
    cli_interrupt_keep(false);
    return status;
}

int exact_run_shard(cli_session *session, const spk_recording *recording, const exact_plan *plan,
                    const spk_exact_options *options, const char *output)
{
    spk_maxima *maxima = NULL;
    spk_status status = exact_surrogates(session, recording, plan, options, &maxima);
    status = cli_shard_write(session, status, maxima, output);
    spk_maxima_free(maxima);
    return cli_report(session, status);
}

/* ---- rows ------------------------------------------------------------------------------------ */

spk_status exact_findings_create(const exact_plan *plan, uint64_t n, exact_findings *out)
{
    const size_t room = (size_t)n + 1;
    *out = (exact_findings){.plan = plan, .n = n};
    const struct {
        void *array;
        size_t size;
    } arrays[] = {
        {&out->verdict, sizeof *out->verdict},
        {&out->scale_p, plan->n_jitter * sizeof *out->scale_p},
        {&out->part_p, sizeof *out->part_p},
        {&out->left_out, sizeof *out->left_out},
        {&out->means, sizeof *out->means},
        {&out->direction_p, sizeof *out->direction_p},
        {&out->row, sizeof *out->row},
        {&out->row_verdict, sizeof *out->row_verdict},
        {&out->row_score, sizeof *out->row_score},
        {&out->row_expected, sizeof *out->row_expected},
        {&out->row_scale_p, plan->n_jitter * sizeof *out->row_scale_p},
        {&out->row_left_out, sizeof *out->row_left_out},
        {&out->row_means, sizeof *out->row_means},
        {&out->row_direction_p, sizeof *out->row_direction_p},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        void *made = calloc(room, arrays[k].size);
        memcpy(arrays[k].array, &made, sizeof made);
        if (made == NULL) {
            exact_findings_free(out);
            return SPK_ERR_MEMORY;
        }
    }
    return SPK_OK;
}

void exact_findings_free(exact_findings *f)
{
    free(f->verdict);
    free(f->scale_p);
    free(f->part_p);
    free(f->left_out);
    free(f->means);
    free(f->direction_p);
    free(f->row);
    free(f->row_verdict);
    free(f->row_score);
    free(f->row_expected);
    free(f->row_scale_p);
    free(f->row_left_out);
    free(f->row_means);
    free(f->row_direction_p);
    *f = (exact_findings){.n = 0};
}

static bool is_significant(const exact_findings *f, uint64_t i)
{
    return f->verdict[i].p <= f->plan->alpha;
}

void exact_find_significant(exact_findings *f)
{
    f->n_rows = 0;
    for (uint64_t i = 0; i < f->n; i++) {
        f->left_out[i] = SPK_NOT_EXPLAINED;
        if (!is_significant(f, i))
            continue;
        f->row_verdict[f->n_rows] = f->verdict[i];
        f->row[f->n_rows++] = i;
    }
}

void exact_take_parts(exact_findings *f, const double *p, const uint32_t *left_out)
{
    for (uint64_t k = 0; k < f->n_rows; k++)
        f->left_out[f->row[k]] = p[k] > f->plan->alpha ? left_out[k] : SPK_NOT_EXPLAINED;
}

/* The least likely first; of equal ones the search's order. */
typedef struct listed {
    spk_exact_verdict verdict;
    uint64_t number;
} listed;

static int compare_listed(const void *a, const void *b)
{
    const listed *x = a, *y = b;
    if (x->verdict.p != y->verdict.p)
        return x->verdict.p < y->verdict.p ? -1 : 1;
    if (x->verdict.score != y->verdict.score)
        return x->verdict.score > y->verdict.score ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static bool is_listed(const exact_findings *f, uint64_t i)
{
    switch (f->plan->values->report) {
    case EXACT_REPORT_ALL:
        return true;
    case EXACT_REPORT_CORE:
        return is_significant(f, i) && f->left_out[i] == SPK_NOT_EXPLAINED;
    default:
        return is_significant(f, i);
    }
}

/* What tables say of the rows, from their numbers. */
static void fill_rows(exact_findings *f)
{
    const size_t n_scales = f->plan->n_jitter;
    for (uint64_t k = 0; k < f->n_rows; k++) {
        uint64_t i = f->row[k];
        f->row_verdict[k] = f->verdict[i];
        f->row_score[k] = f->verdict[i].score;
        f->row_expected[k] = f->verdict[i].expected;
        f->row_left_out[k] = f->left_out[i];
        f->row_means[k] = f->means[i];
        f->row_direction_p[k] = f->direction_p[i];
        memcpy(f->row_scale_p + k * n_scales, f->scale_p + i * n_scales,
               n_scales * sizeof *f->scale_p);
    }
    f->report.n_rows = f->n_rows;
}

void exact_plan_report(const exact_plan *plan, spk_exact_report *report)
{
    const spk_exact_options options = exact_plan_options(plan);
    report->jitter = plan->jitter;
    report->n_jitter = plan->n_jitter;
    report->null = options.null;
    report->history = options.history;
    report->alpha = plan->alpha;
}

static void begin_report(exact_findings *f, const spk_exact_options *test, uint64_t n_surrogates)
{
    spk_exact_report *r = &f->report;
    spk_exact_report_init(r, sizeof *r);
    exact_plan_report(f->plan, r);
    r->seed = test->seed;
    r->n_surrogates = n_surrogates;
    r->verdict = f->row_verdict;
    r->scale_p = f->plan->n_jitter > 1 ? f->row_scale_p : NULL;
    r->left_out = f->row_left_out;
    r->means = f->row_means;
    r->direction_p = test->episodes != NULL ? f->row_direction_p : NULL;
    for (uint64_t i = 0; i < f->n; i++) {
        r->n_tested += f->verdict[i].tested;
        r->n_significant += is_significant(f, i);
        r->n_core += is_significant(f, i) && f->left_out[i] == SPK_NOT_EXPLAINED;
    }
}

spk_status exact_choose_rows(exact_findings *f, const spk_exact_options *test,
                             uint64_t n_surrogates)
{
    listed *list = calloc((size_t)f->n + 1, sizeof *list);
    if (list == NULL)
        return SPK_ERR_MEMORY;
    begin_report(f, test, n_surrogates);
    f->n_rows = 0;
    for (uint64_t i = 0; i < f->n; i++)
        if (is_listed(f, i))
            list[f->n_rows++] = (listed){f->verdict[i], i};
    qsort(list, f->n_rows, sizeof *list, compare_listed);
    for (uint64_t k = 0; k < f->n_rows; k++)
        f->row[k] = list[k].number;
    free(list);
    fill_rows(f);
    return SPK_OK;
}

spk_status exact_narrow_rows(exact_findings *f, const uint64_t *chosen, uint64_t n)
{
    spk_status status = cli_narrow_rows(&f->row, &f->n_rows, chosen, n);
    if (status == SPK_OK)
        fill_rows(f);
    return status;
}

exact_null_text exact_name_null(const spk_exact_report *r)
{
    exact_null_text out = {""};
    spk_exact_null_format(r->null, r->history, r->jitter, r->n_jitter, out.text, sizeof out.text);
    return out;
}

void exact_tell_too_few(cli_session *session, const spk_exact_report *r)
{
    const double least = (double)r->n_jitter / (1 + (double)r->n_surrogates);
    if (least > r->alpha)
        cli_note(session,
                 "%" PRIu64 " surrogates are too few for alpha %g: no p-value can be below %.3g",
                 r->n_surrogates, r->alpha, least);
}

/* How many significant results may be something else than a sequence. */
static void tell_meanings(cli_session *session, const exact_findings *f)
{
    uint64_t n[3] = {0};
    for (uint64_t i = 0; i < f->n; i++)
        for (int k = 0; k < 3; k++)
            n[k] += (f->means[i] >> k) & 1u;
    if (n[0] + n[1] + n[2] > 0)
        cli_note(session,
                 "some of these may be no sequence (column meaning): a unit repeats in %" PRIu64
                 ", both directions are significant in %" PRIu64 ", and %" PRIu64
                 " have units less than 1 ms apart",
                 n[0], n[1], n[2]);
}

void exact_tell(cli_session *session, const exact_findings *f, const char *results)
{
    const spk_exact_report *r = &f->report;
    const exact_null_text null = exact_name_null(r);
    cli_note(session,
             "%" PRIu64 " surrogates (%s, seed %" PRIu64 "): %" PRIu64 " of %" PRIu64
             " %s are significant at %g, %" PRIu64 " of them core",
             r->n_surrogates, null.text, r->seed, r->n_significant, r->n_tested, results, r->alpha,
             r->n_core);
    exact_tell_too_few(session, r);
    tell_meanings(session, f);
}
