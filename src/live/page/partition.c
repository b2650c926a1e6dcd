/* A partition's result as JSON. Results may be large; one pass keeps the best ones. */
#include "live/page/page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "report/page/page.h"
#include "report/page/put.h"

enum { KEPT = 4096, ROOM = 2 * KEPT };

/* An episode, or a step of one. */
typedef struct candidate {
    uint64_t episode;
    uint64_t count;
    double p;      /* 2 where it was not tested */
    double excess; /* of its count over what chance gives; 0 where it was not tested */
    uint32_t size;
    uint32_t different; /* units */
    bool steady;
    uint32_t from, to; /* units of the partition's recording, of steps */
} candidate;

typedef int compare(const void *a, const void *b);

/* The best of all that came: at most ROOM at a time. */
typedef struct best {
    candidate *list;
    uint64_t n;
    compare *order;
} best;

/* Bursts of one unit last; small p first, then what changed, then many different units, then what
 * exceeds chance most, then long ones, then frequent ones, then the list's order. */
static int compare_episodes(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return SPK_BY(SPK_DOWN(x->different > 1, y->different > 1), SPK_UP(x->p, y->p),
                  SPK_UP(x->steady, y->steady), SPK_DOWN(x->different, y->different),
                  SPK_DOWN(x->excess, y->excess), SPK_DOWN(x->size, y->size),
                  SPK_DOWN(x->count, y->count), SPK_UP(x->episode, y->episode));
}

static int compare_steps(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return SPK_BY(SPK_DOWN(x->count, y->count), SPK_UP(x->episode, y->episode));
}

static void sort(best *b)
{
    if (b->n > 0)
        qsort(b->list, (size_t)b->n, sizeof *b->list, b->order);
}

static void add(best *b, const candidate *c)
{
    if (b->n == ROOM) {
        sort(b);
        b->n = KEPT;
    }
    b->list[b->n++] = *c;
}

/* ---- episodes -------------------------------------------------------------------------------- */

static uint32_t different_units(const uint32_t *unit, uint32_t size)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < size; k++) {
        uint32_t j = 0;
        while (unit[j] != unit[k])
            j++;
        n += j == k;
    }
    return n;
}

static candidate episode_of(const spk_partition_result *r, const spk_episode_columns *e, uint64_t i)
{
    const bool tested = r->p != NULL && e == r->episodes;
    const uint32_t size = (uint32_t)(e->offset[i + 1] - e->offset[i]);
    return (candidate){.episode = i,
                       .count = e->count[i],
                       .p = tested ? r->p[i] : 2,
                       .excess = tested ? (double)e->count[i] - r->expected[i] : 0,
                       .size = size,
                       .different = different_units(e->unit + e->offset[i], size),
                       .steady =
                           e == r->episodes && r->trend != NULL && r->trend[i] == SPK_TREND_STEADY};
}

/* Single units are no structure. */
static void choose_episodes(best *b, const spk_partition_result *r, const spk_episode_columns *e)
{
    *b = (best){.list = b->list, .order = compare_episodes};
    for (uint64_t i = 0; e != NULL && i < e->n; i++) {
        const candidate c = episode_of(r, e, i);
        if (c.size > 1)
            add(b, &c);
    }
    sort(b);
}

static spk_status put_name(spk_context *context, const spk_recording *recording,
                           const spk_episode_columns *e, uint64_t i, FILE *out)
{
    char small[256], *text = NULL;
    const size_t n = spk_episode_format(recording, e, i, small, sizeof small);
    if (n < sizeof small) {
        page_put_string(out, small);
        return SPK_OK;
    }
    spk_status status = spk_alloc(context, &text, n + 1, "the name of an episode");
    if (status != SPK_OK)
        return status;
    spk_episode_format(recording, e, i, text, n + 1);
    page_put_string(out, text);
    free(text);
    return SPK_OK;
}

/* What a browser needs to find occurrences by itself: units, as the stream numbers them, and the
 * bounds that the user asked for, in ticks. 50 ms are 1.5 ticks of 1/30 s: between whole ticks they
 * admit the same as 1 does. */
static spk_status put_shape(spk_context *context, spk_live_stream *stream,
                            const spk_recording *recording, const spk_episode_columns *e,
                            uint64_t i, FILE *out)
{
    const spk_rate rate = spk_live_stream_rate(stream);
    spk_status status = SPK_OK;
    fputs(",[", out);
    for (uint64_t at = e->offset[i]; at < e->offset[i + 1] && status == SPK_OK; at++) {
        uint32_t unit = 0;
        status = spk_live_stream_unit(context, stream, spk_recording_label(recording, e->unit[at]),
                                      &unit);
        fprintf(out, "%s%" PRIu32, at > e->offset[i] ? "," : "", unit);
    }
    fputs("],[", out);
    for (uint64_t at = e->offset[i] + 1; at < e->offset[i + 1]; at++) {
        const spk_delay *delay = &e->delays[e->delay[at]];
        fputs(at > e->offset[i] + 1 ? "," : "", out);
        page_put_real(out, page_ticks_at(rate, delay->lo));
        fputc(',', out);
        page_put_real(out, page_ticks_at(rate, delay->hi));
    }
    fputc(']', out);
    return status;
}

static const char *trend_name(const spk_partition_result *r, uint64_t i)
{
    static const char *const names[] = {"new", "growing", "steady", "shrinking"};
    return names[r->trend != NULL ? r->trend[i] : SPK_TREND_NEW];
}

/* A value of a test, where there was one. */
static void put_tested(const double *value, uint64_t episode, FILE *out)
{
    if (value != NULL)
        page_put_real(out, value[episode]);
    else
        fputs("null", out);
}

/* Numbers of all episodes by trend; the lists have the best ones. Single units are none. */
static void put_trends(const spk_partition_result *r, FILE *out)
{
    uint64_t n[SPK_TREND_SHRINKING + 1] = {0}, vanished = 0;
    for (uint64_t i = 0; i < r->episodes->n; i++)
        if (r->episodes->offset[i + 1] - r->episodes->offset[i] > 1)
            n[r->trend != NULL ? r->trend[i] : SPK_TREND_NEW]++;
    for (uint64_t i = 0; r->vanished != NULL && i < r->vanished->n; i++)
        vanished += r->vanished->offset[i + 1] - r->vanished->offset[i] > 1;
    fprintf(out,
            ",\"trends\":{\"new\":%" PRIu64 ",\"growing\":%" PRIu64 ",\"steady\":%" PRIu64
            ",\"shrinking\":%" PRIu64 ",\"vanished\":%" PRIu64 "}",
            n[SPK_TREND_NEW], n[SPK_TREND_GROWING], n[SPK_TREND_STEADY], n[SPK_TREND_SHRINKING],
            vanished);
}

static spk_status put_episodes(spk_context *context, spk_live_stream *stream, best *b,
                               const spk_partition_result *r, FILE *out)
{
    spk_status status = SPK_OK;
    choose_episodes(b, r, r->episodes);
    fputs(",\"episodes\":[", out);
    for (uint64_t k = 0; k < b->n && k < PARTITION_EPISODES && status == SPK_OK; k++) {
        const candidate *c = &b->list[k];
        fputs(k > 0 ? ",[" : "[", out);
        status = put_name(context, r->recording, r->episodes, c->episode, out);
        fprintf(out, ",%" PRIu64 ",", c->count);
        if (r->before != NULL && r->before[c->episode] > 0)
            fprintf(out, "%" PRIu64, r->before[c->episode]);
        else
            fputs("null", out);
        fprintf(out, ",\"%s\",", trend_name(r, c->episode));
        put_tested(r->p, c->episode, out);
        if (status == SPK_OK)
            status = put_shape(context, stream, r->recording, r->episodes, c->episode, out);
        fputc(',', out);
        put_tested(r->expected, c->episode, out);
        fputc(']', out);
    }
    fputc(']', out);
    return status;
}

static spk_status put_vanished(spk_context *context, spk_live_stream *stream, best *b,
                               const spk_partition_result *r, FILE *out)
{
    spk_status status = SPK_OK;
    choose_episodes(b, r, r->vanished);
    fputs(",\"vanished\":[", out);
    for (uint64_t k = 0; k < b->n && k < PARTITION_VANISHED && status == SPK_OK; k++) {
        fputs(k > 0 ? ",[" : "[", out);
        status = put_name(context, r->recording, r->vanished, b->list[k].episode, out);
        fprintf(out, ",%" PRIu64, b->list[k].count);
        if (status == SPK_OK)
            status = put_shape(context, stream, r->recording, r->vanished, b->list[k].episode, out);
        fputc(']', out);
    }
    fputc(']', out);
    return status;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void add_steps(best *b, const spk_partition_result *r, uint32_t size)
{
    const spk_episode_columns *e = r->episodes;
    for (uint64_t i = 0; i < e->n; i++) {
        candidate c = episode_of(r, e, i);
        if (size > 0 && c.size != size)
            continue;
        for (uint64_t at = e->offset[i]; at + 1 < e->offset[i + 1]; at++) {
            c.from = e->unit[at];
            c.to = e->unit[at + 1];
            if (c.from != c.to)
                add(b, &c);
        }
    }
}

/* Whether a step is among the strongest ones: the same two units once, and a few from each unit and
 * to each one. A busy unit would follow and precede all others. */
static bool is_listed(const candidate *listed, uint64_t n, const candidate *c)
{
    unsigned from = 0, to = 0;
    for (uint64_t k = 0; k < n; k++) {
        if (listed[k].from == c->from && listed[k].to == c->to)
            return false;
        from += listed[k].from == c->from;
        to += listed[k].to == c->to;
    }
    return from < PARTITION_PER_UNIT && to < PARTITION_PER_UNIT;
}

/* Episodes of two units are all steps that are frequent; without them the steps of longer ones. */
static uint64_t choose_steps(best *b, const spk_partition_result *r)
{
    *b = (best){.list = b->list, .order = compare_steps};
    add_steps(b, r, 2);
    if (b->n == 0)
        add_steps(b, r, 0);
    sort(b);
    uint64_t n = 0;
    for (uint64_t k = 0; k < b->n && n < PARTITION_STEPS; k++)
        if (is_listed(b->list, n, &b->list[k]))
            b->list[n++] = b->list[k];
    return n;
}

static spk_status put_steps(spk_context *context, spk_live_stream *stream, best *b,
                            const spk_partition_result *r, FILE *out)
{
    spk_status status = SPK_OK;
    const uint64_t n = choose_steps(b, r);
    fputs(",\"edges\":[", out);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        const candidate *c = &b->list[k];
        uint32_t from = 0, to = 0;
        status = spk_live_stream_unit(context, stream, spk_recording_label(r->recording, c->from),
                                      &from);
        if (status == SPK_OK)
            status = spk_live_stream_unit(context, stream, spk_recording_label(r->recording, c->to),
                                          &to);
        fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",\"%s\"]", k > 0 ? "," : "", from, to,
                c->count, trend_name(r, c->episode));
    }
    fputc(']', out);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void put_head(const spk_live_stream *stream, const spk_partition_result *r, FILE *out)
{
    static const char *const state[] = {"mined", "cut", "skipped"};
    const spk_rate rate = spk_live_stream_rate(stream);
    const double tick_s = (double)rate.denominator / (double)rate.numerator;
    fprintf(out, "{\"number\":%" PRId64 ",\"state\":\"%s\",\"start_s\":", r->number,
            state[r->state]);
    page_put_real(out, (double)r->slice.start * tick_s);
    fputs(",\"stop_s\":", out);
    page_put_real(out, (double)r->slice.stop * tick_s);
    fprintf(out, ",\"events\":%" PRIu64 ",\"series\":%" PRIu64, r->n_events, r->series);
    fprintf(out, ",\"start\":\"%" PRId64 "\",\"stop\":\"%" PRId64 "\",\"why\":", r->slice.start,
            r->slice.stop);
    page_put_string(out, r->why != NULL ? r->why : "");
    fputs(",\"lag_s\":", out);
    page_put_real(out, r->lag_s);
}

static void put_mining(const spk_partition_result *r, FILE *out)
{
    fprintf(out, ",\"found\":%" PRIu64 ",\"support\":%" PRIu64 ",\"raised\":%s,\"seconds\":",
            r->episodes->n, r->support, r->support_raised ? "true" : "false");
    page_put_real(out, r->seconds);
    fputs(",\"engine\":", out);
    page_put_string(out, r->engine != NULL ? r->engine : "");
    fputs(",\"tested\":", out);
    page_put_string(out, r->tested != NULL ? r->tested : "");
    fprintf(out, ",\"significant\":%" PRIu64 ",\"before\":", r->n_significant);
    if (r->has_before)
        fprintf(out, "%" PRId64, r->before_number);
    else
        fputs("null", out);
}

spk_status partition_write(spk_context *context, spk_live_stream *stream,
                           const spk_partition_result *result, FILE *out)
{
    put_head(stream, result, out);
    if (result->state == SPK_PARTITION_SKIPPED || result->episodes == NULL) {
        fputs(",\"episodes\":[],\"vanished\":[],\"edges\":[]}", out);
        return SPK_OK;
    }
    best b = {0};
    spk_status status = spk_alloc(context, &b.list, ROOM, "a partition on the page");
    if (status != SPK_OK)
        return status;
    put_mining(result, out);
    put_trends(result, out);
    status = put_episodes(context, stream, &b, result, out);
    if (status == SPK_OK && result->vanished != NULL)
        status = put_vanished(context, stream, &b, result, out);
    else
        fputs(",\"vanished\":[]", out);
    if (status == SPK_OK)
        status = put_steps(context, stream, &b, result, out);
    fputc('}', out);
    free(b.list);
    return status;
}
