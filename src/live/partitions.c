/* Partitions of a stream: what waits, who mines it and when, and what is skipped. */
#include "spikemine/partitions.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/deadline.h"
#include "base/memory.h"
#include "base/options.h"
#include "live/partition_feed.h"
#include "live/partition_mine.h"
#include "significance/exact/exact.h"

/* Most skipped partitions that wait to be told; the oldest ones beyond are only counted. */
enum { MOST_SKIPPED = 1024, MOST_RAISED = 20, FIRST_PATIENCE = 4, MOST_PATIENCE = 64 };

typedef enum entry_state { ENTRY_WAITING, ENTRY_RUNNING, ENTRY_DONE, ENTRY_SKIPPED } entry_state;

/* A partition on its way from due to taken. */
typedef struct entry {
    struct entry *next;
    entry_state state;
    partition_job job;
    bool copied; /* its spikes are no longer needed */
    uint32_t n_units;
    uint64_t skipped;             /* so far, when it was skipped */
    partition_finished *finished; /* DONE, or NULL where mining failed: */
    spk_status status;
    char *message; /* the failure, or why it was skipped; NULL: no memory was left for it */
} entry;

/* What keep_up goes by; partitions.h has the rule. */
typedef struct pace {
    uint32_t raised;
    uint32_t quiet;
    uint32_t patience;
    bool has_fallen;
    uint64_t skipped; /* when the partition before was begun */
} pace;

struct spk_partitions {
    spk_context *context;
    spk_live_stream *stream;
    spk_partitions_options options;
    partition_feed feed;   /* of the thread that pushes */
    partition_miner miner; /* of the one that mines */
    bool has_worker;
    pthread_t worker;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t work;  /* something waits, or the end has come */
    pthread_cond_t done;  /* something was finished, or makes room */
    bool closing;
    char **labels; /* copies, which the miner borrows */
    uint32_t n_labels;
    uint64_t labels_capacity;
    spk_holding holding; /* theirs */
    entry *first, *last;
    uint64_t n_waiting, n_done, n_told; /* entries by state; n_told: skipped ones */
    entry *running;
    double began_s; /* it, on the clock of spk_seconds_now */
    double took_s;  /* the one before */
    bool testing;
    pace pace;
    spk_partition_totals totals;
    entry *taken; /* of the last call of take */
    spk_partition_result skipped_result;
};

/* ---- entries --------------------------------------------------------------------------------- */

static void entry_free(entry *e)
{
    if (e == NULL)
        return;
    partition_job_free(&e->job);
    partition_finished_free(e->finished);
    free(e->message);
    free(e);
}

static void append(spk_partitions *p, entry *e)
{
    if (p->last != NULL)
        p->last->next = e;
    else
        p->first = e;
    p->last = e;
}

static entry *pop(spk_partitions *p)
{
    entry *e = p->first;
    p->first = e->next;
    if (p->first == NULL)
        p->last = NULL;
    e->next = NULL;
    return e;
}

static entry *first_in(const spk_partitions *p, entry_state state)
{
    entry *e = p->first;
    while (e != NULL && e->state != state)
        e = e->next;
    return e;
}

/* Drops the oldest one of those that were skipped and never taken. */
static void forget_skipped(spk_partitions *p)
{
    entry *before = NULL, *e = p->first;
    for (; e->state != ENTRY_SKIPPED; e = e->next)
        before = e;
    if (before != NULL)
        before->next = e->next;
    else
        p->first = e->next;
    if (p->last == e)
        p->last = before;
    p->n_told--;
    entry_free(e);
}

/* The entry may be gone afterwards. */
static void skip(spk_partitions *p, entry *e, const char *why)
{
    e->state = ENTRY_SKIPPED;
    e->skipped = ++p->totals.skipped;
    e->copied = true;
    (void)spk_strdup(NULL, &e->message, why);
    partition_job_free(&e->job);
    if (++p->n_told > MOST_SKIPPED)
        forget_skipped(p);
}

static void skip_oldest(spk_partitions *p)
{
    char why[192], takes[48] = "";
    const double so_far_s = p->running != NULL ? spk_seconds_now() - p->began_s : 0;
    const double takes_s = so_far_s > p->took_s ? so_far_s : p->took_s;
    if (takes_s > 0)
        snprintf(takes, sizeof takes, ": one partition takes %.3g s", takes_s);
    snprintf(
        why, sizeof why,
        "mining fell behind%s; raise --support or --step, shorten the delays, or let --keep-up "
        "raise the support",
        takes);
    p->n_waiting--;
    skip(p, first_in(p, ENTRY_WAITING), why);
}

/* ---- keeping up ------------------------------------------------------------------------------ */

/* So many partitions waiting mean that mining is behind. */
static uint64_t behind_from(const spk_partitions *p)
{
    return p->options.backlog > 1 ? p->options.backlog / 2 : 1;
}

static uint32_t pace_begin(spk_partitions *p)
{
    pace *c = &p->pace;
    bool behind = p->n_waiting >= behind_from(p) || p->totals.skipped > c->skipped;
    c->skipped = p->totals.skipped;
    if (!p->options.keep_up || !behind)
        return c->raised;
    if (c->has_fallen && c->patience < MOST_PATIENCE)
        c->patience *= 2;
    c->has_fallen = false;
    c->quiet = 0;
    c->raised += c->raised < MOST_RAISED;
    return c->raised;
}

static void pace_end(spk_partitions *p)
{
    pace *c = &p->pace;
    c->quiet = p->n_waiting == 0 ? c->quiet + 1 : 0;
    if (c->raised == 0 || c->quiet < c->patience)
        return;
    c->raised--;
    c->quiet = 0;
    c->has_fallen = true;
}

/* ---- mining ---------------------------------------------------------------------------------- */

static void note_copied(void *user)
{
    spk_partitions *p = user;
    pthread_mutex_lock(&p->lock);
    p->running->copied = true;
    pthread_mutex_unlock(&p->lock);
}

/* Whether the test has to be left out; from here on it may be cancelled. */
static uint64_t tell_behind(void *user)
{
    spk_partitions *p = user;
    pthread_mutex_lock(&p->lock);
    uint64_t waiting = p->n_waiting;
    bool behind = !p->options.wait && waiting >= behind_from(p);
    p->testing = !behind;
    pthread_mutex_unlock(&p->lock);
    return behind ? waiting : 0;
}

static void keep_result(spk_partitions *p, entry *e, spk_status status,
                        partition_finished *finished)
{
    e->state = ENTRY_DONE;
    e->status = status;
    e->finished = finished;
    if (status != SPK_OK) /* without memory the status alone tells */
        (void)spk_strdup(NULL, &e->message, spk_context_message(p->miner.context));
    partition_job_free(&e->job);
    p->n_done++;
    p->totals.mined++;
    p->totals.failed += status != SPK_OK;
    if (finished != NULL) {
        finished->result.waiting = p->n_waiting;
        finished->result.skipped = p->totals.skipped;
        p->totals.tested += finished->result.p != NULL;
        p->totals.untimely += finished->untimely;
        p->totals.rest += finished->result.state == SPK_PARTITION_CUT &&
                          finished->result.p == NULL && !finished->untimely;
    }
}

static void finish(spk_partitions *p, entry *e, spk_status status, partition_finished *finished)
{
    p->testing = false;
    spk_context_cancel_clear(p->miner.testing);
    p->running = NULL;
    p->took_s = spk_seconds_now() - p->began_s;
    p->totals.interrupted += status == SPK_ERR_CANCELLED;
    if (status == SPK_ERR_CANCELLED)
        skip(p, e, "the run was interrupted before this partition was mined");
    else if (status == SPK_ERR_MEMORY)
        skip(p, e, spk_context_message(p->miner.context));
    else
        keep_result(p, e, status, finished);
    pace_end(p);
    pthread_cond_broadcast(&p->done);
}

/* Mines the oldest partition that waits, without the lock, which is held before and after. */
static void mine_next(spk_partitions *p)
{
    entry *e = first_in(p, ENTRY_WAITING);
    const char **labels = NULL;
    partition_finished *finished = NULL;
    const partition_calls calls = {p, note_copied, tell_behind};
    e->state = ENTRY_RUNNING;
    p->running = e;
    p->began_s = spk_seconds_now();
    p->n_waiting--;
    uint32_t raised = pace_begin(p);
    spk_status status = spk_alloc(p->miner.context, &labels, e->n_units, "units of a stream");
    for (uint32_t u = 0; u < e->n_units && status == SPK_OK; u++)
        labels[u] = p->labels[u];
    pthread_cond_broadcast(&p->done); /* there is room for one more */
    pthread_mutex_unlock(&p->lock);
    if (status == SPK_OK)
        status = partition_mine(&p->miner, &e->job, e->n_units, labels, raised, &calls, &finished);
    free(labels);
    pthread_mutex_lock(&p->lock);
    e->copied = true;
    finish(p, e, status, finished);
}

/* Results that nobody takes are not piled up, unless nothing may be skipped. */
static bool may_mine(const spk_partitions *p)
{
    return p->n_waiting > 0 && (p->options.wait || p->n_done < p->options.backlog);
}

static void *work(void *user)
{
    spk_partitions *p = user;
    pthread_mutex_lock(&p->lock);
    while (!p->closing) {
        if (may_mine(p))
            mine_next(p);
        else
            pthread_cond_wait(&p->work, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- the stream ------------------------------------------------------------------------------ */

static spk_status copy_labels(spk_partitions *p)
{
    uint32_t n = spk_live_stream_n_units(p->stream);
    if (n == p->n_labels)
        return SPK_OK;
    const spk_stage stage = spk_stage_open(p->context);
    spk_status status = spk_grow(p->context, &p->labels, &p->labels_capacity, n, "unit labels");
    while (status == SPK_OK && p->n_labels < n) {
        status = spk_strdup(p->context, &p->labels[p->n_labels],
                            spk_live_stream_label(p->stream, p->n_labels));
        p->n_labels += status == SPK_OK;
    }
    spk_stage_keep(p->context, &stage, &p->holding);
    return status;
}

/* Makes room for one more; the lock is held. */
static void make_room(spk_partitions *p)
{
    while (p->n_waiting >= p->options.backlog) {
        if (!p->options.wait)
            skip_oldest(p);
        else if (p->has_worker)
            pthread_cond_wait(&p->done, &p->lock);
        else
            mine_next(p);
    }
}

/* A partition_due. */
static spk_status enqueue(void *user, partition_job *job)
{
    spk_partitions *p = user;
    entry *e = NULL;
    spk_status status = spk_alloc_zero(p->context, &e, 1, "a partition");
    if (status != SPK_OK) {
        partition_job_free(job);
        return status;
    }
    e->job = *job;
    pthread_mutex_lock(&p->lock);
    status = copy_labels(p);
    if (status == SPK_OK) {
        make_room(p);
        e->n_units = p->n_labels;
        append(p, e);
        p->n_waiting++;
        p->totals.due++;
        if (p->testing && !p->options.wait && p->n_waiting >= behind_from(p))
            spk_context_cancel(p->miner.testing);
        pthread_cond_signal(&p->work);
    } else {
        entry_free(e);
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* The first spike that a partition still needs which waits or is being copied. */
static uint64_t first_needed(const spk_partitions *p)
{
    for (const entry *e = p->first; e != NULL; e = e->next)
        if (!e->copied && e->job.span.n > 0)
            return e->job.span.first;
    return UINT64_MAX;
}

/* A spk_live_batch_sink. */
static spk_status take_batch(void *user, const spk_live_batch *batch)
{
    spk_partitions *p = user;
    spk_status status = partition_feed_take(&p->feed, batch);
    pthread_mutex_lock(&p->lock);
    uint64_t needed = first_needed(p);
    p->totals.passed = p->feed.passed;
    pthread_mutex_unlock(&p->lock);
    partition_events_release(p->context, &p->feed.events, needed);
    pthread_mutex_lock(&p->lock);
    p->totals.events_held = partition_events_held(&p->feed.events);
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Waits for the worker; false when the time is over. */
static bool wait_for_worker(spk_partitions *p, int timeout_ms, const struct timespec *deadline)
{
    if (timeout_ms == 0)
        return false;
    if (timeout_ms < 0)
        return pthread_cond_wait(&p->done, &p->lock) == 0;
    return spk_wait_until(&p->done, &p->lock, deadline);
}

/* The first entry once it is finished, NULL where it is not in time. */
static entry *next_finished(spk_partitions *p, int timeout_ms)
{
    struct timespec deadline = spk_time_from_now(timeout_ms / 1000.0);
    while (p->first != NULL) {
        if (p->first->state == ENTRY_DONE || p->first->state == ENTRY_SKIPPED)
            return pop(p);
        if (!p->has_worker)
            mine_next(p);
        else if (!wait_for_worker(p, timeout_ms, &deadline))
            return NULL;
    }
    return NULL;
}

static const spk_partition_result *describe_skipped(spk_partitions *p, const entry *e)
{
    p->skipped_result = (spk_partition_result){
        .number = e->job.number,
        .series = e->job.series,
        .slice = e->job.slice,
        .n_events = e->job.span.n,
        .state = SPK_PARTITION_SKIPPED,
        .why = e->message != NULL ? e->message : spk_status_text(SPK_ERR_MEMORY),
        .n_units = e->n_units,
        .tested = "skipped",
        .skipped = e->skipped,
        .passed = e->job.passed,
        .engine = ""};
    return &p->skipped_result;
}

spk_status spk_partitions_take(spk_context *context, spk_partitions *p, int timeout_ms,
                               const spk_partition_result **out)
{
    *out = NULL;
    pthread_mutex_lock(&p->lock);
    entry_free(p->taken);
    p->taken = NULL;
    entry *e = p->taken = next_finished(p, timeout_ms);
    if (e != NULL && e->state == ENTRY_DONE)
        p->n_done--;
    else if (e != NULL)
        p->n_told--;
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
    if (e == NULL)
        return SPK_OK;
    if (e->state == ENTRY_SKIPPED)
        *out = describe_skipped(p, e);
    else if (e->status == SPK_OK)
        *out = &e->finished->result;
    else
        return spk_fail(context, e->status, "%s",
                        e->message != NULL ? e->message : spk_status_text(e->status));
    return SPK_OK;
}

spk_partition_totals spk_partitions_totals(const spk_partitions *partitions)
{
    spk_partitions *p = (spk_partitions *)partitions; /* for the lock */
    pthread_mutex_lock(&p->lock);
    spk_partition_totals totals = p->totals;
    totals.waiting = p->n_waiting + (p->running != NULL);
    totals.raised = p->pace.raised;
    pthread_mutex_unlock(&p->lock);
    return totals;
}

/* ---- life ------------------------------------------------------------------------------------ */

SPK_OPTIONS_INIT(spk_partitions_options, .length = {.digits = 6, .exponent = 1},
                 .step = {.digits = 5}, .surrogates = 199, .alpha = SPK_USUAL_ALPHA,
                 .null_window = {.digits = 25, .exponent = -3}, .backlog = 4,
                 .history = {-1, 0, 0});

static spk_status check_options(spk_context *context, const spk_partitions_options *o)
{
    uint64_t support = 1;
    if (o->episodes == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "no episodes to search partitions for; set the options' field episodes");
    if (o->backlog < 1 || o->backlog > SPK_PARTITIONS_MAX_BACKLOG)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%" PRIu32 " partitions are to wait at most; give 1 to %u", o->backlog,
                        SPK_PARTITIONS_MAX_BACKLOG);
    if (o->exact_test && o->surrogates == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "an exact test of partitions needs surrogates; give at least 1");
    if (o->exact_test && !(o->alpha > 0 && o->alpha < 1))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the level of the test of partitions is %g; give one between 0 and 1",
                        o->alpha);
    if (o->exact_test &&
        (o->null_window.digits <= 0 || o->null_window.exponent == SPK_DURATION_INFINITE))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the window of the null hypothesis must be above 0 and finite, such as "
                        "25ms");
    return o->support_text != NULL
               ? spk_episode_support_parse(context, NULL, o->support_text, &support)
               : SPK_OK;
}

/* Everything that the options point to becomes the miner's own. */
static spk_status copy_options(spk_context *context, const spk_partitions_options *options,
                               partition_miner *miner)
{
    spk_episode_options *own = &miner->episodes;
    spk_delay *delays = NULL;
    char *engine = NULL;
    const exact_null *null = NULL;
    spk_status status = SPK_OPTIONS_TAKE(context, options->episodes, own, spk_episode_options);
    if (status != SPK_OK) {
        *own = (spk_episode_options){.struct_size = 0};
        return status;
    }
    const spk_episode_options given = *own;
    own->delays = NULL;
    own->engine = NULL;
    status = spk_alloc(context, &delays, given.n_delays, "delay intervals");
    if (status == SPK_OK)
        status = spk_strdup(context, &engine, given.engine);
    if (status == SPK_OK)
        status = spk_strdup(context, &miner->support_text, options->support_text);
    for (size_t k = 0; status == SPK_OK && k < given.n_delays; k++)
        delays[k] = given.delays[k];
    own->delays = delays;
    own->engine = engine;
    spk_exact_options_init(&miner->exact, sizeof miner->exact);
    miner->exact.seed = options->seed;
    miner->exact.n_surrogates = options->exact_test ? options->surrogates : 0;
    miner->exact.history = options->history;
    miner->exact.null = options->null; /* NULL: each partition has its own choice */
    if (status == SPK_OK && options->null != NULL)
        status = spk_exact_null_find(context, NULL, &miner->exact, &null);
    if (null != NULL)
        miner->exact.null = null->facts.name;
    miner->null_window = options->null_window;
    miner->alpha = options->alpha;
    return status;
}

/* What is wrong with the options of the test, such as jitter of less than two ticks. */
static spk_status try_test(spk_context *context, const partition_miner *miner,
                           const spk_recording *nothing)
{
    spk_exact_options exact = miner->exact;
    spk_maxima *maxima = NULL;
    if (exact.n_surrogates == 0 || (exact.null != NULL && strcmp(exact.null, "trials") == 0))
        return SPK_OK; /* trials are not there yet */
    exact.n_surrogates = 1;
    exact.episodes = &miner->episodes;
    exact.jitter = &miner->null_window;
    exact.n_jitter = 1;
    spk_status status = spk_exact_run(context, nothing, &exact, &maxima);
    spk_maxima_free(maxima);
    return status;
}

/* A search of nothing finds what is wrong with the options before the first partition does. */
static spk_status try_search(spk_context *context, const partition_miner *miner)
{
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.rate = miner->rate;
    spk_recording *nothing = NULL;
    spk_status status = spk_recording_create(context, &source, &nothing);
    if (status == SPK_OK)
        status = spk_episode_mine(context, nothing, &miner->episodes, NULL, NULL, NULL);
    if (status == SPK_OK)
        status = try_test(context, miner, nothing);
    spk_recording_free(nothing);
    return status;
}

static spk_status make_miner(spk_context *context, const spk_partitions_options *options,
                             spk_rate rate, partition_miner *miner)
{
    miner->rate = rate;
    miner->of = context;
    spk_status status = copy_options(context, options, miner);
    if (status == SPK_OK)
        status = try_search(context, miner);
    if (status == SPK_OK)
        status = spk_context_create_child(context, &miner->context);
    if (status != SPK_OK)
        return status;
    spk_context_hush(miner->context);
    miner->threads = spk_context_threads(miner->context);
    return spk_context_create_child(miner->context, &miner->testing);
}

static void make_locks(spk_partitions *p)
{
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    spk_timed_condition_init(&p->done);
}

static spk_status start_worker(spk_partitions *p)
{
    if (!p->options.worker)
        return SPK_OK;
    int error = pthread_create(&p->worker, NULL, work, p);
    if (error != 0)
        return spk_fail(p->context, SPK_ERR_MEMORY, "cannot start a thread for partitions: %s",
                        strerror(error));
    p->has_worker = true;
    return SPK_OK;
}

static spk_status open_partitions(spk_partitions *p, const spk_partitions_options *options)
{
    spk_rate rate = spk_live_stream_rate(p->stream);
    p->feed = (partition_feed){
        .context = p->context, .rate = rate, .due = enqueue, .user = p, .end = INT64_MIN};
    p->pace.patience = FIRST_PATIENCE;
    make_locks(p);
    spk_status status =
        partition_grid_make(p->context, options->length, options->step, rate, &p->feed.grid);
    if (status == SPK_OK)
        status = make_miner(p->context, options, rate, &p->miner);
    if (status == SPK_OK)
        status = start_worker(p);
    return status == SPK_OK ? spk_live_stream_add_sink(p->context, p->stream, take_batch, p)
                            : status;
}

spk_status spk_partitions_create(spk_context *context, spk_live_stream *stream,
                                 const spk_partitions_options *given, spk_partitions **out)
{
    *out = NULL;
    spk_partitions *p = NULL;
    spk_partitions_options options;
    spk_status status = SPK_OPTIONS_TAKE(context, given, &options, spk_partitions_options);
    if (status == SPK_OK)
        status = check_options(context, &options);
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &p, 1, "partitions");
    if (status != SPK_OK)
        return status;
    p->context = context;
    p->stream = stream;
    p->options = options;
    p->options.episodes = NULL; /* the miner has copies */
    p->options.support_text = NULL;
    status = open_partitions(p, &options);
    if (status == SPK_OK)
        *out = p;
    else
        spk_partitions_free(p);
    return status;
}

static void end_worker(spk_partitions *p)
{
    if (!p->has_worker)
        return;
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    spk_context_cancel(p->miner.context);
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->worker, NULL);
}

void spk_partitions_free(spk_partitions *p)
{
    if (p == NULL)
        return;
    spk_live_stream_remove_sink(p->stream, take_batch, p);
    end_worker(p);
    while (p->first != NULL)
        entry_free(pop(p));
    entry_free(p->taken);
    partition_miner_close(&p->miner);
    partition_feed_free(&p->feed);
    for (uint32_t u = 0; u < p->n_labels; u++)
        free(p->labels[u]);
    spk_holding_release(&p->holding);
    free(p->labels);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
