/* Zip archives of arrays, through libarchive. */
#include "recording/readers/archive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/build_config.h"
#include "base/memory.h"

#if SPIKEMINE_HAVE_LIBARCHIVE

#include <archive.h>
#include <archive_entry.h>

enum { BLOCK_BYTES = 1 << 16, MOST_MEMBERS = 100000 };

/* What is small may grow as it likes. */
static const uint64_t FREE_EXPANSION = 64000000;

const char *spk_archive_missing(void)
{
    return NULL;
}

/* ---- opening --------------------------------------------------------------------------------- */

static spk_status fail_archive(spk_context *context, const spk_archive *archive,
                               struct archive *zip)
{
    const char *why = zip != NULL ? archive_error_string(zip) : NULL;
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s: the archive is damaged or cut off (%.100s); fetch or save it again",
                    archive->name, why != NULL ? why : "nothing found");
}

static spk_status start(spk_context *context, const spk_archive *archive, struct archive **out)
{
    struct archive *zip = archive_read_new();
    *out = zip;
    if (zip == NULL)
        return spk_fail_memory(context, BLOCK_BYTES, "an archive");
    archive_read_support_format_zip(zip);
    int result = archive->path != NULL
                     ? archive_read_open_filename(zip, archive->path, BLOCK_BYTES)
                     : archive_read_open_memory(zip, archive->bytes, archive->n_bytes);
    return result == ARCHIVE_OK ? SPK_OK : fail_archive(context, archive, zip);
}

/* The next array's name, to be freed; NULL at the end. */
static spk_status next_array(spk_context *context, const spk_archive *archive, struct archive *zip,
                             char **name)
{
    struct archive_entry *entry = NULL;
    *name = NULL;
    for (;;) {
        int result = archive_read_next_header(zip, &entry);
        if (result == ARCHIVE_EOF)
            return SPK_OK;
        if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
            return fail_archive(context, archive, zip);
        const char *path = archive_entry_pathname(entry);
        size_t n = path != NULL ? strlen(path) : 0;
        if (n <= 4 || strcmp(path + n - 4, ".npy") != 0)
            continue;
        spk_status status = spk_strdup(context, name, path);
        if (status == SPK_OK)
            (*name)[n - 4] = '\0';
        return status;
    }
}

typedef struct zip_feed {
    const spk_archive *archive;
    struct archive *zip;
    uint64_t expanded;
} zip_feed;

static spk_status feed_zip(spk_context *context, void *user, char *buffer, size_t size,
                           size_t *n_read)
{
    zip_feed *feed = user;
    uint64_t most = 0, times = spk_context_max_expansion(context);
    *n_read = 0;
    spk_status status = spk_check_cancel(context);
    while (status == SPK_OK && *n_read < size) {
        la_ssize_t n = archive_read_data(feed->zip, buffer + *n_read, size - *n_read);
        if (n == ARCHIVE_RETRY)
            continue;
        if (n < 0)
            return fail_archive(context, feed->archive, feed->zip);
        if (n == 0)
            break;
        *n_read += (size_t)n;
    }
    feed->expanded += *n_read;
    if (status != SPK_OK || feed->expanded <= FREE_EXPANSION ||
        __builtin_mul_overflow(times, feed->archive->stored, &most) || feed->expanded <= most)
        return status;
    return spk_fail(context, SPK_ERR_RANGE,
                    "%s: its %" PRIu64 " bytes grow to more than %" PRIu64
                    " times as many, which no recording does; look at what the file holds, or "
                    "raise --max-expansion",
                    feed->archive->name, feed->archive->stored, times);
}

/* ---- listing --------------------------------------------------------------------------------- */

/* Reads the header of the array that is next; one that cannot be read is marked. */
static spk_status read_header(spk_context *context, zip_feed *feed, spk_member *member)
{
    char *text = NULL;
    uint64_t capacity = 0;
    size_t n = 0, needed = 10, got = 0;
    spk_status status = SPK_OK;
    member->readable = true;
    while (status == SPK_OK && needed > 0 && member->readable) {
        status = spk_grow(context, &text, &capacity, needed, "the header of an array");
        size_t want = needed - n;
        if (status == SPK_OK)
            status = feed_zip(context, feed, text + n, want, &got);
        n += got;
        if (status == SPK_OK)
            member->readable =
                spk_npy_header_parse(NULL, "", text, n, &member->header, &needed) == SPK_OK &&
                (needed == 0 || got == want);
    }
    free(text);
    return status;
}

static spk_status list_members(spk_context *context, spk_archive *archive)
{
    struct archive *zip = NULL;
    spk_status status = start(context, archive, &zip);
    zip_feed feed = {.archive = archive, .zip = zip};
    while (status == SPK_OK) {
        char *name = NULL;
        status = next_array(context, archive, zip, &name);
        if (status != SPK_OK || name == NULL)
            break;
        if (archive->n_members == MOST_MEMBERS)
            status =
                spk_fail(context, SPK_ERR_RANGE, "%s: more than %d arrays; is this a recording?",
                         archive->name, MOST_MEMBERS);
        else
            status = spk_grow(context, &archive->member, &archive->capacity, archive->n_members + 1,
                              "the arrays of an archive");
        if (status != SPK_OK) {
            free(name);
            break;
        }
        spk_member *member = &archive->member[archive->n_members++];
        *member = (spk_member){.name = name};
        status = read_header(context, &feed, member);
    }
    if (zip != NULL)
        archive_read_free(zip);
    return status;
}

/* Holds a stream in memory. */
static spk_status hold(spk_context *context, spk_input *input, spk_archive *archive)
{
    uint64_t capacity = 0;
    size_t got = BLOCK_BYTES;
    spk_status status = SPK_OK;
    while (status == SPK_OK && got == BLOCK_BYTES) {
        status = spk_grow(context, &archive->bytes, &capacity, archive->n_bytes + BLOCK_BYTES,
                          "an archive");
        if (status == SPK_OK)
            status = spk_input_read(context, input, archive->bytes + archive->n_bytes, BLOCK_BYTES,
                                    &got);
        archive->n_bytes += status == SPK_OK ? got : 0;
    }
    return status;
}

spk_status spk_archive_open(spk_context *context, const spk_probe *probe, spk_input *input,
                            spk_archive *out)
{
    struct stat info;
    spk_status status = SPK_OK;
    *out = (spk_archive){.name = spk_input_name(input)};
    if (probe->is_stream) {
        status = hold(context, input, out);
        out->stored = out->n_bytes;
    } else {
        out->path = probe->path;
        out->stored = stat(probe->path, &info) == 0 ? (uint64_t)info.st_size : 0;
    }
    if (status == SPK_OK)
        status = list_members(context, out);
    if (status != SPK_OK)
        spk_archive_close(out);
    return status;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* The place of the next array among those that are wanted; n: it is not. */
static size_t place_of(size_t at, size_t n, const size_t *member)
{
    size_t k = 0;
    if (member == NULL)
        return at;
    while (k < n && member[k] != at)
        k++;
    return k;
}

static spk_status load_one(spk_context *context, const char *name, zip_feed *feed, spk_array *out)
{
    char *full = NULL;
    size_t bytes = strlen(feed->archive->name) + strlen(name) + 2;
    spk_status status = spk_alloc(context, &full, bytes, "a name");
    if (status != SPK_OK)
        return status;
    snprintf(full, bytes, "%s:%s", feed->archive->name, name);
    status = spk_array_load(context, full, feed_zip, feed, out);
    free(full);
    return status;
}

spk_status spk_archive_each(spk_context *context, const spk_archive *archive, size_t n,
                            const size_t *member, spk_member_fn *take, void *user)
{
    struct archive *zip = NULL;
    size_t taken = 0;
    char *name = NULL;
    spk_status status = start(context, archive, &zip);
    zip_feed feed = {.archive = archive, .zip = zip};
    for (size_t at = 0; status == SPK_OK; at++) {
        spk_array array = {.descriptor = -1};
        status = next_array(context, archive, zip, &name);
        if (status != SPK_OK || name == NULL)
            break;
        const size_t k = place_of(at, n, member);
        if (k < n)
            status = load_one(context, name, &feed, &array);
        if (k < n && status == SPK_OK)
            status = take(user, k, &array);
        taken += k < n;
        spk_array_close(&array);
        free(name);
    }
    if (zip != NULL)
        archive_read_free(zip);
    /* Else the file has changed in between. */
    return status == SPK_OK && taken != n ? fail_archive(context, archive, NULL) : status;
}

static spk_status keep_array(void *user, size_t k, spk_array *array)
{
    spk_array *arrays = user;
    arrays[k] = *array;
    *array = (spk_array){.descriptor = -1};
    return SPK_OK;
}

spk_status spk_archive_load(spk_context *context, const spk_archive *archive, size_t n,
                            const size_t *member, spk_array *arrays)
{
    for (size_t k = 0; k < n; k++)
        arrays[k] = (spk_array){.descriptor = -1};
    spk_status status = spk_archive_each(context, archive, n, member, keep_array, arrays);
    for (size_t k = 0; k < n && status != SPK_OK; k++)
        spk_array_close(&arrays[k]);
    return status;
}

#else

const char *spk_archive_missing(void)
{
    return "this build has no libarchive; install libarchive-dev and build again, or save the "
           "arrays "
           "one by one with numpy.save";
}

spk_status spk_archive_open(spk_context *context, const spk_probe *probe, spk_input *input,
                            spk_archive *out)
{
    (void)input;
    *out = (spk_archive){.name = probe->path};
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s: %s", probe->path, spk_archive_missing());
}

spk_status spk_archive_each(spk_context *context, const spk_archive *archive, size_t n,
                            const size_t *member, spk_member_fn *take, void *user)
{
    (void)n, (void)member, (void)take, (void)user;
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s: %s", archive->name, spk_archive_missing());
}

spk_status spk_archive_load(spk_context *context, const spk_archive *archive, size_t n,
                            const size_t *member, spk_array *arrays)
{
    (void)n, (void)member, (void)arrays;
    return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s: %s", archive->name, spk_archive_missing());
}

#endif

size_t spk_archive_find(const spk_archive *archive, const char *name)
{
    for (size_t k = 0; k < archive->n_members; k++)
        if (strcmp(archive->member[k].name, name) == 0)
            return k;
    return SIZE_MAX;
}

void spk_archive_close(spk_archive *archive)
{
    for (size_t k = 0; k < archive->n_members; k++)
        free(archive->member[k].name);
    free(archive->member);
    free(archive->bytes);
    *archive = (spk_archive){.n_members = 0};
}
