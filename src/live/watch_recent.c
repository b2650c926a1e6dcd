/* Occurrences of the last stretch of time. */
#include "live/watch.h"

#include <stdlib.h>

#include "base/memory.h"

void watch_recent_clear(watch_recent *recent)
{
    free(recent->span);
    *recent = (watch_recent){.n = 0};
}

static bool is_inside(const watch_span *span, const watch_window *window)
{
    return span->segment >= window->since &&
           (uint64_t)window->now - (uint64_t)span->start < window->ticks;
}

static void drop(watch_recent *recent, const watch_window *window)
{
    while (recent->n > 0 && !is_inside(watch_recent_at(recent, 0), window)) {
        recent->first = (recent->first + 1) & (recent->capacity - 1);
        recent->n--;
    }
}

static spk_status enlarge(spk_context *context, spk_holding *holding, watch_recent *recent)
{
    uint64_t capacity = recent->capacity == 0 ? 4 : recent->capacity * 2;
    watch_span *span = NULL;
    const spk_stage stage = spk_stage_open(context);
    spk_status status = spk_alloc(context, &span, capacity, "recent occurrences");
    for (uint64_t k = 0; k < recent->n && status == SPK_OK; k++)
        span[k] = *watch_recent_at(recent, k);
    if (status == SPK_OK)
        spk_free(context, recent->span);
    spk_stage_keep(context, &stage, holding);
    if (status != SPK_OK)
        return status;
    recent->span = span;
    recent->capacity = capacity;
    recent->first = 0;
    return SPK_OK;
}

spk_status watch_recent_add(spk_context *context, spk_holding *holding, watch_recent *recent,
                            const watch_window *window, watch_span span)
{
    drop(recent, window);
    if (!is_inside(&span, window))
        return SPK_OK;
    if (recent->n > 0) {
        const watch_span *last = watch_recent_at(recent, recent->n - 1);
        if (last->segment == span.segment && last->start >= span.start)
            return SPK_OK;
    }
    if (recent->n == recent->capacity) {
        spk_status status = enlarge(context, holding, recent);
        if (status != SPK_OK)
            return status;
    }
    *watch_recent_at(recent, recent->n) = span;
    recent->n++;
    return SPK_OK;
}

uint64_t watch_recent_n(watch_recent *recent, const watch_window *window)
{
    drop(recent, window);
    return recent->n;
}

uint64_t watch_recent_count(watch_recent *recent, const watch_window *window)
{
    uint64_t count = 0;
    const watch_span *last = NULL;
    drop(recent, window);
    for (uint64_t k = 0; k < recent->n; k++) {
        const watch_span *span = watch_recent_at(recent, k);
        if (last != NULL && last->segment == span->segment && span->start <= last->end)
            continue;
        last = span;
        count++;
    }
    return count;
}
