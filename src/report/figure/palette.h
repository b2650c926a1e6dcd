/* The colours of all pictures: safe for every common colour vision deficiency, and readable when
 * printed in grey. */
#ifndef SPK_REPORT_FIGURE_PALETTE_H
#define SPK_REPORT_FIGURE_PALETTE_H

#include "report/figure/canvas.h"

/* Most groups that are told apart by colour. */
#define SPK_PALETTE_SIZE 7u

/* Colour of group k < SPK_PALETTE_SIZE: in the hues of Okabe & Ito 2008, but dark enough for white
 * paper, and no two as light in grey. */
spk_colour spk_palette_group(uint32_t k);

/* The mark of group k, which tells it from the others where colour cannot. */
spk_marker spk_palette_marker(uint32_t k);

/* Colour at 0 <= position <= 1 of an ordered scale from dark to lighter (the dark half of viridis).
 */
spk_colour spk_palette_scale(double position);

/* The same colour with another opacity. */
spk_colour spk_colour_alpha(spk_colour colour, double alpha);

#define SPK_INK        ((spk_colour){0.13, 0.13, 0.13, 1})
#define SPK_INK_SOFT   ((spk_colour){0.40, 0.40, 0.40, 1})
#define SPK_SPIKE_GREY ((spk_colour){0.55, 0.55, 0.55, 1})
#define SPK_RULE_GREY  ((spk_colour){0.80, 0.80, 0.80, 1})
#define SPK_GAP_GREY   ((spk_colour){0.88, 0.88, 0.88, 1})

#endif
