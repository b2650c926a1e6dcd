/* What tests of simulated recordings share. */
#pragma once

#include <stdint.h>

#include "spikemine/spikemine.h"

/* FNV-1a over both columns, byte by byte in little-endian order. */
uint64_t test_hash_columns(const spk_recording *recording);

/* Fails unless the recording is valid and every kept occurrence of the truth is in it, with delays
 * within the jitter; every chain must have some. */
void test_check_truth(const spk_recording *recording, const spk_truth *truth);

/* Size of the largest set of kept occurrences that do not overlap, the greedy one by earliest end.
 */
uint64_t test_count_planted(const spk_truth_chain *chain);
