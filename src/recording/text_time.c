/* Exact decimal times and their common scale. */
#include "recording/text_time.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "recording/text_reader.h"

/* ---- parsing --------------------------------------------------------------------------------- */

static bool is_not_finite(const char *text, size_t length)
{
    static const char *const names[] = {"nan", "inf", "infinity", "na", "-nan"};
    if (length > 0 && (*text == '+' || *text == '-')) {
        text++;
        length--;
    }
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strlen(names[k]) == length && strncasecmp(text, names[k], length) == 0)
            return true;
    return false;
}

spk_text_time_result spk_text_time_parse(const char *text, size_t length, spk_text_time *out)
{
    const char *rest;
    if (spk_decimal_scan(text, text + length, out, &rest) && rest == text + length)
        return SPK_TEXT_TIME_OK;
    return is_not_finite(text, length) ? SPK_TEXT_TIME_NOT_FINITE : SPK_TEXT_TIME_NOT_A_NUMBER;
}

/* floor(time * 10^scale); false when it is not within INT64_MIN .. SPK_MAX_TICK. *cut: digits were
 * lost. */
static bool text_time_ticks(const spk_text_time *time, int scale, int64_t *ticks, bool *cut)
{
    assert(scale >= 0 && scale <= SPK_MAX_SCALE);
    const unsigned __int128 most =
        time->negative ? (unsigned __int128)INT64_MAX + 1 : (unsigned __int128)SPK_MAX_TICK;
    unsigned __int128 m = time->digits;
    int64_t shift = time->exponent + scale;
    bool lost = time->more;
    *ticks = 0;
    *cut = false;
    if (m == 0)
        return true;
    for (; shift > 0; shift--) {
        if (m > most)
            return false;
        m *= 10;
    }
    for (; shift < 0 && m > 0; shift++) {
        lost |= m % 10 != 0;
        m /= 10;
    }
    m += lost && time->negative; /* floor goes away from zero */
    if (m > most)
        return false;
    *cut = lost;
    /* Negated as unsigned, so that INT64_MIN comes out without overflow. */
    *ticks = (int64_t)(time->negative ? 0 - (uint64_t)m : (uint64_t)m);
    return true;
}

bool spk_text_time_has_fraction(const spk_text_time *time)
{
    unsigned __int128 m = time->digits;
    for (int64_t e = time->exponent; e < 0 && m > 0; e++, m /= 10)
        if (m % 10 != 0)
            return true;
    return time->more && time->exponent < 0;
}

/* ---- the column ------------------------------------------------------------------------------ */

static_assert((int)SPK_MAX_SCALE < (int)SPK_POWERS_OF_TEN, "every scale has its power of ten");

void spk_tick_column_init(spk_tick_column *column, int limit)
{
    assert(limit >= 0 && limit <= SPK_MAX_SCALE);
    *column = (spk_tick_column){.limit = limit, .fitting = limit};
}

/* By how many decimals, at most `want`, the column can be made finer. */
static int finer_decimals(const spk_tick_column *column, int want)
{
    int64_t low = 0;
    int64_t high = 0;
    for (uint64_t i = 0; i < column->n; i++) {
        low = column->ticks[i] < low ? column->ticks[i] : low;
        high = column->ticks[i] > high ? column->ticks[i] : high;
    }
    int steps = 0;
    static_assert(INT64_MAX / 10 * 10 <= SPK_MAX_TICK, "a factor of ten ends in a tick that fits");
    while (steps < want && low >= INT64_MIN / 10 && high <= INT64_MAX / 10) {
        low *= 10;
        high *= 10;
        steps++;
    }
    return steps;
}

static void make_finer(spk_tick_column *column, int target)
{
    int steps = finer_decimals(column, target - column->scale);
    if (column->scale + steps < target)
        column->fitting = column->scale + steps;
    for (uint64_t i = 0; i < column->n && steps > 0; i++)
        column->ticks[i] *= spk_power_of_ten[steps];
    column->scale += steps;
}

static void make_coarser(spk_tick_column *column, int target)
{
    assert(0 <= target && target < column->scale && column->scale <= SPK_MAX_SCALE);
    const int64_t divisor = spk_power_of_ten[column->scale - target];
    for (uint64_t i = 0; i < column->n; i++) {
        int64_t rest = column->ticks[i] % divisor;
        column->ticks[i] = column->ticks[i] / divisor - (rest < 0);
        column->cut |= rest != 0;
    }
    column->scale = target;
    column->fitting = target;
}

bool spk_tick_column_append(spk_tick_column *column, const spk_text_time *time)
{
    assert(column->n < column->capacity);
    int decimals = time->decimals < column->limit ? (int)time->decimals : column->limit;
    if (decimals > column->written)
        column->written = decimals;
    int target = column->written < column->fitting ? column->written : column->fitting;
    if (target > column->scale)
        make_finer(column, target);
    int scale = column->scale;
    int64_t ticks = 0;
    bool cut = false;
    while (!text_time_ticks(time, scale, &ticks, &cut))
        if (--scale < 0)
            return false;
    if (scale < column->scale)
        make_coarser(column, scale);
    column->cut |= cut;
    column->ticks[column->n++] = ticks;
    return true;
}

bool spk_tick_column_append_plain(spk_tick_column *column, const char *text, size_t length)
{
    /* 19 digits fit into 64 bits, so nothing overflows before the check below. */
    assert(column->n < column->capacity);
    if (length == 0 || length > 19)
        return false;
    uint64_t value = 0;
    size_t k = 0;
    for (; k < length && spk_is_digit(text[k]); k++)
        value = value * 10 + (uint64_t)(text[k] - '0');
    size_t decimals = 0;
    if (k < length) {
        if (text[k] != '.' || length == 1)
            return false;
        decimals = length - k - 1;
        for (k++; k < length; k++) {
            if (!spk_is_digit(text[k]))
                return false;
            value = value * 10 + (uint64_t)(text[k] - '0');
        }
    }
    if (decimals > (size_t)column->scale || value > INT64_MAX)
        return false;
    int64_t ticks = 0;
    if (__builtin_mul_overflow((int64_t)value, spk_power_of_ten[(size_t)column->scale - decimals],
                               &ticks) ||
        ticks > SPK_MAX_TICK)
        return false;
    column->ticks[column->n++] = ticks;
    return true;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* ticks * 10^-scale without trailing zeros; 24 bytes suffice. */
static void format_ticks(int64_t ticks, int scale, char *text, size_t size)
{
    size_t n = spk_decimal_format(ticks, scale, text, size);
    while (scale > 0 && text[n - 1] == '0')
        n--;
    n -= scale > 0 && text[n - 1] == '.';
    text[n] = '\0';
}

spk_status spk_text_fail_order(const spk_text_reader *reader, const char *remedy)
{
    char now[48];
    char before[48];
    format_ticks(reader->backwards_time, reader->backwards_scale, now, sizeof now);
    format_ticks(reader->backwards_before, reader->backwards_scale, before, sizeof before);
    return spk_fail(reader->context, SPK_ERR_ORDER, "%s:%" PRIu64 ": time %s after %s; %s",
                    reader->name, reader->backwards_line, now, before, remedy);
}

/* Whether every unit's events stand together: units are numbered as they appear, so each change is
 * to the next number. */
static bool is_grouped(const spk_text_reader *reader)
{
    for (uint64_t i = 1; i < reader->times.n; i++)
        if (reader->unit[i] != reader->unit[i - 1] && reader->unit[i] != reader->unit[i - 1] + 1)
            return false;
    return true;
}

/* Whether names of units ascend as they appear, and have fractions: as times do in a file that is
 * in order, read with the columns swapped. */
static bool units_are_times(const spk_text_reader *reader)
{
    enum { SCALE = 6, MOST = 1000 };
    int64_t before = INT64_MIN;
    bool fraction = false;
    for (uint32_t k = 0; k < reader->labels.n && k < MOST; k++) {
        const char *label = spk_labels_text(&reader->labels, k);
        spk_text_time time;
        int64_t ticks;
        bool cut;
        if (spk_text_time_parse(label, strlen(label), &time) != SPK_TEXT_TIME_OK ||
            !text_time_ticks(&time, SCALE, &ticks, &cut) || ticks < before)
            return false;
        before = ticks;
        fraction |= spk_text_time_has_fraction(&time);
    }
    return fraction && is_grouped(reader);
}

spk_status spk_text_fail_unsorted(const spk_text_reader *reader)
{
    char remedy[160];
    const bool swapped = units_are_times(reader);
    snprintf(remedy, sizeof remedy, "%s%ssort the file or pass --sort",
             swapped ? reader->way->swapped : "", swapped ? "; if not, " : "");
    return spk_text_fail_order(reader, remedy);
}

spk_status spk_text_check_end(spk_text_reader *reader)
{
    if (reader->times.n == 0 && !spk_text_comments_cut(&reader->comments))
        return spk_fail(reader->context, SPK_ERR_FORMAT, "%s: %s; %s", reader->name,
                        reader->line == 0 ? "is empty" : "has no data lines", reader->way->wanted);
    if (reader->backwards_line == 0)
        return SPK_OK;
    const bool few_units = 2 * (uint64_t)reader->labels.n <= reader->times.n;
    return is_grouped(reader) && (few_units || !units_are_times(reader))
               ? spk_text_fail_order(reader, "the file is grouped by unit; pass --sort")
               : spk_text_fail_unsorted(reader);
}
