/* The owner of a checkpoint. */
#include "significance/maxima/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

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

spk_status spk_owner_become(spk_context *context, const char *checkpoint, spk_owner *owner)
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

void spk_owner_leave(spk_owner *owner)
{
    if (owner->path == NULL)
        return;
    /* Before the lock ends, so that it is removed for sure that has no other owner. */
    spk_temporary_list_remove(owner->slot);
    if (is_empty(owner->file))
        unlink(owner->path);
    close(owner->file);
    free(owner->path);
    *owner = (spk_owner){.path = NULL};
}
