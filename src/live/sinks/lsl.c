/*
 * A stream of markers of the Lab Streaming Layer; each marker is the text form of what occurred, or
 * a mark: "mark TIME TEXT", as in recordings.
 */
#include <stdlib.h>

#include "base/context.h"
#include "base/deadline.h"
#include "base/memory.h"
#include "live/library/lsl.h"
#include "live/sinks/line.h"
#include "live/sinks/sink.h"

enum { BUFFERED_S = 360 };

typedef struct outlet {
    const spk_lsl *lsl;
    void *outlet;
    live_line line; /* a mark in the making */
    uint64_t unsent;
} outlet;

static spk_status create(const live_sink_setup *setup, outlet *self)
{
    const char *name = setup->rest[0] != '\0' ? setup->rest : "spikemine";
    void *info =
        self->lsl->create_streaminfo(name, "Markers", 1, SPK_LSL_IRREGULAR, SPK_LSL_STRING, name);
    if (info != NULL) {
        self->outlet = self->lsl->create_outlet(info, 0, BUFFERED_S);
        self->lsl->destroy_streaminfo(info);
    }
    if (self->outlet != NULL)
        return SPK_OK;
    return spk_fail(setup->context, SPK_ERR_IO,
                    "%s: LSL cannot make a stream; is the network there?", setup->address);
}

static spk_status open_outlet(const live_sink_setup *setup, void **out)
{
    outlet *self = NULL;
    *out = NULL;
    spk_status status = spk_alloc_zero(setup->context, &self, 1, "a sink");
    if (status != SPK_OK)
        return status;
    self->line.context = setup->context;
    status = spk_lsl_get(setup->context, &self->lsl);
    if (status == SPK_OK)
        status = create(setup, self);
    if (status == SPK_OK)
        *out = self;
    else
        free(self);
    return status;
}

/* The time of a marker is that at which its last spike arrived, on LSL's clock. */
static spk_status put_occurrence(void *sink, const spk_live_occurrence *occurrence)
{
    outlet *self = sink;
    const char *marker = occurrence->name;
    const double age = (double)(spk_now_ns() - occurrence->arrival_ns) * 1e-9;
    const double at = self->lsl->local_clock() - (age > 0 ? age : 0);
    self->unsent += self->lsl->push_sample_strt(self->outlet, &marker, at) != 0;
    return SPK_OK;
}

/* The moment that was marked stands in the text: LSL's clock need not go with that of the stream.
 * The time of the marker is that at which the mark was set. */
static spk_status put_mark(void *sink, const spk_live_mark *mark, spk_rate rate)
{
    outlet *self = sink;
    live_line *line = &self->line;
    line->length = 0;
    live_line_put(line, "mark ");
    live_line_put_time(line, mark->time, rate);
    live_line_put(line, mark->text[0] != '\0' ? " " : "");
    live_line_put(line, mark->text);
    live_line_put_bytes(line, "", 1);
    if (line->status != SPK_OK)
        return line->status;
    const char *marker = line->text;
    self->unsent +=
        self->lsl->push_sample_strt(self->outlet, &marker, self->lsl->local_clock()) != 0;
    return SPK_OK;
}

static void get_facts(const void *sink, live_sink_facts *out)
{
    const outlet *self = sink;
    out->unsent += self->unsent;
}

static void close_outlet(void *sink)
{
    outlet *self = sink;
    self->lsl->destroy_outlet(self->outlet);
    live_line_clear(&self->line);
    free(self);
}

const live_sink_kind live_sink_lsl = {
    .name = "lsl",
    .usage = "lsl or lsl:NAME",
    .open = open_outlet,
    .occurrence = put_occurrence,
    .mark = put_mark,
    .get_facts = get_facts,
    .close = close_outlet,
};
