/* The context: settings that callers make once, the last message, callbacks, cancel. */
#include "base/context.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct spk_context {
    char message[1024];
    int threads;
    uint64_t memory_limit;
    spk_progress_fn *progress;
    void *progress_user;
    double progress_last;
    spk_note_fn *note;
    void *note_user;
    atomic_bool cancelled;
    struct gpu_fault *fault;
};

spk_status spk_context_create(spk_context **out)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return SPK_ERR_MEMORY;
    atomic_init(&(*out)->cancelled, false);
    return SPK_OK;
}

void spk_context_set_fault(spk_context *context, struct gpu_fault *fault)
{
    context->fault = fault;
}

struct gpu_fault *spk_context_fault(const spk_context *context)
{
    return context->fault;
}

void spk_context_free(spk_context *context)
{
    free(context);
}

const char *spk_context_message(const spk_context *context)
{
    return context->message;
}

void spk_context_set_threads(spk_context *context, int threads)
{
    context->threads = threads > 0 ? threads : 0;
}

int spk_context_threads(const spk_context *context)
{
    if (context != NULL && context->threads > 0)
        return context->threads;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 ? (int)processors : 1;
}

void spk_context_set_memory_limit(spk_context *context, uint64_t bytes)
{
    context->memory_limit = bytes;
}

uint64_t spk_context_memory_limit(const spk_context *context)
{
    return context != NULL ? context->memory_limit : 0;
}

void spk_context_set_progress(spk_context *context, spk_progress_fn *progress, void *user)
{
    context->progress = progress;
    context->progress_user = user;
}

void spk_context_set_note(spk_context *context, spk_note_fn *note, void *user)
{
    context->note = note;
    context->note_user = user;
}

void spk_context_cancel(spk_context *context)
{
    atomic_store_explicit(&context->cancelled, true, memory_order_relaxed);
}

void spk_context_cancel_clear(spk_context *context)
{
    atomic_store_explicit(&context->cancelled, false, memory_order_relaxed);
}

bool spk_context_cancelled(const spk_context *context)
{
    return context != NULL && atomic_load_explicit(&context->cancelled, memory_order_relaxed);
}

spk_status spk_fail(spk_context *context, spk_status status, const char *format, ...)
{
    if (context == NULL)
        return status;
    /* The arguments may point into the old message, so write elsewhere first. */
    char message[sizeof context->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    memcpy(context->message, message, sizeof message);
    return status;
}

spk_status spk_fail_memory(spk_context *context, uint64_t bytes, const char *what)
{
    return spk_fail(context, SPK_ERR_MEMORY,
                    "cannot allocate %.1f MB for %s; close other programs or cut the job",
                    (double)bytes / 1e6, what);
}

void spk_note(spk_context *context, const char *format, ...)
{
    if (context == NULL || context->note == NULL)
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    context->note(context->note_user, text);
}

void spk_progress(spk_context *context, const char *what, uint64_t done, uint64_t total)
{
    if (context == NULL || context->progress == NULL)
        return;
    double now = spk_seconds_now();
    if (now - context->progress_last < 0.1 && (total == 0 || done < total))
        return;
    context->progress_last = now;
    context->progress(context->progress_user, what, done, total);
}

spk_status spk_check_cancel(spk_context *context)
{
    if (context == NULL || !spk_context_cancelled(context))
        return SPK_OK;
    return spk_fail(context, SPK_ERR_CANCELLED, "interrupted");
}

double spk_seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
