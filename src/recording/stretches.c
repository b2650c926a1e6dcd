/* Stretches between neighbouring borders of segments. */
#include "recording/stretches.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/sort.h"

/* Keeps those between neighbouring borders that lie in some segment. `open` is a stack of the
 * segments that have begun; one below the top may have stopped, and is dropped once it is the top.
 */
static void join_borders(size_t n_segments, const spk_segment *segments, const int64_t *border,
                         size_t *open, spk_stretches *out)
{
    size_t next = 0, n_open = 0;
    for (size_t b = 0; b + 1 < 2 * n_segments; b++) {
        for (; next < n_segments && segments[next].start <= border[b]; next++)
            open[n_open++] = next;
        while (n_open > 0 && segments[open[n_open - 1]].stop <= border[b])
            n_open--;
        if (border[b] < border[b + 1] && n_open > 0) {
            out->segment[out->n] = open[n_open - 1];
            out->stretch[out->n++] = (spk_segment){border[b], border[b + 1]};
        }
    }
}

spk_status spk_stretches_find(spk_context *context, const spk_recording *recording,
                              spk_stretches *out)
{
    size_t n = 0;
    int64_t *border = NULL;
    size_t *open = NULL;
    const spk_segment *segments = spk_recording_segments(recording, &n);
    assert(out->n == 0 && out->stretch == NULL && out->segment == NULL);
    spk_status status =
        spk_alloc_columns(context, "segments", SPK_COLUMN(&border, 2 * n), SPK_COLUMN(&open, n),
                          SPK_COLUMN(&out->stretch, 2 * n), SPK_COLUMN(&out->segment, 2 * n));
    if (status != SPK_OK)
        return status;
    for (size_t k = 0; k < n; k++) {
        border[2 * k] = segments[k].start;
        border[2 * k + 1] = segments[k].stop;
    }
    qsort(border, 2 * n, sizeof *border, spk_compare_int64);
    join_borders(n, segments, border, open, out);
    spk_free(context, border);
    spk_free(context, open);
    return SPK_OK;
}

size_t spk_stretches_behind(const spk_stretches *stretches, size_t from, int64_t tick)
{
    spk_bisect s = {from, stretches->n};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, stretches->stretch[s.middle].stop <= tick);
    return (size_t)s.low;
}

void spk_stretches_free(spk_stretches *stretches)
{
    free(stretches->stretch);
    free(stretches->segment);
    *stretches = (spk_stretches){.n = 0};
}
