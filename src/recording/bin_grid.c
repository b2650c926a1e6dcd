/* Bins over a stretch of time: laying them exactly. */
#include "recording/bin_grid.h"

spk_status spk_bin_width_find(spk_context *context, spk_duration bin, spk_rate rate,
                              spk_bin_width *out)
{
    if (spk_length_of(bin, rate, &out->numerator, &out->denominator))
        return SPK_OK;
    return spk_fail(context, SPK_ERR_RANGE,
                    "the bin width is too far from the recording's tick; take one of fewer digits "
                    "and nearer to milliseconds");
}

static spk_status fail_digits(spk_context *context, spk_duration time)
{
    char text[48];
    spk_duration_format(time, text, sizeof text);
    return spk_fail(context, SPK_ERR_RANGE,
                    "bins cannot start or stop at exactly %s: 64 bit hold no such part of a tick; "
                    "give the time with fewer digits",
                    text);
}

spk_status spk_bin_moment_find(spk_context *context, spk_duration time, spk_rate rate,
                               spk_moment *out)
{
    return spk_moment_of(time, rate, out) ? SPK_OK : fail_digits(context, time);
}

static spk_status find_border(spk_context *context, spk_border border, spk_rate rate,
                              spk_moment *out)
{
    *out = (spk_moment){border.tick, 0, 1};
    if (border.between && !spk_moment_of(border.time, rate, out))
        return fail_digits(context, border.time);
    return SPK_OK;
}

spk_status spk_bin_bounds_find(spk_context *context, spk_exact_segment segment, spk_rate rate,
                               spk_bin_bounds *out)
{
    spk_status status = find_border(context, segment.start, rate, &out->start);
    return status == SPK_OK ? find_border(context, segment.stop, rate, &out->stop) : status;
}

bool spk_bin_grid_make(const spk_bin_bounds *bounds, spk_bin_width width, spk_bin_grid *grid,
                       int *length_sign)
{
    uint64_t scale;
    if (!spk_least_multiple(width.denominator, bounds->start.parts, &scale) ||
        !spk_least_multiple(scale, bounds->stop.parts, &scale))
        return false;
    uint64_t start = bounds->start.part * (scale / bounds->start.parts);
    uint64_t stop = bounds->stop.part * (scale / bounds->stop.parts);
    __int128 ticks = (__int128)bounds->stop.tick - bounds->start.tick;
    __int128 length = ticks * scale + start - stop;
    *grid =
        (spk_bin_grid){.first_tick = bounds->start.tick,
                       .scale = scale,
                       .offset = start,
                       .width = (unsigned __int128)width.numerator * (scale / width.denominator),
                       .length = length > 0 ? (unsigned __int128)length : 0};
    if (grid->length <= UINT64_MAX && grid->width <= UINT64_MAX)
        grid->short_width = (uint64_t)grid->width;
    *length_sign = (length > 0) - (length < 0);
    return true;
}
