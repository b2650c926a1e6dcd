/* Texts for pictures: clean UTF-8, numbers as people write them, and a growing text. */
#pragma once

#include <stdint.h>

#include "base/context.h"

/* Copy in which every byte that is no UTF-8 and every control character is '?' (newlines stay).
 * Free with free(). */
spk_status spk_text_utf8(spk_context *context, const char *text, char **out);

/* The number with a point before its decimals, in every locale, and a true minus sign; `buffer` has
 * SPK_TEXT_FIXED_SIZE bytes. Returns it. Needs |value| < 1e300. */
enum { SPK_TEXT_FIXED_SIZE = 400 };
#define SPK_MINUS "\xe2\x88\x92"
const char *spk_text_fixed(double value, int decimals, char *buffer);

/* The same with as few decimals as it needs, at most 6: 0.05, 4.5, 50. */
const char *spk_text_short(double value, char *buffer);

/* Decimals with which a value in 0 .. 1 shows two digits that are not 0, at most 9. */
int spk_text_decimals(double value);

/* A text that grows. Start with zeros, free `bytes` with free(). */
typedef struct spk_text {
    char *bytes; /* terminated; NULL while nothing was added */
    uint64_t length;
    uint64_t capacity;
} spk_text;

/* Adds printf-formatted text. */
spk_status spk_text_add(spk_context *context, spk_text *text, const char *format, ...)
    SPK_PRINTF(3, 4);
