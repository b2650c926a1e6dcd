/* Output files that appear only when complete. */
#include "base/output.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

struct spk_output {
    FILE *stream;
    char *path;
    char *temporary; /* NULL for standard output and for what cannot be renamed onto (devices) */
};

static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static spk_status open_temporary(spk_context *context, spk_output *output)
{
    size_t bytes = strlen(output->path) + sizeof ".XXXXXX.tmp";
    spk_status status = spk_alloc(context, &output->temporary, bytes, "a file name");
    if (status != SPK_OK)
        return status;
    snprintf(output->temporary, bytes, "%s.%06ld.tmp", output->path, (long)getpid() % 1000000);
    output->stream = fopen(output->temporary, "wb");
    if (output->stream != NULL)
        return SPK_OK;
    int error = errno;
    free(output->temporary);
    output->temporary = NULL;
    return spk_fail(context, SPK_ERR_IO, "%s: cannot write here: %s; choose another place",
                    output->path, strerror(error));
}

spk_status spk_output_open(spk_context *context, const char *path, spk_output **out)
{
    *out = NULL;
    spk_output *output = NULL;
    spk_status status = spk_alloc_zero(context, &output, 1, "an output");
    if (status != SPK_OK)
        return status;
    status = spk_strdup(context, &output->path, path);
    struct stat info;
    if (status != SPK_OK)
        goto done;
    if (strcmp(path, "-") == 0) {
        output->stream = stdout;
    } else if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        status = spk_fail(context, SPK_ERR_IO, "%s: is a directory; give a file name", path);
    } else if (is_special(path)) {
        output->stream = fopen(path, "wb");
        if (output->stream == NULL)
            status = spk_fail(context, SPK_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    } else {
        status = open_temporary(context, output);
    }
done:
    if (status == SPK_OK)
        *out = output;
    else
        spk_output_discard(output);
    return status;
}

FILE *spk_output_stream(spk_output *output)
{
    assert(output != NULL && output->stream != NULL);
    return output->stream;
}

/* Whether nobody reads what we write: the other end of a pipe is closed. Streams forget why they
 * failed before, the pipe does not. */
static bool reader_left(FILE *stream)
{
    struct pollfd end = {.fd = fileno(stream), .events = POLLOUT};
    return poll(&end, 1, 0) > 0 && (end.revents & (POLLERR | POLLHUP)) != 0;
}

/* After a failure, `error` being errno or 0. */
static spk_status fail_write(spk_context *context, const spk_output *output, int error)
{
    const char *name = output->stream == stdout ? "standard output" : output->path;
    if (error == EPIPE || (output->stream != NULL && reader_left(output->stream)))
        return spk_fail(context, SPK_ERR_PIPE, "%s: the reader went away", name);
    return spk_fail(context, SPK_ERR_IO, "%s: writing failed: %s; is the disk full?", name,
                    strerror(error != 0 ? error : EIO));
}

spk_status spk_output_write(spk_context *context, spk_output *output, const char *bytes, size_t n)
{
    errno = 0;
    return fwrite(bytes, 1, n, output->stream) == n ? SPK_OK : fail_write(context, output, errno);
}

spk_status spk_output_flush(spk_context *context, spk_output *output)
{
    errno = 0;
    bool good = fflush(output->stream) == 0 && ferror(output->stream) == 0;
    return good ? SPK_OK : fail_write(context, output, errno);
}

/* Flushes and closes. */
static spk_status finish_stream(spk_context *context, spk_output *output)
{
    spk_status status = spk_output_flush(context, output);
    if (output->stream == stdout)
        return status;
    FILE *stream = output->stream;
    output->stream = NULL;
    errno = 0;
    bool closed = fclose(stream) == 0;
    return status == SPK_OK && !closed ? fail_write(context, output, errno) : status;
}

static spk_status give_name(spk_context *context, spk_output *output, const char *name)
{
    if (rename(output->temporary, name) != 0)
        return spk_fail(context, SPK_ERR_IO, "%s: cannot rename onto it: %s", name,
                        strerror(errno));
    free(output->temporary);
    output->temporary = NULL;
    return SPK_OK;
}

static spk_status commit(spk_context *context, spk_output *output, const char *suffix)
{
    if (output == NULL)
        return SPK_OK;
    assert(output->stream != NULL); /* an output is committed once */
    char *name = NULL;
    size_t bytes = strlen(output->path) + strlen(suffix) + 1;
    spk_status status = spk_alloc(context, &name, bytes, "a file name");
    if (status != SPK_OK)
        goto done;
    snprintf(name, bytes, "%s%s", output->path, suffix);
    status = finish_stream(context, output);
    if (status == SPK_OK && output->temporary != NULL)
        status = give_name(context, output, name);
done:
    free(name);
    spk_output_discard(output);
    return status;
}

spk_status spk_output_commit(spk_context *context, spk_output *output)
{
    return commit(context, output, "");
}

spk_status spk_output_commit_incomplete(spk_context *context, spk_output *output)
{
    return commit(context, output, ".incomplete");
}

void spk_output_discard(spk_output *output)
{
    if (output == NULL)
        return;
    if (output->stream != NULL && output->stream != stdout)
        fclose(output->stream);
    if (output->temporary != NULL) {
        remove(output->temporary);
        free(output->temporary);
    }
    free(output->path);
    free(output);
}
