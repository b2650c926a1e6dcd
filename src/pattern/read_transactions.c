/* Windows from text: one window a line, its items as whole numbers. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/order.h"
#include "pattern/moving_window.h"
#include "pattern/windows.h"
#include "recording/input.h"

typedef struct transaction_reader {
    spk_context *context;
    const char *name;
    uint64_t line;
    bool in_line;     /* its end is still to come */
    uint64_t limit;   /* items are below it */
    uint32_t n_units; /* 0: from the items */
    uint32_t window;
    uint32_t largest;
    uint64_t n_items;
    uint64_t item_capacity;
    uint64_t first_capacity;
    spk_windows *windows;
} transaction_reader;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Says what is wrong with the word that starts at `at`. */
static spk_status fail_word(transaction_reader *reader, const char *at, const char *end)
{
    int n = 0;
    while (at + n < end && n < 32 && !is_blank(at[n]) && at[n] != '\n')
        n++;
    if (memchr(at, '\0', (size_t)n) != NULL)
        return spk_fail(reader->context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": a NUL byte: looks binary; give a text file", reader->name,
                        reader->line);
    bool number = n > 0;
    for (int k = at[0] == '-' ? 1 : 0; k < n; k++)
        number &= spk_is_digit(at[k]);
    if (number && at[0] == '-' && n > 1)
        return spk_fail(reader->context, SPK_ERR_RANGE,
                        "%s:%" PRIu64 ": item %.*s is negative; items are unit * window + lag",
                        reader->name, reader->line, n, at);
    if (number && at[0] != '-' && reader->n_units > 0)
        return spk_fail(reader->context, SPK_ERR_RANGE,
                        "%s:%" PRIu64 ": item %.*s is outside %u units x %u bins (the largest is "
                        "%" PRIu64 "); check the window and the number of units",
                        reader->name, reader->line, n, at, reader->n_units, reader->window,
                        reader->limit - 1);
    if (number && at[0] != '-')
        return spk_fail(reader->context, SPK_ERR_RANGE,
                        "%s:%" PRIu64 ": item %.*s is larger than any that can be read (%" PRIu64
                        "); items are unit * window + lag",
                        reader->name, reader->line, n, at, reader->limit - 1);
    return spk_fail(reader->context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64
                    ": '%.*s' is not a whole number; a line is a window, its items are "
                    "numbers separated by blanks",
                    reader->name, reader->line, n, at);
}

/* Ends the line: its items in order and once each, and one more window. */
static spk_status end_line(transaction_reader *reader)
{
    spk_windows *windows = reader->windows;
    uint64_t n_windows = windows->columns.n_windows;
    spk_status status = spk_grow(reader->context, &windows->first, &reader->first_capacity,
                                 n_windows + 2, "windows");
    if (status != SPK_OK)
        return status;
    if (n_windows == 0)
        windows->first[0] = 0;
    uint32_t *item = windows->item + windows->first[n_windows];
    uint64_t n = reader->n_items - windows->first[n_windows], kept = 0;
    bool ascending = true;
    for (uint64_t k = 1; k < n; k++)
        ascending &= item[k - 1] < item[k];
    if (!ascending) {
        qsort(item, (size_t)n, sizeof *item, spk_rising_u32);
        for (uint64_t k = 0; k < n; k++)
            if (k == 0 || item[k] != item[k - 1])
                item[kept++] = item[k];
        reader->n_items -= n - kept;
    }
    windows->first[n_windows + 1] = reader->n_items;
    windows->columns.n_windows = n_windows + 1;
    return SPK_OK;
}

static spk_status read_item(transaction_reader *reader, const char **at, const char *end)
{
    const char *start = *at, *p = start;
    uint64_t value = 0;
    if (!spk_whole_scan(&p, end, &value) || (p < end && !is_blank(*p) && *p != '\n') ||
        value >= reader->limit)
        return fail_word(reader, start, end);
    spk_windows *windows = reader->windows;
    spk_status status = spk_grow(reader->context, &windows->item, &reader->item_capacity,
                                 reader->n_items + 1, "window items");
    if (status != SPK_OK)
        return status;
    windows->item[reader->n_items++] = (uint32_t)value;
    if (value > reader->largest)
        reader->largest = (uint32_t)value;
    *at = p;
    return SPK_OK;
}

/* Text that ends behind a word, or at the end of the input. */
static spk_status read_words(transaction_reader *reader, const char *text, const char *end)
{
    spk_status status = SPK_OK;
    while (text < end && status == SPK_OK) {
        reader->line += !reader->in_line;
        reader->in_line = true;
        if (reader->line > SPK_MAX_WINDOWS)
            return spk_fail(reader->context, SPK_ERR_RANGE, "%s: more than %u windows",
                            reader->name, SPK_MAX_WINDOWS);
        if (is_blank(*text)) {
            text++;
        } else if (*text == '\n') {
            status = end_line(reader);
            reader->in_line = false;
            text++;
        } else {
            status = read_item(reader, &text, end);
        }
    }
    return status;
}

static spk_status finish(transaction_reader *reader)
{
    spk_windows *windows = reader->windows;
    spk_status status = reader->in_line ? end_line(reader) : SPK_OK; /* one without a line end */
    uint64_t n = windows->columns.n_windows;
    if (status == SPK_OK)
        status = spk_alloc_columns(reader->context, "windows", SPK_COLUMN_ZERO(&windows->trial, n),
                                   SPK_COLUMN(&windows->start_bin, n));
    if (status != SPK_OK)
        return status;
    for (uint64_t w = 0; w < n; w++)
        windows->start_bin[w] = w;
    uint32_t seen = reader->n_items > 0 ? reader->largest / reader->window + 1 : 0;
    windows->columns = (spk_window_columns){.n_windows = n,
                                            .n_bins = n,
                                            .n_units = reader->n_units > 0 ? reader->n_units : seen,
                                            .window = reader->window,
                                            .first = windows->first,
                                            .item = windows->item,
                                            .trial = windows->trial,
                                            .start_bin = windows->start_bin};
    status = spk_alloc(reader->context, &windows->place, n, "windows");
    if (status == SPK_OK && !spk_windows_place(&windows->columns, windows->place)) {
        free(windows->place);
        windows->place = NULL;
    }
    return status;
}

const char *spk_windows_sha256(const spk_windows *windows)
{
    return windows->sha256;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Memory that does not depend on the file: a block of it, cut behind a word. */
enum { BLOCK_BYTES = 1 << 18 };

static spk_status check_arguments(spk_context *context, uint32_t n_units, uint32_t window)
{
    if (window < 1 || window > SPK_MAX_WINDOW_BINS)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "window of %u bins: give a length from 1 to %u bins", window,
                        SPK_MAX_WINDOW_BINS);
    if ((uint64_t)n_units * window > SPK_MAX_ITEMS)
        return spk_fail(context, SPK_ERR_RANGE,
                        "%u units in windows of %u bins make more than %u items; take fewer units "
                        "or a shorter window",
                        n_units, window, SPK_MAX_ITEMS);
    return SPK_OK;
}

/* Reads blocks until the input ends. `block` has BLOCK_BYTES. */
static spk_status read_blocks(transaction_reader *reader, spk_input *input, char *block)
{
    size_t filled = 0, n = 0;
    bool end = false, empty = true;
    spk_status status = SPK_OK;
    while (status == SPK_OK && !end) {
        status = spk_input_read(reader->context, input, block + filled, BLOCK_BYTES - filled, &n);
        end = n < BLOCK_BYTES - filled;
        filled += n;
        empty &= n == 0;
        size_t cut = filled; /* behind the last blank */
        while (!end && cut > 0 && !is_blank(block[cut - 1]) && block[cut - 1] != '\n')
            cut--;
        if (status == SPK_OK && cut == 0 && filled > 0) {
            reader->line += !reader->in_line;
            return fail_word(reader, block, block + filled);
        }
        if (status == SPK_OK)
            status = read_words(reader, block, block + cut);
        filled -= cut;
        memmove(block, block + cut, filled);
    }
    if (status == SPK_OK && empty)
        return spk_fail(reader->context, SPK_ERR_FORMAT,
                        "%s: is empty; expected one window a line, its items as numbers",
                        reader->name);
    return status;
}

static spk_status read_windows(transaction_reader *reader, spk_input *input, char *block)
{
    spk_status status = spk_alloc_zero(reader->context, &reader->windows, 1, "windows");
    if (status == SPK_OK) /* so that a first window without items has a place */
        status = spk_grow(reader->context, &reader->windows->item, &reader->item_capacity, 1,
                          "window items");
    if (status == SPK_OK)
        status = read_blocks(reader, input, block);
    if (status == SPK_OK)
        status = finish(reader);
    if (status == SPK_OK)
        status = spk_input_digest(reader->context, input, reader->windows->sha256);
    return status;
}

/* Takes the input over. */
static spk_status read_input(spk_context *context, spk_input *input, uint32_t n_units,
                             uint32_t window, spk_windows **out)
{
    uint32_t most_units =
        SPK_MAX_ITEMS / window < SPK_MAX_UNITS ? SPK_MAX_ITEMS / window : SPK_MAX_UNITS;
    transaction_reader reader = {.context = context,
                                 .name = spk_input_name(input),
                                 .n_units = n_units,
                                 .window = window,
                                 .limit = (uint64_t)(n_units > 0 ? n_units : most_units) * window};
    char *block = NULL;
    spk_status status = spk_alloc(context, &block, BLOCK_BYTES, "reading");
    spk_stage stage = spk_stage_open(context); /* from here on needs depend on the file */
    if (status == SPK_OK)
        status = read_windows(&reader, input, block);
    assert(status != SPK_OK || spk_windows_validate(reader.windows, &(const char *){NULL}));
    if (status == SPK_OK) {
        spk_windows_hold(context, reader.windows);
        *out = reader.windows;
    } else {
        spk_windows_free(reader.windows);
    }
    spk_stage_close(context, &stage);
    free(block);
    spk_input_close(input);
    return status;
}

spk_status spk_windows_parse_transactions(spk_context *context, const char *name, const char *text,
                                          size_t length, uint32_t n_units, uint32_t window,
                                          spk_windows **out)
{
    *out = NULL;
    spk_input *input = NULL;
    spk_status status = check_arguments(context, n_units, window);
    if (status == SPK_OK)
        status = spk_input_open_memory(context, name, text, length, &input);
    if (status == SPK_OK)
        status = read_input(context, input, n_units, window, out);
    if (status == SPK_OK)
        (*out)->sha256[0] = '\0'; /* no file */
    return status;
}

spk_status spk_windows_read_transactions(spk_context *context, const char *path, uint32_t n_units,
                                         uint32_t window, spk_windows **out)
{
    *out = NULL;
    spk_input *input = NULL;
    spk_status status = check_arguments(context, n_units, window);
    if (status == SPK_OK)
        status = spk_input_open(context, path, &input);
    return status == SPK_OK ? read_input(context, input, n_units, window, out) : status;
}
