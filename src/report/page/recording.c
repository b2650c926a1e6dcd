/* The recording in a report: units, segments, spikes. */
#include "report/page/page.h"
#include "spikemine/describe.h"

#include <inttypes.h>

/* Spikes from the start on, as many as the limit lets in. */
void page_limit_spikes(page *p)
{
    const spk_events events = spk_recording_events(p->recording);
    p->n_spikes = events.n_events;
    p->spikes_until = spk_recording_stop(p->recording);
    if (events.n_events <= p->options.max_spikes)
        return;
    p->spikes_until = events.time[p->options.max_spikes];
    p->n_spikes = p->options.max_spikes;
    while (p->n_spikes > 0 && events.time[p->n_spikes - 1] == p->spikes_until)
        p->n_spikes--; /* all spikes of a tick, or none */
}

static void put_segments(const page *p)
{
    size_t n = 0;
    const spk_segment *segment = spk_recording_segments(p->recording, &n);
    fputs("\"segments\":[", p->out);
    for (size_t k = 0; k < n; k++)
        fprintf(p->out, "%s[%" PRIu64 ",%" PRIu64 "]", k > 0 ? "," : "",
                page_ticks_from_start(p, segment[k].start),
                page_ticks_from_start(p, segment[k].stop));
    fputs("],\n", p->out);
}

/* Spikes of a unit that the file has: where segments overlap each of them is there once. */
static uint64_t count_spikes(const page *p, const spk_events *events, uint32_t unit)
{
    uint64_t end = events->unit_first[unit + 1];
    while (end > events->unit_first[unit] &&
           events->time[events->by_unit[end - 1]] >= p->spikes_until)
        end--;
    return end - events->unit_first[unit];
}

static void put_units(const page *p)
{
    const spk_events events = spk_recording_events(p->recording);
    fputs("\"units\":[", p->out);
    for (uint32_t u = 0; u < events.n_units; u++) {
        spk_unit_description unit;
        spk_recording_describe_unit(p->recording, u, &unit);
        fputs(u > 0 ? ",\n{\"label\":" : "\n{\"label\":", p->out);
        page_put_string(p->out, spk_recording_label(p->recording, u));
        fprintf(p->out, ",\"n\":%" PRIu64 ",\"rate\":", count_spikes(p, &events, u));
        page_put_real(p->out, unit.rate_hz);
        fputc('}', p->out);
    }
    fputs("],\n", p->out);
}

static spk_status put_spikes(const page *p)
{
    const spk_events events = spk_recording_events(p->recording);
    page_base64 base64 = {.out = p->out};
    fprintf(p->out, "\"spikes\":{\"n\":%" PRIu64 ",\"v\":\"", p->n_spikes);
    for (uint32_t u = 0; u < events.n_units; u++) {
        int64_t before = p->start;
        for (uint64_t k = events.unit_first[u]; k < events.unit_first[u + 1]; k++) {
            int64_t time = events.time[events.by_unit[k]];
            if (time >= p->spikes_until)
                break;
            page_base64_put_number(&base64, (uint64_t)time - (uint64_t)before);
            before = time;
        }
        spk_status status = spk_check_cancel(p->context);
        if (status != SPK_OK)
            return status;
    }
    page_base64_end(&base64);
    fputs("\"}}", p->out);
    return SPK_OK;
}

spk_status page_put_recording(page *p)
{
    const spk_rate rate = spk_recording_rate(p->recording);
    fputs(",\n\"recording\":{\"name\":", p->out);
    if (p->options.recording != NULL)
        page_put_string(p->out, p->options.recording);
    else
        fputs("null", p->out);
    fputs(",\"tick_s\":", p->out);
    page_put_exact_real(p->out, (double)rate.denominator / (double)rate.numerator);
    fprintf(p->out, ",\"start\":%" PRIi64 ",\"stop\":%" PRIu64 ",\n", p->start,
            page_ticks_from_start(p, spk_recording_stop(p->recording)));
    if (p->n_spikes < spk_recording_events(p->recording).n_events)
        fprintf(p->out, "\"spikes_until\":%" PRIu64 ",\n",
                page_ticks_from_start(p, p->spikes_until));
    put_segments(p);
    put_units(p);
    return put_spikes(p);
}
