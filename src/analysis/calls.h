/* Operations with their options as texts: what a first look and a suggestion tell to do next. */
#pragma once

#include "base/append.h"
#include "base/context.h"
#include "spikemine/choose.h"
#include "spikemine/operation.h"

enum { SPK_DELAYS_TEXT = 512 };

/* Adds "0:5ms 5ms:10ms". */
void spk_append_delays(char *text, size_t size, const spk_delay_trial *trial);

/* Settings in the making; begin with the context alone. After a failure nothing is added, and
 * status tells it. */
typedef struct spk_call_settings {
    spk_context *context;
    spk_status status;
    spk_operation_setting *setting; /* values are owned */
    uint64_t n;
    uint64_t capacity;
} spk_call_settings;

/* Adds a setting; value NULL: a flag. */
void spk_call_set(spk_call_settings *s, const char *name, const char *value);
void spk_call_print(spk_call_settings *s, const char *name, const char *format, ...)
    SPK_PRINTF(3, 4);
void spk_call_set_duration(spk_call_settings *s, const char *name, spk_duration value);

/* Each interval of the trial. */
void spk_call_set_delays(spk_call_settings *s, const spk_delay_trial *trial);

/* What the test has of support, link share, size and different units. */
void spk_call_set_support(spk_call_settings *s, const spk_delay_test *test);

void spk_call_settings_free(spk_call_settings *s);
