/*
 * Ranks: several processes, perhaps on several machines, that work on one job.
 *
 * Each process makes the same calls with the same recording and the same options. Where a call has
 * work to share, the ranks take parts of it, and give each other what came of them. So each rank
 * has the whole result, the same to the byte as that of one process; with spk_pattern_options.bytes
 * rank 0 alone has it. Files and standard output are written by rank 0 alone; the others write
 * nothing under the names that they are given.
 *
 * The library knows no MPI. The caller hands over a table of functions that carry bytes between the
 * processes; the command spikemine-mpi does so with MPI (cli/mpi/). Example:
 *
 *     spk_ranks ranks = {sizeof ranks, rank, n_ranks, world, sizes, gather, begin, next,
 *                        send, receive, look};
 *     spk_context_set_ranks(context, &ranks);
 *     status = spk_episode_mine(context, recording, &options, sink, user, &summary);
 *
 * A failure: the call returns it in the rank that failed, and the other ranks may wait for that
 * one. Whoever uses ranks ends all of them when a call fails in one.
 *
 * What is shared: the candidates of a search for episodes and of a count (all engines that count
 * blocks of candidates; cuda-sweep searches alone and takes no part) or, where the options say so,
 * the time of the recording, with the reading of it; the branches of a search for patterns (engine
 * bitmap), and surrogates of all tests with their pilots. All other work is done by each rank for
 * itself.
 */
#ifndef SPIKEMINE_RANKS_H
#define SPIKEMINE_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* How the ranks of a job reach each other. All but next, send, receive and look are collective:
 * every rank calls them, in the same order. The library calls one of them at a time, from any of
 * its threads. A status other than SPK_OK ends the call of the library that needed it. A table may
 * end before send or before look, as struct_size then says: a recording cannot be divided by time
 * without the former, and branches of a search for patterns are shared once without the latter. */
typedef struct spk_ranks {
    size_t struct_size; /* sizeof(spk_ranks) */
    int rank;           /* 0 .. n_ranks - 1 */
    int n_ranks;        /* at least 1 */
    void *user;         /* goes to each function */
    /* all[k] = the number that rank k gave. */
    spk_status (*sizes)(void *user, uint64_t mine, uint64_t *all);
    /* The bytes of all ranks, one behind the other in order of rank: bytes[k] of rank k. */
    spk_status (*gather)(void *user, const void *mine, const uint64_t *bytes, void *all);
    /* Sets the counter that all ranks share to 0, once all ranks have come here. */
    spk_status (*begin)(void *user);
    /* Takes the next number of the counter, 0 at first: no two ranks get the same. Not collective.
     */
    spk_status (*next)(void *user, uint64_t *number);
    /* n bytes, at least 1, from this rank to one rank. May return before they have come there; the
     * bytes are the caller's again at once. */
    spk_status (*send)(void *user, int to, const void *bytes, uint64_t n);
    /* Waits for n bytes that one rank sent to this one: the calls of both stand in the same order
     * and have the same n. */
    spk_status (*receive)(void *user, int from, void *bytes, uint64_t n);
    /* The number that next would give, without taking it. Not collective. May be NULL. */
    spk_status (*look)(void *user, uint64_t *number);
} spk_ranks;

/* Makes the context one of a rank. The table is copied, and `user` is borrowed until the context is
 * freed; NULL: a process by itself again. Children that the library makes for its threads, and
 * those of the caller, are no ranks. Errors: SPK_ERR_ARGUMENT (rank, number, a function that is
 * NULL), with the ranks as they were. */
SPK_API SPK_MUST_CHECK spk_status spk_context_set_ranks(spk_context *context,
                                                        const spk_ranks *ranks);

/* Compares all ranks' copies of a text, such as the options of the job or the version of the
 * program. `what` names it in the message of rank 0 and of the ranks that differ: "rank 2 has
 * another WHAT than rank 0". Collective. Errors: SPK_ERR_ARGUMENT, the same in all ranks. */
SPK_API SPK_MUST_CHECK spk_status spk_ranks_compare(spk_context *context, const char *what,
                                                    const char *text);

/* The same for a recording: events, labels, extent and segments. Errors also: SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_ranks_compare_recording(spk_context *context,
                                                              const spk_recording *recording);

/* Joins what the ranks have read of one recording (spk_read_options.part): they are compared, and
 * each learns how many events each unit has in all parts. Episodes are then mined by time, and only
 * so. A recording that was read whole is compared as spk_ranks_compare_recording does. Collective.
 * Errors: SPK_ERR_ARGUMENT, the same in all ranks; without ranks, for a part; SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_ranks_join_parts(spk_context *context,
                                                       spk_recording *recording);

SPK_END_C

#endif
