/* The account of a context's memory; base/stage.h tells what counts. */
#ifndef SPK_BASE_ACCOUNT_H
#define SPK_BASE_ACCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
