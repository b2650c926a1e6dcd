/* Messages of the plugin ZMQ Interface of Open Ephys. */
#include "live/sources/open_ephys_messages.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER, TYPE, RATE, DATA_STREAM, STREAM, NODE, ELECTRODE, SAMPLE, SORTED, N_PATHS };

static const char *const paths[N_PATHS] = {
    [NUMBER] = "message_num",        [TYPE] = "type",
    [RATE] = "content.sample_rate",  [DATA_STREAM] = "content.stream",
    [STREAM] = "spike.stream",       [NODE] = "spike.source_node",
    [ELECTRODE] = "spike.electrode", [SAMPLE] = "spike.sample_num",
    [SORTED] = "spike.sorted_id"};

/* The envelope may end with a zero byte, and does. */
static bool is_envelope(const char *envelope, size_t n, const char *name)
{
    const size_t m = strlen(name);
    return n >= m && memcmp(envelope, name, m) == 0 && (n == m || envelope[m] == '\0');
}

static bool is_text(const spk_json_value *value, const char *text)
{
    return value->text != NULL && value->quoted && value->length == strlen(text) &&
           memcmp(value->text, text, value->length) == 0;
}

/* Gaps in the numbers. A number that goes back is a publisher that started anew. */
static void follow_number(spk_open_ephys_messages *m, spk_collector *c, const spk_json_value *value)
{
    long long number = 0;
    if (!spk_json_whole(value, &number))
        return;
    if (m->any && number <= m->number)
        c->facts.reconnects += !m->revived;
    else if (m->any && m->numbered && number - m->number > 1)
        spk_collect_lost(c, (uint64_t)(number - m->number) - 1);
    m->any = true;
    m->revived = false;
    m->number = number;
}

/* Whether this is the stream that is followed. */
static bool is_followed(spk_open_ephys_messages *m, spk_collector *c, const char *stream)
{
    if (m->select != NULL)
        return strcmp(m->select, stream) == 0;
    if (!m->followed)
        snprintf(m->stream, sizeof m->stream, "%s", stream);
    m->followed = true;
    if (strcmp(m->stream, stream) == 0)
        return true;
    if (!m->told_other)
        spk_note(c->context,
                 "Open Ephys: spikes of the stream '%s' are followed; those of '%s', which has a "
                 "clock of its own, are left out; select the stream that you want",
                 m->stream, stream);
    m->told_other = true;
    return false;
}

/* The rate of the stream that is followed, which never changes. */
static spk_status take_rate(const spk_open_ephys_messages *m, spk_collector *c,
                            const spk_json_value *values)
{
    char stream[128] = "";
    const char *wanted = m->select != NULL ? m->select : m->stream;
    const bool any = m->select == NULL && !m->followed;
    spk_rate rate;
    if (any || values[RATE].text == NULL ||
        (values[DATA_STREAM].text != NULL &&
         !spk_json_copy(&values[DATA_STREAM], stream, sizeof stream)) ||
        (*wanted != '\0' && strcmp(stream, wanted) != 0) ||
        spk_rate_parse(NULL, values[RATE].text, values[RATE].length, &rate) != SPK_OK)
        return SPK_OK;
    if (c->rate.denominator == 0)
        c->rate = rate;
    if (c->rate.numerator == rate.numerator && c->rate.denominator == rate.denominator)
        return SPK_OK;
    return spk_fail(
        c->context, SPK_ERR_FORMAT,
        "Open Ephys: the stream '%s' has %.*s samples a second, not as many as before or "
        "as was given; begin anew",
        stream, (int)values[RATE].length, values[RATE].text);
}

/* "SOURCE_NODE/ELECTRODE/SORTED_ID"; false: one of them is not there. */
static bool make_label(const spk_json_value *values, char *label, size_t size, size_t *n)
{
    char node[64];
    char electrode[128];
    char sorted[32];
    if (!spk_json_copy(&values[NODE], node, sizeof node) ||
        !spk_json_copy(&values[ELECTRODE], electrode, sizeof electrode) ||
        !spk_json_copy(&values[SORTED], sorted, sizeof sorted))
        return false;
    *n = (size_t)snprintf(label, size, "%s/%s/%s", node, electrode, sorted);
    return *n < size;
}

typedef enum taken { TAKEN, WAIT, GARBAGE } taken;

static taken take_spike(spk_open_ephys_messages *m, spk_collector *c, const spk_json_value *values,
                        spk_status *status)
{
    char stream[128] = "";
    char label[256];
    size_t n = 0;
    long long sample = 0;
    uint32_t unit = 0;
    if (!spk_json_whole(&values[SAMPLE], &sample) || sample == INT64_MAX ||
        !make_label(values, label, sizeof label, &n) ||
        (values[STREAM].text != NULL && !spk_json_copy(&values[STREAM], stream, sizeof stream)))
        return GARBAGE;
    if (!is_followed(m, c, stream)) {
        c->facts.other++;
        return TAKEN;
    }
    if (spk_collector_restarted(c, sample) && !spk_collect_restart(c, sample))
        return WAIT;
    if (!spk_collect_label(c, label, n, &unit, status))
        return TAKEN;
    if (!spk_collector_full(c))
        spk_collect(c, sample, unit);
    else if (c->rate.denominator == 0)
        spk_collect_unrated(c, 1);
    else
        return WAIT;
    return TAKEN;
}

bool spk_open_ephys_take(spk_open_ephys_messages *messages, spk_collector *collector,
                         const char *envelope, size_t n_envelope, const char *header,
                         size_t n_header, spk_status *status)
{
    spk_json_value values[N_PATHS];
    taken result = GARBAGE;
    const bool is_data = is_envelope(envelope, n_envelope, "DATA");
    if ((is_data || is_envelope(envelope, n_envelope, "EVENT")) &&
        spk_json_look(header, n_header, N_PATHS, paths, values)) {
        const bool is_spike = !is_data && is_text(&values[TYPE], "spike");
        result = is_spike ? take_spike(messages, collector, values, status) : TAKEN;
        if (is_data)
            *status = take_rate(messages, collector, values);
        collector->facts.other += !is_spike;
    }
    if (result == WAIT)
        return false;
    if (result == GARBAGE)
        spk_collect_garbage(collector, 1, header, n_header, "no message of Open Ephys");
    else
        follow_number(messages, collector, &values[NUMBER]);
    collector->facts.messages++;
    return true;
}
