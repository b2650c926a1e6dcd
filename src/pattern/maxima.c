/*
 * The largest counts of what mining reports.
 *
 * Without durations the moving-window step changes nothing: a pattern is dropped for a larger one
 * with the same count, which is in the list as well, and M(z) has that one. So patterns need not be
 * collected. With durations the step counts: the larger pattern lasts longer.
 */
#include "pattern/engine/maxima.h"

#include "pattern/run.h"

typedef struct maxima_sink {
    spk_context *context;
    spk_maxima_table *table;
} maxima_sink;

static spk_status keep_largest(void *user, const spk_pattern_columns *patterns)
{
    const maxima_sink *sink = user;
    for (uint64_t i = 0; i < patterns->n; i++) {
        uint64_t end = patterns->offset[i + 1];
        uint32_t duration = /* items are ordered by lag */
            sink->table->n_rows > 1 ? patterns->item[end - 1] % patterns->window : 0;
        if (!spk_maxima_raise(&sink->table->row[duration], (uint32_t)(end - patterns->offset[i]),
                              patterns->count[i]))
            return spk_fail_memory(sink->context, 64, "largest counts");
    }
    return SPK_OK;
}

spk_status spk_pattern_run_maxima(spk_context *context, const spk_window_columns *windows,
                                  const spk_pattern_options *given, bool by_duration,
                                  spk_pattern_maximum **out, size_t *n)
{
    spk_pattern_options options = *given;
    spk_pattern_summary summary = {.choice = ""};
    spk_maxima_table table;
    spk_status status = spk_maxima_table_create(context, by_duration ? windows->window : 1, &table);
    if (!by_duration)
        options.moving_window_filter = false;
    maxima_sink sink = {context, &table};
    /* The engine looks for ends of other patterns in the bins before a window. */
    bool done = false, slides = !options.moving_window_filter || windows->window == 1 ||
                                windows->start_time != NULL;
    if (status == SPK_OK && slides)
        status = spk_pattern_run_bounds(context, windows, &options, by_duration, &table, &done);
    if (status == SPK_OK && !done)
        status = spk_pattern_run(context, windows, &options, keep_largest, &sink, &summary);
    if (status == SPK_OK)
        status = spk_maxima_list(context, &table, out, n);
    spk_maxima_table_free(&table);
    return status;
}
