/* The files of a subcommand, checked before it reads or makes anything; and how many results it may
 * write. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "session.h"

/* Options of every subcommand that writes files. */
typedef struct cli_file_values {
    bool force;
    uint64_t disk_reserve;
} cli_file_values;

#define CLI_FILE_OPTIONS(type, member)                                                             \
    CLI_OPTION("force", type, member.force), CLI_OPTION("disk-reserve", type, member.disk_reserve)

/* Refuses to write onto an input, to write two outputs into one file, to replace a file without
 * --force, and what cannot be written; takes --disk-reserve. CLI_DONE or an exit code. */
int cli_files_check(cli_session *session, const cli_file_values *values, const spk_file_use *use,
                    size_t n);

/* ---- how many results ------------------------------------------------------------------------ */

/* The rows that a file may still get. */
typedef struct cli_row_limit {
    uint64_t most; /* UINT64_MAX: no limit */
    uint64_t n;    /* rows so far */
} cli_row_limit;

/* The limit that --max-results sets. */
cli_row_limit cli_row_limit_of(cli_count max_results);

/* Adds rows that are about to be written; false when they are too many. */
bool cli_row_limit_add(cli_row_limit *limit, uint64_t n);

#endif
