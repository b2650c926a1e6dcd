/* The serving thread: takes what was fed, tells browsers of it, and lets HTTP work. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "live/page/page.h"

enum { STEP_MS = 20, IDLE_STEP_MS = 100, HEARTBEAT_MS = 1000 };

/* ---- what was fed ---------------------------------------------------------------------------- */

static void take_spikes(spk_live_page *page, const unsigned char *body)
{
    inbox_spikes head;
    memcpy(&head, body, sizeof head);
    const int64_t *time = (const int64_t *)(const void *)(body + sizeof head);
    history_add(&page->history, head.n, time, (const uint32_t *)(const void *)(time + head.n));
}

static void take_item(spk_live_page *page, const unsigned char *body)
{
    inbox_item head;
    memcpy(&head, body, sizeof head);
    const uint32_t *unit = (const uint32_t *)(const void *)(body + sizeof head);
    state_add_item(&page->state, head.is_pattern != 0, head.item, head.size, unit,
                   (const char *)(unit + head.size));
}

static void take_occurrence(spk_live_page *page, const unsigned char *body)
{
    inbox_occurrence head;
    memcpy(&head, body, sizeof head);
    if (head.item >= page->state.n_items)
        return;
    page->state.item[head.item].count = head.count;
    const history_occurrence occurrence = {
        .item = head.item, .count = head.count, .segment = head.segment, .size = head.size};
    history_add_occurrence(&page->history, &occurrence,
                           (const int64_t *)(const void *)(body + sizeof head));
}

static void take_counts(page_state *s, const unsigned char *body, size_t bytes)
{
    const uint64_t *count = (const uint64_t *)(const void *)body;
    for (uint64_t k = 0; k < s->n_items && k < bytes / sizeof *count; k++)
        s->item[k].count = count[k];
}

static void take_record(spk_live_page *page, const inbox_record *record, const unsigned char *body)
{
    inbox_segment segment;
    inbox_choice choice;
    switch ((inbox_kind)record->kind) {
    case INBOX_RATE:
        memcpy(&page->fixed.rate, body, sizeof page->fixed.rate);
        page->history.span = page_span(page->fixed.history_s, page->fixed.rate);
        break;
    case INBOX_SPIKES:
        take_spikes(page, body);
        break;
    case INBOX_SEGMENT:
        memcpy(&segment, body, sizeof segment);
        history_begin(&page->history, segment.segment, segment.trial, segment.has_start,
                      segment.start);
        break;
    case INBOX_LABEL:
        state_add_label(&page->state, (const char *)body);
        break;
    case INBOX_ITEM:
        take_item(page, body);
        break;
    case INBOX_CHOICE:
        memcpy(&choice, body, sizeof choice);
        state_choose(&page->state, choice.item, choice.on);
        break;
    case INBOX_OCCURRENCE:
        take_occurrence(page, body);
        break;
    case INBOX_PARTITION:
        state_add_partition(&page->state, (const char *)body);
        break;
    case INBOX_METERS:
        memcpy(&page->state.meters, body, sizeof page->state.meters);
        page->state.has_meters = true;
        break;
    case INBOX_COUNTS:
        take_counts(&page->state, body, record->bytes);
        break;
    case INBOX_UNSEEN:
        memcpy(page->state.unseen, body, sizeof page->state.unseen);
        break;
    case INBOX_END:
        page->state.ended = true;
        break;
    }
}

static void take_all(spk_live_page *page)
{
    size_t n, at = 0;
    const unsigned char *bytes = inbox_take(&page->box, &n), *body;
    inbox_record record;
    while (inbox_next(bytes, n, &at, &record, &body))
        take_record(page, &record, body);
    page->news.wanted |= n > 0;
}

/* ---- news ------------------------------------------------------------------------------------ */

static void share_facts(spk_live_page *page, spk_live_page_facts *facts)
{
    memset(facts, 0, sizeof *facts);
    http_facts(page->http, facts);
    facts->history_spikes = page->history.next - page->history.oldest;
    pthread_mutex_lock(&page->shared.lock);
    page->shared.facts = *facts;
    pthread_mutex_unlock(&page->shared.lock);
}

static void write_news(spk_live_page *page, const spk_live_page_facts *facts)
{
    page_news *news = &page->news;
    char *text = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&text, &n);
    if (stream == NULL)
        return;
    fputs("data: ", stream);
    state_write_news(&page->state, &page->fixed, &page->history, facts, stream);
    fputs("\n\n", stream);
    if (!spk_close_text(stream, &text))
        return;
    free(news->text);
    news->text = text;
    news->n = n;
    news->number++;
    news->wanted = false;
    http_tell_news(page->http);
}

static void tell(spk_live_page *page)
{
    page_news *news = &page->news;
    const int64_t now = page_now_ms();
    if (now - news->looked_ms < PAGE_NEWS_MS)
        return;
    news->looked_ms = now;
    spk_live_page_facts facts;
    share_facts(page, &facts);
    if (http_n_readers(page->http) == 0 || (!news->wanted && now - news->made_ms < HEARTBEAT_MS))
        return;
    news->made_ms = now;
    write_news(page, &facts);
}

void *page_serve(void *user)
{
    spk_live_page *page = user;
    while (!atomic_load(&page->stopping)) {
        http_step(page->http, http_n_readers(page->http) > 0 ? STEP_MS : IDLE_STEP_MS);
        take_all(page);
        tell(page);
    }
    return NULL;
}
