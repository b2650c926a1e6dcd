/*
 * Ranks as threads of one process, so that what ranks do is tested without MPI: each thread has a
 * context of its own, and the functions of spk_ranks go through memory that all share. When one
 * rank fails, the others do not wait for it: their calls end with SPK_ERR_CANCELLED.
 */
#pragma once

#include "support/test.h"

enum { TEST_MOST_RANKS = 64 };

/* The context of a process by itself, which ranks are compared with; begin and end of a group. */
extern spk_context *alone;
int alone_setup(void **state);
int alone_teardown(void **state);

/* What a rank does; its context is that of the rank, with one thread. No assertions of cmocka in
 * it: it does not run in the test's thread. */
typedef spk_status test_rank_work(spk_context *context, int rank, void *user);

/* Runs all ranks; status[k] is what rank k returned, and message[k], where given, its message. */
void test_ranks_run(int n_ranks, test_rank_work *work, void *user, spk_status *status,
                    char (*message)[256]);

/* The same where all ranks must succeed. */
void test_ranks_succeed(int n_ranks, test_rank_work *work, void *user);
