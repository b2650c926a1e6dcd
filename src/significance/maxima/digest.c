/* Digests of content: numbers as 8 bytes, the lowest first, each list behind its length. */
#include "significance/maxima/digest.h"

#include <string.h>

#include "base/context.h"
#include "recording/segments.h"
#include "spikemine/ranks.h"

static void add_time(spk_sha256 *digest, spk_duration time)
{
    spk_sha256_add_u64(digest, (uint64_t)time.digits);
    spk_sha256_add_u64(digest, (uint64_t)(int64_t)time.exponent);
    spk_sha256_add_u64(digest, time.divisor);
}

static void add_range(spk_sha256 *digest, const spk_time_range *range)
{
    add_time(digest, range->start);
    add_time(digest, range->stop);
}

static void add_segment(spk_sha256 *digest, const spk_segment *segment)
{
    spk_sha256_add_u64(digest, (uint64_t)segment->start);
    spk_sha256_add_u64(digest, (uint64_t)segment->stop);
}

static void add_events(spk_sha256 *digest, const spk_events *events)
{
    enum { AT_ONCE = 512 };
    unsigned char bytes[AT_ONCE * 12];
    spk_sha256_add_u64(digest, events->n_events);
    for (uint64_t e = 0; e < events->n_events;) {
        size_t n = 0;
        for (; n < sizeof bytes && e < events->n_events; e++) {
            for (unsigned k = 0; k < 8; k++)
                bytes[n++] = (unsigned char)((uint64_t)events->time[e] >> 8 * k);
            for (unsigned k = 0; k < 4; k++)
                bytes[n++] = (unsigned char)(events->unit[e] >> 8 * k);
        }
        spk_sha256_add(digest, bytes, n);
    }
}

/* With the trials that they are parts of, where these are others than the segments. */
static void add_segments(spk_sha256 *digest, const spk_recording *recording)
{
    size_t n = 0;
    const spk_segment *segments = spk_recording_segments(recording, &n);
    spk_sha256_add_u64(digest, n);
    for (size_t k = 0; k < n; k++) {
        spk_time_range exact = {.start = {0}, .stop = {0}};
        bool known = spk_recording_segment_times(recording, k, &exact);
        add_segment(digest, &segments[k]);
        spk_sha256_add_u64(digest, known);
        if (known)
            add_range(digest, &exact);
    }
    if (spk_trials_are_segments(recording))
        return;
    spk_sha256_add_u64(digest, spk_recording_trials(recording));
    for (size_t k = 0; k < n; k++)
        spk_sha256_add_u64(digest, spk_recording_trial(recording, k));
}

void spk_recording_content(const spk_recording *recording, char hex[SPK_SHA256_HEX])
{
    spk_events events = spk_recording_events(recording);
    spk_rate rate = spk_recording_rate(recording);
    spk_sha256 digest = spk_sha256_start();
    spk_sha256_add_u64(&digest, rate.numerator);
    spk_sha256_add_u64(&digest, rate.denominator);
    spk_sha256_add_u64(&digest, (uint64_t)spk_recording_start(recording));
    spk_sha256_add_u64(&digest, (uint64_t)spk_recording_stop(recording));
    add_segments(&digest, recording);
    spk_sha256_add_u64(&digest, events.n_units);
    for (uint32_t u = 0; u < events.n_units; u++) {
        const char *label = spk_recording_label(recording, u);
        spk_sha256_add(&digest, label, strlen(label) + 1);
    }
    add_events(&digest, &events);
    spk_sha256_end(&digest, hex);
}

void spk_trials_content(const spk_window_options *windows, char hex[SPK_SHA256_HEX])
{
    spk_sha256 digest = spk_sha256_start();
    spk_sha256_add_u64(&digest, windows->n_trials);
    for (size_t k = 0; windows->trials != NULL && k < windows->n_trials; k++)
        add_segment(&digest, &windows->trials[k]);
    spk_sha256_add_u64(&digest, windows->n_trial_times);
    for (size_t k = 0; windows->trial_times != NULL && k < windows->n_trial_times; k++)
        add_range(&digest, &windows->trial_times[k]);
    spk_sha256_end(&digest, hex);
}

spk_status spk_ranks_compare_recording(spk_context *context, const spk_recording *recording)
{
    char hex[SPK_SHA256_HEX];
    if (spk_context_ranks(context) == NULL)
        return SPK_OK;
    spk_recording_content(recording, hex);
    return spk_ranks_compare(context, "recording", hex);
}
