/*
 * How the time of the reduction grows with the number of patterns. The recording is mined once. The
 * n most frequent patterns are what mining with a higher support gives, but for the last count,
 * which some of n patterns may share with patterns that are left out; that count is the support.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "study.h"

typedef struct values {
    cli_duration bin;
    uint64_t window, min_spikes, support, k;
    const char *numbers;
} values;

/* The patterns of a job, in columns of our own. */
typedef struct chosen {
    spk_pattern_columns columns;
    uint64_t *offset;
    uint32_t *item, *count;
    uint32_t support;
} chosen;

static void chosen_free(chosen *c)
{
    free(c->offset);
    free(c->item);
    free(c->count);
    *c = (chosen){0};
}

/* The largest count that at least n patterns reach. */
static uint32_t count_of_nth(const spk_pattern_columns *all, uint64_t n, uint64_t *n_above)
{
    uint32_t low = 1, high = UINT32_MAX;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2 + 1;
        uint64_t reach = 0;
        for (uint64_t i = 0; i < all->n; i++)
            reach += all->count[i] >= middle;
        if (reach >= n)
            low = middle;
        else
            high = middle - 1;
    }
    *n_above = 0;
    for (uint64_t i = 0; i < all->n; i++)
        *n_above += all->count[i] > low;
    return low;
}

/* The n most frequent of all; false without memory. */
static bool choose(const spk_pattern_columns *all, uint64_t n, chosen *c)
{
    const uint64_t n_items = all->offset[all->n] - all->offset[0];
    uint64_t n_above, at = 0, taken = 0;
    c->offset = malloc((n + 1) * sizeof *c->offset);
    c->item = malloc(n_items * sizeof *c->item);
    c->count = malloc(n * sizeof *c->count);
    if (c->offset == NULL || c->item == NULL || c->count == NULL)
        return false;
    c->support = count_of_nth(all, n, &n_above);
    uint64_t of_last = n - n_above;
    for (uint64_t i = 0; i < all->n && at < n; i++) {
        if (all->count[i] < c->support || (all->count[i] == c->support && of_last == 0))
            continue;
        of_last -= all->count[i] == c->support;
        uint64_t size = all->offset[i + 1] - all->offset[i];
        memcpy(c->item + taken, all->item + all->offset[i], size * sizeof *c->item);
        c->offset[at] = taken;
        c->count[at++] = all->count[i];
        taken += size;
    }
    c->offset[at] = taken;
    c->columns = (spk_pattern_columns){at, all->window, c->offset, c->item, c->count};
    return true;
}

static void print_row(const chosen *c, const uint8_t *keep, double seconds)
{
    const uint64_t n = c->columns.n;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n; i++)
        kept += keep[i];
    printf("%" PRIu64 "\t%" PRIu32 "\t%.1f\t%" PRIu64 "\t%.3f\t%.2f\n", n, c->support,
           (double)c->offset[n] / (double)n, kept, seconds, 1e6 * seconds / (double)n);
    fflush(stdout);
}

/* One row. */
static int reduce_some(cli_session *session, const spk_windows *windows,
                       const spk_pattern_columns *all, uint64_t n, const values *v)
{
    chosen c = {0};
    spk_reduce_options options;
    spk_reduce_options_init(&options, sizeof options);
    options.min_spikes = (uint32_t)v->min_spikes;
    options.h = options.k = (int32_t)v->k;
    uint8_t *keep = malloc(n);
    int code;
    if (keep != NULL && choose(all, n, &c)) {
        options.support = c.support;
        clock_t began = clock();
        code = cli_report(
            session, spk_pattern_reduce(session->context, windows, &c.columns, &options, keep));
        double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        cli_progress_clear(session);
        if (code == CLI_DONE)
            print_row(&c, keep, seconds);
    } else {
        code = cli_fail(session, "out of memory");
    }
    free(keep);
    chosen_free(&c);
    return code;
}

/* A row for each number of a list. */
static int reduce_each(cli_session *session, const spk_windows *windows,
                       const spk_pattern_columns *all, const values *v)
{
    int code = CLI_DONE;
    printf("patterns\tsupport\tspikes\tkept\tprocessor_s\tus_per_pattern\n");
    for (const char *at = v->numbers; code == CLI_DONE && *at != '\0';) {
        char *rest;
        uint64_t n = strtoull(at, &rest, 10);
        if (rest == at || n == 0 || (*rest != ',' && *rest != '\0'))
            return cli_usage_error(session->command, "--patterns takes numbers, commas between");
        if (all->n == 0)
            return cli_fail(session, "no patterns; choose a lower support");
        code = reduce_some(session, windows, all, n < all->n ? n : all->n, v);
        at = rest + (*rest == ',');
    }
    return code;
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    spk_recording *recording = NULL;
    study_found found = {0};
    study_job job;
    study_job_init(&job);
    job.windows.bin = v->bin.value;
    job.windows.window = (uint32_t)v->window;
    job.patterns.min_spikes = (uint32_t)v->min_spikes;
    job.patterns.support = v->support;
    int code = cli_recording_read(session, session->arguments[0], &recording);
    if (code == CLI_DONE)
        code = cli_report(session, study_mine(session->context, recording, &job, &found));
    cli_progress_clear(session);
    if (code == CLI_DONE) {
        const spk_pattern_columns all = spk_pattern_list_columns(found.patterns);
        code = reduce_each(session, found.windows, &all, v);
    }
    study_found_free(&found);
    spk_recording_free(recording);
    return code;
}

static const cli_option options[] = {
    {.name = "bin",
     .kind = CLI_DURATION,
     .argument = "TIME",
     .offset = offsetof(values, bin),
     .fallback = "5ms",
     .help = "width of a bin"},
    {.name = "window",
     .letter = 'w',
     .kind = CLI_INTEGER,
     .argument = "BINS",
     .offset = offsetof(values, window),
     .fallback = "20",
     .minimum = 1,
     .maximum = 1e6,
     .help = "window length in bins"},
    {.name = "min-spikes",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, min_spikes),
     .fallback = "2",
     .minimum = 1,
     .maximum = 1e6,
     .help = "fewest spikes of a pattern"},
    {.name = "support",
     .letter = 's',
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, support),
     .fallback = "60",
     .minimum = 1,
     .maximum = 1e9,
     .help = "support of mining"},
    {.name = "patterns",
     .letter = 'n',
     .kind = CLI_TEXT,
     .argument = "LIST",
     .offset = offsetof(values, numbers),
     .fallback = "1000,3000,10000,30000,100000",
     .help = "how many of the patterns, the most frequent ones, are reduced; one row each"},
    {.name = "k",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, k),
     .fallback = "0",
     .maximum = 100,
     .help = "the corrections h and k; l is 0"},
    CLI_RECORDING_OPTIONS,
    CLI_END,
};

const cli_command study_reduction = {
    .program = "spikemine-bench-significance",
    .name = "reduction",
    .arguments = "REC",
    .summary = "how the time of the reduction grows with the number of patterns",
    .description =
        "Mines a recording once and reduces more and more of its patterns, the most frequent\n"
        "ones. The support of the reduction is the smallest count among them. Columns: patterns,\n"
        "that support, mean number of spikes, patterns that are left, seconds of processor\n"
        "time, microseconds a pattern.",
    .examples = "  spikemine-bench-significance reduction rec.txt -s 60 -n 1000,10000,100000",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .run = run,
};
