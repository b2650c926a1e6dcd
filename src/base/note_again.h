/* Notes on what a stream may make happen again and again. */
#ifndef SPK_BASE_NOTE_AGAIN_H
#define SPK_BASE_NOTE_AGAIN_H

#include <stdint.h>

#include "base/context.h"

/* As spk_note, the first ten times, then the 100th, the 1,000th and so on, with the number. `times`
 * is the caller's, which begins at 0. */
void spk_note_again(spk_context *context, uint64_t *times, const char *format, ...)
    SPK_PRINTF(3, 4);

#endif
