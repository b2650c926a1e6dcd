/* The rounds of peeling as rows. */
#include <math.h>

#include "analysis/analysis.h"
#include "base/memory.h"

/* The facts of round 1, which its memory does not outlive. */
static spk_status take_first(spk_analysis *a, const spk_peel_round *round)
{
    spk_results *rows = &a->rows;
    spk_status status = SPK_OK;
    a->exact_report.n_tested = round->n_tested;
    a->exact_report.n_significant = round->n_significant;
    a->columns.n_results = round->n_tested;
    if (round->episode_summary != NULL) {
        status = spk_alloc(a->context, &rows->episode_summary, 1, "a search");
        if (status == SPK_OK)
            *rows->episode_summary = *round->episode_summary;
    } else {
        status = spk_alloc(a->context, &rows->pattern_summary, 1, "a search");
        if (status == SPK_OK)
            *rows->pattern_summary = *round->pattern_summary;
    }
    a->columns.episode_summary = rows->episode_summary;
    a->columns.pattern_summary = rows->pattern_summary;
    if (status == SPK_OK && a->options.searched != NULL)
        a->options.searched(a->options.user, &a->columns);
    return status;
}

/* A spk_peel_sink; `user` is the analysis. */
static spk_status take_round(void *user, const spk_peel_round *round)
{
    spk_analysis *a = user;
    spk_peel_round row = *round;
    const bool accepted = round->episode != NULL || round->pattern != NULL;
    spk_status status = round->number == 1 ? take_first(a, round) : SPK_OK;
    a->exact_report.n_rounds = round->number;
    if (!accepted)
        a->columns.last_p = round->least_p;
    if (status == SPK_OK && a->options.round != NULL)
        status = a->options.round(a->options.user, round);
    if (status != SPK_OK || !accepted)
        return status;
    status = round->episode != NULL ? spk_episode_list_add(a->rows.episodes, round->episode)
                                    : spk_pattern_list_add(a->rows.patterns, round->pattern);
    if (row.part_p <= a->options.alpha)
        row.left_out = SPK_NOT_EXPLAINED;
    return status == SPK_OK ? spk_exact_rows_add(a, &row) : status;
}

spk_status spk_analysis_peel(spk_analysis *a)
{
    spk_peel_options options;
    spk_peel_options_init(&options, sizeof options);
    options.test = &a->test;
    options.alpha = a->options.alpha;
    options.max_rounds = a->options.max_rounds;
    options.core = a->options.report == SPK_REPORT_CORE;
    a->rows.search = a->search;
    spk_status status =
        a->search.episodes != NULL
            ? spk_episode_list_create(a->context, &a->rows.episodes)
            : spk_pattern_list_create(a->context, a->cut != NULL ? a->cut->window : 1,
                                      &a->rows.patterns);
    if (status == SPK_OK)
        status = spk_exact_peel(a->context, a->search.recording, &options, take_round, a);
    if (status == SPK_OK && a->exact_report.n_rounds != a->options.max_rounds &&
        isnan(a->columns.last_p))
        a->columns.last_p = 1; /* no event is left */
    a->columns.n_listed = a->exact_rows.n;
    const spk_status reported = spk_exact_rows_report(a, a->test.n_surrogates);
    return status == SPK_OK ? reported : status;
}
