/*
 * Fuzzes messages of Open Ephys. The input is a list of frames, each behind its length in two
 * bytes; two frames make a message.
 */
#include "live.h"
#include "live/sources/open_ephys_messages.h"

typedef struct frame {
    char *bytes; /* of its own size, so that a sanitizer sees each byte read beyond it */
    size_t n;
} frame;

static bool next_frame(const uint8_t **data, size_t *size, frame *out)
{
    if (*size < 2)
        return false;
    size_t n = (size_t)(*data)[0] | (size_t)(*data)[1] << 8;
    *data += 2;
    *size -= 2;
    n = n < *size ? n : *size;
    *out = (frame){malloc(n > 0 ? n : 1), n};
    if (out->bytes == NULL)
        return false;
    memcpy(out->bytes, *data, n);
    *data += n;
    *size -= n;
    return true;
}

static void take(spk_open_ephys_messages *messages, spk_collector *c, outcome *o,
                 const frame *envelope, const frame *header)
{
    spk_status status = SPK_OK;
    int turns = 0;
    while (!spk_open_ephys_take(messages, c, envelope->bytes, envelope->n, header->bytes, header->n,
                                &status)) {
        gather(c, o);
        if (++turns > 1)
            stop("a message waits though everything was handed over");
    }
    if (status != SPK_OK && status != SPK_ERR_FORMAT) /* another sample rate */
        stop("a message failed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    outcome o = {.status = SPK_OK};
    spk_open_ephys_messages messages = {.numbered = true};
    spk_collector *collector = fresh_collector(20);
    frame envelope, header = {NULL, 0};
    while (next_frame(&data, &size, &envelope)) {
        if (next_frame(&data, &size, &header))
            take(&messages, collector, &o, &envelope, &header);
        free(envelope.bytes);
        free(header.bytes);
        header.bytes = NULL;
    }
    gather(collector, &o);
    take_counters(collector, &o);
    check_sum(collector, o.spikes, o.garbage);
    return 0;
}
