/*
 * Times in text as exact decimals, and the column of ticks that they fill.
 *
 * The tick of a file is its finest decimal place S = min(D, F): D the most decimals written
 * anywhere, F the most with which every time fits (INT64_MIN .. SPK_MAX_TICK). While reading, D
 * only grows and F only falls, so a column kept at min(D, F) of the lines so far is multiplied when
 * D grows (nothing was cut before, or F would bind) and divided when F falls; floor(floor(x / a) /
 * b) = floor(x / (a b)) makes the divisions compose. Hence the result does not depend on the order
 * of the lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decimal.h"

typedef spk_written_decimal spk_text_time;

typedef enum spk_text_time_result {
    SPK_TEXT_TIME_OK,
    SPK_TEXT_TIME_NOT_A_NUMBER,
    SPK_TEXT_TIME_NOT_FINITE /* nan, inf, infinity */
} spk_text_time_result;

/* Reads [+-]digits[.digits][e[+-]digits], the whole text. */
spk_text_time_result spk_text_time_parse(const char *text, size_t length, spk_text_time *out);

/* The latest time of an event: a recording stops behind its last one. */
#define SPK_MAX_TICK (INT64_MAX - 1)

/* Whether the time is no whole number. */
bool spk_text_time_has_fraction(const spk_text_time *time);

typedef struct spk_tick_column {
    int64_t *ticks;
    uint64_t n;
    uint64_t capacity; /* of ticks, kept by the owner */
    int scale;         /* decimals of a tick so far */
    int written;       /* D, at most the limit given to init */
    int fitting;       /* F as far as known */
    int limit;
    bool cut; /* some time had digits beyond the tick */
} spk_tick_column;

enum { SPK_MAX_SCALE = 18 };

/* An empty column whose ticks never have more than `limit` (0 .. SPK_MAX_SCALE) decimals. */
void spk_tick_column_init(spk_tick_column *column, int limit);

/* Appends; false when not even its whole part fits. The capacity must be
 * larger than n. */
bool spk_tick_column_append(spk_tick_column *column, const spk_text_time *time);

/* Appends a plain short decimal ("12.345") that fits the scale as it is; false, with nothing
 * changed, for everything else, which then goes the long way. The capacity must be larger than n.
 */
bool spk_tick_column_append_plain(spk_tick_column *column, const char *text, size_t length);
