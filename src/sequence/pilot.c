/*
 * How long a search will take, before it begins: in a pilot each thread searches a surrogate, as in
 * a round, on a clock. Where a round would pass a minute, settings that take less are tried in
 * turn, until a pilot shows one that does not:
 *
 *     fewest surrogates    at the longest lag, a quarter of it, ... down to the jitter
 *                          then in a quarter of the recording, ...
 *
 * Cost: a pilot, and where it is long some more; each ends at what its setting could afford.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "base/deadline.h"
#include "base/fraction.h"
#include "base/options.h"
#include "distribute/queue.h"
#include "recording/recording.h"
#include "sequence/sequence.h"
#include "spikemine/calibrate.h"

static const double A_MINUTE = 60, LONGEST_PILOT_S = 10;

/* What is planned of a minute: a pilot tells it roughly. */
static const double PLANNED = 0.75;

enum { MOST_PARTS = 3, A_PART = 4 }; /* a quarter of a quarter of a quarter */

/* A setting, and what a search takes with it. */
typedef struct setting {
    spk_sequence_options options;
    char lag[32];  /* "500ms"; "": as it was */
    char stop[32]; /* "38s"; "": all of the recording */
    double search_s;
} setting;

/* What a pilot searches. */
typedef struct pilot {
    const spk_recording *recording;
    const spk_sequence_options *options;
} pilot;

static spk_status search_one(spk_context *own, uint64_t task, void *user)
{
    const pilot *p = user;
    uint64_t work = 0;
    (void)task;
    return spk_sequences_count_work(own, p->recording, p->options, &work);
}

/* Seconds of a search, with one on each thread; INFINITY where they do not end within `most`. */
static spk_status time_search(spk_context *context, const spk_recording *recording,
                              const spk_sequence_options *options, double most, double *seconds)
{
    pilot p = {recording, options};
    const uint64_t threads = (uint64_t)spk_context_threads(context);
    const spk_queue_job job = {.n = threads < options->n_surrogates ? threads
                                                                    : options->n_surrogates,
                               .what = "how long a search takes",
                               .task = search_one,
                               .user = &p};
    spk_deadline clock;
    const double begin = spk_seconds_now();
    spk_status status = spk_deadline_begin(context, most, &clock);
    if (status != SPK_OK)
        return status;
    spk_memory_lend(context, clock.own);
    spk_stage stage = spk_stage_open(clock.own);
    status = spk_queue_run(clock.own, &job);
    spk_stage_close(clock.own, &stage);
    *seconds = status == SPK_OK ? spk_seconds_now() - begin : (double)INFINITY;
    return spk_deadline_leave(context, &clock, status);
}

/* Searches of a round, one after the other: that of the recording, and those that threads share. */
static double searches_of(spk_context *context, uint64_t n_surrogates)
{
    return 1 + ceil((double)n_surrogates / spk_context_threads(context));
}

/* ---- settings -------------------------------------------------------------------------------- */

static spk_status cut_lag(spk_context *context, const spk_sequence_options *given, double parts,
                          setting *s)
{
    const double seconds = spk_duration_seconds(given->longest_lag) / parts;
    snprintf(s->lag, sizeof s->lag, "%.3gms", 1000 * seconds);
    return spk_duration_parse(context, s->lag, strlen(s->lag), &s->options.longest_lag);
}

/* The beginning of the recording up to about this part of its events. */
static spk_status cut_recording(spk_context *context, const spk_recording *recording,
                                uint64_t parts, setting *s, spk_recording **out)
{
    const spk_events events = spk_recording_events(recording);
    const spk_rate rate = spk_recording_rate(recording);
    const uint64_t last = events.n_events / parts;
    const double ticks = (double)(events.time[last] - recording->extent.start);
    return spk_recording_beginning(context, recording,
                                   ticks * (double)rate.denominator / (double)rate.numerator,
                                   s->stop, sizeof s->stop, out);
}

/* Shorter lags, as long as they are no shorter than the jitter. */
static spk_status try_lags(spk_context *context, const spk_recording *recording,
                           const spk_sequence_options *given, double jitter_s, double most,
                           setting *s)
{
    spk_status status = SPK_OK;
    double parts = A_PART;
    while (s->search_s > most && status == SPK_OK &&
           spk_duration_seconds(given->longest_lag) / parts >= jitter_s) {
        status = cut_lag(context, given, parts, s);
        if (status == SPK_OK)
            status = time_search(context, recording, &s->options, most, &s->search_s);
        parts *= A_PART;
    }
    return status;
}

static spk_status try_parts(spk_context *context, const spk_recording *recording, double most,
                            setting *s)
{
    spk_status status = SPK_OK;
    uint64_t parts = A_PART;
    for (int k = 0; k < MOST_PARTS && s->search_s > most && status == SPK_OK; k++) {
        spk_recording *part = NULL;
        status = cut_recording(context, recording, parts, s, &part);
        if (status == SPK_OK)
            status = time_search(context, part, &s->options, most, &s->search_s);
        spk_recording_free(part);
        parts *= A_PART;
    }
    return status;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* "40 s", "12 minutes", "3 hours". */
static void append_time(char *text, size_t size, double seconds)
{
    if (seconds < 100)
        spk_append(text, size, "%.2g s", seconds);
    else if (seconds < 6000)
        spk_append(text, size, "%.0f minutes", seconds / 60);
    else
        spk_append(text, size, "%.0f hours", seconds / 3600);
}

static void tell_setting(const setting *s, const spk_sequence_options *given, double most,
                         char *text, size_t size)
{
    const double rounds = floor(most / s->search_s);
    if (!(rounds >= 1)) {
        spk_append(text, size, "; --stop looks at the beginning of the recording alone");
        return;
    }
    spk_append(text, size, "; with");
    if (s->stop[0] != '\0')
        spk_append(text, size, " --stop %s", s->stop);
    if (s->lag[0] != '\0')
        spk_append(text, size, " --longest-lag %s", s->lag);
    if (s->options.n_surrogates < given->n_surrogates)
        spk_append(text, size, " --surrogates %" PRIu64, s->options.n_surrogates);
    if (rounds < given->max_sequences)
        spk_append(text, size, " --max-sequences %.0f", rounds);
    spk_append(text, size, " it ends within a minute");
}

static void tell(spk_context *context, const spk_sequence_options *given, double search_s,
                 uint64_t n_surrogates, char *text, size_t size)
{
    const bool ended = isfinite(search_s);
    const char *about = ended ? "some" : "more than";
    const double seconds = ended ? search_s : LONGEST_PILOT_S;
    spk_append(text, size, "a search takes %s ", about);
    append_time(text, size, seconds);
    spk_append(text, size, " here, and a round of it with %" PRIu64 " surrogates %s ", n_surrogates,
               about);
    append_time(text, size, seconds * searches_of(context, n_surrogates));
    if (given->max_sequences > 1)
        spk_append(text, size, "; there is a round for each sequence, and one more");
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Looks for a setting with which a round takes less than a minute. */
static spk_status find_setting(spk_context *context, const spk_recording *recording,
                               const spk_sequence_options *given, double search_s, char *text,
                               size_t size)
{
    const spk_duration usual = {5, -2, 0};
    const uint64_t least = spk_exact_least_surrogates(given->alpha, 1);
    setting s = {.options = *given, .search_s = search_s};
    if (least < given->n_surrogates)
        s.options.n_surrogates = least;
    const double searches = searches_of(context, s.options.n_surrogates);
    const double most = PLANNED * A_MINUTE / searches;
    const double jitter_s =
        spk_duration_seconds(given->surrogates != NULL ? given->surrogates->dither : usual);
    spk_status status = try_lags(context, recording, given, jitter_s, most, &s);
    if (status == SPK_OK)
        status = try_parts(context, recording, most, &s);
    if (status == SPK_OK)
        tell_setting(&s, given, most, text, size);
    return status;
}

spk_status spk_sequences_check_time(spk_context *context, const spk_recording *recording,
                                    const spk_sequence_options *options, char *buffer, size_t size)
{
    spk_sequence_options given;
    double search_s = 0;
    buffer[0] = '\0';
    spk_sequence_options_init(&given, sizeof given);
    spk_status status = SPK_OPTIONS_TAKE(context, options, &given, spk_sequence_options);
    if (status != SPK_OK || given.n_maxima > 0 || spk_recording_events(recording).n_events == 0)
        return status;
    const uint64_t n = (given.n_surrogates + given.n_shards - 1) / given.n_shards;
    status = time_search(context, recording, &given, LONGEST_PILOT_S, &search_s);
    if (status != SPK_OK || search_s * searches_of(context, n) <= A_MINUTE)
        return status;
    tell(context, &given, search_s, n, buffer, size);
    return given.n_shards == 1 ? find_setting(context, recording, &given, search_s, buffer, size)
                               : SPK_OK;
}
