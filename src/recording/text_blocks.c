/* The bytes of a text, in blocks: the only place that knows how long a line may be. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "recording/text_reader.h"

static spk_status check_text(spk_text_reader *reader)
{
    const char *zero = memchr(reader->buffer, '\0', reader->filled);
    if (zero == NULL)
        return SPK_OK;
    uint64_t line = reader->line + !reader->inside;
    for (const char *at = reader->buffer; at < zero; at++)
        line += *at == '\n';
    return spk_fail(reader->context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64 ": a NUL byte: looks binary; give a text file of two columns, "
                    "time and unit",
                    reader->name, line);
}

/* Text of two bytes a letter would be met as NUL bytes, too. */
static spk_status check_encoding(spk_text_reader *reader)
{
    const char *text = reader->buffer;
    if (reader->filled < 2 ||
        (memcmp(text, "\xff\xfe", 2) != 0 && memcmp(text, "\xfe\xff", 2) != 0))
        return SPK_OK;
    return spk_fail(reader->context, SPK_ERR_FORMAT,
                    "%s: is text in UTF-16; convert it, for example with iconv -f utf-16 -t utf-8",
                    reader->name);
}

/* Fills the buffer behind the rest of the last block. */
static spk_status fill(spk_text_reader *reader, bool first)
{
    size_t n = 0;
    size_t space = SPK_TEXT_BUFFER - reader->filled;
    spk_status status =
        spk_input_read(reader->context, reader->input, reader->buffer + reader->filled, space, &n);
    reader->filled += n;
    reader->at_end = n < space;
    if (status == SPK_OK && first)
        status = check_encoding(reader);
    if (status == SPK_OK)
        status = check_text(reader);
    if (status == SPK_OK && reader->at_end && reader->filled > 0 &&
        reader->buffer[reader->filled - 1] != '\n')
        reader->buffer[reader->filled++] =
            '\n'; /* the last line's, for which the buffer has a byte more */
    return status;
}

const char *spk_text_complete(const char *text, const char *end)
{
    while (end > text && end[-1] != '\n')
        end--;
    return end;
}

spk_status spk_text_read_all(spk_text_reader *reader)
{
    bool first = true;
    while (!reader->at_end && !reader->part.done) {
        spk_status status = fill(reader, first);
        if (status != SPK_OK)
            return status;
        const char *text = reader->buffer;
        const char *end = reader->buffer + reader->filled;
        if (first && end - text >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
            text += 3; /* byte order mark */
        first = false;
        const char *rest = text;
        status = reader->way->take(reader, text, end, &rest);
        assert(status != SPK_OK ||
               (rest >= text && rest <= end && (!reader->at_end || rest == end)));
        if (status == SPK_OK && rest == text && !reader->at_end)
            status = spk_fail(reader->context, SPK_ERR_FORMAT,
                              "%s:%" PRIu64 ": a line of over %d bytes; give a text file with a "
                              "line per event (line ends are newlines)",
                              reader->name, reader->line + !reader->inside, SPK_TEXT_BUFFER);
        if (status != SPK_OK)
            return status;
        if (reader->part.jumped) {
            reader->part.jumped = reader->at_end = false;
            reader->filled = 0;
            continue;
        }
        reader->part.offset += (uint64_t)(rest - reader->buffer);
        reader->filled = (size_t)(end - rest);
        memmove(reader->buffer, rest, reader->filled);
    }
    return SPK_OK;
}
