/* Lines of JSON in the making: text that grows. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/stage.h"
#include "spikemine/duration.h"
#include "spikemine/live.h"
#include "spikemine/live_session.h"
#include "spikemine/partitions.h"

/* Begins zeroed. A failure to grow is kept, and what is put after it is lost. */
typedef struct live_line {
    char *text;
    uint64_t length;
    uint64_t capacity;
    spk_context *context;
    spk_status status;
    spk_holding holding;
} live_line;

void live_line_put(live_line *line, const char *text);
void live_line_put_bytes(live_line *line, const char *bytes, size_t n);
void live_line_put_number(live_line *line, uint64_t number);

/* The text in quotes, escaped. What is no UTF-8 becomes U+FFFD. */
void live_line_put_string(live_line *line, const char *text);

/* A time as an exact decimal number of seconds, as tables have it. */
void live_line_put_time(live_line *line, int64_t tick, spk_rate rate);

/* A number with at most `decimals` places (0 .. 9), without zeros at its end. */
void live_line_put_decimal(live_line *line, double value, int decimals);

void live_line_clear(live_line *line);

/* ---- events ---------------------------------------------------------------------------------- */

/* Events as lines of JSON; docs/reference/live-output.md says what they hold. */

/* What stands first in the lines of each item, made when the item occurs first. */
typedef struct live_json {
    spk_context *context;
    const spk_live_stream *stream;
    char **start[2]; /* of episodes, of patterns */
    uint64_t capacity[2];
} live_json;

/* Adds the line of an occurrence; `now_ns` is the time at which it leaves. */
spk_status live_json_occurrence(live_json *json, live_line *line,
                                const spk_live_occurrence *occurrence, int64_t now_ns);

/* Adds the line of a partition with at most `most` episodes (0: all), and of vanished ones. */
spk_status live_json_partition(const live_json *json, live_line *line,
                               const spk_partition_result *result, uint64_t most);

/* Adds the line of a mark. */
spk_status live_json_mark(const live_json *json, live_line *line, const spk_live_mark *mark);

/* Adds the line of a choice. */
spk_status live_json_choice(const live_json *json, live_line *line, const spk_live_choice *choice);

/* Counts of all items of a watch, the recent ones too where there is a window for them. */
typedef struct live_counts {
    uint64_t n_episodes;
    uint64_t n_patterns;
    const uint64_t *episodes; /* by item; of the whole stream */
    const uint64_t *patterns;
    const uint64_t *recent_episodes; /* NULL: there is no window */
    const uint64_t *recent_patterns;
} live_counts;

/* Adds the line of these counts. */
spk_status live_json_counts(const live_json *json, live_line *line, const live_counts *counts);

/* Frees what it holds. */
void live_json_clear(live_json *json);
