/*
 * Ranks that read a text together: each reads the head of the file, and then the lines that begin
 * in its own bytes, which hold about as many lines as those of any other rank (text_part.c).
 *
 *     bytes:  [ head [ lines of rank 0   [ lines of rank 1   [ lines of rank 2   ]
 *
 * Then they tell each other what came of it: labels, digits, first and last times. So all know the
 * units, the ticks and the extent that one reader of the whole file finds. At last events go to the
 * ranks that have them in their margin (text_share.c).
 *
 * Where anything is wrong with the file, each rank reads it again from its beginning
 * (text_part.c): the error is then the one that a single process finds.
 */
#pragma once

#include "distribute/ranks.h"
#include "recording/text_reader.h"

/* What a rank tells of its lines. */
typedef struct spk_text_told {
    uint64_t status;     /* of its reading: a spk_status */
    uint64_t is_strange; /* times that go back, or with more digits than 64 bit hold */
    uint64_t n_events;
    uint64_t n_lines;
    uint64_t scale; /* decimals of its ticks */
    int64_t first;  /* ticks of its first and its last event; of all ranks' scale in the end */
    int64_t last;
} spk_text_told;

typedef struct spk_text_sharing {
    spk_text_reader *reader;
    const spk_ranks *ranks;
    spk_text_told *told; /* of each rank */
    spk_exchanged said;  /* their bytes: spk_text_told, message, labels */
    uint64_t *counts;    /* n_ranks * n_ranks: events that rank j sends to rank k, [j][k] */
    uint64_t n_own;      /* events of this rank's lines that stay here, the first ones */
} spk_text_sharing;

/* Whether the ranks can read this input together; its part has begun. */
bool spk_text_can_share(const spk_text_reader *reader);

/* Goes to the rank's own lines, once the head is known. `data` is the byte at which the block of
 * the first event begins. Collective. Errors: SPK_ERR_ARGUMENT (ranks with different files),
 * SPK_ERR_IO, SPK_ERR_MEMORY. */
spk_status spk_text_share_begin(spk_text_reader *reader, uint64_t data);

/* Of the complete lines [*text, *end), those that begin in the rank's own bytes. */
void spk_text_own_lines(spk_text_reader *reader, const char **text, const char **end);

/* Joins what the ranks have read; `status` is that of this one. The reader then holds the events of
 * its stretch and margin, and hex[65] the digest of the file. *again: the file must be read anew,
 * and nothing failed. Collective. */
spk_status spk_text_share(spk_text_reader *reader, spk_status status, char *hex, bool *again);

/* The rest is for text_share.c and text_part.c. */

/* Sets the bytes whose lines are the rank's own, and hex[65] to a digest of the whole file.
 * Errors: SPK_ERR_IO, SPK_ERR_MEMORY. */
spk_status spk_text_lay_borders(spk_text_reader *reader, char *hex);

/* Finds out how many events go from this rank to each later one: to[n_ranks]. Sets n_own. */
void spk_text_move_count(spk_text_sharing *sharing, uint64_t *to);

/* Sends and receives events, and lays the column out as text_part.c does. */
spk_status spk_text_move(spk_context *context, spk_text_sharing *sharing);
