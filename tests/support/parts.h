/* The parts of a recording that ranks have read and joined, against the whole. */
#pragma once

#include "spikemine/recording.h"

/* Fails the test unless the n parts are divided, have the facts of the whole, and put together are
 * its events, each with the margin that episodes of `steps` delays up to `reach` need. */
void test_parts_check(int n, spk_recording *const *parts, const spk_recording *whole,
                      spk_duration reach, uint32_t steps);

/* Fails the test unless both have the same events, labels, extent and segments, and none is
 * divided. */
void test_parts_check_whole(const spk_recording *recording, const spk_recording *whole);
