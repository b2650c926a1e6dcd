/*
 * Column guessing. What counts, strongest first: a column with something that is no number is the
 * unit; the one with fractions is the time; the one in ascending order is the time, unless it looks
 * like the groups of a file that is grouped by unit. Where these do not decide, the user must.
 */
#include "recording/text_guess.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "recording/text_time.h"

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct name {
    char text[64]; /* lower case */
} name;

static name lower_name(const spk_field *field)
{
    name out = {{0}};
    size_t n = field->length < sizeof out.text - 1 ? field->length : sizeof out.text - 1;
    for (size_t k = 0; k < n; k++)
        out.text[k] = (char)tolower((unsigned char)field->text[k]);
    return out;
}

/* Whether one of the words (runs of letters) is in the list. */
static bool has_word(const name *n, const char *const *words)
{
    for (const char *at = n->text; *at != '\0';) {
        size_t length = 0;
        while (isalpha((unsigned char)at[length]))
            length++;
        for (const char *const *w = words; *w != NULL && length > 0; w++)
            if (strlen(*w) == length && memcmp(*w, at, length) == 0)
                return true;
        at += length + (at[length] != '\0');
    }
    return false;
}

static bool contains(const name *n, const char *const *parts)
{
    for (; *parts != NULL; parts++)
        if (strstr(n->text, *parts) != NULL)
            return true;
    return false;
}

static bool is_time_name(const name *n)
{
    static const char *const parts[] = {"time", "sample", "second", "frame", NULL};
    static const char *const words[] = {"t", "ts", "s", "sec", "ms", "us", "msec", "usec", NULL};
    return contains(n, parts) || has_word(n, words);
}

static bool is_unit_name(const name *n)
{
    static const char *const parts[] = {"unit",      "neuron", "chan",   "cell", "cluster",
                                        "electrode", "label",  "sender", "node", NULL};
    static const char *const words[] = {"id", "ch", "gid", "event", "type", "clu", NULL};
    return contains(n, parts) || has_word(n, words);
}

/* Whether all words are in `allowed`, and one of them in `wanted` too. */
static bool is_made_of(const name *n, const char *const *wanted, const char *const *allowed)
{
    bool found = false;
    for (const char *at = n->text; *at != '\0';) {
        name word = {{0}};
        size_t length = 0;
        while (isalpha((unsigned char)at[length]))
            length++;
        memcpy(word.text, at, length);
        if (length > 0 && has_word(&word, wanted))
            found = true;
        else if (length > 0 && !has_word(&word, allowed))
            return false;
        at += length + (at[length] != '\0');
    }
    return found;
}

spk_named_column spk_column_of_name(const spk_field *field)
{
    static const char *const times[] = {"time",       "times",     "t",          "ts",
                                        "timestamp",  "spiketime", "timestamps", "spiketimes",
                                        "spiketrain", NULL};
    static const char *const with_times[] = {
        "spike",       "spikes",       "event",  "events",  "in",           "s",
        "sec",         "secs",         "second", "seconds", "ms",           "msec",
        "millisecond", "milliseconds", "us",     "usec",    "microseconds", "ns",
        "sample",      "samples",      "of",     "frames",  "microsecond",  NULL};
    static const char *const units[] = {
        "unit",     "units",     "neuron",   "neurons",    "cell",      "cells",     "cluster",
        "clusters", "channel",   "channels", "chan",       "ch",        "electrode", "electrodes",
        "unitid",   "neuronid",  "cellid",   "clusterid",  "channelid", "clu",       "electrodeid",
        "unitids",  "neuronids", "cellids",  "clusterids", NULL};
    static const char *const with_units[] = {"id",     "ids", "index", "idx",   "number",
                                             "no",     "nr",  "name",  "label", "spike",
                                             "spikes", "num", NULL};
    name n = lower_name(field);
    if (is_made_of(&n, times, with_times))
        return SPK_NAMED_TIME;
    if (is_made_of(&n, units, with_units))
        return SPK_NAMED_UNIT;
    if (is_time_name(&n))
        return SPK_NAMED_NEAR_TIME;
    return is_unit_name(&n) ? SPK_NAMED_NEAR_UNIT : SPK_NAMED_NOTHING;
}

spk_columns spk_guess_from_names(const spk_field names[2])
{
    name a = lower_name(&names[0]);
    name b = lower_name(&names[1]);
    bool time[2] = {is_time_name(&a), is_time_name(&b)};
    bool unit[2] = {is_unit_name(&a), is_unit_name(&b)};
    if (time[0] != time[1])
        return time[0] ? SPK_COLUMNS_TIME_UNIT : SPK_COLUMNS_UNIT_TIME;
    if (unit[0] != unit[1])
        return unit[1] ? SPK_COLUMNS_TIME_UNIT : SPK_COLUMNS_UNIT_TIME;
    return SPK_COLUMNS_GUESS;
}

spk_named_unit spk_time_unit_of_name(const spk_field *field)
{
    /* The micro sign and the Greek letter, which look the same; their bytes are no letters here. */
    static const char *const greek[] = {"\xc2\xb5s", "\xce\xbcs", NULL};
    static const char *const words[SPK_NAMED_NONE][8] = {
        [SPK_NAMED_MILLISECONDS] = {"ms", "msec", "msecs", "millis", "millisecond", "milliseconds"},
        [SPK_NAMED_MICROSECONDS] = {"us", "usec", "usecs", "micros", "microsecond", "microseconds"},
        [SPK_NAMED_OTHER] = {"ns", "nsec", "nsecs", "nanos", "nanosecond", "nanoseconds"},
        [SPK_NAMED_SECONDS] = {"s", "sec", "secs", "second", "seconds"},
        [SPK_NAMED_SAMPLES] = {"sample", "samples", "frame", "frames"}};
    static const spk_named_unit order[] = {SPK_NAMED_MILLISECONDS, SPK_NAMED_MICROSECONDS,
                                           SPK_NAMED_OTHER, SPK_NAMED_SECONDS, SPK_NAMED_SAMPLES};
    name n = lower_name(field);
    if (contains(&n, greek))
        return SPK_NAMED_MICROSECONDS;
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++)
        if (has_word(&n, words[order[k]]))
            return order[k];
    return SPK_NAMED_NONE;
}

/* ---- content --------------------------------------------------------------------------------- */

typedef struct column {
    size_t words;     /* fields that are no numbers */
    size_t fractions; /* numbers with something after the point */
    size_t points;    /* numbers written with a point or exponent */
    size_t distinct;
    bool ascending;
} column;

static int compare_fields(const void *a, const void *b)
{
    const spk_field *x = a;
    const spk_field *y = b;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return memcmp(x->text, y->text, x->length);
}

static size_t count_distinct(size_t n, const spk_field (*fields)[2], int which)
{
    spk_field sorted[SPK_GUESS_LINES] = {{NULL, 0, false, false}};
    for (size_t i = 0; i < n; i++)
        sorted[i] = fields[i][which];
    qsort(sorted, n, sizeof *sorted, compare_fields);
    size_t distinct = n > 0;
    for (size_t i = 1; i < n; i++)
        distinct += compare_fields(&sorted[i - 1], &sorted[i]) != 0;
    return distinct;
}

/* Whether a <= b, both numbers: by doubles, which is good enough for a guess. */
static bool in_order(const spk_field *a, const spk_field *b)
{
    double value[2] = {0, 0};
    const spk_field *fields[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        spk_text_time t;
        if (spk_text_time_parse(fields[k]->text, fields[k]->length, &t) != SPK_TEXT_TIME_OK)
            return false;
        char text[64];
        size_t n = fields[k]->length < sizeof text - 1 ? fields[k]->length : sizeof text - 1;
        memcpy(text, fields[k]->text, n);
        text[n] = '\0';
        value[k] = strtod(text, NULL);
    }
    return value[0] <= value[1];
}

static column examine(size_t n, const spk_field (*fields)[2], int which)
{
    column c = {.ascending = true, .distinct = count_distinct(n, fields, which)};
    for (size_t i = 0; i < n; i++) {
        const spk_field *f = &fields[i][which];
        spk_text_time t;
        spk_text_time_result result = spk_text_time_parse(f->text, f->length, &t);
        c.words += result == SPK_TEXT_TIME_NOT_A_NUMBER;
        if (result != SPK_TEXT_TIME_OK)
            continue;
        c.fractions += spk_text_time_has_fraction(&t);
        c.points += memchr(f->text, '.', f->length) != NULL;
        if (i > 0 && c.words == 0)
            c.ascending &= in_order(&fields[i - 1][which], f);
    }
    c.ascending &= c.words == 0;
    return c;
}

/* +1: the first column is the time, -1: the second, 0: this does not tell. */
static int sign_of(bool first, bool second)
{
    return (int)first - (int)second;
}

static int guess(size_t n, const spk_field (*fields)[2], bool samples)
{
    column a = examine(n, fields, 0);
    column b = examine(n, fields, 1);
    if (a.words != b.words)
        return sign_of(a.words < b.words, b.words < a.words);
    if (a.words > 0)
        return 0;
    int fraction = sign_of(a.fractions > 0, b.fractions > 0);
    if (fraction != 0)
        return samples ? -fraction : fraction;
    int order = sign_of(a.ascending, b.ascending);
    int distinct = sign_of(a.distinct > b.distinct, a.distinct < b.distinct);
    /* Ascending with fewer values than the other: binned times, or units that group the file? */
    if (order != 0 && distinct != -order)
        return order;
    if (order == 0 && distinct != 0)
        return distinct;
    return order == 0 ? sign_of(a.points > 0, b.points > 0) : 0;
}

spk_columns spk_guess_from_content(size_t n, const spk_field (*fields)[2], bool samples)
{
    int first = guess(n, fields, samples);
    if (first == 0)
        return SPK_COLUMNS_GUESS;
    return first > 0 ? SPK_COLUMNS_TIME_UNIT : SPK_COLUMNS_UNIT_TIME;
}
