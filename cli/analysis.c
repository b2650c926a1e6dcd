/* Analyses: the job of the library, what is told of it, and the files of what it found. */
#include "analysis.h"

#include <inttypes.h>
#include <stdlib.h>

#include "interrupt.h"
#include "say.h"
#include "spikemine/report_tests.h"

/* ---- words ----------------------------------------------------------------------------------- */

void cli_patterns_tell(cli_session *session, const spk_pattern_summary *s)
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

/* ---- the job --------------------------------------------------------------------------------- */

static bool of_patterns(const cli_analysis *a)
{
    return a->windows != NULL;
}

/* A spk_analysis_searched_fn; `user` is the analysis. */
static void take_search(void *user, const spk_analysis_columns *columns)
{
    cli_analysis *a = user;
    a->searched = true;
    if (columns->pattern_summary != NULL)
        cli_patterns_tell(a->session, columns->pattern_summary);
    if (a->options.signatures != NULL && a->session->shared->maxima == NULL)
        cli_surrogate_warn(a->session, &a->surrogates);
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
    const cli_row_limit limit = {.most = v->max_results.word ? UINT64_MAX : v->max_results.value};
    *a = (cli_analysis){
        .session = session, .result = result, .rows = limit, .occurrence_rows = limit};
    spk_analysis_options_init(&a->options, sizeof a->options);
    a->options.select = &v->select;
    a->options.families = v->families;
    if (v->order > 0) /* else the test's own */
        a->options.order = spk_row_order_get((size_t)v->order)->name;
    a->options.report = (spk_rows_listed)v->report;
    a->options.user = a;
}

void cli_analysis_free(cli_analysis *a)
{
    spk_analysis_free(a->analysis);
    spk_maxima_free(a->maxima);
    free(a->condition);
    free(a->label[0]);
    free(a->label[1]);
}

/* ---- the comparison -------------------------------------------------------------------------- */

/* With what the library does not know of it. */
static spk_compare_report compared(const cli_analysis *a)
{
    spk_compare_report report = *a->found->compare;
    report.label[0] = a->label[0];
    report.label[1] = a->label[1];
    report.input_b = a->session->shared->other;
    report.sha256_b = a->sha256_b;
    return report;
}

/* ---- what is listed -------------------------------------------------------------------------- */

/* Whether any of the options is given. */
static bool selects(const cli_session *session)
{
    const spk_select_options *v = &session->shared->select;
    return v->min_size > 0 || v->distinct_units > 0 || v->maximal || v->closed || v->top > 0 ||
           session->shared->families;
}

/* "12 of 10410 episodes are listed". */
static void tell_listed(const cli_analysis *a, uint64_t n_listed, uint64_t n)
{
    if (selects(a->session) && !a->session->shared->families)
        cli_note(a->session, "%" PRIu64 " of %" PRIu64 " %s%s listed", n_listed, n, a->result,
                 n == 1 ? " is" : "s are");
}

/* "2 families, 8 and 14 occurrences each, 24 units; 9108 of 10410 episodes are members". */
static void tell_families(const cli_analysis *a, const spk_family_columns *f)
{
    enum { MOST_NUMBERS = 6 };
    cli_session *session = a->session;
    const char *result = a->result;
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

/* The rows of the files are families from now on, the first n of them. */
static spk_status set_families(cli_analysis *a, const spk_family_columns *families, uint64_t n)
{
    spk_family_columns listed = *families;
    listed.n = n;
    cli_figure_take_families(&a->look, &listed, a->result);
    (void)cli_page_take_families(&a->page, &listed);
    return a->table != NULL ? spk_writer_set_families(a->table, &listed) : SPK_OK;
}

/* A spk_analysis_families_fn; `user` is the analysis. */
static spk_status take_families(void *user, const spk_family_columns *families, uint64_t n_rows)
{
    cli_analysis *a = user;
    tell_families(a, families);
    return set_families(a, families, n_rows);
}

/* ---- rows of the files ----------------------------------------------------------------------- */

static bool fits(cli_row_limit *limit, uint64_t n)
{
    if (n > limit->most - limit->n)
        return false;
    limit->n += n;
    return true;
}

/* Whether the files may get these rows; `size` is that of episodes of one size, 0 for others. */
static spk_status check_rows(cli_analysis *a, uint64_t n, uint64_t n_occurrences, uint64_t size)
{
    const bool table = !fits(&a->rows, n);
    const cli_row_limit *full = table ? &a->rows : &a->occurrence_rows;
    char of_size[32] = "";
    if (!table && fits(&a->occurrence_rows, n_occurrences))
        return SPK_OK;
    if (of_patterns(a)) {
        snprintf(a->limit, sizeof a->limit,
                 "more %s than --max-results %" PRIu64 " allows; raise --support, --min-spikes or "
                 "--max-results (none: no limit), or only count patterns: --spectrum 2d",
                 table ? "patterns" : "occurrences", full->most);
        return SPK_ERR_RANGE;
    }
    if (size > 0)
        snprintf(of_size, sizeof of_size, " of size %" PRIu64, size);
    snprintf(a->limit, sizeof a->limit,
             "%" PRIu64 " %s%s and the %" PRIu64 " rows before them are more than --max-results "
             "%" PRIu64 " allows; raise %s--max-results (none: no limit)",
             table ? n : n_occurrences, table ? "episodes" : "occurrences", of_size, full->n,
             full->most, size > 0 ? "--support or " : "");
    return SPK_ERR_RANGE;
}

/* What writing to a file said. A file whose reader has seen enough is dropped: the work goes on
 * while another one is wanted. */
static spk_status wrote(spk_writer **file, spk_status status)
{
    if (status == SPK_ERR_PIPE) {
        spk_writer_free(*file);
        *file = NULL;
    }
    return cli_allow_pipe(status);
}

/* Whether anybody wants more rows. */
static spk_status go_on(const cli_analysis *a, spk_status status)
{
    const bool wanted = a->table != NULL || a->occurrences != NULL || a->figure != NULL ||
                        a->episodes != NULL || a->patterns != NULL;
    return status == SPK_OK && !wanted ? SPK_ERR_PIPE : status;
}

/* What --verbose tells of a finished size; `user` is the analysis. */
static void take_level(void *user, const spk_episode_level *level)
{
    const cli_analysis *a = user;
    char eliminated[64] = "";
    if (level->eliminated > 0)
        snprintf(eliminated, sizeof eliminated, " (%" PRIu64 " dropped by the first pass)",
                 level->eliminated);
    cli_detail(a->session,
               "size %" PRIu32 ": %" PRIu64 " candidates%s, %" PRIu64 " frequent, %.2f s",
               level->size, level->candidates, eliminated, level->frequent, level->seconds);
}

spk_status cli_analysis_add_episodes(void *user, const spk_episode_columns *episodes)
{
    cli_analysis *a = user;
    const uint64_t *offset = episodes->offset;
    uint64_t n_occurrences = 0;
    for (uint64_t i = 0; i < episodes->n && a->occurrences != NULL; i++)
        if (offset[i + 1] - offset[i] >= a->occurrences_from)
            n_occurrences += episodes->count[i];
    spk_status status = check_rows(a, episodes->n, n_occurrences,
                                   episodes->level != NULL ? episodes->level->size : 0);
    cli_progress_clear(a->session);
    if (status == SPK_OK && episodes->level != NULL)
        take_level(a, episodes->level);
    if (status == SPK_OK && a->table != NULL)
        status = wrote(&a->table, spk_episode_writer_add(a->table, episodes));
    if (status == SPK_OK && a->occurrences != NULL)
        status =
            wrote(&a->occurrences, spk_episode_occurrence_writer_add(a->occurrences, episodes));
    if (status == SPK_OK && a->episodes != NULL)
        status = spk_episode_list_add(a->episodes, episodes);
    return go_on(a, status);
}

/* A spk_pattern_sink; `user` is the analysis. */
static spk_status add_patterns(void *user, const spk_pattern_columns *patterns)
{
    cli_analysis *a = user;
    uint64_t n_occurrences = 0;
    for (uint64_t i = 0; i < patterns->n && a->occurrences != NULL; i++)
        n_occurrences += patterns->count[i];
    spk_status status = check_rows(a, patterns->n, n_occurrences, 0);
    if (status == SPK_OK && a->table != NULL)
        status = wrote(&a->table, spk_pattern_writer_add(a->table, patterns));
    if (status == SPK_OK && a->occurrences != NULL)
        status =
            wrote(&a->occurrences, spk_pattern_occurrence_writer_add(a->occurrences, patterns));
    if (status == SPK_OK && a->figure != NULL)
        status = spk_pattern_figure_add(a->figure, patterns);
    if (status == SPK_OK && a->patterns != NULL)
        status = spk_pattern_list_add(a->patterns, patterns);
    return go_on(a, status);
}

/* The same for many patterns, part of them at a time, so that a reader who has seen enough ends it.
 */
static spk_status add_all_patterns(cli_analysis *a, const spk_pattern_columns *patterns)
{
    enum { BATCH = 4096 };
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < patterns->n && status == SPK_OK; i += BATCH) {
        spk_pattern_columns part = *patterns;
        part.n = patterns->n - i < BATCH ? patterns->n - i : BATCH;
        part.offset += i;
        part.count += i;
        status = add_patterns(a, &part);
    }
    return status;
}

static spk_status make_bytes(void *user, int maker, const spk_pattern_columns *patterns,
                             const char **bytes, uint64_t *n_bytes)
{
    const cli_analysis *a = user;
    return a->of_table.make(a->of_table.user, maker, patterns, bytes, n_bytes);
}

static spk_status take_bytes(void *user, const char *bytes, uint64_t n_bytes, uint64_t n_patterns)
{
    cli_analysis *a = user;
    spk_status status = check_rows(a, n_patterns, 0, 0);
    return status == SPK_OK ? a->of_table.take(a->of_table.user, bytes, n_bytes, n_patterns)
                            : status;
}

/* Where the table is all that is wanted of all patterns, *out is what threads and ranks may do in
 * place of add_patterns; else NULL. */
static spk_status open_bytes(cli_analysis *a, const spk_pattern_bytes **out)
{
    if (!of_patterns(a) || selects(a->session) || a->occurrences != NULL || a->figure != NULL ||
        a->patterns != NULL)
        return SPK_OK;
    spk_status status = spk_pattern_writer_bytes(a->table, &a->of_table);
    a->bytes = (spk_pattern_bytes){make_bytes, take_bytes, a, a->of_table.n_makers};
    *out = &a->bytes;
    return status;
}

/* ---- the files ------------------------------------------------------------------------------- */

/* What was not committed leaves nothing behind. */
static void discard(cli_analysis *a)
{
    spk_writer_free(a->table);
    spk_writer_free(a->occurrences);
    cli_page_free(&a->page);
    spk_episode_list_free(a->episodes);
    spk_pattern_list_free(a->patterns);
    spk_pattern_figure_free(a->figure);
    a->table = a->occurrences = NULL;
    a->episodes = NULL;
    a->patterns = NULL;
    a->figure = NULL;
}

static spk_status open_episodes(cli_analysis *a, spk_context *context, const cli_shared *v)
{
    spk_status status = spk_episode_writer_open(context, v->output, (spk_table_form)v->format,
                                                a->recording, &a->table);
    if (status == SPK_OK && v->occurrences != NULL)
        status = spk_episode_occurrence_writer_open(context, v->occurrences, a->recording,
                                                    a->occurrences_from, &a->occurrences);
    if (status == SPK_OK && (v->figure != NULL || v->page != NULL))
        status = spk_episode_list_create(context, &a->episodes);
    return status;
}

static spk_status open_patterns(cli_analysis *a, spk_context *context, const cli_shared *v)
{
    spk_status status = spk_pattern_writer_open(context, v->output, (spk_table_form)v->format,
                                                a->windows, a->recording, &a->table);
    if (status == SPK_OK && v->occurrences != NULL)
        status = spk_pattern_occurrence_writer_open(context, v->occurrences, a->windows,
                                                    a->recording, &a->occurrences);
    if (status == SPK_OK && v->figure != NULL)
        status = spk_pattern_figure_create(context, a->recording, a->windows, a->bin, &a->figure);
    if (status == SPK_OK && v->page != NULL)
        status =
            spk_pattern_list_create(context, spk_windows_columns(a->windows).window, &a->patterns);
    return status;
}

int cli_analysis_open(cli_analysis *a)
{
    const cli_shared *v = a->session->shared;
    spk_context *context = a->session->context;
    spk_status status =
        of_patterns(a) ? open_patterns(a, context, v) : open_episodes(a, context, v);
    if (status == SPK_OK && v->page != NULL)
        status = cli_page_make(a->session, &a->page);
    cli_interrupt_keep(status == SPK_OK);
    if (status != SPK_OK)
        discard(a);
    return cli_report(a->session, status);
}

/* ---- the end of the files -------------------------------------------------------------------- */

static const spk_episode_summary *episodes_of(const cli_analysis *a)
{
    static const spk_episode_summary none; /* 3 kB of levels */
    return a->counted != NULL                                      ? a->counted
           : a->found != NULL && a->found->episode_summary != NULL ? a->found->episode_summary
                                                                   : &none;
}

spk_provenance cli_patterns_provenance(const cli_analysis *a, const spk_pattern_summary *s)
{
    spk_provenance p = cli_provenance(a->session, s != NULL ? s->mine_s : 0);
    p.input_sha256 = a->recording == NULL ? spk_windows_sha256(a->windows) : NULL;
    p.engine = s != NULL ? s->engine : "";
    p.choice = s != NULL ? s->choice : NULL;
    p.support = a->support;
    p.gpus = s != NULL ? s->gpus : 0;
    p.meters = cli_energy_meters(a->session, &p.n_meters);
    return p;
}

/* What the files say of the job, but for GPUs. */
static spk_provenance make_provenance(const cli_analysis *a)
{
    const spk_episode_summary *s = episodes_of(a);
    if (of_patterns(a))
        return cli_patterns_provenance(a, a->found != NULL ? a->found->pattern_summary : NULL);
    spk_provenance p = cli_provenance(a->session, s->seconds);
    p.engine = s->engine;
    p.choice = s->choice;
    p.two_pass = s->two_pass ? "on" : "off";
    p.support = a->support;
    p.support_choice = a->support_choice;
    p.gpus = s->gpus;
    p.n_levels = s->n_levels;
    p.levels = s->level;
    p.meters = cli_energy_meters(a->session, &p.n_meters);
    return p;
}

static spk_status draw_figure(cli_analysis *a)
{
    spk_figure_options *o = &a->look.options;
    const cli_shared *v = a->session->shared;
    const bool of_signatures = a->options.signatures != NULL;
    cli_figure_label(&a->look, a->session, a->recording, a->rows.n,
                     !of_patterns(a)                                        ? "episode"
                     : of_signatures && v->report == SPK_REPORT_SIGNIFICANT ? "significant pattern"
                                                                            : "pattern");
    if (of_patterns(a))
        return spk_pattern_figure_draw(a->session->context, a->figure, o, v->figure);
    const spk_episode_columns columns = spk_episode_list_columns(a->episodes);
    o->as_listed = a->as_listed;
    if (a->tested != NULL) {
        o->expected = a->tested->expected;
        o->exact = a->tested->exact;
    }
    return spk_figure_episodes(a->session->context, a->recording, &columns, o, v->figure);
}

static spk_status write_page(cli_analysis *a, const spk_provenance *provenance)
{
    char number[32];
    const char *path = a->session->shared->page;
    spk_page_options *o = &a->page.options;
    spk_status status = SPK_OK;
    snprintf(number, sizeof number, "%" PRIu64, a->support);
    if (a->support_choice != NULL && a->support_choice[0] != '\0') {
        cli_page_add_setting(&a->page, "support taken", number);
        cli_page_add_setting(&a->page, "why", a->support_choice);
    }
    cli_page_add_setting(&a->page, "engine taken", provenance->engine);
    o->as_listed = a->as_listed;
    if (a->tested != NULL) {
        o->exact = a->tested->exact;
        o->signatures = a->tested->signatures;
        if (o->exact != NULL && a->tested->maxima != NULL)
            status = cli_page_take_maxima(&a->page, a->tested->maxima);
    }
    if (status == SPK_OK && of_patterns(a)) {
        const spk_pattern_columns columns = spk_pattern_list_columns(a->patterns);
        return spk_page_patterns(a->session->context, a->recording, a->windows, a->bin, &columns, o,
                                 path);
    }
    const spk_episode_columns columns = spk_episode_list_columns(a->episodes);
    return status == SPK_OK
               ? spk_page_episodes(a->session->context, a->recording, &columns, o, path)
               : status;
}

/* Names the table and the occurrences. Of an incomplete result each on its own: one that cannot be
 * ended does not take the other one with it. */
static spk_status commit(cli_analysis *a, const spk_provenance *provenance)
{
    spk_status status = cli_allow_pipe(spk_writer_commit(a->table, provenance));
    a->table = NULL;
    if (status == SPK_OK || provenance->incomplete != NULL) {
        spk_status second = cli_allow_pipe(spk_writer_commit(a->occurrences, provenance));
        status = status == SPK_OK ? second : status;
        a->occurrences = NULL;
    }
    return status;
}

/* The rest of a job that went well so far. */
static spk_status finish(cli_analysis *a, const spk_provenance *provenance)
{
    const cli_shared *v = a->session->shared;
    spk_status status = commit(a, provenance);
    cli_interrupt_keep(false);
    if (status == SPK_OK && v->figure != NULL)
        status = draw_figure(a);
    return status == SPK_OK && v->page != NULL ? write_page(a, provenance) : status;
}

/* Keeps what is complete as `provenance` tells it, and notes what is not made. That a file cannot
 * even be ended is told by the failure that ended the job. */
static void keep(cli_analysis *a, const spk_provenance *provenance)
{
    cli_session *session = a->session;
    const cli_shared *v = session->shared;
    const bool quiet = session->quiet;
    session->quiet = false; /* the names of the files belong to the error */
    (void)commit(a, provenance);
    if (v->figure != NULL)
        cli_note(session, "%s is not drawn: the result is not complete", v->figure);
    if (v->page != NULL)
        cli_note(session, "%s is not written: the result is not complete", v->page);
    session->quiet = quiet;
}

enum { REASON_BYTES = 1024 };

/* What is complete of a job that ended early for `reason`. False: nothing worth keeping. Rounds of
 * peeling are told, sizes of episodes, or that patterns are exact, each by itself. */
static bool tell_complete(const cli_analysis *a, spk_status status, int code, const char *reason,
                          char *text, size_t size)
{
    const uint32_t n_levels = episodes_of(a)->n_levels;
    const uint64_t n = a->tested != NULL ? a->tested->n : 0;
    if (of_patterns(a)) {
        snprintf(text, size, "%s; what is here is exact, but there is more", reason);
        return code != CLI_DONE && a->rows.n > 0;
    }
    if (a->tested != NULL && a->options.peel)
        snprintf(text, size, "%s; %" PRIu64 " round%s here", reason, n, n == 1 ? " is" : "s are");
    else if (n_levels > 0)
        snprintf(text, size, "%s; all frequent episodes up to size %" PRIu32 " are here", reason,
                 n_levels);
    else
        snprintf(text, size, "%s before anything was complete", reason);
    return status == SPK_ERR_CANCELLED || n_levels > 0;
}

int cli_analysis_close(cli_analysis *a, spk_status status)
{
    cli_session *session = a->session;
    char reason[REASON_BYTES], incomplete[REASON_BYTES + 176];
    spk_provenance provenance = make_provenance(a);
    spk_gpu_info gpu = {.name = ""};
    const bool full = a->limit[0] != '\0';
    int code = CLI_DONE;
    if (status != SPK_OK) { /* before the context gets another message */
        snprintf(reason, sizeof reason, "%s",
                 full ? a->limit : spk_context_message(session->context));
        code = full ? cli_fail(session, "%s", reason) : cli_report(session, status);
    }
    if (!of_patterns(a) && provenance.gpus > 0 &&
        spk_gpu_describe(session->context, 0, &gpu) != SPK_OK)
        gpu.name[0] = '\0'; /* the result is there all the same */
    provenance.gpu = gpu.name;
    if (status == SPK_OK) {
        code = cli_report(session, finish(a, &provenance));
    } else if (tell_complete(a, status, code, reason, incomplete, sizeof incomplete)) {
        provenance.incomplete = incomplete;
        keep(a, &provenance);
    }
    cli_interrupt_keep(false);
    discard(a);
    return code;
}

/* ---- a search -------------------------------------------------------------------------------- */

/* Its rows go to the files as they are found. */
static spk_status search(cli_analysis *a)
{
    spk_analysis_options options = a->options;
    spk_pattern_options patterns;
    spk_status status = SPK_OK;
    options.windows = a->windows;
    if (of_patterns(a)) {
        patterns = *options.patterns;
        options.patterns = &patterns;
        options.pattern_rows = add_patterns;
        status = open_bytes(a, &patterns.bytes);
    } else {
        options.episode_rows = cli_analysis_add_episodes;
        options.level = take_level;
    }
    options.grouped = take_families;
    if (status == SPK_OK)
        status = spk_analysis_create(a->session->context, &a->analysis);
    if (status != SPK_OK)
        return status;
    status = spk_analysis_run(a->analysis, a->recording, &options);
    a->found = spk_analysis_columns_of(a->analysis);
    if (status == SPK_OK)
        tell_listed(a, a->found->n, a->found->n_results);
    return status;
}

/* Files that were interrupted are closed with what is there. */
static int run_search(cli_analysis *a)
{
    const cli_shared *v = a->session->shared;
    int code = cli_analysis_open(a);
    if (code != CLI_DONE)
        return code;
    if (!of_patterns(a) && v->families && v->panels == NULL)
        a->look.options.panels = 3; /* a and b: the best members are no pairs, who follow whom */
    const spk_status status = search(a);
    code = cli_analysis_close(a, status);
    if (status == SPK_OK && of_patterns(a))
        cli_patterns_tell(a->session, a->found->pattern_summary);
    return code;
}

/* ---- a test ---------------------------------------------------------------------------------- */

/* The surrogates of a shard, written to --output. */
static int make_shard(cli_analysis *a)
{
    spk_maxima *maxima = NULL;
    if (a->options.signatures != NULL)
        cli_surrogate_warn(a->session, &a->surrogates);
    cli_interrupt_keep(true); /* for the checkpoint */
    spk_status status =
        spk_analysis_make_maxima(a->session->context, a->recording, &a->options, &maxima);
    cli_interrupt_keep(false);
    status = cli_shard_write(a->session, status, maxima);
    spk_maxima_free(maxima);
    return cli_report(a->session, status);
}

static spk_status run(cli_analysis *a)
{
    spk_context *context = a->session->context;
    const char *path = a->session->shared->maxima;
    a->options.windows = a->windows;
    a->options.searched = take_search;
    a->options.round = take_round;
    spk_status status = spk_analysis_create(context, &a->analysis);
    if (status == SPK_OK && path != NULL)
        status = spk_maxima_read(context, path, &a->maxima);
    if (status != SPK_OK)
        return status;
    a->options.maxima = a->maxima;
    cli_interrupt_keep(true); /* for the checkpoint, and the message that tells how far it came */
    status = spk_analysis_run(a->analysis, a->recording, &a->options);
    cli_interrupt_keep(false);
    a->found = a->tested = spk_analysis_columns_of(a->analysis);
    if (a->found->families != NULL)
        tell_families(a, a->found->families);
    return status;
}

/* What the test found, and each given episode in a sentence. */
static spk_status tell(const cli_analysis *a)
{
    enum { MOST_ROWS = 10 };
    spk_analysis_columns found = *a->found;
    spk_compare_report report;
    if (a->options.compare != NULL) {
        report = compared(a);
        found.compare = &report;
    }
    if (found.signatures != NULL)
        tell_listed(a, found.n, found.n_listed);
    spk_status status =
        spk_analysis_tell(&found, SPK_SPELLING_COMMAND, cli_note_sentence, a->session);
    const bool given = a->options.exact != NULL && a->exact.given != NULL;
    for (uint64_t k = 0; given && k < found.n && k < MOST_ROWS && status == SPK_OK; k++)
        status = spk_analysis_tell_row(a->found, a->recording, k, cli_note_sentence, a->session);
    return status;
}

static spk_status write_pvalues(const cli_analysis *a)
{
    spk_writer *writer = NULL;
    const spk_provenance provenance = make_provenance(a);
    if (a->pvalues == NULL || a->found->signatures == NULL)
        return SPK_OK;
    spk_status status = spk_pvalue_writer_open(a->session->context, a->pvalues,
                                               (spk_table_form)a->session->shared->format,
                                               a->recording, a->found->signatures, &writer);
    if (status == SPK_OK)
        status = spk_pvalue_writer_add(writer);
    if (status == SPK_OK)
        return cli_allow_pipe(spk_writer_commit(writer, &provenance));
    spk_writer_free(writer);
    return cli_allow_pipe(status);
}

/* Columns and rows of all files. */
static spk_status add_rows(cli_analysis *a)
{
    const spk_analysis_columns *c = a->found;
    spk_status status = SPK_OK;
    if (c->exact != NULL)
        status = spk_writer_set_exact(a->table, c->exact);
    if (status == SPK_OK && c->exact != NULL && a->figure != NULL)
        status = spk_pattern_figure_set_exact(a->figure, c->exact);
    if (status == SPK_OK && c->signatures != NULL)
        status = spk_writer_set_signatures(a->table, c->signatures);
    if (status == SPK_OK && c->signatures != NULL && a->figure != NULL)
        status = spk_pattern_figure_set_test(a->figure, c->signatures);
    if (status == SPK_OK && c->compare != NULL) {
        const spk_compare_report report = compared(a);
        status = spk_writer_set_compare(a->table, &report);
    }
    if (status == SPK_OK && c->families != NULL)
        status = set_families(a, c->families, c->n);
    if (status != SPK_OK)
        return status;
    return of_patterns(a) ? add_all_patterns(a, &c->patterns)
                          : cli_analysis_add_episodes(a, &c->episodes);
}

/* A search that did not fit has remedies of its own. */
static int report_failure(const cli_analysis *a, spk_status status)
{
    if (!of_patterns(a) || status != SPK_ERR_MEMORY || a->searched || a->options.peel)
        return cli_report(a->session, status);
    return cli_fail(a->session,
                    "the patterns do not fit into the memory limit of %.1f MB, and a test needs "
                    "all of them; raise --support or --min-spikes (--support auto chooses), or "
                    "--max-memory",
                    (double)spk_context_memory_limit(a->session->context) / 1e6);
}

/* After a failure of peeling the rows are those of the rounds that were complete. */
static int run_test(cli_analysis *a)
{
    spk_status status = run(a);
    if (a->found == NULL || (status != SPK_OK && a->found->n == 0))
        return report_failure(a, status);
    if (status == SPK_OK)
        status = tell(a);
    const spk_status written = write_pvalues(a);
    if (written != SPK_OK)
        return cli_report(a->session, written);
    if (status == SPK_ERR_CANCELLED) /* a second signal ends the program */
        spk_context_cancel_clear(a->session->context);
    const int code = cli_analysis_open(a);
    if (code != CLI_DONE)
        return code;
    const spk_status added = add_rows(a);
    return cli_analysis_close(a, status == SPK_OK ? added : status);
}

int cli_analysis_run(cli_analysis *a)
{
    const spk_analysis_options *o = &a->options;
    if (o->exact != NULL)
        cli_jitter_check(a->session, a->recording, a->jitter[a->exact.n_jitter - 1]);
    if (o->exact != NULL && a->session->shared->n_calibrations > 0)
        return cli_calibration_run(a);
    if (a->session->shared->shard != NULL)
        return make_shard(a);
    return o->exact != NULL || o->compare != NULL || o->signatures != NULL ? run_test(a)
                                                                           : run_search(a);
}
