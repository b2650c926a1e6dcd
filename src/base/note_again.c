/* Notes that become rare. */
#include "base/note_again.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static bool is_power_of_ten(uint64_t n)
{
    while (n % 10 == 0)
        n /= 10;
    return n == 1;
}

void spk_note_again(spk_context *context, uint64_t *times, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    if (++*times > 10 && !is_power_of_ten(*times))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (*times < 10)
        spk_note(context, "%s", text);
    else
        spk_note(context, "%s (%" PRIu64 " times so far; told again after %" PRIu64 ")", text,
                 *times, 10 * *times);
}
