/* The files of a subcommand, checked before it reads or makes anything; and how many results it may
 * write. */
#include "session.h"

int cli_files_check(cli_session *session, const spk_file_use *use, size_t n)
{
    spk_context_set_disk_reserve(session->context, session->shared->disk_reserve);
    return cli_report(session, spk_files_check(session->context, use, n, session->shared->force));
}

cli_row_limit cli_row_limit_of(const cli_session *session)
{
    const cli_count most = session->shared->max_results;
    return (cli_row_limit){.most = most.word ? UINT64_MAX : most.value};
}

bool cli_row_limit_add(cli_row_limit *limit, uint64_t n)
{
    if (n > limit->most - limit->n)
        return false;
    limit->n += n;
    return true;
}
