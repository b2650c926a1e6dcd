/*
 * Races: every entrant in turn, several times (A B C A B C ...), so that a machine whose speed
 * drifts drifts for all. Entrants on GPUs run once more before, unmeasured: the first call on a
 * device makes its context and loads the kernels.
 */
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

static int check_engines(gpu_bench *bench, const gpu_entrant *entrants, size_t n)
{
    char reason[160];
    for (size_t k = 0; k < n; k++)
        if (!gpu_bench_has(entrants[k].engine, reason, sizeof reason))
            return cli_fail(bench->session, "engine '%s': %s", entrants[k].engine, reason);
    return CLI_DONE;
}

static void keep_times(gpu_entrant *e, uint64_t run)
{
    const spk_episode_summary *s = &e->last;
    e->seconds[run] = s->seconds;
    e->opening[run] = s->phases.opening;
    e->candidates[run] = s->phases.candidates;
    e->bounding[run] = s->phases.bounding;
    e->counting[run] = s->phases.counting;
    for (uint32_t k = 0; k < s->n_levels; k++)
        e->level[k][run] = s->level[k].seconds;
}

static int check_digests(gpu_bench *bench, const gpu_entrant *entrants, size_t n)
{
    for (size_t k = 1; k < n; k++)
        if (entrants[k].digest != entrants[0].digest)
            return cli_fail(bench->session,
                            "%s on %d GPUs and %s on %d disagree: please report it with this "
                            "recording",
                            entrants[0].name, entrants[0].gpus, entrants[k].name, entrants[k].gpus);
    return CLI_DONE;
}

/* One run of one entrant; fills e->last and e->digest. */
typedef spk_status run_entrant(spk_context *context, const void *job, gpu_entrant *e);

static int race(gpu_bench *bench, gpu_entrant *entrants, size_t n, run_entrant *run,
                const void *job)
{
    spk_context *context = bench->session->context;
    int code = check_engines(bench, entrants, n);
    for (uint64_t r = 0; r <= bench->runs && code == CLI_DONE; r++) {
        for (size_t k = 0; k < n && code == CLI_DONE; k++) {
            gpu_entrant *e = &entrants[k];
            if (r == 0 && e->gpus == 0)
                continue;
            spk_context_set_threads(context, e->threads);
            bench_settle();
            code = cli_report(bench->session, run(context, job, e));
            if (code == CLI_DONE && r > 0)
                keep_times(e, r - 1);
        }
    }
    spk_context_set_threads(context, bench->threads);
    cli_progress_clear(bench->session);
    return code == CLI_DONE ? check_digests(bench, entrants, n) : code;
}

static void set_engine(const gpu_entrant *e, spk_episode_options *options)
{
    options->engine = e->engine;
    options->two_pass = e->two_pass ? SPK_TWO_PASS_ON : SPK_TWO_PASS_OFF;
    options->compaction = e->compaction;
    options->gpus = e->gpus;
}

/* ---- mining ---------------------------------------------------------------------------------- */

typedef struct mining {
    const gpu_job *job;
    uint64_t threshold;
} mining;

static spk_status digest_level(void *user, const spk_episode_level *level,
                               const spk_episode_columns *episodes)
{
    gpu_entrant *e = user;
    e->digest = bench_mix(e->digest, level->frequent);
    e->digest = bench_mix_episodes(e->digest, episodes);
    return SPK_OK;
}

static spk_status mine_once(spk_context *context, const void *user, gpu_entrant *e)
{
    const mining *m = user;
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    set_engine(e, &options);
    options.delays = m->job->delays;
    options.n_delays = m->job->n_delays;
    options.support = m->threshold;
    e->digest = 0;
    return spk_episode_mine(context, m->job->recording, &options, digest_level, e, &e->last);
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
    fprintf(out, "\t%s\t%" PRIu64 "\t", m->job->support, m->threshold);
}

static void print_levels(gpu_bench *bench, const mining *m, gpu_entrant *e)
{
    uint64_t devices = e->gpus > 0 ? (uint64_t)e->gpus : 1;
    for (uint32_t k = 0; k < e->last.n_levels; k++) {
        const spk_episode_level *l = &e->last.level[k];
        print_job(bench->levels, m);
        fprintf(bench->levels,
                "%s\t%d\t%" PRIu32 "\t%.6f\t%" PRIu64 "\t%" PRIu64 "\t%.4f\t%" PRIu64
                "\t%.1f\t%.1f\n",
                e->name, e->gpus, l->size, bench_median(e->level[k], bench->runs), l->candidates,
                l->eliminated, share(l->eliminated, l->candidates), l->frequent,
                e->two_pass ? share(l->candidates, devices) : 0,
                share(l->candidates - l->eliminated, devices));
    }
}

static void print_row(gpu_bench *bench, const mining *m, gpu_entrant *e, double base)
{
    uint64_t runs = bench->runs;
    uint64_t candidates = 0;
    uint64_t eliminated = 0;
    uint64_t frequent = 0;
    for (uint32_t k = 0; k < e->last.n_levels; k++) {
        candidates += e->last.level[k].candidates;
        eliminated += e->last.level[k].eliminated;
        frequent += e->last.level[k].frequent;
    }
    double median = bench_median(e->seconds, runs);
    print_job(bench->out, m);
    fprintf(bench->out, "%s\t%d\t%d\t%.6f\t%.6f\t%.6f\t%.3f\t", e->name, e->gpus,
            e->gpus > 0 ? 0 : e->threads, median, e->seconds[0], e->seconds[runs - 1],
            base / median);
    fprintf(bench->out, "%.6f\t%.6f\t%.6f\t%.6f\t", bench_median(e->opening, runs),
            bench_median(e->candidates, runs), bench_median(e->bounding, runs),
            bench_median(e->counting, runs));
    fprintf(bench->out, "%" PRIu64 "\t%" PRIu64 "\t%.4f\t%" PRIu64 "\n", candidates, eliminated,
            share(eliminated, candidates), frequent);
    fflush(bench->out);
}

int gpu_bench_mine(gpu_bench *bench, const gpu_job *job, gpu_entrant *entrants, size_t n)
{
    mining m = {.job = job};
    int code = cli_report(bench->session,
                          spk_episode_support_parse(bench->session->context, job->recording,
                                                    job->support, &m.threshold));
    if (code == CLI_DONE)
        code = race(bench, entrants, n, mine_once, &m);
    for (size_t k = 0; k < n && code == CLI_DONE; k++) {
        double base = bench_median(entrants[entrants[k].base].seconds, bench->runs);
        print_row(bench, &m, &entrants[k], base);
        print_levels(bench, &m, &entrants[k]);
    }
    return code;
}

/* ---- counting -------------------------------------------------------------------------------- */

typedef struct counting {
    const spk_recording *recording;
    spk_episode_list *list;
} counting;

static spk_status count_once(spk_context *context, const void *user, gpu_entrant *e)
{
    const counting *c = user;
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    set_engine(e, &options);
    spk_status status = spk_episode_count(context, c->recording, &options, c->list, &e->last);
    spk_episode_columns columns = spk_episode_list_columns(c->list);
    e->digest = bench_mix_episodes(0, &columns);
    return status;
}

int gpu_bench_count(gpu_bench *bench, const spk_recording *recording, spk_episode_list *list,
                    gpu_entrant *entrants, size_t n)
{
    counting c = {.recording = recording, .list = list};
    spk_episode_columns columns = spk_episode_list_columns(list);
    int code = race(bench, entrants, n, count_once, &c);
    for (size_t k = 0; k < n && code == CLI_DONE; k++) {
        gpu_entrant *e = &entrants[k];
        double median = bench_median(e->counting, bench->runs);
        fprintf(bench->out, "%" PRIu64 "\t%" PRIu64 "\t%s\t%.6f\t%.6f\t%.6f\t%.6f\n",
                columns.offset[1] - columns.offset[0], columns.n, e->name, median, e->counting[0],
                e->counting[bench->runs - 1], bench_median(e->opening, bench->runs));
        fflush(bench->out);
    }
    return code;
}
