/* Whether the files of a job get in each other's way. */
#include "spikemine/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/place.h"
#include "base/reads.h"

/* A use, and what is known of its file. */
typedef struct known_file {
    spk_file_use use;
    bool there; /* `info` is set */
    struct stat info;
    spk_place place; /* of what is written */
    /* PATH.incomplete of a result. */
    char *incomplete; /* its name; NULL: it can have none */
    bool incomplete_there;
    struct stat incomplete_info;
} known_file;

static bool is_written(const known_file *file)
{
    return file->use.role != SPK_FILE_INPUT;
}

static void known_file_free(known_file *file)
{
    spk_place_free(&file->place);
    free(file->incomplete);
}

static const char *before_path(const known_file *file)
{
    return file->use.option != NULL ? file->use.option : "";
}

static const char *blank(const known_file *file)
{
    return file->use.option != NULL ? " " : "";
}

/* ---- what is known --------------------------------------------------------------------------- */

static void look_at_input(known_file *file)
{
    file->there = strcmp(file->use.path, "-") == 0 ? fstat(STDIN_FILENO, &file->info) == 0
                                                   : stat(file->use.path, &file->info) == 0;
}

static spk_status look_at_incomplete(spk_context *context, known_file *file)
{
    char *path = NULL;
    spk_status status = spk_place_incomplete_name(context, &file->place, &file->incomplete);
    if (status == SPK_OK)
        status = spk_place_path(context, &file->place, file->incomplete, &path);
    if (status == SPK_OK)
        file->incomplete_there = stat(path, &file->incomplete_info) == 0;
    free(path);
    return status;
}

static spk_status look(spk_context *context, known_file *file)
{
    if (!is_written(file)) {
        look_at_input(file);
        return SPK_OK;
    }
    spk_status status = spk_place_find(context, file->use.path, &file->place);
    if (status != SPK_OK)
        return status;
    file->there = file->place.info.st_mode != 0; /* a closed standard output is not */
    file->info = file->place.info;
    bool renamed = file->place.kind == SPK_PLACE_NEW || file->place.kind == SPK_PLACE_FILE;
    return renamed && file->use.role == SPK_FILE_RESULT ? look_at_incomplete(context, file)
                                                        : SPK_OK;
}

/* ---- two files ------------------------------------------------------------------------------- */

static bool same_info(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_null_device(const struct stat *info)
{
    struct stat null;
    return S_ISCHR(info->st_mode) && stat("/dev/null", &null) == 0 && null.st_rdev == info->st_rdev;
}

/* What is read and written at once loses its bytes only where it keeps them. */
static bool keeps_bytes(const struct stat *info)
{
    return S_ISREG(info->st_mode) || S_ISBLK(info->st_mode);
}

/* Whether `file` is the one of this name in the folder of `place`, which need not be there. */
static bool is_named(const known_file *file, const spk_place *place, const char *name)
{
    return file->place.kind == SPK_PLACE_NEW && same_info(&file->place.inside, &place->inside) &&
           strcmp(file->place.name, name) == 0;
}

static spk_status check_input(spk_context *context, const known_file *in, const known_file *out)
{
    if (!in->there || !keeps_bytes(&in->info))
        return SPK_OK;
    if (out->there && same_info(&in->info, &out->info))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s%s%s: is %s that is read, and would be lost; choose another file",
                        before_path(out), blank(out), out->use.path, in->use.what);
    if (out->incomplete_there && same_info(&in->info, &out->incomplete_info))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s%s%s: a run that ends early would write %s, which is %s that is read; "
                        "choose another file",
                        before_path(out), blank(out), out->use.path, out->incomplete, in->use.what);
    return SPK_OK;
}

static bool takes_incomplete(const known_file *a, const known_file *b)
{
    return b->incomplete != NULL &&
           (is_named(a, &b->place, b->incomplete) ||
            (a->there && b->incomplete_there && same_info(&a->info, &b->incomplete_info)));
}

static spk_status check_outputs(spk_context *context, const known_file *a, const known_file *b)
{
    bool same = a->there && b->there && same_info(&a->info, &b->info) && !is_null_device(&a->info);
    if (a->place.kind == SPK_PLACE_DESCRIPTOR && a->place.descriptor == b->place.descriptor)
        same = true;
    if (b->place.kind == SPK_PLACE_NEW && is_named(a, &b->place, b->place.name))
        same = true;
    if (same)
        return spk_fail(context, SPK_ERR_ARGUMENT, "%s%s%s: %s goes there; choose another file",
                        before_path(b), blank(b), b->use.path, a->use.what);
    if (takes_incomplete(a, b) || takes_incomplete(b, a))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s%s%s: %s goes to %s, and one of the two may get the name of the other "
                        "with .incomplete; choose another file",
                        before_path(b), blank(b), b->use.path, a->use.what, a->use.path);
    return SPK_OK;
}

static spk_status check_pair(spk_context *context, const known_file *a, const known_file *b)
{
    if (is_written(a) && is_written(b))
        return check_outputs(context, a, b);
    if (is_written(b))
        return check_input(context, a, b);
    return is_written(a) ? check_input(context, b, a) : SPK_OK;
}

/* ---- one file -------------------------------------------------------------------------------- */

static spk_status check_writable(spk_context *context, const known_file *file)
{
    spk_output *output = NULL;
    if (file->place.kind == SPK_PLACE_DESCRIPTOR)
        return SPK_OK;
    if (file->place.kind != SPK_PLACE_SPECIAL) {
        spk_status status = spk_output_open(context, file->use.path, &output);
        spk_output_discard(output);
        return status;
    }
    /* Opening a pipe would wait for its reader, and closing it would end that one. */
    if (faccessat(AT_FDCWD, file->use.path, W_OK, AT_EACCESS) == 0)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_IO, "%s: cannot write here: %s; choose another place",
                    file->use.path, strerror(errno));
}

static spk_status check_one(spk_context *context, const known_file *file, bool replace)
{
    if (!is_written(file))
        return SPK_OK;
    if (file->place.kind == SPK_PLACE_FILE && !replace && file->use.role != SPK_FILE_CHECKPOINT)
        return spk_fail(
            context, SPK_ERR_IO,
            "%s%s%s: exists already; choose another name, or pass --force to replace it",
            before_path(file), blank(file), file->use.path);
    return check_writable(context, file);
}

/* ---- all ------------------------------------------------------------------------------------- */

spk_status spk_files_check(spk_context *context, const spk_file_use *use, size_t n, bool replace)
{
    known_file *file = NULL;
    size_t known = 0;
    spk_status status = spk_alloc_zero(context, &file, n, "the list of files");
    for (size_t k = 0; k < n && status == SPK_OK; k++) {
        if (use[k].path == NULL)
            continue;
        file[known].use = use[k];
        status = look(context, &file[known++]);
    }
    for (size_t k = 0; k < known && status == SPK_OK; k++)
        for (size_t i = 0; i < k && status == SPK_OK; i++)
            status = check_pair(context, &file[i], &file[k]);
    for (size_t k = 0; k < known && status == SPK_OK; k++)
        status = check_one(context, &file[k], replace);
    for (size_t k = 0; k < known; k++)
        known_file_free(&file[k]);
    free(file);
    spk_reads_keep(context);
    return status;
}

spk_status spk_file_has_name(spk_context *context, const char *path, bool *has_name)
{
    spk_place place = {0};
    spk_status status = spk_place_find(context, path, &place);
    *has_name = status == SPK_OK && (place.kind == SPK_PLACE_NEW || place.kind == SPK_PLACE_FILE);
    spk_place_free(&place);
    return status;
}
