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
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64 ": %d columns, '%.*s', '%.*s', '%.*s'%s; %s", reader->name,
                    number, line->n_fields, shown(&f[0]), f[0].text, shown(&f[1]), f[1].text,
                    shown(&f[2]), f[2].text, line->n_fields > 3 ? " ..." : "",
                    comma && other ? "are these decimal commas? write points"
                                   : "keep time and unit only, for example with cut or awk");
}

/* The comment by which the writer tells that times are counted in ticks. */
static void read_comment(spk_text_reader *reader, const char *text, const char *end)
{
    static const char start[] = SPK_TEXT_SAMPLES_COMMENT;
    spk_rate rate = {0, 1};
    if (reader->options->time_unit != SPK_TIME_SECONDS || (size_t)(end - text) < strlen(start) ||
        memcmp(text, start, strlen(start)) != 0)
        return;
    text += strlen(start);
    bool good = spk_whole_scan(&text, end, &rate.numerator);
    if (good && text < end && *text == '/') {
        text++;
        good = spk_whole_scan(&text, end, &rate.denominator);
    }
    if (!good || rate.numerator == 0 || rate.denominator == 0 || (text < end && *text != '\r'))
        return;
    reader->time_unit = SPK_TIME_SAMPLES;
    reader->samples = rate;
    reader->times.limit = 0;
    reader->times.fitting = 0;
}

static bool is_word(const spk_field *field)
{
    spk_text_time time;
    return spk_text_time_parse(field->text, field->length, &time) == SPK_TEXT_TIME_NOT_A_NUMBER;
}

/* A header says "time_ms" but nobody told so: the result would be wrong by a factor. */
static void check_time_name(spk_text_reader *reader, const spk_field *name)
{
    static const char *const texts[] = {"s", "ms", "us", "samples@RATE"};
    static_assert(sizeof texts / sizeof texts[0] == SPK_TIME_SAMPLES + 1,
                  "one for every unit of time");
    spk_time_unit unit = spk_time_unit_of_name(name);
    if (unit == SPK_TIME_SECONDS || unit == reader->time_unit)
        return;
    spk_note(
        reader->context,
        "%s:%" PRIu64 ": the column '%.*s' is read in %s; pass --time-unit %s if that is wrong",
        reader->name, reader->header_line, shown(name), name->text,
        reader->time_unit == SPK_TIME_SECONDS ? "seconds" : texts[reader->time_unit], texts[unit]);
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
    if (reader->columns != SPK_COLUMNS_GUESS)
        check_time_name(reader, &line.field[reader->columns == SPK_COLUMNS_TIME_UNIT ? 0 : 1]);
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
    while (text < end && !done && n < SPK_GUESS_LINES) {
        const char *stop = line_end(text, end);
        spk_line line;
        number++;
        spk_line_cut(text, stop, &line);
        if (line.problem == NULL && line.n_fields == 0) {
            if (n == 0)
                read_comment(reader, text, stop);
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
    assert(!done || n > 0 || reader->columns != SPK_COLUMNS_GUESS);
    reader->started = done || n > 0;
    if (reader->columns == SPK_COLUMNS_GUESS && n > 0)
        return take_guess(reader, first, n, (const spk_field(*)[2])fields);
    return SPK_OK;
}
