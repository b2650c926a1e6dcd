/* What the page answers: its files, blocks of numbers, JSON, and orders that it passes on. */
#include <string.h>

#include "base/memory.h"
#include "live/page/page.h"
#include "live/page/web.h"

/* ---- texts ----------------------------------------------------------------------------------- */

static void answer_text(http_answer *out, int status, const char *text)
{
    out->status = status;
    out->type = "text/plain; charset=utf-8";
    out->bytes = (const unsigned char *)text;
    out->n = strlen(text);
}

static void answer_file(http_answer *out, const live_web_file *file, const char *type)
{
    out->status = 200;
    out->type = type;
    out->bytes = file->bytes;
    out->n = file->n;
}

static void answer_bytes(http_answer *out, const char *type, unsigned char *bytes, size_t n)
{
    out->status = 200;
    out->type = type;
    out->bytes = out->owned = bytes;
    out->n = n;
}

/* ---- numbers of the query -------------------------------------------------------------------- */

/* 0 where the field is absent; false where it is no number. */
static bool field(const http_request *request, const char *name, uint64_t *out)
{
    const char *text = request->query(request->user, name);
    *out = 0;
    return text == NULL || request_number(text, out);
}

static void answer_data(spk_live_page *page, const http_request *request, http_answer *out)
{
    uint64_t spikes, occurrences;
    if (!field(request, "spikes", &spikes) || !field(request, "occurrences", &occurrences)) {
        answer_text(out, 400, "spikes and occurrences are numbers\n");
        return;
    }
    unsigned char *bytes;
    size_t n;
    if (history_write(&page->history, page->fixed.server, spikes, occurrences, PAGE_MOST_SPIKES,
                      &bytes, &n) == SPK_OK)
        answer_bytes(out, "application/octet-stream", bytes, n);
    else
        answer_text(out, 503, "the server is out of memory\n");
}

static void answer_state(spk_live_page *page, const http_request *request, http_answer *out)
{
    state_wish wish = {0};
    if (!field(request, "labels", &wish.labels) || !field(request, "items", &wish.items) ||
        !field(request, "partitions", &wish.partitions) ||
        !field(request, "counts", &wish.counts)) {
        answer_text(out, 400, "labels, items, partitions and counts are numbers\n");
        return;
    }
    wish.has_counts = request->query(request->user, "counts") != NULL;
    char *text = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&text, &n);
    if (stream != NULL)
        state_write(&page->state, &page->fixed, &wish, stream);
    if (spk_close_text(stream, &text))
        answer_bytes(out, "application/json", (unsigned char *)text, n);
    else
        answer_text(out, 503, "the server is out of memory\n");
}

/* ---- orders ---------------------------------------------------------------------------------- */

static bool pass_on(spk_live_page *page, const spk_live_page_action *action)
{
    page_shared *shared = &page->shared;
    pthread_mutex_lock(&shared->lock);
    const bool room = shared->next_action - shared->oldest_action < PAGE_ACTIONS;
    if (room)
        shared->action[shared->next_action++ % PAGE_ACTIONS] = *action;
    pthread_mutex_unlock(&shared->lock);
    return room;
}

static bool pass_on_mark(spk_live_page *page, const request_order *order)
{
    const history_segment *segment = history_segment_at(&page->history, (int64_t)order->place);
    if (segment == NULL)
        return false;
    spk_live_page_action action = {
        .request = SPK_LIVE_PAGE_MARK, .segment = segment->segment, .trial = segment->trial};
    action.time = (int64_t)((uint64_t)order->place + (uint64_t)page->history.origin -
                            (uint64_t)segment->offset);
    memcpy(action.text, order->text, sizeof action.text);
    if (!pass_on(page, &action))
        return false;
    state_add_mark(&page->state, (int64_t)order->place, order->text);
    return true;
}

static bool pass_on_choice(spk_live_page *page, const request_order *order)
{
    const page_state *s = &page->state;
    spk_live_page_action action = {.request = SPK_LIVE_PAGE_WATCH};
    memcpy(action.text, order->text, sizeof action.text);
    return page->fixed.may_watch && s->n_choices < STATE_CHOICES && pass_on(page, &action);
}

static bool pass_on_end(spk_live_page *page, const request_order *order)
{
    const state_choice *choice = state_find_choice(&page->state, order->place);
    if (!page->fixed.may_watch || choice == NULL || !choice->on)
        return false;
    const spk_live_page_action action = {.request = SPK_LIVE_PAGE_UNWATCH,
                                         .item = page->state.item[choice->item].item};
    return pass_on(page, &action);
}

static bool carry_out(spk_live_page *page, const request_order *order)
{
    spk_live_page_action action = {.value = order->value};
    switch (order->action) {
    case REQUEST_SPEED:
        action.request = SPK_LIVE_PAGE_SPEED;
        return pass_on(page, &action);
    case REQUEST_PAUSE:
        action.request = SPK_LIVE_PAGE_PAUSE;
        return pass_on(page, &action);
    case REQUEST_MARK:
        return pass_on_mark(page, order);
    case REQUEST_UNMARK:
        return state_remove_mark(&page->state, order->place);
    case REQUEST_WATCH:
        return pass_on_choice(page, order);
    case REQUEST_UNWATCH:
        return pass_on_end(page, order);
    }
    return false;
}

static void answer_order(spk_live_page *page, const http_request *request, http_answer *out)
{
    request_order order;
    if (!request_read_order(request->body, request->body_length, &order)) {
        answer_text(out, 400, "this is none of speed, pause, mark, unmark, watch and unwatch\n");
        return;
    }
    const bool done = carry_out(page, &order);
    page->news.wanted = true;
    answer_text(out, done ? 200 : 409, done ? "done\n" : "not now; try again\n");
}

/* ---- routes ---------------------------------------------------------------------------------- */

/* The files of the page. They are the same for everybody, so that they need no token. */
static const struct page_file {
    const char *path;
    const live_web_file *file;
    const char *type;
} files[] = {{"/", &live_web_html, "text/html; charset=utf-8"},
             {"/live.css", &live_web_css, "text/css; charset=utf-8"},
             {"/live.js", &live_web_js, "text/javascript; charset=utf-8"}};

static const struct page_file *file_of(const char *path)
{
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++)
        if (strcmp(path, files[k].path) == 0)
            return &files[k];
    return NULL;
}

bool page_is_open(const char *path)
{
    return file_of(path) != NULL;
}

void page_answer(spk_live_page *page, const http_request *request, http_answer *out)
{
    const char *path = request->path;
    const struct page_file *own = file_of(path);
    if (request->posts) {
        if (strcmp(path, "/action") == 0)
            answer_order(page, request, out);
        else
            answer_text(out, 405, "orders go to /action\n");
    } else if (own != NULL) {
        answer_file(out, own->file, own->type);
    } else if (strcmp(path, "/data") == 0) {
        answer_data(page, request, out);
    } else if (strcmp(path, "/state") == 0) {
        answer_state(page, request, out);
    } else if (strcmp(path, "/news") == 0) {
        out->status = 200;
        out->type = "text/event-stream";
        out->news = true;
    } else {
        answer_text(out, 404, "there is nothing of this name\n");
    }
}
