/* Whether a recording can be written to a file, told before anything is read. Here and not beside
 * the writers, because endings of formats that are only read stand in the readers' tables. */
#include <stdio.h>
#include <string.h>

#include "recording/readers/list.h"
#include "recording/readers/reader.h"
#include "recording/writers/writer.h"
#include "spikemine/formats.h"

#define DECLARE(symbol) extern const spk_reader spk_reader_##symbol;
SPK_READERS(DECLARE)

#define TABLE(symbol) &spk_reader_##symbol,
static const spk_reader *const READERS[] = {SPK_READERS(TABLE)};

enum { N_READERS = sizeof READERS / sizeof READERS[0] };

/* The format that is read under this ending and cannot be written; NULL where there is none. */
static const char *only_read(const char *path)
{
    const char *found = NULL;
    for (size_t k = 0; k < N_READERS; k++) {
        if (!spk_path_has_ending(path, READERS[k]->endings))
            continue;
        if (spk_writer_find(READERS[k]->name) != NULL)
            return NULL;
        found = READERS[k]->name;
    }
    return found;
}

spk_status spk_recording_check_write(spk_context *context, const char *path, const char *format)
{
    const char *foreign = format == NULL ? only_read(path) : NULL;
    if (foreign != NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: format %s is read, not written; choose another ending, or name one of "
                        "the formats %s",
                        path, foreign, spk_writer_names());
    return spk_writer_choose(context, path, format, &(const spk_writer *){NULL});
}
