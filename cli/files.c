/* The files of a subcommand. */
#include "files.h"

int cli_files_check(cli_session *session, const cli_file_values *values, const spk_file_use *use,
                    size_t n)
{
    spk_context_set_disk_reserve(session->context, values->disk_reserve);
    return cli_report(session, spk_files_check(session->context, use, n, values->force));
}

cli_row_limit cli_row_limit_of(cli_count max_results)
{
    return (cli_row_limit){.most = max_results.word ? UINT64_MAX : max_results.value};
}

bool cli_row_limit_add(cli_row_limit *limit, uint64_t n)
{
    if (n > limit->most - limit->n)
        return false;
    limit->n += n;
    return true;
}
