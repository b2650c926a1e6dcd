/* Compressed output, through libarchive. */
#include "base/compressor.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_config.h"
#include "base/memory.h"

#if SPIKEMINE_HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

typedef enum compression { KIND_GZIP, KIND_BZIP2, KIND_XZ, KIND_ZSTD, KIND_NONE } compression;

static const char *const ENDINGS[] = {".gz", ".bz2", ".xz", ".zst"};

static compression kind_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    path = slash != NULL ? slash + 1 : path;
    size_t length = strlen(path);
    for (int k = 0; k < KIND_NONE; k++) {
        size_t n = strlen(ENDINGS[k]);
        if (length > n && strcmp(path + length - n, ENDINGS[k]) == 0)
            return (compression)k;
    }
    return KIND_NONE;
}

#if SPIKEMINE_HAVE_LIBARCHIVE

enum { BLOCK_BYTES = 1 << 16 };

struct spk_compressor {
    compression kind;
    spk_compressor_sink *sink;
    void *user;
    struct archive *archive; /* NULL: nothing is held back */
    bool dropped;            /* what it still hands on goes nowhere */
};

static la_ssize_t hand_on(struct archive *archive, void *user, const void *bytes, size_t n)
{
    spk_compressor *compressor = user;
    if (compressor->dropped || compressor->sink(compressor->user, bytes, n))
        return (la_ssize_t)n;
    archive_set_error(archive, EIO, "writing failed");
    return -1;
}

static bool add_filter(struct archive *archive, compression kind)
{
    int result = ARCHIVE_FATAL;
    if (kind == KIND_GZIP)
        result = archive_write_add_filter_gzip(archive);
    else if (kind == KIND_BZIP2)
        result = archive_write_add_filter_bzip2(archive);
    else if (kind == KIND_XZ)
        result = archive_write_add_filter_xz(archive);
    else
        result = archive_write_add_filter_zstd(archive);
    /* The time of day would differ from run to run. */
    if (result == ARCHIVE_OK && kind == KIND_GZIP)
        result = archive_write_set_filter_option(archive, "gzip", "timestamp", NULL);
    return result == ARCHIVE_OK;
}

static bool begin(spk_compressor *compressor)
{
    struct archive_entry *entry = archive_entry_new();
    struct archive *archive = archive_write_new();
    compressor->archive = archive;
    compressor->dropped = false;
    bool good = entry != NULL && archive != NULL && add_filter(archive, compressor->kind) &&
                archive_write_set_format_raw(archive) == ARCHIVE_OK &&
                archive_write_set_bytes_per_block(archive, BLOCK_BYTES) == ARCHIVE_OK &&
                archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK &&
                archive_write_open(archive, compressor, NULL, hand_on, NULL) == ARCHIVE_OK;
    if (good) {
        archive_entry_set_filetype(entry, AE_IFREG);
        good = archive_write_header(archive, entry) == ARCHIVE_OK;
    }
    archive_entry_free(entry);
    if (!good)
        spk_compressor_drop(compressor);
    errno = ENOMEM; /* nothing else can fail here */
    return good;
}

spk_status spk_compressor_create(spk_context *context, const char *path, spk_compressor_sink *sink,
                                 void *user, spk_compressor **out)
{
    compression kind = kind_of(path);
    *out = NULL;
    if (kind == KIND_NONE)
        return SPK_OK;
    struct archive *probe = archive_write_new();
    bool known = probe != NULL && add_filter(probe, kind);
    archive_write_free(probe);
    if (!known)
        return spk_fail(context, SPK_ERR_UNAVAILABLE,
                        "%s: this libarchive cannot compress to %s; choose another ending", path,
                        ENDINGS[kind]);
    spk_status status = spk_alloc_zero(context, out, 1, "an output");
    if (status != SPK_OK)
        return status;
    **out = (spk_compressor){.kind = kind, .sink = sink, .user = user};
    return SPK_OK;
}

bool spk_compressor_write(spk_compressor *compressor, const char *bytes, size_t n)
{
    if (compressor->archive == NULL && !begin(compressor))
        return false;
    errno = ENOMEM;
    return archive_write_data(compressor->archive, bytes, n) == (la_ssize_t)n;
}

bool spk_compressor_flush(spk_compressor *compressor)
{
    if (compressor->archive == NULL)
        return true;
    errno = ENOMEM;
    bool good = archive_write_close(compressor->archive) == ARCHIVE_OK;
    archive_write_free(compressor->archive);
    compressor->archive = NULL;
    return good;
}

bool spk_compressor_is_pending(const spk_compressor *compressor)
{
    return compressor->archive != NULL;
}

void spk_compressor_drop(spk_compressor *compressor)
{
    if (compressor == NULL)
        return;
    compressor->dropped = true;
    if (compressor->archive != NULL)
        archive_write_free(compressor->archive);
    compressor->archive = NULL;
}

void spk_compressor_free(spk_compressor *compressor)
{
    spk_compressor_drop(compressor);
    free(compressor);
}

#else

spk_status spk_compressor_create(spk_context *context, const char *path, spk_compressor_sink *sink,
                                 void *user, spk_compressor **out)
{
    (void)sink, (void)user;
    compression kind = kind_of(path);
    *out = NULL;
    if (kind == KIND_NONE)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_UNAVAILABLE,
                    "%s: this build has no libarchive to compress with; leave %s out, or install "
                    "libarchive-dev and build again",
                    path, ENDINGS[kind]);
}

/* There is none to call these with. */
bool spk_compressor_write(spk_compressor *compressor, const char *bytes, size_t n)
{
    (void)compressor, (void)bytes, (void)n;
    return false;
}

bool spk_compressor_flush(spk_compressor *compressor)
{
    (void)compressor;
    return true;
}

bool spk_compressor_is_pending(const spk_compressor *compressor)
{
    (void)compressor;
    return false;
}

void spk_compressor_drop(spk_compressor *compressor)
{
    (void)compressor;
}

void spk_compressor_free(spk_compressor *compressor)
{
    (void)compressor;
}

#endif
