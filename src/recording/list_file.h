/*
 * Files of results, one a line: their text form alone, or a tab separated table with a header that
 * has a column of a known name, as spikemine writes. Plain or compressed; '#' begins a comment,
 * but where the line could be a result as well: that is an error.
 */
#ifndef SPK_RECORDING_LIST_FILE_H
#define SPK_RECORDING_LIST_FILE_H

#include <stdbool.h>

#include "base/context.h"

/* Takes one result in its text form. Its failure gets the file's name and the line before it. */
typedef spk_status spk_list_item_fn(void *user, const char *text);

/* Whether text behind a label goes on as that of a result, such as " (5ms,10ms] 49". */
typedef bool spk_list_goes_on_fn(const char *text);

/* What a file is read for. */
typedef struct spk_list_file {
    const char *column;  /* its name in tables: "episode" */
    const char *missing; /* the message where there is no result: "has no episodes; write ..." */
    spk_list_item_fn *take;
    const char *separators; /* of labels, see base/label.h */
    spk_list_goes_on_fn *goes_on;
    void *user;
} spk_list_file;

/* Hands over all results of a file; "-" is standard input. Errors: SPK_ERR_IO, SPK_ERR_FORMAT (also
 * a file without a result), SPK_ERR_MEMORY, and those of `take`. */
spk_status spk_list_file_read(spk_context *context, const char *path, const spk_list_file *file);

#endif
