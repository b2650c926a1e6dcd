/* The names of files that must not outlive the process. */
#include "base/temporary_list.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { SLOT_FREE, SLOT_TAKEN, SLOT_NAMED };

static_assert(ATOMIC_INT_LOCK_FREE == 2, "spk_temporary_list_abandon must be async-signal-safe");

spk_temporary_slot *spk_temporary_list_add(spk_temporary_list *list, int folder, const char *name)
{
    const size_t size = strlen(name) + 1;
    if (list == NULL || size > SPK_TEMPORARY_NAME)
        return NULL;
    for (int k = 0; k < SPK_TEMPORARY_SLOTS; k++) {
        spk_temporary_slot *slot = &list->slot[k];
        int expected = SLOT_FREE;
        if (!atomic_compare_exchange_strong(&slot->state, &expected, SLOT_TAKEN))
            continue;
        slot->folder = folder;
        memcpy(slot->name, name, size);
        atomic_store(&slot->state, SLOT_NAMED);
        return slot;
    }
    return NULL;
}

void spk_temporary_list_remove(spk_temporary_slot *slot)
{
    if (slot != NULL)
        atomic_store(&slot->state, SLOT_FREE);
}

/* A name that left the list meanwhile does no harm: nothing else has such a name. */
void spk_temporary_list_abandon(spk_temporary_list *list)
{
    for (int k = 0; k < SPK_TEMPORARY_SLOTS; k++)
        if (atomic_load(&list->slot[k].state) == SLOT_NAMED)
            unlinkat(list->slot[k].folder, list->slot[k].name, 0);
}
