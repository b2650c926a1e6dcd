/*
 * Mean counts of patterns on a GPU: 16 threads own a pattern, a block has eight patterns. Memory:
 * the null hypothesis, and the items of a batch. Rows are read 64 bytes at a time, mostly from the
 * caches: those of all units are some hundred kilobytes.
 */
#include <cstdlib>

#include "cuda/kernel.cuh"
#include "significance/exact/cuda/device_means.h"

struct device_means {
    int gpu;
    means_view view;
    gpu_buffer row, lag, starts, ends, block_order, has_end;
    gpu_buffer offset, item, mean;
};

namespace
{

constexpr unsigned THREADS = 128;
constexpr const char *WHAT = "mean counts on the GPU";

__global__ void __launch_bounds__(THREADS)
    find_means(const __grid_constant__ means_view view, uint64_t n, const uint64_t *offset,
               const uint32_t *item, double *mean)
{
    __shared__ means_place place[THREADS / MEANS_LANES][MEANS_PLACES];
    const uint64_t i = gpu_thread() / MEANS_LANES;
    if (i >= n)
        return;
    const uint32_t size = static_cast<uint32_t>(offset[i + 1] - offset[i]);
    const double own = means_of_blocks(&view, item + (offset[i] - offset[0]), size, mean[i],
                                       place[threadIdx.x / MEANS_LANES]);
    if (gpu_thread() % MEANS_LANES == 0)
        mean[i] = own;
}

template <typename T>
spk_status send(spk_context *context, gpu_buffer *buffer, const T **array, uint64_t n)
{
    spk_status status = gpu_upload(context, buffer, *array, n, sizeof(T), WHAT);
    *array = static_cast<const T *>(buffer->data);
    return status;
}

spk_status send_view(spk_context *context, device_means *d)
{
    means_view *v = &d->view;
    spk_status status = send(context, &d->row, &v->row, v->n_units * v->stride);
    if (status == SPK_OK)
        status = send(context, &d->lag, &v->lag, v->window);
    if (status == SPK_OK)
        status = send(context, &d->starts, &v->starts, v->stride);
    if (status == SPK_OK)
        status = send(context, &d->ends, &v->ends, v->stride);
    if (status == SPK_OK)
        status = send(context, &d->block_order, &v->block_order, v->n_blocks);
    if (status == SPK_OK)
        status = send(context, &d->has_end, &v->has_end, v->n_blocks);
    return status;
}

} // namespace

spk_status device_means_open(spk_context *context, int gpu, const means_view *host,
                             device_means **out)
{
    int before = 0;
    device_means *d = static_cast<device_means *>(calloc(1, sizeof(device_means)));
    *out = d;
    if (d == nullptr)
        return spk_fail_memory(context, sizeof *d, WHAT);
    d->gpu = gpu;
    d->view = *host;
    spk_status status = gpu_check(context, cudaGetDevice(&before), WHAT);
    if (status == SPK_OK)
        status = gpu_enter(context, gpu);
    if (status == SPK_OK)
        status = send_view(context, d);
    (void)cudaSetDevice(before);
    return status;
}

static spk_status find(spk_context *context, device_means *d, uint64_t n, const uint64_t *offset,
                       const uint32_t *item, double *mean)
{
    spk_status status = gpu_upload(context, &d->offset, offset, n + 1, sizeof *offset, WHAT);
    if (status == SPK_OK)
        status = gpu_upload(context, &d->item, item + offset[0], offset[n] - offset[0],
                            sizeof *item, WHAT);
    if (status == SPK_OK)
        status = gpu_upload(context, &d->mean, mean, n, sizeof *mean, WHAT);
    double *const means = static_cast<double *>(d->mean.data);
    if (status == SPK_OK)
        status = gpu_launch(context, WHAT, find_means, n * MEANS_LANES, THREADS, d->view, n,
                            static_cast<const uint64_t *>(d->offset.data),
                            static_cast<const uint32_t *>(d->item.data), means);
    return status == SPK_OK ? gpu_download(context, mean, means, n * sizeof *mean, WHAT) : status;
}

spk_status device_means_find(spk_context *context, void *device, uint64_t n, const uint64_t *offset,
                             const uint32_t *item, double *mean)
{
    device_means *d = static_cast<device_means *>(device);
    int before = 0;
    spk_status status = gpu_check(context, cudaGetDevice(&before), WHAT);
    if (status == SPK_OK)
        status = gpu_join(context, d->gpu);
    if (status == SPK_OK)
        status = find(context, d, n, offset, item, mean);
    (void)cudaSetDevice(before);
    return status;
}

void device_means_close(device_means *d)
{
    int before = 0;
    if (d == nullptr)
        return;
    (void)cudaGetDevice(&before);
    (void)cudaSetDevice(d->gpu);
    gpu_release_each({&d->row, &d->lag, &d->starts, &d->ends, &d->block_order, &d->has_end,
                      &d->offset, &d->item, &d->mean});
    gpu_leave(); /* the thread may end next */
    (void)cudaSetDevice(before);
    free(d);
}

/* ---- a sieve --------------------------------------------------------------------------------- */

/* What a launch has kept and dropped; counts of classes follow. */
struct sieve_state {
    unsigned long long n_words;
    unsigned long long n;
};

struct device_sieve {
    device_means *means;
    sieve_view view;
    gpu_buffer ratio, chance, starts, row, limit, state, kept;
    sieve_state *host; /* the state, with its classes */
    uint32_t *word;    /* what was kept */
    uint64_t room;
};

namespace
{

/* Sixteen lanes own a pattern. */
__global__ void __launch_bounds__(THREADS)
    sift(const __grid_constant__ sieve_view view, const uint32_t *word, const uint64_t *place,
         uint64_t n, sieve_state *state, uint32_t *kept)
{
    __shared__ means_place room[THREADS / MEANS_LANES][MEANS_PLACES];
    const uint64_t i = gpu_thread() / MEANS_LANES;
    const uint32_t lane = threadIdx.x % MEANS_LANES;
    const unsigned mine = 0xffffu << (threadIdx.x & MEANS_LANES);
    if (i >= n)
        return;
    const uint32_t *from = word + place[i];
    const uint32_t size = from[2];
    const sieve_verdict found =
        sieve_look(&view, from + SIEVE_HEAD, size, from[3], room[threadIdx.x / MEANS_LANES]);
    unsigned long long at = 0;
    if (lane == 0 && found.keep) {
        atomicAdd(&state->n, 1ULL);
        at = atomicAdd(&state->n_words, static_cast<unsigned long long>(SIEVE_HEAD + size));
    } else if (lane == 0 && found.class_number != UINT32_MAX)
        atomicAdd(reinterpret_cast<unsigned long long *>(state + 1) + found.class_number, 1ULL);
    at = __shfl_sync(mine, at, 0, MEANS_LANES);
    if (!found.keep)
        return;
    uint32_t *to = kept + at;
    if (lane < 2)
        to[lane] = static_cast<uint32_t>(__double_as_longlong(found.mean) >> (32 * lane));
    for (uint32_t k = 2 + lane; k < SIEVE_HEAD + size; k += MEANS_LANES)
        to[k] = from[k];
}

uint64_t state_bytes(const device_sieve *s)
{
    return sizeof(sieve_state) + s->view.n_classes * sizeof(unsigned long long);
}

spk_status look(spk_context *context, device_sieve *s, const uint32_t *word, const uint64_t *place,
                uint64_t n)
{
    sieve_state *state = static_cast<sieve_state *>(s->state.data);
    spk_status status = gpu_clear(context, state, state_bytes(s), WHAT);
    if (status == SPK_OK)
        status = gpu_launch(context, WHAT, sift, n * MEANS_LANES, THREADS, s->view, word, place, n,
                            state, gpu_words(s->kept));
    return status == SPK_OK ? gpu_download(context, s->host, state, state_bytes(s), WHAT) : status;
}

} // namespace

spk_status device_sieve_open(spk_context *context, const sieve_view *host, device_sieve **out)
{
    int gpu = 0;
    device_sieve *s = static_cast<device_sieve *>(calloc(1, sizeof(device_sieve)));
    *out = s;
    if (s == nullptr)
        return spk_fail_memory(context, sizeof *s, WHAT);
    s->view = *host;
    s->host = static_cast<sieve_state *>(calloc(1, state_bytes(s)));
    const uint64_t n_pairs = static_cast<uint64_t>(host->means.n_units) * host->means.n_units *
                             (host->ratio != nullptr ? host->means.window : 0);
    spk_status status = s->host != nullptr ? gpu_check(context, cudaGetDevice(&gpu), WHAT)
                                           : spk_fail_memory(context, state_bytes(s), WHAT);
    if (status == SPK_OK)
        status = device_means_open(context, gpu, &host->means, &s->means);
    if (status == SPK_OK)
        s->view.means = s->means->view;
    if (status == SPK_OK && n_pairs > 0)
        status = send(context, &s->ratio, &s->view.ratio, n_pairs);
    if (status == SPK_OK && host->rates.chance != nullptr)
        status = send(context, &s->chance, &s->view.rates.chance, host->means.n_units);
    if (status == SPK_OK && host->rates.chance != nullptr)
        status = send(context, &s->starts, &s->view.rates.starts, host->means.window);
    if (status == SPK_OK)
        status = gpu_reserve(context, &s->state, state_bytes(s), 1, WHAT);
    return status;
}

spk_status device_sieve_set(spk_context *context, device_sieve *s, const uint32_t *row,
                            const double *limit, uint32_t n_rows)
{
    s->view.row = row;
    s->view.limit = limit;
    const spk_status status = send(context, &s->row, &s->view.row, s->view.n_classes);
    return status == SPK_OK ? send(context, &s->limit, &s->view.limit,
                                   static_cast<uint64_t>(n_rows) * SIEVE_STEPS)
                            : status;
}

spk_status device_sieve_run(spk_context *context, device_sieve *s, const uint32_t *word,
                            uint64_t n_words, const uint64_t *place, uint64_t n,
                            const uint32_t **kept, uint64_t *n_words_kept, uint64_t *n_kept,
                            uint64_t *dropped)
{
    spk_status status = gpu_reserve(context, &s->kept, n_words, sizeof *word, WHAT);
    if (status == SPK_OK)
        status = look(context, s, word, place, n);
    const uint64_t n_out = s->host->n_words;
    if (status == SPK_OK && n_out > s->room) {
        free(s->word);
        s->room = 2 * n_out;
        s->word = static_cast<uint32_t *>(malloc(s->room * sizeof *s->word));
        if (s->word == nullptr) {
            s->room = 0;
            status = spk_fail_memory(context, 2 * n_out * sizeof *s->word, WHAT);
        }
    }
    if (status == SPK_OK)
        status = gpu_download(context, s->word, s->kept.data, n_out * sizeof *s->word, WHAT);
    *kept = s->word;
    *n_words_kept = n_out;
    *n_kept = s->host->n;
    const unsigned long long *of_class = reinterpret_cast<unsigned long long *>(s->host + 1);
    for (uint32_t c = 0; c < s->view.n_classes; c++)
        dropped[c] = of_class[c];
    return status;
}

void device_sieve_close(device_sieve *s)
{
    int before = 0;
    if (s == nullptr)
        return;
    (void)cudaGetDevice(&before);
    if (s->means != nullptr)
        (void)cudaSetDevice(s->means->gpu);
    gpu_release_each({&s->ratio, &s->chance, &s->starts, &s->row, &s->limit, &s->state, &s->kept});
    (void)cudaSetDevice(before);
    device_means_close(s->means);
    free(s->host);
    free(s->word);
    free(s);
}
