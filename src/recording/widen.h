/* Units that a list of results names and a recording lacks. While the list is read they have the
 * numbers behind the recording's units, in the order of their appearance. */
#ifndef SPK_RECORDING_WIDEN_H
#define SPK_RECORDING_WIDEN_H

#include "recording/labels.h"
#include "spikemine/recording.h"

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

#endif
