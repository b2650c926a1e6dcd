/*
 * Which grid all times lie on. A time k / rate that was computed in floating point is off by a few
 * units in its last place; one that was computed as a difference of larger times, by units of
 * theirs. So a time t fits when it is within slope * |t| + floor of a point. A grid whose points
 * are nearer than twice that rounding shows nothing and is never guessed.
 *
 * The coarsest grid is decided by all times. A few from all over the array go first: they rule
 * nearly every wrong grid out.
 */
#include "recording/clock.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fraction.h"

enum { MOST_CANDIDATES = 64, SAMPLES = 64, BLOCK = 4096, MANTISSA_BITS = 53 };

typedef unsigned __int128 uint128;

/* Decimal grids and the rates of recording systems; 24414.0625 Hz is TDT's. */
static const spk_rate USUAL[] = {
    {1, 1},       {10, 1},      {100, 1},      {1000, 1},      {10000, 1},     {20000, 1},
    {390625, 16}, {25000, 1},   {30000, 1},    {32000, 1},     {40000, 1},     {50000, 1},
    {100000, 1},  {1000000, 1}, {10000000, 1}, {100000000, 1}, {1000000000, 1}};
static const spk_rate NANOSECOND = {1000000000, 1};

/* How far a time may be off. */
typedef struct rounding {
    double slope;
    double floor;
} rounding;

static double per_second(spk_rate rate)
{
    return (double)rate.numerator / (double)rate.denominator;
}

static int compare_rates(spk_rate a, spk_rate b)
{
    uint128 x = (uint128)a.numerator * b.denominator, y = (uint128)b.numerator * a.denominator;
    return (x > y) - (x < y);
}

/* ---- one time -------------------------------------------------------------------------------- */

/* floor(2 * mantissa * 2^shift * rate), all bits set where that passes the range. */
static uint128 twice_ticks(uint64_t mantissa, int shift, spk_rate rate)
{
    uint128 value = (uint128)mantissa * rate.numerator; /* below 2^117 */
    shift++;
    for (; shift > 0 && value >> 126 == 0; shift--)
        value <<= 1;
    if (shift > 0)
        return ~(uint128)0;
    value = shift > -128 ? value >> -shift : 0;
    if (rate.denominator == 1)
        return value;
    return value >> 64 == 0 ? (uint64_t)value / rate.denominator : value / rate.denominator;
}

bool spk_clock_tick(double seconds, spk_rate rate, int64_t *tick)
{
    uint64_t bits;
    memcpy(&bits, &seconds, sizeof bits);
    const bool negative = bits >> 63 != 0;
    const int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    *tick = 0;
    if (!(fabs(seconds) <= 0x1p63))
        return false;
    if (exponent != 0)
        mantissa |= UINT64_C(1) << 52;
    if (mantissa == 0)
        return true;
    uint128 twice = twice_ticks(mantissa, (exponent != 0 ? exponent : 1) - 1075, rate);
    uint128 value = (twice + 1) >> 1;
    if (twice == ~(uint128)0 || value > (uint128)INT64_MAX + (negative ? 1 : 0) ||
        (!negative && value == (uint128)INT64_MAX))
        return false;
    *tick = (int64_t)(negative ? 0 - (uint64_t)value : (uint64_t)value);
    return true;
}

static spk_status fail_range(spk_context *context, uint64_t index, double seconds, spk_rate rate)
{
    return spk_fail(context, SPK_ERR_RANGE,
                    "time %" PRIu64
                    " (from 0), %g s, is too large for 64 bit ticks of %.3g s; check "
                    "the times and their unit (--time-unit)",
                    index, seconds, 1 / per_second(rate));
}

double spk_clock_seconds(int64_t ticks, spk_rate rate)
{
    const int64_t exact = (int64_t)1 << 53; /* doubles hold these: one rounding, at the division */
    int64_t product;
    if (!__builtin_mul_overflow(ticks, (int64_t)rate.denominator, &product) && product <= exact &&
        product >= -exact && rate.numerator <= (uint64_t)exact)
        return (double)product / (double)rate.numerator;
    return (double)((long double)ticks * (long double)rate.denominator /
                    (long double)rate.numerator);
}

spk_status spk_clock_ticks(spk_context *context, spk_rate rate, void *times, uint64_t n)
{
    char *at = times;
    for (uint64_t i = 0; i < n; i++, at += sizeof(int64_t)) {
        double seconds;
        int64_t tick;
        memcpy(&seconds, at, sizeof seconds);
        if (!spk_clock_tick(seconds, rate, &tick))
            return fail_range(context, i, seconds, rate);
        memcpy(at, &tick, sizeof tick);
    }
    return SPK_OK;
}

/* ---- all times ------------------------------------------------------------------------------- */

/* The largest |t|; NaN and infinite ones are errors. */
static spk_status find_largest(spk_context *context, const double *seconds, uint64_t n,
                               double *largest)
{
    double most = 0;
    bool finite = true;
    for (uint64_t i = 0; i < n; i++) {
        double size = fabs(seconds[i]);
        finite &= size <= 0x1.fffffffffffffp1023;
        most = size > most ? size : most;
    }
    *largest = most;
    for (uint64_t i = 0; i < n && !finite; i++)
        if (!isfinite(seconds[i]))
            return spk_fail(context, SPK_ERR_FORMAT,
                            "time %" PRIu64 " (from 0) is %s, no number; leave such events out", i,
                            isnan(seconds[i]) ? "NaN" : "infinite");
    return SPK_OK;
}

/* How far a time is from the nearest point, in points. What passes 2^51 points is whole, or nearly:
 * no grid that fine is guessed. */
static inline double off_grid(double seconds, double rate)
{
    const double whole = 0x1.8p52;
    double points = seconds * rate;
    if (!(fabs(points) < 0x1p51))
        return 0;
    double raised = points + whole; /* rounds to a whole number */
    return fabs(points - (raised - whole));
}

static bool fits(double seconds, double rate, rounding r)
{
    return off_grid(seconds, rate) <= (r.slope * fabs(seconds) + r.floor) * rate;
}

static bool all_fit(const double *seconds, uint64_t n, double rate, rounding r)
{
    uint64_t step = n > SAMPLES ? n / SAMPLES : 1;
    for (uint64_t i = 0; i < n; i += step)
        if (!fits(seconds[i], rate, r))
            return false;
    for (uint64_t from = 0; from < n; from += BLOCK) {
        uint64_t to = n - from > BLOCK ? from + BLOCK : n;
        bool good = true;
        for (uint64_t i = from; i < to; i++)
            good &= fits(seconds[i], rate, r);
        if (!good)
            return false;
    }
    return true;
}

static double worst_distance(const double *seconds, uint64_t n, double rate)
{
    double worst = 0;
    for (uint64_t i = 0; i < n; i++) {
        double off = off_grid(seconds[i], rate);
        worst = off > worst ? off : worst;
    }
    return worst / rate;
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* Puts the rate into its place, coarse ones first; a rate that is there already, or beyond the
 * table, stays out. */
static size_t insert(spk_rate *list, size_t n, spk_rate rate)
{
    size_t at = 0;
    if (rate.numerator == 0 || rate.denominator == 0)
        return n;
    while (at < n && compare_rates(list[at], rate) < 0)
        at++;
    if (n == MOST_CANDIDATES || (at < n && compare_rates(list[at], rate) == 0))
        return n;
    memmove(list + at + 1, list + at, (n - at) * sizeof *list);
    list[at] = rate;
    return n + 1;
}

static size_t list_candidates(const spk_clock_hints *hints, spk_rate *list)
{
    size_t n = 0;
    for (size_t k = 0; k < sizeof USUAL / sizeof USUAL[0]; k++)
        n = insert(list, n, USUAL[k]);
    for (size_t k = 0; k < hints->n; k++)
        n = insert(list, n, hints->rate[k]);
    return n;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static void set_origin(spk_clock *clock)
{
    char step[48];
    spk_rate rate = clock->rate;
    bool short_rate = rate.denominator <= INT64_MAX && rate.numerator <= UINT32_MAX;
    if (short_rate)
        spk_duration_format((spk_duration){(int64_t)rate.denominator, 0, (uint32_t)rate.numerator},
                            step, sizeof step);
    /* Steps that are no short decimal are told as fractions of a second: 1/30000s, not 1/30ms. */
    if (!short_rate || strchr(step, '/') != NULL || strlen(step) > 9)
        snprintf(step, sizeof step, "%" PRIu64 "/%" PRIu64 "s", rate.denominator, rate.numerator);
    if (clock->found == SPK_CLOCK_NANOSECOND)
        snprintf(clock->origin, sizeof clock->origin, "%.45s: no grid fits", step);
    else
        snprintf(clock->origin, sizeof clock->origin, "%s of %.40s",
                 clock->found == SPK_CLOCK_DECLARED ? "the file's clock" : "a grid", step);
}

/* The coarsest candidate that fits; one whose points are too near to be told apart is none. */
static bool guess(const double *seconds, uint64_t n, const spk_clock_hints *hints, rounding r,
                  spk_clock *out)
{
    spk_rate list[MOST_CANDIDATES];
    size_t n_list = list_candidates(hints, list);
    for (size_t k = 0; k < n_list && n > 0; k++) {
        double rate = per_second(list[k]);
        if (out->rounding_s * rate >= 0.45)
            return false;
        if (!all_fit(seconds, n, rate, r))
            continue;
        out->rate = list[k];
        out->found = SPK_CLOCK_GRID;
        return true;
    }
    return false;
}

static spk_status check_range(spk_context *context, const double *seconds, uint64_t n,
                              double largest, spk_rate rate)
{
    int64_t tick;
    if (largest * per_second(rate) < 0x1p62)
        return SPK_OK;
    for (uint64_t i = 0; i < n; i++)
        if (!spk_clock_tick(seconds[i], rate, &tick))
            return fail_range(context, i, seconds[i], rate);
    return SPK_OK;
}

spk_status spk_clock_find(spk_context *context, const double *seconds, uint64_t n,
                          const spk_clock_hints *hints, spk_clock *out)
{
    static const spk_clock_hints none = {.n = 0};
    double largest = 0;
    *out = (spk_clock){.rate = NANOSECOND, .found = SPK_CLOCK_NANOSECOND};
    if (hints == NULL)
        hints = &none;
    spk_status status = find_largest(context, seconds, n, &largest);
    if (status != SPK_OK)
        return status;
    const rounding r = {hints->single ? 0x1.4p-24 : 0x1p-50, 0x1p-51 * largest};
    const bool declared = hints->declared && hints->n > 0 && hints->rate[0].numerator > 0 &&
                          hints->rate[0].denominator > 0;
    out->rounding_s = r.slope * largest + r.floor;
    if (declared && all_fit(seconds, n, per_second(hints->rate[0]), r)) {
        out->rate = hints->rate[0];
        out->found = SPK_CLOCK_DECLARED;
    } else {
        out->misfit = declared;
        if (declared)
            out->misfit_s = worst_distance(seconds, n, per_second(hints->rate[0]));
        guess(seconds, n, hints, r, out);
    }
    out->worst_s = worst_distance(seconds, n, per_second(out->rate));
    set_origin(out);
    return check_range(context, seconds, n, largest, out->rate);
}

/* ---- rates of floating point ----------------------------------------------------------------- */

static bool nearly_whole(double value)
{
    return value >= 1 && value < 0x1p53 && fabs(value - rint(value)) <= 0x1p-50 * value;
}

static spk_rate lowest(uint64_t numerator, uint64_t denominator)
{
    uint64_t common = (uint64_t)spk_greatest_divisor(numerator, denominator);
    return (spk_rate){numerator / common, denominator / common};
}

bool spk_clock_rate_of(double rate, spk_rate *out)
{
    uint64_t parts = 1;
    *out = (spk_rate){0, 1};
    for (int decimals = 0; decimals <= 9; decimals++, parts *= 10) {
        double value = rate * (double)parts;
        if (nearly_whole(value)) {
            *out = lowest((uint64_t)rint(value), parts);
            return true;
        }
    }
    return false;
}

bool spk_clock_rate_of_step(double seconds, spk_rate *out)
{
    uint64_t parts = 1;
    *out = (spk_rate){0, 1};
    if (!(seconds > 0))
        return false;
    if (nearly_whole(1 / seconds)) {
        *out = (spk_rate){(uint64_t)rint(1 / seconds), 1};
        return true;
    }
    for (int decimals = 0; decimals <= 18; decimals++, parts *= 10) {
        double value = seconds * (double)parts;
        if (nearly_whole(value)) {
            *out = lowest(parts, (uint64_t)rint(value));
            return true;
        }
    }
    return false;
}

/* ---- telling --------------------------------------------------------------------------------- */

void spk_clock_facts(const spk_clock *clock, spk_recording_facts *facts)
{
    static_assert(sizeof facts->clock == sizeof clock->origin, "the same text");
    memcpy(facts->clock, clock->origin, sizeof facts->clock);
    facts->clock_worst_s = clock->worst_s;
}

void spk_clock_tell(spk_context *context, const char *name, const spk_clock *clock,
                    const spk_recording_facts *facts)
{
    const bool kept = strcmp(facts->clock, clock->origin) == 0;
    if (clock->misfit)
        spk_note(context, "%s: times are not on the file's own clock: one lies %.2g s off it", name,
                 clock->misfit_s);
    if (clock->found == SPK_CLOCK_GRID && kept)
        spk_note(context, "%s: times are taken to lie on %s: none is more than %.2g s off it", name,
                 clock->origin, clock->worst_s);
    if (clock->found == SPK_CLOCK_NANOSECOND)
        spk_note(context, "%s: times lie on no grid that is tried, and are rounded to 1 ns%s", name,
                 clock->rounding_s > 1e-9 ? "; the numbers themselves are coarser than that" : "");
}
