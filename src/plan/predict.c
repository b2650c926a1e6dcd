/*
 * The model: costs and a machine in, seconds and bytes out. Nothing is measured here.
 *
 * Constants that the code of ranks has are named beside the terms that they bear on.
 */
#include <math.h>

#include "base/context.h"
#include "base/options.h"
#include "spikemine/plan.h"

/* episode/by_time.c: pieces for each rank, the fewest candidates in one, bytes that a candidate
 * sends. */
enum { WAVE_PIECES = 8, WAVE_FEWEST = 16, WAVE_BYTES = 16 };

static const double STOPS_PAYING = 0.8;

SPK_OPTIONS_INIT(spk_plan_costs, .n_events = 1, .pieces_per_rank = 1, .largest_piece = 1,
                 .last_piece = 1, .time_work = 1, .measured_share = 1);

SPK_OPTIONS_INIT(spk_plan_machine, .ranks = 1, .threads = 1, .latency_s = 2e-6, .bandwidth = 1e10,
                 .file_bandwidth = 1e10);

const char *spk_plan_part_name(spk_plan_part part)
{
    static const char *const names[SPK_PLAN_N_PARTS] = {"read",     "prepare", "search", "wait",
                                                        "exchange", "repeat",  "write"};
    return (unsigned)part < SPK_PLAN_N_PARTS ? names[part] : "";
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool is_amount(double value)
{
    return value >= 0 && value < 1e300; /* false for what is no number */
}

static bool rounds_are_sound(const spk_plan_costs *c)
{
    bool good = c->n_rounds <= SPK_PLAN_MAX_ROUNDS;
    for (uint32_t k = 0; k < c->n_rounds && good; k++) {
        const spk_plan_round *r = &c->round[k];
        good = is_amount(r->fixed_s) && is_amount(r->event_s) && is_amount(r->bytes) &&
               is_amount(r->exchanges);
    }
    return good;
}

static spk_status check_costs(spk_context *context, const spk_plan_costs *c)
{
    const double amounts[] = {c->file_bytes,    c->read_s,        c->prepare_s,
                              c->repeat_s,      c->write_s,       c->piece_event_s,
                              c->time_work,     c->margin_events, c->bytes_an_event,
                              c->bytes_fixed,   c->surrogate_s,   c->pieces_per_rank - 1,
                              c->largest_piece, c->last_piece,    c->lines_s,
                              c->bytes_results, c->bytes_shared};
    bool good = c->n_events > 0 && rounds_are_sound(c);
    for (size_t k = 0; k < sizeof amounts / sizeof amounts[0]; k++)
        good = good && is_amount(amounts[k]);
    return good ? SPK_OK
                : spk_fail(context, SPK_ERR_ARGUMENT,
                           "the costs of a plan must be numbers of 0 or more, for at least one "
                           "event, with at least one piece for each rank");
}

static spk_status check_machine(spk_context *context, const spk_plan_machine *m)
{
    if (m->ranks == 0 || m->ranks > INT32_MAX || m->threads == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a plan needs 1 to %d ranks, with at least one thread each", INT32_MAX);
    if (!is_amount(m->latency_s) || !is_amount(m->bandwidth) || !is_amount(m->file_bandwidth) ||
        m->bandwidth <= 0 || m->file_bandwidth <= 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the latency of a plan must be 0 or more, its bandwidths above 0");
    return SPK_OK;
}

/* ---- terms ----------------------------------------------------------------------------------- */

typedef struct model {
    const spk_plan_costs *c;
    const spk_plan_machine *m;
    double ranks;
    double slow; /* ranks take turns where processors are too few */
    double hops; /* of a tree over all ranks */
    double held; /* events that a rank holds */
    bool by_time;
} model;

static model make_model(const spk_plan_costs *c, const spk_plan_machine *m, bool by_time)
{
    model out = {.c = c, .m = m, .ranks = m->ranks, .slow = 1, .by_time = by_time};
    const double n = (double)c->n_events;
    if (m->processors > 0)
        out.slow = fmax(1, out.ranks * m->threads / (double)m->processors);
    out.hops = ceil(log2(out.ranks));
    out.held = by_time ? fmin(n, ceil(n / out.ranks) + c->margin_events) : n;
    return out;
}

/* Each rank parses all bytes, or its part of them. The file system serves all of them. */
static double read_s(const model *m)
{
    double share = m->by_time && m->c->reads_parts ? m->held / (double)m->c->n_events : 1;
    double parsing = m->c->read_s * share * m->slow;
    double bytes = m->c->file_bytes * share * m->ranks;
    return fmax(parsing, bytes / m->m->file_bandwidth);
}

/* What goes to all ranks: their sizes, and a message of `senders` ranks each. */
static double spread_s(const model *m, double bytes, double senders)
{
    if (m->ranks < 2)
        return 0;
    return m->m->latency_s * m->hops * (1 + senders) + (2 * bytes + 8 * m->ranks) / m->m->bandwidth;
}

/* Pieces from one counter; results of all ranks go to all. */
static void share_items(const model *m, const spk_plan_round *r, double *part_s)
{
    const double n = (double)m->c->n_events, items = fmax(1, (double)r->items);
    const double pieces = m->ranks > 1 ? fmin(items, m->ranks * m->c->pieces_per_rank) : 1;
    const double all =
        r->fixed_s + r->event_s * n + (m->ranks > 1 ? pieces * m->c->piece_event_s * n : 0);
    const double mean = all / m->ranks * m->slow, piece = all / pieces;
    part_s[SPK_PLAN_WORK] += mean;
    if (m->ranks < 2)
        return;
    part_s[SPK_PLAN_WAIT] += fmax(m->c->largest_piece * piece - mean,
                                  0.5 * (1 - 1 / m->ranks) * m->c->last_piece * piece);
    /* Two barriers; two ways for each question to the counter. */
    part_s[SPK_PLAN_EXCHANGE] +=
        r->exchanges * (2 * m->hops + 2 * (pieces / m->ranks + 1)) * m->m->latency_s +
        r->exchanges * spread_s(m, r->bytes / fmax(1, r->exchanges), m->ranks);
}

/* A wave: pieces go from rank to rank, and the last rank tells the counts. */
static void pass_items(const model *m, const spk_plan_round *r, double *part_s)
{
    const double items = fmax(1, (double)r->items), blocks = fmax(1, r->exchanges);
    const double fair = fmax(WAVE_FEWEST, items / blocks / (m->ranks * WAVE_PIECES));
    const double pieces = fmax(1, ceil(items / blocks / fair)) * blocks;
    const double all = (r->fixed_s + r->event_s * m->held) * m->c->time_work +
                       pieces * m->c->piece_event_s * m->held;
    const double waves = (m->ranks - 1) * blocks; /* pieces that a rank waits for */
    part_s[SPK_PLAN_WORK] += all * m->slow;
    part_s[SPK_PLAN_WAIT] += waves * all / pieces;
    part_s[SPK_PLAN_EXCHANGE] +=
        (pieces + waves) * (m->m->latency_s + WAVE_BYTES * items / pieces / m->m->bandwidth) +
        blocks * spread_s(m, r->bytes / blocks, 1);
}

/* Surrogates are handed out one by one; each is searched by one rank. */
static void share_surrogates(const model *m, double *part_s)
{
    const double n = (double)m->c->surrogates, each = m->c->surrogate_s * m->slow;
    part_s[SPK_PLAN_WORK] += n / m->ranks * each;
    part_s[SPK_PLAN_WAIT] += (ceil(n / m->ranks) - n / m->ranks) * each;
    if (n > 0 && m->ranks > 1)
        part_s[SPK_PLAN_EXCHANGE] +=
            spread_s(m, 0, m->ranks) + 2 * m->m->latency_s * (n / m->ranks + 1);
}

static void predict(const spk_plan_costs *c, const spk_plan_machine *machine, bool by_time,
                    spk_plan_prediction *out)
{
    const model m = make_model(c, machine, by_time && machine->ranks > 1);
    const double share = m.held / (double)c->n_events;
    *out = (spk_plan_prediction){.divide = by_time ? SPK_DIVIDE_TIME : SPK_DIVIDE_CANDIDATES,
                                 .ranks = machine->ranks,
                                 .events_a_rank = m.held};
    out->part_s[SPK_PLAN_READ] = read_s(&m);
    out->part_s[SPK_PLAN_PREPARE] = c->prepare_s * share * m.slow;
    for (uint32_t k = 0; k < c->n_rounds; k++)
        (m.by_time ? pass_items : share_items)(&m, &c->round[k], out->part_s);
    share_surrogates(&m, out->part_s);
    out->part_s[SPK_PLAN_REPEAT] = c->repeat_s * m.slow;
    out->part_s[SPK_PLAN_WRITE] = c->write_s + c->lines_s / m.ranks * m.slow;
    for (int k = 0; k < SPK_PLAN_N_PARTS; k++) {
        out->seconds += out->part_s[k];
        if (out->part_s[k] > out->part_s[out->largest])
            out->largest = (spk_plan_part)k;
    }
    out->processor_s = machine->threads * m.ranks / m.slow *
                           (out->part_s[SPK_PLAN_PREPARE] + out->part_s[SPK_PLAN_WORK] +
                            out->part_s[SPK_PLAN_REPEAT] +
                            c->read_s * (c->reads_parts && m.by_time ? share : 1) * m.slow) +
                       c->write_s + c->lines_s;
    out->memory_bytes = c->bytes_fixed +
                        (m.ranks > 1 ? c->bytes_results + c->bytes_shared / m.ranks : 0) +
                        c->bytes_an_event * m.held;
    out->possible =
        m.held <= (double)SPK_MAX_EVENTS &&
        (machine->memory_bytes == 0 || out->memory_bytes <= (double)machine->memory_bytes);
}

/* ---- the calls ------------------------------------------------------------------------------- */

/* Copies costs and machine, whatever their sizes. */
static spk_status take(spk_context *context, const spk_plan_costs *costs,
                       const spk_plan_machine *machine, spk_plan_costs *c, spk_plan_machine *m)
{
    spk_status status = SPK_OPTIONS_TAKE(context, costs, c, spk_plan_costs);
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(context, machine, m, spk_plan_machine);
    if (status == SPK_OK)
        status = check_costs(context, c);
    if (status == SPK_OK)
        status = check_machine(context, m);
    if (status == SPK_OK && m->divide == SPK_DIVIDE_TIME && !c->divides_time)
        status = spk_fail(context, SPK_ERR_UNSUPPORTED,
                          "this job cannot be divided by time; divide the candidates");
    return status;
}

static void predict_ranks(const spk_plan_costs *c, const spk_plan_machine *m,
                          spk_plan_prediction *out)
{
    spk_plan_machine one = *m;
    spk_plan_prediction alone;
    one.ranks = 1;
    predict(c, &one, false, &alone);
    predict(c, m, m->divide == SPK_DIVIDE_TIME, out);
    out->efficiency = out->seconds > 0 ? alone.seconds / (m->ranks * out->seconds) : 1;
}

spk_status spk_plan_predict(spk_context *context, const spk_plan_costs *costs,
                            const spk_plan_machine *machine, spk_plan_prediction *out)
{
    spk_plan_costs c;
    spk_plan_machine m;
    *out = (spk_plan_prediction){.ranks = 0};
    spk_status status = take(context, costs, machine, &c, &m);
    if (status == SPK_OK)
        predict_ranks(&c, &m, out);
    return status;
}

spk_status spk_plan_limit(spk_context *context, const spk_plan_costs *costs,
                          const spk_plan_machine *machine, spk_plan_prediction *out)
{
    spk_plan_costs c;
    spk_plan_machine m;
    spk_plan_prediction twice;
    *out = (spk_plan_prediction){.ranks = 0};
    spk_status status = take(context, costs, machine, &c, &m);
    if (status != SPK_OK)
        return status;
    m.ranks = 1;
    predict_ranks(&c, &m, out);
    while (m.ranks < SPK_PLAN_MOST_RANKS) {
        m.ranks *= 2;
        predict_ranks(&c, &m, &twice);
        if (out->possible && twice.seconds > STOPS_PAYING * out->seconds)
            break;
        *out = twice;
    }
    return SPK_OK;
}

spk_status spk_plan_scale(spk_context *context, const spk_plan_costs *costs, uint64_t n_events,
                          spk_plan_costs *out)
{
    spk_plan_costs c;
    spk_status status = SPK_OPTIONS_TAKE(context, costs, &c, spk_plan_costs);
    if (status == SPK_OK)
        status = check_costs(context, &c);
    if (status == SPK_OK && n_events == 0)
        status = spk_fail(context, SPK_ERR_ARGUMENT, "a plan needs a recording with events");
    if (status != SPK_OK)
        return status;
    const double times = (double)n_events / (double)c.n_events;
    c.n_events = n_events;
    c.file_bytes *= times;
    c.read_s *= times;
    c.prepare_s *= times;
    c.surrogate_s *= times;
    *out = c;
    return SPK_OK;
}
