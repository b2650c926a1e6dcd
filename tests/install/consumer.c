/* Somebody else's program: uses the installed headers and library only. */
#include <stdio.h>
#include <string.h>

#include <spikemine/spikemine.h>

int main(void)
{
    spk_context *context = NULL;
    spk_duration duration;
    if (spk_context_create(&context) != SPK_OK)
        return 1;
    spk_status status = spk_duration_parse(context, "5ms", 3, &duration);
    if (status != SPK_OK)
        fprintf(stderr, "consumer: %s\n", spk_context_message(context));
    spk_context_free(context);
    if (status != SPK_OK || spk_duration_ticks(duration, (spk_rate){100000, 1}) != 500)
        return 1;
    return strcmp(spk_version(), SPIKEMINE_VERSION) == 0 ? 0 : 1;
}
