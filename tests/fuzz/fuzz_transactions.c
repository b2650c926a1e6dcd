/*
 * Fuzzes the transaction reader and, on what it accepts, the miner: the first byte chooses window
 * and units, the rest is the file. Windows must be valid, a failure must explain itself in one
 * line.
 */
#include "fuzz.h"

/* A least support that keeps the number of closed sets small. */
static void mine(spk_context *context, const spk_windows *windows)
{
    spk_window_columns c = spk_windows_columns(windows);
    spk_pattern_options options;
    if (c.n_windows == 0 || c.first[c.n_windows] > 2000 ||
        (uint64_t)c.n_units * c.window > 1u << 20)
        return;
    spk_pattern_options_init(&options, sizeof options);
    options.support = c.n_windows / 2 + 1;
    options.max_spikes = 6;
    options.engine = "bitmap";
    spk_context_set_threads(context, 1);
    if (c.n_windows <= 16 &&
        spk_pattern_mine(context, windows, &options, NULL, NULL, NULL) != SPK_OK)
        stop(spk_context_message(context));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spk_context *context = NULL;
    spk_windows *windows = NULL;
    const char *reason = NULL;
    if (size == 0 || spk_context_create(&context) != SPK_OK)
        return 0;
    spk_status status = spk_windows_parse_transactions(
        context, "fuzz", (const char *)data + 1, size - 1, data[0] / 16u, data[0] % 16u, &windows);
    if (status == SPK_OK && !spk_windows_validate(windows, &reason))
        stop(reason);
    if (status == SPK_OK)
        mine(context, windows);
    if (status != SPK_OK && (windows != NULL || strlen(spk_context_message(context)) == 0))
        stop("a failure without a message");
    spk_windows_free(windows);
    spk_context_free(context);
    return 0;
}
