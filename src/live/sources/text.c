/* Sources of lines of text: standard input, TCP and UNIX sockets, connecting and listening. */
#include <stdlib.h>

#include "base/memory.h"
#include "live/sources/bytes.h"
#include "live/sources/lines.h"
#include "live/sources/source.h"

typedef struct text_source {
    spk_bytes bytes;
    spk_lines lines;
} text_source;

static spk_status open_text(spk_context *context, spk_live_source *source, const char *rest,
                            spk_link_way way)
{
    text_source *own = NULL;
    spk_status status = spk_alloc_zero(context, &own, 1, "a live source");
    if (status != SPK_OK)
        return status;
    own->bytes.link = (spk_link){.listener = -1, .fd = -1};
    own->bytes.parser = &own->lines;
    own->bytes.take = spk_lines_take;
    own->bytes.renew = spk_lines_renew;
    source->own = own;
    status = spk_lines_init(context, &own->lines, &source->options);
    if (status == SPK_OK)
        status = spk_bytes_init(context, &own->bytes);
    if (status == SPK_OK)
        status = spk_link_init(context, &own->bytes.link, way, rest, NULL, &source->options);
    return status;
}

static spk_status poll_text(spk_context *context, spk_live_source *source, int64_t until_ns)
{
    text_source *own = source->own;
    return spk_bytes_poll(context, &own->bytes, &source->collector, until_ns);
}

static void close_text(spk_live_source *source)
{
    text_source *own = source->own;
    if (own == NULL)
        return;
    spk_bytes_clear(&own->bytes);
    spk_lines_clear(&own->lines);
    free(own);
}

static int fd_of_text(const spk_live_source *source)
{
    const text_source *own = source->own;
    return spk_link_fd(&own->bytes.link);
}

static void state_of_text(const spk_live_source *source, spk_live_source_facts *facts)
{
    const text_source *own = source->own;
    spk_link_state(&own->bytes.link, facts->state, sizeof facts->state);
}

#define TEXT_KIND(symbol, way, name_, scheme_, address_, summary_)                                 \
    static spk_status open_##symbol(spk_context *context, spk_live_source *source,                 \
                                    const char *rest)                                              \
    {                                                                                              \
        return open_text(context, source, rest, way);                                              \
    }                                                                                              \
    extern const spk_live_kind spk_live_text_##symbol;                                             \
    const spk_live_kind spk_live_text_##symbol = {.name = (name_),                                 \
                                                  .scheme = (scheme_),                             \
                                                  .address = (address_),                           \
                                                  .summary = (summary_),                           \
                                                  .open = open_##symbol,                           \
                                                  .poll = poll_text,                               \
                                                  .close = close_text,                             \
                                                  .fd = fd_of_text,                                \
                                                  .state = state_of_text};

TEXT_KIND(stdin, SPK_LINK_STDIN, "stdin", "-", "-", "lines of text from standard input")
TEXT_KIND(tcp, SPK_LINK_TCP, "tcp", "tcp://", "tcp://HOST:PORT", "lines of text from a server")
TEXT_KIND(tcp_listen, SPK_LINK_TCP_LISTEN, "tcp-listen", "tcp-listen://",
          "tcp-listen://ADDRESS:PORT", "lines of text from whoever connects")
TEXT_KIND(unix, SPK_LINK_UNIX, "unix", "unix:", "unix:PATH", "lines of text from a UNIX socket")
TEXT_KIND(unix_listen, SPK_LINK_UNIX_LISTEN, "unix-listen", "unix-listen:", "unix-listen:PATH",
          "lines of text from whoever connects to a UNIX socket")
