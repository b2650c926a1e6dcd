/* The front of all writers: which one a file is for. */
#include <string.h>
#include <strings.h>

#include "recording/writers/writer.h"
#include "spikemine/formats.h"

#define DECLARE(symbol) extern const spk_writer spk_writer_##symbol;
SPK_WRITERS(DECLARE)

#define TABLE(symbol) &spk_writer_##symbol,
static const spk_writer *const WRITERS[] = {SPK_WRITERS(TABLE)};

enum { N_WRITERS = sizeof WRITERS / sizeof WRITERS[0] };

/* Text of two columns: recording/write_text.c writes it. */
const spk_writer spk_writer_text = {
    .name = "text",
    .endings = ".txt .csv .tsv .dat",
    .write = spk_recording_write_text,
};

const spk_writer *spk_writer_find(const char *format)
{
    for (size_t k = 0; k < N_WRITERS; k++)
        if (strcmp(WRITERS[k]->name, format) == 0)
            return WRITERS[k];
    return NULL;
}

/* Bytes of the name without an ending that asks for compression. */
static size_t plain_length(const char *path)
{
    static const char *const endings[] = {".gz", ".bz2", ".xz", ".zst"};
    size_t n = strlen(path);
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
        size_t m = strlen(endings[k]);
        if (n > m && strcasecmp(path + n - m, endings[k]) == 0)
            return n - m;
    }
    return n;
}

bool spk_path_has_ending(const char *path, const char *endings)
{
    size_t n = plain_length(path);
    for (const char *at = endings; *at != '\0';) {
        size_t m = strcspn(at, " ");
        if (m > 0 && n > m && strncasecmp(path + n - m, at, m) == 0)
            return true;
        at += m + strspn(at + m, " ");
    }
    return false;
}

static const spk_writer *by_ending(const char *path)
{
    for (size_t k = 0; k < N_WRITERS; k++)
        if (spk_path_has_ending(path, WRITERS[k]->endings))
            return WRITERS[k];
    return WRITERS[0];
}

#define NAME(symbol) ", " #symbol

const char *spk_writer_names(void)
{
    return &(SPK_WRITERS(NAME))[2]; /* behind the first comma */
}

spk_status spk_writer_choose(spk_context *context, const char *path, const char *format,
                             const spk_writer **out)
{
    const char *reason = "";
    const spk_writer *writer = format != NULL ? spk_writer_find(format) : by_ending(path);
    if (writer == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "format '%s' cannot be written; these can: %s",
                        format, spk_writer_names());
    if (writer->available != NULL && !writer->available(&reason))
        return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s: %s: %s", path, writer->name, reason);
    *out = writer;
    return SPK_OK;
}

spk_status spk_recording_write(spk_context *context, const spk_recording *recording,
                               const char *path, const char *format)
{
    const spk_writer *writer = NULL;
    spk_status status = spk_writer_choose(context, path, format, &writer);
    return writer != NULL ? writer->write(context, recording, path) : status;
}
