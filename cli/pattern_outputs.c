/* The files that `patterns` writes. */
#include <inttypes.h>

#include "interrupt.h"
#include "pattern_job.h"

/* Whether the files may get these patterns. */
static spk_status check_rows(cli_outputs *out, uint64_t n_patterns, uint64_t n_occurrences)
{
    const cli_row_limit *full = cli_outputs_count(out, n_patterns, n_occurrences);
    if (full == NULL)
        return SPK_OK;
    snprintf(out->limit, sizeof out->limit,
             "more %s than --max-results %" PRIu64 " allows; raise --support, --min-spikes or "
             "--max-results (none: no limit), or only count patterns: --spectrum 2d",
             full == &out->rows ? "patterns" : "occurrences", full->most);
    return SPK_ERR_RANGE;
}

spk_status pattern_outputs_add(void *user, const spk_pattern_columns *patterns)
{
    pattern_outputs *of_patterns = user;
    cli_outputs *out = &of_patterns->out;
    uint64_t n_occurrences = 0;
    for (uint64_t i = 0; i < patterns->n && out->occurrences != NULL; i++)
        n_occurrences += patterns->count[i];
    spk_status status = check_rows(out, patterns->n, n_occurrences);
    if (status == SPK_OK && out->table != NULL)
        status = cli_outputs_wrote(&out->table, spk_pattern_writer_add(out->table, patterns));
    if (status == SPK_OK && out->occurrences != NULL)
        status = cli_outputs_wrote(&out->occurrences,
                                   spk_pattern_occurrence_writer_add(out->occurrences, patterns));
    if (status == SPK_OK && of_patterns->figure != NULL)
        status = spk_pattern_figure_add(of_patterns->figure, patterns);
    if (status == SPK_OK && of_patterns->shown != NULL)
        return spk_pattern_list_add(of_patterns->shown, patterns);
    const bool wanted =
        out->table != NULL || out->occurrences != NULL || of_patterns->figure != NULL;
    return status == SPK_OK && !wanted ? SPK_ERR_PIPE : status;
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
    spk_status status = check_rows(&out->out, n_patterns, 0);
    return status == SPK_OK ? out->rows.take(out->rows.user, bytes, n_bytes, n_patterns) : status;
}

spk_status pattern_outputs_bytes(pattern_outputs *outputs, const spk_pattern_bytes **out)
{
    *out = NULL;
    if (outputs->out.table == NULL || outputs->out.occurrences != NULL || outputs->figure != NULL ||
        outputs->shown != NULL)
        return SPK_OK;
    spk_status status = spk_pattern_writer_bytes(outputs->out.table, &outputs->rows);
    outputs->bytes = (spk_pattern_bytes){make_rows, take_rows, outputs, outputs->rows.n_makers};
    *out = &outputs->bytes;
    return status;
}

spk_status pattern_outputs_open(pattern_job *j, const spk_significance *test, pattern_outputs *out)
{
    spk_context *context = j->session->context;
    const cli_shared *v = j->session->shared;
    spk_status status = SPK_OK;
    *out = (pattern_outputs){.figure = NULL};
    cli_outputs_begin(&out->out, j->session, "pattern", &j->look);
    if (v->figure != NULL)
        status =
            spk_pattern_figure_create(context, j->recording, j->windows, j->v->bin, &out->figure);
    if (status == SPK_OK && out->figure != NULL && test != NULL)
        status = spk_pattern_figure_set_test(out->figure, test);
    if (status == SPK_OK && v->page != NULL)
        status = spk_pattern_list_create(context, j->v->window, &out->shown);
    if (status == SPK_OK && v->page != NULL)
        status = cli_page_make(j->session, &out->out.page);
    out->out.page.options.signatures = test;
    if (status == SPK_OK)
        status = spk_pattern_writer_open(context, v->output, (spk_table_form)v->format, j->windows,
                                         j->recording, &out->out.table);
    if (status == SPK_OK && test != NULL)
        status = spk_writer_set_signatures(out->out.table, test);
    if (status == SPK_OK && v->occurrences != NULL)
        status = spk_pattern_occurrence_writer_open(context, v->occurrences, j->windows,
                                                    j->recording, &out->out.occurrences);
    return status;
}

spk_status pattern_outputs_set_exact(pattern_outputs *out, const spk_exact_report *report)
{
    spk_status status = spk_writer_set_exact(out->out.table, report);
    if (status == SPK_OK && out->figure != NULL)
        status = spk_pattern_figure_set_exact(out->figure, report);
    out->out.page.options.exact = report;
    return status;
}

static spk_status draw_figure(pattern_job *j, const pattern_outputs *out)
{
    const cli_shared *v = j->session->shared;
    cli_figure_label(&j->look, j->session, j->recording, out->out.rows.n,
                     j->test.wanted && v->report == SPK_REPORT_SIGNIFICANT ? "significant pattern"
                                                                           : "pattern");
    return spk_pattern_figure_draw(j->session->context, out->figure, &j->look.options, v->figure);
}

static spk_status write_page(const pattern_job *j, pattern_outputs *out,
                             const spk_pattern_summary *summary)
{
    const cli_shared *v = j->session->shared;
    const spk_pattern_columns columns = spk_pattern_list_columns(out->shown);
    cli_page_add_setting(&out->out.page, "engine taken", summary->engine);
    out->out.page.options.as_listed = v->select.top > 0;
    return spk_page_patterns(j->session->context, j->recording, j->windows, j->v->bin, &columns,
                             &out->out.page.options, v->page);
}

int pattern_outputs_commit(pattern_job *j, pattern_outputs *out, const spk_pattern_summary *summary)
{
    const spk_provenance provenance = pattern_job_provenance(j, summary);
    spk_status status = cli_outputs_commit(&out->out, &provenance);
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
    char reason[CLI_REASON_BYTES], incomplete[CLI_REASON_BYTES + 176];
    int code = cli_outputs_report(&out->out, status, reason);
    if (code == CLI_DONE || out->out.rows.n == 0)
        return code;
    snprintf(incomplete, sizeof incomplete, "%s; what is here is exact, but there is more", reason);
    spk_provenance provenance = pattern_job_provenance(j, summary);
    provenance.incomplete = incomplete;
    cli_outputs_keep(&out->out, &provenance);
    return code;
}

void pattern_outputs_discard(pattern_outputs *out)
{
    cli_outputs_discard(&out->out);
    spk_pattern_figure_free(out->figure);
    spk_pattern_list_free(out->shown);
}
