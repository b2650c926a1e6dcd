/* Lists of episodes: growing columns and a table of the delay intervals they use. */
#include "episode/list.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

spk_status spk_episode_list_create(spk_context *context, spk_episode_list **out)
{
    spk_status status = spk_alloc_zero(context, out, 1, "a list of episodes");
    if (status == SPK_OK)
        status = spk_grow_columns(context, &(*out)->capacity, 1, "a list of episodes",
                                  SPK_COLUMN(&(*out)->offset, 1), SPK_COLUMN(&(*out)->count, 1));
    if (status == SPK_OK) {
        (*out)->context = context;
        (*out)->offset[0] = 0;
    } else {
        spk_episode_list_free(*out);
        *out = NULL;
    }
    return status;
}

void spk_episode_list_free(spk_episode_list *list)
{
    if (list == NULL)
        return;
    spk_free_all(list->offset, list->unit, list->delay, list->count, list->delays);
    spk_holding_release(&list->holding);
    free(list);
}

spk_episode_columns spk_episode_list_columns(const spk_episode_list *list)
{
    return (spk_episode_columns){.n = list->n,
                                 .offset = list->offset,
                                 .unit = list->unit,
                                 .delay = list->delay,
                                 .count = list->count,
                                 .delays = list->delays,
                                 .n_delays = list->n_delays};
}

static bool same_delay(const spk_delay *a, const spk_delay *b)
{
    return spk_duration_compare(a->lo, b->lo) == 0 && spk_duration_compare(a->hi, b->hi) == 0;
}

/* Number of the interval in the list's table, added when new. It is probably *number. */
static spk_status find_delay(spk_context *context, spk_episode_list *list, const spk_delay *delay,
                             uint16_t *number)
{
    if (*number < list->n_delays && same_delay(&list->delays[*number], delay))
        return SPK_OK;
    for (size_t d = list->n_delays; d-- > 0;) {
        if (same_delay(&list->delays[d], delay)) {
            *number = (uint16_t)d;
            return SPK_OK;
        }
    }
    if (list->n_delays >= SPK_EPISODE_MAX_DELAYS)
        return spk_fail(context, SPK_ERR_RANGE, "more than %u different delay intervals",
                        SPK_EPISODE_MAX_DELAYS);
    spk_status status = spk_grow(context, &list->delays, &list->delays_capacity, list->n_delays + 1,
                                 "delay intervals");
    if (status == SPK_OK) {
        *number = (uint16_t)list->n_delays;
        list->delays[list->n_delays++] = *delay;
    }
    return status;
}

static spk_status fail_size(spk_context *context, uint64_t size)
{
    return spk_fail(context, SPK_ERR_ARGUMENT, "an episode has 1 to %u positions, not %" PRIu64,
                    SPK_EPISODE_MAX_SIZE, size);
}

/* Space for one more episode whose positions end at `end`. */
static spk_status grow(spk_context *context, spk_episode_list *list, uint64_t end)
{
    const char *what = "a list of episodes";
    if (list->n + 2 <= list->capacity && end <= list->position_capacity)
        return SPK_OK;
    spk_stage stage = spk_stage_open(context);
    /* offset has one row more than count. */
    spk_status status = spk_grow_columns(context, &list->capacity, list->n + 2, what,
                                         SPK_COLUMN(&list->offset, 1), SPK_COLUMN(&list->count, 1));
    if (status == SPK_OK)
        status = spk_grow_columns(context, &list->position_capacity, end, what,
                                  SPK_COLUMN(&list->unit, 1), SPK_COLUMN(&list->delay, 1));
    spk_stage_close(context, &stage);
    spk_holding_set(context, &list->holding,
                    list->capacity * (sizeof *list->offset + sizeof *list->count) +
                        list->position_capacity * (sizeof *list->unit + sizeof *list->delay));
    return status;
}

/* delays[p] between positions p and p + 1 is probably number guess[p + 1] of the list's table. */
static spk_status append(spk_context *context, spk_episode_list *list, uint32_t size,
                         const uint32_t *units, const spk_delay *delays, const uint16_t *guess)
{
    uint64_t end = list->n_positions + size;
    if (size == 0 || size > SPK_EPISODE_MAX_SIZE)
        return fail_size(context, size);
    spk_status status = grow(context, list, end);
    if (status != SPK_OK)
        return status;
    for (uint32_t p = 0; p < size; p++) {
        list->unit[list->n_positions + p] = units[p];
        list->delay[list->n_positions + p] = guess != NULL && p > 0 ? guess[p] : 0;
        if (p > 0)
            status = find_delay(context, list, &delays[p - 1], &list->delay[list->n_positions + p]);
        if (status != SPK_OK)
            return status;
    }
    list->count[list->n] = 0;
    list->n_positions = end;
    list->offset[++list->n] = end;
    return SPK_OK;
}

spk_status spk_episode_list_append(spk_context *context, spk_episode_list *list, uint32_t size,
                                   const uint32_t *units, const spk_delay *delays)
{
    return append(context, list, size, units, delays, NULL);
}

/* Appends episode k of the columns. */
static spk_status add_episode(spk_episode_list *list, const spk_episode_columns *episodes,
                              uint64_t k)
{
    spk_delay chain[SPK_EPISODE_MAX_SIZE];
    uint64_t offset = episodes->offset[k];
    uint64_t size = episodes->offset[k + 1] - offset;
    if (size > SPK_EPISODE_MAX_SIZE)
        return fail_size(list->context, size);
    for (uint64_t p = 1; p < size; p++) {
        uint16_t number = episodes->delay[offset + p];
        if (number >= episodes->n_delays)
            return spk_fail(list->context, SPK_ERR_ARGUMENT, "an episode has an unknown interval");
        chain[p - 1] = episodes->delays[number];
    }
    spk_status status = append(list->context, list, (uint32_t)size, episodes->unit + offset, chain,
                               episodes->delay + offset);
    if (status == SPK_OK)
        list->count[list->n - 1] = episodes->count[k];
    return status;
}

spk_status spk_episode_list_add(void *user, const spk_episode_columns *episodes)
{
    spk_episode_list *list = user;
    spk_status status = SPK_OK;
    uint16_t number = 0;
    /* A list that copies another one has the same table, whatever intervals its episodes use. */
    for (size_t d = 0; list->n == 0 && d < episodes->n_delays && status == SPK_OK; d++)
        status = find_delay(list->context, list, &episodes->delays[d], &number);
    for (uint64_t k = 0; k < episodes->n && status == SPK_OK; k++)
        status = add_episode(list, episodes, k);
    return status;
}
