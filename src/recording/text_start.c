/* The first lines of a text recording: header, order of columns, unit of time. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "recording/read_text.h"
#include "recording/text_line.h"
#include "recording/text_reader.h"
#include "recording/text_time.h"

/* ---- guessing columns ------------------------------------------------------------------------ */

/*
 * Column guessing. What counts, strongest first: a column with something that is no number is the
 * unit; the one with fractions is the time; the one in ascending order is the time, unless it looks
 * like the groups of a file that is grouped by unit. Where these do not decide, the user must.
 */

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct column_name {
    char text[64]; /* lower case */
} column_name;

static column_name lower_name(const spk_field *field)
{
    column_name out = {{0}};
    size_t n = field->length < sizeof out.text - 1 ? field->length : sizeof out.text - 1;
    for (size_t k = 0; k < n; k++)
        out.text[k] = (char)tolower((unsigned char)field->text[k]);
    return out;
}

/* Whether one of the words (runs of letters) is in the list. */
static bool has_word(const column_name *n, const char *const *words)
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

static bool contains(const column_name *n, const char *const *parts)
{
    for (; *parts != NULL; parts++)
        if (strstr(n->text, *parts) != NULL)
            return true;
    return false;
}

static bool is_time_name(const column_name *n)
{
    static const char *const parts[] = {"time", "sample", "second", "frame", NULL};
    static const char *const words[] = {"t", "ts", "s", "sec", "ms", "us", "msec", "usec", NULL};
    return contains(n, parts) || has_word(n, words);
}

static bool is_unit_name(const column_name *n)
{
    static const char *const parts[] = {"unit",      "neuron", "chan",   "cell", "cluster",
                                        "electrode", "label",  "sender", "node", NULL};
    static const char *const words[] = {"id", "ch", "gid", "event", "type", "clu", NULL};
    return contains(n, parts) || has_word(n, words);
}

/* Whether all words are in `allowed`, and one of them in `wanted` too. */
static bool is_made_of(const column_name *n, const char *const *wanted, const char *const *allowed)
{
    bool found = false;
    for (const char *at = n->text; *at != '\0';) {
        column_name word = {{0}};
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
    column_name n = lower_name(field);
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
    column_name a = lower_name(&names[0]);
    column_name b = lower_name(&names[1]);
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
    column_name n = lower_name(field);
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

/* ---- the start ------------------------------------------------------------------------------- */

static int shown(const spk_field *field)
{
    return (int)(field->length < 40 ? field->length : 40);
}

spk_status spk_text_fail_line(spk_text_reader *reader, uint64_t number, const spk_line *line,
                              const char *text, const char *end)
{
    spk_context *context = reader->context;
    if (line->problem != NULL)
        return spk_fail(context, SPK_ERR_FORMAT, "%s:%" PRIu64 ": %s", reader->name, number,
                        line->problem);
    const spk_field *f = line->field;
    if (line->n_fields == 1)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": one column, '%.*s'; every line needs a time and a unit",
                        reader->name, number, shown(&f[0]), f[0].text);
    const bool comma = memchr(text, ',', (size_t)(end - text)) != NULL;
    const bool other = memchr(text, ';', (size_t)(end - text)) != NULL ||
                       memchr(text, '\t', (size_t)(end - text)) != NULL;
    return spk_fail(
        context, SPK_ERR_FORMAT, "%s:%" PRIu64 ": %d columns, '%.*s', '%.*s', '%.*s'%s; %s",
        reader->name, number, line->n_fields, shown(&f[0]), f[0].text, shown(&f[1]), f[1].text,
        shown(&f[2]), f[2].text, line->n_fields > 3 ? " ..." : "",
        comma && other ? "are these decimal commas? write points"
                       : "keep time and unit only, or pass --input-format table or lines");
}

/* ---- unit of time ---------------------------------------------------------------------------- */

void spk_text_set_unit(spk_text_reader *reader, spk_time_unit unit)
{
    static const int unit_decimals[] = {0, 3, 6, SPK_MAX_SCALE};
    static_assert(sizeof unit_decimals / sizeof unit_decimals[0] == SPK_TIME_GUESS,
                  "one for every unit of time");
    assert(unit < SPK_TIME_GUESS && reader->times.n == 0);
    reader->time_unit = unit;
    reader->times.limit = SPK_MAX_SCALE - unit_decimals[unit];
    reader->times.fitting = reader->times.limit;
}

spk_rate spk_text_column_rate(const spk_text_reader *reader)
{
    static const int unit_decimals[] = {0, 3, 6};
    static_assert(sizeof unit_decimals / sizeof unit_decimals[0] == SPK_TIME_SAMPLES,
                  "one for every unit of time but samples");
    if (reader->time_unit == SPK_TIME_SAMPLES)
        return reader->samples;
    spk_rate rate = {1, 1};
    for (int k = 0; k < reader->times.scale + unit_decimals[reader->time_unit]; k++)
        rate.numerator *= 10;
    return rate;
}

spk_status spk_text_take_comment(spk_text_reader *reader, const char *text, const char *end)
{
    static const char start[] = SPK_TEXT_SAMPLES_COMMENT;
    spk_rate rate = {0, 1};
    spk_time_unit wanted = reader->options->time_unit;
    if ((size_t)(end - text) < strlen(start) || memcmp(text, start, strlen(start)) != 0)
        return spk_text_comment_take(reader->context, &reader->comments, reader->name, text, end);
    text += strlen(start);
    const char *number = text;
    bool good = spk_whole_scan(&text, end, &rate.numerator);
    if (good && text < end && *text == '/') {
        text++;
        good = spk_whole_scan(&text, end, &rate.denominator);
    }
    if (!good || rate.numerator == 0 || rate.denominator == 0 || (text < end && *text != '\r'))
        return SPK_OK;
    bool same = wanted == SPK_TIME_SAMPLES &&
                (unsigned __int128)rate.numerator * reader->samples.denominator ==
                    (unsigned __int128)reader->samples.numerator * rate.denominator;
    if (wanted != SPK_TIME_GUESS && !same)
        return spk_fail(reader->context, SPK_ERR_FORMAT,
                        "%s: a comment says that times are samples@%.*s, another unit of time was "
                        "asked for; leave --time-unit out, or correct the comment",
                        reader->name, (int)(text - number), number);
    spk_text_set_unit(reader, SPK_TIME_SAMPLES);
    reader->samples = rate;
    reader->commented = true;
    return SPK_OK;
}

static spk_status fail_samples(spk_text_reader *reader, const char *name)
{
    return spk_fail(reader->context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64 ": the column '%s' says samples or frames; how many are a "
                    "second? pass --time-unit samples@RATE, for example samples@30000",
                    reader->name, reader->header_line, name);
}

static spk_status fail_contradiction(spk_text_reader *reader, const char *name, spk_named_unit said)
{
    static const char *const texts[] = {"s", "ms", "us", "samples@RATE"};
    static_assert(sizeof texts / sizeof texts[0] == SPK_TIME_GUESS, "one for every unit of time");
    if (said == SPK_NAMED_OTHER)
        return spk_fail(reader->context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": the column '%s' says a unit of time that is not read; "
                        "write the times in s, ms or us",
                        reader->name, reader->header_line, name);
    return spk_fail(reader->context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64 ": the column '%s' says %s, but %s was asked for; pass "
                    "--time-unit %s, or correct the header",
                    reader->name, reader->header_line, name,
                    said == SPK_NAMED_SAMPLES ? "samples or frames" : texts[said],
                    reader->time_unit == SPK_TIME_SAMPLES ? "samples" : texts[reader->time_unit],
                    texts[said]);
}

/* Otherwise the result would be wrong by a factor. */
spk_status spk_text_take_unit(spk_text_reader *reader)
{
    const char *name = reader->header_name[reader->columns == SPK_COLUMNS_TIME_UNIT ? 0 : 1];
    const spk_field field = {.text = name, .length = strlen(name)};
    spk_named_unit said = spk_time_unit_of_name(&field);
    bool free = reader->options->time_unit == SPK_TIME_GUESS && !reader->commented;
    if (said == SPK_NAMED_NONE || (spk_time_unit)said == reader->time_unit)
        return SPK_OK;
    if (!free || said == SPK_NAMED_OTHER)
        return fail_contradiction(reader, name, said);
    if (said == SPK_NAMED_SAMPLES)
        return fail_samples(reader, name);
    spk_text_set_unit(reader, (spk_time_unit)said);
    reader->believed = name;
    return SPK_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

static bool is_word(const spk_field *field)
{
    spk_text_time time;
    return spk_text_time_parse(field->text, field->length, &time) == SPK_TEXT_TIME_NOT_A_NUMBER;
}

static bool take_header(spk_text_reader *reader, uint64_t number, const char *text, const char *end)
{
    spk_line line;
    spk_line_cut_header(text, end, &line);
    if (line.problem != NULL || line.n_fields != 2 || !is_word(&line.field[0]) ||
        !is_word(&line.field[1]))
        return false;
    reader->header_line = number;
    if (reader->columns == SPK_COLUMNS_GUESS)
        reader->columns = spk_guess_from_names(line.field);
    for (int k = 0; k < 2; k++) {
        const size_t most = sizeof reader->header_name[k] - 1;
        size_t length = line.field[k].length < most ? line.field[k].length : most;
        memcpy(reader->header_name[k], line.field[k].text, length);
    }
    return true;
}

static spk_status take_guess(spk_text_reader *reader, uint64_t number, size_t n,
                             const spk_field (*fields)[2])
{
    reader->columns = spk_guess_from_content(n, fields, reader->time_unit == SPK_TIME_SAMPLES);
    if (reader->columns == SPK_COLUMNS_GUESS)
        return spk_fail(reader->context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": cannot tell which column is the time ('%.*s', '%.*s'); "
                        "pass --columns time,unit or --columns unit,time",
                        reader->name, number, shown(&fields[0][0]), fields[0][0].text,
                        shown(&fields[0][1]), fields[0][1].text);
    reader->guessed = true;
    return SPK_OK;
}

static const char *line_end(const char *text, const char *end)
{
    const char *found = memchr(text, '\n', (size_t)(end - text));
    return found != NULL ? found : end;
}

spk_status spk_text_start(spk_text_reader *reader, const char *text, const char *end)
{
    spk_field fields[SPK_GUESS_LINES][2];
    size_t n = 0;
    uint64_t number = reader->line;
    uint64_t first = 0;
    bool done = false;
    spk_status status = SPK_OK;
    while (text < end && !done && n < SPK_GUESS_LINES && status == SPK_OK) {
        const char *stop = line_end(text, end);
        spk_line line;
        number++;
        spk_line_cut(text, stop, &line);
        if (line.problem == NULL && line.n_fields == 0) {
            if (n == 0)
                status = spk_text_take_comment(reader, text, stop);
        } else if (n == 0 && reader->header_line == 0 && take_header(reader, number, text, stop)) {
            done = reader->columns != SPK_COLUMNS_GUESS;
        } else if (line.problem != NULL || line.n_fields != 2) {
            return spk_text_fail_line(reader, number, &line, text, stop);
        } else {
            first = first == 0 ? number : first;
            fields[n][0] = line.field[0];
            fields[n++][1] = line.field[1];
            done = reader->columns != SPK_COLUMNS_GUESS;
        }
        text = stop + (stop < end);
    }
    assert(status != SPK_OK || !done || n > 0 || reader->columns != SPK_COLUMNS_GUESS);
    reader->started = done || n > 0;
    if (status == SPK_OK && reader->columns == SPK_COLUMNS_GUESS && n > 0)
        status = take_guess(reader, first, n, (const spk_field(*)[2])fields);
    if (status == SPK_OK && reader->header_line > 0 && reader->columns != SPK_COLUMNS_GUESS)
        status = spk_text_take_unit(reader);
    return status;
}
