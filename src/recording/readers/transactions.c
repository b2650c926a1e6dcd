/* Transactions: the name of a format that no recording has, so that who gives it is told where it
 * is read. pattern/read_transactions.c reads them. */
#include "recording/readers/reader.h"

static spk_match recognise(const spk_probe *probe)
{
    (void)probe; /* lines of whole numbers: nothing tells them from times */
    return SPK_MATCH_NO;
}

static spk_status refuse(spk_context *context, const spk_probe *probe, spk_input *input,
                         const spk_read_options *options, spk_recording **out)
{
    (void)input;
    (void)options;
    *out = NULL;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "%s: transactions are windows of a recording, without times; only spikemine "
                    "patterns reads them",
                    probe->path);
}

const spk_reader spk_reader_transactions = {
    .name = "transactions",
    .summary = "windows as lists of items, as the published SPADE miner reads them; for patterns "
               "only",
    .endings = "",
    .recognise = recognise,
    .read = refuse,
};
