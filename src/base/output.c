/* Output files that appear only when complete. */
#define _GNU_SOURCE /* fopencookie */
#include "base/output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#ifndef __APPLE__
#include <stdio_ext.h>
#endif

#include "base/compressor.h"
#include "base/memory.h"
#include "base/place.h"
#include "base/reads.h"
#include "base/temporary.h"

enum {
    WAIT_MS = 50,
    BYTES_BETWEEN_LOOKS = 1 << 24, /* at how much of the disk is free */
    LARGEST_RESERVE = 1000000000
};
static const double GRACE_S = 0.5; /* that a pipe has after a cancel */

struct spk_output {
    spk_context *context;
    char *path;
    spk_place place;
    spk_temporary file; /* unless in place */
    bool in_place;
    int descriptor;
    bool owned;                 /* the descriptor */
    bool may_wait;              /* no regular file: writing waits for a reader */
    FILE *stream;               /* for who prints; holds bytes back */
    bool dropped;               /* what the stream still holds goes nowhere */
    spk_compressor *compressor; /* NULL: bytes stay as they are */
    bool compressed;            /* something */
    uint64_t written;
    uint64_t marked;
    uint64_t marked_before;
    bool has_mark;
    uint64_t looked;
    double until; /* when a pipe's time is over; 0: it has all the time */
    spk_status status;
    int error; /* errno behind the status */
};

/* ---- failures -------------------------------------------------------------------------------- */

static const char *name_of(const spk_output *output)
{
    return strcmp(output->path, "-") == 0 ? "standard output" : output->path;
}

/* Whether nobody reads what we write: the other end of a pipe is closed. */
static bool reader_left(int descriptor)
{
    struct pollfd end = {.fd = descriptor, .events = POLLOUT};
    return poll(&end, 1, 0) > 0 && (end.revents & (POLLERR | POLLHUP)) != 0;
}

/* The message of what is kept in status and error. */
static spk_status tell(spk_context *context, const spk_output *output)
{
    const char *name = name_of(output);
    if (output->status == SPK_ERR_PIPE)
        return spk_fail(context, SPK_ERR_PIPE, "%s: the reader went away", name);
    if (output->status == SPK_ERR_CANCELLED)
        return spk_fail(context, SPK_ERR_CANCELLED, "%s: interrupted, and nobody reads the rest",
                        name);
    if (output->error == EFBIG)
        return spk_fail(context, SPK_ERR_IO,
                        "%s: writing failed: %s; raise the limit of the shell (ulimit -f) or "
                        "write less",
                        name, strerror(output->error));
    if (output->error == EDQUOT)
        return spk_fail(context, SPK_ERR_IO,
                        "%s: writing failed: %s; remove files of yours or write elsewhere", name,
                        strerror(output->error));
    return spk_fail(context, SPK_ERR_IO, "%s: writing failed: %s; is the disk full?", name,
                    strerror(output->error));
}

static spk_status fail_write(spk_output *output, int error)
{
    bool left = error == EPIPE ||
                (output->descriptor >= 0 && error != ENOSPC && reader_left(output->descriptor));
    output->status = left ? SPK_ERR_PIPE : SPK_ERR_IO;
    output->error = error != 0 ? error : EIO;
    return output->status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Stops before the disk is full to the last byte, which hurts all who write there. */
static spk_status check_disk(spk_output *output)
{
    struct statvfs disk;
    if (output->may_wait || output->written - output->looked < BYTES_BETWEEN_LOOKS)
        return SPK_OK;
    output->looked = output->written;
    if (fstatvfs(output->descriptor, &disk) != 0)
        return SPK_OK;
    uint64_t unit = disk.f_frsize;
    uint64_t reserve = spk_context_disk_reserve(output->context);
    if (reserve == 0) {
        reserve = (uint64_t)disk.f_blocks * unit / 100;
        reserve = reserve < LARGEST_RESERVE ? reserve : LARGEST_RESERVE;
    }
    if (disk.f_blocks == 0 || (uint64_t)disk.f_bavail * unit >= reserve)
        return SPK_OK;
    return fail_write(output, ENOSPC);
}

/* Waits until a pipe takes bytes; after a cancel not for long. */
static spk_status wait_for_reader(spk_output *output)
{
    struct pollfd end = {.fd = output->descriptor, .events = POLLOUT};
    while (poll(&end, 1, WAIT_MS) <= 0) {
        if (!spk_context_cancelled(output->context))
            continue;
        double now = spk_seconds_now();
        output->until = output->until > 0 ? output->until : now + GRACE_S;
        if (now >= output->until)
            return output->status = SPK_ERR_CANCELLED;
    }
    return SPK_OK;
}

/* Puts bytes into the file. A pipe that takes bytes takes at least PIPE_BUF of them at once. */
static spk_status store(spk_output *output, const char *bytes, size_t n)
{
    while (n > 0 && output->status == SPK_OK) {
        size_t part = n;
        if (output->may_wait) {
            part = n < PIPE_BUF ? n : PIPE_BUF;
            if (wait_for_reader(output) != SPK_OK)
                break;
        }
        ssize_t stored = write(output->descriptor, bytes, part);
        if (stored < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (stored <= 0)
            return fail_write(output, stored < 0 ? errno : EIO);
        bytes += stored;
        n -= (size_t)stored;
        output->written += (uint64_t)stored;
    }
    return output->status == SPK_OK ? check_disk(output) : output->status;
}

static bool store_compressed(void *user, const char *bytes, size_t n)
{
    return store(user, bytes, n) == SPK_OK;
}

static void set_mark(void *user)
{
    spk_output *output = user;
#ifdef SYNC_FILE_RANGE_WRITE /* the disk begins with what is there, so that the end waits less */
    if (!output->in_place)
        (void)sync_file_range(output->descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
    output->marked_before = output->marked;
    output->marked = output->written;
    output->has_mark = true;
}

static void compress(spk_output *output, const char *bytes, size_t n)
{
    output->compressed = true;
    if (!spk_compressor_write(output->compressor, bytes, n) && output->status == SPK_OK)
        fail_write(output, errno);
}

/* Hands on what the compressor holds back. A file is never quite empty then: readers want a head.
 */
static void flush_compressor(spk_output *output)
{
    if (output->compressor == NULL || output->status != SPK_OK)
        return;
    if (!output->compressed)
        compress(output, "", 0);
    if (!spk_compressor_flush(output->compressor) && output->status == SPK_OK)
        fail_write(output, errno);
}

spk_status spk_output_write(spk_context *context, spk_output *output, const char *bytes, size_t n)
{
    if (output->status == SPK_OK && output->compressor != NULL)
        compress(output, bytes, n);
    else if (output->status == SPK_OK)
        store(output, bytes, n);
    return output->status == SPK_OK ? SPK_OK : tell(context, output);
}

/* What the stream gives away; false: it cannot be written. */
static bool take_from_stream(spk_output *output, const char *bytes, size_t n)
{
    return output->dropped || spk_output_write(output->context, output, bytes, n) == SPK_OK;
}

#ifdef __APPLE__
static int write_stream(void *output, const char *bytes, int n)
{
    return take_from_stream(output, bytes, (size_t)n) ? n : -1;
}
#else
static ssize_t write_stream(void *output, const char *bytes, size_t n)
{
    return take_from_stream(output, bytes, n) ? (ssize_t)n : 0;
}
#endif

static spk_status open_stream(spk_context *context, spk_output *output)
{
#ifdef __APPLE__
    output->stream = funopen(output, NULL, write_stream, NULL, NULL);
#else
    output->stream = fopencookie(output, "w", (cookie_io_functions_t){.write = write_stream});
#endif
    return output->stream != NULL ? SPK_OK : spk_fail_memory(context, BUFSIZ, "an output");
}

FILE *spk_output_stream(spk_output *output)
{
    assert(output != NULL && output->stream != NULL);
    return output->stream;
}

spk_status spk_output_flush(spk_context *context, spk_output *output)
{
    if (fflush(output->stream) != 0 && output->status == SPK_OK)
        fail_write(output, errno);
    return output->status == SPK_OK ? SPK_OK : tell(context, output);
}

/* ---- opening --------------------------------------------------------------------------------- */

static spk_status cannot_write(spk_context *context, const spk_output *output, int error)
{
    return spk_fail(context, SPK_ERR_IO, "%s: cannot write here: %s; choose another place",
                    output->path, strerror(error));
}

/* A descriptor of our own for what is open already, so that both write at one place in the file. */
static spk_status open_descriptor(spk_context *context, spk_output *output)
{
    int from = output->place.descriptor;
    output->in_place = true;
    if (strcmp(output->path, "-") == 0) {
        fflush(stdout); /* what was printed before stands before */
        output->descriptor = from;
        return SPK_OK;
    }
    output->descriptor = fcntl(from, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    output->owned = output->descriptor >= 0;
    if (!output->owned)
        return cannot_write(context, output, errno);
    if ((fcntl(output->descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return cannot_write(context, output, EBADF);
    return SPK_OK;
}

static spk_status open_special(spk_context *context, spk_output *output)
{
    output->in_place = true;
    output->descriptor = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    output->owned = output->descriptor >= 0;
    return output->owned ? SPK_OK : cannot_write(context, output, errno);
}

/* The new file is as readable as the one that it replaces, and belongs to the same user and group
 * where we may say so. */
static int keep_mode(const spk_output *output)
{
    const struct stat *info = &output->place.info;
    if (info->st_uid != geteuid() || info->st_gid != getegid()) {
        int ignored = fchown(output->descriptor, info->st_uid, info->st_gid);
        (void)ignored;
    }
    return fchmod(output->descriptor, info->st_mode & 0777) == 0 ? 0 : errno;
}

/* Whether a file that the job has read would be lost; `path` is the name that the output gets. */
static spk_status check_reads(spk_context *context, const spk_output *output, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || !spk_reads_has(context, &info))
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "%s: is one of the files that were read, and would be lost; choose another "
                    "file",
                    output->path);
}

static spk_status open_file(spk_context *context, spk_output *output)
{
    bool replaces = output->place.kind == SPK_PLACE_FILE;
    char *target = NULL;
    spk_status status = spk_place_path(context, &output->place, output->place.name, &target);
    if (status != SPK_OK)
        return status;
    if (replaces && faccessat(AT_FDCWD, target, W_OK, AT_EACCESS) != 0) {
        status = spk_fail(context, SPK_ERR_IO,
                          "%s: is write-protected: %s; allow writing (chmod u+w) or choose another "
                          "name",
                          output->path, strerror(errno));
        goto done;
    }
    status = check_reads(context, output, target);
    if (status != SPK_OK)
        goto done;
    int error =
        spk_temporary_create(context, output->place.folder, replaces ? 0600 : 0666, &output->file);
    output->descriptor = output->file.descriptor;
    if (error == 0 && replaces)
        error = keep_mode(output);
    if (error != 0)
        status = cannot_write(context, output, error);
done:
    free(target);
    return status;
}

static spk_status open_place(spk_context *context, spk_output *output)
{
    struct stat info;
    spk_status status = SPK_OK;
    if (output->place.kind == SPK_PLACE_DESCRIPTOR)
        status = open_descriptor(context, output);
    else if (output->place.kind == SPK_PLACE_SPECIAL)
        status = open_special(context, output);
    else
        status = open_file(context, output);
    output->may_wait =
        status == SPK_OK && fstat(output->descriptor, &info) == 0 && !S_ISREG(info.st_mode);
    return status;
}

/* What ranks other than 0 write goes nowhere, except what is theirs alone (a checkpoint). */
static const char *where(const spk_context *context, const char *path)
{
    return spk_context_rank(context) == 0 ? path : "/dev/null";
}

spk_status spk_output_open(spk_context *context, const char *path, spk_output **out)
{
    return spk_output_open_own(context, where(context, path), out);
}

spk_status spk_output_open_own(spk_context *context, const char *path, spk_output **out)
{
    *out = NULL;
    spk_output *output = NULL;
    spk_status status = spk_alloc_zero(context, &output, 1, "an output");
    if (status != SPK_OK)
        return status;
    output->context = context;
    output->descriptor = -1;
    output->file = (spk_temporary){.folder = -1, .descriptor = -1};
    status = spk_strdup(context, &output->path, path);
    if (status == SPK_OK)
        status = spk_place_find(context, path, &output->place);
    const spk_compressor_sink sink = {store_compressed, set_mark, output};
    if (status == SPK_OK)
        status = spk_compressor_create(context, path, &sink, &output->compressor);
    if (status == SPK_OK)
        status = open_place(context, output);
    if (status == SPK_OK)
        status = open_stream(context, output);
    if (status == SPK_OK)
        *out = output;
    else
        spk_output_discard(output);
    return status;
}

/* ---- what is complete ------------------------------------------------------------------------ */

spk_status spk_output_mark_soon(spk_context *context, spk_output *output)
{
    spk_status status = spk_output_flush(context, output);
    if (status == SPK_OK && output->compressor != NULL)
        spk_compressor_mark(output->compressor);
    else if (status == SPK_OK)
        set_mark(output);
    return status;
}

spk_status spk_output_mark(spk_context *context, spk_output *output)
{
    spk_status status = spk_output_flush(context, output);
    flush_compressor(output);
    if (status == SPK_OK && output->status != SPK_OK)
        status = tell(context, output);
    return status == SPK_OK ? spk_output_mark_soon(context, output) : status;
}

bool spk_output_cut(spk_output *output, bool one_more)
{
    uint64_t end = one_more ? output->marked_before : output->marked;
#ifndef __APPLE__
    assert(__fpending(output->stream) == 0); /* what the stream holds back cannot be cut */
#endif
    bool pending = output->compressor != NULL && spk_compressor_is_pending(output->compressor);
    if (output->in_place)
        return output->written == end && output->status == SPK_OK && !pending;
    if (!output->has_mark || ftruncate(output->descriptor, (off_t)end) != 0 ||
        lseek(output->descriptor, (off_t)end, SEEK_SET) < 0)
        return false;
    output->written = end;
    output->looked = end;
    output->status = SPK_OK;
    return output->compressor == NULL || spk_compressor_go_back(output->compressor);
}

/* ---- the end --------------------------------------------------------------------------------- */

static spk_status finish_stream(spk_context *context, spk_output *output)
{
    FILE *stream = output->stream;
    output->stream = NULL;
    errno = 0;
    if (stream != NULL && fclose(stream) != 0 && output->status == SPK_OK)
        fail_write(output, errno);
    flush_compressor(output);
    return output->status == SPK_OK ? SPK_OK : tell(context, output);
}

/* Some file systems have nothing to wait for, and say so. */
static bool reached_disk(int descriptor)
{
    return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOSYS || errno == EROFS;
}

/* The name is on the disk when the folder is; where that fails the result is there all the same. */
static void sync_folder(const spk_output *output)
{
    int folder = open(output->place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    fsync(folder);
    close(folder);
}

static spk_status give_name(spk_context *context, spk_output *output, const char *name)
{
    char *path = NULL;
    spk_status status = spk_place_path(context, &output->place, name, &path);
    if (status == SPK_OK)
        status = check_reads(context, output, path);
    free(path);
    int error = status == SPK_OK ? spk_temporary_rename(&output->file, name) : 0;
    if (status != SPK_OK)
        return status;
    return error == 0 ? SPK_OK
                      : spk_fail(context, SPK_ERR_IO, "%s: cannot rename onto %s: %s", output->path,
                                 name, strerror(error));
}

static spk_status end_complete(spk_context *context, spk_output *output)
{
    if (output->in_place)
        return SPK_OK;
    if (!reached_disk(output->descriptor)) {
        fail_write(output, errno);
        return tell(context, output);
    }
    spk_status status = give_name(context, output, output->place.name);
    if (status == SPK_OK)
        sync_folder(output);
    return status;
}

static spk_status end_incomplete(spk_context *context, spk_output *output, const char *why)
{
    char *name = NULL;
    char *path = NULL;
    spk_status status = SPK_OK;
    if (!output->in_place) {
        status = spk_place_incomplete_name(context, &output->place, &name);
        if (status == SPK_OK)
            status = spk_place_path(context, &output->place, name, &path);
        if (status == SPK_OK)
            status = give_name(context, output, name);
    }
    if (status == SPK_OK)
        spk_note(context, "%s: %s", path != NULL ? path : name_of(output), why);
    free(name);
    free(path);
    return status;
}

/* Closes what is ours; some file systems tell only now that bytes were lost. */
static int close_file(spk_output *output)
{
    int error = 0;
    if (output->owned && close(output->descriptor) != 0)
        error = errno;
    output->owned = false;
    output->descriptor = -1;
    int file_error = spk_temporary_close(&output->file);
    return error != 0 ? error : file_error;
}

static spk_status commit(spk_context *context, spk_output *output, const char *incomplete)
{
    if (output == NULL)
        return SPK_OK;
    assert(output->descriptor >= 0); /* an output is committed once */
    spk_status status = finish_stream(context, output);
    if (status == SPK_OK)
        status = incomplete != NULL ? end_incomplete(context, output, incomplete)
                                    : end_complete(context, output);
    if (status == SPK_OK) {
        int error = close_file(output);
        if (error != 0 && error != EINTR) {
            fail_write(output, error);
            status = tell(context, output);
        }
    }
    spk_output_discard(output);
    return status;
}

spk_status spk_output_commit(spk_context *context, spk_output *output)
{
    return commit(context, output, NULL);
}

spk_status spk_output_commit_incomplete(spk_context *context, spk_output *output, const char *why)
{
    return commit(context, output, why);
}

void spk_output_discard(spk_output *output)
{
    if (output == NULL)
        return;
    output->dropped = true;
    if (output->stream != NULL)
        fclose(output->stream);
    spk_compressor_free(output->compressor);
    close_file(output);
    spk_place_free(&output->place);
    free(output->path);
    free(output);
}
