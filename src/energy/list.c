/* The list of meters while it is made. */
#include <stdio.h>

#include "energy/energy.h"

spk_energy_source *spk_energy_add(spk_energy_list *list, spk_energy_kind kind, const char *name)
{
    if (list->n == SPK_ENERGY_MOST_METERS)
        return NULL;
    spk_energy_meter *meter = &list->meter[list->n];
    spk_energy_source *source = &list->source[list->n++];
    *meter = (spk_energy_meter){.kind = kind, .readable = true};
    *source = (spk_energy_source){.device = NULL};
    snprintf(meter->name, sizeof meter->name, "%s", name);
    return source;
}

void spk_energy_add_absent(spk_energy_list *list, spk_energy_kind kind, const char *name,
                           const char *why)
{
    if (spk_energy_add(list, kind, name) == NULL)
        return;
    spk_energy_meter *meter = &list->meter[list->n - 1];
    meter->readable = false;
    snprintf(meter->why, sizeof meter->why, "%s", why);
}
