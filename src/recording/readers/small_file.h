/* Small files of a folder, read whole. */
#ifndef SPK_RECORDING_READERS_SMALL_FILE_H
#define SPK_RECORDING_READERS_SMALL_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"

/* "FOLDER/NAME"; to be freed. */
spk_status spk_small_path(spk_context *context, const char *folder, const char *name, char **out);

/* Whether a regular file of that name lies in the folder. */
bool spk_small_exists(const char *folder, const char *name);

/* All n bytes of a file of at most 64 MB, plain or compressed; to be freed. Errors: SPK_ERR_IO,
 * SPK_ERR_RANGE (longer), SPK_ERR_MEMORY. */
spk_status spk_small_file_read(spk_context *context, const char *path, char **text, size_t *n);

#endif
