/*
 * The run: surrogates of a shard through the queue of work, with a checkpoint.
 *
 * Each surrogate has a slot, which is empty, or holds its maxima. Threads fill slots; the caller's
 * thread copies what is filled and writes the checkpoint. A run that goes on fills the slots of the
 * checkpoint first, and queues the others.
 *
 * Ranks share the queue (distribute/queue.h). Rank 0 writes the checkpoint under its name, rank 3
 * under FILE.rank-3; each has what it did itself, and what was there before. A run that goes on
 * reads all of them, whatever its number of ranks is. When all is done rank 0 has everything, and
 * removes the files of the others.
 *
 * Invariant: a slot is filled once, and never changes then; so what is copied for the
 * checkpoint is complete whatever threads do meanwhile. Cost: a checkpoint writes all that is done,
 * at most a twentieth of the time.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/temporary_list.h"
#include "distribute/queue.h"
#include "significance/maxima/maxima.h"
#include "spikemine/files.h"
#include "spikemine/ranks.h"

/* Begins as zeros; an owner without a path holds nothing. */
typedef struct run_owner {
    char *path; /* of the lock's file */
    int file;
    spk_temporary_slot *slot; /* so that a signal handler removes the file */
} run_owner;

/* ---- who owns a run -------------------------------------------------------------------------- */

/* Whether the open file still has this name: its owner may have removed it in between. */
static bool has_name(int file, const char *path)
{
    struct stat open, named;
    return fstat(file, &open) == 0 && stat(path, &named) == 0 && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
}

/* The locked file; -1 where there is none, *busy: because another one has it. */
static int lock_file(const char *path, bool *busy)
{
    *busy = false;
    for (;;) {
        int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (file < 0)
            return -1;
        if (flock(file, LOCK_EX | LOCK_NB) != 0) {
            *busy = errno == EWOULDBLOCK;
            close(file);
            return -1;
        }
        if (has_name(file, path))
            return file;
        close(file);
    }
}

/* A file with content is none of ours. */
static bool is_empty(int file)
{
    struct stat info;
    return fstat(file, &info) == 0 && info.st_size == 0;
}

/* SPK_ERR_IO where another one is the owner. Where no file can be made beside the checkpoint
 * nothing is held: the writing of the checkpoint tells why. */
static spk_status become_owner(spk_context *context, const char *checkpoint, run_owner *owner)
{
    static const char ending[] = ".lock";
    const size_t length = strlen(checkpoint);
    bool busy;
    spk_status status =
        spk_alloc(context, &owner->path, length + sizeof ending, "the name of a file");
    if (status != SPK_OK)
        return status;
    memcpy(owner->path, checkpoint, length);
    memcpy(owner->path + length, ending, sizeof ending);
    owner->file = lock_file(owner->path, &busy);
    if (owner->file >= 0) {
        if (is_empty(owner->file))
            owner->slot =
                spk_temporary_list_add(spk_context_temporaries(context), AT_FDCWD, owner->path);
        return SPK_OK;
    }
    free(owner->path);
    owner->path = NULL;
    return busy ? spk_fail(context, SPK_ERR_IO,
                           "%s: another process is writing this checkpoint; wait for its end, or "
                           "take another file for the checkpoint",
                           checkpoint)
                : SPK_OK;
}

static void leave_owner(run_owner *owner)
{
    if (owner->path == NULL)
        return;
    /* Before the lock ends, so that it is removed for sure that has no other owner. */
    spk_temporary_list_remove(owner->slot);
    if (is_empty(owner->file))
        unlink(owner->path);
    close(owner->file);
    free(owner->path);
    *owner = (run_owner){.path = NULL};
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Seconds between two checkpoints: short at first, as long as this in the end, and never so short
 * that writing takes more than a twentieth of the time. */
static const double FIRST_PERIOD_S = 0.1;
static const double LONGEST_PERIOD_S = 10;
static const double TIMES_WRITING = 20;

enum { RANK_FILES_MISSING = 64 };

/* Entries of one surrogate. */
typedef struct slot {
    spk_maxima_entry *entry; /* NULL: not there yet, also where n is 0 */
    size_t n;
    bool ours; /* this rank did it in this run */
} slot;

typedef struct run {
    spk_maxima_find *find;
    const void *user;
    const char *given; /* the checkpoint as the caller named it, NULL: none */
    char *checkpoint;  /* that of this rank */
    run_owner owner;   /* of the checkpoint */
    spk_maxima_part part;
    uint64_t n_slots;
    slot *slot;
    uint64_t *todo; /* slots that are empty at the beginning */
    uint64_t n_todo;
    pthread_mutex_t lock; /* of what follows, and of the slots */
    uint64_t n_done;
    uint64_t n_entries;
    spk_context *context;
    spk_holding holding;
    uint64_t n_saved; /* of n_done; from here on the caller's thread only */
    double saved_at;
    double period;
} run;

/* ---- slots ----------------------------------------------------------------------------------- */

/* Under the lock, or while no thread works. */
static void fill_slot(run *r, uint64_t s, spk_maxima_entry *entry, size_t n, bool ours)
{
    assert(r->slot[s].entry == NULL && entry != NULL);
    r->slot[s] = (slot){entry, n, ours};
    r->n_done++;
    r->n_entries += n;
    spk_holding_set(r->context, &r->holding,
                    r->n_slots * sizeof *r->slot + r->n_entries * sizeof *entry);
}

/* What the slots hold now. */
static spk_status collect(spk_context *context, run *r, spk_maxima **out)
{
    pthread_mutex_lock(&r->lock);
    spk_status status = spk_maxima_create(context, &r->part, r->n_done, r->n_entries, out);
    spk_maxima *maxima = *out;
    for (uint64_t s = 0, i = 0; status == SPK_OK && s < r->n_slots; s++) {
        const slot *from = &r->slot[s];
        if (from->entry == NULL)
            continue;
        maxima->surrogate[i] = spk_maxima_shard_surrogate(&r->part, s);
        if (from->n > 0)
            memcpy(maxima->entry + maxima->first[i], from->entry, from->n * sizeof *from->entry);
        maxima->first[i + 1] = maxima->first[i] + from->n;
        i++;
    }
    pthread_mutex_unlock(&r->lock);
    return status;
}

/* ---- one surrogate --------------------------------------------------------------------------- */

static spk_status do_surrogate(spk_context *own, uint64_t task, void *user)
{
    run *r = user;
    uint64_t s = r->todo[task];
    spk_maxima_entry *entry = NULL;
    size_t n = 0;
    spk_status status = r->find(own, r->user, spk_maxima_shard_surrogate(&r->part, s), &entry, &n);
    if (status != SPK_OK)
        return status;
    pthread_mutex_lock(&r->lock);
    fill_slot(r, s, entry, n, true);
    pthread_mutex_unlock(&r->lock);
    return SPK_OK;
}

/* ---- the checkpoint -------------------------------------------------------------------------- */

static uint64_t count_done(run *r)
{
    pthread_mutex_lock(&r->lock);
    uint64_t n = r->n_done;
    pthread_mutex_unlock(&r->lock);
    return n;
}

static spk_status save(spk_context *context, run *r)
{
    const char *path = r->checkpoint;
    spk_maxima *maxima = NULL;
    double begin = spk_seconds_now();
    spk_status status = collect(context, r, &maxima);
    if (status == SPK_OK) {
        r->n_saved = maxima->n;
        status = spk_maxima_write_own(context, maxima, path);
    }
    spk_maxima_free(maxima);
    r->saved_at = spk_seconds_now();
    double least = TIMES_WRITING * (r->saved_at - begin);
    r->period = 2 * r->period < LONGEST_PERIOD_S ? 2 * r->period : LONGEST_PERIOD_S;
    r->period = r->period > least ? r->period : least;
    return status;
}

static spk_status save_now_and_then(spk_context *context, void *user)
{
    run *r = user;
    if (r->checkpoint == NULL || spk_seconds_now() - r->saved_at < r->period ||
        count_done(r) == r->n_saved)
        return SPK_OK;
    return save(context, r);
}

/* A file beside which another one can be made and take its name. */
static spk_status check_name(spk_context *context, const char *path)
{
    bool has_name = false;
    spk_status status = spk_file_has_name(context, path, &has_name);
    if (status == SPK_OK && !has_name)
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "%s: a checkpoint must be a file, which can be replaced", path);
    return status;
}

static spk_status check_checkpoint(spk_context *context, const run *r, const char *path,
                                   const spk_maxima *old)
{
    const spk_maxima_part *a = &old->part, *b = &r->part;
    spk_status status =
        spk_maxima_compare_jobs(context, path, a->job, "this job", b->job,
                                "take the same options, or another file for the checkpoint");
    if (status == SPK_OK && (a->shard != b->shard || a->n_shards != b->n_shards))
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "%s: is of shard %" PRIu32 "/%" PRIu32 ", and this is shard %" PRIu32
                          "/%" PRIu32 "; take another file for the checkpoint",
                          path, a->shard, a->n_shards, b->shard, b->n_shards);
    if (status == SPK_OK && a->n_surrogates > b->n_surrogates)
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "%s: is of a job of %" PRIu64 " surrogates, more than the %" PRIu64
                          " of this one; take another file for the checkpoint",
                          path, a->n_surrogates, b->n_surrogates);
    return status;
}

/* Copies entries into an empty slot. */
static spk_status copy_into(spk_context *context, run *r, uint64_t s, const void *entries, size_t n)
{
    spk_maxima_entry *entry = NULL;
    spk_status status = spk_alloc(context, &entry, n, "maxima");
    if (status == SPK_OK && n > 0)
        memcpy(entry, entries, n * sizeof *entry);
    if (status == SPK_OK)
        fill_slot(r, s, entry, n, false);
    return status;
}

/* Fills the slots that the checkpoint has. */
static spk_status take_old(spk_context *context, run *r, const spk_maxima *old)
{
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < old->n && status == SPK_OK; i++) {
        uint64_t s = (old->surrogate[i] - r->part.shard) / r->part.n_shards;
        if (r->slot[s].entry == NULL) /* else the file of another rank had it */
            status = copy_into(context, r, s, old->entry + old->first[i],
                               (size_t)(old->first[i + 1] - old->first[i]));
    }
    return status;
}

static spk_status resume_from(spk_context *context, run *r, const char *path, bool *there)
{
    struct stat info;
    spk_maxima *old = NULL;
    *there = stat(path, &info) == 0 || errno != ENOENT;
    if (!*there)
        return SPK_OK;
    spk_status status = spk_maxima_read(context, path, &old);
    if (status == SPK_OK)
        status = check_checkpoint(context, r, path, old);
    if (status == SPK_OK)
        status = take_old(context, r, old);
    spk_maxima_free(old);
    return status;
}

/* FILE.rank-3; free() frees it. */
static spk_status name_of_rank(spk_context *context, const char *path, int rank, char **out)
{
    size_t room = strlen(path) + 32;
    spk_status status = spk_alloc(context, out, room, "the name of a checkpoint");
    if (status == SPK_OK)
        snprintf(*out, room, rank > 0 ? "%s.rank-%d" : "%s", path, rank);
    return status;
}

/* And the lock that a rank leaves when it is killed. */
static bool remove_rank_file(const char *path)
{
    char lock[PATH_MAX];
    bool there = unlink(path) == 0;
    int n = snprintf(lock, sizeof lock, "%s.lock", path);
    if (n > 0 && n < (int)sizeof lock)
        (void)unlink(lock);
    return there;
}

/* Does something with the files that ranks left; where many numbers in turn have none, none is
 * left. */
static spk_status each_rank_file(spk_context *context, run *r, bool remove)
{
    spk_status status = SPK_OK;
    for (int k = 1, missing = 0; missing < RANK_FILES_MISSING && status == SPK_OK; k++) {
        char *path = NULL;
        bool there = false;
        status = name_of_rank(context, r->given, k, &path);
        if (status == SPK_OK && remove)
            there = remove_rank_file(path);
        else if (status == SPK_OK)
            status = resume_from(context, r, path, &there);
        missing = there ? 0 : missing + 1;
        free(path);
    }
    return status;
}

/* All ranks must have read the same: what is to be done has a number that all know it by. */
static spk_status agree(spk_context *context, const run *r)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64, r->n_done, r->n_slots);
    return spk_ranks_compare(context, "state of the checkpoint", text);
}

static spk_status resume(spk_context *context, run *r)
{
    bool there = false;
    spk_status status = resume_from(context, r, r->given, &there);
    if (status == SPK_OK)
        status = each_rank_file(context, r, false);
    if (status == SPK_OK && r->n_done > 0)
        spk_note(context, "%s: %" PRIu64 " of %" PRIu64 " surrogates are there already", r->given,
                 r->n_done, r->n_slots);
    return status == SPK_OK ? agree(context, r) : status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Threads begin after this: slots are filled from the checkpoint without the lock. */
static spk_status open_run(spk_context *context, run *r)
{
    const char *path = r->given;
    r->n_slots = spk_maxima_shard_size(&r->part);
    spk_status status =
        spk_alloc_columns(context, "surrogates", SPK_COLUMN_ZERO(&r->slot, r->n_slots),
                          SPK_COLUMN(&r->todo, r->n_slots));
    if (status == SPK_OK && path != NULL)
        status = check_name(context, path);
    if (status == SPK_OK && path != NULL)
        status = name_of_rank(context, path, spk_context_rank(context), &r->checkpoint);
    if (status == SPK_OK && path != NULL)
        status = become_owner(context, r->checkpoint, &r->owner);
    if (status == SPK_OK && path != NULL)
        status = resume(context, r);
    if (status != SPK_OK)
        return status;
    for (uint64_t s = 0; s < r->n_slots; s++)
        if (r->slot[s].entry == NULL)
            r->todo[r->n_todo++] = s;
    r->period = FIRST_PERIOD_S;
    /* Whether it can be written is told before the work. */
    return path != NULL && r->n_todo > 0 ? save(context, r) : SPK_OK;
}

static void close_run(run *r)
{
    for (uint64_t s = 0; r->slot != NULL && s < r->n_slots; s++)
        free(r->slot[s].entry);
    spk_free_all(r->slot, r->todo, r->checkpoint);
    leave_owner(&r->owner);
    spk_holding_release(&r->holding);
    pthread_mutex_destroy(&r->lock);
}

/* What an interrupted run leaves, in place of "interrupted". */
static spk_status tell_cancelled(spk_context *context, const run *r)
{
    const char *path = r->given;
    if (path != NULL)
        return spk_fail(context, SPK_ERR_CANCELLED,
                        "interrupted after %" PRIu64 " of %" PRIu64 " surrogates, which %s keeps; "
                        "the same command goes on from there",
                        r->n_saved, r->n_slots, path);
    return spk_fail(context, SPK_ERR_CANCELLED,
                    "interrupted after %" PRIu64 " of %" PRIu64 " surrogates; --checkpoint FILE "
                    "would have kept them",
                    r->n_done, r->n_slots);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static spk_status pack_slots(spk_context *context, void *user, spk_blob *out)
{
    const run *r = user;
    spk_status status = SPK_OK;
    for (uint64_t s = 0; s < r->n_slots && status == SPK_OK; s++) {
        const slot *from = &r->slot[s];
        if (!from->ours)
            continue;
        status = spk_blob_add_u64(context, out, s);
        if (status == SPK_OK)
            status = spk_blob_add_u64(context, out, from->n);
        if (status == SPK_OK)
            status = spk_blob_add(context, out, from->entry, from->n * sizeof *from->entry);
    }
    return status;
}

static spk_status unpack_slots(spk_context *context, void *user, spk_blob_reader *bytes)
{
    run *r = user;
    uint64_t s, n;
    spk_status status = SPK_OK;
    while (status == SPK_OK && spk_blob_take(bytes, &s, sizeof s)) {
        if (!spk_blob_take(bytes, &n, sizeof n) || s >= r->n_slots || r->slot[s].entry != NULL ||
            n > (uint64_t)(bytes->end - bytes->at) / sizeof(spk_maxima_entry))
            return SPK_ERR_FORMAT;
        status = copy_into(context, r, s, bytes->at, (size_t)n);
        bytes->at += n * sizeof(spk_maxima_entry);
    }
    return status;
}

/* The whole checkpoint is in the hands of rank 0, and the files of the others go. */
static spk_status close_ranks(spk_context *context, run *r)
{
    spk_status status = r->n_done > r->n_saved ? save(context, r) : SPK_OK;
    return status == SPK_OK ? each_rank_file(context, r, true) : status;
}

/* The work, and the checkpoint at its end, whatever the end is: only the failure to write one needs
 * no further try. */
static spk_status work(spk_context *context, run *r)
{
    spk_queue_job job = {.n = r->n_todo,
                         .n_before = r->n_slots - r->n_todo,
                         .what = "surrogates",
                         .task = do_surrogate,
                         .look = save_now_and_then,
                         .user = r,
                         .pack = pack_slots,
                         .unpack = unpack_slots};
    char message[1024];
    spk_status status = spk_queue_run(context, &job);
    if (status == SPK_OK && r->checkpoint != NULL)
        return spk_context_rank(context) == 0 ? close_ranks(context, r) : SPK_OK;
    snprintf(message, sizeof message, "%s", spk_context_message(context));
    if (r->checkpoint != NULL && status != SPK_ERR_IO && r->n_done > r->n_saved) {
        spk_status saved = save(context, r);
        if (saved != SPK_OK && (status == SPK_OK || status == SPK_ERR_CANCELLED))
            return saved;
    }
    if (status == SPK_ERR_CANCELLED)
        return tell_cancelled(context, r);
    return status == SPK_OK ? SPK_OK : spk_fail(context, status, "%s", message);
}

spk_status spk_maxima_run_part(spk_context *context, const spk_maxima_part *part,
                               const char *checkpoint, spk_maxima_find *find, const void *user,
                               spk_maxima **out)
{
    run r = {.part = *part, .given = checkpoint, .find = find, .user = user, .context = context};
    *out = NULL;
    if (part->n_surrogates == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the number of surrogates must be at least 1");
    pthread_mutex_init(&r.lock, NULL);
    spk_status status = open_run(context, &r);
    if (status == SPK_OK)
        status = work(context, &r);
    if (status == SPK_OK)
        status = collect(context, &r, out);
    if (status == SPK_OK)
        spk_maxima_hold(context, *out);
    close_run(&r);
    return status;
}
