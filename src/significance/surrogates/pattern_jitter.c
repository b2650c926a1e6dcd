/* Pattern jitter: the null hypothesis of the exact test that keeps each unit's rhythm. */
#include "significance/surrogates/pieces.h"

/* Without a history that of half a window. */
static spk_status prepare(spk_context *context, const spk_surrogate_options *options,
                          spk_surrogates *s)
{
    return spk_surrogate_cut_pieces(context, options, SURROGATE_ROOM_OF_ALL, 1, 2, s);
}

const surrogate_method spk_surrogate_pattern_jitter = {
    .facts =
        {.name = "pattern-jitter",
         .summary = "spikes of a unit within the history move together, each in its window",
         .null_hypothesis =
             "given how many ticks (with a bin: bins) each unit takes in each window of the "
             "dither's length, and its intervals up to the history, all arrangements that keep "
             "both are equally likely and independent; the windows' offset is drawn once from "
             "the seed",
         .keeps = "the number of spikes of each unit in each window; all intervals up to the "
                  "history, and the order of what lies between them; with a bin, both in bins",
         .source = "Harrison & Geman 2009",
         .warning = "where a unit's spikes follow each other within the history for long, they can "
                    "hardly move"},
    .number = 12,
    .prepare = prepare,
    .make = spk_surrogate_move_pieces,
};
