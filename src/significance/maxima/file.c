/*
 * The file of maxima: read. First comes what kind of file it is, then whether it is whole and
 * undamaged, and only then what it says. A checksum can be made by anybody, so all of it is checked
 * all the same.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/sha256.h"
#include "recording/input.h"
#include "significance/maxima/maxima.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* Everything that is written passes the checksum. */
typedef struct file_writer {
    spk_context *context;
    spk_output *output;
    spk_sha256 digest;
    spk_status status;
    size_t n;
    char buffer[1 << 15];
} file_writer;

static void send(file_writer *w)
{
    spk_sha256_add(&w->digest, w->buffer, w->n);
    if (w->status == SPK_OK)
        w->status = spk_output_write(w->context, w->output, w->buffer, w->n);
    w->n = 0;
}

static void put(file_writer *w, const char *format, ...) SPK_PRINTF(2, 3);

/* Short texts: numbers and lines of the job. */
static void put(file_writer *w, const char *format, ...)
{
    enum { LONGEST = 8192 };
    va_list arguments;
    if (sizeof w->buffer - w->n < LONGEST)
        send(w);
    va_start(arguments, format);
    int n = vsnprintf(w->buffer + w->n, LONGEST, format, arguments);
    va_end(arguments);
    w->n += n > 0 && n < LONGEST ? (size_t)n : 0;
}

static void put_head(file_writer *w, const spk_maxima *maxima)
{
    put(w, "%s%d\n", SPK_MAXIMA_MAGIC, SPK_MAXIMA_FORMAT);
    for (const char *line = maxima->job; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        put(w, "# %.*s\n", (int)length, line);
        line += length + (line[length] != '\0');
    }
    put(w, "# surrogates: %" PRIu64 "\n", maxima->part.n_surrogates);
    put(w, "# shard: %" PRIu32 "/%" PRIu32 "\n", maxima->part.shard, maxima->part.n_shards);
    put(w, "# done: %" PRIu64 "\n", maxima->n);
    put(w, "%s", maxima->part.n_scales > 0 ? SPK_MAXIMA_SCORES_HEADER : SPK_MAXIMA_HEADER);
}

static void put_rows(file_writer *w, const spk_maxima *maxima)
{
    for (uint64_t i = 0; i < maxima->n; i++) {
        uint64_t begin = maxima->first[i], end = maxima->first[i + 1];
        if (begin == end)
            put(w, "%" PRIu64 "\t0\t0\t0\n", maxima->surrogate[i]);
        for (uint64_t e = begin; e < end; e++) {
            const spk_pattern_maximum *m = &maxima->entry[e].maximum;
            const spk_score_step *s = &maxima->entry[e].step;
            bool scores = maxima->part.n_scales > 0;
            put(w, "%" PRIu64 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\n", maxima->surrogate[i],
                scores ? s->scale : m->size, scores ? s->score : m->duration,
                scores ? s->results : m->count);
        }
    }
}

static spk_status write_to(spk_context *context, const spk_maxima *maxima, const char *path,
                           bool own)
{
    char hex[SPK_SHA256_HEX];
    file_writer w = {.context = context, .digest = spk_sha256_start()};
    w.status = own ? spk_output_open_own(context, path, &w.output)
                   : spk_output_open(context, path, &w.output);
    if (w.status != SPK_OK)
        return w.status;
    put_head(&w, maxima);
    put_rows(&w, maxima);
    send(&w);
    spk_sha256_end(&w.digest, hex);
    put(&w, "# sha256: %s\n", hex);
    send(&w);
    if (w.status == SPK_OK)
        return spk_output_commit(context, w.output);
    spk_output_discard(w.output);
    return w.status;
}

spk_status spk_maxima_write(spk_context *context, const spk_maxima *maxima, const char *path)
{
    return write_to(context, maxima, path, false);
}

spk_status spk_maxima_write_own(spk_context *context, const spk_maxima *maxima, const char *path)
{
    return write_to(context, maxima, path, true);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* "# sha256: " and 64 digits and the end of the line. */
enum { SUM_BYTES = 75, MOST_LINE = 4000, MOST_JOB_LINES = 200, BLOCK_BYTES = 1 << 16 };
static const char sum_name[] = "# sha256: ";

typedef struct parser {
    spk_context *context;
    const char *name;
    const char *at;
    const char *end; /* of what lies before the checksum */
    uint64_t line;   /* number of the line at `at` */
    spk_maxima_part part;
    uint64_t n_done;
    char *job;
} parser;

/* ---- kind and checksum ----------------------------------------------------------------------- */

static spk_status check_magic(spk_context *context, const char *name, const char *text, size_t n)
{
    size_t length = strlen(SPK_MAXIMA_MAGIC);
    uint64_t format = 0;
    const char *at = text + length;
    if (n == 0)
        return spk_fail(context, SPK_ERR_FORMAT, "%s: is empty; this is no file of maxima", name);
    if (n < length || memcmp(text, SPK_MAXIMA_MAGIC, length) != 0 ||
        !spk_whole_scan(&at, text + n, &format) || at == text + n || *at != '\n')
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: is no file of maxima: it does not begin with '%s' and a number", name,
                        SPK_MAXIMA_MAGIC);
    if (format != SPK_MAXIMA_FORMAT)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: has format %" PRIu64 ", which is %s than this program reads (%d); "
                        "take the spikemine that wrote it, or run its surrogates anew",
                        name, format, format < SPK_MAXIMA_FORMAT ? "older" : "newer",
                        SPK_MAXIMA_FORMAT);
    return SPK_OK;
}

static spk_status check_sum(spk_context *context, const char *name, const char *text, size_t n)
{
    char hex[SPK_SHA256_HEX];
    const char *sum = text + n - SUM_BYTES;
    size_t n_name = strlen(sum_name);
    if (n < SUM_BYTES || sum == text || sum[-1] != '\n' || text[n - 1] != '\n' ||
        memcmp(sum, sum_name, n_name) != 0)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: is cut off or was changed: its last line is no checksum; take a copy "
                        "of it, or run its surrogates anew",
                        name);
    spk_sha256 digest = spk_sha256_start();
    spk_sha256_add(&digest, text, n - SUM_BYTES);
    spk_sha256_end(&digest, hex);
    if (memcmp(sum + n_name, hex, strlen(hex)) != 0)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: is damaged: its content has another checksum than its last line says; "
                        "take a copy of it, or run its surrogates anew",
                        name);
    return SPK_OK;
}

/* ---- the head -------------------------------------------------------------------------------- */

static spk_status fail_line(const parser *p, const char *what)
{
    return spk_fail(p->context, SPK_ERR_FORMAT, "%s:%" PRIu64 ": %s; this is no file of maxima",
                    p->name, p->line, what);
}

/* The line at `at` without its end; false where it has none, or is too long. */
static bool look_at_line(const parser *p, size_t *length)
{
    const char *end = memchr(p->at, '\n', (size_t)(p->end - p->at));
    *length = end != NULL ? (size_t)(end - p->at) : 0;
    return end != NULL && *length <= MOST_LINE;
}

static bool begins_with(const parser *p, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(p->end - p->at) >= n && memcmp(p->at, text, n) == 0;
}

static void next_line(parser *p, size_t length)
{
    p->at += length + 1;
    p->line++;
}

/* "# name: value" with something in both, all of it printable ASCII: `colon` is where the name
 * ends. */
static bool is_job_line(const char *line, size_t length)
{
    const char *colon = length > 4 ? memchr(line, ':', length) : NULL;
    if (colon == NULL || memcmp(line, "# ", 2) != 0 || colon < line + 3 ||
        colon + 2 >= line + length || colon[1] != ' ')
        return false;
    for (size_t k = 0; k < length; k++)
        if ((unsigned char)line[k] < ' ' || (unsigned char)line[k] > '~')
            return false;
    return true;
}

/* The lines of the job: up to the one that tells the number of surrogates. */
static spk_status parse_job(parser *p)
{
    const char *begin = p->at;
    size_t length = 0, n_lines = 0;
    while (!begins_with(p, "# surrogates: ")) {
        if (!look_at_line(p, &length) || !is_job_line(p->at, length) || n_lines++ == MOST_JOB_LINES)
            return fail_line(p, "expected '# NAME: VALUE'");
        next_line(p, length);
    }
    spk_status status =
        spk_alloc(p->context, &p->job, (size_t)(p->at - begin) + 1, "the text of a job");
    char *out = p->job;
    for (const char *line = begin; status == SPK_OK && line < p->at; line += length + 1) {
        length = (size_t)((const char *)memchr(line, '\n', (size_t)(p->at - line)) - line);
        memcpy(out, line + 2, length - 1); /* without the "# " */
        out += length - 1;
    }
    if (status == SPK_OK)
        *out = '\0';
    return status;
}

/* How many windows an exact test has, from its line "jitter: 5ms, 25ms"; 0: there is none. */
static uint32_t count_scales(const char *job)
{
    static const char name[] = "\njitter: ";
    const char *at = strstr(job, name);
    uint32_t n = at != NULL;
    for (at = at != NULL ? at + strlen(name) : ""; *at != '\0' && *at != '\n'; at++)
        n += *at == ',';
    return n <= SPK_EXACT_MAX_SCALES ? n : 0;
}

/* What the entries are, from the job. */
static spk_status find_kind(parser *p)
{
    const char *job = p->job != NULL ? p->job : "";
    bool two = strstr(job, "\nspectrum: 2d\n") != NULL;
    bool three = strstr(job, "\nspectrum: 3d\n") != NULL;
    bool exact = strstr(job, "\ntest: exact\n") != NULL;
    p->part.by_duration = three;
    p->part.n_scales = exact ? count_scales(job) : 0;
    if (two + three + exact == 1 && exact == (p->part.n_scales > 0))
        return SPK_OK;
    return fail_line(p, "expected one line '# spectrum: 2d' or 3d, or '# test: exact' and its "
                        "'# jitter: ', before");
}

/* A whole number up to `most`, and what stands behind it. */
static bool scan_number(parser *p, uint64_t most, char behind, uint64_t *out)
{
    bool good =
        spk_whole_scan(&p->at, p->end, out) && *out <= most && p->at < p->end && *p->at == behind;
    if (good)
        p->at++;
    return good;
}

static bool scan_text(parser *p, const char *text)
{
    bool good = begins_with(p, text);
    if (good)
        p->at += strlen(text);
    return good;
}

static spk_status parse_numbers(parser *p)
{
    uint64_t shard = 0, n_shards = 0;
    if (!scan_text(p, "# surrogates: ") ||
        !scan_number(p, UINT64_MAX - 1, '\n', &p->part.n_surrogates) || p->part.n_surrogates == 0)
        return fail_line(p, "expected '# surrogates: ' and a number");
    p->line++;
    if (!scan_text(p, "# shard: ") || !scan_number(p, UINT32_MAX, '/', &shard) ||
        !scan_number(p, UINT32_MAX, '\n', &n_shards) || shard < 1 || shard > n_shards)
        return fail_line(p, "expected '# shard: ' and a shard such as 3/16");
    p->part.shard = (uint32_t)shard;
    p->part.n_shards = (uint32_t)n_shards;
    p->line++;
    if (!scan_text(p, "# done: ") || !scan_number(p, UINT64_MAX, '\n', &p->n_done) ||
        p->n_done > spk_maxima_shard_size(&p->part))
        return fail_line(p, "expected '# done: ' and a number of surrogates");
    p->line++;
    if (!scan_text(p, p->part.n_scales > 0 ? SPK_MAXIMA_SCORES_HEADER : SPK_MAXIMA_HEADER))
        return fail_line(p, "expected the names of the columns");
    p->line++;
    return SPK_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct row {
    uint64_t surrogate;
    uint32_t value[3];
} row;

static bool scan_row(parser *p, row *out)
{
    uint64_t value[3] = {0};
    if (!scan_number(p, UINT64_MAX - 1, '\t', &out->surrogate) ||
        !scan_number(p, UINT32_MAX, '\t', &value[0]) ||
        !scan_number(p, UINT32_MAX, '\t', &value[1]) ||
        !scan_number(p, UINT32_MAX, '\n', &value[2]))
        return false;
    for (int k = 0; k < 3; k++)
        out->value[k] = (uint32_t)value[k];
    return true;
}

static spk_maxima_entry entry_of(const spk_maxima_part *part, const row *r)
{
    spk_maxima_entry e;
    if (part->n_scales > 0)
        e.step = (spk_score_step){r->value[0], r->value[1], r->value[2]};
    else
        e.maximum = (spk_pattern_maximum){r->value[0], r->value[1], r->value[2]};
    return e;
}

static bool is_of_shard(const spk_maxima_part *part, uint64_t k)
{
    return k >= part->shard && k <= part->n_surrogates && (k - part->shard) % part->n_shards == 0;
}

/* Whether such an entry can be, apart from the one before it. */
static bool is_possible(const spk_maxima_part *part, const spk_maxima_entry *e)
{
    if (part->n_scales > 0)
        return e->step.scale < part->n_scales && e->step.score > 0 && e->step.results > 0 &&
               e->step.results <= SPK_EXACT_KEPT;
    return e->maximum.size > 0 && e->maximum.count > 0 &&
           e->maximum.duration <= (part->by_duration ? SPK_MAX_WINDOW_BINS : 0);
}

/* Steps of one surrogate: by duration, then size, with counts that fall; or by scale, with scores
 * that fall and more results each. */
static bool follows(const spk_maxima_part *part, const spk_maxima_entry *before,
                    const spk_maxima_entry *e)
{
    const spk_pattern_maximum *a = &before->maximum, *b = &e->maximum;
    const spk_score_step *s = &before->step, *t = &e->step;
    if (part->n_scales > 0)
        return t->scale > s->scale ||
               (t->scale == s->scale && t->score < s->score && t->results > s->results);
    if (b->duration != a->duration)
        return b->duration > a->duration;
    return b->size > a->size && b->count < a->count;
}

/* Puts a row into the columns, which have room for it; NULL, or what is wrong with it. */
static const char *add_row(spk_maxima *maxima, uint64_t n_done, const row *r, bool *empty)
{
    const spk_maxima_entry e = entry_of(&maxima->part, r);
    uint64_t n = maxima->n;
    bool fresh = n == 0 || r->surrogate != maxima->surrogate[n - 1];
    bool none = r->value[0] == 0 && r->value[1] == 0 && r->value[2] == 0;
    if (none && !fresh)
        return "a surrogate in which nothing was found has one row of zeros";
    if (!none && !is_possible(&maxima->part, &e))
        return "there are no such numbers in one row";
    if (fresh) {
        if (!is_of_shard(&maxima->part, r->surrogate) || n == n_done ||
            (n > 0 && r->surrogate < maxima->surrogate[n - 1]))
            return "this surrogate does not belong here";
        maxima->surrogate[n] = r->surrogate;
        maxima->first[n + 1] = maxima->first[n];
        maxima->n = ++n;
    } else if (*empty || !follows(&maxima->part, &maxima->entry[maxima->first[n] - 1], &e)) {
        return "the rows of a surrogate must be ordered: by duration and size with falling counts, "
               "or by scale with falling scores and more results";
    }
    *empty = none;
    if (!none)
        maxima->entry[maxima->first[n]++] = e;
    return NULL;
}

static spk_status parse_rows(parser *p, spk_maxima *maxima)
{
    bool empty = false;
    while (p->at < p->end) {
        row r = {.surrogate = 0};
        if (!scan_row(p, &r))
            return fail_line(p, "expected four whole numbers");
        const char *wrong = add_row(maxima, p->n_done, &r, &empty);
        if (wrong != NULL)
            return fail_line(p, wrong);
        p->line++;
    }
    return maxima->n == p->n_done ? SPK_OK : fail_line(p, "fewer surrogates than the head says");
}

static uint64_t count_lines(const char *at, const char *end)
{
    uint64_t n = 0;
    for (; at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        n++;
    return n;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static spk_status parse_all(parser *p, spk_maxima **out)
{
    size_t length = 0;
    spk_status status = look_at_line(p, &length) ? SPK_OK : fail_line(p, "there is no head");
    if (status != SPK_OK)
        return status;
    next_line(p, length); /* the magic */
    status = parse_job(p);
    if (status == SPK_OK)
        status = find_kind(p);
    if (status == SPK_OK)
        status = parse_numbers(p);
    uint64_t n_rows = status == SPK_OK ? count_lines(p->at, p->end) : 0;
    if (status == SPK_OK && p->n_done > n_rows)
        status = fail_line(p, "fewer rows than surrogates");
    p->part.job = p->job;
    if (status == SPK_OK)
        status = spk_maxima_create(p->context, &p->part, p->n_done, n_rows, out);
    if (status == SPK_OK) {
        (*out)->n = 0; /* they come row by row */
        status = parse_rows(p, *out);
    }
    return status;
}

spk_status spk_maxima_parse(spk_context *context, const char *name, const char *text, size_t n,
                            spk_maxima **out)
{
    *out = NULL;
    spk_status status = check_magic(context, name, text, n);
    if (status == SPK_OK)
        status = check_sum(context, name, text, n);
    if (status != SPK_OK)
        return status;
    parser p = {
        .context = context, .name = name, .at = text, .end = text + n - SUM_BYTES, .line = 1};
    spk_stage stage = spk_stage_open(context);
    status = parse_all(&p, out);
    if (status == SPK_OK)
        status = spk_strdup(context, &(*out)->name, name);
    if (status == SPK_OK) {
        spk_shrink(context, &(*out)->entry, (*out)->first[(*out)->n]);
    } else {
        spk_maxima_free(*out);
        *out = NULL;
    }
    free(p.job);
    spk_stage_close(context, &stage);
    if (status == SPK_OK)
        spk_maxima_hold(context, *out);
    return status;
}

static spk_status read_whole(spk_context *context, spk_input *input, char **text, size_t *n)
{
    uint64_t capacity = 0;
    size_t n_read = 1;
    spk_status status = SPK_OK;
    while (status == SPK_OK && n_read > 0) {
        status = spk_grow(context, text, &capacity, *n + BLOCK_BYTES, "a file of maxima");
        if (status == SPK_OK)
            status = spk_input_read(context, input, *text + *n, BLOCK_BYTES, &n_read);
        if (status == SPK_OK)
            *n += n_read;
        if (status == SPK_OK)
            status = spk_check_cancel(context);
    }
    return status;
}

spk_status spk_maxima_read(spk_context *context, const char *path, spk_maxima **out)
{
    spk_input *input = NULL;
    char *text = NULL;
    size_t n = 0;
    *out = NULL;
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_input_open_own(context, path, &input);
    if (status == SPK_OK)
        status = read_whole(context, input, &text, &n);
    if (status == SPK_OK)
        status = spk_maxima_parse(context, spk_input_name(input), text, n, out);
    spk_free(context, text);
    spk_stage_close(context, &stage);
    spk_input_close(input);
    return status;
}
