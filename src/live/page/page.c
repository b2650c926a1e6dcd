/* The page of a live stream: the public door, used by the feeding thread. */
#include "live/page/page.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/build_config.h"
#include "base/memory.h"
#include "base/options.h"

enum {
    PIECE = 4096 /* spikes that are copied at a time */,
    RANDOM_BYTES = 16,
    MOST_TRIES = 1000,
    MOST_CLIENTS = 10000
};

/* ---- options --------------------------------------------------------------------------------- */

SPK_OPTIONS_INIT(spk_live_page_options, .address = "127.0.0.1", .history_s = 600,
                 .history_spikes = 2000000, .max_clients = 64, .client_timeout_s = 10);

bool spk_live_page_available(void)
{
    return SPIKEMINE_HAVE_MICROHTTPD;
}

static spk_status check_options(spk_context *context, const spk_live_page_options *o)
{
    if (o->token != NULL && !request_is_token(o->token))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the token of the page must be %d to %d letters, digits, '-' and '_'",
                        REQUEST_LEAST_TOKEN, REQUEST_MOST_TOKEN);
    if (o->address == NULL || o->history_spikes == 0 || o->history_spikes > UINT32_MAX ||
        o->max_clients == 0 || o->max_clients > MOST_CLIENTS || !(o->history_s > 0) ||
        !(o->client_timeout_s > 0))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the page needs an address, limits above 0, and at most 10,000 clients; "
                        "spk_live_page_options_init gives all");
    return SPK_OK;
}

/* ---- what a page is made of
 * -------------------------------------------------------------------------- */

static spk_status draw_random(spk_context *context, unsigned char *out, size_t n)
{
    FILE *source = fopen("/dev/urandom", "rb");
    const size_t got = source != NULL ? fread(out, 1, n, source) : 0;
    if (source != NULL)
        fclose(source);
    return got == n ? SPK_OK
                    : spk_fail(context, SPK_ERR_IO,
                               "/dev/urandom cannot be read; give the page a token");
}

static spk_status make_token(spk_context *context, const char *given, char **out)
{
    unsigned char byte[RANDOM_BYTES] = {0};
    char text[2 * RANDOM_BYTES + 1];
    if (given != NULL)
        return spk_strdup(context, out, given);
    spk_status status = draw_random(context, byte, sizeof byte);
    for (size_t k = 0; k < RANDOM_BYTES; k++)
        snprintf(text + 2 * k, 3, "%02x", byte[k]);
    return status == SPK_OK ? spk_strdup(context, out, text) : status;
}

/* Whether only this machine reaches the address. */
static bool is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

/* A number that tells this server from the one that was here before. */
static spk_status make_server_number(spk_context *context, double *out)
{
    unsigned char byte[6] = {0};
    spk_status status = draw_random(context, byte, sizeof byte);
    *out = 0;
    for (size_t k = 0; k < sizeof byte && status == SPK_OK; k++)
        *out = 256 * *out + byte[k];
    return status;
}

static spk_status copy_texts(spk_context *context, const spk_live_page_options *o,
                             spk_live_page *page)
{
    char machine[256] = "";
    if (gethostname(machine, sizeof machine - 1) != 0)
        machine[0] = '\0';
    spk_status status =
        spk_strdup(context, &page->title, o->title != NULL ? o->title : "spikemine live");
    if (status == SPK_OK)
        status = spk_strdup(context, &page->address, o->address);
    if (status == SPK_OK)
        status = spk_strdup(context, &page->machine, machine);
    if (status == SPK_OK)
        status = spk_strdup(context, &page->host, o->host);
    return status == SPK_OK ? make_token(context, o->token, &page->token) : status;
}

static spk_status make_url(spk_context *context, spk_live_page *page, uint16_t port)
{
    const bool everywhere =
        strcmp(page->address, "0.0.0.0") == 0 || strcmp(page->address, "::") == 0;
    const char *name = !everywhere                ? page->address
                       : page->machine[0] != '\0' ? page->machine
                                                  : "localhost";
    const bool v6 = strchr(name, ':') != NULL;
    const size_t room = strlen(name) + strlen(page->token) + 48;
    spk_status status = spk_alloc(context, &page->url, room, "the address of a page");
    if (status == SPK_OK)
        snprintf(page->url, room, "http://%s%s%s:%u/?token=%s", v6 ? "[" : "", name, v6 ? "]" : "",
                 (unsigned)port, page->token);
    return status;
}

static spk_status make_parts(spk_context *context, const spk_live_page_options *o,
                             spk_live_page *page)
{
    spk_status status = copy_texts(context, o, page);
    if (status == SPK_OK)
        status = inbox_open(context, &page->box);
    if (status == SPK_OK)
        status = history_open(context, &page->history, o->history_spikes, 0);
    if (status == SPK_OK && pthread_mutex_init(&page->shared.lock, NULL) != 0)
        status = spk_fail(context, SPK_ERR_MEMORY, "a lock of the page cannot be made");
    if (status != SPK_OK)
        return status;
    page->shared.usable = true;
    page->fixed = (state_fixed){.title = page->title,
                                .history_s = o->history_s,
                                .history_spikes = o->history_spikes,
                                .may_watch = o->may_watch && is_loopback(o->address),
                                .mines = o->mines};
    page->guard = (request_guard){.token = page->token,
                                  .address = page->address,
                                  .machine = page->machine,
                                  .host = page->host};
    return make_server_number(context, &page->fixed.server);
}

/* Signals are for the threads of the program, not for this one. */
static spk_status start_thread(spk_context *context, spk_live_page *page)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    page->serving = pthread_create(&page->thread, NULL, page_serve, page) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return page->serving
               ? SPK_OK
               : spk_fail(context, SPK_ERR_MEMORY, "the thread of the page cannot be started");
}

/* ---- feeding --------------------------------------------------------------------------------- */

static bool put(spk_live_page *page, inbox_kind kind, const void *bytes, size_t n)
{
    return inbox_put(&page->box, kind, &(inbox_part){bytes, n}, 1);
}

/* Labels of units that are new in the stream. */
static bool tell_labels(spk_live_page *page)
{
    page_feed *feed = &page->feed;
    const uint32_t n = feed->stream != NULL ? spk_live_stream_n_units(feed->stream) : 0;
    for (; feed->n_labels < n; feed->n_labels++) {
        const char *label = spk_live_stream_label(feed->stream, feed->n_labels);
        if (!put(page, INBOX_LABEL, label, strlen(label) + 1))
            return false;
    }
    return true;
}

static void tell_begin(spk_live_page *page, const spk_live_batch *batch)
{
    inbox_segment begin = {
        .segment = batch->segment, .trial = batch->trial, .has_start = batch->has_start};
    if (batch->has_start)
        begin.start =
            spk_duration_first_tick(batch->start, spk_live_stream_rate(page->feed.stream));
    put(page, INBOX_SEGMENT, &begin, sizeof begin);
}

/* Spikes in pieces, so that the lock is held for a short copy only. */
static void tell_spikes(spk_live_page *page, const spk_live_batch *batch)
{
    for (uint64_t at = 0; at < batch->n; at += PIECE) {
        const uint64_t n = batch->n - at < PIECE ? batch->n - at : PIECE;
        const inbox_spikes head = {n};
        const inbox_part part[] = {{&head, sizeof head},
                                   {batch->time + at, n * sizeof *batch->time},
                                   {batch->unit + at, n * sizeof *batch->unit}};
        if (inbox_put(&page->box, INBOX_SPIKES, part, 3))
            continue;
        page->feed.unseen[0] += n;
        page->feed.behind = true;
    }
}

static spk_status take_batch(void *user, const spk_live_batch *batch)
{
    spk_live_page *page = user;
    tell_labels(page);
    if (batch->begins_segment)
        tell_begin(page, batch);
    tell_spikes(page, batch);
    if (batch->ends)
        put(page, INBOX_END, NULL, 0);
    return SPK_OK;
}

static void leave_stream(spk_live_page *page)
{
    if (page->feed.stream != NULL)
        spk_live_stream_remove_sink(page->feed.stream, take_batch, page);
}

spk_status spk_live_page_set_stream(spk_context *context, spk_live_page *page,
                                    spk_live_stream *stream)
{
    const spk_rate rate = spk_live_stream_rate(stream);
    if (page->feed.stream != NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the page shows a stream already; start another page for this one");
    spk_status status = spk_live_stream_add_sink(context, stream, take_batch, page);
    if (status != SPK_OK)
        return status;
    page->feed.stream = stream;
    put(page, INBOX_RATE, &rate, sizeof rate);
    return SPK_OK;
}

/* ---- life ---------------------------------------------------------------------------------------
 */

spk_status spk_live_page_start(spk_context *context, spk_live_stream *stream,
                               const spk_live_page_options *options, spk_live_page **out)
{
    spk_live_page_options o;
    spk_live_page *page = NULL;
    uint16_t port = 0;
    *out = NULL;
    spk_status status = SPK_OPTIONS_TAKE(context, options, &o, spk_live_page_options);
    if (status == SPK_OK)
        status = check_options(context, &o);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &page, 1, "the page of a live stream");
    if (status != SPK_OK)
        return status;
    const http_options serving = {.address = o.address,
                                  .port = o.port,
                                  .max_clients = o.max_clients,
                                  .client_timeout_s = o.client_timeout_s};
    status = make_parts(context, &o, page);
    if (status == SPK_OK)
        status = http_open(context, &serving, page, &page->http, &port);
    if (status == SPK_OK)
        status = make_url(context, page, port);
    if (status == SPK_OK)
        status = start_thread(context, page);
    if (status == SPK_OK && stream != NULL)
        status = spk_live_page_set_stream(context, page, stream);
    if (status == SPK_OK)
        *out = page;
    else
        spk_live_page_free(page);
    return status;
}

void spk_live_page_free(spk_live_page *page)
{
    if (page == NULL)
        return;
    leave_stream(page);
    atomic_store(&page->stopping, true);
    if (page->serving)
        pthread_join(page->thread, NULL);
    http_close(page->http);
    if (page->shared.usable)
        pthread_mutex_destroy(&page->shared.lock);
    inbox_close(&page->box);
    history_close(&page->history);
    state_close(&page->state);
    spk_free_all(page->news.text, page->feed.number[0], page->feed.number[1], page->feed.count,
                 page->url, page->title, page->token, page->address, page->machine, page->host,
                 page);
}

const char *spk_live_page_url(const spk_live_page *page)
{
    return page->url;
}

/* ---- items, occurrences, partitions, meters ----------------------------------------------------
 */

static spk_status check_item(spk_context *context, const spk_live_page *page, bool is_pattern,
                             uint64_t item, uint32_t size, const uint32_t *unit)
{
    if (page->feed.stream == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the page has no stream yet, whose units an item could have; call "
                        "spk_live_page_set_stream first");
    if (item != page->feed.n[is_pattern])
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the page was told of %s %" PRIu64 " after %" PRIu64
                        " of them; tell them in order from 0",
                        is_pattern ? "pattern" : "episode", item, page->feed.n[is_pattern]);
    if (size == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "a watched item needs at least one unit");
    for (uint32_t k = 0; k < size; k++)
        if (unit[k] >= spk_live_stream_n_units(page->feed.stream))
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "unit %" PRIu32 " is not in the stream; add it with "
                            "spk_live_stream_unit",
                            unit[k]);
    return SPK_OK;
}

/* Thousands of items are told at once, before the stream runs: the other thread makes room. */
static bool wait_for_room(void)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    return nanosleep(&pause, NULL) == 0 || errno == EINTR;
}

spk_status spk_live_page_item(spk_context *context, spk_live_page *page, bool is_pattern,
                              uint64_t item, const char *name, uint32_t size, const uint32_t *unit)
{
    page_feed *feed = &page->feed;
    spk_status status = check_item(context, page, is_pattern, item, size, unit);
    if (status == SPK_OK)
        status = spk_grow(context, &feed->number[is_pattern], &feed->capacity[is_pattern], item + 1,
                          "watched items");
    if (status == SPK_OK)
        status = spk_grow(context, &feed->count, &feed->items_capacity, feed->n_items + 1,
                          "watched items");
    if (status != SPK_OK)
        return status;
    const inbox_item head = {.item = item, .is_pattern = is_pattern, .size = size};
    const inbox_part part[] = {
        {&head, sizeof head}, {unit, size * sizeof *unit}, {name, strlen(name) + 1}};
    for (int tries = 0; !tell_labels(page) || !inbox_put(&page->box, INBOX_ITEM, part, 3); tries++)
        if (tries == MOST_TRIES || !wait_for_room())
            return spk_fail(context, SPK_ERR_MEMORY,
                            "the page has no room for %" PRIu64 " items; tell it of fewer",
                            feed->n_items + 1);
    feed->number[is_pattern][item] = feed->n_items;
    feed->count[feed->n_items++] = 0;
    feed->n[is_pattern]++;
    return SPK_OK;
}

void spk_live_page_choice(spk_live_page *page, uint64_t item, bool on)
{
    if (item >= page->feed.n[0])
        return;
    const inbox_choice choice = {page->feed.number[0][item], on};
    put(page, INBOX_CHOICE, &choice, sizeof choice);
}

spk_status spk_live_page_occurrence(void *user, const spk_live_occurrence *o)
{
    spk_live_page *page = user;
    page_feed *feed = &page->feed;
    if (o->item >= feed->n[o->is_pattern])
        return SPK_OK;
    const uint64_t number = feed->number[o->is_pattern][o->item];
    feed->count[number] = o->count;
    const inbox_occurrence head = {
        .item = number, .count = o->count, .segment = o->segment, .size = o->size};
    const inbox_part part[] = {{&head, sizeof head}, {o->time, o->size * sizeof *o->time}};
    if (!inbox_put(&page->box, INBOX_OCCURRENCE, part, 2)) {
        feed->unseen[1]++;
        feed->behind = true;
    }
    return SPK_OK;
}

spk_status spk_live_page_partition(spk_context *context, spk_live_page *page,
                                   const spk_partition_result *result)
{
    char *text = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&text, &n);
    if (stream == NULL)
        return spk_fail(context, SPK_ERR_MEMORY, "no memory for a partition on the page");
    spk_status status = partition_write(context, page->feed.stream, result, stream);
    if (!spk_close_text(stream, &text) && status == SPK_OK)
        status = spk_fail(context, SPK_ERR_MEMORY, "no memory for a partition on the page");
    if (status == SPK_OK && tell_labels(page))
        put(page, INBOX_PARTITION, text, n + 1);
    free(text);
    return status;
}

/* What did not fit is told once there is room: counts are right then again. */
static void catch_up(spk_live_page *page)
{
    page_feed *feed = &page->feed;
    if (feed->behind && put(page, INBOX_COUNTS, feed->count, feed->n_items * sizeof *feed->count) &&
        put(page, INBOX_UNSEEN, feed->unseen, sizeof feed->unseen))
        feed->behind = false;
}

void spk_live_page_meters(spk_live_page *page, const spk_live_meters *meters)
{
    tell_labels(page);
    catch_up(page);
    put(page, INBOX_METERS, meters, sizeof *meters);
}

/* ---- the other way --------------------------------------------------------------------------- */

bool spk_live_page_next_action(spk_live_page *page, spk_live_page_action *out)
{
    page_shared *shared = &page->shared;
    pthread_mutex_lock(&shared->lock);
    const bool some = shared->oldest_action < shared->next_action;
    if (some)
        *out = shared->action[shared->oldest_action++ % PAGE_ACTIONS];
    pthread_mutex_unlock(&shared->lock);
    return some;
}

void spk_live_page_get_facts(spk_live_page *page, spk_live_page_facts *out)
{
    pthread_mutex_lock(&page->shared.lock);
    *out = page->shared.facts;
    pthread_mutex_unlock(&page->shared.lock);
    out->unseen = page->feed.unseen[0];
    out->unseen_occurrences = page->feed.unseen[1];
}
