/* A small recording with its windows and a list of one episode. */
#include "support/sample.h"

#include "support/folder.h"

const spk_delay sample_delay = {{1, -3}, {3, -3}};
const int64_t sample_time;
spk_recording *sample_recording;
spk_windows *sample_windows;
spk_episode_list *sample_list;

spk_status sample_make_recording(spk_rate rate, spk_recording **out)
{
    static int64_t time[SAMPLE_EVENTS];
    static uint32_t unit[SAMPLE_EVENTS];
    for (int k = 0; k < SAMPLE_EVENTS; k++) {
        time[k] = 2 * k;
        unit[k] = (uint32_t)(k % SAMPLE_UNITS);
    }
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.n_events = SAMPLE_EVENTS;
    source.time = time;
    source.unit = unit;
    source.n_units = SAMPLE_UNITS;
    source.rate = rate;
    return spk_recording_create(NULL, &source, out);
}

int sample_setup(void **state)
{
    (void)state;
    static const uint32_t units[] = {0, 1};
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){2, -3};
    options.window = 4;
    return sample_make_recording((spk_rate){1000, 1}, &sample_recording) != SPK_OK ||
           spk_windows_create(NULL, sample_recording, &options, &sample_windows) != SPK_OK ||
           spk_episode_list_create(NULL, &sample_list) != SPK_OK ||
           spk_episode_list_append(NULL, sample_list, 2, units, &sample_delay) != SPK_OK;
}

int sample_teardown(void **state)
{
    (void)state;
    spk_episode_list_free(sample_list);
    spk_windows_free(sample_windows);
    spk_recording_free(sample_recording);
    return 0;
}
