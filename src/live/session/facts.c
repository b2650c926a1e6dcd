/* Where a session stands. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "live/session/session.h"

static void get_latencies(const spk_live_session *s, spk_live_session_facts *out)
{
    static const double share[] = {0.5, 0.99, 0.999};
    const spk_live_latency *latency = spk_live_emit_latency(s->emit);
    for (size_t k = 0; k < 3; k++)
        out->latency_ms[k] = 1e-6 * (double)spk_live_latency_quantile(latency, share[k]);
    out->latency_most_ms = 1e-6 * (double)latency->most;
}

static void add_reason(char *text, size_t size, uint64_t n, const char *what)
{
    const size_t used = strlen(text);
    if (n > 0)
        snprintf(text + used, size - used, "%s%" PRIu64 " %s", used > 0 ? ", " : "", n, what);
}

/* Why partitions were not tested: in numbers, with what gives more of them a test. */
static void get_tests(const spk_live_session *s, spk_live_session_facts *out)
{
    const spk_partition_totals *t = &out->partitions;
    const uint64_t plain = t->mined - t->failed - t->tested - t->untimely - t->rest;
    const uint64_t behind = t->skipped - t->interrupted; /* what can be changed */
    char *text = out->untested;
    if (!s->options.partitions->exact_test)
        return;
    out->tests_due = t->mined + t->skipped - t->rest;
    add_reason(text, sizeof out->untested, t->untimely, "had no time");
    add_reason(text, sizeof out->untested, behind, "skipped");
    add_reason(text, sizeof out->untested, t->interrupted,
               "not mined when the run was interrupted");
    add_reason(text, sizeof out->untested, t->failed, "failed");
    add_reason(text, sizeof out->untested, plain, "without an episode of two units");
    const size_t used = strlen(text);
    if (t->untimely + behind > 0)
        snprintf(text + used, sizeof out->untested - used,
                 "; take fewer --surrogates, a longer --step or a larger --support%s",
                 out->source.replay ? "; --speed max waits for every test of a replay" : "");
    else if (plain > 0)
        snprintf(text + used, sizeof out->untested - used,
                 "; take a smaller --support or a longer --delay");
    else if (t->rest > 0 && used == 0)
        snprintf(text, sizeof out->untested, "but for the rest at the end, too short for a test");
}

/* What the interrupt skips tells nothing of what to change: the reason before it stays, if any. */
static void get_skipped_why(const spk_live_session *s, spk_live_session_facts *out)
{
    const spk_partition_totals *t = &out->partitions;
    const size_t size = sizeof out->skipped_why;
    const int n = snprintf(out->skipped_why, size, "%s", s->skipped_why);
    if (t->interrupted > 0 && t->interrupted < t->skipped && n > 0 && (size_t)n < size)
        snprintf(out->skipped_why + n, size - (size_t)n,
                 " (%" PRIu64 " others: the run was interrupted)", t->interrupted);
}

void spk_live_session_get_facts(const spk_live_session *s, spk_live_session_facts *out)
{
    *out = (spk_live_session_facts){.begun = s->stream != NULL};
    out->seconds = (double)(spk_now_ns() - s->created_ns) * 1e-9;
    spk_live_source_get_facts(s->source, &out->source);
    out->emit = spk_live_emit_get_facts(s->emit);
    out->occurrences = s->occurrences;
    out->spikes_per_s = s->spikes_per_s;
    get_latencies(s, out);
    if (s->stream != NULL) {
        out->counts = spk_live_stream_counts(s->stream);
        out->n_units = spk_live_stream_n_units(s->stream);
    } else {
        out->counts.lost = out->source.lost;
    }
    if (s->ended) /* nobody takes any more what waits in the source */
        out->counts.lost += out->source.held;
    if (s->watch != NULL) {
        out->n_episodes = spk_live_watch_n_episodes(s->watch);
        out->n_patterns = spk_live_watch_n_patterns(s->watch);
    }
    if (s->partitions != NULL) {
        out->partitions = spk_partitions_totals(s->partitions);
        get_tests(s, out);
    }
    out->ended = s->settled;
    get_skipped_why(s, out);
    if (s->page != NULL) {
        out->page_url = spk_live_page_url(s->page);
        spk_live_page_get_facts(s->page, &out->page);
    }
}

const spk_live_stream *spk_live_session_stream(const spk_live_session *session)
{
    return session->stream;
}

spk_live_watch *spk_live_session_watch(spk_live_session *session)
{
    return session->watch;
}
