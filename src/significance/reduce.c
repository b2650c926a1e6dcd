/*
 * Reduction of a set of patterns (pattern set reduction: Torre et al. 2013, Quaglio et al. 2017):
 * patterns that another pattern explains are rejected.
 *
 * Every pair is judged by itself, also where one of its patterns was rejected by another pair. So a
 * pattern is rejected when any pair rejects it, and the order of the pairs does not matter. A pair
 * is judged where its patterns have spikes in common at enough common occurrences: partners.h finds
 * those pairs.
 *
 * What a pair would reject depends on its sizes, counts and durations and on the number of common
 * spikes, so the common occurrences are counted last, and only where the answer could still change.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/stage.h"
#include "significance/partners.h"
#include "significance/reached.h"
#include "spikemine/occurrences.h"
#include "spikemine/significance.h"

/* ---- verdicts on any signature --------------------------------------------------------------- */

typedef struct spk_verdicts {
    const spk_signature *signature; /* those that were tested */
    uint64_t n;
    spk_reached reached;
    uint32_t *most; /* largest count by duration, then size; MOST_UNKNOWN before it is asked for */
} spk_verdicts;

#define MOST_UNKNOWN UINT32_MAX

/* Opens them. Without maxima there was no test, and every signature is significant. Close them in
 * any case. Errors: SPK_ERR_ARGUMENT (maxima), SPK_ERR_MEMORY. */
static spk_status verdicts_open(spk_context *context, const spk_maxima_columns *maxima,
                                const spk_signature *signature, uint64_t n, bool published,
                                spk_verdicts *verdicts)
{
    *verdicts = (spk_verdicts){.signature = signature, .n = n};
    if (maxima == NULL)
        return SPK_OK;
    spk_status status = spk_reached_open(context, maxima, published, &verdicts->reached);
    if (status != SPK_OK)
        return status;
    uint64_t entries =
        verdicts->reached.n_durations * ((uint64_t)verdicts->reached.largest_size + 1);
    status = spk_alloc(context, &verdicts->most, entries, "the verdicts on signatures");
    if (status == SPK_OK)
        memset(verdicts->most, 0xff, entries * sizeof *verdicts->most);
    return status;
}

static void verdicts_close(spk_verdicts *verdicts)
{
    spk_reached_close(&verdicts->reached);
    free(verdicts->most);
    *verdicts = (spk_verdicts){.n = 0};
}

/* The largest count of a surrogate. */
static uint32_t find_most(spk_verdicts *verdicts, uint32_t size, uint32_t duration)
{
    spk_reached *reached = &verdicts->reached;
    const uint64_t low = spk_first_u32(reached->duration, 0, reached->n_durations, duration);
    if (low == reached->n_durations || reached->duration[low] != duration)
        return 0;
    uint32_t *most = &verdicts->most[low * ((uint64_t)reached->largest_size + 1) + size];
    if (*most == MOST_UNKNOWN) {
        spk_reached_select(reached, size, duration);
        *most = spk_reached_most(reached);
    }
    return *most;
}

/* The verdict of the test where the signature was observed; else whether no surrogate reaches it.
 */
static bool verdicts_significant(spk_verdicts *verdicts, uint64_t size, uint64_t count,
                                 uint32_t duration)
{
    const spk_maxima_columns *maxima = verdicts->reached.maxima;
    if (maxima == NULL || size > UINT32_MAX || count > UINT32_MAX)
        return true;
    const uint32_t z = (uint32_t)size, c = (uint32_t)count;
    const uint32_t d = maxima->by_duration ? duration : 0;
    const spk_signature *tested = spk_signature_find(verdicts->signature, verdicts->n, z, c, d);
    if (tested != NULL)
        return tested->significant;
    return z > verdicts->reached.largest_size || c > find_most(verdicts, z, d);
}

/* ---- the reduction --------------------------------------------------------------------------- */

typedef struct reduction {
    spk_pattern_columns patterns;
    spk_reduce_options options;
    spk_verdicts verdicts;
    uint8_t *keep;
    uint8_t *rejected_whole; /* [offset + s - 1]: the pattern is rejected where s of its spikes are
                                explained */
    int64_t *place;          /* by window: its first bin on one line */
    uint32_t *window;        /* of occurrences: window[first[i]] .. window[first[i + 1] - 1] */
    uint64_t *first;
    int64_t *least; /* by pattern: fewest common occurrences of a pair */
} reduction;

SPK_OPTIONS_INIT(spk_reduce_options, .min_spikes = 2, .support = 2);

static uint32_t size_of(const reduction *r, uint64_t i)
{
    return (uint32_t)(r->patterns.offset[i + 1] - r->patterns.offset[i]);
}

static uint32_t duration_of(const reduction *r, uint64_t i)
{
    return r->patterns.item[r->patterns.offset[i + 1] - 1] % r->patterns.window;
}

static int64_t support_of(const reduction *r, uint32_t size)
{
    const spk_pattern_supports *supports = r->options.supports;
    uint64_t support = supports == NULL
                           ? r->options.support
                           : supports->at_size[size < supports->n ? size : supports->n];
    if (support < 1)
        return 1;
    return support < INT64_MAX ? (int64_t)support : INT64_MAX;
}

/* ---- what is the same for all pairs ---------------------------------------------------------- */

static spk_status check(spk_context *context, const reduction *r, const spk_window_columns *windows)
{
    const spk_pattern_columns *p = &r->patterns;
    if (p->window != windows->window)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the patterns have windows of %u bins, the windows %u; give those in which "
                        "they were mined",
                        p->window, windows->window);
    if (p->n >= UINT32_MAX)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%llu patterns are too many for the reduction (at most 2^32 - 2)",
                        (unsigned long long)p->n);
    for (uint64_t i = 0; i < p->n; i++)
        if (p->offset[i + 1] <= p->offset[i])
            return spk_fail(context, SPK_ERR_ARGUMENT, "a pattern has no items");
    return SPK_OK;
}

/* Places of windows on one line: bins of a trial lie as they do, but a gap of a window's length or
 * more is one window's length. */
static void place_windows(const spk_window_columns *windows, int64_t *place)
{
    for (uint64_t w = 0; w < windows->n_windows; w++) {
        uint64_t gap = windows->window;
        if (w > 0 && windows->trial[w] == windows->trial[w - 1] &&
            windows->start_bin[w] - windows->start_bin[w - 1] < gap)
            gap = windows->start_bin[w] - windows->start_bin[w - 1];
        place[w] = (w > 0 ? place[w - 1] : 0) + (int64_t)gap;
    }
}

/* Finds the occurrences of all patterns. */
static spk_status find_occurrences(spk_context *context, const spk_windows *windows, reduction *r)
{
    spk_pattern_locator *locator = NULL;
    uint64_t capacity = 0;
    spk_status status = spk_pattern_locator_create(context, windows, &locator);
    for (uint64_t i = 0; status == SPK_OK && i < r->patterns.n; i++) {
        const uint32_t *window;
        uint32_t n;
        status = spk_pattern_locate(locator, size_of(r, i),
                                    r->patterns.item + r->patterns.offset[i], &window, &n);
        if (status == SPK_OK)
            status = spk_grow(context, &r->window, &capacity, r->first[i] + n, "the reduction");
        if (status != SPK_OK)
            break;
        if (n > 0)
            memcpy(r->window + r->first[i], window, n * sizeof *window);
        r->first[i + 1] = r->first[i] + n;
        if (i % 1024 == 0)
            status = spk_check_cancel(context);
    }
    spk_pattern_locator_free(locator);
    return status;
}

/* The fewest common occurrences that a pair of each pattern needs: the support of the larger one,
 * whose size is that of the pattern or more. */
static void find_least(reduction *r)
{
    uint32_t most = 0;
    for (uint64_t i = 0; i < r->patterns.n; i++)
        if (size_of(r, i) > most)
            most = size_of(r, i);
    const uint32_t sizes = r->options.supports != NULL && r->options.supports->n < most
                               ? r->options.supports->n
                               : most;
    for (uint64_t i = 0; i < r->patterns.n; i++) {
        r->least[i] = support_of(r, size_of(r, i));
        for (uint32_t size = size_of(r, i); size <= sizes; size++)
            if (support_of(r, size) < r->least[i])
                r->least[i] = support_of(r, size);
    }
}

/* Whether pattern i does not stand once `explained` of its spikes are another pattern's. */
static bool falls(reduction *r, uint64_t i, uint32_t explained)
{
    int64_t left = (int64_t)size_of(r, i) - explained + r->options.k;
    return left < (int64_t)r->options.min_spikes ||
           !verdicts_significant(&r->verdicts, (uint64_t)left, r->patterns.count[i],
                                 duration_of(r, i));
}

static void judge_sizes(reduction *r)
{
    for (uint64_t i = 0; i < r->patterns.n; i++) {
        uint8_t *row = r->rejected_whole + (r->patterns.offset[i] - r->patterns.offset[0]);
        for (uint32_t s = 1; s <= size_of(r, i); s++)
            row[s - 1] = falls(r, i, s);
    }
}

/* ---- one pair -------------------------------------------------------------------------------- */

static bool rejects_whole(const reduction *r, uint64_t i, uint32_t shared)
{
    return r->rejected_whole[r->patterns.offset[i] - r->patterns.offset[0] + shared - 1] != 0;
}

/* Whether the part does not stand once the occurrences of the whole are taken away. */
static bool rejects_part(reduction *r, uint64_t whole, uint64_t part)
{
    int64_t left =
        (int64_t)r->patterns.count[part] - (int64_t)r->patterns.count[whole] + r->options.h;
    uint32_t size = size_of(r, part);
    return left < support_of(r, size) ||
           !verdicts_significant(&r->verdicts, size, (uint64_t)left, duration_of(r, part));
}

static __int128 covered_spikes(const reduction *r, uint64_t i)
{
    return (__int128)((int64_t)size_of(r, i) - r->options.l) * r->patterns.count[i];
}

typedef struct rejection {
    bool first, second;
} rejection;

/* What a pair with so many common spikes rejects. `first` is the whole where one contains the
 * other. Of two that would both be rejected the one that covers more spikes stays. */
static rejection judge(reduction *r, uint64_t first, uint64_t second, uint32_t shared)
{
    bool contained = shared == size_of(r, second);
    rejection answer = {.first = rejects_whole(r, first, shared),
                        .second = contained ? rejects_part(r, first, second)
                                            : rejects_whole(r, second, shared)};
    if (answer.first && answer.second) {
        answer.first = covered_spikes(r, first) < covered_spikes(r, second);
        answer.second = !answer.first;
    }
    return answer;
}

/* Whether pattern j begins `shift` bins after pattern i at least `needed` times. */
static bool begins_often(const reduction *r, uint64_t i, uint64_t j, int64_t shift, int64_t needed)
{
    uint64_t a = r->first[i], b = r->first[j];
    const uint64_t end_a = r->first[i + 1], end_b = r->first[j + 1];
    int64_t found = 0;
    /* The end is sure as soon as too few occurrences are left: at once for most pairs, whose counts
     * are near the support. */
    while (found < needed && (int64_t)(end_a - a) >= needed - found &&
           (int64_t)(end_b - b) >= needed - found) {
        int64_t apart = r->place[r->window[b]] - r->place[r->window[a]];
        found += apart == shift;
        a += apart >= shift;
        b += apart <= shift;
    }
    return found >= needed;
}

static void judge_pair(reduction *r, uint64_t i, uint64_t j, int64_t shift, uint32_t shared)
{
    if (!r->keep[i] && !r->keep[j])
        return;
    uint32_t larger = size_of(r, i) > size_of(r, j) ? size_of(r, i) : size_of(r, j);
    rejection answer;
    if (shared == size_of(r, i) && shared < size_of(r, j)) {
        rejection turned = judge(r, j, i, shared);
        answer = (rejection){turned.second, turned.first};
    } else {
        answer = judge(r, i, j, shared);
    }
    answer.first = answer.first && r->keep[i];
    answer.second = answer.second && r->keep[j];
    if ((answer.first || answer.second) && begins_often(r, i, j, shift, support_of(r, larger))) {
        r->keep[i] = r->keep[i] && !answer.first;
        r->keep[j] = r->keep[j] && !answer.second;
    }
}

/* ---- all pairs ------------------------------------------------------------------------------- */

/* The pattern whose partners are looked for. */
typedef struct search {
    reduction *r;
    uint64_t i;
} search;

static void judge_partner(void *user, uint64_t j, int64_t shift, uint32_t shared)
{
    const search *s = user;
    if (j > s->i)
        judge_pair(s->r, s->i, j, shift, shared);
    else
        judge_pair(s->r, j, s->i, -shift, shared);
}

static spk_status judge_all(spk_context *context, reduction *r, spk_partners *partners)
{
    spk_status status = SPK_OK;
    for (uint64_t i = 0; status == SPK_OK && i < r->patterns.n; i++) {
        search s = {r, i};
        spk_partners_find(partners, i, judge_partner, &s);
        if (i % 256 == 0) {
            spk_progress(context, "reduction of patterns", i, r->patterns.n);
            status = spk_check_cancel(context);
        }
    }
    return status;
}

static spk_status reduce(spk_context *context, const spk_windows *windows, reduction *r)
{
    const spk_window_columns columns = spk_windows_columns(windows);
    const uint64_t n = r->patterns.n;
    const uint64_t n_spikes = r->patterns.offset[n] - r->patterns.offset[0];
    spk_status status = check(context, r, &columns);
    if (status == SPK_OK)
        status = verdicts_open(context, r->options.maxima, r->options.signatures,
                               r->options.n_signatures, r->options.published, &r->verdicts);
    if (status == SPK_OK)
        status =
            spk_alloc_columns(context, "the reduction", SPK_COLUMN(&r->rejected_whole, n_spikes),
                              SPK_COLUMN_ZERO(&r->first, n + 1), SPK_COLUMN(&r->least, n),
                              SPK_COLUMN(&r->place, columns.n_windows));
    if (status == SPK_OK)
        status = find_occurrences(context, windows, r);
    if (status != SPK_OK)
        return status;
    find_least(r);
    judge_sizes(r);
    place_windows(&columns, r->place);
    spk_partners *partners;
    const spk_partner_columns occurrences = {r->first, r->window, r->place, r->least};
    status = spk_partners_create(context, &columns, &r->patterns, &occurrences, &partners);
    if (status == SPK_OK)
        status = judge_all(context, r, partners);
    spk_partners_free(partners);
    return status;
}

spk_status spk_pattern_reduce(spk_context *context, const spk_windows *windows,
                              const spk_pattern_columns *patterns,
                              const spk_reduce_options *options, uint8_t *keep)
{
    reduction r = {.patterns = *patterns, .keep = keep};
    spk_status status = SPK_OPTIONS_TAKE(context, options, &r.options, spk_reduce_options);
    if (status != SPK_OK || patterns->n == 0)
        return status;
    memset(keep, 1, patterns->n);
    spk_stage stage = spk_stage_open(context);
    status = reduce(context, windows, &r);
    verdicts_close(&r.verdicts);
    spk_free_all(r.rejected_whole, r.place, r.window, r.first, r.least);
    spk_stage_close(context, &stage);
    return status;
}
