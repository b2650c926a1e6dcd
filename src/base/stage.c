/* Accounts of memory: stages that count, holdings that stay, what is left of a limit. */
#include "base/stage.h"

#include <assert.h>
#include <stdio.h>

/* ---- stages ---------------------------------------------------------------------------------- */

spk_stage spk_stage_open(spk_context *context)
{
    spk_account *account = spk_context_account(context);
    if (account == NULL)
        return (spk_stage){false, 0};
    spk_stage stage = {atomic_load(&account->counting), atomic_load(&account->charged)};
    atomic_store(&account->counting, true);
    atomic_store(&account->charged, 0);
    return stage;
}

void spk_stage_close(spk_context *context, const spk_stage *stage)
{
    spk_account *account = spk_context_account(context);
    if (account == NULL)
        return;
    assert(atomic_load(&account->counting));
    atomic_fetch_sub(&account->used, (uint64_t)atomic_load(&account->charged));
    atomic_store(&account->charged, stage->charged);
    atomic_store(&account->counting, stage->counting);
}

void spk_stage_count(spk_context *context, int64_t bytes)
{
    spk_account *account = spk_context_account(context);
    if (account == NULL || !atomic_load(&account->counting))
        return;
    atomic_fetch_add(&account->used, (uint64_t)bytes); /* negative ones wrap round as they should */
    atomic_fetch_add(&account->charged, bytes);
}

/* Bytes in use. What a stage gave back may have been allocated before it, so that for a moment the
 * sum may pass below zero: that is nothing. */
static uint64_t bytes_used(const spk_account *account)
{
    uint64_t used = atomic_load(&account->used);
    return used < (uint64_t)INT64_MAX ? used : 0;
}

bool spk_stage_fits(const spk_context *context, uint64_t more)
{
    const spk_account *account = spk_context_account(context);
    uint64_t limit = spk_context_memory_limit(context);
    if (account == NULL || limit == 0 || !atomic_load(&account->counting))
        return true;
    uint64_t used = bytes_used(account);
    return used <= limit && more <= limit - used;
}

/* "12.5 MB", as people write it. */
typedef struct size_text {
    char text[32];
} size_text;

static size_text in_words(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    size_text out;
    double value = (double)bytes;
    size_t k = 0;
    for (; value >= 1000 && k + 1 < sizeof units / sizeof units[0]; k++)
        value /= 1000;
    snprintf(out.text, sizeof out.text, "%.*f %s", k == 0 || value >= 100 ? 0 : 2, value, units[k]);
    return out;
}

spk_status spk_stage_admit(spk_context *context, uint64_t more, const char *what)
{
    if (spk_stage_fits(context, more))
        return SPK_OK;
    return spk_fail(context, SPK_ERR_MEMORY,
                    "%s: %s beside the %s in use are over the memory limit of %s; raise "
                    "--max-memory or cut the job",
                    what, in_words(more).text,
                    in_words(bytes_used(spk_context_account(context))).text,
                    in_words(spk_context_memory_limit(context)).text);
}

/* ---- holdings -------------------------------------------------------------------------------- */

void spk_holding_set(spk_context *context, spk_holding *holding, uint64_t bytes)
{
    if (holding->account == NULL) {
        holding->account = spk_context_account(context);
        if (holding->account == NULL)
            return;
        atomic_fetch_add(&holding->account->users, 1);
    }
    atomic_fetch_add(&holding->account->used, bytes - holding->bytes);
    holding->bytes = bytes;
}

void spk_stage_keep(spk_context *context, const spk_stage *stage, spk_holding *holding)
{
    spk_account *account = spk_context_account(context);
    int64_t charged = account != NULL ? atomic_load(&account->charged) : 0;
    spk_stage_close(context, stage);
    spk_holding_set(context, holding, holding->bytes + (uint64_t)charged);
}

void spk_holding_release(spk_holding *holding)
{
    if (holding->account == NULL)
        return;
    atomic_fetch_sub(&holding->account->used, holding->bytes);
    spk_account_release(holding->account);
    *holding = (spk_holding){.bytes = 0};
}

/* ---- the limit ------------------------------------------------------------------------------- */

uint64_t spk_memory_left(const spk_context *context)
{
    uint64_t limit = spk_context_memory_limit(context);
    const spk_account *account = spk_context_account(context);
    uint64_t used = account != NULL ? bytes_used(account) : 0;
    if (limit == 0)
        return 0;
    return used < limit ? limit - used : 1;
}

void spk_memory_lend(const spk_context *of, spk_context *to)
{
    if (spk_context_chosen_limit(of) != 0)
        spk_context_set_memory_limit(to, spk_memory_left(of));
    else
        spk_context_set_found_limit(to, spk_memory_left(of));
}

spk_status spk_memory_check_left(spk_context *context)
{
    uint64_t limit = spk_context_memory_limit(context);
    uint64_t used = context != NULL ? bytes_used(spk_context_account(context)) : 0;
    if (limit == 0 || used < limit)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_MEMORY,
                    "the recording and what was made of it take %s: nothing is left of the memory "
                    "limit of %s; raise --max-memory or cut the recording",
                    in_words(used).text, in_words(limit).text);
}
