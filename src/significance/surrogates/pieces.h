/*
 * Methods that move the events of a unit in pieces (pieces.c). A piece is a longest series of its
 * events in a stretch that follow each other within the history R. Its events keep their distances.
 * Pieces stay more than R apart, so that every surrogate has the same pieces in the same order.
 */
#ifndef SPK_SIGNIFICANCE_SURROGATES_PIECES_H
#define SPK_SIGNIFICANCE_SURROGATES_PIECES_H

#include "significance/surrogates/surrogates.h"

/* What bounds the way of a piece. */
typedef enum surrogate_room {
    SURROGATE_ROOM_OF_ALL,   /* each of its events stays in its window */
    SURROGATE_ROOM_OF_FIRST, /* its first event stays in its window, all others in the stretch */
} surrogate_room;

/* A prepare function but for the room and the history that is taken where the options name none:
 * `numerator` / `denominator` windows. Memory: 8 bytes for each event, 56 for each piece, and 8 for
 * each position in which a piece takes room from the next one: at most 2^27 positions, for more the
 * steps from position to position are longer. Errors: those of spk_surrogate_prepare_windows. */
spk_status spk_surrogate_cut_pieces(spk_context *context, const spk_surrogate_options *options,
                                    surrogate_room room, uint64_t numerator, uint64_t denominator,
                                    spk_surrogates *surrogates);

/* A make function: all arrangements of the pieces of a run are equally likely. */
uint64_t spk_surrogate_move_pieces(const spk_surrogates *surrogates, const surrogate_run *run,
                                   spk_random *random, const surrogate_space *space, int64_t *out);

#endif
