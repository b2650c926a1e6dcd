/* Events of a live run as tables to read. */
#include "live_job.h"

#include <inttypes.h>
#include <stdlib.h>

#include "say.h"

static double seconds_of(int64_t tick, spk_rate rate)
{
    return (double)tick * (double)rate.denominator / (double)rate.numerator;
}

/* cli_output_end tells a disk that is full. */
static spk_status flush(void)
{
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? SPK_OK : SPK_ERR_PIPE;
}

spk_status live_table_occurrence(void *user, const spk_live_occurrence *occurrence)
{
    live_job *job = user;
    spk_rate rate = spk_live_stream_rate(spk_live_session_stream(job->live));
    cli_progress_clear(job->session);
    if (!job->header_done)
        printf("%14s  %10s  %8s  %s\n", "time_s", "takes_ms", "count", "occurrence");
    job->header_done = true;
    const double end = seconds_of(occurrence->time[occurrence->size - 1], rate);
    const double start = seconds_of(occurrence->time[0], rate);
    printf("%14.6f  %10.3f  %8" PRIu64 "  ", end, 1e3 * (end - start), occurrence->count);
    cli_put(stdout, occurrence->name);
    putchar('\n');
    return flush();
}

spk_status live_table_mark(void *user, const spk_live_mark *mark)
{
    live_job *job = user;
    spk_rate rate = spk_live_stream_rate(spk_live_session_stream(job->live));
    cli_progress_clear(job->session);
    printf("mark at %.6f s%s", seconds_of(mark->time, rate), mark->text[0] != '\0' ? ": " : "");
    cli_put(stdout, mark->text);
    putchar('\n');
    return flush();
}

spk_status live_table_choice(void *user, const spk_live_choice *choice)
{
    live_job *job = user;
    spk_rate rate = spk_live_stream_rate(spk_live_session_stream(job->live));
    cli_progress_clear(job->session);
    fputs(choice->begins ? "watched" : "watched no more", stdout);
    if (choice->place.has_time)
        printf(" after %.6f s", seconds_of(choice->place.time, rate));
    fputs(": ", stdout);
    cli_put(stdout, choice->name);
    putchar('\n');
    return flush();
}

/* ---- partitions ------------------------------------------------------------------------------ */

/* An episode and what decides its place: small p first, then long ones, then frequent ones. */
typedef struct row {
    uint64_t i;
    uint64_t size;
    uint64_t count;
    double p;
} row;

static int compare_rows(const void *a, const void *b)
{
    const row *x = a, *y = b;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->i < y->i ? -1 : 1;
}

static void put_name(const spk_recording *recording, const spk_episode_columns *episodes,
                     uint64_t i)
{
    size_t n = spk_episode_format(recording, episodes, i, NULL, 0);
    char *name = malloc(n + 1);
    if (name == NULL)
        return;
    spk_episode_format(recording, episodes, i, name, n + 1);
    cli_put(stdout, name);
    free(name);
}

static void put_row(const spk_partition_result *result, const row *r)
{
    static const char *const trends[] = {"new", "growing", "steady", "shrinking"};
    printf("  %8" PRIu64 "  %-9s  ", r->count,
           result->trend != NULL ? trends[result->trend[r->i]] : "");
    if (result->p != NULL)
        printf("%-8.4g  ", r->p);
    put_name(result->recording, result->episodes, r->i);
    putchar('\n');
}

static void put_vanished(const spk_partition_result *result)
{
    enum { SHOWN = 3 };
    const spk_episode_columns *episodes = result->vanished;
    uint64_t shown = 0, n = 0;
    for (uint64_t i = 0; episodes != NULL && i < episodes->n; i++) {
        if (episodes->offset[i + 1] - episodes->offset[i] < 2)
            continue;
        if (n++ >= SHOWN)
            continue;
        fputs(shown++ == 0 ? "  vanished: " : "; ", stdout);
        put_name(result->recording, episodes, i);
    }
    if (n > shown)
        printf(" and %" PRIu64 " more", n - shown);
    if (n > 0)
        putchar('\n');
}

static void put_head(const spk_partition_result *result, spk_rate rate, uint64_t n)
{
    printf("%.6g s to %.6g s: %" PRIu64 " spikes", seconds_of(result->slice.start, rate),
           seconds_of(result->slice.stop, rate), result->n_events);
    if (result->state == SPK_PARTITION_SKIPPED) {
        printf("; not mined: %s\n", result->why);
        return;
    }
    printf(", %" PRIu64 " episodes of two units or more, support %" PRIu64 "%s", n, result->support,
           result->support_raised ? " (raised)" : "");
    if (result->p != NULL)
        printf(", %" PRIu64 " significant", result->n_significant);
    printf("; %.2f s%s%s\n", result->seconds, result->engine[0] != '\0' ? " by " : "",
           result->engine);
    if (result->state == SPK_PARTITION_CUT)
        printf("  %s\n", result->why);
}

spk_status live_table_partition(void *user, const spk_partition_result *result)
{
    live_job *job = user;
    spk_rate rate = spk_live_stream_rate(spk_live_session_stream(job->live));
    const spk_episode_columns *episodes = result->episodes;
    const uint64_t most = episodes != NULL ? episodes->n : 0;
    row *rows = malloc((most > 0 ? most : 1) * sizeof *rows);
    uint64_t n = 0;
    if (rows == NULL)
        return SPK_ERR_MEMORY;
    for (uint64_t i = 0; i < most; i++) {
        const uint64_t size = episodes->offset[i + 1] - episodes->offset[i];
        if (size >= 2)
            rows[n++] = (row){i, size, episodes->count[i], result->p != NULL ? result->p[i] : 0};
    }
    qsort(rows, n, sizeof *rows, compare_rows);
    cli_progress_clear(job->session);
    put_head(result, rate, n);
    for (uint64_t k = 0; k < n && k < job->top; k++)
        put_row(result, &rows[k]);
    put_vanished(result);
    free(rows);
    return flush();
}
