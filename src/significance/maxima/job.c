/* The job as text: everything that decides a result, and nothing else. */
#include "significance/maxima/job.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fraction.h"
#include "base/memory.h"
#include "base/options.h"
#include "significance/maxima/maxima.h"
#include "spikemine/version.h"

void spk_job_put(spk_job_text *out, const char *format, ...)
{
    enum { LONGEST = 1024 };
    char piece[LONGEST];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    assert(n >= 0 && n < LONGEST);
    if (out->status == SPK_OK)
        out->status = spk_grow(out->context, &out->text, &out->capacity, out->n + (size_t)n + 1,
                               "the text of a job");
    if (out->status != SPK_OK)
        return;
    memcpy(out->text + out->n, piece, (size_t)n + 1);
    out->n += (size_t)n;
}

void spk_job_put_duration(spk_job_text *out, const char *name, spk_duration duration)
{
    char text[48];
    spk_duration_format(spk_duration_reduce(duration), text, sizeof text);
    spk_job_put(out, "%s: %s\n", name, text);
}

static void put_limit(spk_job_text *out, const char *name, uint64_t limit)
{
    if (limit == 0)
        spk_job_put(out, "%s: none\n", name);
    else
        spk_job_put(out, "%s: %" PRIu64 "\n", name, limit);
}

static void job_put_switch(spk_job_text *out, const char *name, bool on)
{
    spk_job_put(out, "%s: %s\n", name, on ? "on" : "off");
}

void spk_job_put_recording(spk_job_text *out, const spk_recording *recording)
{
    char hex[SPK_SHA256_HEX];
    spk_recording_content(recording, hex);
    spk_job_put(out, "version: %s\n", SPIKEMINE_VERSION);
    spk_job_put(out, "recording: sha256 %s\n", hex);
}

/* ---- patterns -------------------------------------------------------------------------------- */

void spk_job_put_windows(spk_job_text *out, const spk_window_options *windows)
{
    char hex[SPK_SHA256_HEX];
    spk_job_put_duration(out, "bin", windows->bin);
    spk_job_put(out, "window: %" PRIu32 "\n", windows->window);
    if (windows->trials == NULL && windows->trial_times == NULL) {
        spk_job_put(out, "trials: those of the recording\n");
        return;
    }
    spk_trials_content(windows, hex);
    spk_job_put(out, "trials: sha256 %s\n", hex);
}

/* "86 for 2, 25 for 3, 10 for 4 and more" */
static void put_support(spk_job_text *out, const spk_pattern_options *patterns)
{
    const spk_pattern_supports *t = patterns->supports;
    spk_job_put(out, "support: ");
    if (t == NULL)
        spk_job_put(out, "%" PRIu64, patterns->support);
    for (uint32_t k = 2; t != NULL && k <= t->n; k++)
        spk_job_put(out, "%s%" PRIu64 " for %" PRIu32 "%s", k > 2 ? ", " : "", t->at_size[k], k,
                    k == t->n ? " and more" : "");
    spk_job_put(out, "\n");
}

void spk_job_put_patterns(spk_job_text *out, const spk_pattern_options *patterns)
{
    spk_job_put(out, "min-spikes: %" PRIu32 "\n", patterns->min_spikes);
    put_limit(out, "max-spikes", patterns->max_spikes);
    put_support(out, patterns);
    put_limit(out, "max-occurrences", patterns->max_count);
    spk_job_put(out, "min-neurons: %" PRIu32 "\n", patterns->min_neurons);
    job_put_switch(out, "moving-window-filter", patterns->moving_window_filter);
}

spk_status spk_job_check_patterns(spk_context *context, const spk_window_options *windows,
                                  const spk_pattern_options *patterns)
{
    const spk_pattern_supports *t = patterns->supports;
    if (windows->bin.digits <= 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the width of a bin must be above 0");
    if (t != NULL && (t->n < 2 || t->n > SPK_PATTERN_MAX_ESTIMATE))
        return spk_fail(context, SPK_ERR_ARGUMENT, "supports for %" PRIu32 " sizes: 2 to %u", t->n,
                        SPK_PATTERN_MAX_ESTIMATE);
    return SPK_OK;
}

/* ---- episodes -------------------------------------------------------------------------------- */

void spk_job_put_episodes(spk_job_text *out, const spk_episode_options *episodes)
{
    enum { MOST_LINES = 100 };
    char text[112], hex[SPK_SHA256_HEX];
    spk_sha256 digest = spk_sha256_start();
    bool listed = episodes->n_delays <= MOST_LINES;
    for (size_t d = 0; d < episodes->n_delays; d++) {
        size_t length = spk_delay_format(&episodes->delays[d], text, sizeof text);
        spk_sha256_add(&digest, text, length + 1);
        if (listed)
            spk_job_put(out, "delay: %s\n", text);
    }
    spk_sha256_end(&digest, hex);
    if (!listed)
        spk_job_put(out, "delays: %zu, sha256 %s\n", episodes->n_delays, hex);
    spk_job_put(out, "support: %" PRIu64 "\n", episodes->support);
    if (episodes->link_share > 0)
        spk_job_put(out, "link-share: %.17g\n", episodes->link_share);
    spk_job_put(out, "max-size: %" PRIu32 "\n", episodes->max_size);
}

/* ---- surrogates ------------------------------------------------------------------------------ */

/* The method by its listed name, however the caller wrote it. */
static void put_method(spk_job_text *out, const char *method)
{
    enum { LONGEST = 1000 };
    spk_job_put(out, "surrogate-method: ");
    for (int k = 0; k < LONGEST && method[k] != '\0'; k++)
        spk_job_put(out, "%c", method[k] == '_' ? '-' : method[k]);
    spk_job_put(out, "\n");
}

void spk_job_put_surrogates(spk_job_text *out, const spk_surrogate_options *s)
{
    put_method(out, s->method);
    spk_job_put_duration(out, "dither", s->dither);
    spk_job_put_duration(out, "surrogate-bin", s->bin);
    job_put_switch(out, "edges", s->edges);
    spk_job_put_duration(out, "refractory", s->refractory);
    spk_job_put_duration(out, "truncation", s->truncation);
    spk_job_put(out, "histogram-bins: %" PRIu32 "\n", s->n_bins);
    spk_job_put_duration(out, "sigma", s->sigma);
    job_put_switch(out, "alternate", s->alternate);
    job_put_switch(out, "use-sqrt", s->use_sqrt);
    job_put_switch(out, "fast", s->fast);
    job_put_switch(out, "cutoff", s->cutoff);
    spk_job_put(out, "seed: %" PRIu64 "\n", s->seed);
}

/* ---- taking options -------------------------------------------------------------------------- */

spk_status spk_maxima_check_shard(spk_context *context, uint32_t shard, uint32_t n_shards)
{
    if (n_shards < 1 || shard < 1 || shard > n_shards)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "shard %" PRIu32 "/%" PRIu32 ": there is no such shard; give 1/%" PRIu32
                        " to %" PRIu32 "/%" PRIu32,
                        shard, n_shards, n_shards, n_shards, n_shards);
    return SPK_OK;
}

/* Those parts whose values are text here; the rest is checked by what uses it. */
static spk_status check_job(spk_context *context, const spk_maxima_job *job)
{
    const spk_maxima_options *o = &job->options;
    spk_status status = spk_job_check_patterns(context, &job->windows, &job->patterns);
    if (status == SPK_OK && job->surrogates.method == NULL)
        status = spk_fail(context, SPK_ERR_ARGUMENT, "there is no method of surrogates");
    return status == SPK_OK ? spk_maxima_check_shard(context, o->shard, o->n_shards) : status;
}

static spk_status write_text(spk_context *context, const spk_recording *recording,
                             spk_maxima_job *job)
{
    spk_job_text out = {.context = context};
    spk_job_put_recording(&out, recording);
    spk_job_put_windows(&out, &job->windows);
    spk_job_put_patterns(&out, &job->patterns);
    spk_job_put(&out, "spectrum: %s\n", job->options.by_duration ? "3d" : "2d");
    spk_job_put_surrogates(&out, &job->surrogates);
    job->text = out.text;
    return out.status;
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

static bool is_named(const job_line *a, const job_line *b)
{
    return a->n_name == b->n_name && memcmp(a->name, b->name, (size_t)a->n_name) == 0;
}

static bool has_line(const char *job, const job_line *named)
{
    for (; *job != '\0'; job = next_line(job)) {
        const job_line line = split_line(job);
        if (is_named(&line, named))
            return true;
    }
    return false;
}

/* A line that one of them has alone: `a` of the file, or `b` of the other job. */
static spk_status fail_alone(spk_context *context, const char *name, const job_line *a,
                             const char *other_name, const job_line *b, const char *other_job,
                             const char *remedy)
{
    const bool is_of_file = a->n_name > 0 && !has_line(other_job, a);
    const job_line *line = is_of_file ? a : b;
    return spk_fail(context, SPK_ERR_ARGUMENT, "%s: was made with%s %.*s %.*s, which %s has%s; %s",
                    name, is_of_file ? "" : "out", line->n_name, line->name, line->n_value,
                    line->value, other_name, is_of_file ? " not" : "", remedy);
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
    if (!is_named(&a, &b))
        return fail_alone(context, name, &a, other_name, &b, other_job, remedy);
    return spk_fail(context, SPK_ERR_ARGUMENT, "%s: was made with %.*s %.*s, and %s has %.*s; %s",
                    name, a.n_name, a.name, a.n_value, a.value, other_name, b.n_value, b.value,
                    remedy);
}
