/* The job of an exact test: options, their checks, its text. */
#include <inttypes.h>
#include <string.h>

#include "base/options.h"
#include "significance/exact/exact.h"
#include "significance/maxima/job.h"
#include "significance/maxima/maxima.h"

/* Go up when scores change, so that files of other scores are told apart. Those whose windows
 * are of one draw have changed alone. */
enum { SCORE_VERSION = 1, SCORE_VERSION_OF_A_DRAW = 2 };

SPK_OPTIONS_INIT(spk_exact_options, .n_surrogates = 199, .shard = 1, .n_shards = 1,
                 .history = {-1, 0, 0});

/* ---- checks ---------------------------------------------------------------------------------- */

static spk_status check_language(spk_context *context, const spk_exact_options *o)
{
    bool patterns = o->windows != NULL && o->patterns != NULL;
    bool none = o->windows == NULL && o->patterns == NULL;
    if (o->episodes != NULL ? none : patterns)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "an exact test is of episodes, or of windows and patterns: give the options of "
                    "one language");
}

static spk_status check_jitter(spk_context *context, const spk_exact_options *o)
{
    if (o->jitter == NULL || o->n_jitter < 1 || o->n_jitter > SPK_EXACT_MAX_SCALES)
        return spk_fail(context, SPK_ERR_ARGUMENT, "an exact test needs 1 to %u windows of jitter",
                        SPK_EXACT_MAX_SCALES);
    for (size_t k = 0; k < o->n_jitter; k++) {
        char text[48];
        spk_duration_format(o->jitter[k], text, sizeof text);
        if (o->jitter[k].digits <= 0)
            return spk_fail(context, SPK_ERR_ARGUMENT, "a window of jitter of %s must be above 0",
                            text);
        if (k > 0 && spk_duration_compare(o->jitter[k - 1], o->jitter[k]) >= 0)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "windows of jitter must ascend, and %s does not", text);
    }
    return SPK_OK;
}

static spk_status check_episodes(spk_context *context, const spk_episode_options *episodes)
{
    if (episodes->delays == NULL || episodes->n_delays == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "there is no delay interval");
    return SPK_OK;
}

static spk_status check_given(spk_context *context, const spk_recording *recording,
                              const spk_episode_columns *given)
{
    const uint32_t n_units = spk_recording_events(recording).n_units;
    const uint64_t n = given->n > 0 ? given->offset[given->n] : 0;
    if (given->n == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "there is no given episode to test");
    if (given->n > UINT32_MAX)
        return spk_fail(context, SPK_ERR_RANGE, "more than 4 billion episodes in one list");
    for (uint64_t k = 0; k < n; k++)
        if (given->unit[k] >= n_units)
            return spk_fail(context, SPK_ERR_ARGUMENT, "the recording has %u units, not unit %u",
                            n_units, given->unit[k]);
    return given->n_delays > 0
               ? SPK_OK
               : spk_fail(context, SPK_ERR_ARGUMENT,
                          "the given episodes have one unit each, which no surrogate changes; give "
                          "two units with their delay, such as 56 (5ms,10ms] 49");
}

/* ---- the text -------------------------------------------------------------------------------- */

static void put_jitter(spk_job_text *out, const spk_exact_job *job)
{
    spk_job_put(out, "jitter: ");
    for (size_t k = 0; k < job->options.n_jitter; k++) {
        char text[48];
        spk_duration_format(job->jitter[k], text, sizeof text);
        spk_job_put(out, "%s%s", k > 0 ? ", " : "", text);
    }
    spk_job_put(out, "\n");
}

/* Files of interval jitter are older than the other null hypotheses. */
static void put_null(spk_job_text *out, const spk_exact_job *job)
{
    const spk_exact_null *null = &job->null->facts;
    char text[48];
    if (!job->null->keeps_windows || job->null->fits_pairs)
        spk_job_put(out, "null: %s\n", null->name);
    spk_duration_format(job->options.history, text, sizeof text);
    if (null->has_history && job->options.history.digits >= 0)
        spk_job_put(out, "history: %s\n", text);
}

/* The list as it stands, so that a file serves no other one. */
static void put_given(spk_job_text *out, const spk_episode_columns *given)
{
    char text[112], hex[SPK_SHA256_HEX];
    spk_sha256 digest = spk_sha256_start();
    for (uint64_t i = 0; i < given->n; i++) {
        spk_sha256_add_u64(&digest, given->offset[i + 1] - given->offset[i]);
        for (uint64_t k = given->offset[i]; k < given->offset[i + 1]; k++) {
            size_t length = 0;
            if (k > given->offset[i])
                length = spk_delay_format(&given->delays[given->delay[k]], text, sizeof text);
            spk_sha256_add(&digest, text, length);
            spk_sha256_add_u64(&digest, given->unit[k]);
        }
    }
    spk_sha256_end(&digest, hex);
    spk_job_put(out, "given: %" PRIu64 " episodes, sha256 %s\n", given->n, hex);
}

static spk_status write_text(spk_context *context, const spk_recording *recording,
                             spk_exact_job *job)
{
    spk_job_text out = {.context = context};
    spk_job_put_recording(&out, recording);
    spk_job_put(&out, "test: exact\n");
    if (job->of_patterns) {
        spk_job_put_windows(&out, &job->windows);
        spk_job_put_patterns(&out, &job->patterns);
    } else if (job->options.given != NULL) {
        put_given(&out, job->options.given);
    } else {
        spk_job_put_episodes(&out, &job->episodes);
    }
    /* Options that stand at their default are left out, so that files from before they were there
     * stay valid. */
    if (job->options.min_size > 2)
        spk_job_put(&out, "min-size: %" PRIu32 "\n", job->options.min_size);
    if (job->options.distinct_units > 1)
        spk_job_put(&out, "distinct-units: %" PRIu32 "\n", job->options.distinct_units);
    put_jitter(&out, job);
    put_null(&out, job);
    spk_job_put(&out, "score: %d\n",
                job->null->keeps_windows ? SCORE_VERSION : SCORE_VERSION_OF_A_DRAW);
    spk_job_put(&out, "seed: %" PRIu64 "\n", job->options.seed);
    job->text = out.text;
    return out.status;
}

/* ---- taking options -------------------------------------------------------------------------- */

static spk_status take_patterns(spk_context *context, spk_exact_job *job)
{
    spk_exact_options *o = &job->options;
    spk_status status = SPK_OPTIONS_TAKE(context, o->windows, &job->windows, spk_window_options);
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(context, o->patterns, &job->patterns, spk_pattern_options);
    o->windows = &job->windows;
    o->patterns = &job->patterns;
    if (status == SPK_OK && o->given != NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "given episodes are no test of patterns");
    return status == SPK_OK ? spk_job_check_patterns(context, &job->windows, &job->patterns)
                            : status;
}

static spk_status take_episodes(spk_context *context, const spk_recording *recording,
                                spk_exact_job *job)
{
    spk_exact_options *o = &job->options;
    spk_status status = SPK_OPTIONS_TAKE(context, o->episodes, &job->episodes, spk_episode_options);
    o->episodes = &job->episodes;
    if (status == SPK_OK && o->given != NULL) {
        job->episodes.delays = o->given->delays;
        job->episodes.n_delays = o->given->n_delays;
        job->episodes.link_share = 0;
        status = check_given(context, recording, o->given);
    }
    return status == SPK_OK ? check_episodes(context, &job->episodes) : status;
}

spk_status spk_exact_job_take(spk_context *context, const spk_recording *recording,
                              const spk_exact_options *given, spk_exact_job *job)
{
    spk_exact_options *o = &job->options;
    *job = (spk_exact_job){.text = NULL};
    spk_status status = SPK_OPTIONS_TAKE(context, given, o, spk_exact_options);
    if (status == SPK_OK)
        status = check_language(context, o);
    if (status == SPK_OK)
        status = check_jitter(context, o);
    if (status == SPK_OK)
        status = spk_exact_null_find(context, recording, o, &job->null);
    if (status == SPK_OK)
        status = spk_maxima_check_shard(context, o->shard, o->n_shards);
    if (status != SPK_OK)
        return status;
    /* The job outlives the caller's array. */
    memcpy(job->jitter, o->jitter, o->n_jitter * sizeof *o->jitter);
    o->jitter = job->jitter;
    job->of_patterns = o->episodes == NULL;
    status =
        job->of_patterns ? take_patterns(context, job) : take_episodes(context, recording, job);
    return status == SPK_OK ? write_text(context, recording, job) : status;
}
