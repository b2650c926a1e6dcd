/* What the page shows beside spikes and occurrences, as JSON for browsers. */
#include "live/page/state.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/page/put.h"

void state_close(page_state *s)
{
    for (uint64_t k = 0; k < s->n_labels; k++)
        free(s->label[k]);
    for (uint64_t k = 0; k < s->n_items; k++) {
        free(s->item[k].unit);
        free(s->item[k].name);
    }
    for (int k = 0; k < STATE_PARTITIONS; k++)
        free(s->partition[k]);
    free(s->label);
    free(s->item);
    memset(s, 0, sizeof *s);
}

/* ---- lists ----------------------------------------------------------------------------------- */

bool state_add_label(page_state *s, const char *label)
{
    if (spk_grow(NULL, &s->label, &s->labels_capacity, s->n_labels + 1, "labels") != SPK_OK ||
        spk_strdup(NULL, &s->label[s->n_labels], label) != SPK_OK)
        return false;
    s->n_labels++;
    return true;
}

bool state_add_item(page_state *s, bool is_pattern, uint64_t item, uint32_t size,
                    const uint32_t *unit, const char *name)
{
    state_item made = {.is_pattern = is_pattern, .item = item, .size = size};
    if (spk_grow(NULL, &s->item, &s->items_capacity, s->n_items + 1, "items") != SPK_OK ||
        spk_alloc(NULL, &made.unit, size, "items") != SPK_OK ||
        spk_strdup(NULL, &made.name, name) != SPK_OK) {
        free(made.unit);
        return false;
    }
    memcpy(made.unit, unit, size * sizeof *unit);
    s->item[s->n_items++] = made;
    return true;
}

bool state_add_partition(page_state *s, const char *json)
{
    char *copy;
    if (spk_strdup(NULL, &copy, json) != SPK_OK)
        return false;
    char **place = &s->partition[s->next_partition++ % STATE_PARTITIONS];
    free(*place);
    *place = copy;
    if (s->next_partition - s->oldest_partition > STATE_PARTITIONS)
        s->oldest_partition++;
    return true;
}

uint64_t state_add_mark(page_state *s, int64_t place, const char *text)
{
    if (s->n_marks == STATE_MARKS)
        memmove(s->mark, s->mark + 1, --s->n_marks * sizeof *s->mark);
    state_mark *made = &s->mark[s->n_marks++];
    memset(made, 0, sizeof *made);
    made->id = ++s->next_mark;
    made->place = place;
    snprintf(made->text, sizeof made->text, "%s", text);
    s->marks_version++;
    return made->id;
}

bool state_remove_mark(page_state *s, uint64_t id)
{
    for (uint64_t k = 0; k < s->n_marks; k++) {
        if (s->mark[k].id != id)
            continue;
        memmove(&s->mark[k], &s->mark[k + 1], (s->n_marks - k - 1) * sizeof *s->mark);
        s->n_marks--;
        s->marks_version++;
        return true;
    }
    return false;
}

const state_choice *state_find_choice(const page_state *s, uint64_t item)
{
    for (uint64_t k = 0; k < s->n_choices; k++)
        if (s->choice[k].item == item)
            return &s->choice[k];
    return NULL;
}

void state_choose(page_state *s, uint64_t item, bool on)
{
    const state_choice *known = state_find_choice(s, item);
    const uint64_t at = known != NULL ? (uint64_t)(known - s->choice) : s->n_choices;
    if (at == STATE_CHOICES)
        return;
    s->choice[at] = (state_choice){item, on};
    s->n_choices += known == NULL;
    s->choices_version++;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_named(FILE *out, const char *name, uint64_t value)
{
    fprintf(out, ",\"%s\":%" PRIu64, name, value);
}

static void put_named_real(FILE *out, const char *name, double value)
{
    fprintf(out, ",\"%s\":", name);
    page_put_real(out, isfinite(value) ? value : NAN);
}

static void put_named_string(FILE *out, const char *name, const char *value)
{
    fprintf(out, ",\"%s\":", name);
    page_put_string(out, value);
}

/* Whether a list may have one more. */
static bool has_room(FILE *out, bool first)
{
    return first || ftello(out) < STATE_BYTES;
}

static void put_labels(const page_state *s, uint64_t from, FILE *out)
{
    fputs(",\"labels\":[", out);
    for (uint64_t k = from; k < s->n_labels && has_room(out, k == from); k++) {
        if (k > from)
            fputc(',', out);
        page_put_string(out, s->label[k]);
    }
    fputc(']', out);
}

static void put_items(const page_state *s, uint64_t from, FILE *out)
{
    fputs(",\"items\":[", out);
    for (uint64_t k = from; k < s->n_items && has_room(out, k == from); k++) {
        const state_item *item = &s->item[k];
        fprintf(out, "%s{\"pattern\":%s,\"name\":", k > from ? "," : "",
                item->is_pattern ? "true" : "false");
        page_put_string(out, item->name);
        fputs(",\"units\":[", out);
        for (uint32_t i = 0; i < item->size; i++)
            fprintf(out, "%s%" PRIu32, i > 0 ? "," : "", item->unit[i]);
        fputs("]}", out);
    }
    fputc(']', out);
}

static void put_marks(const page_state *s, FILE *out)
{
    fputs(",\"marks\":[", out);
    for (uint64_t k = 0; k < s->n_marks; k++) {
        fprintf(out, "%s{\"id\":%" PRIu64 ",\"place\":%" PRId64 ",\"text\":", k > 0 ? "," : "",
                s->mark[k].id, s->mark[k].place);
        page_put_string(out, s->mark[k].text);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_choices(const page_state *s, FILE *out)
{
    put_named(out, "choices_version", s->choices_version);
    fputs(",\"choices\":[", out);
    for (uint64_t k = 0; k < s->n_choices; k++)
        fprintf(out, "%s[%" PRIu64 ",%s]", k > 0 ? "," : "", s->choice[k].item,
                s->choice[k].on ? "true" : "false");
    fputc(']', out);
}

static void put_partitions(const page_state *s, uint64_t from, FILE *out)
{
    const uint64_t first = from > s->oldest_partition ? from : s->oldest_partition;
    fputs(",\"partitions\":[", out);
    for (uint64_t k = first; k < s->next_partition && has_room(out, k == first); k++)
        fprintf(out, "%s%s", k > first ? "," : "", s->partition[k % STATE_PARTITIONS]);
    fprintf(out, "],\"partitions_from\":%" PRIu64, first < s->next_partition ? first : from);
}

static void put_counts(const page_state *s, uint64_t from, FILE *out)
{
    put_named(out, "counts_from", from);
    fputs(",\"counts\":[", out);
    for (uint64_t k = from; k < s->n_items && k - from < STATE_COUNTS; k++)
        fprintf(out, "%s%" PRIu64, k > from ? "," : "", s->item[k].count);
    fputc(']', out);
}

void state_write(const page_state *s, const state_fixed *fixed, const state_wish *wish, FILE *out)
{
    fputs("{\"server\":", out);
    page_put_exact_real(out, fixed->server);
    put_named_string(out, "title", fixed->title);
    put_named_real(out, "history_s", fixed->history_s);
    put_named(out, "history_spikes", fixed->history_spikes);
    put_named(out, "labels_from", wish->labels);
    put_labels(s, wish->labels, out);
    put_named(out, "items_from", wish->items);
    put_items(s, wish->items, out);
    put_partitions(s, wish->partitions, out);
    put_named(out, "marks_version", s->marks_version);
    put_marks(s, out);
    fprintf(out, ",\"may_watch\":%s,\"mines\":%s", fixed->may_watch ? "true" : "false",
            fixed->mines ? "true" : "false");
    put_choices(s, out);
    if (wish->has_counts)
        put_counts(s, wish->counts, out);
    fputs("}\n", out);
}

static void put_meters(const page_state *s, FILE *out)
{
    const spk_live_meters *m = &s->meters;
    const spk_live_counts *c = &m->counts;
    fprintf(out, ",\"meters\":{\"received\":%" PRIu64, c->received);
    put_named(out, "accepted", c->accepted);
    put_named(out, "duplicates", c->duplicates);
    put_named(out, "out_of_order", c->out_of_order);
    put_named(out, "late", c->late);
    put_named(out, "lost", c->lost);
    put_named(out, "held", c->held);
    put_named(out, "outside", c->outside);
    put_named(out, "segments", c->segments);
    put_named_real(out, "spikes_per_s", m->spikes_per_s);
    fputs(",\"latency_ms\":[", out);
    for (int k = 0; k < 3; k++) {
        fputs(k > 0 ? "," : "", out);
        page_put_real(out, isfinite(m->latency_ms[k]) ? m->latency_ms[k] : NAN);
    }
    fputc(']', out);
    put_named_string(out, "source", m->source);
    put_named_string(out, "state", m->state);
    put_named(out, "reconnects", m->reconnects);
    put_named(out, "garbage", m->garbage);
    put_named(out, "partitions_mined", m->partitions_mined);
    put_named(out, "partitions_skipped", m->partitions_skipped);
    put_named_string(out, "skipped_why", m->skipped_why);
    put_named(out, "partitions_tested", m->partitions_tested);
    put_named(out, "tests_due", m->tests_due);
    put_named_string(out, "untested", m->untested);
    put_named_real(out, "position_s", m->position_s);
    put_named_real(out, "duration_s", m->duration_s);
    put_named_real(out, "speed", m->speed);
    fprintf(out, ",\"replay\":%s,\"paused\":%s}", m->replay ? "true" : "false",
            m->paused ? "true" : "false");
}

void state_write_news(const page_state *s, const state_fixed *fixed, const history *h,
                      const spk_live_page_facts *facts, FILE *out)
{
    fputs("{\"server\":", out);
    page_put_exact_real(out, fixed->server);
    fprintf(out, ",\"rate\":[%" PRIu64 ",%" PRIu64 "]", fixed->rate.numerator,
            fixed->rate.denominator);
    put_named(out, "spikes", h->next);
    put_named(out, "oldest", h->oldest);
    put_named(out, "occurrences", h->next_occurrence);
    fprintf(out, ",\"origin\":\"%" PRId64 "\",\"newest\":%" PRId64, h->origin, h->newest);
    put_named(out, "labels", s->n_labels);
    put_named(out, "items", s->n_items);
    put_named(out, "partitions", s->next_partition);
    put_named(out, "marks", s->marks_version);
    put_named(out, "choices", s->choices_version);
    put_named(out, "unseen", s->unseen[0]);
    put_named(out, "unseen_occurrences", s->unseen[1]);
    put_named(out, "clients", facts->clients);
    put_named(out, "dropped", facts->dropped);
    fprintf(out, ",\"begun\":%s,\"ended\":%s", h->begun ? "true" : "false",
            s->ended ? "true" : "false");
    if (s->has_meters)
        put_meters(s, out);
    fputc('}', out);
}
