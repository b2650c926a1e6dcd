/* Files that no reader knows: what they are, and the way out. */
#ifndef SPK_RECORDING_READERS_FOREIGN_H
#define SPK_RECORDING_READERS_FOREIGN_H

#include "recording/readers/reader.h"

/* Refuses what a reader would take for its own: workbooks, which are zip archives as npz is. */
spk_status spk_foreign_refuse_early(spk_context *context, const spk_probe *probe);

/* Refuses an input that no reader recognised, when it is of another program's format or a folder;
 * SPK_OK where it may be text. `endings`: of all files that are read, separated by blanks. Errors:
 * SPK_ERR_FORMAT, SPK_ERR_IO (a folder). */
spk_status spk_foreign_refuse(spk_context *context, const spk_probe *probe, const char *endings);

#endif
