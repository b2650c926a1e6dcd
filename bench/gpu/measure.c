/* Comparisons: the cases of a figure on one job, their runs interleaved, and the rows of its
 * tables. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench_gpu.h"

bool gpu_bench_has(const char *engine, char *reason, size_t reason_size)
{
    spk_engine_info info;
    for (size_t k = 0; spk_engine_describe(NULL, SPK_EPISODES, k, &info) == SPK_OK; k++) {
        if (strcmp(info.name, engine) != 0)
            continue;
        snprintf(reason, reason_size, "%s", info.reason);
        return info.available;
    }
    snprintf(reason, reason_size, "this version has no such engine");
    return false;
}

static int check_engines(gpu_bench *bench)
{
    char reason[160];
    for (size_t k = 0; k < bench->n_cases; k++) {
        const char *engine = bench->cases[k].engine;
        if (!gpu_bench_has(engine, reason, sizeof reason))
            return cli_fail(bench->session, "engine '%s': %s", engine, reason);
    }
    return CLI_DONE;
}

static void keep_times(gpu_case *c, int run)
{
    const spk_episode_summary *s = &c->last;
    c->seconds[run] = s->seconds;
    c->opening[run] = s->phases.opening;
    c->candidates[run] = s->phases.candidates;
    c->bounding[run] = s->phases.bounding;
    c->counting[run] = s->phases.counting;
    for (uint32_t k = 0; k < s->n_levels; k++)
        c->level[k][run] = s->level[k].seconds;
}

static int check_digests(gpu_bench *bench)
{
    const gpu_case *first = &bench->cases[0];
    for (size_t k = 1; k < bench->n_cases; k++) {
        const gpu_case *c = &bench->cases[k];
        if (c->digest != first->digest)
            return cli_fail(bench->session,
                            "%s on %d GPUs and %s on %d disagree: please report it with this "
                            "recording",
                            first->name, first->gpus, c->name, c->gpus);
    }
    return CLI_DONE;
}

/* One run of one case on a job; fills c->last and c->digest. */
typedef spk_status run_once(spk_context *context, const void *job, gpu_case *c);

/* What is run in turn. */
typedef struct comparison {
    gpu_bench *bench;
    run_once *once;
    const void *job;
} comparison;

static spk_status run_case(void *user, size_t k, int run)
{
    const comparison *all = user;
    spk_context *context = all->bench->session->context;
    gpu_case *c = &all->bench->cases[k];
    spk_context_set_threads(context, c->threads);
    spk_status status = all->once(context, all->job, c);
    if (status == SPK_OK && run != BENCH_WARM_UP)
        keep_times(c, run);
    return status;
}

static int compare(gpu_bench *bench, run_once *once, const void *job)
{
    comparison all = {.bench = bench, .once = once, .job = job};
    bool on_gpu[GPU_BENCH_MAX_CASES];
    for (size_t k = 0; k < bench->n_cases; k++)
        on_gpu[k] = bench->cases[k].gpus > 0;
    int code = check_engines(bench);
    if (code == CLI_DONE)
        code = cli_report(bench->session,
                          bench_interleave(bench->n_cases, on_gpu, bench->runs, run_case, &all));
    spk_context_set_threads(bench->session->context, bench->threads);
    cli_progress_clear(bench->session);
    return code == CLI_DONE ? check_digests(bench) : code;
}

static void set_engine(const gpu_case *c, spk_episode_options *options)
{
    options->engine = c->engine;
    options->two_pass = c->two_pass ? SPK_TWO_PASS_ON : SPK_TWO_PASS_OFF;
    options->compaction = c->compaction;
    options->gpus = c->gpus;
}

/* ---- mining ---------------------------------------------------------------------------------- */

typedef struct mining {
    const gpu_job *job;
    uint64_t support;
} mining;

static spk_status digest_level(void *user, const spk_episode_columns *episodes)
{
    gpu_case *c = user;
    c->digest = bench_mix(c->digest, episodes->n);
    c->digest = bench_mix_episodes(c->digest, episodes);
    return SPK_OK;
}

static spk_status mine_once(spk_context *context, const void *user, gpu_case *c)
{
    const mining *m = user;
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    set_engine(c, &options);
    options.delays = m->job->delays;
    options.n_delays = m->job->n_delays;
    options.support = m->support;
    c->digest = 0;
    return spk_episode_mine(context, m->job->recording, &options, digest_level, c, &c->last);
}

int gpu_bench_begin(gpu_bench *bench, const char *figure, const char *what)
{
    bench->levels = tmpfile();
    if (bench->levels == NULL)
        return cli_fail(bench->session, "cannot make a temporary file; set TMPDIR");
    fprintf(bench->out, "# figure %s: %s\n", figure, what);
    fprintf(bench->out,
            "events\tdelay\tsupport\tthreshold\tengine\tgpus\tthreads\tmedian_s\tmin_s\tmax_s\t"
            "speedup\topening_s\tcandidates_s\tbounding_s\tcounting_s\tcandidates\teliminated\t"
            "eliminated_share\tfrequent\n");
    return CLI_DONE;
}

int gpu_bench_end(gpu_bench *bench, const char *figure)
{
    char buffer[4096];
    fprintf(bench->out, "# figure %s-levels: the same jobs by size of episode\n", figure);
    fprintf(bench->out, "events\tdelay\tsupport\tthreshold\tengine\tgpus\tsize\tmedian_s\t"
                        "candidates\teliminated\teliminated_share\tfrequent\tbounded_per_gpu\t"
                        "counted_per_gpu\n");
    rewind(bench->levels);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, bench->levels)) > 0;)
        fwrite(buffer, 1, n, bench->out);
    fclose(bench->levels);
    bench->levels = NULL;
    return fflush(bench->out) == 0 ? CLI_DONE : cli_fail(bench->session, "cannot write the tables");
}

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static void print_job(FILE *out, const mining *m)
{
    fprintf(out, "%" PRIu64 "\t", spk_recording_events(m->job->recording).n_events);
    for (size_t d = 0; d < m->job->n_delays; d++) {
        char text[112];
        spk_delay_format(&m->job->delays[d], text, sizeof text);
        fprintf(out, "%s%s", d > 0 ? " " : "", text);
    }
    fprintf(out, "\t%s\t%" PRIu64 "\t", m->job->support, m->support);
}

static void print_levels(gpu_bench *bench, const mining *m, gpu_case *c)
{
    uint64_t devices = c->gpus > 0 ? (uint64_t)c->gpus : 1;
    for (uint32_t k = 0; k < c->last.n_levels; k++) {
        const spk_episode_level *l = &c->last.level[k];
        print_job(bench->levels, m);
        fprintf(bench->levels,
                "%s\t%d\t%" PRIu32 "\t%.6f\t%" PRIu64 "\t%" PRIu64 "\t%.4f\t%" PRIu64
                "\t%.1f\t%.1f\n",
                c->name, c->gpus, l->size, bench_median(c->level[k], bench->runs), l->candidates,
                l->eliminated, share(l->eliminated, l->candidates), l->frequent,
                c->two_pass ? share(l->candidates, devices) : 0,
                share(l->candidates - l->eliminated, devices));
    }
}

static void print_row(gpu_bench *bench, const mining *m, gpu_case *c, double base)
{
    uint64_t runs = bench->runs;
    uint64_t candidates = 0;
    uint64_t eliminated = 0;
    uint64_t frequent = 0;
    for (uint32_t k = 0; k < c->last.n_levels; k++) {
        candidates += c->last.level[k].candidates;
        eliminated += c->last.level[k].eliminated;
        frequent += c->last.level[k].frequent;
    }
    double median = bench_median(c->seconds, runs);
    print_job(bench->out, m);
    fprintf(bench->out, "%s\t%d\t%d\t%.6f\t%.6f\t%.6f\t%.3f\t", c->name, c->gpus,
            c->gpus > 0 ? 0 : c->threads, median, c->seconds[0], c->seconds[runs - 1],
            base / median);
    fprintf(bench->out, "%.6f\t%.6f\t%.6f\t%.6f\t", bench_median(c->opening, runs),
            bench_median(c->candidates, runs), bench_median(c->bounding, runs),
            bench_median(c->counting, runs));
    fprintf(bench->out, "%" PRIu64 "\t%" PRIu64 "\t%.4f\t%" PRIu64 "\n", candidates, eliminated,
            share(eliminated, candidates), frequent);
    fflush(bench->out);
}

int gpu_bench_mine(gpu_bench *bench, const gpu_job *job)
{
    mining m = {.job = job};
    int code = cli_report(bench->session,
                          spk_episode_support_parse(bench->session->context, job->recording,
                                                    job->support, &m.support));
    if (code == CLI_DONE)
        code = compare(bench, mine_once, &m);
    for (size_t k = 0; k < bench->n_cases && code == CLI_DONE; k++) {
        gpu_case *c = &bench->cases[k];
        double base = bench_median(bench->cases[c->base].seconds, bench->runs);
        print_row(bench, &m, c, base);
        print_levels(bench, &m, c);
    }
    return code;
}

/* ---- counting -------------------------------------------------------------------------------- */

typedef struct counting {
    const spk_recording *recording;
    spk_episode_list *list;
} counting;

static spk_status count_once(spk_context *context, const void *user, gpu_case *c)
{
    const counting *job = user;
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    set_engine(c, &options);
    spk_status status = spk_episode_count(context, job->recording, &options, job->list, &c->last);
    spk_episode_columns columns = spk_episode_list_columns(job->list);
    c->digest = bench_mix_episodes(0, &columns);
    return status;
}

int gpu_bench_count(gpu_bench *bench, const spk_recording *recording, spk_episode_list *list)
{
    counting job = {.recording = recording, .list = list};
    spk_episode_columns columns = spk_episode_list_columns(list);
    int code = compare(bench, count_once, &job);
    for (size_t k = 0; k < bench->n_cases && code == CLI_DONE; k++) {
        gpu_case *c = &bench->cases[k];
        double median = bench_median(c->counting, bench->runs);
        fprintf(bench->out, "%" PRIu64 "\t%" PRIu64 "\t%s\t%.6f\t%.6f\t%.6f\t%.6f\n",
                columns.offset[1] - columns.offset[0], columns.n, c->name, median, c->counting[0],
                c->counting[bench->runs - 1], bench_median(c->opening, bench->runs));
        fflush(bench->out);
    }
    return code;
}
