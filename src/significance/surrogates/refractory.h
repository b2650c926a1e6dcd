/* The refractory periods of the units, for methods that keep them. */
#ifndef SPK_SIGNIFICANCE_SURROGATES_REFRACTORY_H
#define SPK_SIGNIFICANCE_SURROGATES_REFRACTORY_H

#include "significance/surrogates/surrogates.h"

/* A prepare function: fills surrogates->refractory with the one given, or the shortest interval of
 * the unit where that is shorter; in ticks, at least 1. */
spk_status spk_surrogate_prepare_refractory(spk_context *context,
                                            const spk_surrogate_options *options,
                                            spk_surrogates *surrogates);

#endif
