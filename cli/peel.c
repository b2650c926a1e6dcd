/* What --peel of episodes and patterns has in common. */
#include "peel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

spk_peel_options peel_options(const exact_plan *plan, const spk_exact_options *test)
{
    spk_peel_options options;
    spk_peel_options_init(&options, sizeof options);
    options.test = test;
    options.alpha = plan->alpha;
    options.max_rounds = (uint32_t)plan->values->peel.max_rounds;
    options.core = plan->values->report == EXACT_REPORT_CORE;
    return options;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The array with room for n elements; as it was, and *good false, where memory is out. */
static void *grown(void *array, uint64_t n, size_t size, bool *good)
{
    void *larger = realloc(array, (size_t)n * size);
    if (larger != NULL)
        return larger;
    *good = false;
    return array;
}

static spk_status reserve(peel_rows *rows)
{
    const uint64_t n = rows->capacity * 2 + 16, n_scales = rows->plan->n_jitter;
    bool good = true;
    if (rows->n < rows->capacity)
        return SPK_OK;
    rows->verdict = grown(rows->verdict, n, sizeof *rows->verdict, &good);
    rows->expected = grown(rows->expected, n, sizeof *rows->expected, &good);
    rows->scale_p = grown(rows->scale_p, n * n_scales, sizeof *rows->scale_p, &good);
    rows->left_out = grown(rows->left_out, n, sizeof *rows->left_out, &good);
    rows->round = grown(rows->round, n, sizeof *rows->round, &good);
    rows->means = grown(rows->means, n, sizeof *rows->means, &good);
    rows->direction_p = grown(rows->direction_p, n, sizeof *rows->direction_p, &good);
    rows->capacity = good ? n : rows->capacity;
    return good ? SPK_OK : SPK_ERR_MEMORY;
}

spk_status peel_rows_add(peel_rows *rows, cli_session *session, const spk_peel_round *round)
{
    const bool accepted = round->episode != NULL || round->pattern != NULL;
    if (round->number == 1) {
        spk_exact_report_init(&rows->report, sizeof rows->report);
        rows->report.n_tested = round->n_tested;
        rows->report.n_significant = round->n_significant;
    }
    rows->report.n_rounds = round->number;
    cli_detail(session,
               "round %" PRIu32 ": %" PRIu64 " of %" PRIu64 " are significant, the smallest p is "
               "%.3g; %" PRIu64 " events are removed",
               round->number, round->n_significant, round->n_tested, round->least_p,
               accepted ? round->n_removed : 0);
    if (!accepted) {
        rows->ended = true;
        rows->last_p = round->least_p;
        return SPK_OK;
    }
    spk_status status = reserve(rows);
    if (status != SPK_OK)
        return status;
    const size_t n_scales = rows->plan->n_jitter;
    rows->verdict[rows->n] = round->verdict;
    rows->expected[rows->n] = round->verdict.expected;
    memcpy(rows->scale_p + rows->n * n_scales, round->scale_p, n_scales * sizeof *rows->scale_p);
    rows->left_out[rows->n] =
        round->part_p > rows->plan->alpha ? round->left_out : SPK_NOT_EXPLAINED;
    rows->means[rows->n] = round->means;
    rows->direction_p[rows->n] = round->direction_p;
    rows->round[rows->n++] = round->number;
    return SPK_OK;
}

void peel_rows_report(peel_rows *rows, const spk_exact_options *test)
{
    spk_exact_report *r = &rows->report;
    exact_plan_report(rows->plan, r);
    r->seed = test->seed;
    r->n_surrogates = rows->plan->n_surrogates;
    r->n_rows = rows->n;
    r->verdict = rows->verdict;
    r->scale_p = r->n_jitter > 1 ? rows->scale_p : NULL;
    r->left_out = rows->left_out;
    r->round = rows->round;
    r->means = rows->means;
    r->direction_p = test->episodes != NULL ? rows->direction_p : NULL;
}

void peel_rows_free(peel_rows *rows)
{
    free(rows->verdict);
    free(rows->expected);
    free(rows->scale_p);
    free(rows->left_out);
    free(rows->round);
    free(rows->means);
    free(rows->direction_p);
}

void peel_tell(cli_session *session, const peel_rows *rows, const char *results)
{
    const spk_exact_report *r = &rows->report;
    const exact_null_text null = exact_name_null(r);
    cli_note(session,
             "%" PRIu32 " round%s of %" PRIu64 " surrogates (%s, seed %" PRIu64 "): %" PRIu64
             " of %" PRIu64 " %s are significant at %g, and peeling accepts "
             "%" PRIu64,
             r->n_rounds, r->n_rounds == 1 ? "" : "s", r->n_surrogates, null.text, r->seed,
             r->n_significant, r->n_tested, results, r->alpha, rows->n);
    if (rows->ended)
        cli_note(session, "the smallest p of what is left is %.3g", rows->last_p);
    else if (rows->n > 0 && rows->plan->values->peel.max_rounds == rows->n)
        cli_note(session, "there may be more: --peel-max %" PRIu64 " ended it", rows->n);
    exact_tell_too_few(session, r);
}
