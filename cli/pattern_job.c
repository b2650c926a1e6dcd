/* A job of `patterns`: input, limits, provenance. */
#include "pattern_job.h"

#include <inttypes.h>
#include <string.h>

#include "say.h"
#include "session.h"
#include "spikemine/describe.h"
#include "spikemine/spectrum.h"

/* ---- input -------------------------------------------------------------------------------------
 */

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
        code = compare_read(j->session, &j->compare, &j->recording);
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
    spk_exact_options exact = j->test.exact.test;
    spk_maxima_options signatures;
    spk_analysis_options_init(&job, sizeof job);
    job.cut = &j->cut;
    if (j->test.exact.wanted) {
        exact.windows = &j->cut;
        job.exact = &exact;
    } else if (j->test.wanted) {
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

/* ---- words ------------------------------------------------------------------------------------
 */

void pattern_job_tell(cli_session *session, const spk_pattern_summary *s)
{
    cli_note(session, "%" PRIu64 " pattern%s mined in %.*f s by engine %s%s%s%s", s->n_mined,
             s->n_mined == 1 ? "" : "s", s->mine_s < 10 ? 4 : 1, s->mine_s, s->engine,
             s->choice[0] != '\0' ? " (" : "", s->choice, s->choice[0] != '\0' ? ")" : "");
    if (s->n_reported != s->n_mined && s->filter_s > 0)
        cli_note(session, "%" PRIu64 " left after the moving-window step (%.2f s)", s->n_reported,
                 s->filter_s);
    else if (s->n_reported != s->n_mined)
        cli_note(session, "%" PRIu64 " left after the moving-window step", s->n_reported);
}

spk_provenance pattern_job_provenance(const pattern_job *j, const spk_pattern_summary *summary)
{
    spk_provenance p = cli_provenance(j->session, summary->mine_s);
    p.input_sha256 = j->recording == NULL ? spk_windows_sha256(j->windows) : NULL;
    p.engine = summary->engine;
    p.choice = summary->choice;
    p.support = j->v->support.value;
    p.gpus = summary->gpus;
    p.meters = cli_energy_meters(j->session, &p.n_meters);
    return p;
}
