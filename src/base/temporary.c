/* Files in the making: exclusive creation and random names. */
#define _GNU_SOURCE /* O_TMPFILE, O_PATH */
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

enum { MOST_TRIES = 100 };

/* ---- names ----------------------------------------------------------------------------------- */

/* Of fixed length, so that it fits where the target's name fits. */
static void draw_name(char name[SPK_TEMPORARY_ROOM])
{
    uint64_t number = 0;
    if (getentropy(&number, sizeof number) != 0) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        number ^= (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 16;
    }
    snprintf(name, SPK_TEMPORARY_ROOM, ".spikemine-%016" PRIx64 ".tmp", number);
}

static int link_as(const spk_temporary *file, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file->descriptor);
    return linkat(AT_FDCWD, path, file->folder, name, AT_SYMLINK_FOLLOW);
}

static void leave_list(spk_temporary *file)
{
    spk_temporary_list_remove(file->slot);
    file->slot = NULL;
}

typedef int try_name(const spk_temporary *file, mode_t mode);

static int open_named(const spk_temporary *file, mode_t mode)
{
    return openat(file->folder, file->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  mode);
}

/* Gives a name to the file that has none; the mode is there for the type. */
static int link_named(const spk_temporary *file, mode_t mode)
{
    (void)mode;
    return link_as(file, file->name);
}

/* What `attempt` answers for a name that nothing else has; -1 and errno when it fails. */
static int with_new_name(spk_temporary *file, try_name *attempt, mode_t mode)
{
    int answer = -1;
    for (int k = 0; k < MOST_TRIES && answer < 0; k++) {
        draw_name(file->name);
        file->slot = spk_temporary_list_add(file->list, file->folder, file->name);
        answer = attempt(file, mode);
        if (answer >= 0)
            break;
        int error = errno;
        leave_list(file);
        file->name[0] = '\0';
        errno = error;
        if (error != EEXIST)
            break;
    }
    return answer;
}

/* ---- files ----------------------------------------------------------------------------------- */

#ifdef O_TMPFILE
static int open_nameless(int folder, mode_t mode)
{
    return openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

/* Whether a file without a name can get one here: some file systems know only half of it. */
static bool names_come_later(const spk_temporary *file)
{
    spk_temporary probe = {.folder = file->folder, .list = file->list};
    probe.descriptor = open_nameless(file->folder, 0600);
    if (probe.descriptor < 0)
        return false;
    bool works = with_new_name(&probe, link_named, 0) >= 0;
    if (works)
        unlinkat(probe.folder, probe.name, 0);
    leave_list(&probe);
    close(probe.descriptor);
    return works;
}
#else
static int open_nameless(int folder, mode_t mode)
{
    (void)folder, (void)mode;
    return -1;
}

static bool names_come_later(const spk_temporary *file)
{
    (void)file;
    return false;
}
#endif

int spk_temporary_create(spk_context *context, const char *folder, mode_t mode, spk_temporary *file)
{
    *file = (spk_temporary){.folder = -1, .descriptor = -1};
    file->list = spk_context_temporaries(context);
    file->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (file->folder < 0)
        return errno;
    if (spk_fault_strike(context) == 0 && names_come_later(file))
        file->descriptor = open_nameless(file->folder, mode);
    if (file->descriptor < 0)
        file->descriptor = with_new_name(file, open_named, mode);
    return file->descriptor < 0 ? errno : 0;
}

int spk_temporary_rename(spk_temporary *file, const char *name)
{
    /* Where nothing has the name, the file gets it in one step; a link replaces nothing. */
    if (file->name[0] == '\0' && link_as(file, name) == 0)
        return 0;
    if (file->name[0] == '\0' && with_new_name(file, link_named, 0) < 0)
        return errno;
    if (renameat(file->folder, file->name, file->folder, name) != 0)
        return errno;
    leave_list(file);
    file->name[0] = '\0';
    return 0;
}

int spk_temporary_close(spk_temporary *file)
{
    int error = 0;
    if (file->name[0] != '\0')
        unlinkat(file->folder, file->name, 0);
    leave_list(file);
    if (file->descriptor >= 0 && close(file->descriptor) != 0)
        error = errno;
    if (file->folder >= 0)
        close(file->folder);
    *file = (spk_temporary){.folder = -1, .descriptor = -1};
    return error;
}
