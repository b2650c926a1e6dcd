/* A live session: from the source through the stream to everything that was asked for. */
#include "live/session/session.h"

#include <stdlib.h>
#include <time.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/options.h"

/* Spikes between two looks at what is to be sent: an event waits for no more of them. */
enum { CHUNK = 256 };

/* ---- creating -------------------------------------------------------------------------------- */

SPK_OPTIONS_INIT(spk_live_session_options, .source = NULL);

static spk_status check(spk_context *context, const spk_live_session_options *options)
{
    if (options->source == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the session has no source; name one");
    if (!(options->seconds >= 0) || !(options->counts_s >= 0))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a session of %g seconds with counts every %g seconds; take 0 or more",
                        options->seconds, options->counts_s);
    if (options->state != NULL && options->episodes == NULL && options->patterns == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: a state is that of episodes or patterns, and none are watched; name "
                        "a list, or leave the state out",
                        options->state);
    return SPK_OK;
}

/* Lists first: they are quick, and wrong more often than addresses. The page is there before the
 * source has connected, and shows that it is waited for. */
static spk_status open_all(spk_live_session *s)
{
    spk_status status = live_lists_read(s);
    if (status == SPK_OK)
        status = spk_live_emit_open(s->context, s->options.emit, s->options.emit_options, &s->emit);
    if (status == SPK_OK)
        status = spk_live_source_open(s->context, s->options.source, s->options.source_options,
                                      &s->source);
    if (status == SPK_OK && s->options.page != NULL)
        status = spk_live_page_start(s->context, NULL, s->options.page, &s->page);
    return status;
}

spk_status spk_live_session_create(spk_context *context, const spk_live_session_options *options,
                                   spk_live_session **out)
{
    spk_live_session_options own;
    spk_live_session *s = NULL;
    *out = NULL;
    spk_status status = SPK_OPTIONS_TAKE(context, options, &own, spk_live_session_options);
    if (status == SPK_OK)
        status = check(context, &own);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &s, 1, "a session");
    if (status != SPK_OK)
        return status;
    s->context = context;
    s->options = own;
    s->created_ns = spk_now_ns();
    status = open_all(s);
    if (status != SPK_OK) {
        spk_live_session_free(s);
        return status;
    }
    *out = s;
    return SPK_OK;
}

/* ---- going on -------------------------------------------------------------------------------- */

static spk_status push_chunk(spk_live_session *s, uint64_t n, const spk_live_arrivals *arrivals,
                             uint64_t from)
{
    uint32_t unit[CHUNK];
    for (uint64_t k = 0; k < n; k++)
        unit[k] = s->unit[arrivals->unit[from + k]];
    spk_status status = spk_live_stream_push(s->context, s->stream, n, arrivals->time + from, unit,
                                             arrivals->arrival_ns + from);
    if (status == SPK_OK)
        status = spk_live_emit_flush(s->emit);
    s->pipe_gone |= status == SPK_ERR_PIPE;
    return status == SPK_ERR_PIPE ? SPK_OK : status;
}

static spk_status pass_border(spk_live_session *s, const spk_live_arrivals *a)
{
    const spk_duration *start = a->has_start ? &a->start : NULL;
    const spk_duration *stop = a->has_stop ? &a->stop : NULL;
    if (a->n_trials == 0)
        return spk_live_stream_border(s->context, s->stream, start, stop);
    return spk_live_stream_border_of_trial(s->context, s->stream, start, stop, a->trial,
                                           a->n_trials);
}

static spk_status take_arrivals(spk_live_session *s, const spk_live_arrivals *arrivals)
{
    spk_status status = live_session_take_units(s);
    spk_live_stream_lost(s->stream, arrivals->lost);
    if (status == SPK_OK && arrivals->border)
        status = pass_border(s, arrivals);
    for (uint64_t from = 0; from < arrivals->n && status == SPK_OK; from += CHUNK)
        status =
            push_chunk(s, arrivals->n - from < CHUNK ? arrivals->n - from : CHUNK, arrivals, from);
    return status;
}

/* What is held back goes out when nothing came for as long as it may be late. */
static spk_status settle(spk_live_session *s, int64_t now, bool any)
{
    if (any)
        s->arrived_ns = now;
    if (any || s->tolerance_ns == 0 || now - s->arrived_ns < s->tolerance_ns ||
        spk_live_stream_counts(s->stream).held == 0)
        return SPK_OK;
    return spk_live_stream_settle(s->context, s->stream);
}

/* Not beyond the moment at which held spikes go out, or the session ends. */
static int limit_timeout(const spk_live_session *s, int timeout_ms)
{
    const int64_t now = spk_now_ns();
    int64_t most = timeout_ms < 0 ? 100 : timeout_ms;
    if (s->stream != NULL && s->tolerance_ns > 0 && spk_live_stream_counts(s->stream).held > 0) {
        int64_t left = (s->arrived_ns + s->tolerance_ns - now) / 1000000 + 1;
        most = left < most ? left : most;
    }
    if (s->options.seconds > 0) {
        double left = s->options.seconds * 1e3 - (double)(now - s->created_ns) * 1e-6;
        most = left < (double)most ? (int64_t)left + 1 : most;
    }
    return most > 0 ? (int)most : 0;
}

/* Whether anybody takes anything beside standard output. */
static bool has_others(const spk_live_session *s)
{
    return s->options.record != NULL || s->options.page != NULL || s->options.state != NULL ||
           spk_live_emit_get_facts(s->emit).sinks > 0;
}

static spk_status first_of(spk_status a, spk_status b)
{
    return a != SPK_OK ? a : b;
}

/* Ends the stream, once, and hands on everything that is due. Partitions that are not mined soon
 * after an interrupt are cancelled by the context, which has been cleared before, and is
 * cleared again. */
static spk_status finish(spk_live_session *s)
{
    enum { PATIENCE_NS = 300000000 };
    spk_status status = SPK_OK;
    const bool has_worker = s->partitions != NULL && s->options.partitions->worker;
    s->patience_ns = has_worker ? spk_now_ns() + PATIENCE_NS : 0;
    if (!s->finished) {
        status = live_session_save(s);
        s->finished = true;
        if (s->interrupted)
            status = first_of(status, live_session_take_last(s));
        status = first_of(status, spk_live_stream_end(s->context, s->stream));
    }
    status = first_of(status, live_session_service(s, true));
    if (s->interrupted)
        spk_context_cancel_clear(s->context);
    return first_of(status, spk_check_cancel(s->context));
}

static bool time_is_up(const spk_live_session *s, int64_t now)
{
    return s->options.seconds > 0 && (double)(now - s->created_ns) * 1e-9 >= s->options.seconds;
}

/* After the source: nothing comes any more, and the page is served. */
static spk_status stay(spk_live_session *s, int timeout_ms, bool *ended)
{
    const int most_ms = limit_timeout(s, timeout_ms);
    const struct timespec pause = {.tv_nsec = 1000000L * (most_ms < 100 ? most_ms : 100)};
    spk_status status = SPK_OK;
    if (!s->finished) {
        status = finish(s);
        s->settled = status == SPK_OK;
    } else {
        (void)nanosleep(&pause, NULL); /* a signal may end it */
        status = live_session_service(s, false);
    }
    *ended = time_is_up(s, spk_now_ns());
    return status == SPK_OK ? spk_check_cancel(s->context) : status;
}

static spk_status step(spk_live_session *s, int timeout_ms, bool *ended)
{
    spk_live_arrivals arrivals;
    *ended = false;
    if (s->source_ended && s->options.stay && s->page != NULL)
        return stay(s, timeout_ms, ended);
    spk_status status =
        spk_live_source_poll(s->context, s->source, limit_timeout(s, timeout_ms), &arrivals);
    /* A source that ends without a word has begun, too: its files are empty, not missing. */
    if (status == SPK_OK && s->stream == NULL &&
        (arrivals.ended || spk_live_source_rate(s->source).numerator > 0))
        status = live_session_begin(s);
    if (status != SPK_OK)
        return status;
    const int64_t now = spk_now_ns();
    if (s->stream != NULL) {
        status = take_arrivals(s, &arrivals);
        if (status == SPK_OK)
            status = settle(s, now, arrivals.n > 0);
        if (status == SPK_OK)
            status = live_session_service(s, false);
    } else {
        status = spk_live_emit_flush(s->emit);
        s->pipe_gone |= status == SPK_ERR_PIPE;
        if (status == SPK_OK)
            status = live_session_serve_page(s, false);
    }
    s->source_ended |= arrivals.ended;
    *ended = time_is_up(s, now) || (arrivals.ended && !(s->options.stay && s->page != NULL));
    if ((status == SPK_OK || status == SPK_ERR_PIPE) && s->pipe_gone)
        return has_others(s)
                   ? SPK_OK
                   : spk_fail(s->context, SPK_ERR_PIPE, "standard output: its reader has gone");
    return status == SPK_OK ? spk_check_cancel(s->context) : status;
}

spk_status spk_live_session_step(spk_live_session *s, int timeout_ms, bool *ended)
{
    const spk_status status = step(s, timeout_ms, ended);
    s->interrupted |= status == SPK_ERR_CANCELLED;
    return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

spk_status spk_live_session_end(spk_live_session *s)
{
    const bool before = s->ended;
    s->ended = true;
    if (before || s->stream == NULL)
        return SPK_OK;
    spk_status status = finish(s);
    const spk_status drained = spk_live_emit_drain(s->emit);
    status = first_of(status, drained == SPK_ERR_PIPE ? SPK_OK : drained);
    if (s->recorder_lost != SPK_OK) {
        spk_live_recorder_free(s->recorder);
        status = first_of(status, spk_fail(s->context, s->recorder_lost, "%s", s->problem));
    } else {
        status = first_of(status, spk_live_recorder_commit(s->recorder));
    }
    s->recorder = NULL;
    return status;
}

void spk_live_session_free(spk_live_session *s)
{
    if (s == NULL)
        return;
    spk_live_page_free(s->page);
    spk_partitions_free(s->partitions);
    spk_live_watch_free(s->watch);
    spk_live_recorder_free(s->recorder);
    spk_live_emit_free(s->emit);
    spk_live_stream_free(s->stream);
    spk_live_source_free(s->source);
    live_list_free(&s->episodes);
    live_list_free(&s->patterns);
    spk_holding_release(&s->holding);
    free(s->unit);
    free(s);
}
