/* Anchors: a list that grows. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sequence/sequence.h"

static spk_status make_room(spk_context *context, sequence_anchors *anchors, uint64_t n)
{
    return spk_grow_columns(context, &anchors->capacity, n, "occurrences",
                            SPK_COLUMN(&anchors->at, 1), SPK_COLUMN(&anchors->score, 1));
}

spk_status spk_sequence_anchors_add(spk_context *context, sequence_anchors *anchors, double at,
                                    float score)
{
    spk_status status = make_room(context, anchors, anchors->n + 1);
    if (status != SPK_OK)
        return status;
    anchors->at[anchors->n] = at;
    anchors->score[anchors->n++] = score;
    return SPK_OK;
}

spk_status spk_sequence_anchors_copy(spk_context *context, const sequence_anchors *from,
                                     sequence_anchors *to)
{
    to->n = 0;
    spk_status status = make_room(context, to, from->n);
    if (status != SPK_OK || from->n == 0)
        return status;
    memcpy(to->at, from->at, from->n * sizeof *to->at);
    memcpy(to->score, from->score, from->n * sizeof *to->score);
    to->n = from->n;
    return SPK_OK;
}

void spk_sequence_anchors_free(sequence_anchors *anchors)
{
    free(anchors->at);
    free(anchors->score);
}
