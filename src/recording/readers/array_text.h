/* Texts in NumPy arrays: bytes or UCS-4, filled up with zeros; here UTF-8. */
#ifndef SPK_RECORDING_READERS_ARRAY_TEXT_H
#define SPK_RECORDING_READERS_ARRAY_TEXT_H

#include "recording/labels.h"
#include "recording/readers/array.h"

/* Writes one text of that type; `out` has room for its size. Returns the length; what is no
 * character becomes bytes that are no UTF-8. */
size_t spk_npy_text(const unsigned char *at, const spk_npy_type *type, char *out);

/* Text number `index`, terminated. Errors: SPK_ERR_FORMAT (no text, no UTF-8, too long). */
spk_status spk_values_text(spk_context *context, const spk_values *values, uint64_t index,
                           char *out, size_t size);

/* Adds all texts to the labels. Errors: SPK_ERR_FORMAT (no text, no UTF-8), SPK_ERR_RANGE (too
 * many). */
spk_status spk_values_intern(spk_context *context, const spk_values *values, spk_labels *labels);

#endif
