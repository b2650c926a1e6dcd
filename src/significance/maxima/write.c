/* The file of maxima: written. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/output.h"
#include "base/sha256.h"
#include "significance/maxima/maxima.h"

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
