/*
 * The smallest pattern engine: bitmap's code under another name. tools/check-engine-list.sh adds it
 * to a copy of the tree. MISTAKE is there to see that the tests notice a wrong engine.
 */
#include "pattern/engine/engine.h"

enum { MISTAKE = 0 };

static spk_status mine(spk_context *context, const spk_pattern_job *job, spk_pattern_sink *sink,
                       void *user)
{
    spk_pattern_job other = *job;
    other.limits.min_support += MISTAKE;
    return spk_pattern_engine_bitmap.mine(context, &other, sink, user);
}

const spk_pattern_engine spk_pattern_engine_dummy = {
    .mine = mine,
};
