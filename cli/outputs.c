/* The files of a job that lists results, in either language. */
#include "outputs.h"

#include "analysis.h"

void cli_outputs_begin(cli_outputs *out, cli_session *session, const char *result,
                       cli_figure_look *look)
{
    const cli_count most = session->shared->max_results;
    const cli_row_limit limit = {.most = most.word ? UINT64_MAX : most.value};
    *out = (cli_outputs){.session = session,
                         .result = result,
                         .look = look,
                         .rows = limit,
                         .occurrence_rows = limit};
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool fits(cli_row_limit *limit, uint64_t n)
{
    if (n > limit->most - limit->n)
        return false;
    limit->n += n;
    return true;
}

const cli_row_limit *cli_outputs_count(cli_outputs *out, uint64_t n, uint64_t n_occurrences)
{
    if (!fits(&out->rows, n))
        return &out->rows;
    return fits(&out->occurrence_rows, n_occurrences) ? NULL : &out->occurrence_rows;
}

spk_status cli_outputs_wrote(spk_writer **file, spk_status status)
{
    if (status == SPK_ERR_PIPE) {
        spk_writer_free(*file);
        *file = NULL;
    }
    return cli_allow_pipe(status);
}

/* ---- families -------------------------------------------------------------------------------- */

spk_status cli_outputs_set_families(void *user, const spk_family_columns *families)
{
    cli_outputs *out = user;
    cli_figure_take_families(out->look, families, out->result);
    (void)cli_page_take_families(&out->page, families);
    return out->table != NULL ? spk_writer_set_families(out->table, families) : SPK_OK;
}

spk_status cli_outputs_take_families(void *user, const spk_family_columns *families,
                                     uint64_t n_rows)
{
    const cli_outputs *out = user;
    spk_family_columns listed = *families;
    listed.n = n_rows;
    cli_families_tell(out->session, families, out->result);
    return cli_outputs_set_families(user, &listed);
}

/* ---- the end --------------------------------------------------------------------------------- */

spk_status cli_outputs_commit(cli_outputs *out, const spk_provenance *provenance)
{
    spk_status status = cli_allow_pipe(spk_writer_commit(out->table, provenance));
    out->table = NULL;
    if (status == SPK_OK || provenance->incomplete != NULL) {
        spk_status second = cli_allow_pipe(spk_writer_commit(out->occurrences, provenance));
        status = status == SPK_OK ? second : status;
        out->occurrences = NULL;
    }
    return status;
}

int cli_outputs_report(const cli_outputs *out, spk_status status, char reason[CLI_REASON_BYTES])
{
    const bool full = out->limit[0] != '\0';
    snprintf(reason, CLI_REASON_BYTES, "%s",
             full ? out->limit : spk_context_message(out->session->context));
    return full ? cli_fail(out->session, "%s", reason) : cli_report(out->session, status);
}

void cli_outputs_keep(cli_outputs *out, const spk_provenance *provenance)
{
    cli_session *session = out->session;
    const cli_shared *v = session->shared;
    const bool quiet = session->quiet;
    session->quiet = false; /* the names of the files belong to the error */
    (void)cli_outputs_commit(out, provenance);
    if (v->figure != NULL)
        cli_note(session, "%s is not drawn: the result is not complete", v->figure);
    if (v->page != NULL)
        cli_note(session, "%s is not written: the result is not complete", v->page);
    session->quiet = quiet;
}

void cli_outputs_discard(cli_outputs *out)
{
    spk_writer_free(out->table);
    spk_writer_free(out->occurrences);
    cli_page_free(&out->page);
}
