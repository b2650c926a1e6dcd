/* The signature test, applied to episodes. */
#include <stdlib.h>

#include "pooled.h"
#include "spikemine/spectrum.h"

/* Whether an episode has two different units. */
static bool is_tested(const spk_episode_columns *episodes, uint64_t i)
{
    for (uint64_t p = episodes->offset[i] + 1; p < episodes->offset[i + 1]; p++)
        if (episodes->unit[p] != episodes->unit[episodes->offset[i]])
            return true;
    return false;
}

static uint32_t size_of(const spk_episode_columns *episodes, uint64_t i)
{
    return (uint32_t)(episodes->offset[i + 1] - episodes->offset[i]);
}

/* ---- maxima of surrogates -------------------------------------------------------------------- */

enum { N_SIZES = SPK_EPISODE_MAX_SIZE + 1 };

/* Largest count of each size. */
static spk_status keep_largest(void *user, const spk_episode_columns *episodes)
{
    uint32_t *largest = user;
    for (uint64_t i = 0; i < episodes->n; i++) {
        uint32_t *its = &largest[size_of(episodes, i)];
        if (is_tested(episodes, i) && episodes->count[i] > *its)
            *its = (uint32_t)episodes->count[i];
    }
    return SPK_OK;
}

/* Appends the steps of a surrogate, sizes ascending: a size counts only where no larger one has as
 * many occurrences. Returns their number. */
static size_t add_steps(const uint32_t *largest, spk_pattern_maximum *out)
{
    size_t n = 0;
    uint32_t beyond = 0; /* the largest count of larger sizes */
    for (uint32_t size = N_SIZES - 1; size >= 2; size--)
        if (largest[size] > beyond) {
            beyond = largest[size];
            out[n++] = (spk_pattern_maximum){.size = size, .count = beyond};
        }
    for (size_t a = 0; a < n / 2; a++) {
        const spk_pattern_maximum last = out[n - 1 - a];
        out[n - 1 - a] = out[a];
        out[a] = last;
    }
    return n;
}

typedef struct maxima {
    uint64_t n;
    uint64_t *surrogate, *first;
    spk_pattern_maximum *step;
} maxima;

static spk_status run_surrogates(spk_context *context, const spk_recording *recording,
                                 const exact_job *job, maxima *m)
{
    spk_surrogates *surrogates = NULL;
    spk_status status = spk_surrogates_create(context, recording, &job->null, &surrogates);
    m->first[0] = 0;
    for (uint64_t k = 0; k < m->n && status == SPK_OK; k++) {
        uint32_t largest[N_SIZES] = {0};
        spk_recording *surrogate = NULL;
        status = spk_surrogates_make(context, surrogates, k + 1, &surrogate);
        if (status == SPK_OK)
            status =
                spk_episode_mine(context, surrogate, &job->episodes, keep_largest, largest, NULL);
        m->surrogate[k] = k + 1;
        m->first[k + 1] = m->first[k] + add_steps(largest, m->step + m->first[k]);
        spk_recording_free(surrogate);
    }
    spk_surrogates_free(surrogates);
    return status;
}

/* ---- signatures ------------------------------------------------------------------------------ */

static int compare_entries(const void *a, const void *b)
{
    const spk_spectrum_entry *x = a, *y = b;
    return x->size != y->size ? (x->size > y->size) - (x->size < y->size)
                              : (x->count > y->count) - (x->count < y->count);
}

/* The distinct signatures; their number. */
static uint64_t list_signatures(const spk_episode_columns *episodes, spk_spectrum_entry *out)
{
    uint64_t n = 0, kept = 0;
    for (uint64_t i = 0; i < episodes->n; i++)
        if (is_tested(episodes, i))
            out[n++] = (spk_spectrum_entry){.size = size_of(episodes, i),
                                            .count = (uint32_t)episodes->count[i],
                                            .n_patterns = 1};
    qsort(out, (size_t)n, sizeof *out, compare_entries);
    for (uint64_t i = 0; i < n; i++)
        if (kept > 0 && compare_entries(&out[kept - 1], &out[i]) == 0)
            out[kept - 1].n_patterns++;
        else
            out[kept++] = out[i];
    return kept;
}

static spk_status test_signatures(spk_context *context, const exact_job *job, const maxima *m,
                                  const spk_episode_columns *episodes, double alpha, bool published,
                                  uint8_t *keep)
{
    const spk_maxima_columns columns = {
        .n = m->n, .surrogate = m->surrogate, .first = m->first, .maximum = m->step};
    spk_spectrum_entry *entry = malloc((size_t)(episodes->n + 1) * sizeof *entry);
    spk_signature *signature = malloc((size_t)(episodes->n + 1) * sizeof *signature);
    spk_signature_options options;
    spk_status status = entry != NULL && signature != NULL ? SPK_OK : SPK_ERR_MEMORY;
    spk_signature_options_init(&options, sizeof options);
    options.alpha = alpha;
    options.published = published;
    options.min_spikes = 2;
    options.support = job->episodes.support;
    const uint64_t n = status == SPK_OK ? list_signatures(episodes, entry) : 0;
    if (status == SPK_OK)
        status = spk_signatures_test(context, &columns, entry, n, &options, signature);
    for (uint64_t i = 0; i < episodes->n && status == SPK_OK; i++)
        keep[i] = is_tested(episodes, i) && spk_signature_find(signature, n, size_of(episodes, i),
                                                               (uint32_t)episodes->count[i], 0)
                                                ->significant;
    free(entry);
    free(signature);
    return status;
}

spk_status pooled_test(spk_context *context, const spk_recording *recording, const exact_job *job,
                       const exact_found *found, double alpha, uint8_t *keep, uint8_t *published)
{
    const spk_episode_columns episodes = spk_episode_list_columns(found->episodes);
    const size_t n = (size_t)job->exact.n_surrogates;
    maxima m = {.n = n};
    m.surrogate = malloc((n + 1) * sizeof *m.surrogate);
    m.first = malloc((n + 1) * sizeof *m.first);
    m.step = malloc((n + 1) * N_SIZES * sizeof *m.step);
    spk_status status =
        m.surrogate != NULL && m.first != NULL && m.step != NULL ? SPK_OK : SPK_ERR_MEMORY;
    if (status == SPK_OK)
        status = run_surrogates(context, recording, job, &m);
    if (status == SPK_OK)
        status = test_signatures(context, job, &m, &episodes, alpha, false, keep);
    if (status == SPK_OK)
        status = test_signatures(context, job, &m, &episodes, alpha, true, published);
    free(m.surrogate);
    free(m.first);
    free(m.step);
    return status;
}
