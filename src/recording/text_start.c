/* The first lines of a text recording: header, order of columns, unit of time. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "recording/read_text.h"
#include "recording/text_guess.h"
#include "recording/text_reader.h"

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
