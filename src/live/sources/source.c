/* Sources as their users see them: opening by address, polling, facts. */
#include "live/sources/source.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"

SPK_OPTIONS_INIT(spk_live_source_options, .tick = {1000000000, 1}, .speed = 1, .reconnect = true,
                 .connect_timeout_s = 5, .max_units = SPK_MAX_UNITS, .control_port = 5000);

/* ---- opening --------------------------------------------------------------------------------- */

/* The kind of the address, and what follows the scheme. */
static const spk_live_kind *find_kind(const char *address, const char **rest)
{
    const spk_live_kind *kind;
    const spk_live_kind *files = NULL;
    for (size_t k = 0; (kind = spk_live_kind_at(k)) != NULL; k++) {
        const size_t n = strlen(kind->scheme);
        *rest = address + n;
        if (n == 0)
            files = kind;
        else if (strcmp(kind->scheme, "-") == 0 ? strcmp(address, "-") == 0
                                                : strncmp(address, kind->scheme, n) == 0)
            return kind;
    }
    *rest = address;
    return strstr(address, "://") == NULL ? files : NULL;
}

static spk_status fail_address(spk_context *context, const char *address)
{
    char known[400] = "";
    size_t used = 0;
    const spk_live_kind *kind;
    for (size_t k = 0; (kind = spk_live_kind_at(k)) != NULL && used < sizeof known; k++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k > 0 ? ", " : "",
                                 kind->address);
    return spk_fail(context, SPK_ERR_ARGUMENT, "%s: no kind of live source; give one of %s",
                    address, known);
}

static spk_status check_options(spk_context *context, const spk_live_source_options *options)
{
    const char *problem = NULL;
    if (!(options->speed >= 0 && options->speed <= 1e9))
        problem = "a speed below 0; give 1 for real time, 0 for as fast as possible";
    else if (options->tick.numerator == 0 || options->tick.denominator == 0)
        problem = "a tick of no ticks a second; give a rate such as 1000000000";
    else if ((options->sample_rate.numerator == 0) != (options->sample_rate.denominator == 0))
        problem = "a sample rate of 0; leave it out, or give one such as 30000";
    else if (!(options->reconnect_s >= 0) || !(options->connect_timeout_s > 0))
        problem = "a time limit below 0 of connections";
    else if (options->max_units == 0 || options->max_units > SPK_MAX_UNITS)
        problem = "a number of units that is 0 or too large";
    return problem == NULL ? SPK_OK
                           : spk_fail(context, SPK_ERR_ARGUMENT, "live source: %s", problem);
}

static spk_status make(spk_context *context, const char *address,
                       const spk_live_source_options *given, spk_live_source *source)
{
    const char *rest = address;
    const char *reason = "";
    spk_status status = SPK_OPTIONS_TAKE(context, given, &source->options, spk_live_source_options);
    if (status == SPK_OK)
        status = check_options(context, &source->options);
    if (status != SPK_OK)
        return status;
    source->kind = find_kind(address, &rest);
    if (source->kind == NULL)
        return fail_address(context, address);
    if (source->kind->available != NULL && !source->kind->available(&reason))
        return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s: %s", address, reason);
    status = spk_collector_init(context, &source->collector, source->options.max_units);
    if (status == SPK_OK)
        status = spk_strdup(context, &source->address, address);
    if (status == SPK_OK)
        status = spk_strdup(context, &source->select, source->options.select);
    if (status != SPK_OK)
        return status;
    source->options.select = source->select;
    source->collector.facts.kind = source->kind->name;
    status = source->kind->open(context, source, rest);
    source->options.read = NULL; /* only opening may see them */
    source->options.recording = NULL;
    return status;
}

spk_status spk_live_source_open(spk_context *context, const char *address,
                                const spk_live_source_options *options, spk_live_source **out)
{
    if (out == NULL || address == NULL || *address == '\0') {
        if (out != NULL)
            *out = NULL;
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a live source without an address; give one such as tcp://HOST:PORT");
    }
    spk_live_source *source = NULL;
    spk_status status = spk_alloc_zero(context, &source, 1, "a live source");
    if (status == SPK_OK)
        status = make(context, address, options, source);
    if (status != SPK_OK) {
        spk_live_source_free(source);
        source = NULL;
    }
    *out = source;
    return status;
}

void spk_live_source_free(spk_live_source *source)
{
    if (source == NULL)
        return;
    if (source->kind != NULL)
        source->kind->close(source);
    spk_collector_clear(&source->collector);
    spk_free_all(source->address, source->select, source);
}

/* ---- polling --------------------------------------------------------------------------------- */

/* Until ticks have a length all is held back, also what was lost; at the end it is lost. */
static void hand_over_unrated(spk_collector *c, spk_live_arrivals *out)
{
    if (!c->head.ended)
        return;
    if (c->n > 0)
        spk_collect_unrated(c, c->n);
    c->n = 0;
    *out = (spk_live_arrivals){.lost = c->head.lost, .ended = true};
    c->head.lost = 0;
}

static void hand_over(spk_collector *c, spk_live_arrivals *out)
{
    if (c->rate.denominator == 0) {
        hand_over_unrated(c, out);
        return;
    }
    *out = c->head;
    out->n = c->n;
    out->time = c->time;
    out->unit = c->unit;
    out->arrival_ns = c->arrival_ns;
    c->facts.spikes += c->n;
    c->n = 0;
    c->head = (spk_live_arrivals){.ended = c->head.ended};
}

spk_status spk_live_source_poll(spk_context *context, spk_live_source *source, int timeout_ms,
                                spk_live_arrivals *out)
{
    if (out != NULL)
        *out = (spk_live_arrivals){.n = 0};
    if (source == NULL || out == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a poll without a source, or without a place "
                        "for what comes in");
    spk_collector *c = &source->collector;
    c->context = context;
    spk_status status = spk_check_cancel(context);
    const int64_t until_ns =
        timeout_ms < 0 ? INT64_MAX : spk_now_ns() + (int64_t)timeout_ms * 1000000;
    if (status == SPK_OK && !c->head.ended)
        status = source->kind->poll(context, source, until_ns);
    c->context = NULL;
    /* A cancel is told by the next call: what was read before it is handed over. */
    if (status == SPK_ERR_CANCELLED && c->rate.denominator > 0 && spk_collector_has_news(c))
        status = SPK_OK;
    if (status == SPK_OK)
        hand_over(c, out);
    return status;
}

/* ---- facts ----------------------------------------------------------------------------------- */

spk_rate spk_live_source_rate(const spk_live_source *source)
{
    return source->collector.rate;
}

const char *spk_live_source_label(const spk_live_source *source, uint32_t unit)
{
    const spk_labels *labels = &source->collector.labels;
    return unit < labels->n ? spk_labels_text(labels, unit) : NULL;
}

uint32_t spk_live_source_n_units(const spk_live_source *source)
{
    return source->collector.labels.n;
}

void spk_live_source_get_facts(const spk_live_source *source, spk_live_source_facts *out)
{
    *out = source->collector.facts;
    out->held = source->collector.n;
    if (source->kind->state != NULL)
        source->kind->state(source, out);
    if (source->collector.head.ended)
        snprintf(out->state, sizeof out->state, "ended");
}

int spk_live_source_fd(const spk_live_source *source)
{
    return source->kind->fd != NULL ? source->kind->fd(source) : -1;
}

void spk_live_source_set_speed(spk_live_source *source, double speed)
{
    if (source->kind->set_speed != NULL && speed >= 0 && speed <= 1e9)
        source->kind->set_speed(source, speed);
}

void spk_live_source_pause(spk_live_source *source, bool pause)
{
    if (source->kind->pause != NULL)
        source->kind->pause(source, pause);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

size_t spk_live_source_kind_count(void)
{
    size_t n = 0;
    while (spk_live_kind_at(n) != NULL)
        n++;
    return n;
}

spk_status spk_live_source_describe(spk_context *context, size_t k, spk_live_source_kind *out)
{
    if (out == NULL || k >= spk_live_source_kind_count())
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "no kind of live source has number %zu; there are %zu", k,
                        spk_live_source_kind_count());
    const spk_live_kind *kind = spk_live_kind_at(k);
    const char *reason = "";
    *out = (spk_live_source_kind){
        .name = kind->name, .address = kind->address, .summary = kind->summary, .available = true};
    if (kind->available != NULL)
        out->available = kind->available(&reason);
    if (!out->available)
        snprintf(out->reason, sizeof out->reason, "%s", reason);
    return SPK_OK;
}
