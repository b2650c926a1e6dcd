/* A job of `patterns`: input, limits, the options of its test. */
#include "pattern_job.h"

#include <inttypes.h>
#include <string.h>

#include "numbers.h"
#include "say.h"
#include "session.h"
#include "spikemine/describe.h"
#include "spikemine/spectrum.h"

/* ---- input -------------------------------------------------------------------------------------
 */

/* Without --window there is no lag but 0, which is told with a window of some 100 ms. */
static void tell_synchrony(const pattern_job *j)
{
    if (j->v->window > 1 ||
        cli_given_value(j->session->command, j->session->given, "window") != NULL)
        return;
    const uint64_t us = spk_duration_ticks(j->v->bin, (spk_rate){1000000, 1});
    const uint64_t window = us < 5000 ? 20 : us > 20000 ? 5 : (100000 + us - 1) / us;
    cli_note(j->session,
             "without --window all spikes of a pattern lie in one bin, which is synchrony: "
             "--window %" PRIu64 " finds patterns with lags of up to %" PRIu64 " bins, too",
             window, window - 1);
}

static int check_bins(pattern_job *j)
{
    spk_time_grid grid;
    char text[400];
    const spk_duration none = {0, 0, 0};
    spk_status status = spk_recording_check_span(j->session->context, j->recording, none, j->v->bin,
                                                 j->v->window, text, sizeof text);
    if (status != SPK_OK)
        return cli_report(j->session, status);
    if (text[0] != '\0')
        cli_note(j->session, "--bin and --window: %s", text);
    tell_synchrony(j);
    spk_recording_find_grid(j->recording, &grid);
    if (spk_time_grid_check_bins(&grid, j->recording, j->v->bin, text, sizeof text) == 0)
        return CLI_DONE;
    if (grid.rounded)
        return cli_fail(j->session, "%s", text);
    cli_note(j->session, "%s", text);
    return CLI_DONE;
}

static int cut_recording(pattern_job *j)
{
    spk_status status = spk_windows_create(j->session->context, j->recording, &j->cut, &j->windows);
    if (status == SPK_OK && spk_windows_columns(j->windows).n_windows == 0)
        cli_note(j->session, "no spike lies in the %s: there is nothing to mine",
                 j->session->shared->trials != NULL ? "trials" : "recording");
    else if (status == SPK_OK)
        return check_bins(j);
    return cli_report(j->session, status);
}

int pattern_job_read(pattern_job *j)
{
    const pattern_values *v = j->v;
    spk_window_options_init(&j->cut, sizeof j->cut);
    j->cut.bin = v->bin;
    j->cut.window = v->window;
    if (cli_reads_transactions(j->session)) {
        spk_context_set_max_expansion(j->session->context, j->session->shared->max_expansion);
        return cli_report(j->session, spk_windows_read_transactions(
                                          j->session->context, j->session->arguments[0],
                                          (uint32_t)v->n_units, v->window, &j->windows));
    }
    int code = cli_recording_read(j->session, j->session->arguments[0], &j->recording);
    if (code == CLI_DONE)
        code = cli_compare_read(&j->analysis, &j->recording);
    return code == CLI_DONE ? cut_recording(j) : code;
}

/* ---- limits ------------------------------------------------------------------------------------
 */

static spk_status estimate_published(pattern_job *j)
{
    spk_pattern_recipe_options recipe = j->v->recipe;
    recipe.struct_size = sizeof recipe;
    return spk_pattern_estimate_published(j->session->context, j->windows, &recipe, &j->supports);
}

static spk_status estimate_from_surrogates(pattern_job *j)
{
    spk_analysis_options job;
    spk_chosen_support chosen;
    spk_exact_options exact = j->analysis.exact;
    spk_maxima_options signatures;
    spk_analysis_options_init(&job, sizeof job);
    job.cut = &j->cut;
    if (j->analysis.options.exact != NULL) {
        exact.windows = &j->cut;
        job.exact = &exact;
    } else if (j->analysis.options.signatures != NULL) {
        spk_maxima_options_init(&signatures, sizeof signatures);
        signatures.windows = &j->cut;
        job.signatures = &signatures;
    }
    const spk_status status =
        spk_analysis_choose_support(j->session->context, j->recording, &job,
                                    j->session->shared->seed, j->v->support_time.value, &chosen);
    j->supports = chosen.supports;
    return status;
}

static int estimate(pattern_job *j)
{
    const bool published = j->v->auto_by == AUTO_BY_PUBLISHED || j->v->test.published;
    spk_status status = published ? estimate_published(j) : estimate_from_surrogates(j);
    if (status != SPK_OK)
        return cli_report(j->session, status);
    j->options.supports = &j->supports;
    char text[1024] = "";
    for (uint32_t k = 2; k <= j->supports.n && strlen(text) + 48 < sizeof text; k++)
        cli_append(text, sizeof text, "%s%" PRIu64 " for %u%s", k > 2 ? ", " : "",
                   j->supports.at_size[k], k, k == j->supports.n ? " and more" : "");
    cli_note(j->session, "smallest number of occurrences by number of spikes: %s", text);
    return CLI_DONE;
}

int pattern_job_set_limits(pattern_job *j)
{
    const pattern_values *v = j->v;
    j->options = v->search;
    j->options.struct_size = sizeof j->options;
    j->options.engine = j->session->shared->engine;
    j->options.gpus = cli_gpus(j->session->shared->gpus);
    j->options.moving_window_filter = v->moving_window_filter == 0;
    j->options.support = v->support.value;
    return v->support.word ? estimate(j) : CLI_DONE;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static int parse_reduction(const cli_session *session, const char *text, spk_reduce_options *out)
{
    uint32_t part[3] = {0, 0, 0};
    spk_reduce_options_init(out, sizeof *out);
    if (text != NULL && !cli_whole_list_parse(text, ',', 3, 1000000, part))
        return cli_usage_error(session->command,
                               "--reduce %s: must be three whole numbers H,K,L with commas "
                               "between, such as 2,2,0",
                               text);
    out->h = (int32_t)part[0];
    out->k = (int32_t)part[1];
    out->l = (int32_t)part[2];
    return CLI_DONE;
}

static int parse_stability(const cli_session *session, const char *text, spk_stability_options *out)
{
    double value[2];
    spk_stability_options_init(out, sizeof *out);
    out->seed = session->shared->seed;
    if (text == NULL)
        return CLI_DONE;
    if (cli_list_parse(text, ',', 2, 1, value) && value[0] > 0 && value[1] > 0) {
        out->epsilon = value[0];
        out->delta = value[1];
        return CLI_DONE;
    }
    return cli_usage_error(session->command,
                           "--stability %s: must be two numbers E,D above 0 and at most 1 with a "
                           "comma between, such as 0.05,0.05",
                           text);
}

spk_duration pattern_job_dither(const pattern_job *j)
{
    const pattern_test_values *t = &j->v->test;
    const bool given = cli_given_value(j->session->command, j->session->given, "dither") != NULL;
    return given || t->published ? t->surrogates.made.dither
                                 : spk_surrogates_usual_dither(j->v->bin);
}

static int take_signatures(pattern_job *j)
{
    cli_analysis *a = &j->analysis;
    const pattern_test_values *t = &j->v->test;
    const cli_shared *s = j->session->shared;
    a->surrogates = cli_surrogate_options(j->session, &t->surrogates);
    if (t->surrogates.made.method == NULL && t->published)
        a->surrogates.method = "dither-spikes";
    a->surrogates.dither = pattern_job_dither(j);
    a->surrogates.bin = j->v->bin;
    spk_maxima_options_init(&a->signatures, sizeof a->signatures);
    a->signatures.windows = &j->cut;
    a->signatures.patterns = &j->options;
    a->signatures.surrogates = &a->surrogates;
    a->signatures.n_surrogates = s->n_surrogates;
    a->signatures.by_duration = j->v->spectrum == SPECTRUM_3D;
    a->signatures.checkpoint = s->checkpoint;
    spk_signature_options_init(&a->rule, sizeof a->rule);
    a->rule.published = t->published;
    a->rule.alpha = s->alpha;
    a->rule.correction = t->correction;
    a->options.signatures = &a->signatures;
    a->options.rule = &a->rule;
    a->options.reduce = t->reduce != NULL ? &a->reduce : NULL;
    a->options.stability = t->stability != NULL ? &a->stability : NULL;
    int code = parse_reduction(j->session, t->reduce, &a->reduce);
    if (code == CLI_DONE)
        code = parse_stability(j->session, t->stability, &a->stability);
    return code == CLI_DONE ? cli_shard_parse(j->session, s->shard, &a->signatures.shard,
                                              &a->signatures.n_shards)
                            : code;
}

int pattern_test_take(pattern_job *j)
{
    cli_analysis *a = &j->analysis;
    const cli_shared *s = j->session->shared;
    a->pvalues = j->v->test.pvalues;
    cli_shard_tell(j->session, a->pvalues != NULL);
    if (s->test == CLI_TEST_EXACT) {
        const int code = cli_exact_take(a);
        a->exact.windows = &j->cut;
        a->exact.patterns = &j->options;
        return code;
    }
    if (s->n_surrogates > 0 || s->maxima != NULL)
        return take_signatures(j);
    a->options.patterns = &j->options;
    return CLI_DONE;
}
