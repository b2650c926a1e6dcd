/* Accounts of memory: made with a context, freed with the last of their users. */
#include "base/account.h"

#include <stdlib.h>

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
