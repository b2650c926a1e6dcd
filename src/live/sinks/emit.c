/* The sinks of a session: their list, and what goes to all of them. */
#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "base/memory.h"
#include "base/options.h"
#include "live/sinks/line.h"
#include "live/sinks/sink.h"

static const live_sink_kind *const kinds[] = {&live_sink_stdout, &live_sink_tcp, &live_sink_zmq,
                                              &live_sink_lsl, &live_sink_open_ephys};

enum { MOST_SINKS = 16, N_KINDS = sizeof kinds / sizeof kinds[0] };

/* Occurrences that follow each other faster than this leave together. */
enum { BURST_NS = 50000 };

/* Clients are looked after so often. */
enum { SERVICE_NS = 2000000 };

typedef struct sink {
    const live_sink_kind *kind;
    void *self;
    char *address;
} sink;

struct spk_live_emit {
    spk_context *context;
    spk_live_emit_options options;
    const spk_live_stream *stream;
    sink sink[MOST_SINKS];
    size_t n;
    bool has_lines;  /* some sink takes lines */
    bool drained;    /* and nothing was sent since */
    bool has_chosen; /* episodes that somebody chose on the page: those from this number on */
    uint64_t first_chosen;
    live_line line; /* lines that are held */
    live_json json;
    int64_t *arrival; /* of the occurrences that are held */
    uint64_t n_held;
    uint64_t capacity;
    int64_t flushed_ns;
    int64_t served_ns;
    uint64_t occurrences;
    spk_live_latency latency;
};

/* ---- opening --------------------------------------------------------------------------------- */

SPK_OPTIONS_INIT(spk_live_emit_options, .client_bytes = 4u << 20);

static spk_status fail_kind(spk_context *context, const char *address)
{
    char names[256] = "";
    for (size_t k = 0; k < N_KINDS; k++) {
        if (k > 0)
            strncat(names, k + 1 < N_KINDS ? ", " : " or ", sizeof names - strlen(names) - 1);
        strncat(names, kinds[k]->name, sizeof names - strlen(names) - 1);
    }
    return spk_fail(context, SPK_ERR_ARGUMENT, "there is no sink '%s'; take %s", address, names);
}

static spk_status open_sink(spk_live_emit *emit, const char *address)
{
    live_sink_setup setup = {.context = emit->context,
                             .address = address,
                             .rest = "",
                             .client_bytes = emit->options.client_bytes};
    size_t n = strcspn(address, ":");
    const live_sink_kind *kind = NULL;
    if (address[n] == ':')
        setup.rest = address + n + 1;
    for (size_t k = 0; k < N_KINDS; k++)
        if (strlen(kinds[k]->name) == n && memcmp(kinds[k]->name, address, n) == 0)
            kind = kinds[k];
    if (kind == NULL)
        return fail_kind(emit->context, address);
    if (address[n] == ':' && setup.rest[0] == '\0')
        return live_sink_fail_address(&setup, kind->usage);
    for (size_t k = 0; k < emit->n; k++)
        if (strcmp(emit->sink[k].address, address) == 0)
            return spk_fail(emit->context, SPK_ERR_ARGUMENT,
                            "the sink %s is given twice; give it once", address);
    if (emit->n == MOST_SINKS)
        return spk_fail(emit->context, SPK_ERR_ARGUMENT, "there are more than %d sinks; take fewer",
                        MOST_SINKS);
    sink *s = &emit->sink[emit->n];
    spk_status status = spk_strdup(emit->context, &s->address, address);
    if (status == SPK_OK)
        status = kind->open(&setup, &s->self);
    if (status != SPK_OK) {
        free(s->address);
        s->address = NULL;
        return status;
    }
    s->kind = kind;
    emit->n++;
    emit->has_lines |= kind->lines != NULL;
    return SPK_OK;
}

static spk_status open_all(spk_live_emit *emit, const char *addresses)
{
    char *text = NULL;
    char *rest = NULL;
    if (addresses == NULL || addresses[0] == '\0')
        return SPK_OK;
    spk_status status = spk_strdup(emit->context, &text, addresses);
    if (status != SPK_OK)
        return status;
    char *at = text;
    do {
        rest = strchr(at, ',');
        if (rest != NULL)
            *rest = '\0';
        status = open_sink(emit, at);
        at = rest != NULL ? rest + 1 : NULL;
    } while (at != NULL && status == SPK_OK);
    free(text);
    return status;
}

spk_status spk_live_emit_open(spk_context *context, const char *addresses,
                              const spk_live_emit_options *options, spk_live_emit **out)
{
    spk_live_emit_options own;
    spk_live_emit *emit = NULL;
    *out = NULL;
    spk_status status = SPK_OPTIONS_TAKE(context, options, &own, spk_live_emit_options);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &emit, 1, "sinks");
    if (status != SPK_OK)
        return status;
    emit->context = context;
    emit->options = own;
    emit->line.context = context;
    emit->json.context = context;
    status = open_all(emit, addresses);
    if (status != SPK_OK) {
        spk_live_emit_free(emit);
        return status;
    }
    *out = emit;
    return SPK_OK;
}

void spk_live_emit_set_stream(spk_live_emit *emit, const spk_live_stream *stream)
{
    emit->stream = stream;
    emit->json.stream = stream;
}

/* ---- sending --------------------------------------------------------------------------------- */

static void close_sink(spk_live_emit *emit, size_t k)
{
    emit->sink[k].kind->close(emit->sink[k].self);
    free(emit->sink[k].address);
    emit->n--;
    memmove(&emit->sink[k], &emit->sink[k + 1], (emit->n - k) * sizeof emit->sink[0]);
    emit->has_lines = false;
    for (size_t i = 0; i < emit->n; i++)
        emit->has_lines |= emit->sink[i].kind->lines != NULL;
}

/* Sends the lines that are held to all sinks. The first failure is told; a sink whose reader has
 * gone is closed. */
static spk_status send_lines(spk_live_emit *emit)
{
    spk_status status = emit->line.status;
    emit->drained = false;
    for (size_t k = 0; k < emit->n && emit->line.length > 0;) {
        const sink *s = &emit->sink[k];
        spk_status done = s->kind->lines != NULL
                              ? s->kind->lines(s->self, emit->line.text, emit->line.length)
                              : SPK_OK;
        status = status == SPK_OK ? done : status;
        if (done == SPK_ERR_PIPE)
            close_sink(emit, k);
        else
            k++;
    }
    emit->line.length = 0;
    emit->flushed_ns = spk_now_ns();
    for (uint64_t k = 0; k < emit->n_held; k++)
        spk_live_latency_add(&emit->latency, emit->flushed_ns - emit->arrival[k]);
    emit->n_held = 0;
    return status;
}

/* To the sinks that take no lines. */
static spk_status send_occurrence(spk_live_emit *emit, const spk_live_occurrence *occurrence)
{
    spk_status status = SPK_OK;
    const bool chosen =
        emit->has_chosen && !occurrence->is_pattern && occurrence->item >= emit->first_chosen;
    for (size_t k = 0; k < emit->n && status == SPK_OK; k++)
        if (emit->sink[k].kind->occurrence != NULL && !(chosen && emit->sink[k].kind->listed_only))
            status = emit->sink[k].kind->occurrence(emit->sink[k].self, occurrence);
    return status;
}

spk_status spk_live_emit_occurrence(void *user, const spk_live_occurrence *occurrence)
{
    spk_live_emit *emit = user;
    emit->occurrences++;
    emit->drained = false;
    if (emit->n == 0)
        return SPK_OK;
    spk_status status =
        spk_grow(emit->context, &emit->arrival, &emit->capacity, emit->n_held + 1, "occurrences");
    if (status != SPK_OK)
        return status;
    emit->arrival[emit->n_held++] = occurrence->arrival_ns;
    status = send_occurrence(emit, occurrence);
    int64_t now = spk_now_ns();
    if (emit->has_lines)
        status = status == SPK_OK ? live_json_occurrence(&emit->json, &emit->line, occurrence, now)
                                  : status;
    if (status != SPK_OK)
        return status;
    return now - emit->flushed_ns >= BURST_NS ? send_lines(emit) : SPK_OK;
}

spk_status spk_live_emit_partition(spk_live_emit *emit, const spk_partition_result *result)
{
    if (!emit->has_lines)
        return SPK_OK;
    spk_status status =
        live_json_partition(&emit->json, &emit->line, result, emit->options.most_episodes);
    return status == SPK_OK ? send_lines(emit) : status;
}

spk_status spk_live_emit_mark(spk_live_emit *emit, const spk_live_mark *mark)
{
    spk_status status = SPK_OK;
    for (size_t k = 0; k < emit->n && status == SPK_OK; k++)
        if (emit->sink[k].kind->mark != NULL)
            status = emit->sink[k].kind->mark(emit->sink[k].self, mark,
                                              spk_live_stream_rate(emit->stream));
    if (!emit->has_lines || status != SPK_OK)
        return status;
    status = live_json_mark(&emit->json, &emit->line, mark);
    return status == SPK_OK ? send_lines(emit) : status;
}

spk_status spk_live_emit_choice(spk_live_emit *emit, const spk_live_choice *choice)
{
    if (!emit->has_chosen)
        emit->first_chosen = choice->item;
    emit->has_chosen = true;
    if (!emit->has_lines)
        return SPK_OK;
    spk_status status = live_json_choice(&emit->json, &emit->line, choice);
    return status == SPK_OK ? send_lines(emit) : status;
}

/* `count` has room for the counts of all items, twice where the watch has a window. */
static spk_status add_counts(spk_live_emit *emit, spk_live_watch *watch, uint64_t *count)
{
    const uint64_t n_episodes = spk_live_watch_n_episodes(watch);
    const uint64_t n_patterns = spk_live_watch_n_patterns(watch);
    live_counts counts = {.n_episodes = n_episodes,
                          .n_patterns = n_patterns,
                          .episodes = count,
                          .patterns = count + n_episodes};
    spk_live_watch_counts(watch, count, count + n_episodes);
    if (spk_live_watch_has_window(watch)) {
        uint64_t *recent = count + n_episodes + n_patterns;
        spk_live_watch_recent(watch, recent, recent + n_episodes);
        counts.recent_episodes = recent;
        counts.recent_patterns = recent + n_episodes;
    }
    return live_json_counts(&emit->json, &emit->line, &counts);
}

spk_status spk_live_emit_counts(spk_live_emit *emit, spk_live_watch *watch)
{
    uint64_t *count = NULL;
    if (!emit->has_lines)
        return SPK_OK;
    const uint64_t n = spk_live_watch_n_episodes(watch) + spk_live_watch_n_patterns(watch);
    spk_status status = spk_alloc(emit->context, &count, 2 * n, "counts");
    if (status == SPK_OK)
        status = add_counts(emit, watch, count);
    free(count);
    return status == SPK_OK ? send_lines(emit) : status;
}

spk_status spk_live_emit_flush(spk_live_emit *emit)
{
    spk_status status = emit->n_held > 0 || emit->line.length > 0 ? send_lines(emit) : SPK_OK;
    const int64_t now = spk_now_ns();
    if (now - emit->served_ns < SERVICE_NS)
        return status;
    emit->served_ns = now;
    for (size_t k = 0; k < emit->n && status == SPK_OK; k++)
        if (emit->sink[k].kind->service != NULL)
            status = emit->sink[k].kind->service(emit->sink[k].self);
    return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

spk_live_emit_facts spk_live_emit_get_facts(const spk_live_emit *emit)
{
    live_sink_facts sum = {.clients = 0};
    for (size_t k = 0; k < emit->n; k++)
        if (emit->sink[k].kind->get_facts != NULL)
            emit->sink[k].kind->get_facts(emit->sink[k].self, &sum);
    return (spk_live_emit_facts){emit->n,    emit->occurrences, sum.clients,
                                 sum.served, sum.dropped,       sum.unsent};
}

const spk_live_latency *spk_live_emit_latency(const spk_live_emit *emit)
{
    return emit != NULL ? &emit->latency : NULL;
}

spk_status spk_live_emit_drain(spk_live_emit *emit)
{
    enum { DRAIN_MS = 1000 };
    spk_status status = emit->line.length > 0 ? send_lines(emit) : SPK_OK;
    for (size_t k = 0; k < emit->n && !emit->drained; k++)
        if (emit->sink[k].kind->drain != NULL)
            emit->sink[k].kind->drain(emit->sink[k].self, DRAIN_MS);
    emit->drained = true;
    return status;
}

void spk_live_emit_free(spk_live_emit *emit)
{
    if (emit == NULL)
        return;
    const spk_status status = spk_live_emit_drain(emit);
    (void)status; /* there is nobody to tell */
    while (emit->n > 0)
        close_sink(emit, emit->n - 1);
    live_line_clear(&emit->line);
    live_json_clear(&emit->json);
    free(emit->arrival);
    free(emit);
}
