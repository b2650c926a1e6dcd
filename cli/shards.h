/* What both tests against surrogates offer for long runs: a checkpoint, shards, and surrogates that
 * were made before. */
#ifndef CLI_SHARDS_H
#define CLI_SHARDS_H

#include "session.h"

/* Options of a test; `member` has the texts checkpoint, shard and maxima, and `what` is what files
 * of its surrogates hold. */
#define CLI_SHARD_OPTIONS(type, member, what)                                                      \
    CLI_SURROGATE_FILES(type, member.checkpoint, member.shard, what),                              \
    {                                                                                              \
        .name = "maxima", .kind = CLI_TEXT, .argument = "FILE",                                    \
        .offset = offsetof(type, member.maxima),                                                   \
        .help = "test with the " what " in this file in place of making surrogates; they must "    \
                "come from the same recording and options"                                         \
    }

/* The part of them that makes surrogates. */
#define CLI_SURROGATE_FILES(type, checkpoint, shard, what)                                         \
    {.name = "checkpoint",                                                                         \
     .kind = CLI_TEXT,                                                                             \
     .argument = "FILE",                                                                           \
     .offset = offsetof(type, checkpoint),                                                         \
     .help = "file in which finished surrogates are kept; the same command goes on from it "       \
             "after an interruption"},                                                             \
    {                                                                                              \
        .name = "shard", .kind = CLI_TEXT, .argument = "I/N", .offset = offsetof(type, shard),     \
        .help = "only make the surrogates of shard I of N, and write their " what " to the file "  \
                "of -o; spikemine merge joins the shards, and --maxima tests with them"            \
    }

/* Reads I/N; a NULL text leaves both numbers as they are. CLI_DONE or an exit code. */
int cli_shard_parse(const cli_session *session, const char *text, uint32_t *shard,
                    uint32_t *n_shards);

/* A shard of the surrogates is no result yet. The command line of the test makes it: options that
 * only the result heeds do nothing, and a note tells of `later`, one that names a file; NULL: none.
 */
void cli_shard_tell(cli_session *session, const char *later);

/* Writes the file of a shard, and notes what comes next. `status` is that of the run. */
spk_status cli_shard_write(cli_session *session, spk_status status, const spk_maxima *maxima,
                           const char *output);

#endif
