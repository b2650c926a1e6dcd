/* Labels of units in little room. */
#include "report/figure/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

bool spk_label_is_round(const char *label, uint32_t step)
{
    char *end = NULL;
    const long number = strtol(label, &end, 10);
    return end != label && *end == '\0' && number % (long)step == 0;
}

spk_labels spk_labels_make(const spk_recording *recording)
{
    uint32_t n = spk_recording_events(recording).n_units;
    spk_labels labels = {.recording = recording};
    if (n < 2)
        return labels;
    const char *first = spk_recording_label(recording, 0);
    size_t length = strlen(first);
    labels.prefix = labels.suffix = length;
    for (uint32_t unit = 1; unit < n; unit++) {
        const char *label = spk_recording_label(recording, unit);
        size_t own = strlen(label);
        size_t prefix = 0, suffix = 0;
        while (prefix < labels.prefix && label[prefix] == first[prefix])
            prefix++;
        size_t most = own < labels.suffix ? own : labels.suffix;
        while (suffix < most && label[own - 1 - suffix] == first[length - 1 - suffix])
            suffix++;
        labels.prefix = prefix;
        labels.suffix = suffix;
    }
    while (labels.prefix > 0 && inside_character(first[labels.prefix]))
        labels.prefix--;
    while (labels.suffix > 0 && inside_character(first[length - labels.suffix]))
        labels.suffix--;
    return labels;
}

void spk_labels_draw(spk_canvas *canvas, spk_point at, double width, spk_text_style style,
                     const spk_labels *labels, uint32_t unit)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    const char *label = spk_recording_label(labels->recording, unit);
    size_t length = strlen(label);
    char text[256];
    bool fits = spk_canvas_text_width(canvas, style, label) <= width;
    /* What differs may overlap both ends: "a1" and "a11" begin and end alike. */
    size_t prefix = labels->prefix >= 4 ? labels->prefix : 0;
    size_t suffix = labels->suffix >= 4 ? labels->suffix : 0;
    if (fits || prefix + suffix >= length || length - prefix > sizeof text - 8 ||
        prefix + suffix == 0) {
        spk_canvas_text_within(canvas, at, width, style, label);
        return;
    }
    int rest = (int)(length - prefix);
    snprintf(text, sizeof text, "%s%.*s", prefix > 0 ? ellipsis : "", rest, label + prefix);
    if (suffix > 0 && spk_canvas_text_width(canvas, style, text) > width)
        snprintf(text, sizeof text, "%s%.*s%s", prefix > 0 ? ellipsis : "", rest - (int)suffix,
                 label + prefix, ellipsis);
    spk_canvas_text_within(canvas, at, width, style, text);
}
