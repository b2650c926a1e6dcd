/* What both tests against surrogates offer for long runs: a checkpoint, shards, and surrogates that
 * were made before. */
#ifndef CLI_SHARDS_H
#define CLI_SHARDS_H

#include "session.h"

/* Reads I/N; a NULL text leaves both numbers as they are. CLI_DONE or an exit code. */
int cli_shard_parse(const cli_session *session, const char *text, uint32_t *shard,
                    uint32_t *n_shards);

/* A shard of the surrogates is no result yet. The command line of the test makes it: options that
 * only the result heeds do nothing, and a note tells of one that names a file. `pvalues`: --pvalues
 * is given. Nothing to do without --shard. */
void cli_shard_tell(cli_session *session, bool pvalues);

/* Writes the file of a shard, --output, and notes what comes next. `status` is that of the run. */
spk_status cli_shard_write(cli_session *session, spk_status status, const spk_maxima *maxima);

#endif
