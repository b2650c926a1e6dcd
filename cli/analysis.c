/* Analyses: the job of the library, and what is told of it. */
#include "analysis.h"

#include <inttypes.h>

#include "interrupt.h"
#include "pattern_job.h"
#include "say.h"

/* ---- the job --------------------------------------------------------------------------------- */

/* A spk_analysis_searched_fn; `user` is the analysis. */
static void take_search(void *user, const spk_analysis_columns *columns)
{
    cli_analysis *a = user;
    a->searched = true;
    if (columns->pattern_summary != NULL)
        pattern_job_tell(a->session, columns->pattern_summary);
    if (a->made != NULL && a->maxima_path == NULL)
        cli_surrogate_warn(a->session, a->made);
}

/* A spk_peel_sink; `user` is the analysis. */
static spk_status take_round(void *user, const spk_peel_round *round)
{
    const cli_analysis *a = user;
    const bool accepted = round->episode != NULL || round->pattern != NULL;
    cli_detail(a->session,
               "round %" PRIu32 ": %" PRIu64 " of %" PRIu64 " are significant, the smallest p is "
               "%.3g; %" PRIu64 " events are removed",
               round->number, round->n_significant, round->n_tested, round->least_p,
               accepted ? round->n_removed : 0);
    return SPK_OK;
}

void cli_analysis_begin(cli_analysis *a, cli_session *session, const char *result)
{
    const cli_shared *v = session->shared;
    *a = (cli_analysis){.session = session, .result = result};
    spk_analysis_options_init(&a->options, sizeof a->options);
    a->options.select = &v->select;
    a->options.families = v->families;
    if (v->order > 0) /* else the test's own */
        a->options.order = spk_row_order_get((size_t)v->order)->name;
    a->options.report = (spk_rows_listed)v->report;
    a->options.searched = take_search;
    a->options.round = take_round;
    a->options.user = a;
}

void cli_analysis_set_exact(cli_analysis *a, const spk_exact_options *test)
{
    const cli_shared *v = a->session->shared;
    a->maxima_path = v->maxima;
    a->options.exact = test;
    a->options.alpha = v->alpha;
    a->options.peel = v->peel;
    a->options.max_rounds = v->max_rounds;
}

void cli_analysis_set_compare(cli_analysis *a, const compare_plan *plan)
{
    a->comparison = plan;
    a->options.compare = &plan->test;
}

spk_status cli_analysis_run(cli_analysis *a, const spk_recording *recording)
{
    spk_context *context = a->session->context;
    spk_status status = spk_analysis_create(context, &a->analysis);
    if (status == SPK_OK && a->maxima_path != NULL)
        status = spk_maxima_read(context, a->maxima_path, &a->maxima);
    if (status != SPK_OK)
        return status;
    a->options.maxima = a->maxima;
    cli_interrupt_keep(true); /* for the checkpoint, and the message that tells how far it came */
    status = spk_analysis_run(a->analysis, recording, &a->options);
    cli_interrupt_keep(false);
    a->found = spk_analysis_columns_of(a->analysis);
    if (a->found->families != NULL) {
        cli_families_tell(a->session, a->found->families, a->result);
        a->families = *a->found->families;
        a->families.n = a->found->n;
    }
    return status;
}

spk_status cli_analysis_search(cli_analysis *a, const spk_recording *recording)
{
    a->options.searched = NULL; /* its end is told when the files are there */
    spk_status status = spk_analysis_create(a->session->context, &a->analysis);
    if (status != SPK_OK)
        return status;
    status = spk_analysis_run(a->analysis, recording, &a->options);
    a->found = spk_analysis_columns_of(a->analysis);
    if (status == SPK_OK && cli_select_wanted(a->session) && !a->options.families)
        cli_select_tell(a->session, a->found->n, a->found->n_results, a->result);
    return status;
}

int cli_analysis_shard(cli_analysis *a, const spk_recording *recording)
{
    spk_maxima *maxima = NULL;
    if (a->made != NULL)
        cli_surrogate_warn(a->session, a->made);
    cli_interrupt_keep(true); /* for the checkpoint */
    spk_status status =
        spk_analysis_make_maxima(a->session->context, recording, &a->options, &maxima);
    cli_interrupt_keep(false);
    status = cli_shard_write(a->session, status, maxima);
    spk_maxima_free(maxima);
    return cli_report(a->session, status);
}

spk_compare_report cli_analysis_compared(const cli_analysis *a)
{
    const compare_plan *plan = a->comparison;
    spk_compare_report report = *a->found->compare;
    report.label[0] = plan->label[0];
    report.label[1] = plan->label[1];
    report.input_b = a->session->shared->other;
    report.sha256_b = plan->sha256_b;
    return report;
}

void cli_analysis_free(cli_analysis *a)
{
    spk_analysis_free(a->analysis);
    spk_maxima_free(a->maxima);
}

/* ---- what was found -------------------------------------------------------------------------- */

spk_status cli_analysis_tell(const cli_analysis *a)
{
    spk_analysis_columns found = *a->found;
    spk_compare_report compared;
    if (a->comparison != NULL) {
        compared = cli_analysis_compared(a);
        found.compare = &compared;
    }
    return spk_analysis_tell(&found, SPK_SPELLING_COMMAND, cli_note_sentence, a->session);
}

cli_rounds_text cli_analysis_rounds(const cli_analysis *a)
{
    cli_rounds_text out;
    snprintf(out.text, sizeof out.text, "%" PRIu64 " round%s here", a->found->n,
             a->found->n == 1 ? " is" : "s are");
    return out;
}

/* ---- what is listed -------------------------------------------------------------------------- */

bool cli_select_wanted(const cli_session *session)
{
    const spk_select_options *v = &session->shared->select;
    return v->min_size > 0 || v->distinct_units > 0 || v->maximal || v->closed || v->top > 0 ||
           session->shared->families;
}

void cli_select_tell(cli_session *session, uint64_t n_listed, uint64_t n, const char *result)
{
    cli_note(session, "%" PRIu64 " of %" PRIu64 " %s%s listed", n_listed, n, result,
             n == 1 ? " is" : "s are");
}

/* "2 families, 8 and 14 occurrences each, 24 units; 9108 of 10410 episodes are members". */
void cli_families_tell(cli_session *session, const spk_family_columns *f, const char *result)
{
    enum { MOST_NUMBERS = 6 };
    char numbers[256] = "";
    uint64_t n_units = 0;
    for (uint64_t k = 0; k < f->n; k++) {
        n_units += f->family[k].n_units;
        if (k < MOST_NUMBERS && f->n <= MOST_NUMBERS)
            cli_append(numbers, sizeof numbers, "%s%" PRIu64,
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
