/* The list of units that a user gives: labels between commas, in quotes where they hold one. */
#ifndef SPK_RECORDING_READERS_UNIT_LIST_H
#define SPK_RECORDING_READERS_UNIT_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

/* Leaves of the units that are kept those in `list`; a unit that is not of the n labels is an
 * error, which names some that are. `name`: the file's. Errors: SPK_ERR_ARGUMENT, SPK_ERR_MEMORY.
 */
spk_status spk_unit_list_apply(spk_context *context, const char *name, const char *list, uint32_t n,
                               const char *const *labels, bool *keep);

#endif
