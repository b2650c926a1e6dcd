/*
 * Files in the making. Where the file system allows it, such a file has no name until it is
 * finished, so that nothing stays behind however the program ends. Elsewhere it has a random name
 * in the folder of its target. Names are kept in a list on the context, so that a signal handler
 * can remove the files.
 */
#pragma once

#include <sys/types.h>

#include "base/context.h"
#include "base/temporary_list.h"

enum { SPK_TEMPORARY_ROOM = 40 }; /* for a name */

typedef struct spk_temporary {
    int folder;                    /* descriptor */
    int descriptor;                /* of the file */
    char name[SPK_TEMPORARY_ROOM]; /* "": it has none */
    spk_temporary_list *list;      /* NULL: none */
    spk_temporary_slot *slot;      /* NULL: it is in no list */
} spk_temporary;

/* Opens a new file for writing, to be renamed within `folder`. A fault (base/context.h) makes it
 * have a name from the beginning. Returns 0 or errno. After a failure
 * as after success: spk_temporary_close. */
int spk_temporary_create(spk_context *context, const char *folder, mode_t mode,
                         spk_temporary *file);

/* Gives the file the name, in place of the file that may have it. Returns 0 or errno. */
int spk_temporary_rename(spk_temporary *file, const char *name);

/* Removes the file unless it was renamed; closes what is open. Returns 0 or the errno of closing
 * the file. */
int spk_temporary_close(spk_temporary *file);
