/* Spike times of the wanted rows. Where a start or a stop is given, a search finds the stretch of
 * each row that is needed, and only that is read. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/fraction.h"
#include "base/memory.h"
#include "recording/readers/nwb.h"

enum { BLOCK = 1 << 20, MOST_SERIES = 1000 };

/* ---- rates that the file tells --------------------------------------------------------------- */

static void add_rate(spk_nwb *nwb, double per_second)
{
    spk_rate rate;
    if (nwb->hints.n == SPK_NWB_RATES || !(per_second > 0) || !spk_clock_rate_of(per_second, &rate))
        return;
    for (size_t k = 0; k < nwb->hints.n; k++)
        if (nwb->rate[k].numerator == rate.numerator &&
            nwb->rate[k].denominator == rate.denominator)
            return;
    nwb->rate[nwb->hints.n++] = rate;
}

/* The rate of a series stands at its starting_time. What cannot be opened gives no hint. */
static spk_status look_at_series(spk_nwb *nwb, const char *path)
{
    char member[SPK_NWB_PATH];
    spk_h5_kind kind = SPK_H5_NOTHING;
    double rate = 0;
    bool found = false;
    if ((size_t)snprintf(member, sizeof member, "%s/starting_time", path) >= sizeof member)
        return SPK_OK;
    spk_status status = spk_h5_find(nwb->context, nwb->file, member, &kind);
    if (status == SPK_OK && kind == SPK_H5_DATA)
        status = spk_h5_number_of(nwb->context, nwb->file, member, "rate", &rate, &found);
    if (status == SPK_OK && found)
        add_rate(nwb, rate);
    return status;
}

spk_status spk_nwb_find_rates(spk_nwb *nwb)
{
    spk_h5_names names;
    spk_h5_kind kind = SPK_H5_NOTHING;
    nwb->hints.rate = nwb->rate;
    spk_status status = spk_h5_find(nwb->context, nwb->file, "/acquisition", &kind);
    if (status != SPK_OK || kind != SPK_H5_GROUP)
        return status;
    status = spk_h5_list(nwb->context, nwb->file, "/acquisition", &names);
    for (size_t k = 0; status == SPK_OK && k < names.n && k < MOST_SERIES; k++) {
        char path[SPK_NWB_PATH];
        if ((size_t)snprintf(path, sizeof path, "/acquisition/%s", names.name[k]) >= sizeof path)
            continue;
        kind = spk_h5_find_within(nwb->file, path);
        if (status == SPK_OK && kind == SPK_H5_GROUP)
            status = look_at_series(nwb, path);
    }
    spk_h5_names_free(&names);
    return status;
}

/* ---- which stretch of a row ------------------------------------------------------------------ */

static spk_status read_some(spk_nwb *nwb, uint64_t first, uint64_t n, double *out)
{
    return spk_h5_read_doubles(nwb->context, &nwb->times, (spk_h5_part){first, 0, n, 1}, out);
}

/* The first place in [low, high) whose time is not below `bound`, in the unit of the file. */
static spk_status search(spk_nwb *nwb, uint64_t low, uint64_t high, double bound, uint64_t *out)
{
    spk_status status = SPK_OK;
    spk_bisect s = {low, high};
    while (status == SPK_OK && spk_bisect_next(&s)) {
        double time = 0;
        status = read_some(nwb, s.middle, 1, &time);
        spk_bisect_told(&s, time < bound);
    }
    *out = s.low;
    return status;
}

/* A bound in the unit of the file, moved by `way` (-1 or 1) over what rounding may do; what is read
 * beyond it is left out later, exactly. */
static double loose_bound(const spk_nwb *nwb, spk_duration bound, double way)
{
    double seconds = spk_duration_seconds(bound);
    double margin = 1e-6 + nwb->scale + fabs(seconds) * (nwb->hints.single ? 1e-6 : 1e-12);
    return (seconds + way * margin) / nwb->scale;
}

/* The places of a row's times that are read: all, or those from start to stop. */
static spk_status find_stretch(spk_nwb *nwb, uint32_t row, uint64_t *from, uint64_t *to)
{
    const spk_read_options *o = nwb->options;
    uint64_t low = nwb->first[row], high = nwb->first[row + 1];
    spk_status status = SPK_OK;
    *from = low;
    *to = high;
    if (o->sort || low == high) /* the order is not known before all are read */
        return SPK_OK;
    if (o->start != NULL)
        status = search(nwb, low, high, loose_bound(nwb, *o->start, -1), from);
    if (status == SPK_OK && o->stop != NULL && o->stop->exponent != SPK_DURATION_INFINITE)
        status = search(nwb, *from, high, loose_bound(nwb, *o->stop, 1), to);
    return status;
}

/* ---- ends of all rows ------------------------------------------------------------------------ */

static void widen(spk_nwb_events *out, double first, double last)
{
    out->first_s = out->has_ends && out->first_s <= first ? out->first_s : first;
    out->last_s = out->has_ends && out->last_s >= last ? out->last_s : last;
    out->has_ends = true;
}

static spk_status fail_number(spk_nwb *nwb, uint32_t row, uint64_t place, double time)
{
    return spk_fail(nwb->context, SPK_ERR_FORMAT,
                    "%s: %s[%" PRIu64 "] (unit %s) is %s, no time; remove it from the file",
                    nwb->name, nwb->times.path, place, nwb->labels.name[row],
                    isnan(time) ? "not a number" : "infinite");
}

/* The extent is that of all rows, wanted or not: their first and last times are read too. */
static spk_status find_ends(spk_nwb *nwb, spk_nwb_events *out)
{
    const spk_read_options *o = nwb->options;
    bool given = o->start != NULL && o->stop != NULL;
    spk_status status = SPK_OK;
    for (uint32_t row = 0; row < nwb->n_units && status == SPK_OK && !given; row++) {
        uint64_t first = nwb->first[row], last = nwb->first[row + 1];
        double end[2] = {0, 0};
        if (first == last)
            continue;
        status = read_some(nwb, first, 1, &end[0]);
        if (status == SPK_OK)
            status = read_some(nwb, last - 1, 1, &end[1]);
        for (int k = 0; k < 2 && status == SPK_OK; k++)
            if (!isfinite(end[k]))
                status = fail_number(nwb, row, k == 0 ? first : last - 1, end[k]);
        if (status == SPK_OK)
            widen(out, end[0] * nwb->scale, end[1] * nwb->scale);
    }
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Stretches of the file that are read, one for each wanted row that has times there. */
typedef struct stretch {
    uint32_t row;
    uint64_t from;
    uint64_t to;
} stretch;

static spk_status find_stretches(spk_nwb *nwb, stretch *list, size_t *n, uint64_t *n_times)
{
    spk_status status = SPK_OK;
    *n = 0;
    *n_times = 0;
    for (uint32_t row = 0; row < nwb->n_units && status == SPK_OK; row++) {
        stretch *s = &list[*n];
        if (!nwb->keep[row])
            continue;
        s->row = row;
        status = find_stretch(nwb, row, &s->from, &s->to);
        if (status != SPK_OK || s->from >= s->to)
            continue;
        *n_times += s->to - s->from;
        ++*n;
    }
    if (status == SPK_OK && *n_times > SPK_MAX_EVENTS)
        status =
            spk_fail(nwb->context, SPK_ERR_RANGE,
                     "%s: %" PRIu64 " spikes are more than a recording holds (%u); read a part: "
                     "--start, --stop, --units",
                     nwb->name, *n_times, SPK_MAX_EVENTS);
    return status;
}

/* Reads [from, to), which may be of several rows, in blocks. */
static spk_status read_run(spk_nwb *nwb, uint64_t from, uint64_t to, double *out)
{
    spk_status status = SPK_OK;
    for (uint64_t at = from; at < to && status == SPK_OK;) {
        uint64_t n = to - at < BLOCK ? to - at : BLOCK;
        status = spk_check_cancel(nwb->context);
        if (status == SPK_OK)
            status = read_some(nwb, at, n, out + (at - from));
        at += n;
        spk_progress(nwb->context, "reading", at - from, to - from);
    }
    return status;
}

/* Stretches that follow each other in the file are read at once. */
static spk_status read_stretches(spk_nwb *nwb, const stretch *list, size_t n, double *out)
{
    spk_status status = SPK_OK;
    for (size_t k = 0; k < n && status == SPK_OK;) {
        size_t end = k + 1;
        while (end < n && list[end].from == list[end - 1].to)
            end++;
        status = read_run(nwb, list[k].from, list[end - 1].to, out);
        out += list[end - 1].to - list[k].from;
        k = end;
    }
    return status;
}

static spk_status check_order(spk_nwb *nwb, const stretch *s, double *time, bool *in_order)
{
    for (uint64_t i = 0; i < s->to - s->from; i++) {
        if (!isfinite(time[i]))
            return fail_number(nwb, s->row, s->from + i, time[i]);
        time[i] *= nwb->scale;
        if (i == 0 || time[i] >= time[i - 1])
            continue;
        *in_order = false;
        if (!nwb->options->sort)
            return spk_fail(nwb->context, SPK_ERR_ORDER,
                            "%s: %s[%" PRIu64 "] (unit %s): time %.9g after %.9g; the times of a "
                            "unit must ascend: pass --sort to put them in order",
                            nwb->name, nwb->times.path, s->from + i, nwb->labels.name[s->row],
                            time[i], time[i - 1]);
    }
    return SPK_OK;
}

spk_status spk_nwb_read_times(spk_nwb *nwb, spk_nwb_events *out)
{
    stretch *list = NULL;
    size_t n = 0;
    *out = (spk_nwb_events){.in_order = true};
    spk_status status = spk_alloc(nwb->context, &list, nwb->n_units, "units");
    if (status == SPK_OK)
        status = find_ends(nwb, out);
    if (status == SPK_OK)
        status = find_stretches(nwb, list, &n, &out->n);
    if (status == SPK_OK)
        status = spk_alloc_columns(nwb->context, "events", SPK_COLUMN(&out->seconds, out->n),
                                   SPK_COLUMN(&out->row, out->n));
    if (status == SPK_OK)
        status = read_stretches(nwb, list, n, out->seconds);
    uint64_t at = 0;
    for (size_t k = 0; k < n && status == SPK_OK; k++) {
        status = check_order(nwb, &list[k], out->seconds + at, &out->in_order);
        for (uint64_t i = list[k].from; i < list[k].to && status == SPK_OK; i++)
            out->row[at++] = list[k].row;
    }
    free(list);
    return status;
}
