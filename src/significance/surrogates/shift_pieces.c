/*
 * Shifts of what lies between two long pauses of a unit.
 *
 * A piece ends where its unit pauses for longer than the history, so that a shift cuts no rhythm.
 * Its first event stays in its window; the others go with it, wherever that is, but not over the
 * border of their stretch. Nothing is turned round or reflected there: a piece near a border has
 * fewer positions, and these are the same whichever of them the recording has.
 */
#include "significance/surrogates/pieces.h"

/* Without a history that of four windows. */
static spk_status prepare(spk_context *context, const spk_surrogate_options *options,
                          spk_surrogates *s)
{
    return spk_surrogate_cut_pieces(context, options, SURROGATE_ROOM_OF_FIRST, 4, 1, s);
}

const surrogate_method spk_surrogate_shift_pieces = {
    .facts =
        {.name = "shift-pieces",
         .summary = "spikes of a unit between two pauses move together; the first in its window",
         .null_hypothesis =
             "given each unit's spikes between pauses longer than the history, and the window of "
             "the dither's length in which the first of them lies, all shifts that keep both are "
             "equally likely and independent; the windows' offset is drawn once from the seed",
         .keeps = "the number of spikes of each unit in each segment; all intervals up to the "
                  "history; with a bin, both in bins",
         .source = "after Harrison & Geman 2009 and Pipa, Wheeler, Singer & Nikolic 2008",
         .warning = "a unit without pauses moves as a whole, so that a short recording has few "
                    "different surrogates"},
    .number = 13,
    .prepare = prepare,
    .make = spk_surrogate_move_pieces,
};
