/* The text form of a pattern, `12@0 40@3 7@11`. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "spikemine/pattern.h"

/* A buffer that counts what does not fit any more, as snprintf does. */
typedef struct text_buffer {
    char *at;
    size_t size;
    size_t length;
} text_buffer;

static void put(text_buffer *b, char c)
{
    if (b->length + 1 < b->size)
        b->at[b->length] = c;
    b->length++;
}

static void put_label(text_buffer *b, const char *label)
{
    bool quoted = label[0] == '\0' || strpbrk(label, " \t\"@") != NULL;
    if (quoted)
        put(b, '"');
    for (; *label != '\0'; label++) {
        if (*label == '"')
            put(b, '"');
        put(b, *label);
    }
    if (quoted)
        put(b, '"');
}

static void put_number(text_buffer *b, uint32_t number)
{
    char digits[12];
    int n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (n > 0)
        put(b, digits[--n]);
}

size_t spk_pattern_format(const spk_recording *recording, const spk_pattern_columns *patterns,
                          uint64_t i, char *buffer, size_t buffer_size)
{
    assert(i < patterns->n);
    text_buffer b = {buffer, buffer_size, 0};
    for (uint64_t k = patterns->offset[i]; k < patterns->offset[i + 1]; k++) {
        uint32_t unit = patterns->item[k] / patterns->window;
        const char *label = recording != NULL ? spk_recording_label(recording, unit) : NULL;
        if (k > patterns->offset[i])
            put(&b, ' ');
        if (label != NULL)
            put_label(&b, label);
        else
            put_number(&b, unit);
        put(&b, '@');
        put_number(&b, patterns->item[k] % patterns->window);
    }
    if (buffer_size > 0)
        buffer[b.length < buffer_size ? b.length : buffer_size - 1] = '\0';
    return b.length;
}
