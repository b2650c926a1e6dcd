/*
 * What counts against the memory limit of a context. Every context has an account of the bytes that
 * are in use.
 *
 * A stage is a part of a call, such as reading a file, whose needs depend on its input. Between its
 * opening and its closing each allocation of base/memory.h on the context is admitted before it is
 * made, and counts; at its closing the account is what it was before. A holding is what stays: the
 * bytes of a recording or of a list, from its making until it is freed. Engines ask for what is
 * left and keep to it by themselves.
 *
 *     spk_stage stage = spk_stage_open(context);
 *     spk_status status = read_everything(context, &made);
 *     if (status == SPK_OK)
 *         spk_holding_set(context, &made->holding, made->bytes);
 *     spk_stage_close(context, &stage);
 *
 * All of it accepts a NULL context, which has no limit.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

/* ---- stages ---------------------------------------------------------------------------------- */

/* What a stage found when it was opened. Stages lie inside each other like the calls they are. */
typedef struct spk_stage {
    bool counting;
    int64_t charged;
} spk_stage;

spk_stage spk_stage_open(spk_context *context);
void spk_stage_close(spk_context *context, const spk_stage *stage);

/* Whether `more` bytes fit; always where no stage is open. */
bool spk_stage_fits(const spk_context *context, uint64_t more);

/* SPK_ERR_MEMORY with what is needed, what is in use, the limit and the remedy unless they fit. */
spk_status spk_stage_admit(spk_context *context, uint64_t more, const char *what);

/* Counts bytes that were allocated, or with a negative number given back, while a stage is open. */
void spk_stage_count(spk_context *context, int64_t bytes);

/* ---- holdings -------------------------------------------------------------------------------- */

/* Begins zeroed. */
typedef struct spk_holding {
    struct spk_account *account;
    uint64_t bytes;
} spk_holding;

/* The holding's owner now has `bytes`. The account outlives the context where it must. */
void spk_holding_set(spk_context *context, spk_holding *holding, uint64_t bytes);

/* Closes the stage; the holding's owner keeps what it charged. */
void spk_stage_keep(spk_context *context, const spk_stage *stage, spk_holding *holding);

/* Its owner is freed. From any thread. */
void spk_holding_release(spk_holding *holding);

/* ---- the limit ------------------------------------------------------------------------------- */

/* Bytes of the limit that nothing uses, at least 1; 0 where there is no limit. */
uint64_t spk_memory_left(const spk_context *context);

/* The limit of a context becomes what `of` has left of its own, chosen by the user or not as that
 * one; none where that one has none. */
void spk_memory_lend(const spk_context *of, spk_context *to);

/* Fails where what is in use already fills the limit. */
spk_status spk_memory_check_left(spk_context *context);

/* ---- the account, of a context's memory ------------------------------------------------------ */

/* Holdings may be freed in other threads than the one that uses the context. */
typedef struct spk_account {
    atomic_uint users;       /* the context and the holdings */
    _Atomic uint64_t used;   /* bytes: holdings, and what open stages have charged */
    _Atomic int64_t charged; /* by the stage that is open */
    atomic_bool counting;    /* a stage is open */
} spk_account;

/* For one user; NULL when memory is out. */
spk_account *spk_account_create(void);

/* One user less; the last one frees it. NULL is accepted. */
void spk_account_release(spk_account *account);
