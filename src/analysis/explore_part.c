/* What steps of a first look share: that the clock ended one, and the beginning of a recording. */
#include "analysis/explore.h"

#include <math.h>

#include "recording/recording.h"

spk_status spk_explore_allow_late(const spk_explore *e, spk_status status)
{
    if (status == SPK_OK)
        return SPK_OK;
    if (status == SPK_ERR_CANCELLED && !spk_context_cancelled(e->context))
        return SPK_OK;
    const char *text = spk_context_message(e->own); /* "": the caller's context has the message */
    return text[0] != '\0' ? spk_fail(e->context, status, "%s", text) : status;
}

/* What is planned of the time that is left, also on a busy machine: a pilot tells it roughly. */
static const double PLANNED[2] = {0.65, 0.5}, LEAST_PILOT_S = 1e-6;

spk_status spk_explore_time(spk_explore *e, const spk_recording *recording,
                            spk_explore_pilot *pilot, double *steps, double *seconds)
{
    enum { MOST_TIMES = 3 };
    const double enough = 0.02;
    spk_status status = SPK_OK;
    *seconds = INFINITY;
    for (int k = 0; k < MOST_TIMES && status == SPK_OK && (k == 0 || *seconds < enough); k++) {
        const double begin = spk_seconds_now(), idle = spk_work_seconds(1);
        status = pilot(e, recording, steps);
        const double took = spk_seconds_now() - begin, worked = spk_work_seconds(1) - idle;
        *seconds = fmin(*seconds, worked < enough ? worked : took);
    }
    return status;
}

double spk_explore_steps_in_time(const spk_explore *e, double steps, double pilot, double seconds)
{
    const double left = fmax(0, e->until - spk_seconds_now()) * spk_context_threads(e->own);
    return fmin(steps, PLANNED[e->is_busy] * left * pilot / fmax(seconds, LEAST_PILOT_S));
}

spk_status spk_explore_take_part(const spk_explore *e, const spk_recording *recording, double share,
                                 explore_part *part)
{
    const double length = e->description.stop_s - e->description.start_s;
    *part = (explore_part){.recording = recording};
    if (share >= 1 || !(length > 0))
        return SPK_OK;
    spk_status status = spk_recording_beginning(e->context, recording, share * length, part->stop,
                                                sizeof part->stop, &part->own);
    part->recording = part->own;
    return status;
}

void spk_explore_drop_part(explore_part *part)
{
    spk_recording_free(part->own);
    *part = (explore_part){.recording = NULL};
}
