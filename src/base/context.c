/* The context: settings that callers make once, the last message, callbacks, cancel; and children.
 */
#include "base/context.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/available.h"
#include "base/reads.h"
#include "base/stage.h"
#include "base/temporary_list.h"
#include "spikemine/ranks.h"
#include "spikemine/status.h"
#include "spikemine/version.h"

struct spk_context {
    spk_context *parent; /* NULL: this is a root */
    spk_context *root;
    char message[1024];
    int threads;            /* 0: as many as there are processors */
    _Atomic uint64_t found; /* a root's: those, and when they were counted */
    uint64_t memory_limit;
    bool default_limit;     /* nobody chose memory_limit */
    spk_account *account;   /* of memory */
    uint64_t max_expansion; /* 0: the default */
    spk_fault *fault;
    atomic_bool cancelled;
    _Atomic uint64_t results; /* a root's: what its family has done */
    _Atomic uint64_t bytes;
    pthread_mutex_t lock; /* a root's: held while callbacks of the family are set, read or called */
    spk_progress_fn *progress;
    void *progress_user;
    double progress_last;
    spk_note_fn *note;
    void *note_user;
    bool hushed;
    uint64_t disk_reserve;
    spk_temporary_list temporaries; /* a root's */
    spk_reads reads;                /* a root's */
    spk_ranks ranks;                /* n_ranks 0: none */
};

/* A signal handler may set the flag only where that takes no lock. */
static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "spk_context_cancel must be async-signal-safe");

/* ---- life ------------------------------------------------------------------------------------ */

/* The lock may be taken again by the thread that holds it, so that a callback may call functions
 * which report in turn. */
static bool make_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t again;
    if (pthread_mutexattr_init(&again) != 0)
        return false;
    bool made = pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE) == 0 &&
                pthread_mutex_init(lock, &again) == 0;
    pthread_mutexattr_destroy(&again);
    return made;
}

spk_status spk_context_create(spk_context **out)
{
    assert(out != NULL);
    *out = NULL;
    spk_context *context = calloc(1, sizeof *context);
    spk_account *account = spk_account_create();
    if (context == NULL || account == NULL || !make_lock(&context->lock) ||
        pthread_mutex_init(&context->reads.lock, NULL) != 0) {
        spk_account_release(account);
        free(context);
        return SPK_ERR_MEMORY;
    }
    context->account = account;
    context->root = context;
    atomic_init(&context->cancelled, false);
    *out = context;
    return SPK_OK;
}

spk_status spk_context_create_child(spk_context *parent, spk_context **out)
{
    assert(out != NULL);
    *out = NULL;
    if (parent == NULL)
        return spk_context_create(out);
    spk_context *child = calloc(1, sizeof *child);
    spk_account *account = spk_account_create();
    if (child == NULL || account == NULL) {
        spk_account_release(account);
        free(child);
        return spk_fail_memory(parent, sizeof *child, "a context");
    }
    child->account = account;
    child->parent = parent;
    child->root = parent->root;
    child->threads = parent->threads;
    child->memory_limit = parent->memory_limit;
    child->default_limit = parent->default_limit;
    child->max_expansion = parent->max_expansion;
    child->fault = parent->fault;
    child->disk_reserve = parent->disk_reserve;
    atomic_init(&child->cancelled, false);
    *out = child;
    return SPK_OK;
}

void spk_context_free(spk_context *context)
{
    if (context != NULL && context->root == context) {
        pthread_mutex_destroy(&context->lock);
        pthread_mutex_destroy(&context->reads.lock);
        free(context->reads.file);
    }
    spk_account_release(spk_context_account(context));
    free(context);
}

/* ---- settings -------------------------------------------------------------------------------- */

const char *spk_context_message(const spk_context *context)
{
    return context != NULL ? context->message : "";
}

void spk_context_set_threads(spk_context *context, int threads)
{
    if (context != NULL)
        context->threads = threads > 0 ? threads : 0;
}

/* Searches of surrogates ask thousands of times a second, and an answer opens several files of the
 * system: one holds for its second of the clock, which is the upper half of `found`. */
int spk_context_threads(const spk_context *context)
{
    if (context == NULL)
        return spk_processors_available();
    if (context->threads > 0)
        return context->threads;
    const uint64_t second = (uint64_t)spk_seconds_now() + 1; /* 0: not counted yet */
    uint64_t found = atomic_load(&context->root->found);
    if (found >> 32 != second) {
        found = second << 32 | (uint64_t)spk_processors_available();
        atomic_store(&context->root->found, found);
    }
    return (int)(found & INT_MAX);
}

void spk_context_set_memory_limit(spk_context *context, uint64_t bytes)
{
    if (context == NULL)
        return;
    context->memory_limit = bytes;
    context->default_limit = false;
}

void spk_context_set_found_limit(spk_context *context, uint64_t bytes)
{
    if (context == NULL)
        return;
    context->memory_limit = bytes;
    context->default_limit = true;
}

void spk_context_set_default_memory_limit(spk_context *context)
{
    spk_context_set_found_limit(context, spk_memory_available() / 4 * 3);
}

uint64_t spk_context_chosen_limit(const spk_context *context)
{
    return context != NULL && !context->default_limit ? context->memory_limit : 0;
}

uint64_t spk_context_memory_limit(const spk_context *context)
{
    return context != NULL ? context->memory_limit : 0;
}

void spk_context_set_max_expansion(spk_context *context, uint64_t times)
{
    if (context != NULL)
        context->max_expansion = times;
}

uint64_t spk_context_max_expansion(const spk_context *context)
{
    bool set = context != NULL && context->max_expansion != 0;
    return set ? context->max_expansion : SPK_MAX_EXPANSION_DEFAULT;
}

spk_account *spk_context_account(const spk_context *context)
{
    return context != NULL ? context->account : NULL;
}

void spk_context_set_disk_reserve(spk_context *context, uint64_t bytes)
{
    if (context != NULL)
        context->disk_reserve = bytes;
}

uint64_t spk_context_disk_reserve(const spk_context *context)
{
    return context != NULL ? context->disk_reserve : 0;
}

spk_temporary_list *spk_context_temporaries(spk_context *context)
{
    return context != NULL ? &context->root->temporaries : NULL;
}

spk_reads *spk_context_reads(spk_context *context)
{
    return context != NULL ? &context->root->reads : NULL;
}

void spk_context_abandon_files(spk_context *context)
{
    if (context != NULL)
        spk_temporary_list_abandon(&context->root->temporaries);
}

spk_status spk_context_set_ranks(spk_context *context, const spk_ranks *ranks)
{
    if (ranks == NULL) {
        if (context != NULL)
            context->ranks = (spk_ranks){.n_ranks = 0};
        return SPK_OK;
    }
    bool whole = ranks->struct_size >= offsetof(spk_ranks, send) && ranks->sizes != NULL &&
                 ranks->gather != NULL && ranks->begin != NULL && ranks->next != NULL;
    if (context == NULL || !whole || ranks->rank < 0 || ranks->rank >= ranks->n_ranks)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "ranks need a context, all functions of their table, and a rank from 0 to "
                        "the number of ranks - 1");
    context->ranks = (spk_ranks){.n_ranks = 0};
    memcpy(&context->ranks, ranks,
           ranks->struct_size < sizeof *ranks ? ranks->struct_size : sizeof *ranks);
    return SPK_OK;
}

const spk_ranks *spk_context_ranks(const spk_context *context)
{
    return context != NULL && context->ranks.n_ranks > 1 ? &context->ranks : NULL;
}

int spk_context_rank(const spk_context *context)
{
    return context != NULL && context->root->ranks.n_ranks > 1 ? context->root->ranks.rank : 0;
}

void spk_context_set_fault(spk_context *context, spk_fault *fault)
{
    assert(fault == NULL || fault->strike != NULL);
    if (context != NULL)
        context->fault = fault;
}

int spk_fault_strike(const spk_context *context)
{
    spk_fault *fault = context != NULL ? context->fault : NULL;
    return fault != NULL ? fault->strike(fault) : 0;
}

/* ---- cancel ---------------------------------------------------------------------------------- */

void spk_context_cancel(spk_context *context)
{
    if (context != NULL)
        atomic_store_explicit(&context->cancelled, true, memory_order_relaxed);
}

void spk_context_cancel_clear(spk_context *context)
{
    if (context != NULL)
        atomic_store_explicit(&context->cancelled, false, memory_order_relaxed);
}

bool spk_context_cancelled(const spk_context *context)
{
    for (; context != NULL; context = context->parent)
        if (atomic_load_explicit(&context->cancelled, memory_order_relaxed))
            return true;
    return false;
}

spk_status spk_check_cancel(spk_context *context)
{
    if (!spk_context_cancelled(context))
        return SPK_OK;
    return spk_fail(context, SPK_ERR_CANCELLED, "interrupted");
}

/* ---- failures -------------------------------------------------------------------------------- */

spk_status spk_fail(spk_context *context, spk_status status, const char *format, ...)
{
    assert(status != SPK_OK && format != NULL);
    if (context == NULL)
        return status;
    /* The arguments may point into the old message, so write elsewhere first. */
    char message[sizeof context->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    /* Paths, labels and bytes of hostile files are in it, and it goes to a terminal. */
    spk_text_printable(message, context->message, sizeof context->message);
    return status;
}

spk_status spk_fail_memory(spk_context *context, uint64_t bytes, const char *what)
{
    return spk_fail(context, SPK_ERR_MEMORY,
                    "cannot allocate %.1f MB for %s; close other programs or cut the job",
                    (double)bytes / 1e6, what);
}

/* ---- callbacks ------------------------------------------------------------------------------- */

void spk_context_set_progress(spk_context *context, spk_progress_fn *progress, void *user)
{
    if (context == NULL)
        return;
    pthread_mutex_lock(&context->root->lock);
    context->progress = progress;
    context->progress_user = user;
    pthread_mutex_unlock(&context->root->lock);
}

void spk_context_set_note(spk_context *context, spk_note_fn *note, void *user)
{
    if (context == NULL)
        return;
    pthread_mutex_lock(&context->root->lock);
    context->note = note;
    context->note_user = user;
    pthread_mutex_unlock(&context->root->lock);
}

void spk_context_hush(spk_context *context)
{
    if (context != NULL)
        context->hushed = true;
}

static bool is_hushed(const spk_context *context)
{
    for (; context != NULL; context = context->parent)
        if (context->hushed)
            return true;
    return false;
}

void spk_note(spk_context *context, const char *format, ...)
{
    if (context == NULL || is_hushed(context))
        return;
    char raw[1024];
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    spk_text_printable(raw, text, sizeof text);
    pthread_mutex_lock(&context->root->lock);
    const spk_context *owner = context;
    while (owner != NULL && owner->note == NULL)
        owner = owner->parent;
    if (owner != NULL)
        owner->note(owner->note_user, text);
    pthread_mutex_unlock(&context->root->lock);
}

void spk_progress(spk_context *context, const char *what, uint64_t done, uint64_t total)
{
    if (context == NULL || is_hushed(context))
        return;
    pthread_mutex_lock(&context->root->lock);
    spk_context *owner = context;
    while (owner != NULL && owner->progress == NULL)
        owner = owner->parent;
    double now = owner != NULL ? spk_seconds_now() : 0;
    if (owner != NULL && (now - owner->progress_last >= 0.1 || (total != 0 && done >= total))) {
        owner->progress_last = now;
        owner->progress(owner->progress_user, what, done, total);
    }
    pthread_mutex_unlock(&context->root->lock);
}

spk_tally spk_context_tally(const spk_context *context)
{
    if (context == NULL)
        return (spk_tally){.results = 0};
    return (spk_tally){atomic_load_explicit(&context->root->results, memory_order_relaxed),
                       atomic_load_explicit(&context->root->bytes, memory_order_relaxed)};
}

void spk_tally_add(spk_context *context, uint64_t results, uint64_t bytes)
{
    if (context == NULL || is_hushed(context))
        return;
    atomic_fetch_add_explicit(&context->root->results, results, memory_order_relaxed);
    atomic_fetch_add_explicit(&context->root->bytes, bytes, memory_order_relaxed);
}

/* ---- the clock ------------------------------------------------------------------------------- */

double spk_seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- texts of statuses ----------------------------------------------------------------------- */

const char *spk_status_text(spk_status status)
{
    switch (status) {
#define SPK_STATUS_TEXT(code, value, text)                                                         \
    case code:                                                                                     \
        return text;
        SPK_STATUS_LIST(SPK_STATUS_TEXT)
#undef SPK_STATUS_TEXT
    }
    return "unknown status";
}

const char *spk_version(void)
{
    return SPIKEMINE_VERSION;
}

/* ---- accounts of memory ---------------------------------------------------------------------- */

spk_account *spk_account_create(void)
{
    spk_account *account = calloc(1, sizeof *account);
    if (account == NULL)
        return NULL;
    atomic_init(&account->users, 1);
    atomic_init(&account->used, 0);
    atomic_init(&account->charged, 0);
    atomic_init(&account->counting, false);
    return account;
}

void spk_account_release(spk_account *account)
{
    if (account != NULL && atomic_fetch_sub(&account->users, 1) == 1)
        free(account);
}

/* ---- notes that become rare ------------------------------------------------------------------ */

static bool is_power_of_ten(uint64_t n)
{
    while (n % 10 == 0)
        n /= 10;
    return n == 1;
}

void spk_note_again(spk_context *context, uint64_t *times, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    if (++*times > 10 && !is_power_of_ten(*times))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (*times < 10)
        spk_note(context, "%s", text);
    else
        spk_note(context, "%s (%" PRIu64 " times so far; told again after %" PRIu64 ")", text,
                 *times, 10 * *times);
}
