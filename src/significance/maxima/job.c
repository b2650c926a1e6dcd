/* The job of largest counts as text, and how texts of jobs are compared. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "significance/maxima/maxima.h"
#include "significance/maxima/text.h"

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
