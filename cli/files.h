/* The files of a subcommand, checked before it reads or makes anything; and how many results it may
 * write. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "session.h"

/* What the help of -o says of names. */
#define CLI_COMPRESSION_HELP "a name in .gz, .xz, .zst or .bz2 is compressed"

/* Options of every subcommand that writes files. */
typedef struct cli_file_values {
    bool force;
    uint64_t disk_reserve;
} cli_file_values;

#define CLI_FILE_OPTIONS(type, member)                                                             \
    {.name = "force",                                                                              \
     .work = true,                                                                                 \
     .kind = CLI_FLAG,                                                                             \
     .offset = offsetof(type, member.force),                                                       \
     .help = "replace files that exist already; without this option they "                         \
             "stay as they are, and the command stops before any work"},                           \
    {                                                                                              \
        .name = "disk-reserve", .work = true, .kind = CLI_BYTES, .argument = "SIZE",               \
        .offset = offsetof(type, member.disk_reserve),                                             \
        .help = "space on the disk that stays free: writing stops before it "                      \
                "is used. The default is 1 % of the disk, at most 1 GB"                            \
    }

/* Refuses to write onto an input, to write two outputs into one file, to replace a file without
 * --force, and what cannot be written; takes --disk-reserve. CLI_DONE or an exit code. */
int cli_files_check(cli_session *session, const cli_file_values *values, const spk_file_use *use,
                    size_t n);

/* ---- how many results ------------------------------------------------------------------------ */

/* Of subcommands whose number of results nobody knows before. */
#define CLI_MAX_RESULTS_OPTION(type, member)                                                       \
    {                                                                                              \
        .name = "max-results", .work = true, .kind = CLI_COUNT, .argument = "N|none",              \
        .offset = offsetof(type, member), .fallback = "10000000", .minimum = 1, .maximum = 1e18,   \
        .help = "largest number of rows in a file; a job that would write "                        \
                "more stops, and what is complete is kept as FILE.incomplete"                      \
    }

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
