/* The recording that comes with the library. */
#include "spikemine/sample.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"

/* data/songbird_spikes.txt, packed by the build (cmake/PackFile.cmake): "neuron time" by neuron. */
extern const unsigned char spk_sample_bytes[];
extern const size_t spk_sample_bytes_size;

static const char HEAD[] = "# Zebra finch, HVC. Demonstration data of PPSeq.jl (MIT licence).\n"
                           "time_s\tunit\n";

typedef struct line {
    const char *unit, *time, *end;
    size_t whole; /* digits of the time before its point */
} line;

/* By the digits of the times, as no locale reads them; a line's end is below all digits. */
static int compare_lines(const void *a, const void *b)
{
    const line *x = a, *y = b;
    if (x->whole != y->whole)
        return x->whole < y->whole ? -1 : 1;
    const ptrdiff_t n = x->end - x->time < y->end - y->time ? x->end - x->time : y->end - y->time;
    const int order = memcmp(x->time, y->time, (size_t)n + 1);
    return order != 0 ? order : (x->unit > y->unit) - (x->unit < y->unit);
}

/* The lines in the order of their times; returns how many. */
static size_t sort_lines(line *lines)
{
    const char *const end = (const char *)spk_sample_bytes + spk_sample_bytes_size;
    size_t n = 0;
    for (const char *at = (const char *)spk_sample_bytes; at < end; at = lines[n++].end + 1) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        const char *stop = memchr(tab, '\n', (size_t)(end - tab));
        const char *point = memchr(tab, '.', (size_t)(stop - tab));
        lines[n] = (line){at, tab + 1, stop, (size_t)((point != NULL ? point : stop) - tab - 1)};
    }
    qsort(lines, n, sizeof *lines, compare_lines);
    return n;
}

/* The text "time unit" of all lines, of the length of the packed one. */
static void put_lines(const line *lines, size_t n, char *text)
{
    for (size_t k = 0; k < n; k++) {
        const size_t time = (size_t)(lines[k].end - lines[k].time);
        const size_t unit = (size_t)(lines[k].time - 1 - lines[k].unit);
        memcpy(text, lines[k].time, time);
        text[time] = '\t';
        memcpy(text + time + 1, lines[k].unit, unit);
        text[time + 1 + unit] = '\n';
        text += time + unit + 2;
    }
}

spk_status spk_sample_write(spk_context *context, const char *path)
{
    spk_output *output = NULL;
    line *lines = NULL;
    char *text = NULL;
    size_t n = 0;
    for (size_t k = 0; k < spk_sample_bytes_size; k++)
        n += spk_sample_bytes[k] == '\n';
    spk_status status = spk_alloc_columns(context, "the sample", SPK_COLUMN(&lines, n),
                                          SPK_COLUMN(&text, spk_sample_bytes_size));
    if (status == SPK_OK) {
        put_lines(lines, sort_lines(lines), text);
        status = spk_output_open(context, path, &output);
    }
    if (status == SPK_OK)
        status = spk_output_write(context, output, HEAD, sizeof HEAD - 1);
    if (status == SPK_OK)
        status = spk_output_write(context, output, text, spk_sample_bytes_size);
    if (status == SPK_OK)
        status = spk_output_commit(context, output);
    else
        spk_output_discard(output);
    free(lines);
    free(text);
    return status;
}
