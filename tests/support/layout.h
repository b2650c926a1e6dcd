/* Rules that every figure keeps, and recordings to draw. In builds with cairo. */
#pragma once

#include "report/figure/display.h"
#include "spikemine/spikemine.h"
#include "support/random.h"

/* ---- the rules ------------------------------------------------------------------------------- */

/* The bytes of a text, "" of any other item. */
const char *layout_text_of(const spk_display *display, const spk_item *item);

bool layout_same_colour(spk_colour a, spk_colour b);

/* Every bar of the panel ends at the height of a "0"; returns their number. */
uint32_t layout_check_bars(const spk_display *display, uint32_t panel);

/* No text touches another or is small beside `em`, nothing leaves the page or its panel. */
void layout_check_figure(const spk_canvas *canvas, double em);

/* ---- what is drawn --------------------------------------------------------------------------- */

typedef struct layout_scene {
    spk_recording *recording;
    spk_episode_list *list;
} layout_scene;

typedef enum layout_names {
    LAYOUT_NUMBERS,
    LAYOUT_LONG,
    LAYOUT_FOREIGN,
    LAYOUT_CONTROLS,
    LAYOUT_N_NAMES
} layout_names;

/* Chains of units at steady steps over noise, and the episodes in them. */
void layout_make_scene(spk_context *context, layout_scene *scene, test_random *random,
                       uint32_t n_units, uint32_t n_events, spk_rate rate, int64_t origin,
                       int64_t length, layout_names kind);
void layout_free_scene(layout_scene *scene);

/* The k-th of a few sizes of pages and letters. */
void layout_look(spk_figure_options *options, uint64_t k);
