/*
 * A small recording with its windows and a list of one episode, made without a context. What fails
 * to be made fails the setup of the group of tests.
 */
#pragma once

#include "spikemine/spikemine.h"

enum { SAMPLE_EVENTS = 60, SAMPLE_UNITS = 3 };

extern const spk_delay sample_delay;
extern const int64_t sample_time;       /* 0 */
extern spk_recording *sample_recording; /* units 0 1 2 in turn, every 2 ms */
extern spk_windows *sample_windows;     /* of it, four bins of 2 ms each */
extern spk_episode_list *sample_list;   /* 0 -> 1 */

/* Another recording of the same events, every two ticks of this rate. */
spk_status sample_make_recording(spk_rate rate, spk_recording **out);

/* Begin and end a group of tests; the end removes the folder of test_path, too. */
int sample_setup(void **state);
int sample_teardown(void **state);
