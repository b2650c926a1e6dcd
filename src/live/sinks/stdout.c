/* Standard output. A reader that is slow makes the session wait, as it makes every program. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/memory.h"
#include "live/sinks/sink.h"

typedef struct standard_output {
    spk_context *context;
} standard_output;

static spk_status open_output(const live_sink_setup *setup, void **out)
{
    if (setup->rest[0] != '\0')
        return live_sink_fail_address(setup, live_sink_stdout.usage);
    standard_output *self = NULL;
    spk_status status = spk_alloc_zero(setup->context, &self, 1, "a sink");
    if (status == SPK_OK)
        self->context = setup->context;
    *out = self;
    return status;
}

/* After a cancel nobody waits for a reader that takes nothing. */
static bool may_wait(const standard_output *self)
{
    struct pollfd end = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return !spk_context_cancelled(self->context) || poll(&end, 1, 500) > 0;
}

static spk_status put_lines(void *sink, const char *text, size_t n)
{
    standard_output *self = sink;
    while (n > 0) {
        /* A pipe with room for this much never makes write wait. */
        size_t part = spk_context_cancelled(self->context) && n > 4096 ? 4096 : n;
        if (!may_wait(self))
            return spk_fail(self->context, SPK_ERR_CANCELLED,
                            "standard output: its reader took nothing, and the run was ended");
        ssize_t done = write(STDOUT_FILENO, text, part);
        if (done >= 0) {
            text += done;
            n -= (size_t)done;
        } else if (errno == EPIPE) {
            return spk_fail(self->context, SPK_ERR_PIPE, "standard output: its reader has gone");
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            struct pollfd end = {.fd = STDOUT_FILENO, .events = POLLOUT};
            (void)poll(&end, 1, 100);
        } else if (errno != EINTR) {
            return spk_fail(self->context, SPK_ERR_IO,
                            "standard output: writing failed: %s; is the disk full?",
                            strerror(errno));
        }
    }
    return SPK_OK;
}

const live_sink_kind live_sink_stdout = {
    .name = "stdout",
    .usage = "stdout",
    .open = open_output,
    .lines = put_lines,
    .close = free,
};
