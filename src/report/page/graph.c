/* Who follows whom: the strongest steps from one unit to another one. */
#include "report/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/order.h"

/* A busy unit follows and precedes all others: of the steps from one unit, and to one, only the
 * strongest are listed. */
enum { PER_UNIT = 3, MOST_EDGES = 400, FIRST_ROOM = 1 << 18 };

/* A step from one unit to the next one of a result. */
typedef struct edge {
    uint32_t from;
    uint32_t to;
    double strength;
    uint64_t count; /* of the result */
    uint32_t gap;   /* number of the delay, bins between two spikes of a pattern, or a sequence */
} edge;

typedef struct edges {
    edge *list;
    uint64_t n;
    uint64_t capacity;
    uint64_t limit; /* number at which weaker ones of the same two units are dropped */
} edges;

/* ---- the strongest step of each two units ---------------------------------------------------- */

/* The strongest first; of equal ones the order of the results has no part. */
static int compare_strength(const edge *x, const edge *y)
{
    return SPK_BY(SPK_DOWN(x->strength, y->strength), SPK_DOWN(x->count, y->count),
                  SPK_UP(x->gap, y->gap));
}

static int compare_ends(const edge *x, const edge *y)
{
    return SPK_BY(SPK_UP(x->from, y->from), SPK_UP(x->to, y->to));
}

static int compare_units(const void *a, const void *b)
{
    return SPK_BY(compare_ends(a, b), compare_strength(a, b));
}

static int compare_edges(const void *a, const void *b)
{
    return SPK_BY(compare_strength(a, b), compare_ends(a, b));
}

static void drop_weaker(edges *e)
{
    uint64_t kept = 0;
    if (e->n > 0)
        qsort(e->list, (size_t)e->n, sizeof *e->list, compare_units);
    for (uint64_t k = 0; k < e->n; k++)
        if (kept == 0 || e->list[kept - 1].from != e->list[k].from ||
            e->list[kept - 1].to != e->list[k].to)
            e->list[kept++] = e->list[k];
    e->n = kept;
}

static spk_status add_edge(const page *p, edges *e, const edge *step)
{
    if (e->n >= e->limit) {
        drop_weaker(e);
        e->limit = e->n > e->limit / 2 ? 2 * e->limit : e->limit;
    }
    spk_status status = spk_grow(p->context, &e->list, &e->capacity, e->n + 1, "a graph");
    if (status == SPK_OK)
        e->list[e->n++] = *step;
    return status;
}

/* The count, or after an exact test its excess over chance; 0: no step of the graph. */
static double strength_of(const page *p, uint64_t i)
{
    const double count = (double)page_count(p, i);
    return p->options.exact != NULL ? fmax(0, count - p->exact.verdict[i].expected) : count;
}

/* After a test the steps of significant results alone; what was not tested has no excess. */
static bool is_welcome(const page *p, uint64_t i)
{
    return p->options.exact != NULL        ? page_is_significant(p, i)
           : p->options.signatures != NULL ? page_is_significant(p, i)
                                           : true;
}

/* The step from place `from` of result i to place `to`, unless it stays at its unit. */
static spk_status add_step(const page *p, edges *e, uint64_t i, uint64_t from, uint64_t to,
                           uint32_t gap)
{
    const edge step = {page_unit(p, from), page_unit(p, to), strength_of(p, i), page_count(p, i),
                       gap};
    return step.from != step.to ? add_edge(p, e, &step) : SPK_OK;
}

/* The step to the member at place `to` of sequence i from the one before it: the occurrences that
 * have both. */
static spk_status add_member_step(const page *p, edges *e, uint64_t i, uint64_t to)
{
    const spk_sequence_columns *c = p->sequences;
    const uint32_t size = page_size(p, i);
    const uint32_t *spike = c->spike + c->spike_first[i] + (to - page_offset(p, i));
    edge step = {.from = page_unit(p, to - 1), .to = page_unit(p, to), .gap = (uint32_t)i + 1};
    for (uint64_t o = page_count(p, i); o > 0; o--, spike += size)
        step.count += spike[-1] != SPK_SEQUENCE_MISSING && spike[0] != SPK_SEQUENCE_MISSING;
    step.strength = (double)step.count;
    return step.count > 0 ? add_edge(p, e, &step) : SPK_OK;
}

/* The steps to the spike at place `to` of pattern i, from all spikes with the lag before its own:
 * of spikes that fire together none follows another. */
static spk_status add_pattern_steps(const page *p, edges *e, uint64_t i, uint64_t to)
{
    const uint32_t *item = p->patterns->item, window = p->patterns->window;
    const uint64_t first = page_offset(p, i);
    spk_status status = SPK_OK;
    uint64_t k = to;
    while (k > first && item[k - 1] % window == item[to] % window)
        k--;
    const uint32_t gap = k > first ? item[to] % window - item[k - 1] % window : 0;
    for (; k > first && item[to] % window - item[k - 1] % window == gap && status == SPK_OK; k--)
        status = add_step(p, e, i, k - 1, to, gap);
    return status;
}

static spk_status collect(const page *p, edges *e)
{
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < page_n_results(p) && status == SPK_OK; i++) {
        if (i % 65536 == 0)
            status = spk_check_cancel(p->context);
        if (!is_welcome(p, i) || strength_of(p, i) <= 0)
            continue;
        for (uint64_t at = page_offset(p, i) + 1; at < page_offset(p, i + 1) && status == SPK_OK;
             at++)
            status = p->sequences != NULL  ? add_member_step(p, e, i, at)
                     : p->episodes != NULL ? add_step(p, e, i, at - 1, at, p->episodes->delay[at])
                                           : add_pattern_steps(p, e, i, at);
    }
    drop_weaker(e);
    return status;
}

/* ---- the ones that are listed ---------------------------------------------------------------- */

/* Leaves the strongest, in this order. */
static spk_status choose(const page *p, edges *e)
{
    const uint32_t n_units = spk_recording_events(p->recording).n_units;
    uint8_t *out = NULL, *in = NULL;
    uint64_t kept = 0;
    spk_status status = spk_alloc_columns(p->context, "a graph", SPK_COLUMN_ZERO(&out, n_units),
                                          SPK_COLUMN_ZERO(&in, n_units));
    if (status == SPK_OK && e->n > 0)
        qsort(e->list, (size_t)e->n, sizeof *e->list, compare_edges);
    for (uint64_t k = 0; k < e->n && status == SPK_OK && kept < MOST_EDGES; k++) {
        const edge *step = &e->list[k];
        if (out[step->from] == PER_UNIT || in[step->to] == PER_UNIT)
            continue;
        out[step->from]++;
        in[step->to]++;
        e->list[kept++] = *step;
    }
    e->n = kept;
    spk_free(p->context, out);
    spk_free(p->context, in);
    return status;
}

static void put_edge(const page *p, const edge *e, bool first)
{
    char text[112];
    fprintf(p->out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",", first ? "" : ",\n", e->from, e->to,
            e->count);
    if (p->options.exact != NULL)
        page_put_real(p->out, round(10 * e->strength) / 10);
    else
        fputs("null", p->out);
    if (p->sequences != NULL)
        snprintf(text, sizeof text, "sequence %" PRIu32, e->gap);
    else if (p->episodes != NULL)
        spk_delay_format(&p->episodes->delays[e->gap], text, sizeof text);
    else
        snprintf(text, sizeof text, "%" PRIu32 " bin%s", e->gap, e->gap == 1 ? "" : "s");
    fputc(',', p->out);
    page_put_string(p->out, text);
    fputc(']', p->out);
}

spk_status page_put_graph(page *p)
{
    edges e = {.limit = FIRST_ROOM};
    spk_status status = collect(p, &e);
    if (status == SPK_OK)
        status = choose(p, &e);
    fputs(",\n\"graph\":{\"edges\":[", p->out);
    for (uint64_t k = 0; k < e.n && status == SPK_OK; k++)
        put_edge(p, &e.list[k], k == 0);
    fputs("]}", p->out);
    spk_free(p->context, e.list);
    return status;
}
