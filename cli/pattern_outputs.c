/* The files that `patterns` writes. */
#include <inttypes.h>
#include <string.h>

#include "interrupt.h"
#include "pattern_job.h"

/* A file whose reader has seen enough is dropped; the work goes on while another one is wanted. */
static spk_status drop_unread(pattern_outputs *out, spk_status table, spk_status occurrences)
{
    if (table == SPK_ERR_PIPE) {
        spk_writer_free(out->table);
        out->table = NULL;
    }
    if (occurrences == SPK_ERR_PIPE) {
        spk_writer_free(out->occurrences);
        out->occurrences = NULL;
    }
    bool any =
        out->table != NULL || out->occurrences != NULL || out->figure != NULL || out->shown != NULL;
    return any ? SPK_OK : SPK_ERR_PIPE;
}

/* Whether the files may get these patterns. */
static spk_status check_rows(pattern_outputs *out, uint64_t n_patterns, uint64_t n_occurrences)
{
    const cli_row_limit *full = NULL;
    if (!cli_row_limit_add(&out->pattern_rows, n_patterns))
        full = &out->pattern_rows;
    else if (!cli_row_limit_add(&out->occurrence_rows, n_occurrences))
        full = &out->occurrence_rows;
    if (full == NULL)
        return SPK_OK;
    snprintf(out->limit, sizeof out->limit,
             "more %s than --max-results %" PRIu64 " allows; raise --support, --min-spikes or "
             "--max-results (none: no limit), or only count patterns: --spectrum 2d",
             full == &out->pattern_rows ? "patterns" : "occurrences", full->most);
    return SPK_ERR_RANGE;
}

spk_status pattern_outputs_add(void *user, const spk_pattern_columns *patterns)
{
    pattern_outputs *out = user;
    uint64_t n_occurrences = 0;
    for (uint64_t i = 0; i < patterns->n && out->occurrences != NULL; i++)
        n_occurrences += patterns->count[i];
    spk_status table = check_rows(out, patterns->n, n_occurrences);
    spk_status occurrences = SPK_OK;
    if (table != SPK_OK)
        return table;
    if (out->table != NULL)
        table = spk_pattern_writer_add(out->table, patterns);
    if (cli_allow_pipe(table) != SPK_OK)
        return table;
    if (out->occurrences != NULL)
        occurrences = spk_pattern_occurrence_writer_add(out->occurrences, patterns);
    if (cli_allow_pipe(occurrences) != SPK_OK)
        return occurrences;
    spk_status status = drop_unread(out, table, occurrences);
    if (status == SPK_OK && out->figure != NULL)
        status = spk_pattern_figure_add(out->figure, patterns);
    return status == SPK_OK && out->shown != NULL ? spk_pattern_list_add(out->shown, patterns)
                                                  : status;
}

spk_status pattern_outputs_add_all(pattern_outputs *out, const spk_pattern_columns *patterns)
{
    enum { BATCH = 4096 };
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < patterns->n && status == SPK_OK; i += BATCH) {
        spk_pattern_columns part = *patterns;
        part.n = patterns->n - i < BATCH ? patterns->n - i : BATCH;
        part.offset += i;
        part.count += i;
        status = pattern_outputs_add(out, &part);
    }
    return status;
}

static spk_status make_rows(void *user, int maker, const spk_pattern_columns *patterns,
                            const char **bytes, uint64_t *n_bytes)
{
    const pattern_outputs *out = user;
    return out->rows.make(out->rows.user, maker, patterns, bytes, n_bytes);
}

static spk_status take_rows(void *user, const char *bytes, uint64_t n_bytes, uint64_t n_patterns)
{
    pattern_outputs *out = user;
    spk_status status = check_rows(out, n_patterns, 0);
    return status == SPK_OK ? out->rows.take(out->rows.user, bytes, n_bytes, n_patterns) : status;
}

spk_status pattern_outputs_bytes(pattern_outputs *outputs, const spk_pattern_bytes **out)
{
    *out = NULL;
    if (outputs->table == NULL || outputs->occurrences != NULL || outputs->figure != NULL ||
        outputs->shown != NULL)
        return SPK_OK;
    spk_status status = spk_pattern_writer_bytes(outputs->table, &outputs->rows);
    outputs->bytes = (spk_pattern_bytes){make_rows, take_rows, outputs, outputs->rows.n_makers};
    *out = &outputs->bytes;
    return status;
}

spk_status pattern_outputs_set_families(void *user, const spk_family_columns *families)
{
    pattern_outputs *out = user;
    cli_figure_take_families(out->look, families, "pattern");
    (void)cli_page_take_families(&out->page, families);
    return out->table != NULL ? spk_writer_set_families(out->table, families) : SPK_OK;
}

spk_status pattern_outputs_take_families(void *user, const spk_family_columns *families,
                                         uint64_t n_rows)
{
    pattern_outputs *out = user;
    spk_family_columns listed = *families;
    listed.n = n_rows;
    cli_families_tell(out->session, families, "pattern");
    return pattern_outputs_set_families(out, &listed);
}

spk_status pattern_outputs_open(pattern_job *j, const spk_significance *test, pattern_outputs *out)
{
    spk_context *context = j->session->context;
    const cli_shared *v = j->session->shared;
    spk_status status = SPK_OK;
    *out = (pattern_outputs){
        .session = j->session, .look = &j->look, .pattern_rows = cli_row_limit_of(j->session)};
    out->occurrence_rows = out->pattern_rows;
    if (v->figure != NULL)
        status =
            spk_pattern_figure_create(context, j->recording, j->windows, j->v->bin, &out->figure);
    if (status == SPK_OK && out->figure != NULL && test != NULL)
        status = spk_pattern_figure_set_test(out->figure, test);
    if (status == SPK_OK && v->page != NULL)
        status = spk_pattern_list_create(context, j->v->window, &out->shown);
    if (status == SPK_OK && v->page != NULL)
        status = cli_page_make(j->session, &out->page);
    out->page.options.signatures = test;
    if (status == SPK_OK)
        status = spk_pattern_writer_open(context, v->output, (spk_table_form)v->format, j->windows,
                                         j->recording, &out->table);
    if (status == SPK_OK && test != NULL)
        status = spk_writer_set_signatures(out->table, test);
    if (status == SPK_OK && v->occurrences != NULL)
        status = spk_pattern_occurrence_writer_open(context, v->occurrences, j->windows,
                                                    j->recording, &out->occurrences);
    return status;
}

spk_status pattern_outputs_set_exact(pattern_outputs *out, const spk_exact_report *report)
{
    spk_status status = spk_writer_set_exact(out->table, report);
    if (status == SPK_OK && out->figure != NULL)
        status = spk_pattern_figure_set_exact(out->figure, report);
    out->page.options.exact = report;
    return status;
}

/* Each file on its own where the result is incomplete: then the one that failed may be the reason.
 */
static spk_status commit_outputs(const pattern_job *j, pattern_outputs *out,
                                 const spk_pattern_summary *summary, const char *incomplete)
{
    spk_provenance provenance = pattern_job_provenance(j, summary);
    provenance.incomplete = incomplete;
    spk_status status = cli_allow_pipe(spk_writer_commit(out->table, &provenance));
    out->table = NULL;
    if (status == SPK_OK || incomplete != NULL) {
        spk_status second = cli_allow_pipe(spk_writer_commit(out->occurrences, &provenance));
        status = status == SPK_OK ? second : status;
        out->occurrences = NULL;
    }
    return status;
}

static spk_status draw_figure(pattern_job *j, const pattern_outputs *out)
{
    const cli_shared *v = j->session->shared;
    cli_figure_label(&j->look, j->session, j->recording, out->pattern_rows.n,
                     j->test.wanted && v->report == SPK_REPORT_SIGNIFICANT ? "significant pattern"
                                                                           : "pattern");
    return spk_pattern_figure_draw(j->session->context, out->figure, &j->look.options, v->figure);
}

static spk_status write_page(const pattern_job *j, pattern_outputs *out,
                             const spk_pattern_summary *summary)
{
    const cli_shared *v = j->session->shared;
    const spk_pattern_columns columns = spk_pattern_list_columns(out->shown);
    cli_page_add_setting(&out->page, "engine taken", summary->engine);
    out->page.options.as_listed = v->select.top > 0;
    return spk_page_patterns(j->session->context, j->recording, j->windows, j->v->bin, &columns,
                             &out->page.options, v->page);
}

int pattern_outputs_commit(pattern_job *j, pattern_outputs *out, const spk_pattern_summary *summary)
{
    spk_status status = commit_outputs(j, out, summary, NULL);
    cli_interrupt_keep(false);
    if (status == SPK_OK && out->figure != NULL)
        status = draw_figure(j, out);
    if (status == SPK_OK && out->shown != NULL)
        status = write_page(j, out, summary);
    return cli_report(j->session, status);
}

int pattern_outputs_keep(const pattern_job *j, pattern_outputs *out,
                         const spk_pattern_summary *summary, spk_status status)
{
    char incomplete[1200];
    char reason[1024];
    bool full = out->limit[0] != '\0';
    snprintf(reason, sizeof reason, "%s",
             full ? out->limit : spk_context_message(j->session->context));
    int code = full ? cli_fail(j->session, "%s", reason) : cli_report(j->session, status);
    if (code == CLI_DONE || out->pattern_rows.n == 0)
        return code;
    snprintf(incomplete, sizeof incomplete, "%s; what is here is exact, but there is more", reason);
    bool quiet = j->session->quiet;
    j->session->quiet = false; /* the names of the files belong to the error */
    status = commit_outputs(j, out, summary, incomplete);
    if (out->figure != NULL)
        cli_note(j->session, "%s is not drawn: the result is not complete",
                 j->session->shared->figure);
    if (out->shown != NULL)
        cli_note(j->session, "%s is not written: the result is not complete",
                 j->session->shared->page);
    j->session->quiet = quiet;
    (void)status; /* that a file cannot even be ended is told by the failure that ended the job */
    return code;
}

void pattern_outputs_discard(pattern_outputs *out)
{
    spk_writer_free(out->table);
    spk_writer_free(out->occurrences);
    spk_pattern_figure_free(out->figure);
    spk_pattern_list_free(out->shown);
    cli_page_free(&out->page);
}
