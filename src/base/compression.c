/* Members of compressed files, through libarchive. */
#include "base/compression.h"

#include <errno.h>
#include <string.h>

#include "base/build_config.h"
#include "base/memory.h"

#if SPIKEMINE_HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#define FILTER(kind) archive_write_add_filter_##kind
#else
#define FILTER(kind) NULL
#endif

static const spk_compression KINDS[] = {
    {".gz", 1 << 20, 1 << 19, FILTER(gzip)},
    {".bz2", 900000, 8 << 20, FILTER(bzip2)},
    {".xz", 4 << 20, 96 << 20, FILTER(xz)},
    {".zst", 1 << 20, 4 << 20, FILTER(zstd)},
};

static const spk_compression *kind_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    path = slash != NULL ? slash + 1 : path;
    size_t length = strlen(path);
    for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++) {
        size_t n = strlen(KINDS[k].ending);
        if (length > n && strcmp(path + length - n, KINDS[k].ending) == 0)
            return &KINDS[k];
    }
    return NULL;
}

#if SPIKEMINE_HAVE_LIBARCHIVE

static bool add_filter(struct archive *archive, const spk_compression *kind)
{
    if (archive == NULL || kind->add_filter(archive) != ARCHIVE_OK)
        return false;
    /* The time of day would differ from run to run. */
    return kind->add_filter != archive_write_add_filter_gzip ||
           archive_write_set_filter_option(archive, "gzip", "timestamp", NULL) == ARCHIVE_OK;
}

spk_status spk_compression_find(spk_context *context, const char *path, const spk_compression **out)
{
    *out = kind_of(path);
    if (*out == NULL)
        return SPK_OK;
    struct archive *probe = archive_write_new();
    bool known = add_filter(probe, *out);
    archive_write_free(probe);
    if (known)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_UNAVAILABLE,
                    "%s: this libarchive cannot compress to %s; choose another ending", path,
                    (*out)->ending);
}

static la_ssize_t append(struct archive *archive, void *user, const void *bytes, size_t n)
{
    spk_member *member = user;
    if (spk_grow(NULL, &member->bytes, &member->capacity, member->n + n, "an output") != SPK_OK) {
        archive_set_error(archive, ENOMEM, "no memory");
        return -1;
    }
    memcpy(member->bytes + member->n, bytes, n);
    member->n += n;
    return (la_ssize_t)n;
}

bool spk_compress(const spk_compression *kind, const char *bytes, size_t n, spk_member *member)
{
    struct archive_entry *entry = archive_entry_new();
    struct archive *archive = archive_write_new();
    member->n = 0;
    bool good = entry != NULL && add_filter(archive, kind) &&
                archive_write_set_format_raw(archive) == ARCHIVE_OK &&
                archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK &&
                archive_write_open(archive, member, NULL, append, NULL) == ARCHIVE_OK;
    if (good) {
        archive_entry_set_filetype(entry, AE_IFREG);
        good = archive_write_header(archive, entry) == ARCHIVE_OK &&
               archive_write_data(archive, bytes, n) == (la_ssize_t)n &&
               archive_write_close(archive) == ARCHIVE_OK;
    }
    archive_entry_free(entry);
    archive_write_free(archive);
    return good;
}

#else

spk_status spk_compression_find(spk_context *context, const char *path, const spk_compression **out)
{
    *out = kind_of(path);
    if (*out == NULL)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_UNAVAILABLE,
                    "%s: this build has no libarchive to compress with; leave %s out, or install "
                    "libarchive-dev and build again",
                    path, (*out)->ending);
}

/* There is none to call this with. */
bool spk_compress(const spk_compression *kind, const char *bytes, size_t n, spk_member *member)
{
    (void)kind, (void)bytes, (void)n, (void)member;
    return false;
}

#endif
