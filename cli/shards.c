/* Shards of a test against surrogates. */
#include "shards.h"

#include <inttypes.h>
#include <string.h>

#include "numbers.h"

int cli_shard_parse(const cli_session *session, const char *text, uint32_t *shard,
                    uint32_t *n_shards)
{
    uint32_t part[2];
    if (text == NULL)
        return CLI_DONE;
    if (!cli_whole_list_parse(text, '/', 2, 1000000, part) || part[0] < 1 || part[0] > part[1])
        return cli_usage_error(session->command,
                               "--shard %s: must be I/N, shard I from 1 to N of N shards, such as "
                               "3/16",
                               text);
    *shard = part[0];
    *n_shards = part[1];
    return CLI_DONE;
}

void cli_shard_tell(cli_session *session, bool pvalues)
{
    const cli_shared *v = session->shared;
    const char *later = v->occurrences != NULL ? "--occurrences"
                        : v->figure != NULL    ? "--figure"
                        : v->page != NULL      ? "--html"
                        : pvalues              ? "--pvalues"
                                               : NULL;
    if (v->shard != NULL && later != NULL)
        cli_note(session,
                 "--shard makes surrogates only; the file of %s comes from the command that tests",
                 later);
}

spk_status cli_shard_write(cli_session *session, spk_status status, const spk_maxima *maxima)
{
    const char *output = session->shared->output;
    if (status == SPK_OK)
        status = spk_maxima_write(session->context, maxima, output);
    if (status != SPK_OK)
        return status;
    const spk_maxima_info info = spk_maxima_describe(maxima);
    cli_note(session,
             "%s has %" PRIu64 " of %" PRIu64 " surrogates; when all %" PRIu32
             " shards are there: spikemine merge, then this command with --maxima in place of "
             "--shard",
             output, info.n_of_shard, info.n_surrogates, info.n_shards);
    return SPK_OK;
}
