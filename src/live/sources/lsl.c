/*
 * A stream of the Lab Streaming Layer, found by its name: either of type Spikes, one channel of
 * int32, the number of the unit, whose labels stand in the description as units/unit/label; or
 * strings, such as Markers, where the string is the unit. Time stamps of the sender's clock become
 * those of this machine by the offset that LSL measures. The offset is followed by at most 100
 * millionths of the time that passes, so that times in order stay in order.
 *
 * LSL runs threads of its own, and drops samples that nobody fetches for long, without a word.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "live/library/lsl.h"
#include "live/sources/link.h"
#include "live/sources/source.h"

enum {
    BUFFERED = 2000, /* hundreds of samples that LSL keeps for us */
    MOST_FOUND = 16,
    MOST_LABELS = 100000,
    LONGEST_LABEL = 4096
};

static const double STEP_S = 0.2;  /* a call of LSL waits no longer */
static const double SLEW = 1e-4;   /* how fast the offset follows, in seconds a second */
static const double CORRECT_S = 5; /* how often it is asked for */
static const double FORGET_S = 5;  /* a stream that was not seen for so long is gone */

typedef struct lsl_source {
    const spk_lsl *lsl;
    char *name;
    void *resolver;
    void *inlet;
    bool ready;   /* labels and offset are known */
    bool strings; /* markers */
    char **label; /* by number, as far as the description tells; NULL: by digits */
    uint32_t n_labels;
    uint64_t label_capacity;
    double offset_s;
    double target_s;
    double newest_s; /* stamp to which the offset was moved; 0: none */
    double asked_s;  /* of our clock, when the offset was asked for */
    int64_t since_ns;
    uint64_t connections;
    unsigned tries;
} lsl_source;

/* ---- description ----------------------------------------------------------------------------- */

static void drop_labels(lsl_source *own)
{
    for (uint32_t k = 0; k < own->n_labels; k++)
        free(own->label[k]);
    free(own->label);
    own->label = NULL;
    own->n_labels = 0;
    own->label_capacity = 0;
}

static spk_status take_labels(spk_context *context, lsl_source *own, void *info)
{
    const spk_lsl *lsl = own->lsl;
    spk_status status = SPK_OK;
    void *unit = lsl->child(lsl->child(lsl->get_desc(info), "units"), "unit");
    drop_labels(own);
    for (; !lsl->empty(unit) && own->n_labels < MOST_LABELS && status == SPK_OK;
         unit = lsl->next_sibling_n(unit, "unit")) {
        status = spk_grow(context, &own->label, &own->label_capacity, (uint64_t)own->n_labels + 1,
                          "labels of a stream");
        if (status == SPK_OK)
            status =
                spk_strdup(context, &own->label[own->n_labels], lsl->child_value_n(unit, "label"));
        own->n_labels += status == SPK_OK;
    }
    return status;
}

/* ---- connecting ------------------------------------------------------------------------------ */

/* Begins to look for the stream; what was seen of it before does not count. False: it cannot. */
static bool look(lsl_source *own)
{
    if (own->resolver != NULL)
        own->lsl->destroy_continuous_resolver(own->resolver);
    own->resolver = own->lsl->create_continuous_resolver_byprop("name", own->name, FORGET_S);
    return own->resolver != NULL;
}

static void drop_inlet(lsl_source *own)
{
    if (own->inlet != NULL)
        own->lsl->destroy_inlet(own->inlet);
    own->inlet = NULL;
    own->ready = false;
}

static void disconnect(lsl_source *own)
{
    drop_inlet(own);
    own->since_ns = spk_now_ns();
    (void)look(own);
}

/* Whether spikes can be read from it. */
static bool is_readable(const spk_lsl *lsl, void *info)
{
    const int format = lsl->get_channel_format(info);
    return lsl->get_channel_count(info) == 1 &&
           (format == SPK_LSL_STRING ||
            (format == SPK_LSL_INT32 && strcmp(lsl->get_type(info), "Spikes") == 0));
}

/* Looks for the stream; of several the first one that can be read, Spikes before markers. */
static spk_status find(spk_context *context, lsl_source *own)
{
    const spk_lsl *lsl = own->lsl;
    void *found[MOST_FOUND] = {NULL};
    void *chosen = NULL;
    const int32_t n =
        own->resolver != NULL ? lsl->resolver_results(own->resolver, found, MOST_FOUND) : 0;
    for (int32_t k = 0; k < n; k++)
        if (is_readable(lsl, found[k]) &&
            (chosen == NULL || lsl->get_channel_format(chosen) == SPK_LSL_STRING))
            chosen = found[k];
    if (chosen != NULL) {
        own->strings = lsl->get_channel_format(chosen) == SPK_LSL_STRING;
        own->inlet = lsl->create_inlet(chosen, BUFFERED, 0, 0);
    }
    spk_status status = SPK_OK;
    if (n > 0 && chosen == NULL)
        status = spk_fail(context, SPK_ERR_FORMAT,
                          "lsl:%s: the stream is neither of type Spikes with one channel of int32, "
                          "nor one channel of strings; send one of these",
                          own->name);
    for (int32_t k = 0; k < n; k++)
        lsl->destroy_streaminfo(found[k]);
    return status;
}

/* Labels, then the stream, then the offset; each may take several steps. */
static spk_status prepare(spk_context *context, lsl_source *own, spk_collector *c)
{
    const spk_lsl *lsl = own->lsl;
    int32_t error = 0;
    void *info = lsl->get_fullinfo(own->inlet, STEP_S, &error);
    spk_status status = SPK_OK;
    if (info != NULL) {
        status = take_labels(context, own, info);
        lsl->destroy_streaminfo(info);
        error = 0;
        lsl->open_stream(own->inlet, STEP_S, &error);
        if (error == 0)
            own->target_s = lsl->time_correction(own->inlet, STEP_S, &error);
    }
    own->ready = info != NULL && error == 0;
    if (own->ready) {
        own->offset_s = own->target_s;
        own->newest_s = 0;
        own->asked_s = lsl->local_clock();
        c->facts.reconnects += own->connections > 0;
        c->fresh = own->connections++ > 0;
        own->tries = 0;
    } else if (error == SPK_LSL_LOST) {
        disconnect(own);
    }
    return status;
}

static spk_status connect_step(spk_context *context, spk_live_source *source, int64_t until_ns)
{
    lsl_source *own = source->own;
    const spk_live_source_options *options = &source->options;
    const double gone_s = (double)(spk_now_ns() - own->since_ns) * 1e-9;
    if (own->inlet != NULL)
        return prepare(context, own, &source->collector);
    own->tries++;
    spk_status status = find(context, own);
    if (status != SPK_OK || own->inlet != NULL)
        return status;
    if (options->reconnect ? options->reconnect_s > 0 && gone_s > options->reconnect_s
                           : gone_s > options->connect_timeout_s)
        return spk_fail(context, SPK_ERR_IO,
                        "lsl:%s: no stream of this name; start the sender, and look whether both "
                        "machines are in one network",
                        own->name);
    const int64_t soon_ns = spk_now_ns() + 100000000;
    spk_live_sleep_until(soon_ns < until_ns ? soon_ns : until_ns);
    return SPK_OK;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* The stamp on our clock. The offset moves slowly towards the one that was measured. */
static double our_time(lsl_source *own, double stamp_s)
{
    const double passed_s = own->newest_s > 0 ? stamp_s - own->newest_s : 0;
    if (passed_s > 0) {
        const double most_s = passed_s * SLEW;
        const double off_s = own->target_s - own->offset_s;
        own->offset_s += off_s > most_s ? most_s : off_s < -most_s ? -most_s : off_s;
    }
    if (stamp_s > own->newest_s)
        own->newest_s = stamp_s;
    return stamp_s + own->offset_s;
}

static void follow_offset(lsl_source *own)
{
    int32_t error = 0;
    const double now_s = own->lsl->local_clock();
    if (now_s - own->asked_s < CORRECT_S)
        return;
    own->asked_s = now_s;
    const double measured_s = own->lsl->time_correction(own->inlet, 0.0, &error);
    if (error == 0)
        own->target_s = measured_s;
}

static void keep_sample(lsl_source *own, spk_collector *c, double stamp_s, const char *label,
                        size_t length, spk_status *status)
{
    const double rate = (double)c->rate.numerator / (double)c->rate.denominator;
    const double ticks = our_time(own, stamp_s) * rate;
    uint32_t unit = 0;
    if (!(fabs(ticks) < 9e18)) {
        spk_collect_garbage(c, 1, label, length, "its time is outside of what ticks hold");
        return;
    }
    const int64_t time = (int64_t)llround(ticks);
    if (!spk_collect_label(c, label, length, &unit, status))
        return;
    /* Nothing was gathered before the first sample of a connection, so the border finds room. */
    if (c->fresh && spk_collector_restarted(c, time))
        (void)spk_collect_restart(c, time);
    c->fresh = false;
    spk_collect(c, time, unit);
}

/* Fetches one sample, waiting at most so long; false: there is none. */
static bool fetch(lsl_source *own, spk_collector *c, double wait_s, spk_status *status,
                  int32_t *error)
{
    char digits[16];
    *error = 0;
    if (own->strings) {
        char *text = NULL;
        const double stamp_s = own->lsl->pull_sample_str(own->inlet, &text, 1, wait_s, error);
        if (stamp_s == 0 || text == NULL)
            return false;
        c->now_ns = spk_now_ns();
        const size_t n = strlen(text);
        c->facts.messages++;
        c->facts.bytes += n;
        if (n <= LONGEST_LABEL)
            keep_sample(own, c, stamp_s, text, n, status);
        else
            spk_collect_garbage(c, 1, text, n, "a marker of over 4096 bytes");
        own->lsl->destroy_string(text);
        return true;
    }
    int32_t number = 0;
    const double stamp_s = own->lsl->pull_sample_i(own->inlet, &number, 1, wait_s, error);
    if (stamp_s == 0)
        return false;
    c->now_ns = spk_now_ns();
    snprintf(digits, sizeof digits, "%d", number);
    const char *label = digits;
    if (number >= 0 && (uint32_t)number < own->n_labels && *own->label[number] != '\0')
        label = own->label[number];
    c->facts.messages++;
    c->facts.bytes += strlen(label);
    if (number < 0)
        spk_collect_garbage(c, 1, label, strlen(label), "a unit below 0");
    else
        keep_sample(own, c, stamp_s, label, strlen(label), status);
    return true;
}

static spk_status fetch_all(spk_live_source *source, int64_t until_ns)
{
    lsl_source *own = source->own;
    spk_collector *c = &source->collector;
    spk_status status = SPK_OK;
    int32_t error = 0;
    double wait_s = (double)(until_ns - spk_now_ns()) * 1e-9;
    wait_s = wait_s < 0 ? 0 : wait_s > STEP_S ? STEP_S : wait_s;
    follow_offset(own);
    while (!spk_collector_full(c) && status == SPK_OK && fetch(own, c, wait_s, &status, &error))
        wait_s = 0;
    if (error == SPK_LSL_LOST) {
        disconnect(own);
        c->head.ended = !source->options.reconnect;
    }
    return status;
}

static spk_status poll_lsl(spk_context *context, spk_live_source *source, int64_t until_ns)
{
    lsl_source *own = source->own;
    spk_status status = SPK_OK;
    bool first = true;
    while (status == SPK_OK && !spk_collector_has_news(&source->collector) &&
           (first || spk_now_ns() < until_ns)) {
        first = false;
        status = own->ready ? fetch_all(source, until_ns) : connect_step(context, source, until_ns);
        if (status == SPK_OK)
            status = spk_check_cancel(context);
    }
    return status;
}

/* ---- life ------------------------------------------------------------------------------------ */

static spk_status open_lsl(spk_context *context, spk_live_source *source, const char *rest)
{
    lsl_source *own = NULL;
    if (*rest == '\0')
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "lsl: without the name of a stream; give it as lsl:NAME");
    spk_status status = spk_alloc_zero(context, &own, 1, "a live source");
    if (status != SPK_OK)
        return status;
    source->own = own;
    own->since_ns = spk_now_ns();
    source->collector.rate = source->options.tick;
    status = spk_strdup(context, &own->name, rest);
    if (status == SPK_OK)
        status = spk_lsl_get(context, &own->lsl);
    if (status != SPK_OK)
        return status;
    if (!look(own))
        return spk_fail(context, SPK_ERR_IO,
                        "lsl:%s: LSL cannot look for streams; is a network there?", own->name);
    return SPK_OK;
}

static void close_lsl(spk_live_source *source)
{
    lsl_source *own = source->own;
    if (own == NULL)
        return;
    if (own->lsl != NULL)
        drop_inlet(own);
    if (own->lsl != NULL && own->resolver != NULL)
        own->lsl->destroy_continuous_resolver(own->resolver);
    drop_labels(own);
    free(own->name);
    free(own);
}

static void state_of_lsl(const spk_live_source *source, spk_live_source_facts *facts)
{
    const lsl_source *own = source->own;
    char name[40];
    spk_text_printable(own->name, name, sizeof name);
    if (own->ready)
        snprintf(facts->state, sizeof facts->state, "connected to %s", name);
    else
        snprintf(facts->state, sizeof facts->state, "waiting for %s (try %u)", name, own->tries);
}

extern const spk_live_kind spk_live_lsl;
const spk_live_kind spk_live_lsl = {.name = "lsl",
                                    .scheme = "lsl:",
                                    .address = "lsl:NAME",
                                    .summary = "a stream of the Lab Streaming Layer",
                                    .available = spk_lsl_available,
                                    .open = open_lsl,
                                    .poll = poll_lsl,
                                    .close = close_lsl,
                                    .state = state_of_lsl};
