/* The text form of a pattern, `12@0 40@3 7@11`. */
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

size_t spk_pattern_format(const spk_recording *recording, uint32_t window, uint32_t size,
                          const uint32_t *items, char *buffer, size_t buffer_size)
{
    text_buffer b = {buffer, buffer_size, 0};
    for (uint32_t k = 0; k < size; k++) {
        uint32_t unit = items[k] / window;
        const char *label = recording != NULL ? spk_recording_label(recording, unit) : NULL;
        if (k > 0)
            put(&b, ' ');
        if (label != NULL)
            put_label(&b, label);
        else
            put_number(&b, unit);
        put(&b, '@');
        put_number(&b, items[k] % window);
    }
    if (buffer_size > 0)
        buffer[b.length < buffer_size ? b.length : buffer_size - 1] = '\0';
    return b.length;
}
