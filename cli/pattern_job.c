/* A job of `patterns`: input, limits, provenance. */
#include "pattern_job.h"

#include <inttypes.h>

#include "energy.h"
#include "spikemine/describe.h"
#include "spikemine/spectrum.h"

/* ---- input -------------------------------------------------------------------------------------
 */

static int check_bins(pattern_job *j)
{
    spk_time_grid grid;
    char text[400];
    spk_recording_find_grid(j->recording, &grid);
    if (spk_time_grid_check_bins(&grid, j->recording, j->v->bin.value, text, sizeof text) == 0)
        return CLI_DONE;
    if (grid.rounded)
        return cli_fail(j->session, "%s", text);
    cli_note(j->session, "%s", text);
    return CLI_DONE;
}

spk_window_options pattern_job_windows(const pattern_job *j)
{
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = j->v->bin.value;
    options.window = (uint32_t)j->v->window;
    return options;
}

static int cut_recording(pattern_job *j)
{
    spk_context *context = j->session->context;
    spk_window_options options = pattern_job_windows(j);
    spk_status status = spk_windows_create(context, j->recording, &options, &j->windows);
    if (status == SPK_OK && spk_windows_columns(j->windows).n_windows == 0)
        cli_note(j->session, "no spike lies in the %s: there is nothing to mine",
                 j->v->recording.trials != NULL ? "trials" : "recording");
    else if (status == SPK_OK)
        return check_bins(j);
    return cli_report(j->session, status);
}

int pattern_job_read(pattern_job *j, const char *path)
{
    const pattern_values *v = j->v;
    if (cli_reads_transactions(&v->recording)) {
        spk_context_set_max_expansion(j->session->context, v->recording.max_expansion);
        return cli_report(j->session, spk_windows_read_transactions(
                                          j->session->context, path, (uint32_t)v->n_units,
                                          (uint32_t)v->window, &j->windows));
    }
    int code = cli_recording_read(j->session, &v->recording, path, &j->recording);
    if (code == CLI_DONE)
        code = compare_read(j->session, &j->compare, &v->recording, &j->recording);
    return code == CLI_DONE ? cut_recording(j) : code;
}

/* ---- limits ------------------------------------------------------------------------------------
 */

static spk_status estimate_published(pattern_job *j)
{
    const pattern_values *v = j->v;
    spk_pattern_recipe_options recipe;
    spk_pattern_recipe_options_init(&recipe, sizeof recipe);
    recipe.rate_percentile = v->auto_rate_percentile;
    recipe.alpha = v->auto_alpha;
    recipe.floor_support = v->auto_floor;
    recipe.n_bins = v->auto_bins;
    return spk_pattern_estimate_published(j->session->context, j->windows, &recipe, &j->supports);
}

static spk_status estimate_from_surrogates(pattern_job *j)
{
    const spk_window_options windows = pattern_job_windows(j);
    spk_analysis_options job;
    spk_chosen_support chosen;
    spk_exact_options exact;
    spk_maxima_options signatures;
    spk_analysis_options_init(&job, sizeof job);
    job.cut = &windows;
    if (j->test.exact.wanted) {
        exact = exact_plan_options(&j->test.exact);
        exact.windows = &windows;
        job.exact = &exact;
    } else if (j->test.wanted) {
        spk_maxima_options_init(&signatures, sizeof signatures);
        signatures.windows = &windows;
        job.signatures = &signatures;
    }
    const spk_status status =
        spk_analysis_choose_support(j->session->context, j->recording, &job, j->v->test.seed,
                                    j->v->support_time.value, &chosen);
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
    size_t n = 0;
    for (uint32_t k = 2; k <= j->supports.n && n + 48 < sizeof text; k++)
        n +=
            (size_t)snprintf(text + n, sizeof text - n, "%s%" PRIu64 " for %u%s", k > 2 ? ", " : "",
                             j->supports.at_size[k], k, k == j->supports.n ? " and more" : "");
    cli_note(j->session, "smallest number of occurrences by number of spikes: %s", text);
    return CLI_DONE;
}

int pattern_job_set_limits(pattern_job *j)
{
    const pattern_values *v = j->v;
    spk_pattern_options_init(&j->options, sizeof j->options);
    j->options.min_spikes = (uint32_t)v->min_spikes;
    j->options.max_spikes = (uint32_t)v->max_spikes;
    j->options.max_count = v->max_occurrences;
    j->options.min_neurons = (uint32_t)v->min_neurons;
    j->options.engine = v->engine;
    j->options.gpus = v->gpus.word ? SPK_GPUS_ALL : (int)v->gpus.value;
    j->options.moving_window_filter = v->moving_window_filter == 0;
    j->options.unordered = v->unordered;
    j->options.support = j->support;
    return j->automatic ? estimate(j) : CLI_DONE;
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
    size_t n_meters = 0;
    const spk_energy_meter *meters = cli_energy_meters(j->session, &n_meters);
    return (spk_provenance){.command = cli_command_line(j->session),
                            .input = j->input,
                            .input_sha256 =
                                j->recording == NULL ? spk_windows_sha256(j->windows) : NULL,
                            .engine = summary->engine,
                            .choice = summary->choice,
                            .support = j->support,
                            .threads = spk_context_threads(j->session->context),
                            .gpus = summary->gpus,
                            .seconds = summary->mine_s,
                            .n_meters = n_meters,
                            .meters = meters};
}
