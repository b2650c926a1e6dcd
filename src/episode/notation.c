/* The text form of episodes: `56 (5ms,10ms] 49 (5ms,10ms] 12`. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/label.h"
#include "base/memory.h"
#include "episode/list.h"
#include "recording/list_file.h"

/* ---- delay intervals ------------------------------------------------------------------------- */

size_t spk_delay_format(const spk_delay *delay, char *buffer, size_t size)
{
    char lo[48];
    char hi[48];
    spk_duration_format(delay->lo, lo, sizeof lo);
    spk_duration_format(delay->hi, hi, sizeof hi);
    return (size_t)snprintf(buffer, size, "(%s,%s]", lo, hi);
}

/* One interval; `place` starts the message, may be "". */
static spk_status delay_check(spk_context *context, const char *place, const spk_delay *delay)
{
    char text[112];
    spk_delay_format(delay, text, sizeof text);
    if (delay->lo.digits < 0 || delay->hi.digits < 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "%sdelay interval %s is negative", place, text);
    if (spk_duration_compare(delay->lo, delay->hi) >= 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%sdelay interval %s is empty: the lower bound must be below the upper",
                        place, text);
    return SPK_OK;
}

/* spk_delay_parse of text[0 .. length). */
static spk_status delay_parse_range(spk_context *context, const char *text, size_t length,
                                    spk_delay *out)
{
    const char *start = text;
    const char *end = text + length;
    char separator = ':';
    if (length >= 2 && text[0] == '(' && end[-1] == ']') {
        start++;
        end--;
        separator = ',';
    }
    const char *middle = memchr(start, separator, (size_t)(end - start));
    if (middle == NULL)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "delay interval '%.*s': write LO:HI, for example 5ms:10ms for (5ms,10ms]",
                        (int)(length < 80 ? length : 80), text);
    spk_status status = spk_duration_parse(context, start, (size_t)(middle - start), &out->lo);
    if (status == SPK_OK)
        status = spk_duration_parse(context, middle + 1, (size_t)(end - middle - 1), &out->hi);
    return status == SPK_OK ? delay_check(context, "", out) : status;
}

spk_status spk_delay_parse(spk_context *context, const char *text, spk_delay *out)
{
    return delay_parse_range(context, text, strlen(text), out);
}

spk_status spk_delays_check(spk_context *context, const spk_delay *delays, size_t n_delays)
{
    if (n_delays > SPK_EPISODE_MAX_DELAYS)
        return spk_fail(context, SPK_ERR_ARGUMENT, "%zu delay intervals are more than %u", n_delays,
                        SPK_EPISODE_MAX_DELAYS);
    spk_status status = SPK_OK;
    for (size_t d = 0; d < n_delays && status == SPK_OK; d++)
        status = delay_check(context, "", &delays[d]);
    return status;
}

spk_status spk_delays_to_ticks(spk_context *context, const spk_delay *delays, size_t n_delays,
                               spk_rate rate, spk_tick_delay **out)
{
    spk_status status = spk_alloc(context, out, n_delays, "delay intervals");
    for (size_t d = 0; d < n_delays && status == SPK_OK; d++)
        (*out)[d] = (spk_tick_delay){spk_duration_ticks(delays[d].lo, rate),
                                     spk_duration_ticks(delays[d].hi, rate)};
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The header of a table of episodes is known by this name, which a plain list may begin with. */
static bool is_header(const char *label)
{
    return strcmp(label, "episode") == 0;
}

size_t spk_episode_format(const spk_recording *recording, const spk_episode_columns *episodes,
                          uint64_t i, char *buffer, size_t buffer_size)
{
    assert(i < episodes->n);
    spk_text_buffer b = {buffer, buffer_size, 0};
    for (uint64_t k = episodes->offset[i]; k < episodes->offset[i + 1]; k++) {
        if (k > episodes->offset[i]) {
            char text[112];
            assert(episodes->delay[k] < episodes->n_delays);
            spk_delay_format(&episodes->delays[episodes->delay[k]], text, sizeof text);
            spk_text_put_char(&b, ' ');
            spk_text_put(&b, text);
            spk_text_put_char(&b, ' ');
        }
        const char *label = spk_recording_label(recording, episodes->unit[k]);
        spk_label_put(&b, label,
                      spk_label_needs_quotes(label, SPK_EPISODE_SEPARATORS) || is_header(label));
    }
    return spk_text_end(&b);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* An episode while it is read. */
typedef struct reader {
    spk_context *context;
    const spk_recording *recording;
    spk_labels *absent; /* labels that the recording lacks; NULL: they are errors */
    const char *text;   /* the whole, for messages */
    const char *at;
    char *label; /* room for any label of the text */
} reader;

static spk_status refuse_delay(spk_context *context, const char *text, const char *at)
{
    return spk_fail(context, SPK_ERR_FORMAT,
                    "episode '%.200s': expected a delay interval such as (5ms,10ms] at '%.20s'%s",
                    text, at, strncmp(at, "->", 2) == 0 ? ", in place of the arrow" : "");
}

static spk_status take_unit(reader *r, uint32_t *unit)
{
    const char *end = spk_label_take(r->at, SPK_EPISODE_SEPARATORS, r->label);
    if (end == NULL)
        return spk_fail(r->context, SPK_ERR_FORMAT, "episode '%.200s': a quote is not closed",
                        r->text);
    if (end == r->at)
        return spk_fail(r->context, SPK_ERR_FORMAT,
                        "episode '%.200s': a unit is missing at '%.20s'; write for example "
                        "56 (5ms,10ms] 49",
                        r->text, r->at);
    const char *arrow = strstr(r->label, "->"); /* 56->49, as sentences have it, lacks its delay */
    if (arrow != NULL && !spk_recording_find_unit(r->recording, r->label, unit))
        return refuse_delay(r->context, r->text, arrow);
    spk_status status =
        spk_unit_number(r->context, r->recording, r->absent, r->label, "episode", r->text, unit);
    r->at = spk_skip_blanks(end);
    return status;
}

static spk_status take_delay(spk_context *context, const char *text, const char **at,
                             spk_delay *delay)
{
    const char *end = **at == '(' ? strchr(*at, ']') : NULL;
    if (end == NULL)
        return refuse_delay(context, text, *at);
    spk_status status = delay_parse_range(context, *at, (size_t)(end + 1 - *at), delay);
    *at = spk_skip_blanks(end + 1);
    return status;
}

/* As spk_episode_parse; a unit that the recording lacks is added to `absent` and gets the number
 * n_units plus its number there. NULL: such a unit is an error. */
static spk_status episode_parse_absent(spk_context *context, const spk_recording *recording,
                                       spk_labels *absent, const char *text, spk_episode_list *list)
{
    uint32_t units[SPK_EPISODE_MAX_SIZE];
    spk_delay delays[SPK_EPISODE_MAX_SIZE];
    reader r = {.context = context,
                .recording = recording,
                .absent = absent,
                .text = text,
                .at = spk_skip_blanks(text)};
    uint32_t size = 0;
    spk_status status = spk_alloc(context, &r.label, strlen(text) + 1, "an episode");
    if (status != SPK_OK)
        return status;
    do {
        if (size == SPK_EPISODE_MAX_SIZE) {
            status = spk_fail(context, SPK_ERR_RANGE, "episode '%.200s': more than %u positions",
                              text, SPK_EPISODE_MAX_SIZE);
            break;
        }
        status = take_unit(&r, &units[size]);
        size++;
        if (status == SPK_OK && *r.at != '\0')
            status = take_delay(context, text, &r.at, &delays[size - 1]);
        else
            break;
    } while (status == SPK_OK);
    if (status == SPK_OK)
        status = spk_episode_list_append(context, list, size, units, delays);
    free(r.label);
    return status;
}

spk_status spk_episode_parse(spk_context *context, const spk_recording *recording, const char *text,
                             spk_episode_list *list)
{
    return episode_parse_absent(context, recording, NULL, text, list);
}

/* ---- lists in files -------------------------------------------------------------------------- */

typedef struct list_reader {
    spk_context *context;
    const spk_recording *recording;
    spk_labels *absent; /* labels that the recording lacks; NULL: they are errors */
    spk_episode_list *list;
} list_reader;

static spk_status take_episode(void *user, const char *text)
{
    const list_reader *r = user;
    return episode_parse_absent(r->context, r->recording, r->absent, text, r->list);
}

static bool goes_on(const char *text)
{
    const char *at = text + strspn(text, " \t");
    const char *end = *at == '(' ? strchr(at, ']') : NULL;
    return end != NULL && memchr(at, ',', (size_t)(end - at)) != NULL;
}

/* Adds the episodes of a file to the list. */
static spk_status read_file(list_reader *lines, const char *path)
{
    const spk_list_file file = {
        .column = "episode",
        .missing = "has no episodes; write one a line, for example 56 (5ms,10ms] 49",
        .take = take_episode,
        .separators = SPK_EPISODE_SEPARATORS,
        .goes_on = goes_on,
        .user = lines};
    return spk_list_file_read(lines->context, path, &file);
}

/* 56 (5ms,10ms] 49 is none, unless a file has this name; nor is 56 -> 49, which lacks its delay. */
static bool is_file(const char *source)
{
    const char *interval = strchr(source, '(');
    const bool episode =
        (interval != NULL && strchr(interval, ',') != NULL) || strstr(source, "->") != NULL;
    return !episode || access(source, F_OK) == 0;
}

static spk_status read_list(spk_context *context, const spk_recording *recording, size_t n,
                            const char *const *sources, spk_labels *absent, spk_episode_list **out)
{
    list_reader lines = {.context = context, .recording = recording, .absent = absent};
    spk_status status = spk_episode_list_create(context, &lines.list);
    for (size_t k = 0; k < n && status == SPK_OK; k++)
        status =
            is_file(sources[k]) ? read_file(&lines, sources[k]) : take_episode(&lines, sources[k]);
    if (status != SPK_OK) {
        spk_episode_list_free(lines.list);
        lines.list = NULL;
    }
    *out = lines.list;
    return status;
}

spk_status spk_episode_list_read(spk_context *context, const spk_recording *recording,
                                 const char *path, spk_episode_list **out)
{
    return read_list(context, recording, 1, &path, NULL, out);
}

spk_status spk_episode_list_read_widened(spk_context *context, const spk_recording *recording,
                                         size_t n, const char *const *sources,
                                         spk_recording **widened, spk_episode_list **out)
{
    spk_labels absent = {.n = 0};
    uint32_t *number = NULL;
    const char *name = n == 1 && is_file(sources[0]) ? sources[0] : "the list";
    *widened = NULL;
    spk_status status = read_list(context, recording, n, sources, &absent, out);
    if (status == SPK_OK)
        status =
            spk_recording_widen(context, recording, &absent, name, "episodes", &number, widened);
    for (uint64_t k = 0; number != NULL && k < (*out)->n_positions; k++)
        (*out)->unit[k] = number[(*out)->unit[k]];
    if (status != SPK_OK) {
        spk_episode_list_free(*out);
        *out = NULL;
    }
    free(number);
    spk_labels_clear(&absent);
    return status;
}
