/* Mining from the outside: options, and their checks. */
#include <inttypes.h>

#include "base/options.h"
#include "pattern/run.h"

void spk_pattern_options_init(spk_pattern_options *options, size_t struct_size)
{
    static const spk_pattern_options defaults = {.min_spikes = 1,
                                                 .support = 2,
                                                 .min_neurons = 1,
                                                 .engine = "auto",
                                                 .moving_window_filter = true};
    spk_options_init(options, struct_size, &defaults, sizeof defaults);
}

static spk_status check_supports(spk_context *context, const spk_pattern_supports *t)
{
    if (t == NULL)
        return SPK_OK;
    bool good = t->n >= 2 && t->n <= SPK_PATTERN_MAX_ESTIMATE && t->at_size[t->n] >= 1;
    for (uint32_t k = 3; good && k <= t->n; k++)
        good = t->at_size[k] <= t->at_size[k - 1];
    return good ? SPK_OK
                : spk_fail(
                      context, SPK_ERR_ARGUMENT,
                      "the least occurrences per size must be at least 1 and must not rise with "
                      "the size");
}

spk_status spk_pattern_check_options(spk_context *context, const spk_pattern_options *o)
{
    if (o->min_spikes < 1)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the least number of spikes must be at least 1");
    if (o->max_spikes != 0 && o->max_spikes < o->min_spikes)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "at most %u spikes and at least %u: nothing is both", o->max_spikes,
                        o->min_spikes);
    if (o->support < 1 && o->supports == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the least number of occurrences must be at least 1");
    if (o->max_count != 0 && o->supports == NULL && o->max_count < o->support)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "at most %" PRIu64 " occurrences and at least %" PRIu64 ": nothing is both",
                        o->max_count, o->support);
    if (o->min_neurons < 1)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the least number of neurons must be at least 1");
    return check_supports(context, o->supports);
}

spk_status spk_pattern_mine(spk_context *context, const spk_windows *windows,
                            const spk_pattern_options *given, spk_pattern_sink *sink, void *user,
                            spk_pattern_summary *summary)
{
    spk_pattern_options options;
    spk_pattern_summary ignored = {.choice = ""};
    summary = summary != NULL ? summary : &ignored;
    *summary = (spk_pattern_summary){.choice = ""};
    spk_status status = SPK_OPTIONS_TAKE(context, given, &options, spk_pattern_options);
    if (status == SPK_OK)
        status = spk_pattern_check_options(context, &options);
    if (status != SPK_OK)
        return status;
    spk_window_columns columns = spk_windows_columns(windows);
    return spk_pattern_run(context, &columns, &options, sink, user, summary);
}

spk_status spk_pattern_find_maxima(spk_context *context, const spk_windows *windows,
                                   const spk_pattern_options *given, bool by_duration,
                                   spk_pattern_maximum **out, size_t *n)
{
    spk_pattern_options options;
    *out = NULL;
    *n = 0;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &options, spk_pattern_options);
    if (status == SPK_OK)
        status = spk_pattern_check_options(context, &options);
    if (status != SPK_OK)
        return status;
    spk_window_columns columns = spk_windows_columns(windows);
    return spk_pattern_run_maxima(context, &columns, &options, by_duration, out, n);
}
