/* Lines of JSON in the making. */
#include "live/sinks/line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "base/utf8.h"

static void grow(live_line *line, uint64_t n)
{
    spk_stage stage = spk_stage_open(line->context);
    line->status = spk_grow(line->context, &line->text, &line->capacity, n, "a line of events");
    spk_stage_keep(line->context, &stage, &line->holding);
}

void live_line_put_bytes(live_line *line, const char *bytes, size_t n)
{
    if (line->status == SPK_OK && line->length + n > line->capacity)
        grow(line, line->length + n + 256);
    if (line->status != SPK_OK)
        return;
    memcpy(line->text + line->length, bytes, n);
    line->length += n;
}

void live_line_put(live_line *line, const char *text)
{
    live_line_put_bytes(line, text, strlen(text));
}

void live_line_put_number(live_line *line, uint64_t number)
{
    char digits[20];
    size_t n = sizeof digits;
    do {
        digits[--n] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    live_line_put_bytes(line, digits + n, sizeof digits - n);
}

void live_line_put_string(live_line *line, const char *text)
{
    size_t left = strlen(text);
    live_line_put_bytes(line, "\"", 1);
    while (left > 0) {
        char escape[8];
        size_t n = spk_utf8_character(text, left);
        if (n == 0) {
            live_line_put(line, "\xef\xbf\xbd");
            n = 1;
        } else if (*text == '"' || *text == '\\') {
            escape[0] = '\\';
            escape[1] = *text;
            live_line_put_bytes(line, escape, 2);
        } else if ((unsigned char)*text < 0x20) {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned char)*text);
            live_line_put(line, escape);
        } else {
            live_line_put_bytes(line, text, n);
        }
        text += n;
        left -= n;
    }
    live_line_put_bytes(line, "\"", 1);
}

/* Decimals of a rate that is a power of ten up to 10^9; -1 for others. */
static int decimals_of(spk_rate rate)
{
    uint64_t power = 1;
    for (int decimals = 0; decimals <= 9; decimals++, power *= 10)
        if (rate.denominator == 1 && rate.numerator == power)
            return decimals;
    return -1;
}

/* The usual rates, without division of 128 bits. */
static size_t format_decimal(uint64_t tick, uint64_t rate, int decimals, char *text)
{
    char digits[32];
    uint64_t whole = tick / rate, part = tick % rate;
    size_t n = 0, used = 0;
    int places = decimals;
    while (places > 0 && part % 10 == 0) {
        part /= 10;
        places--;
    }
    for (int k = 0; k < places; k++, part /= 10)
        digits[n++] = (char)('0' + part % 10);
    if (places > 0)
        digits[n++] = '.';
    do {
        digits[n++] = (char)('0' + whole % 10);
        whole /= 10;
    } while (whole > 0);
    while (n > 0)
        text[used++] = digits[--n];
    return used;
}

void live_line_put_time(live_line *line, int64_t tick, spk_rate rate)
{
    char text[48] = "";
    int decimals = decimals_of(rate);
    if (decimals >= 0 && tick >= 0) {
        size_t n = format_decimal((uint64_t)tick, rate.numerator, decimals, text);
        live_line_put_bytes(line, text, n);
        return;
    }
    decimals = 12;
    for (uint64_t left = rate.numerator / rate.denominator / 1000000000000; left > 0; left /= 10)
        decimals++;
    spk_fraction_format((__int128)tick * rate.denominator, rate.numerator, decimals, text,
                        sizeof text);
    live_line_put(line, text);
}

void live_line_put_decimal(live_line *line, double value, int decimals)
{
    char text[48];
    uint64_t power = 1;
    for (int k = 0; k < decimals; k++)
        power *= 10;
    double scaled = fabs(value) * (double)power;
    if (!(scaled < 9e18)) {
        live_line_put(line, "null"); /* JSON has no infinity, and no time is that long */
        return;
    }
    if (value < 0 && llround(scaled) > 0)
        live_line_put_bytes(line, "-", 1);
    live_line_put_bytes(line, text,
                        format_decimal((uint64_t)llround(scaled), power, decimals, text));
}

void live_line_clear(live_line *line)
{
    spk_holding_release(&line->holding);
    free(line->text);
    *line = (live_line){.context = line->context};
}
