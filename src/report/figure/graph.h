/* Who follows whom: the frequent pairs of units as a directed graph. */
#ifndef SPK_REPORT_FIGURE_GRAPH_H
#define SPK_REPORT_FIGURE_GRAPH_H

#include "report/figure/canvas.h"
#include "spikemine/episode.h"

/* The strongest SPK_GRAPH_PAIRS pairs are drawn, fewer where they would name more than
 * SPK_GRAPH_UNITS units. */
enum { SPK_GRAPH_PAIRS = 120, SPK_GRAPH_UNITS = 60 };

typedef struct spk_graph_pair {
    uint32_t from; /* unit numbers */
    uint32_t to;
    uint16_t delay;
    uint64_t count;
} spk_graph_pair;

typedef struct spk_graph {
    const spk_delay *delays; /* the table that pairs index; borrowed from the columns */
    size_t n_delays;
    uint64_t n_found; /* frequent pairs, drawn or not */
    uint32_t n_pairs;
    spk_graph_pair pair[SPK_GRAPH_PAIRS]; /* strongest first */
    uint32_t n_units;
    uint32_t unit[SPK_GRAPH_UNITS]; /* ascending */
} spk_graph;

/* Selects the pairs among episodes that were checked (report/check.h). */
void spk_graph_make(const spk_episode_columns *episodes, spk_graph *graph);

/* Draws units on a circle, arrows, legends, and the strongest pairs as bars. */
void spk_graph_draw(spk_canvas *canvas, spk_box box, const spk_recording *recording,
                    const spk_graph *graph);

#endif
