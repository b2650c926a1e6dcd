/* Peaks of memory from Linux (/proc/self), ranks that one process plays, a line through costs. */
#include "plan/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "base/memory.h"

/* ---- peaks of memory ------------------------------------------------------------------------- */

/* Pages that the allocator and the libraries take whatever the work; they are no need of it. */
static const double TAKEN_ANYWAY = 4e6;

/* A line of /proc/self/status in bytes; 0 where there is none. */
static double look(const char *name)
{
    char line[256];
    double bytes = 0;
    FILE *file = fopen("/proc/self/status", "re");
    if (file == NULL)
        return 0;
    while (bytes <= 0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            bytes = 1024 * strtod(line + strlen(name), NULL);
    (void)fclose(file);
    return bytes;
}

double spk_peak_begin(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "we");
    if (file == NULL)
        return 0;
    int good = fputs("5", file) >= 0; /* the peak begins anew */
    good = fclose(file) == 0 && good;
    return good ? look("VmRSS:") : 0;
}

double spk_peak_end(double begin)
{
    double peak = begin > 0 ? look("VmHWM:") : 0;
    return peak > begin + TAKEN_ANYWAY ? peak - begin - TAKEN_ANYWAY : 0;
}

/* ---- ranks that one process plays ------------------------------------------------------------ */

static spk_status sizes(void *user, uint64_t mine, uint64_t *all)
{
    const spk_played *p = user;
    for (int k = 0; k < p->ranks.n_ranks; k++)
        all[k] = mine;
    return SPK_OK;
}

static spk_status gather(void *user, const void *mine, const uint64_t *bytes, void *all)
{
    const spk_played *p = user;
    unsigned char *to = all;
    for (int k = 0; k < p->ranks.n_ranks; k++) {
        if (bytes[k] > 0)
            memcpy(to, mine, bytes[k]);
        to += bytes[k];
    }
    return SPK_OK;
}

static spk_status begin(void *user)
{
    spk_played *p = user;
    p->next = 0;
    p->since = -1;
    return SPK_OK;
}

/* The piece before has ended. */
static spk_status next(void *user, uint64_t *number)
{
    spk_played *p = user;
    double now = spk_work_seconds(p->threads);
    if (p->since >= 0) {
        spk_status status = spk_grow(NULL, &p->piece_s, &p->capacity, p->n + 1, "pieces");
        if (status != SPK_OK)
            return status;
        p->piece_s[p->n++] = now - p->since;
    }
    *number = p->next++;
    p->since = *number < p->n_pieces ? spk_work_seconds(p->threads) : -1;
    return SPK_OK;
}

static spk_status send_nothing(void *user, int to, const void *bytes, uint64_t n)
{
    (void)user, (void)to, (void)bytes, (void)n;
    return SPK_OK;
}

static spk_status receive_zeros(void *user, int from, void *bytes, uint64_t n)
{
    (void)user, (void)from;
    memset(bytes, 0, n);
    return SPK_OK;
}

void spk_played_begin(spk_played *p, int rank, int n_ranks, int threads)
{
    *p = (spk_played){.threads = threads, .since = -1, .n_pieces = (uint64_t)n_ranks * 8};
    p->ranks = (spk_ranks){.struct_size = sizeof p->ranks,
                           .rank = rank,
                           .n_ranks = n_ranks,
                           .user = p,
                           .sizes = sizes,
                           .gather = gather,
                           .begin = begin,
                           .next = next,
                           .send = send_nothing,
                           .receive = receive_zeros};
}

void spk_played_free(spk_played *p)
{
    free(p->piece_s);
    *p = (spk_played){.n = 0};
}

/* ---- a line through costs -------------------------------------------------------------------- */

/* Sums over all points with the weight 1 / y^2. */
typedef struct sums {
    double n, x, xx, y, xy;
} sums;

static sums add_up(size_t n, const double *x, const double *y)
{
    sums s = {0, 0, 0, 0, 0};
    for (size_t k = 0; k < n; k++) {
        if (y[k] <= 0)
            continue;
        double w = 1 / (y[k] * y[k]);
        s.n += w;
        s.x += w * x[k];
        s.xx += w * x[k] * x[k];
        s.y += w * y[k];
        s.xy += w * x[k] * y[k];
    }
    return s;
}

void spk_plan_fit(size_t n, const double *x, const double *y, double *a, double *b)
{
    const sums s = add_up(n, x, y);
    const double determinant = s.n * s.xx - s.x * s.x;
    *a = *b = 0;
    if (s.n <= 0)
        return;
    if (determinant > 1e-9 * s.n * s.xx) {
        *b = (s.n * s.xy - s.x * s.y) / determinant;
        *a = (s.y - *b * s.x) / s.n;
    } else {
        *a = -1; /* one x: a line through the origin */
    }
    if (*b < 0) {
        *b = 0;
        *a = s.y / s.n;
    } else if (*a < 0) {
        *a = 0;
        *b = s.xy / s.xx;
    }
}
