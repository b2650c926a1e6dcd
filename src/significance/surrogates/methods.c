/* The table of methods, one line each, and finding one by name. */
#include <stdio.h>
#include <string.h>

#include "significance/surrogates/surrogates.h"

static const surrogate_method *const methods[] = {
    &spk_surrogate_dither_spikes,       &spk_surrogate_dither_spikes_refractory,
    &spk_surrogate_dither_spike_train,  &spk_surrogate_trial_shifting,
    &spk_surrogate_joint_isi_dithering, &spk_surrogate_isi_dithering,
    &spk_surrogate_bin_shuffling,       &spk_surrogate_interval_jitter,
    &spk_surrogate_pattern_jitter,      &spk_surrogate_shift_pieces,
    &spk_surrogate_deal_trials,         &spk_surrogate_shift_apart,
    &spk_surrogate_jitter_spikes,       &spk_surrogate_shuffle_isis,
    &spk_surrogate_randomise_spikes,
};

enum { N_METHODS = sizeof methods / sizeof methods[0] };

size_t spk_surrogate_method_count(void)
{
    return N_METHODS;
}

const spk_surrogate_method *spk_surrogate_method_get(size_t k)
{
    return k < N_METHODS ? &methods[k]->facts : NULL;
}

static bool is_name(const char *name, const char *given)
{
    while (*name != '\0' && (*given == *name || (*given == '_' && *name == '-'))) {
        name++;
        given++;
    }
    return *name == '\0' && *given == '\0';
}

spk_status spk_surrogate_method_find(spk_context *context, const char *name,
                                     const surrogate_method **out)
{
    char list[512] = "";
    *out = NULL;
    if (name == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "the method of surrogates is missing");
    for (size_t k = 0; k < N_METHODS; k++) {
        if (is_name(methods[k]->facts.name, name)) {
            *out = methods[k];
            return SPK_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "",
                 methods[k]->facts.name);
    }
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "no method of surrogates has the name '%.60s'; there are %s", name, list);
}
