/* Events as lines of JSON. */
#include "live/sinks/line.h"

#include <stdlib.h>

#include "base/memory.h"

static const char *label_of(const spk_live_stream *stream, uint32_t unit)
{
    const char *label = stream != NULL ? spk_live_stream_label(stream, unit) : NULL;
    return label != NULL ? label : "";
}

/* {"type":"episode","item":3,"episode":"A (0,5ms] B","units":["A","B"],"times_s":[ */
static void put_start(const live_json *json, live_line *line, const spk_live_occurrence *occurrence)
{
    const char *type = occurrence->is_pattern ? "pattern" : "episode";
    live_line_put(line, "{\"type\":\"");
    live_line_put(line, type);
    live_line_put(line, "\",\"item\":");
    live_line_put_number(line, occurrence->item);
    live_line_put(line, ",\"");
    live_line_put(line, type);
    live_line_put(line, "\":");
    live_line_put_string(line, occurrence->name);
    live_line_put(line, ",\"units\":[");
    for (uint32_t k = 0; k < occurrence->size; k++) {
        if (k > 0)
            live_line_put_bytes(line, ",", 1);
        live_line_put_string(line, label_of(json->stream, occurrence->unit[k]));
    }
    live_line_put(line, "],\"times_s\":[");
}

/* The item's start, kept from the first time on. */
static spk_status find_start(live_json *json, const spk_live_occurrence *occurrence,
                             const char **out)
{
    const int kind = occurrence->is_pattern ? 1 : 0;
    const uint64_t before = json->capacity[kind];
    live_line line = {.context = json->context};
    spk_status status = SPK_OK;
    if (occurrence->item >= before) {
        status = spk_grow(json->context, &json->start[kind], &json->capacity[kind],
                          occurrence->item + 1, "lines of items");
        for (uint64_t k = before; k < json->capacity[kind] && status == SPK_OK; k++)
            json->start[kind][k] = NULL;
    }
    if (status != SPK_OK)
        return status;
    char **start = &json->start[kind][occurrence->item];
    if (*start == NULL) {
        put_start(json, &line, occurrence);
        live_line_put_bytes(&line, "", 1);
        spk_holding_release(&line.holding); /* nothing of items grows with the input */
        if (line.status != SPK_OK) {
            free(line.text);
            return line.status;
        }
        *start = line.text;
    }
    *out = *start;
    return SPK_OK;
}

spk_status live_json_occurrence(live_json *json, live_line *line,
                                const spk_live_occurrence *occurrence, int64_t now_ns)
{
    const char *start = NULL;
    spk_rate rate = spk_live_stream_rate(json->stream);
    spk_status status = find_start(json, occurrence, &start);
    if (status != SPK_OK)
        return status;
    live_line_put(line, start);
    for (uint32_t k = 0; k < occurrence->size; k++) {
        if (k > 0)
            live_line_put_bytes(line, ",", 1);
        live_line_put_time(line, occurrence->time[k], rate);
    }
    live_line_put(line, "],\"count\":");
    live_line_put_number(line, occurrence->count);
    live_line_put(line, ",\"segment\":");
    live_line_put_number(line, occurrence->segment + 1);
    live_line_put(line, ",\"trial\":");
    live_line_put_number(line, occurrence->trial + 1);
    live_line_put(line, ",\"latency_us\":");
    int64_t latency = now_ns - occurrence->arrival_ns;
    live_line_put_decimal(line, latency > 0 ? (double)latency * 1e-3 : 0, 1);
    live_line_put(line, "}\n");
    return line->status;
}

/* ---- marks ----------------------------------------------------------------------------------- */

spk_status live_json_mark(const live_json *json, live_line *line, const spk_live_mark *mark)
{
    live_line_put(line, "{\"type\":\"mark\",\"time_s\":");
    live_line_put_time(line, mark->time, spk_live_stream_rate(json->stream));
    live_line_put(line, ",\"segment\":");
    live_line_put_number(line, mark->segment + 1);
    live_line_put(line, ",\"trial\":");
    live_line_put_number(line, mark->trial + 1);
    live_line_put(line, ",\"text\":");
    live_line_put_string(line, mark->text);
    live_line_put(line, "}\n");
    return line->status;
}

/* ---- partitions ------------------------------------------------------------------------------ */

static void put_key(live_line *line, const char *key)
{
    live_line_put(line, ",\"");
    live_line_put(line, key);
    live_line_put(line, "\":");
}

static void put_count(live_line *line, const char *key, uint64_t count)
{
    put_key(line, key);
    live_line_put_number(line, count);
}

static void put_text(live_line *line, const char *key, const char *text)
{
    put_key(line, key);
    live_line_put_string(line, text);
}

static void put_name(live_line *line, const spk_partition_result *result,
                     const spk_episode_columns *episodes, uint64_t i)
{
    char few[512];
    size_t n = spk_episode_format(result->recording, episodes, i, few, sizeof few);
    char *many = n < sizeof few ? NULL : malloc(n + 1);
    if (many != NULL)
        spk_episode_format(result->recording, episodes, i, many, n + 1);
    if (n >= sizeof few && many == NULL)
        line->status = spk_fail_memory(line->context, n, "an episode's name");
    live_line_put_string(line, many != NULL ? many : few);
    free(many);
}

/* A p-value with six significant digits or more, whatever its size. */
static void put_small(live_line *line, double value)
{
    int decimals = 6;
    double at = value;
    while (at > 0 && at < 1 && decimals < 15) {
        at *= 10;
        decimals++;
    }
    live_line_put_decimal(line, value, decimals);
}

static void put_episode(live_line *line, const spk_partition_result *result, uint64_t i)
{
    static const char *const trends[] = {"new", "growing", "steady", "shrinking"};
    const spk_episode_columns *episodes = result->episodes;
    live_line_put(line, "{\"size\":");
    live_line_put_number(line, episodes->offset[i + 1] - episodes->offset[i]);
    put_count(line, "count", episodes->count[i]);
    put_key(line, "episode");
    put_name(line, result, episodes, i);
    if (result->trend != NULL && result->trend[i] < sizeof trends / sizeof trends[0])
        put_text(line, "trend", trends[result->trend[i]]);
    if (result->before != NULL)
        put_count(line, "before", result->before[i]);
    if (result->expected != NULL) {
        put_key(line, "expected");
        live_line_put_decimal(line, result->expected[i], 6);
    }
    if (result->p != NULL) {
        put_key(line, "p");
        put_small(line, result->p[i]);
    }
    live_line_put(line, "}");
}

static uint64_t at_most(uint64_t n, uint64_t most)
{
    return most > 0 && most < n ? most : n;
}

static void put_lists(live_line *line, const spk_partition_result *result, uint64_t most)
{
    const spk_episode_columns *episodes = result->episodes, *vanished = result->vanished;
    const uint64_t n = episodes != NULL ? at_most(episodes->n, most) : 0;
    const uint64_t n_vanished = vanished != NULL ? at_most(vanished->n, most) : 0;
    put_count(line, "frequent", episodes != NULL ? episodes->n : 0);
    put_key(line, "episodes");
    for (uint64_t i = 0; i < n; i++) {
        live_line_put(line, i > 0 ? "," : "[");
        put_episode(line, result, i);
    }
    live_line_put(line, n > 0 ? "]" : "[]");
    put_key(line, "vanished");
    for (uint64_t i = 0; i < n_vanished; i++) {
        live_line_put(line, i > 0 ? ",{\"episode\":" : "[{\"episode\":");
        put_name(line, result, vanished, i);
        put_count(line, "before", vanished->count[i]);
        live_line_put(line, "}");
    }
    live_line_put(line, n_vanished > 0 ? "]" : "[]");
}

/* What came of mining and testing. */
static void put_work(live_line *line, const spk_partition_result *result)
{
    put_count(line, "units", result->n_units);
    put_count(line, "support", result->support);
    put_key(line, "support_raised");
    live_line_put(line, result->support_raised ? "true" : "false");
    put_text(line, "engine", result->engine);
    put_text(line, "untested", result->tested != NULL ? result->tested : "");
    put_key(line, "seconds");
    live_line_put_decimal(line, result->seconds, 6);
}

spk_status live_json_partition(const live_json *json, live_line *line,
                               const spk_partition_result *result, uint64_t most)
{
    static const char *const states[] = {"mined", "cut", "skipped"};
    spk_rate rate = spk_live_stream_rate(json->stream);
    live_line_put(line, "{\"type\":\"partition\",\"number\":");
    live_line_put_decimal(line, (double)result->number, 0);
    put_count(line, "series", result->series + 1);
    put_key(line, "start_s");
    live_line_put_time(line, result->slice.start, rate);
    put_key(line, "stop_s");
    live_line_put_time(line, result->slice.stop, rate);
    put_text(line, "state", states[result->state]);
    put_text(line, "why", result->why != NULL ? result->why : "");
    put_count(line, "events", result->n_events);
    put_key(line, "lag_s");
    live_line_put_decimal(line, result->lag_s, 6);
    put_count(line, "skipped", result->skipped);
    if (result->state != SPK_PARTITION_SKIPPED) {
        put_work(line, result);
        put_lists(line, result, most);
    }
    live_line_put(line, "}\n");
    return line->status;
}

/* ---- choices --------------------------------------------------------------------------------- */

spk_status live_json_choice(const live_json *json, live_line *line, const spk_live_choice *choice)
{
    const spk_live_place *place = &choice->place;
    live_line_put(line, "{\"type\":\"watch\",\"state\":");
    live_line_put_string(line, choice->begins ? "begun" : "ended");
    put_count(line, "item", choice->item);
    put_text(line, "episode", choice->name);
    put_count(line, "spikes", place->spikes);
    put_count(line, "segment", place->segment + 1);
    put_count(line, "trial", place->trial + 1);
    put_key(line, "after_s");
    if (place->has_time)
        live_line_put_time(line, place->time, spk_live_stream_rate(json->stream));
    else
        live_line_put(line, "null");
    live_line_put(line, "}\n");
    return line->status;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static void put_numbers(live_line *line, const char *key, uint64_t n, const uint64_t *number)
{
    put_key(line, key);
    live_line_put(line, "[");
    for (uint64_t k = 0; k < n; k++) {
        if (k > 0)
            live_line_put_bytes(line, ",", 1);
        live_line_put_number(line, number[k]);
    }
    live_line_put(line, "]");
}

spk_status live_json_counts(const live_json *json, live_line *line, const live_counts *counts)
{
    const spk_live_counts came = spk_live_stream_counts(json->stream);
    live_line_put(line, "{\"type\":\"counts\",\"spikes\":");
    live_line_put_number(line, came.accepted);
    put_numbers(line, "episode_counts", counts->n_episodes, counts->episodes);
    put_numbers(line, "pattern_counts", counts->n_patterns, counts->patterns);
    if (counts->recent_episodes != NULL) {
        put_numbers(line, "recent_episode_counts", counts->n_episodes, counts->recent_episodes);
        put_numbers(line, "recent_pattern_counts", counts->n_patterns, counts->recent_patterns);
    }
    live_line_put(line, "}\n");
    return line->status;
}

/* ---- the end --------------------------------------------------------------------------------- */

void live_json_clear(live_json *json)
{
    for (int kind = 0; kind < 2; kind++) {
        for (uint64_t k = 0; k < json->capacity[kind]; k++)
            free(json->start[kind][k]);
        free(json->start[kind]);
    }
    *json = (live_json){.context = json->context};
}
