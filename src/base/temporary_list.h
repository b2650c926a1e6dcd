/*
 * The names of files that must not outlive the process, such as those in the making, so that a
 * signal handler can remove them. It takes no lock and no memory.
 */
#pragma once

#include <stdatomic.h>

enum { SPK_TEMPORARY_SLOTS = 16, SPK_TEMPORARY_NAME = 256 };

typedef struct spk_temporary_slot {
    atomic_int state;
    int folder;
    char name[SPK_TEMPORARY_NAME];
} spk_temporary_slot;

/* Starts with zeros. */
typedef struct spk_temporary_list {
    spk_temporary_slot slot[SPK_TEMPORARY_SLOTS];
} spk_temporary_list;

/* Adds a file that is there or about to be made, by its name in the folder, a descriptor or
 * AT_FDCWD. NULL: the list is full, or NULL itself, or the name is too long. From any thread. */
spk_temporary_slot *spk_temporary_list_add(spk_temporary_list *list, int folder, const char *name);

/* NULL is accepted. */
void spk_temporary_list_remove(spk_temporary_slot *slot);

/* Removes all files of the list. From a signal handler, right before _exit. */
void spk_temporary_list_abandon(spk_temporary_list *list);
