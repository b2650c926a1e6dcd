/*
 * The automatic choice for patterns and its reason. engine/facts.c has the rules for engines that
 * are asked for by name.
 *
 * bitmap visits only closed patterns with a lag-0 item and needs memory for the depth of the search
 * alone. In windows of one bin that hold nearly all items, whose patterns have many windows, trees
 * share more than rows add up: there the costs decide that engines tell (spk_pattern_engine.cost).
 * A GPU is the faster one for many surrogates, not for one list, and what is asked here is one list
 * or one surrogate: so it is taken where GPUs are asked for. A run of many surrogates asks whether
 * a GPU pays once it knows what one of them costs.
 */
#include "pattern/engine/policy.h"

#include <math.h>
#include <stdlib.h>

#include "pattern/engine/engine.h"

spk_status spk_pattern_choose(spk_context *context, const spk_engine_request *request,
                              spk_engine_choice *out)
{
    if (!spk_engine_is_auto(request))
        return spk_engine_take(context, SPK_PATTERNS, request, request->engine, "", out);
    if (request->gpus != 0)
        return spk_engine_take(context, SPK_PATTERNS, request,
                               spk_engine_usual(SPK_PATTERNS, true)->name, "the engine for GPUs",
                               out);
    return spk_engine_take(context, SPK_PATTERNS, request,
                           spk_engine_usual(SPK_PATTERNS, false)->name,
                           "visits only what can be reported, in memory that does not grow", out);
}

/* The frequent items of windows of one bin. False: no memory, or none is frequent. */
static bool find_shape(const spk_window_columns *windows, uint64_t support,
                       spk_pattern_shape *shape)
{
    uint64_t n = 0;
    uint32_t *count = calloc((size_t)windows->n_units + 1, sizeof *count);
    *shape = (spk_pattern_shape){.support = support};
    if (count == NULL)
        return false;
    for (uint64_t k = windows->first[0]; k < windows->first[windows->n_windows]; k++)
        count[windows->item[k]]++;
    for (uint32_t item = 0; item < windows->n_units; item++) {
        if (count[item] < support)
            continue;
        shape->n_items++;
        n += count[item];
    }
    free(count);
    shape->per_window = (double)n / (double)(windows->n_windows + 1);
    return shape->n_items > 0;
}

bool spk_pattern_choose_cheaper(const spk_window_columns *windows, uint64_t support,
                                spk_engine_choice *choice)
{
    enum { FEW_WINDOWS = 64 }; /* columns of a word, which no other engine is faster with */
    const spk_engine_list list = spk_engines_of(SPK_PATTERNS);
    const spk_pattern_engine *usual = spk_pattern_engine_table(choice->engine);
    spk_pattern_shape shape;
    if (windows->window != 1 || support <= FEW_WINDOWS || usual->cost == NULL ||
        !find_shape(windows, support, &shape))
        return false;
    double least = usual->cost(&shape);
    bool found = false;
    for (size_t k = 0; k < list.n; k++) {
        const spk_pattern_engine *other = spk_pattern_engine_table(&list.engine[k]);
        if (list.engine[k].on_gpu || other == NULL || other->cost == NULL ||
            other->cost(&shape) >= least)
            continue;
        least = other->cost(&shape);
        found = true;
        *choice = (spk_engine_choice){
            .engine = &list.engine[k],
            .reason = "costs least where windows of one bin hold nearly all of the items"};
    }
    return found;
}

double spk_pattern_gpu_like_threads(void)
{
    const spk_engine_facts *usual = spk_engine_usual(SPK_PATTERNS, true);
    const spk_pattern_engine *engine = usual != NULL ? spk_pattern_engine_table(usual) : NULL;
    return engine != NULL ? engine->like_threads : 0;
}

double spk_pattern_gpu_pays_from(uint64_t n, int threads)
{
    const double like = spk_pattern_gpu_like_threads();
    if (n == 0 || like <= threads)
        return INFINITY;
    const double start = spk_pattern_engine_table(spk_engine_usual(SPK_PATTERNS, true))->start_s;
    return start / (double)n / (1.0 / threads - 1 / like);
}
