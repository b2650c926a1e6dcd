/* Where a path leads. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/place.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

#ifndef __APPLE__
#include <sys/statfs.h>
#endif

enum { MOST_LINKS = 40 };

static spk_status fail(spk_context *context, const char *path, int error)
{
    const char *remedy = error == ENAMETOOLONG ? "give a shorter name" : "choose another place";
    return spk_fail(context, SPK_ERR_IO, "%s: cannot write here: %s; %s", path, strerror(error),
                    remedy);
}

/* ---- folders and names ----------------------------------------------------------------------- */

static spk_status split(spk_context *context, const char *path, spk_place *place)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    free(place->folder);
    free(place->name);
    place->folder = NULL;
    place->name = NULL;
    spk_status status = spk_strdup(context, &place->name, name);
    if (status == SPK_OK)
        status = spk_strdup(context, &place->folder, slash != NULL ? path : ".");
    if (status == SPK_OK && slash != NULL)
        place->folder[slash == path ? 1 : slash - path] = '\0';
    return status;
}

spk_status spk_place_path(spk_context *context, const spk_place *place, const char *name,
                          char **path)
{
    bool here = strcmp(place->folder, ".") == 0;
    bool root = strcmp(place->folder, "/") == 0;
    size_t bytes = strlen(place->folder) + strlen(name) + 2;
    spk_status status = spk_alloc(context, path, bytes, "a file name");
    if (status == SPK_OK)
        snprintf(*path, bytes, "%s%s%s", here ? "" : place->folder, here || root ? "" : "/", name);
    return status;
}

spk_status spk_place_incomplete_name(spk_context *context, const spk_place *place, char **name)
{
    static const char suffix[] = ".incomplete";
    long limit = pathconf(place->folder, _PC_NAME_MAX);
    size_t most = limit > (long)sizeof suffix ? (size_t)limit : NAME_MAX;
    size_t length = strlen(place->name);
    if (length + strlen(suffix) > most) {
        length = most - strlen(suffix);
        while (length > 1 && ((unsigned char)place->name[length] & 0xc0) == 0x80)
            length--; /* a character is not cut */
    }
    size_t bytes = length + sizeof suffix;
    spk_status status = spk_alloc(context, name, bytes, "a file name");
    if (status == SPK_OK)
        snprintf(*name, bytes, "%.*s%s", (int)length, place->name, suffix);
    return status;
}

/* ---- open files of processes ----------------------------------------------------------------- */

/* Whether the folder of the place lists open files, as /proc/self/fd does. Entries look like links,
 * but what they lead to need not have a name. */
static bool lists_open_files(const spk_place *place)
{
#ifdef __APPLE__
    return strcmp(place->folder, "/dev/fd") == 0;
#else
    enum { PROC_FILES = 0x9fa0 };
    struct statfs system;
    return statfs(place->folder, &system) == 0 && system.f_type == PROC_FILES;
#endif
}

/* The number of the place among the open files of this process; -1: it is another one's. */
static int own_descriptor(const spk_place *place)
{
    char own[64] = "/dev/fd";
    char *folder = realpath(place->folder, NULL);
#ifndef __APPLE__
    snprintf(own, sizeof own, "/proc/%ld/", (long)getpid());
#endif
    bool is_own = folder != NULL && strncmp(folder, own, strlen(own)) == 0;
    free(folder);
    char *end = NULL;
    long number = isdigit((unsigned char)place->name[0]) ? strtol(place->name, &end, 10) : -1;
    return is_own && end != NULL && *end == '\0' && number <= INT_MAX ? (int)number : -1;
}

static spk_status find_descriptor(spk_context *context, const char *path, int descriptor,
                                  spk_place *place)
{
    place->kind = SPK_PLACE_DESCRIPTOR;
    place->descriptor = descriptor;
    if (fstat(descriptor, &place->info) == 0)
        return SPK_OK;
    /* A closed standard output is told when it is written. */
    return strcmp(path, "-") == 0 ? SPK_OK : fail(context, path, errno);
}

/* ---- links ----------------------------------------------------------------------------------- */

/* *at becomes what the link at *at says. */
static spk_status follow(spk_context *context, const spk_place *place, char **at)
{
    char target[PATH_MAX];
    ssize_t n = readlink(*at, target, sizeof target - 1);
    if (n < 0)
        return fail(context, *at, errno);
    target[n] = '\0';
    char *next = NULL;
    spk_status status = target[0] == '/' ? spk_strdup(context, &next, target)
                                         : spk_place_path(context, place, target, &next);
    if (status != SPK_OK)
        return status;
    free(*at);
    *at = next;
    return SPK_OK;
}

static spk_status settle(spk_context *context, const char *path, spk_place *place)
{
    if (S_ISDIR(place->info.st_mode))
        return spk_fail(context, SPK_ERR_IO, "%s: is a directory; give a file name", path);
    place->kind = S_ISREG(place->info.st_mode) ? SPK_PLACE_FILE : SPK_PLACE_SPECIAL;
    return SPK_OK;
}

/* One step: *more says that *at is the next link to look at. */
static spk_status look(spk_context *context, const char *path, char **at, spk_place *place,
                       bool *more)
{
    struct stat link;
    *more = false;
    spk_status status = split(context, *at, place);
    if (status != SPK_OK)
        return status;
    if (stat(place->folder, &place->inside) != 0)
        return fail(context, path, errno);
    bool there = lstat(*at, &link) == 0;
    if (!there && (errno != ENOENT || place->name[0] == '\0'))
        return fail(context, path, errno);
    if (!there)
        return SPK_OK;
    if (lists_open_files(place)) {
        int descriptor = own_descriptor(place);
        if (descriptor >= 0)
            return find_descriptor(context, path, descriptor, place);
        place->kind = SPK_PLACE_SPECIAL;
        return stat(*at, &place->info) == 0 ? SPK_OK : fail(context, path, errno);
    }
    if (S_ISLNK(link.st_mode)) {
        *more = true;
        return follow(context, place, at);
    }
    place->info = link;
    return settle(context, path, place);
}

spk_status spk_place_find(spk_context *context, const char *path, spk_place *place)
{
    char *at = NULL;
    bool more = true;
    *place = (spk_place){.kind = SPK_PLACE_NEW, .descriptor = -1};
    if (strcmp(path, "-") == 0)
        return find_descriptor(context, path, STDOUT_FILENO, place);
    spk_status status = spk_strdup(context, &at, path);
    for (int k = 0; k < MOST_LINKS && more && status == SPK_OK; k++)
        status = look(context, path, &at, place, &more);
    if (status == SPK_OK && more)
        status = fail(context, path, ELOOP);
    free(at);
    return status;
}

void spk_place_free(spk_place *place)
{
    free(place->folder);
    free(place->name);
    place->folder = NULL;
    place->name = NULL;
}
