/* Who follows whom: steps from a unit to the next one of a result as a directed graph. */
#ifndef SPK_REPORT_FIGURE_GRAPH_H
#define SPK_REPORT_FIGURE_GRAPH_H

#include "report/figure/canvas.h"
#include "report/figure/page.h"
#include "spikemine/episode.h"

/* What is drawn at most. A busy unit follows and precedes all others: of the arrows from one unit,
 * and to one, only the strongest are drawn. A unit's arrow to itself is none. */
enum { SPK_GRAPH_PAIRS = 24, SPK_GRAPH_UNITS = 16, SPK_GRAPH_PER_UNIT = 3 };

typedef struct spk_graph_pair {
    uint32_t from; /* unit numbers */
    uint32_t to;
    uint16_t delay;
    uint64_t count; /* of its result, or the excess over chance, rounded */
    uint64_t place; /* of its second unit among those of all results */
} spk_graph_pair;

typedef struct spk_graph {
    const spk_delay *delays; /* the table that pairs index; borrowed from the columns */
    size_t n_delays;
    bool excess;      /* arrows tell the excess over chance */
    uint64_t n_found; /* pairs of different units and delays, drawn or not */
    uint32_t n_pairs;
    spk_graph_pair pair[SPK_GRAPH_PAIRS]; /* strongest first */
    uint32_t n_units;
    uint32_t unit[SPK_GRAPH_UNITS]; /* ascending */
} spk_graph;

/* Selects the steps of episodes that were checked (report/check.h): of each pair of units the one
 * of the episode with the largest count; with expected counts by episode (NULL: none) with the
 * largest excess, if there is one. Errors: SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
spk_status spk_graph_make(spk_context *context, const spk_episode_columns *episodes,
                          const double *expected, spk_graph *graph);

/* The height that suits its units, heading apart, in sizes of the text. */
double spk_graph_height(const spk_graph *graph);

/* Leaves out the weakest pairs until the labels of the units have room in a box of this size. */
void spk_graph_fit(spk_canvas *canvas, const spk_page *page, spk_box box,
                   const spk_recording *recording, spk_graph *graph);

/* Draws units on a circle, arrows, and what colour and width mean. */
void spk_graph_draw(spk_canvas *canvas, const spk_page *page, spk_box box,
                    const spk_recording *recording, const spk_graph *graph);

#endif
