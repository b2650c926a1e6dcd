/* Operations with their options as texts. */
#include "analysis/calls.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { VALUE_BYTES = 128 };

/* ---- texts ----------------------------------------------------------------------------------- */

void spk_append_delays(char *text, size_t size, const spk_delay_trial *trial)
{
    char lo[48], hi[48];
    for (size_t d = 0; d < trial->n_delays; d++) {
        spk_duration_format(trial->delays[d].lo, lo, sizeof lo);
        spk_duration_format(trial->delays[d].hi, hi, sizeof hi);
        spk_append(text, size, "%s%s:%s", d > 0 ? " " : "", lo, hi);
    }
}

/* ---- settings -------------------------------------------------------------------------------- */

void spk_call_set(spk_call_settings *s, const char *name, const char *value)
{
    char *copy = NULL;
    if (s->status == SPK_OK)
        s->status = spk_grow(s->context, &s->setting, &s->capacity, s->n + 1, "settings");
    if (s->status == SPK_OK)
        s->status = spk_strdup(s->context, &copy, value);
    if (s->status == SPK_OK)
        s->setting[s->n++] = (spk_operation_setting){name, copy};
}

void spk_call_print(spk_call_settings *s, const char *name, const char *format, ...)
{
    char text[VALUE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    spk_call_set(s, name, text);
}

void spk_call_set_duration(spk_call_settings *s, const char *name, spk_duration value)
{
    char text[48];
    spk_duration_format(value, text, sizeof text);
    spk_call_set(s, name, text);
}

void spk_call_set_delays(spk_call_settings *s, const spk_delay_trial *trial)
{
    for (size_t d = 0; d < trial->n_delays; d++) {
        const spk_delay_trial one = {.delays = &trial->delays[d], .n_delays = 1};
        char text[VALUE_BYTES] = "";
        spk_append_delays(text, sizeof text, &one);
        spk_call_set(s, "delay", text);
    }
}

void spk_call_set_support(spk_call_settings *s, const spk_delay_test *test)
{
    if (test->is_whole)
        spk_call_print(s, "support", "%" PRIu64, test->support);
    else
        spk_call_set(s, "support", "auto");
    if (test->is_whole && test->link_share > 0)
        spk_call_print(s, "link-share", "%.12g", test->link_share);
    if (test->max_size > 0)
        spk_call_print(s, "max-size", "%" PRIu32, test->max_size);
    spk_call_print(s, "distinct-units", "%u", SPK_CHOOSE_DISTINCT_UNITS);
}

void spk_call_settings_free(spk_call_settings *s)
{
    for (uint64_t k = 0; k < s->n; k++)
        free((char *)s->setting[k].value);
    free(s->setting);
}
