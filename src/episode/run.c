/* An engine at work: choice, places, passes. */
#include "episode/run.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stage.h"
#include "base/threads.h"
#include "cuda/gpus.h"
#include "distribute/ranks.h"
#include "episode/engine/policy.h"
#include "episode/list.h"
#include "episode/opened.h"
#include "recording/segments.h"

/* ---- two passes ------------------------------------------------------------------------------ */

/*
 * Two-pass elimination (PreElim, section 5.2 of the papers): a cheap upper bound of every count
 * first, the exact count only for the candidates that the bound leaves.
 */

/* The candidates that a first pass leaves. */
typedef struct two_pass_survivors {
    spk_episode_block block; /* to be counted; its columns are those below */
    uint64_t *count;         /* their exact counts, for the caller to fill in */
    uint32_t *unit;
    uint16_t *delay;
    uint64_t *row; /* where in the whole block each was */
} two_pass_survivors;

/* Takes the candidates whose bound reaches the block's support. */
static spk_status two_pass_survivors_take(spk_context *context, const spk_episode_block *block,
                                          const uint64_t *bounds, two_pass_survivors *out)
{
    uint32_t size = block->size;
    uint64_t n = 0;
    uint64_t at = 0;
    *out = (two_pass_survivors){.count = NULL};
    for (uint64_t k = 0; k < block->n; k++)
        n += bounds[k] >= block->support;
    spk_status status = spk_alloc_columns(context, "survivors", SPK_COLUMN(&out->unit, n * size),
                                          SPK_COLUMN(&out->delay, n * size),
                                          SPK_COLUMN(&out->row, n), SPK_COLUMN(&out->count, n));
    for (uint64_t k = 0; k < block->n && status == SPK_OK; k++) {
        if (bounds[k] < block->support)
            continue;
        memcpy(out->unit + at * size, block->unit + k * size, size * sizeof *out->unit);
        memcpy(out->delay + at * size, block->delay + k * size, size * sizeof *out->delay);
        out->row[at++] = k;
    }
    out->block = (spk_episode_block){
        .size = size, .n = at, .unit = out->unit, .delay = out->delay, .support = block->support};
    return status;
}

/* counts[] of the whole block of n: the survivors' exact counts, 0 for the others. */
static void two_pass_survivors_spread(const two_pass_survivors *survivors, uint64_t n,
                                      uint64_t *counts)
{
    memset(counts, 0, n * sizeof *counts);
    for (uint64_t k = 0; k < survivors->block.n; k++)
        counts[survivors->row[k]] = survivors->count[k];
}

static void two_pass_survivors_free(two_pass_survivors *survivors)
{
    spk_free_all(survivors->count, survivors->unit, survivors->delay, survivors->row);
    *survivors = (two_pass_survivors){.count = NULL};
}

/* The job with every lower bound of its delay intervals at 0: its counts are upper bounds, for
 * engines that have no cheaper one. *delays is the new job's table; free it with free(). */
static spk_status two_pass_relax(spk_context *context, const spk_episode_job *job,
                                 spk_tick_delay **delays, spk_episode_job *relaxed)
{
    spk_status status = spk_alloc(context, delays, job->n_delays, "relaxed intervals");
    if (status != SPK_OK)
        return status;
    for (size_t d = 0; d < job->n_delays; d++)
        (*delays)[d] = (spk_tick_delay){0, job->delays[d].hi};
    *relaxed = *job;
    relaxed->delays = *delays;
    return SPK_OK;
}

/* ---- runs ------------------------------------------------------------------------------------ */

enum { MOST_EPISODES = 1 << 20, FEWEST_EPISODES = 1 << 12, MOST_BLOCK_BYTES = 256 << 20 };

struct episode_run {
    const spk_ranks *ranks; /* that share each block; NULL: none */
    bool by_time;           /* they share the recording */
    episode_stretch stretch;
    spk_engine_choice choice;
    const spk_episode_engine *engine;
    spk_tick_delay *delays;
    episode_layout layout; /* what engines see of the recording */
    double layout_s;
    spk_episode_job job;
    bool two_pass;
    uint64_t blocks_memory;
    episode_opened exact;
    /* For engines without a bound of their own: the same job with every lo = 0. */
    spk_tick_delay *relaxed_delays;
    spk_episode_job relaxed_job;
    episode_opened relaxed;
    double began;
    spk_episode_phases phases;
};

/* ---- opening a run --------------------------------------------------------------------------- */

static spk_status choose(spk_context *context, const spk_episode_options *options,
                         uint64_t n_events, uint64_t n_episodes, episode_run *run)
{
    const spk_ranks *ranks = spk_context_ranks(context);
    spk_engine_request request = {options->engine, options->gpus, spk_gpus_look_here,
                                  ranks != NULL ? ranks->n_ranks : 1};
    spk_episode_work work = {n_events, options->n_delays, n_episodes};
    spk_status status = spk_episode_choose(context, &request, &work, &run->choice);
    if (status != SPK_OK)
        return status;
    run->engine = spk_episode_engine_table(run->choice.engine);
    assert(run->engine != NULL); /* what is not built is not available */
    return SPK_OK;
}

/* Of what is left of a limit, a half goes to the engine and a quarter to blocks of episodes; the
 * rest is for the frequent episodes. The memory of GPUs is bounded by a limit that somebody chose,
 * not by the default one, which follows from the host's memory. */
static void make_job(spk_context *context, const spk_episode_options *options, episode_run *run)
{
    uint64_t limit = spk_memory_left(context);
    bool on_host = run->choice.gpus == 0;
    run->blocks_memory = limit > 0 && limit / 4 < MOST_BLOCK_BYTES ? limit / 4 : MOST_BLOCK_BYTES;
    run->job = (spk_episode_job){
        .recording = run->by_time ? run->stretch.recording : run->layout.recording,
        .delays = run->delays,
        .n_delays = options->n_delays,
        .threads = spk_threads_take(context),
        .gpus = run->choice.gpus,
        .memory = on_host || spk_context_chosen_limit(context) > 0 ? limit / 2 : 0,
        .compaction = options->compaction};
    run->two_pass = options->two_pass == SPK_TWO_PASS_ON ||
                    (options->two_pass == SPK_TWO_PASS_AUTO &&
                     spk_episode_two_pass_pays(run->engine, run->delays, options->n_delays));
    if (run->two_pass && run->engine->bound == NULL) /* two engines share the half */
        run->job.memory = (run->job.memory + 1) / 2;
}

/* Ranks make the same candidates in blocks of the same size, whatever memory each has. */
static spk_status agree(spk_context *context, episode_run *run)
{
    uint64_t *all = NULL;
    const spk_ranks *ranks = spk_context_ranks(context);
    if (ranks == NULL)
        return SPK_OK;
    spk_status status = spk_ranks_compare(context, "engine", run->choice.engine->name);
    if (status == SPK_OK)
        status = spk_alloc(context, &all, (uint64_t)ranks->n_ranks, "ranks");
    if (status == SPK_OK) {
        status = ranks->sizes(ranks->user, run->blocks_memory, all);
        for (int k = 0; k < ranks->n_ranks && status == SPK_OK; k++)
            run->blocks_memory = all[k] < run->blocks_memory ? all[k] : run->blocks_memory;
    }
    run->ranks = ranks;
    free(all);
    return status;
}

/* Whether the ranks share the recording, and with an engine that can. */
static spk_status divide(spk_context *context, const spk_episode_options *options,
                         const spk_recording *recording, uint64_t n_episodes, episode_run *run)
{
    const spk_ranks *ranks = spk_context_ranks(context);
    uint64_t n_events = spk_recording_counted_events(recording);
    const spk_engine_request asked = {.engine = options->engine};
    bool divided = recording->part.divided;
    spk_status status = SPK_OK;
    if (divided && (ranks == NULL || options->divide == SPK_DIVIDE_CANDIDATES))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a part of a recording is mined by ranks, divided by time; read the whole");
    run->by_time = ranks != NULL && (divided || options->divide == SPK_DIVIDE_TIME);
    if (!run->by_time)
        return SPK_OK;
    if (run->engine->resume == NULL && options->gpus == 0 && spk_engine_is_auto(&asked)) {
        spk_episode_options other = *options;
        other.engine = spk_engine_usual(SPK_EPISODES, false)->name;
        status = choose(context, &other, n_events, n_episodes, run);
    }
    return status == SPK_OK
               ? episode_stretch_check(context, ranks, run->choice.engine->name, run->engine,
                                       options->two_pass == SPK_TWO_PASS_ON)
               : status;
}

static spk_status lay_out(spk_context *context, const spk_recording *recording,
                          const spk_episode_options *options, episode_run *run)
{
    double start = spk_seconds_now();
    spk_status status =
        episode_layout_make(context, recording, options->n_delays, run->delays, &run->layout);
    if (status == SPK_OK && run->by_time)
        status = (recording->part.divided ? episode_stretch_adopt : episode_stretch_take)(
            context, spk_context_ranks(context), run->layout.recording, run->delays,
            options->n_delays, options->max_size, &run->stretch);
    if (status == SPK_OK)
        status = spk_memory_check_left(context);
    run->layout_s = spk_seconds_now() - start;
    return status;
}

spk_status episode_run_open(spk_context *context, const spk_recording *recording,
                            const spk_episode_options *options, uint64_t n_episodes,
                            episode_run **out)
{
    episode_run *run = NULL;
    *out = NULL;
    spk_status status = spk_delays_check(context, options->delays, options->n_delays);
    if (status == SPK_OK)
        status = spk_memory_check_left(context);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &run, 1, "a run");
    if (status != SPK_OK)
        return status;
    run->began = spk_seconds_now();
    status = choose(context, options, spk_recording_counted_events(recording), n_episodes, run);
    if (status == SPK_OK)
        status = divide(context, options, recording, n_episodes, run);
    if (status == SPK_OK)
        status = spk_delays_to_ticks(context, options->delays, options->n_delays,
                                     spk_recording_rate(recording), &run->delays);
    if (status == SPK_OK)
        status = lay_out(context, recording, options, run);
    if (status == SPK_OK) {
        make_job(context, options, run);
        status = agree(context, run);
    }
    if (status == SPK_OK)
        *out = run;
    else
        episode_run_close(run);
    return status;
}

void episode_run_close(episode_run *run)
{
    if (run == NULL)
        return;
    episode_opened_close(&run->exact);
    episode_opened_close(&run->relaxed);
    free(run->delays);
    free(run->relaxed_delays);
    episode_stretch_close(&run->stretch);
    episode_layout_free(&run->layout);
    free(run);
}

uint32_t episode_run_n_units(const episode_run *run)
{
    return spk_recording_events(run->layout.recording).n_units;
}

uint64_t episode_run_unit_count(const episode_run *run, uint32_t unit)
{
    spk_events events = spk_recording_events(run->layout.recording);
    return run->by_time ? run->stretch.unit_count[unit]
                        : events.unit_first[unit + 1] - events.unit_first[unit];
}

void episode_run_report(const episode_run *run, spk_status status, spk_episode_summary *summary)
{
    if (run == NULL)
        return;
    snprintf(summary->engine, sizeof summary->engine, "%s", run->choice.engine->name);
    summary->choice = run->choice.reason;
    summary->two_pass = run->two_pass;
    summary->gpus = run->choice.gpus;
    summary->complete = status == SPK_OK;
    summary->seconds = spk_seconds_now() - run->began;
    summary->phases = run->phases;
}

/* ---- a whole search -------------------------------------------------------------------------- */

bool episode_run_searches(const episode_run *run)
{
    return run->engine->mine != NULL && !run->two_pass && !run->by_time;
}

spk_status episode_run_search(spk_context *context, const episode_run *run, uint64_t support,
                              uint32_t max_size, spk_episode_sink *deliver, void *user)
{
    assert(episode_run_searches(run));
    spk_episode_search search = {.job = &run->job,
                                 .support = support,
                                 .max_size = max_size,
                                 .deliver = deliver,
                                 .user = user};
    return run->engine->mine(context, &search);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

spk_status episode_run_start(spk_context *context, episode_run *run)
{
    double start = spk_seconds_now();
    episode_devices devices = {run->choice.gpus, spk_gpus_enter, spk_gpus_leave};
    assert(run->exact.engine == NULL); /* once */
    spk_status status = episode_opened_open(context, run->engine, &run->job, &devices, &run->exact);
    if (status == SPK_OK && run->two_pass && run->engine->bound == NULL) {
        status = two_pass_relax(context, &run->job, &run->relaxed_delays, &run->relaxed_job);
        if (status == SPK_OK)
            status = episode_opened_open(context, run->engine, &run->relaxed_job, &devices,
                                         &run->relaxed);
    }
    run->phases.opening = run->layout_s + spk_seconds_now() - start;
    return status;
}

uint64_t episode_run_block_capacity(const episode_run *run, uint32_t size, uint64_t bytes_each)
{
    uint64_t inside =
        run->engine->bytes_per_episode != NULL ? run->engine->bytes_per_episode(size) : 0;
    uint64_t n = run->blocks_memory / (bytes_each + inside);
    n = n > MOST_EPISODES ? MOST_EPISODES : n;
    return n < FEWEST_EPISODES ? FEWEST_EPISODES : n;
}

void episode_run_spent(episode_run *run, double candidates_s)
{
    run->phases.candidates += candidates_s;
}

/* Counts, or bounds; ranks that share the recording do it together. */
static spk_status count_all(spk_context *context, episode_run *run, episode_opened *opened,
                            const spk_episode_block *block, bool bound, uint64_t *counts)
{
    return run->by_time ? episode_stretch_count(context, run->ranks, &run->stretch, opened, block,
                                                bound, counts)
                        : episode_opened_count(context, opened, block, bound, counts);
}

static spk_status first_pass(spk_context *context, episode_run *run, const spk_episode_block *block,
                             uint64_t *bounds)
{
    if (run->engine->bound != NULL)
        return count_all(context, run, &run->exact, block, true, bounds);
    /* The known counts of the prefixes are exact ones, too small for relaxed intervals. */
    spk_episode_block relaxed = *block;
    relaxed.prefix = NULL;
    relaxed.prefix_count = NULL;
    return count_all(context, run, &run->relaxed, &relaxed, false, bounds);
}

/* counts[] holds the bounds on entry. */
static spk_status second_pass(spk_context *context, episode_run *run,
                              const spk_episode_block *block, uint64_t *counts,
                              uint64_t *eliminated)
{
    two_pass_survivors survivors;
    spk_status status = two_pass_survivors_take(context, block, counts, &survivors);
    if (status == SPK_OK)
        status = count_all(context, run, &run->exact, &survivors.block, false, survivors.count);
    if (status == SPK_OK) {
        two_pass_survivors_spread(&survivors, block->n, counts);
        *eliminated += block->n - survivors.block.n;
    }
    two_pass_survivors_free(&survivors);
    return status;
}

/* Counts in this process, or by time in all. */
static spk_status count_here(spk_context *context, episode_run *run, const spk_episode_block *block,
                             uint64_t *counts, uint64_t *eliminated)
{
    double start = spk_seconds_now();
    bool two_pass = run->two_pass && block->size > 1 && block->support > 0;
    spk_status status = SPK_OK;
    if (two_pass) {
        status = first_pass(context, run, block, counts);
        run->phases.bounding += spk_seconds_now() - start;
        start = spk_seconds_now();
    }
    if (status == SPK_OK)
        status = two_pass ? second_pass(context, run, block, counts, eliminated)
                          : count_all(context, run, &run->exact, block, false, counts);
    run->phases.counting += spk_seconds_now() - start;
    return status;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* Takes pieces of the block, as long as there are some, and counts them. What it did goes to
 * *done: number of each piece, what the first pass dropped of it, counts. */
static spk_status count_pieces(spk_context *context, episode_run *run,
                               const spk_episode_block *block, const uint64_t *first, int n_pieces,
                               uint64_t *counts, spk_blob *done)
{
    const spk_ranks *ranks = run->ranks;
    spk_status status = ranks->begin(ranks->user);
    while (status == SPK_OK) {
        uint64_t piece = 0, dropped = 0;
        status = ranks->next(ranks->user, &piece);
        if (status != SPK_OK || piece >= (uint64_t)n_pieces)
            break;
        spk_episode_block part = episode_block_part(block, first[piece], first[piece + 1]);
        if (part.n > 0)
            status = count_here(context, run, &part, counts + first[piece], &dropped);
        if (status == SPK_OK)
            status = spk_blob_add_u64(context, done, piece);
        if (status == SPK_OK)
            status = spk_blob_add_u64(context, done, dropped);
        if (status == SPK_OK)
            status = spk_blob_add(context, done, counts + first[piece], part.n * sizeof *counts);
    }
    return status;
}

/* Puts what all ranks did in its place. */
static spk_status place_pieces(spk_context *context, const spk_exchanged *all, int n_ranks,
                               const uint64_t *first, int n_pieces, uint64_t *counts,
                               uint64_t *eliminated)
{
    for (int k = 0; k < n_ranks; k++) {
        spk_blob_reader bytes = spk_exchanged_of(all, k);
        uint64_t piece, dropped;
        while (spk_blob_take(&bytes, &piece, sizeof piece)) {
            if (piece >= (uint64_t)n_pieces || !spk_blob_take(&bytes, &dropped, sizeof dropped) ||
                !spk_blob_take(&bytes, counts + first[piece],
                               (first[piece + 1] - first[piece]) * sizeof *counts))
                return spk_ranks_fail(context, k);
            *eliminated += dropped;
        }
    }
    return SPK_OK;
}

/* Pieces for each rank: the last ones are small beside the whole. */
enum { PIECES_PER_RANK = 8 };

static spk_status count_shared(spk_context *context, episode_run *run,
                               const spk_episode_block *block, uint64_t *counts,
                               uint64_t *eliminated)
{
    spk_blob done = {.bytes = NULL};
    spk_exchanged all = {.bytes = NULL};
    uint64_t *first = NULL;
    int n_pieces = run->ranks->n_ranks * PIECES_PER_RANK;
    spk_status status = spk_alloc(context, &first, (uint64_t)n_pieces + 1, "pieces for ranks");
    if (status == SPK_OK)
        status = episode_block_split(context, &run->job, block, n_pieces, first);
    if (status == SPK_OK)
        status = count_pieces(context, run, block, first, n_pieces, counts, &done);
    if (status == SPK_OK)
        status = spk_ranks_exchange(context, run->ranks, &done, &all);
    if (status == SPK_OK)
        status =
            place_pieces(context, &all, run->ranks->n_ranks, first, n_pieces, counts, eliminated);
    spk_exchanged_free(&all);
    spk_blob_free(&done);
    free(first);
    return status;
}

spk_status episode_run_count(spk_context *context, episode_run *run, const spk_episode_block *block,
                             uint64_t *counts, uint64_t *eliminated)
{
    assert(run->exact.engine != NULL); /* episode_run_start was called */
    return run->ranks != NULL && !run->by_time
               ? count_shared(context, run, block, counts, eliminated)
               : count_here(context, run, block, counts, eliminated);
}
