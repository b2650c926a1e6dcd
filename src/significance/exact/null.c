/* The null hypothesis: making and freeing. */
#include "significance/exact/null.h"

#include <stdlib.h>

#include "significance/exact/null_inside.h"

void spk_null_free(spk_null *null)
{
    if (null == NULL)
        return;
    free(null->patterns.trial);
    free(null->patterns.row);
    free(null->patterns.lag);
    free(null->patterns.starts);
    free(null->patterns.ends);
    free(null->patterns.block_order);
    free(null->patterns.has_end);
    free(null->episodes.delay);
    free(null->episodes.first_group);
    free(null->episodes.group);
    free(null->episodes.events);
    free(null->episodes.followers);
    free(null->pairs.ratio);
    free(null->pairs.excess);
    spk_holding_release(&null->pairs.holding);
    spk_holding_release(&null->holding);
    free(null);
}
