/*
 * Where a path leads: to which file, in which folder, under which name. Links are followed, so that
 * what is written through a link goes to the link's target and the link stays.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/context.h"

typedef enum spk_place_kind {
    SPK_PLACE_NEW,       /* nothing is there yet */
    SPK_PLACE_FILE,      /* a regular file, which another one may replace */
    SPK_PLACE_SPECIAL,   /* a device, a pipe, what another process has open: written in place */
    SPK_PLACE_DESCRIPTOR /* what this process has open: "-", /dev/stdout, /dev/fd/3 */
} spk_place_kind;

typedef struct spk_place {
    spk_place_kind kind;
    int descriptor;     /* SPK_PLACE_DESCRIPTOR */
    struct stat info;   /* of the file; not of SPK_PLACE_NEW */
    char *folder;       /* of a file that is there or not: the path of its folder */
    struct stat inside; /* the folder */
    char *name;         /* in it */
} spk_place;

/* Finds the place that writing to `path` reaches; "-" is standard output. Errors: SPK_ERR_IO (a
 * directory, a folder that is not there, a name that is too long), SPK_ERR_MEMORY. After a failure
 * as after success: spk_place_free. */
spk_status spk_place_find(spk_context *context, const char *path, spk_place *place);
void spk_place_free(spk_place *place);

/* The name that a result gets which is not complete: NAME.incomplete, shortened to what the file
 * system allows. To be freed. */
spk_status spk_place_incomplete_name(spk_context *context, const spk_place *place, char **name);

/* "FOLDER/NAME", or NAME alone in the current folder. To be freed. */
spk_status spk_place_path(spk_context *context, const spk_place *place, const char *name,
                          char **path);
