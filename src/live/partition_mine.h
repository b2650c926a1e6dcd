/* Mining one partition after the other: from spikes to a result. One thread at a time. */
#pragma once

#include "base/stage.h"
#include "live/partition_feed.h"
#include "spikemine/episode.h"
#include "spikemine/exact.h"
#include "spikemine/partitions.h"

/* ---- following ------------------------------------------------------------------------------- */

/*
 * Episodes over partitions: which ones of a partition were frequent in the one before, and with
 * which count. Units are those of the stream, whose numbers never change.
 */

/* Episodes of its own, as columns; begins zeroed. */
typedef struct partition_episodes {
    uint64_t n;
    uint64_t *offset; /* n + 1 */
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *count;
    uint64_t *slots; /* a table of hashes: number + 1, 0 empty; n_slots is a power of two */
    uint64_t n_slots;
    spk_holding holding;
} partition_episodes;

/* A result and what it points to. */
typedef struct partition_finished {
    spk_partition_result result; /* first: its user has a pointer to it */
    spk_recording *recording;
    spk_episode_list *list;
    spk_episode_columns columns;
    double *p;
    double *expected;
    uint8_t *trend;
    uint64_t *before;
    partition_episodes vanished;
    spk_episode_columns vanished_columns;
    spk_episode_summary summary;
    spk_holding holding; /* p, expected, trend, before */
    char tested[96];
    bool untimely; /* not tested, since partitions waited */
    char why[96];
} partition_finished;

/* NULL is accepted. */
void partition_finished_free(partition_finished *finished);

/* The units in natural order of their labels; begins zeroed. */
typedef struct partition_units {
    uint32_t n;
    const char **label; /* in that order; borrowed from the list that was given */
    uint32_t *number;   /* place of each unit of the stream */
    uint32_t *unit;     /* of the stream, in that order */
    spk_holding holding;
} partition_units;

/* What stays from one partition to the next; begins zeroed but for what its user sets. */
typedef struct partition_miner {
    const spk_context *of; /* of the stream: mining takes what it has left of its memory */
    spk_context *context;  /* of all that is mined, a child of it */
    spk_context *testing;  /* a child of it: tests can be cancelled alone */
    spk_rate rate;
    spk_episode_options episodes; /* its own delays and name of the engine */
    char *support_text;
    spk_exact_options exact; /* n_surrogates 0: no test is wanted */
    spk_duration null_window;
    double alpha;
    int threads;    /* most, of a search; tests have as many */
    double spent_s; /* processor time of the last search, about */
    partition_units units;
    partition_episodes before; /* of the partition that was mined last, in units of the stream */
    bool has_before;
    int64_t before_number;
    uint64_t before_support;
} partition_miner;

void partition_miner_close(partition_miner *miner);

/* What mining asks of its surroundings while it runs. */
typedef struct partition_calls {
    void *user;
    /* The spikes were copied: blocks may be freed. */
    void (*copied)(void *user);
    /* Before the test: how many partitions wait, if they forbid it; 0: go on. */
    uint64_t (*behind)(void *user);
} partition_calls;

/* Mines the job; n_units labels of the stream, the support times 2^raised. */
spk_status partition_mine(partition_miner *miner, const partition_job *job, uint32_t n_units,
                          const char *const *labels, uint32_t raised, const partition_calls *calls,
                          partition_finished **out);
