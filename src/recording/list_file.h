/*
 * Files of results, one a line: their text form alone, or a tab separated table with a header that
 * has a column of a known name, as spikemine writes. Plain or compressed; '#' begins a comment,
 * but where the line could be a result as well: that is an error.
 */
#pragma once

#include <stdbool.h>

#include "base/context.h"
#include "recording/labels.h"
#include "spikemine/recording.h"

/* The first byte of a line from here on that is no white space. */
static inline const char *spk_skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
        at++;
    return at;
}

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

/* ---- wider columns --------------------------------------------------------------------------- */

/* Units that a list of results names and a recording lacks. While the list is read they have the
 * numbers behind the recording's units, in the order of their appearance. */

/* Finds the number of a unit while a list is read. `absent` NULL: what the recording lacks is an
 * error, which names `what` and the text. */
spk_status spk_unit_number(spk_context *context, const spk_recording *recording, spk_labels *absent,
                           const char *label, const char *what, const char *text, uint32_t *unit);

/* Makes a copy of the recording that has the absent units, too: number[u] is what unit u of before,
 * of the recording or behind it, has become; free() frees it. A note names the units and says that
 * `results` ("episodes") with them count 0. Without absent units both are NULL. */
spk_status spk_recording_widen(spk_context *context, const spk_recording *recording,
                               const spk_labels *absent, const char *path, const char *results,
                               uint32_t **number, spk_recording **widened);
