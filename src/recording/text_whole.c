/* The reading of a text from its options to its notes: once; twice where ranks that share it find
 * that something is wrong with it; three times where its times have more digits than ticks hold. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/stage.h"
#include "recording/describe.h"
#include "recording/read_text.h"
#include "recording/text_reader.h"
#include "recording/text_share.h"

/* ---- options --------------------------------------------------------------------------------- */

void spk_read_options_init(spk_read_options *options, size_t struct_size)
{
    static const spk_read_options defaults = {.columns = SPK_COLUMNS_GUESS,
                                              .time_unit = SPK_TIME_GUESS};
    spk_options_init(options, struct_size, &defaults, sizeof defaults);
}

/* {0, 1}: not given. */
static spk_rate sample_rate(const spk_read_options *options)
{
    return options->sample_rate.denominator != 0 ? options->sample_rate
                                                 : (spk_rate){options->samples_per_second, 1};
}

static spk_status check_options(spk_context *context, const spk_read_options *options)
{
    if (options->time_unit > SPK_TIME_GUESS)
        return spk_fail(context, SPK_ERR_ARGUMENT, "there is no unit of time %d",
                        (int)options->time_unit);
    if (options->time_unit == SPK_TIME_SAMPLES && sample_rate(options).numerator == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "times in samples need the number of samples per second; it is 0");
    if (options->start != NULL && options->start->exponent == SPK_DURATION_INFINITE)
        return spk_fail(context, SPK_ERR_ARGUMENT, "start cannot be infinite; leave it out");
    if (options->start == NULL || options->stop == NULL ||
        spk_duration_compare(*options->start, *options->stop) < 0)
        return SPK_OK;
    char start[48];
    char stop[48];
    spk_duration_format(*options->start, start, sizeof start);
    spk_duration_format(*options->stop, stop, sizeof stop);
    return spk_fail(context, SPK_ERR_ARGUMENT, "start %s is not before stop %s; exchange them",
                    start, stop);
}

spk_status spk_read_options_take(spk_context *context, const spk_read_options *given,
                                 spk_read_options *own)
{
    spk_status status = SPK_OPTIONS_TAKE(context, given, own, spk_read_options);
    return status == SPK_OK ? check_options(context, own) : status;
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void tell_cut(const spk_text_reader *reader)
{
    char tick[48];
    int decimals = reader->times.scale;
    for (int unit = (int)reader->time_unit; unit > 0 && unit < SPK_TIME_SAMPLES; unit--)
        decimals += 3;
    spk_duration_format((spk_duration){1, -decimals}, tick, sizeof tick);
    spk_note(reader->context,
             "%s: times were cut to whole ticks of %s, because 64 bit hold no finer ones over this "
             "range; events of one unit within a tick count once",
             reader->name, tick);
}

/* Told only when all went well: a failure is one message. */
static void tell_notes(const spk_text_reader *reader)
{
    if (reader->guessed)
        spk_note(reader->context, "%s: columns guessed from the content: %s", reader->name,
                 reader->columns == SPK_COLUMNS_TIME_UNIT ? "time,unit" : "unit,time");
    if (reader->believed != NULL)
        spk_note(reader->context, "%s: times are read in %s, as the column '%s' says", reader->name,
                 reader->time_unit == SPK_TIME_MILLISECONDS ? "ms" : "us", reader->believed);
    if (reader->way->tell != NULL)
        reader->way->tell(reader);
    if (reader->times.cut)
        tell_cut(reader);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void open_reader(spk_text_reader *reader)
{
    const spk_read_options *options = reader->options;
    reader->name = spk_input_name(reader->input);
    reader->columns = options->columns;
    reader->samples = sample_rate(options);
    spk_tick_column_init(&reader->times, SPK_MAX_SCALE);
    spk_text_set_unit(reader,
                      options->time_unit == SPK_TIME_GUESS ? SPK_TIME_SECONDS : options->time_unit);
}

static void close_reader(spk_text_reader *reader)
{
    free(reader->buffer);
    free(reader->times.ticks);
    free(reader->unit);
    spk_labels_clear(&reader->labels);
    spk_text_comments_clear(&reader->comments);
}

/* What follows when all lines were read. *again: it is to be read once more, without other ranks
 * (see spk_text_share), or where it was read so, as a whole. */
static spk_status end_reading(spk_text_reader *reader, spk_status status, char *hex, bool *again)
{
    if (reader->part.shared)
        return spk_text_share(reader, status, hex, again);
    /* What is wrong with the order depends on all events. */
    *again = status == SPK_OK && reader->part.on && reader->backwards_line != 0;
    if (*again)
        return status;
    if (status == SPK_OK)
        status = spk_text_check_end(reader);
    if (status == SPK_OK)
        status = spk_input_digest(reader->context, reader->input, hex);
    /* Events that were out of reach may be in reach of coarser ticks. */
    *again = status == SPK_OK && reader->part.on && reader->times.cut;
    return status;
}

/* Reads it once. */
static spk_status read_once(spk_text_reader *reader, bool *again, spk_recording **out)
{
    spk_context *context = reader->context;
    spk_recording_facts facts = {.lines = 0};
    spk_status status = spk_alloc(context, &reader->buffer, SPK_TEXT_BUFFER + 1, "reading");
    spk_stage stage = spk_stage_open(context); /* from here on needs depend on the file */
    open_reader(reader);
    if (status == SPK_OK) {
        status = spk_text_read_all(reader);
        status = end_reading(reader, status, facts.sha256, again);
    }
    facts.lines = reader->data_lines;
    facts.truncated_digits = reader->times.cut;
    if (status == SPK_OK && !*again)
        status = spk_text_finish(reader, facts, out);
    if (status == SPK_OK && !*again)
        tell_notes(reader);
    spk_stage_close(context, &stage);
    if (status == SPK_OK && !*again)
        status = spk_recording_tell_rates(context, *out, reader->name);
    return status;
}

spk_status spk_text_read(spk_context *context, spk_input *input, const spk_read_options *options,
                         const spk_text_way *way, void *own, spk_recording **out)
{
    spk_text_reader *reader = NULL;
    bool again = true;
    *out = NULL;
    spk_status status = spk_alloc_zero(context, &reader, 1, "the text reader");
    spk_text_part part = {.on = false};
    while (again && status == SPK_OK) {
        *reader = (spk_text_reader){.context = context,
                                    .options = options,
                                    .way = way,
                                    .own = own,
                                    .input = input,
                                    .part = part};
        again = false;
        if (part.alone)
            status = spk_input_rewind(context, input);
        if (status == SPK_OK)
            status = read_once(reader, &again, out);
        part.whole = again && !reader->part.shared;
        part.alone = true;
        close_reader(reader);
    }
    if (status != SPK_OK) {
        spk_recording_free(*out);
        *out = NULL;
    }
    free(reader);
    return status;
}
