/* Lines of JSON in the making: text that grows. */
#ifndef SPK_LIVE_SINKS_LINE_H
#define SPK_LIVE_SINKS_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/stage.h"
#include "spikemine/duration.h"

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

#endif
