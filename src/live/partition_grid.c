/* Bounds of partitions, by integers of 128 bit: no bound is ever rounded twice. */
#include "live/partition_grid.h"

#include <assert.h>
#include <stdbool.h>

#include "base/fraction.h"

static __int128 divide_down(__int128 a, __int128 b)
{
    assert(b > 0);
    __int128 whole = a / b;
    return whole - (a % b < 0);
}

static int64_t clamp(__int128 value)
{
    return value < INT64_MIN ? INT64_MIN : value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static spk_status fail_short(spk_context *context, const char *what, spk_duration duration)
{
    char text[48];
    spk_duration_format(duration, text, sizeof text);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "the %s of partitions is %s; it must be finite and at least one tick of the "
                    "stream, for example 5s",
                    what, text);
}

static bool is_short(spk_duration duration, spk_rate rate)
{
    return duration.exponent == SPK_DURATION_INFINITE || spk_duration_ticks(duration, rate) == 0;
}

spk_status partition_grid_make(spk_context *context, spk_duration length, spk_duration step,
                               spk_rate rate, partition_grid *out)
{
    uint64_t length_up, length_down, step_up, step_down, parts;
    int64_t scaled[2];
    if (is_short(length, rate))
        return fail_short(context, "length", length);
    if (is_short(step, rate))
        return fail_short(context, "step", step);
    bool fits = spk_length_of(length, rate, &length_up, &length_down) &&
                spk_length_of(step, rate, &step_up, &step_down) &&
                spk_least_multiple(length_down, step_down, &parts) &&
                !__builtin_mul_overflow(length_up, parts / length_down, &scaled[0]) &&
                !__builtin_mul_overflow(step_up, parts / step_down, &scaled[1]);
    if (!fits)
        return spk_fail(context, SPK_ERR_RANGE,
                        "length and step of partitions have too many digits for a stream of "
                        "%.6g ticks a second; give fewer",
                        (double)rate.numerator / (double)rate.denominator);
    *out = (partition_grid){.step = scaled[1], .length = scaled[0], .parts = (int64_t)parts};
    return SPK_OK;
}

spk_segment partition_grid_slice(const partition_grid *grid, int64_t number)
{
    __int128 start = (__int128)number * grid->step;
    return (spk_segment){clamp(-divide_down(-start, grid->parts)),
                         clamp(-divide_down(-(start + grid->length), grid->parts))};
}

int64_t partition_grid_step_of(const partition_grid *grid, int64_t tick)
{
    return clamp(divide_down((__int128)tick * grid->parts, grid->step));
}

int64_t partition_grid_first_behind(const partition_grid *grid, int64_t tick)
{
    return clamp(divide_down((__int128)tick * grid->parts - grid->length, grid->step) + 1);
}
