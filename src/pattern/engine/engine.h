/*
 * What a pattern engine is: one const table of functions, known to the registry and to nobody else.
 * To add one: write a file that defines such a table, and add its line to engine/list.h. Engines
 * know windows and base, never files, printing or each other. Every engine must give the same
 * patterns; tests/unit/test_patterns.c runs over all that are listed.
 */
#pragma once

#include "base/context.h"
#include "engine/list.h"
#include "pattern/engine/maxima.h"
#include "spikemine/pattern.h"

SPK_BEGIN_C

/* The limits, checked and resolved: 1 <= min_spikes <= max_spikes (UINT32_MAX: none),
 * 1 <= min_support <= max_count (UINT32_MAX: none), 1 <= min_neurons. */
typedef struct spk_pattern_limits {
    uint32_t min_spikes;
    uint32_t max_spikes;
    uint32_t min_support;
    uint32_t max_count;
    uint32_t min_neurons;
} spk_pattern_limits;

/* Patterns where an engine for GPUs has found them, in memory of the calling thread's device:
 * pattern k begins at word[place[k]] with two words of the engine's own, its size and its count,
 * and its items follow. */
typedef struct spk_pattern_pile {
    const uint32_t *word;
    uint64_t n_words;
    const uint64_t *place;
    uint64_t n;
} spk_pattern_pile;

enum { SPK_PATTERN_PILE_HEAD = 4 };

/* Who looks at piles where they lie, so that only what it wants comes to the host. Piles are the
 * engine's, for the call. */
typedef struct spk_pattern_sieve {
    spk_status (*sift)(void *user, const spk_pattern_pile *pile);
    void *user;
} spk_pattern_sieve;

/* What an engine is to do; borrowed for the call. */
typedef struct spk_pattern_job {
    const spk_window_columns *windows;
    spk_pattern_limits limits;
    int threads;
    bool unordered; /* the engine may hand over patterns in any order */
    /* Where not 0, patterns that are the later end of another one, of at most this many spikes,
     * with the same count are left out (moving_window.h); 0 unless the engine can_drop_ends. */
    uint32_t drop_ends_of;
    uint64_t *n_dropped; /* their number is added here; not NULL then */
    int gpus;            /* how many devices; 0 for engines on processors */
    uint64_t memory;     /* bytes that the engine may take; 0: no limit */
    /* Where not NULL, threads make bytes of what they find, which go to bytes->take in place of the
     * sink; there are as many makers as threads. NULL unless the engine makes_bytes. */
    const spk_pattern_bytes *bytes;
    /* Where not NULL, of an unordered job: patterns on a GPU may go there in place of the sink,
     * each to one of the two. */
    const spk_pattern_sieve *sieve;
} spk_pattern_job;

/* What spk_pattern_find_maxima asks an engine for; borrowed for the call. */
typedef struct spk_pattern_maxima_job {
    spk_pattern_job job;                  /* min_support: the least one of any size */
    const spk_pattern_supports *supports; /* per size, or NULL */
    bool by_duration;
    bool drop_ends; /* the moving-window step matters, and the windows are those of a recording */
} spk_pattern_maxima_job;

/* A search that several processes share. They take pieces of it from one counter. Where one finds
 * none, the others may leave what they have not begun, so that all share it again. */
typedef struct spk_pattern_share {
    int part; /* 0 .. n_parts - 1: this process */
    int n_parts;
    /* The bytes of all parts, one behind the other in order of parts, valid until the next call and
     * aligned for numbers of 64 bits where all parts give such. All parts call it. */
    spk_status (*exchange)(void *user, const void *mine, uint64_t n, const void **all,
                           uint64_t *n_all);
    /* Sets the counter to 0. All parts call it, and go on when all have. */
    spk_status (*begin)(void *user);
    /* The next number, from 0, that no part has had. From one thread at a time. */
    spk_status (*next)(void *user, uint64_t *number);
    /* Optional: the number that next would give. From one thread at a time. */
    spk_status (*look)(void *user, uint64_t *number);
    /* What goes to the sink from now on stands here in the order of the search: places are compared
     * number by number, and a shorter one comes first. Not called while the sink is. */
    spk_status (*at)(void *user, const uint32_t *place, uint32_t n);
    /* Optional: whether this part has so much for the others that all should exchange soon. */
    bool (*full)(void *user);
    /* Optional: what was done since the last call, in nodes of the search and windows that hold
     * them. From one thread at a time. */
    void (*worked)(void *user, uint64_t nodes, uint64_t windows);
    /* Optional: how many pieces there are, before the first one is taken. */
    void (*planned)(void *user, uint64_t n_pieces);
    void *user;
} spk_pattern_share;

/* What the cost of a pattern depends on. */
typedef struct spk_pattern_shape {
    uint64_t support;
    uint64_t n_items;  /* that are frequent */
    double per_window; /* how many of them, on average */
} spk_pattern_shape;

/* The functions of an engine. */
typedef struct spk_pattern_engine {
    /* Finds every closed pattern within the limits (before the moving-window step) and hands them
     * to `sink` in batches, never two calls at once; items of a pattern ordered by lag, then unit.
     * The order of patterns is the canonical one (item_order.h), unless the job asks for
     * none. Asks for cancel now and then. Stops with the sink's status when that is not SPK_OK. An
     * engine for GPUs looks after the job's devices itself (cuda/gpus.h). */
    spk_status (*mine)(spk_context *context, const spk_pattern_job *job, spk_pattern_sink *sink,
                       void *user);
    bool makes_bytes; /* whether `mine` heeds job.bytes */
    /* Optional: about what a pattern costs in windows of one bin, in nanoseconds of one thread as
     * measured (bench/results/pattern_costs.md). */
    double (*cost)(const spk_pattern_shape *shape);
    /* Of an engine for GPUs, as measured (bench/results/gpu_patterns.md): largest counts of many
     * surrogates take as long as with so many threads of a processor, and its start takes so long.
     */
    double like_threads;
    double start_s;
    /* Optional: whether a job may have drop_ends_of for these windows, which slide
     * (spk_windows_slide). */
    bool (*can_drop_ends)(const spk_window_columns *windows);
    /* Optional: finds a part of them, as the share says. */
    spk_status (*mine_shared)(spk_context *context, const spk_pattern_job *job,
                              const spk_pattern_share *share, spk_pattern_sink *sink, void *user);
    /* Optional: raises an empty table to the largest counts of what is reported. *done is false
     * when it leaves this job to `mine`. */
    spk_status (*maxima)(spk_context *context, const spk_pattern_maxima_job *job,
                         spk_maxima_table *table, bool *done);
} spk_pattern_engine;

/* The tables of all listed engines. */
#define SPK_PATTERN_ENGINE_DECLARE(symbol, name, kind, summary)                                    \
    extern const spk_pattern_engine spk_pattern_engine_##symbol;
SPK_PATTERN_ENGINES(SPK_PATTERN_ENGINE_DECLARE)

SPK_END_C
