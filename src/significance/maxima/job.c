/* The job as text: everything that decides the maxima, and nothing else. */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "significance/maxima/digest.h"
#include "significance/maxima/maxima.h"
#include "spikemine/version.h"

/* A support for each size is 30 bytes at most. */
enum { TEXT_BYTES = 4096 };

typedef struct job_text {
    char *text;
    size_t n;
} job_text;

static void put(job_text *out, const char *format, ...) SPK_PRINTF(2, 3);

static void put(job_text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(out->text + out->n, TEXT_BYTES - out->n, format, arguments);
    va_end(arguments);
    assert(n >= 0 && (size_t)n < TEXT_BYTES - out->n);
    out->n += (size_t)n;
}

static void put_duration(job_text *out, const char *name, spk_duration duration)
{
    char text[48];
    spk_duration_format(duration, text, sizeof text);
    put(out, "%s: %s\n", name, text);
}

static void put_limit(job_text *out, const char *name, uint64_t limit)
{
    if (limit == 0)
        put(out, "%s: none\n", name);
    else
        put(out, "%s: %" PRIu64 "\n", name, limit);
}

static void put_switch(job_text *out, const char *name, bool on)
{
    put(out, "%s: %s\n", name, on ? "on" : "off");
}

static void put_windows(job_text *out, const spk_window_options *windows)
{
    char hex[SPK_SHA256_HEX];
    put_duration(out, "bin", windows->bin);
    put(out, "window: %" PRIu32 "\n", windows->window);
    if (windows->trials == NULL && windows->trial_times == NULL) {
        put(out, "trials: those of the recording\n");
        return;
    }
    spk_trials_content(windows, hex);
    put(out, "trials: sha256 %s\n", hex);
}

/* "86 for 2, 25 for 3, 10 for 4 and more" */
static void put_support(job_text *out, const spk_pattern_options *patterns)
{
    const spk_pattern_supports *t = patterns->supports;
    put(out, "min-occurrences: ");
    if (t == NULL)
        put(out, "%" PRIu64, patterns->support);
    for (uint32_t k = 2; t != NULL && k <= t->n; k++)
        put(out, "%s%" PRIu64 " for %" PRIu32 "%s", k > 2 ? ", " : "", t->at_size[k], k,
            k == t->n ? " and more" : "");
    put(out, "\n");
}

static void put_patterns(job_text *out, const spk_pattern_options *patterns)
{
    put(out, "min-spikes: %" PRIu32 "\n", patterns->min_spikes);
    put_limit(out, "max-spikes", patterns->max_spikes);
    put_support(out, patterns);
    put_limit(out, "max-occurrences", patterns->max_count);
    put(out, "min-neurons: %" PRIu32 "\n", patterns->min_neurons);
    put_switch(out, "moving-window-filter", patterns->moving_window_filter);
}

/* The method by its listed name, however the caller wrote it. */
static void put_method(job_text *out, const char *method)
{
    put(out, "surrogate-method: ");
    for (; *method != '\0' && out->n + 2 < TEXT_BYTES / 2; method++)
        put(out, "%c", *method == '_' ? '-' : *method);
    put(out, "\n");
}

static void put_surrogates(job_text *out, const spk_surrogate_options *s)
{
    put_method(out, s->method);
    put_duration(out, "dither", s->dither);
    put_duration(out, "surrogate-bin", s->bin);
    put_switch(out, "edges", s->edges);
    put_duration(out, "refractory", s->refractory);
    put_duration(out, "truncation", s->truncation);
    put(out, "histogram-bins: %" PRIu32 "\n", s->n_bins);
    put_duration(out, "sigma", s->sigma);
    put_switch(out, "alternate", s->alternate);
    put_switch(out, "use-sqrt", s->use_sqrt);
    put_switch(out, "fast", s->fast);
    put_switch(out, "cutoff", s->cutoff);
    put(out, "seed: %" PRIu64 "\n", s->seed);
}

/* ---- taking options -------------------------------------------------------------------------- */

static spk_status check_shard(spk_context *context, const spk_maxima_options *o)
{
    if (o->n_shards < 1 || o->shard < 1 || o->shard > o->n_shards)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "shard %" PRIu32 "/%" PRIu32 ": there is no such shard; give 1/%" PRIu32
                        " to %" PRIu32 "/%" PRIu32,
                        o->shard, o->n_shards, o->n_shards, o->n_shards, o->n_shards);
    return SPK_OK;
}

/* Those parts whose values are text here; the rest is checked by what uses it. */
static spk_status check_job(spk_context *context, const spk_maxima_job *job)
{
    const spk_pattern_supports *t = job->patterns.supports;
    if (job->windows.bin.digits <= 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the width of a bin must be above 0");
    if (job->surrogates.method == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "there is no method of surrogates");
    if (t != NULL && (t->n < 2 || t->n > SPK_PATTERN_MAX_ESTIMATE))
        return spk_fail(context, SPK_ERR_ARGUMENT, "supports for %" PRIu32 " sizes: 2 to %u", t->n,
                        SPK_PATTERN_MAX_ESTIMATE);
    return check_shard(context, &job->options);
}

static spk_status write_text(spk_context *context, const spk_recording *recording,
                             spk_maxima_job *job)
{
    char hex[SPK_SHA256_HEX];
    job_text out = {.n = 0};
    spk_status status = spk_alloc(context, &job->text, TEXT_BYTES, "the text of a job");
    if (status != SPK_OK)
        return status;
    out.text = job->text;
    spk_recording_content(recording, hex);
    put(&out, "version: %s\n", SPIKEMINE_VERSION);
    put(&out, "recording: sha256 %s\n", hex);
    put_windows(&out, &job->windows);
    put_patterns(&out, &job->patterns);
    put(&out, "spectrum: %s\n", job->options.by_duration ? "3d" : "2d");
    put_surrogates(&out, &job->surrogates);
    return SPK_OK;
}

spk_status spk_maxima_job_take(spk_context *context, const spk_recording *recording,
                               const spk_maxima_options *given, spk_maxima_job *job)
{
    spk_maxima_options *o = &job->options;
    *job = (spk_maxima_job){.text = NULL};
    spk_status status = SPK_OPTIONS_TAKE(context, given, o, spk_maxima_options);
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(context, o->windows, &job->windows, spk_window_options);
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(context, o->patterns, &job->patterns, spk_pattern_options);
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(context, o->surrogates, &job->surrogates, spk_surrogate_options);
    if (status == SPK_OK)
        status = check_job(context, job);
    if (status == SPK_OK)
        status = write_text(context, recording, job);
    o->windows = &job->windows;
    o->patterns = &job->patterns;
    o->surrogates = &job->surrogates;
    return status;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Where a line's name ends and its value, for printf's %.*s; the line must have both. */
typedef struct job_line {
    const char *name;
    int n_name;
    const char *value;
    int n_value;
} job_line;

static job_line split_line(const char *line)
{
    size_t length = strcspn(line, "\n");
    const char *colon = memchr(line, ':', length);
    if (colon == NULL || colon + 1 == line + length)
        return (job_line){line, (int)length, "", 0};
    return (job_line){line, (int)(colon - line), colon + 2, (int)(line + length - colon) - 2};
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line != '\0' ? line + 1 : line;
}

spk_status spk_maxima_compare_jobs(spk_context *context, const char *name, const char *job,
                                   const char *other_name, const char *other_job,
                                   const char *remedy)
{
    while (*job != '\0' && *other_job != '\0') {
        size_t length = strcspn(job, "\n");
        if (length != strcspn(other_job, "\n") || strncmp(job, other_job, length) != 0)
            break;
        job = next_line(job);
        other_job = next_line(other_job);
    }
    if (*job == '\0' && *other_job == '\0')
        return SPK_OK;
    job_line a = split_line(job), b = split_line(other_job);
    if (a.n_name != b.n_name || strncmp(a.name, b.name, (size_t)a.n_name) != 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "%s: tells '%.*s' where %s has '%.*s'; %s", name,
                        a.n_name, a.name, other_name, b.n_name, b.name, remedy);
    return spk_fail(context, SPK_ERR_ARGUMENT, "%s: was made with %.*s %.*s, and %s has %.*s; %s",
                    name, a.n_name, a.name, a.n_value, a.value, other_name, b.n_value, b.value,
                    remedy);
}
