/*
 * The files of a job, told apart before the job begins: no result may overwrite what the job reads,
 * and no two results may go to one file.
 *
 *     const spk_file_use use[] = {
 *         {.path = "rec.txt", .role = SPK_FILE_INPUT, .what = "the recording"},
 *         {.path = "out.tsv", .role = SPK_FILE_RESULT, .what = "the table", .option = "--output"}};
 *     status = spk_files_check(context, use, 2, false);
 */
#ifndef SPIKEMINE_FILES_H
#define SPIKEMINE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "spikemine/context.h"

SPK_BEGIN_C

typedef enum spk_file_role {
    SPK_FILE_INPUT,     /* is read */
    SPK_FILE_OUTPUT,    /* is written */
    SPK_FILE_RESULT,    /* is written, and named PATH.incomplete when the job ends early */
    SPK_FILE_CHECKPOINT /* is read where it is there, and replaced by a newer one: may exist */
} spk_file_role;

/* One file of a job. All pointers are borrowed for the call. */
typedef struct spk_file_use {
    const char *path; /* "-": standard input or output; NULL: this one is not used */
    spk_file_role role;
    const char *what;   /* in messages: "the recording" */
    const char *option; /* in messages, before the path: "--output"; NULL: none */
} spk_file_use;

/* Checks n files before long work, and leaves nothing behind:
 *   - no file that is written is one that is read, and no two that are written are one. Files are
 *     compared by device and number, through links too; files that are not there yet by folder and
 *     name. A PATH.incomplete counts as written. /dev/null may be written twice.
 *   - unless `replace`, no file that is written exists, except for a checkpoint. Devices, pipes,
 * and what the process has open already (/dev/stdout) may; so may a PATH.incomplete of an earlier
 * run.
 *   - every file that is written can be written.
 * From then on no output of this context takes the place of a file that a reader of this context
 * has opened: members of a folder, and files that others name, which no caller can list. It fails
 * with SPK_ERR_ARGUMENT, where it opens or at its end.
 * Errors: SPK_ERR_ARGUMENT (two uses of one file), SPK_ERR_IO (a file that exists or cannot be
 * written), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_files_check(spk_context *context, const spk_file_use *use,
                                                  size_t n, bool replace);

/* Sets *has_name to whether what is written to `path` becomes a file of that name, which other
 * files can lie beside. "-", /dev/stdout, devices and pipes have no name in this sense. Errors:
 * SPK_ERR_IO (a directory, a folder that is not there), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_file_has_name(spk_context *context, const char *path,
                                                    bool *has_name);

SPK_END_C

#endif
