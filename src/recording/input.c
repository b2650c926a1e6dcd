/*
 * Bytes in: stored bytes come from a descriptor or memory and pass the digest. Compressed ones are
 * recognised by their first bytes and go through libarchive's raw format.
 */
#include "recording/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/build_config.h"
#include "base/memory.h"
#include "base/reads.h"
#include "recording/digest_state.h"

#if SPIKEMINE_HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

enum { HEAD_BYTES = 8, BLOCK_BYTES = 1 << 16 };

struct spk_input {
    char *name;
    int descriptor;     /* -1 for memory */
    const char *memory; /* not owned */
    size_t memory_left;
    uint64_t stored_size; /* of the file, 0 when unknown */
    uint64_t stored_read;
    uint64_t wanted;   /* bytes that are to be read, for progress; 0 when unknown */
    bool is_named;     /* the file was opened by its name: no other program moves in it */
    bool undigested;   /* it was read from another place than its beginning */
    uint64_t expanded; /* bytes that came out of the compressed ones */
    unsigned char head[HEAD_BYTES]; /* read for recognition, handed out again */
    size_t head_size;
    size_t head_used;
    char *peeked; /* decompressed bytes that were looked at, handed out again */
    size_t n_peeked;
    size_t n_peeked_used;
    int error;               /* errno of the last failed read */
    const char *compression; /* "gzip", ... or NULL */
#if SPIKEMINE_HAVE_LIBARCHIVE
    struct archive *archive;
    char *block;
    size_t n_block;     /* stored bytes in it */
    bool has_been_read; /* to the end, behind which nothing is */
#endif
    spk_digest_state digest;
};

/* ---- stored bytes ---------------------------------------------------------------------------- */

static bool read_source(spk_input *input, char *buffer, size_t size, size_t *n_read)
{
    *n_read = 0;
    if (input->descriptor < 0) {
        *n_read = size < input->memory_left ? size : input->memory_left;
        if (*n_read > 0)
            memcpy(buffer, input->memory, *n_read);
        input->memory += *n_read;
        input->memory_left -= *n_read;
        return true;
    }
    while (*n_read < size) {
        ssize_t n = read(input->descriptor, buffer + *n_read, size - *n_read);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            input->error = errno;
            return false;
        }
        if (n == 0)
            break;
        *n_read += (size_t)n;
    }
    return true;
}

/* Reads fresh bytes past the digest; a pipe's short reads are filled up. */
static bool read_digested(spk_input *input, char *buffer, size_t size, size_t *n_read)
{
    if (!read_source(input, buffer, size, n_read))
        return false;
    input->stored_read += *n_read;
    if (!input->undigested)
        spk_digest_state_add(&input->digest, buffer, *n_read);
    return true;
}

/* Stored bytes, beginning with those already read for recognition. */
static bool read_stored(spk_input *input, char *buffer, size_t size, size_t *n_read)
{
    assert(input->head_used <= input->head_size && input->head_size <= HEAD_BYTES);
    size_t again = input->head_size - input->head_used;
    if (again > size)
        again = size;
    memcpy(buffer, input->head + input->head_used, again);
    input->head_used += again;
    size_t fresh = 0;
    if (!read_digested(input, buffer + again, size - again, &fresh))
        return false;
    *n_read = again + fresh;
    return true;
}

static spk_status fail_read(spk_context *context, const spk_input *input)
{
    return spk_fail(context, SPK_ERR_IO, "%s: reading failed: %s", input->name,
                    strerror(input->error));
}

/* ---- compressed bytes ------------------------------------------------------------------------ */

/* What the first bytes say; NULL for plain. bzip2's "BZh9" is text too, so its block mark counts.
 */
static const char *recognise(const unsigned char *head, size_t n)
{
    if (n >= 2 && head[0] == 0x1f && head[1] == 0x8b)
        return "gzip";
    if (n >= 6 && memcmp(head, "BZh", 3) == 0 &&
        (memcmp(head + 4, "1A", 2) == 0 || (head[4] == 0x17 && head[5] == 0x72)))
        return "bzip2";
    if (n >= 6 && memcmp(head,
                         "\xfd"
                         "7zXZ\0",
                         6) == 0)
        return "xz";
    if (n >= 4 && memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0)
        return "zstd";
    return NULL;
}

#if SPIKEMINE_HAVE_LIBARCHIVE

static la_ssize_t feed_archive(struct archive *archive, void *user, const void **block)
{
    spk_input *input = user;
    size_t n = 0;
    if (!read_stored(input, input->block, BLOCK_BYTES, &n)) {
        archive_set_error(archive, input->error, "%s", strerror(input->error));
        return ARCHIVE_FATAL;
    }
    *block = input->block;
    if (n > 0) /* else the last ones are still there */
        input->n_block = n;
    return (la_ssize_t)n;
}

static spk_status fail_archive(spk_context *context, const spk_input *input)
{
    if (input->error != 0)
        return fail_read(context, input);
    const char *why = archive_error_string(input->archive);
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s: the %s data is damaged or cut off (%s); fetch or compress it again",
                    input->name, input->compression,
                    why != NULL ? why : "nothing found to decompress");
}

static bool support_filter(struct archive *archive, const char *compression)
{
    int result = ARCHIVE_FATAL;
    if (strcmp(compression, "gzip") == 0)
        result = archive_read_support_filter_gzip(archive);
    else if (strcmp(compression, "bzip2") == 0)
        result = archive_read_support_filter_bzip2(archive);
    else if (strcmp(compression, "xz") == 0)
        result = archive_read_support_filter_xz(archive);
    else
        result = archive_read_support_filter_zstd(archive);
    return result == ARCHIVE_OK;
}

static spk_status open_archive(spk_context *context, spk_input *input)
{
    spk_status status = spk_alloc(context, &input->block, BLOCK_BYTES, "reading");
    if (status != SPK_OK)
        return status;
    input->archive = archive_read_new();
    if (input->archive == NULL)
        return spk_fail_memory(context, BLOCK_BYTES, "decompression");
    if (!support_filter(input->archive, input->compression))
        return spk_fail(context, SPK_ERR_UNAVAILABLE,
                        "%s: compressed with %s, which this libarchive cannot read; decompress it "
                        "first",
                        input->name, input->compression);
    archive_read_support_format_raw(input->archive);
    archive_read_support_format_empty(input->archive);
    struct archive_entry *entry = NULL;
    if (archive_read_set_read_callback(input->archive, feed_archive) != ARCHIVE_OK ||
        archive_read_set_callback_data(input->archive, input) != ARCHIVE_OK)
        return spk_fail_memory(context, BLOCK_BYTES, "decompression");
    if (archive_read_open1(input->archive) != ARCHIVE_OK)
        return fail_archive(context, input);
    /* Empty data have no entry, and nothing that can be read. */
    int result = archive_read_next_header(input->archive, &entry);
    if (result != ARCHIVE_OK && result != ARCHIVE_EOF)
        return fail_archive(context, input);
    input->has_been_read = result == ARCHIVE_EOF;
    /* Without the filter the stored bytes would pass as they are: the head of the data is broken.
     */
    if (archive_filter_code(input->archive, 0) == ARCHIVE_FILTER_NONE)
        return fail_archive(context, input);
    return SPK_OK;
}

/* From here on the growth of a file counts: what fits is no danger. */
static const uint64_t FREE_EXPANSION = 64000000;

static spk_status check_expansion(spk_context *context, const spk_input *input)
{
    uint64_t times = spk_context_max_expansion(context), most = 0;
    if (input->expanded <= FREE_EXPANSION ||
        __builtin_mul_overflow(times, input->stored_read, &most) || input->expanded <= most)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_RANGE,
                    "%s: %" PRIu64 " bytes of %s data grow to more than %" PRIu64
                    " times as many, which no recording does; look at what the file holds, or "
                    "raise --max-expansion",
                    input->name, input->stored_read, input->compression, times);
}

static bool are_zero(const char *byte, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (byte[k] != 0)
            return false;
    return true;
}

/* Behind the compressed data only zeros may follow, as tapes have them. libarchive ends where the
 * next of several members, as bgzip and cat make them, has a damaged head: all behind would be
 * lost. */
static spk_status check_rest(spk_context *context, spk_input *input)
{
    const uint64_t used = (uint64_t)archive_filter_bytes(input->archive, -1);
    uint64_t left = used < input->stored_read ? input->stored_read - used : 0;
    left = left < input->n_block ? left : input->n_block;
    bool is_well = are_zero(input->block + input->n_block - left, left);
    for (size_t n = 1; is_well && n > 0;) {
        if (!read_stored(input, input->block, BLOCK_BYTES, &n))
            return fail_read(context, input);
        is_well = are_zero(input->block, n);
    }
    input->has_been_read = true;
    return is_well ? SPK_OK
                   : spk_fail(context, SPK_ERR_FORMAT,
                              "%s: behind %" PRIu64 " bytes of %s data follow others, which are "
                              "none: damaged data, or another file; fetch or compress it again",
                              input->name, used, input->compression);
}

static spk_status read_archive(spk_context *context, spk_input *input, char *buffer, size_t size,
                               size_t *n_read)
{
    while (*n_read < size && !input->has_been_read) {
        la_ssize_t n = archive_read_data(input->archive, buffer + *n_read, size - *n_read);
        if (n == ARCHIVE_RETRY)
            continue;
        if (n < 0)
            return fail_archive(context, input);
        const spk_status status = n == 0 ? check_rest(context, input) : SPK_OK;
        if (status != SPK_OK)
            return status;
        *n_read += (size_t)n;
    }
    input->expanded += *n_read;
    return check_expansion(context, input);
}

#else

static spk_status open_archive(spk_context *context, spk_input *input)
{
    return spk_fail(
        context, SPK_ERR_UNAVAILABLE,
        "%s: compressed with %s, and this build has no libarchive; decompress it first, "
        "or install libarchive-dev and build again",
        input->name, input->compression);
}

#endif

/* ---- opening and closing --------------------------------------------------------------------- */

static spk_status open_descriptor(spk_context *context, spk_input *input, const char *path)
{
    struct stat info = {.st_size = 0};
    if (strcmp(path, "-") == 0) {
        input->descriptor = STDIN_FILENO;
    } else {
        input->descriptor = open(path, O_RDONLY | O_CLOEXEC);
        if (input->descriptor < 0)
            return spk_fail(context, SPK_ERR_IO, "%s: cannot open: %s; check the name", path,
                            strerror(errno));
    }
    if (fstat(input->descriptor, &info) == 0 && S_ISDIR(info.st_mode))
        return spk_fail(context, SPK_ERR_IO, "%s: is a directory; give a file in it", path);
    if (fstat(input->descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
        input->stored_size = (uint64_t)info.st_size;
    input->is_named = input->stored_size > 0 && input->descriptor != STDIN_FILENO;
    input->wanted = input->stored_size;
    return SPK_OK;
}

/* Reads the head and prepares decompression; takes the half-made input over. */
static spk_status finish_open(spk_context *context, spk_input *input, spk_input **out)
{
    spk_status status = SPK_OK;
    spk_digest_state_start(&input->digest);
    if (!read_digested(input, (char *)input->head, HEAD_BYTES, &input->head_size))
        status = fail_read(context, input);
    if (status == SPK_OK) {
        input->compression = recognise(input->head, input->head_size);
        if (input->compression != NULL)
            status = open_archive(context, input);
    }
    if (status == SPK_OK)
        *out = input;
    else
        spk_input_close(input);
    return status;
}

static spk_status create(spk_context *context, const char *name, spk_input **out)
{
    spk_status status = spk_alloc_zero(context, out, 1, "an input");
    if (status != SPK_OK)
        return status;
    (*out)->descriptor = -1;
    return spk_strdup(context, &(*out)->name, name);
}

spk_status spk_input_open(spk_context *context, const char *path, spk_input **out)
{
    spk_status status = spk_input_open_own(context, path, out);
    if (status == SPK_OK)
        status = spk_reads_add(context, (*out)->descriptor);
    if (status != SPK_OK) {
        spk_input_close(*out);
        *out = NULL;
    }
    return status;
}

spk_status spk_input_open_own(spk_context *context, const char *path, spk_input **out)
{
    *out = NULL;
    spk_input *input = NULL;
    spk_status status = create(context, strcmp(path, "-") == 0 ? "standard input" : path, &input);
    if (status == SPK_OK)
        status = open_descriptor(context, input, path);
    if (status == SPK_OK)
        return finish_open(context, input, out);
    spk_input_close(input);
    return status;
}

spk_status spk_input_open_memory(spk_context *context, const char *name, const void *bytes,
                                 size_t n, spk_input **out)
{
    *out = NULL;
    spk_input *input = NULL;
    spk_status status = create(context, name, &input);
    if (status == SPK_OK) {
        input->memory = bytes;
        input->memory_left = n;
        return finish_open(context, input, out);
    }
    spk_input_close(input);
    return status;
}

const char *spk_input_name(const spk_input *input)
{
    return input->name;
}

/* Decompressed bytes behind those that were looked at. */
static spk_status read_fresh(spk_context *context, spk_input *input, char *buffer, size_t size,
                             size_t *n_read)
{
    *n_read = 0;
    spk_progress(context, "reading", input->stored_read, input->wanted);
    spk_status status = spk_check_cancel(context);
    if (status != SPK_OK)
        return status;
#if SPIKEMINE_HAVE_LIBARCHIVE
    if (input->archive != NULL)
        return read_archive(context, input, buffer, size, n_read);
#endif
    return read_stored(input, buffer, size, n_read) ? SPK_OK : fail_read(context, input);
}

spk_status spk_input_peek(spk_context *context, spk_input *input, size_t n,
                          const unsigned char **head, size_t *n_head)
{
    assert(input->peeked == NULL);
    spk_status status = spk_alloc(context, &input->peeked, n, "reading");
    if (status == SPK_OK)
        status = read_fresh(context, input, input->peeked, n, &input->n_peeked);
    *head = (const unsigned char *)input->peeked;
    *n_head = input->n_peeked;
    return status;
}

spk_status spk_input_read(spk_context *context, spk_input *input, char *buffer, size_t size,
                          size_t *n_read)
{
    size_t again = input->n_peeked - input->n_peeked_used;
    if (again > size)
        again = size;
    if (again > 0)
        memcpy(buffer, input->peeked + input->n_peeked_used, again);
    input->n_peeked_used += again;
    *n_read = again;
    if (again == size)
        return SPK_OK;
    size_t fresh = 0;
    spk_status status = read_fresh(context, input, buffer + again, size - again, &fresh);
    *n_read += fresh;
    return status;
}

uint64_t spk_input_plain_size(const spk_input *input)
{
    return input->compression == NULL ? input->stored_size : 0;
}

/* ---- other places than the beginning --------------------------------------------------------- */

bool spk_input_can_seek(const spk_input *input)
{
    return input->is_named && input->compression == NULL;
}

static spk_status fail_seek(spk_context *context, spk_input *input)
{
    input->error = errno;
    return fail_read(context, input);
}

spk_status spk_input_seek(spk_context *context, spk_input *input, uint64_t at, uint64_t wanted)
{
    assert(spk_input_can_seek(input) && at <= input->stored_size);
    if (lseek(input->descriptor, (off_t)at, SEEK_SET) < 0)
        return fail_seek(context, input);
    input->head_used = input->head_size;
    input->n_peeked_used = input->n_peeked;
    input->stored_read = 0;
    input->wanted = wanted;
    input->undigested = true;
    return SPK_OK;
}

spk_status spk_input_rewind(spk_context *context, spk_input *input)
{
    spk_status status = spk_input_seek(context, input, 0, input->stored_size);
    if (status != SPK_OK)
        return status;
    spk_digest_state_start(&input->digest);
    input->undigested = false;
    return SPK_OK;
}

spk_status spk_input_read_at(spk_context *context, spk_input *input, uint64_t at, char *buffer,
                             size_t size, size_t *n_read)
{
    assert(spk_input_can_seek(input));
    *n_read = 0;
    spk_status status = spk_check_cancel(context);
    while (status == SPK_OK && *n_read < size) {
        ssize_t n =
            pread(input->descriptor, buffer + *n_read, size - *n_read, (off_t)(at + *n_read));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_seek(context, input);
        if (n == 0)
            break;
        *n_read += (size_t)n;
    }
    return status;
}

spk_status spk_input_digest(spk_context *context, spk_input *input, char hex[65])
{
    hex[0] = '\0';
    /* What lies behind the end of the compressed data belongs to the file. */
    char rest[4096];
    size_t n = 0;
    do {
        if (!read_digested(input, rest, sizeof rest, &n))
            return fail_read(context, input);
    } while (n > 0);
    spk_digest_state_end(&input->digest, hex);
    return SPK_OK;
}

void spk_input_close(spk_input *input)
{
    if (input == NULL)
        return;
#if SPIKEMINE_HAVE_LIBARCHIVE
    archive_read_free(input->archive);
    free(input->block);
#endif
    if (input->descriptor > STDIN_FILENO)
        close(input->descriptor);
    spk_free_all(input->peeked, input->name, input);
}
