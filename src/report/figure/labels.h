/* Labels of units in little room: what all have in common is the first to go. */
#pragma once

#include <stdbool.h>

#include "report/figure/canvas.h"
#include "spikemine/recording.h"

/* Bytes that all labels of a recording begin and end with, whole characters. "probe0_unit12" and
 * "probe0_unit17" differ in their last byte only. */
typedef struct spk_labels {
    const spk_recording *recording;
    size_t prefix;
    size_t suffix;
} spk_labels;

spk_labels spk_labels_make(const spk_recording *recording);

/* Whether a label is a whole number that `step` divides. */
bool spk_label_is_round(const char *label, uint32_t step);

/* Draws the label of a unit at most `width` wide. One that is too long loses the common beginning,
 * then the common end, then its middle, each for an ellipsis. */
void spk_labels_draw(spk_canvas *canvas, spk_point at, double width, spk_text_style style,
                     const spk_labels *labels, uint32_t unit);
