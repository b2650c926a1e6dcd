/* Results of a search, in either language. */
#include "analysis/results.h"

#include <stdlib.h>

#include "base/memory.h"

/* ---- the search ------------------------------------------------------------------------------ */

static bool of_episodes(const spk_results *r)
{
    return r->search.episodes != NULL;
}

spk_status spk_results_open(spk_context *context, const spk_search *search, spk_results *out)
{
    *out = (spk_results){.search = *search};
    if (!of_episodes(out)) {
        const uint32_t window = spk_windows_columns(search->windows).window;
        spk_status status = spk_alloc_zero(context, &out->pattern_summary, 1, "a search");
        return status == SPK_OK ? spk_pattern_list_create(context, window, &out->patterns) : status;
    }
    spk_status status = spk_alloc_zero(context, &out->episode_summary, 1, "a search");
    return status == SPK_OK ? spk_episode_list_create(context, &out->episodes) : status;
}

spk_status spk_results_mine(spk_context *context, spk_results *r, spk_episode_sink *episodes,
                            spk_pattern_sink *patterns, void *user)
{
    const spk_search *s = &r->search;
    return of_episodes(r) ? spk_episode_mine(context, s->recording, s->episodes, episodes, user,
                                             r->episode_summary)
                          : spk_pattern_mine(context, s->windows, s->patterns, patterns, user,
                                             r->pattern_summary);
}

spk_status spk_results_find(spk_context *context, const spk_search *search, spk_results *out)
{
    spk_status status = spk_results_open(context, search, out);
    if (status == SPK_OK)
        status = spk_results_mine(context, out, spk_episode_list_add, spk_pattern_list_add,
                                  of_episodes(out) ? (void *)out->episodes : out->patterns);
    return status;
}

spk_status spk_results_sort(spk_results *r)
{
    return of_episodes(r) ? SPK_OK : spk_pattern_list_sort(r->patterns);
}

void spk_results_free(spk_results *r)
{
    spk_episode_list_free(r->episodes);
    spk_pattern_list_free(r->patterns);
    free(r->episode_summary);
    free(r->pattern_summary);
    *r = (spk_results){.episodes = NULL};
}

/* ---- columns --------------------------------------------------------------------------------- */

spk_episode_columns spk_results_episodes(const spk_results *r)
{
    return r->episode_batch != NULL ? *r->episode_batch
           : r->episodes != NULL    ? spk_episode_list_columns(r->episodes)
                                    : (spk_episode_columns){.n = 0};
}

spk_pattern_columns spk_results_patterns(const spk_results *r)
{
    return r->pattern_batch != NULL ? *r->pattern_batch
           : r->patterns != NULL    ? spk_pattern_list_columns(r->patterns)
                                    : (spk_pattern_columns){.n = 0};
}

uint64_t spk_results_count(const spk_results *r)
{
    return spk_results_episodes(r).n + spk_results_patterns(r).n;
}

spk_episode_columns spk_results_episode(const spk_results *r, uint64_t i)
{
    spk_episode_columns one = spk_results_episodes(r);
    one.n = 1, one.offset += i, one.count += i;
    return one;
}

spk_pattern_columns spk_results_pattern(const spk_results *r, uint64_t i)
{
    spk_pattern_columns one = spk_results_patterns(r);
    one.n = 1, one.offset += i, one.count += i;
    return one;
}

spk_status spk_results_add(spk_results *to, const spk_results *r)
{
    const spk_episode_columns episodes = spk_results_episodes(r);
    const spk_pattern_columns patterns = spk_results_patterns(r);
    return of_episodes(r) ? spk_episode_list_add(to->episodes, &episodes)
                          : spk_pattern_list_add(to->patterns, &patterns);
}

static spk_status pick_episodes(spk_context *context, const spk_results *from,
                                const uint64_t *number, uint64_t n, spk_results *out)
{
    spk_episode_columns none = spk_results_episodes(from);
    spk_status status = spk_episode_list_create(context, &out->episodes);
    none.n = 0; /* the table of intervals, also where nothing is picked */
    if (status == SPK_OK)
        status = spk_episode_list_add(out->episodes, &none);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        const spk_episode_columns one = spk_results_episode(from, number[k]);
        status = spk_episode_list_add(out->episodes, &one);
    }
    return status;
}

static spk_status pick_patterns(spk_context *context, const spk_results *from,
                                const uint64_t *number, uint64_t n, spk_results *out)
{
    spk_status status =
        spk_pattern_list_create(context, spk_results_patterns(from).window, &out->patterns);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        const spk_pattern_columns one = spk_results_pattern(from, number[k]);
        status = spk_pattern_list_add(out->patterns, &one);
    }
    return status;
}

spk_status spk_results_pick(spk_context *context, const spk_results *from, const uint64_t *number,
                            uint64_t n, spk_results *out)
{
    *out = (spk_results){.search = from->search};
    return of_episodes(from) ? pick_episodes(context, from, number, n, out)
                             : pick_patterns(context, from, number, n, out);
}

/* ---- the exact test -------------------------------------------------------------------------- */

spk_status spk_results_test(spk_context *context, const spk_results *r,
                            const spk_exact_options *test, const spk_maxima *maxima,
                            spk_exact_verdict *verdict, double *scale_p)
{
    const spk_episode_columns episodes = spk_results_episodes(r);
    const spk_pattern_columns patterns = spk_results_patterns(r);
    return of_episodes(r) ? spk_exact_test_episodes(context, r->search.recording, test, maxima,
                                                    &episodes, verdict, scale_p)
                          : spk_exact_test_patterns(context, r->search.recording, test, maxima,
                                                    &patterns, verdict, scale_p);
}

spk_status spk_results_explain(spk_context *context, const spk_results *r,
                               const spk_exact_options *test, const spk_exact_verdict *verdict,
                               const uint64_t *number, uint64_t n, double *part_p,
                               uint32_t *left_out)
{
    spk_results picked = {.episodes = NULL};
    spk_exact_verdict *own = NULL;
    spk_status status = spk_alloc(context, &own, n, "significant results");
    for (uint64_t k = 0; k < n && status == SPK_OK; k++)
        own[k] = verdict[number[k]];
    if (status == SPK_OK)
        status = spk_results_pick(context, r, number, n, &picked);
    if (status == SPK_OK) {
        const spk_episode_columns episodes = spk_results_episodes(&picked);
        const spk_pattern_columns patterns = spk_results_patterns(&picked);
        status = of_episodes(r) ? spk_exact_explain_episodes(context, r->search.recording, test,
                                                             &episodes, own, part_p, left_out)
                                : spk_exact_explain_patterns(context, r->search.recording, test,
                                                             &patterns, own, part_p, left_out);
    }
    spk_results_free(&picked);
    spk_free(context, own);
    return status;
}

spk_status spk_results_interpret(spk_context *context, const spk_results *r,
                                 const spk_exact_options *test, double alpha,
                                 const spk_exact_verdict *verdict, uint32_t *means,
                                 double *direction_p)
{
    const spk_episode_columns episodes = spk_results_episodes(r);
    const spk_pattern_columns patterns = spk_results_patterns(r);
    return of_episodes(r)
               ? spk_exact_interpret_episodes(context, r->search.recording, test, alpha, &episodes,
                                              verdict, means, direction_p)
               : spk_exact_interpret_patterns(context, test, alpha, &patterns, verdict, means);
}

/* ---- two conditions -------------------------------------------------------------------------- */

spk_status spk_results_compare(spk_context *context, const spk_results *r,
                               const spk_compare_options *options, spk_compare_verdict *out,
                               spk_compare_summary *summary)
{
    const spk_episode_columns episodes = spk_results_episodes(r);
    const spk_pattern_columns patterns = spk_results_patterns(r);
    return of_episodes(r) ? spk_compare_episodes(context, r->search.recording, options, &episodes,
                                                 out, summary)
                          : spk_compare_patterns(context, r->search.recording, r->search.windows,
                                                 options, &patterns, out, summary);
}

/* ---- selection ------------------------------------------------------------------------------- */

spk_status spk_results_select(spk_context *context, const spk_results *r,
                              const spk_select_options *options, uint64_t *chosen, uint64_t *n)
{
    const spk_episode_columns episodes = spk_results_episodes(r);
    const spk_pattern_columns patterns = spk_results_patterns(r);
    return of_episodes(r) ? spk_select_episodes(context, &episodes, options, chosen, n)
                          : spk_select_patterns(context, &patterns, options, chosen, n);
}

spk_status spk_results_group(spk_context *context, const spk_results *r,
                             const spk_family_options *options, spk_families **out)
{
    const spk_episode_columns episodes = spk_results_episodes(r);
    const spk_pattern_columns patterns = spk_results_patterns(r);
    return of_episodes(r)
               ? spk_families_of_episodes(context, r->search.recording, &episodes, options, out)
               : spk_families_of_patterns(context, r->search.windows, &patterns, options, out);
}
