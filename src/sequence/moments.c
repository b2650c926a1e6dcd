/* Moments: a list that grows. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sequence/sequence.h"

static spk_status make_room(spk_context *context, sequence_moments *moments, uint64_t n)
{
    return spk_grow_columns(context, &moments->capacity, n, "occurrences",
                            SPK_COLUMN(&moments->at, 1), SPK_COLUMN(&moments->score, 1));
}

spk_status spk_sequence_moments_add(spk_context *context, sequence_moments *moments, double at,
                                    float score)
{
    spk_status status = make_room(context, moments, moments->n + 1);
    if (status != SPK_OK)
        return status;
    moments->at[moments->n] = at;
    moments->score[moments->n++] = score;
    return SPK_OK;
}

spk_status spk_sequence_moments_copy(spk_context *context, const sequence_moments *from,
                                     sequence_moments *to)
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

void spk_sequence_moments_free(sequence_moments *moments)
{
    free(moments->at);
    free(moments->score);
}
