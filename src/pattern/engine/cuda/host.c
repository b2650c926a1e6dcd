/* cuda-bitmap on the host: each warp is one lane, and one warp runs after the other. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pattern/engine/cuda/machine.h"
#include "pattern/engine/cuda/search.h"

static spk_status open_host(spk_context *context, uint64_t limit, uint64_t *bytes,
                            uint32_t *n_warps)
{
    enum { BYTES = 1 << 26 };
    (void)context;
    *bytes = limit > 0 && limit < BYTES ? limit : BYTES;
    *n_warps = 2;
    return SPK_OK;
}

static void release(gpu_buffer *buffer)
{
    free(buffer->data);
    *buffer = (gpu_buffer){.data = NULL};
}

static spk_status reserve(spk_context *context, gpu_buffer *buffer, uint64_t n, uint64_t size,
                          const char *what)
{
    release(buffer);
    spk_status status = spk_alloc_bytes(context, &buffer->data, n, (size_t)size, what);
    buffer->bytes = status == SPK_OK ? n * size : 0;
    return status;
}

static spk_status copy(spk_context *context, void *to, const void *from, uint64_t bytes)
{
    (void)context;
    if (bytes > 0)
        memcpy(to, from, bytes);
    return SPK_OK;
}

static void search(const spk_context *context, const cp_view *view, uint64_t warp)
{
    cp_search s = {.v = view, .arena = view->arena + warp * view->arena_words};
    while (!spk_context_cancelled(context) && cp_take_task(&s)) {
        cp_run_task(&s);
        if (s.full || s.too_small) {
            cp_put_down(&s);
            return;
        }
    }
}

static spk_status run(spk_context *context, const cp_view *view, cp_step step, uint64_t n)
{
    /* The numbers of a step are independent of each other: their order does not matter. */
    for (uint64_t k = 0; k < n; k++) {
        switch (step) {
        case CP_COUNT_ITEMS:
            cp_count_items(view, k);
            break;
        case CP_LIST_ROOTS:
            cp_list_root(view, (uint32_t)k);
            break;
        case CP_FILL_COLUMNS:
            cp_fill_columns(view, k);
            break;
        case CP_PLAN:
            cp_plan(view);
            break;
        case CP_SEARCH:
            search(context, view, k);
            break;
        }
    }
    return spk_check_cancel(context);
}

/* Tasks are small in tests: few items are many. */
const cp_machine cp_machine_host = {.split_items = 6,
                                    .open = open_host,
                                    .reserve = reserve,
                                    .release = release,
                                    .send = copy,
                                    .fetch = copy,
                                    .run = run};
