/* The line below the title of a figure. */
#include <stdio.h>

#include "base/decimal.h"
#include "spikemine/figure.h"

void spk_figure_caption(const spk_recording *recording, uint64_t n, const char *what, char *text,
                        size_t size)
{
    char units[SPK_GROUPED_BYTES], spikes[SPK_GROUPED_BYTES], results[SPK_GROUPED_BYTES + 1] = "";
    const spk_events events = spk_recording_events(recording);
    if (n < UINT64_MAX)
        snprintf(results, sizeof results, "%s ", spk_group_digits(n, units));
    snprintf(text, size, "%s unit%s, %s spike%s; %s%s%s", spk_group_digits(events.n_units, units),
             spk_plural(events.n_units), spk_group_digits(events.n_events, spikes),
             spk_plural(events.n_events), results, what, n < UINT64_MAX ? spk_plural(n) : "");
}
