/* Reads files of patterns: the text form `12@0 40@3 7@11` line by line, or a table with a column
 * `pattern`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/label.h"
#include "base/memory.h"
#include "base/order.h"
#include "recording/list_file.h"
#include "spikemine/pattern.h"

/* A spike of a pattern before the length of the windows is known. */
typedef struct pattern_spike {
    uint32_t lag;
    uint32_t unit;
} pattern_spike;

typedef struct pattern_reader {
    spk_context *context;
    const spk_recording *recording;
    spk_labels *absent; /* labels that the recording lacks; NULL: they are errors */
    uint32_t window;    /* lags are below it; 0: any */
    uint32_t longest;   /* lag */
    const char *text;   /* of the pattern that is read, for messages */
    uint64_t n_spikes, spike_capacity;
    pattern_spike *spike; /* of all patterns */
    uint64_t n, capacity;
    uint64_t *end; /* by pattern: where its spikes end */
} pattern_reader;

static const char WHAT[] = "a list of patterns";

/* ---- one line -------------------------------------------------------------------------------- */

static spk_status fail_spike(const pattern_reader *r, const char *at)
{
    return spk_fail(r->context, SPK_ERR_FORMAT,
                    "pattern '%.200s': expected a unit and its lag in bins, such as 40@3, at "
                    "'%.20s'",
                    r->text, at);
}

static spk_status take_lag(pattern_reader *r, const char **at, uint32_t *lag)
{
    uint64_t number = 0;
    const char *start = *at;
    uint32_t most = r->window > 0 ? r->window - 1 : SPK_MAX_WINDOW_BINS - 1;
    if (!spk_is_digit(*start))
        return fail_spike(r, start);
    if (!spk_whole_scan(at, start + strlen(start), &number) || number > most)
        return spk_fail(r->context, SPK_ERR_RANGE,
                        "pattern '%.200s': lag %.*s is outside a window of %" PRIu32
                        " bins; take a longer window",
                        r->text, (int)(*at - start < 40 ? *at - start : 40), start, most + 1);
    *lag = (uint32_t)number;
    r->longest = *lag > r->longest ? *lag : r->longest;
    return SPK_OK;
}

/* `label` has room for all of the text. */
static spk_status take_spike(pattern_reader *r, const char **at, char *label)
{
    pattern_spike spike;
    const char *end = spk_label_take(*at, "@", label);
    if (end == NULL)
        return spk_fail(r->context, SPK_ERR_FORMAT, "pattern '%.200s': a quote is not closed",
                        r->text);
    if (end == *at || *end != '@')
        return fail_spike(r, *at);
    spk_status status = spk_unit_number(r->context, r->recording, r->absent, label, "pattern",
                                        r->text, &spike.unit);
    end++;
    if (status == SPK_OK)
        status = take_lag(r, &end, &spike.lag);
    if (status == SPK_OK && *end != '\0' && spk_skip_blanks(end) == end)
        status = fail_spike(r, *at);
    if (status == SPK_OK)
        status = spk_grow(r->context, &r->spike, &r->spike_capacity, r->n_spikes + 1, WHAT);
    if (status == SPK_OK)
        r->spike[r->n_spikes++] = spike;
    *at = spk_skip_blanks(end);
    return status;
}

static int compare_spikes(const void *a, const void *b)
{
    const pattern_spike *x = a, *y = b;
    return SPK_BY(SPK_UP(x->lag, y->lag), SPK_UP(x->unit, y->unit));
}

/* A pattern is a set that begins with lag 0. */
static spk_status check_spikes(const pattern_reader *r, pattern_spike *spike, uint64_t n)
{
    qsort(spike, n, sizeof *spike, compare_spikes);
    if (spike[0].lag != 0)
        return spk_fail(r->context, SPK_ERR_FORMAT,
                        "pattern '%.200s': no spike has lag 0; count lags from the first spike",
                        r->text);
    for (uint64_t k = 1; k < n; k++)
        if (compare_spikes(&spike[k - 1], &spike[k]) == 0)
            return spk_fail(r->context, SPK_ERR_FORMAT,
                            "pattern '%.200s': one of its spikes stands there twice; take one of "
                            "them out",
                            r->text);
    return SPK_OK;
}

static spk_status take_pattern(void *user, const char *text)
{
    pattern_reader *r = user;
    const char *at = spk_skip_blanks(text);
    char *label = NULL;
    uint64_t first = r->n_spikes;
    r->text = text;
    spk_status status = spk_alloc(r->context, &label, strlen(text) + 1, "a pattern");
    if (status == SPK_OK)
        status = spk_grow(r->context, &r->end, &r->capacity, r->n + 1, WHAT);
    if (status == SPK_OK && *at == '\0')
        status = fail_spike(r, at);
    while (status == SPK_OK && *at != '\0')
        status = take_spike(r, &at, label);
    if (status == SPK_OK)
        status = check_spikes(r, r->spike + first, r->n_spikes - first);
    if (status == SPK_OK)
        r->end[r->n++] = r->n_spikes;
    free(label);
    return status;
}

static bool goes_on(const char *text)
{
    return text[0] == '@' && spk_is_digit(text[1]);
}

/* ---- the list -------------------------------------------------------------------------------- */

static void renumber(pattern_reader *r, const uint32_t *number)
{
    for (uint64_t k = 0; k < r->n_spikes; k++)
        r->spike[k].unit = number[r->spike[k].unit];
    for (uint64_t i = 0; i < r->n; i++) {
        uint64_t first = i > 0 ? r->end[i - 1] : 0;
        qsort(r->spike + first, r->end[i] - first, sizeof *r->spike, compare_spikes);
    }
}

static spk_status make_list(const pattern_reader *r, uint32_t n_units, uint32_t window,
                            spk_pattern_list **out)
{
    uint32_t *item = NULL, count = 0;
    if ((uint64_t)n_units * window > SPK_MAX_ITEMS)
        return spk_fail(r->context, SPK_ERR_RANGE,
                        "%" PRIu32 " units in windows of %" PRIu32 " bins make more than %u items; "
                        "take fewer units or a shorter window",
                        n_units, window, SPK_MAX_ITEMS);
    spk_status status = spk_pattern_list_create(r->context, window, out);
    if (status == SPK_OK)
        status = spk_alloc(r->context, &item, r->n_spikes, WHAT);
    for (uint64_t k = 0; k < r->n_spikes && status == SPK_OK; k++)
        item[k] = r->spike[k].unit * window + r->spike[k].lag;
    for (uint64_t i = 0; i < r->n && status == SPK_OK; i++) {
        const uint64_t offset[] = {i > 0 ? r->end[i - 1] : 0, r->end[i]};
        const spk_pattern_columns one = {
            .n = 1, .window = window, .offset = offset, .item = item, .count = &count};
        status = spk_pattern_list_add(*out, &one);
    }
    free(item);
    return status;
}

static spk_status finish(pattern_reader *r, const char *path, uint32_t window,
                         spk_recording **widened, spk_pattern_list **out)
{
    uint32_t *number = NULL, n_units = spk_recording_events(r->recording).n_units;
    spk_status status = SPK_OK;
    if (r->absent != NULL && r->absent->n > 0) {
        n_units += r->absent->n;
        status = spk_recording_widen(r->context, r->recording, r->absent, path, "patterns", &number,
                                     widened);
        if (status == SPK_OK)
            renumber(r, number);
    }
    if (status == SPK_OK)
        status = make_list(r, n_units, window > 0 ? window : r->longest + 1, out);
    free(number);
    return status;
}

spk_status spk_pattern_list_read(spk_context *context, const spk_recording *recording,
                                 const char *path, uint32_t window, spk_recording **widened,
                                 spk_pattern_list **out)
{
    spk_labels absent = {.n = 0};
    pattern_reader reader = {.context = context,
                             .recording = recording,
                             .absent = widened != NULL ? &absent : NULL,
                             .window = window};
    const spk_list_file file = {.column = "pattern",
                                .missing =
                                    "has no patterns; write one a line, for example 12@0 40@3",
                                .take = take_pattern,
                                .separators = "@",
                                .goes_on = goes_on,
                                .user = &reader};
    *out = NULL;
    if (widened != NULL)
        *widened = NULL;
    if (window > SPK_MAX_WINDOW_BINS)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "window of %" PRIu32 " bins: give a length up to %u bins", window,
                        SPK_MAX_WINDOW_BINS);
    spk_status status = spk_list_file_read(context, path, &file);
    if (status == SPK_OK)
        status = finish(&reader, path, window, widened, out);
    if (status != SPK_OK) {
        spk_pattern_list_free(*out);
        *out = NULL;
        if (widened != NULL) {
            spk_recording_free(*widened);
            *widened = NULL;
        }
    }
    free(reader.spike);
    free(reader.end);
    spk_labels_clear(&absent);
    return status;
}
