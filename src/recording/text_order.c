/* The order of time in a text, and what is wrong where there is none. */
#include <inttypes.h>

#include "recording/text_reader.h"

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

spk_status spk_text_check_end(spk_text_reader *reader)
{
    if (reader->times.n == 0 && !spk_text_comments_cut(&reader->comments))
        return spk_fail(reader->context, SPK_ERR_FORMAT, "%s: %s; %s", reader->name,
                        reader->line == 0 ? "is empty" : "has no data lines", reader->way->wanted);
    if (reader->backwards_line != 0)
        return spk_text_fail_order(reader, is_grouped(reader)
                                               ? "the file is grouped by unit; pass --sort"
                                               : SPK_TEXT_SORT_IT);
    return SPK_OK;
}
