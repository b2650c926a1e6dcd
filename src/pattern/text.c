/* The text form of a pattern, `12@0 40@3 7@11`. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/label.h"
#include "spikemine/pattern.h"

static void put_number(spk_text_buffer *b, uint32_t number)
{
    char digits[12];
    int n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (n > 0)
        spk_text_put_char(b, digits[--n]);
}

size_t spk_pattern_format(const spk_recording *recording, const spk_pattern_columns *patterns,
                          uint64_t i, char *buffer, size_t buffer_size)
{
    assert(i < patterns->n);
    spk_text_buffer b = {buffer, buffer_size, 0};
    for (uint64_t k = patterns->offset[i]; k < patterns->offset[i + 1]; k++) {
        uint32_t unit = patterns->item[k] / patterns->window;
        const char *label = recording != NULL ? spk_recording_label(recording, unit) : NULL;
        if (k > patterns->offset[i])
            spk_text_put_char(&b, ' ');
        if (label != NULL)
            spk_label_put(&b, label, spk_label_needs_quotes(label, "@"));
        else
            put_number(&b, unit);
        spk_text_put_char(&b, '@');
        put_number(&b, patterns->item[k] % patterns->window);
    }
    return spk_text_end(&b);
}
