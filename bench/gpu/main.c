/* spikemine-bench-gpu [FIGURE ...]: the papers' tables and figures on this machine's GPUs. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bench_gpu.h"
#include "episode_job.h"
#include "spikemine/gpu.h"

typedef struct values {
    const char *recording;
    cli_count gpus;
    cli_texts delays;
    cli_texts supports;
    uint64_t runs;
    uint64_t threads;
    uint64_t seconds;
    const char *output;
} values;

/* ---- what was asked for ---------------------------------------------------------------------- */

static const gpu_figure *find_figure(const char *name)
{
    for (size_t k = 0; k < gpu_n_figures; k++)
        if (strcmp(gpu_figures[k].name, name) == 0)
            return &gpu_figures[k];
    return NULL;
}

static int check_figures(cli_session *session, int n, char **names)
{
    char known[128] = "";
    for (size_t k = 0; k < gpu_n_figures; k++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", k > 0 ? ", " : "", gpu_figures[k].name);
    }
    for (int k = 0; k < n; k++)
        if (find_figure(names[k]) == NULL)
            return cli_usage_error(session->command, "no figure '%s'; there are %s", names[k],
                                   known);
    return CLI_DONE;
}

static int find_gpus(cli_session *session, gpu_bench *bench)
{
    spk_gpu_info info;
    /* Says why when there is none. */
    int code = cli_report(session, spk_gpu_describe(session->context, 0, &info));
    if (code != CLI_DONE)
        return CLI_FAILED;
    int n = spk_gpu_count();
    if (bench->gpus > n)
        return cli_fail(session, "--gpus %d: this machine has %d", bench->gpus, n);
    bench->gpus = bench->gpus == SPK_GPUS_ALL ? n : bench->gpus;
    return CLI_DONE;
}

/* ---- the output ------------------------------------------------------------------------------ */

static void print_facts(const gpu_bench *bench, const values *v)
{
    const char *command = cli_command_line(bench->session);
    fprintf(bench->out, "# spikemine %s: %s\n", spk_version(), command != NULL ? command : "");
    for (int k = 0; k < bench->gpus; k++) {
        spk_gpu_info info;
        if (spk_gpu_describe(bench->session->context, k, &info) == SPK_OK)
            fprintf(bench->out, "# GPU %d: %s, %d multiprocessors, %.0f GB\n", k, info.name,
                    info.multiprocessors, (double)info.memory / 1e9);
    }
    fprintf(bench->out, "# %d threads, medians of %" PRIu64 " runs in turn, recording: %s\n",
            bench->threads, bench->runs, v->recording != NULL ? v->recording : "generated");
}

/* Tables go to FILE.part, which takes its name when they are complete. */
static int open_output(gpu_bench *bench, const char *path, char *part, size_t part_size)
{
    if (strcmp(path, "-") == 0) {
        bench->out = stdout;
        return CLI_DONE;
    }
    if (snprintf(part, part_size, "%s.part", path) >= (int)part_size)
        return cli_fail(bench->session, "--output %.40s...: the name is too long", path);
    bench->out = fopen(part, "w");
    if (bench->out == NULL)
        return cli_fail(bench->session, "%s: %s; is its folder there, and writable?", part,
                        strerror(errno));
    return CLI_DONE;
}

static int close_output(gpu_bench *bench, const char *path, const char *part, int code)
{
    if (bench->out == NULL || bench->out == stdout)
        return code;
    bool written = ferror(bench->out) == 0;
    written &= fclose(bench->out) == 0;
    if (code != CLI_DONE) {
        cli_note(bench->session, "%s holds what was done", part);
        return code;
    }
    if (!written || rename(part, path) != 0)
        return cli_fail(bench->session, "%s: %s", path, strerror(errno));
    return CLI_DONE;
}

/* ---- the run --------------------------------------------------------------------------------- */

static int print_figure(gpu_bench *bench, const gpu_figure *figure)
{
    bench->n_cases = 0;
    return figure->print(bench);
}

static int print_figures(gpu_bench *bench, int n_names, char **names)
{
    bench->cases = calloc(GPU_BENCH_MAX_CASES, sizeof *bench->cases);
    if (bench->cases == NULL)
        return cli_fail(bench->session, "out of memory");
    int code = CLI_DONE;
    for (int k = 0; k < n_names && code == CLI_DONE; k++)
        code = print_figure(bench, find_figure(names[k]));
    for (size_t k = 0; k < gpu_n_figures && n_names == 0 && code == CLI_DONE; k++)
        code = print_figure(bench, &gpu_figures[k]);
    if (bench->levels != NULL)
        fclose(bench->levels);
    free(bench->cases);
    return code;
}

static int check_values(cli_session *session, const values *v, spk_delay *delays, gpu_bench *bench)
{
    int code = check_figures(session, session->n_arguments, session->arguments);
    if (code == CLI_DONE)
        code = episode_job_delays(session, &v->delays, delays);
    bench->gpus = cli_gpus(v->gpus);
    return code == CLI_DONE ? find_gpus(session, bench) : code;
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    char part[4096];
    spk_recording *given = NULL;
    spk_delay *delays = calloc(v->delays.n + 1, sizeof *delays);
    if (delays == NULL)
        return cli_fail(session, "out of memory");
    gpu_bench bench = {.session = session,
                       .runs = v->runs,
                       .seconds = v->seconds,
                       .delays = delays,
                       .n_delays = v->delays.n,
                       .supports = v->supports};
    spk_context_set_threads(session->context, (int)v->threads);
    bench.threads = spk_context_threads(session->context);
    int code = check_values(session, v, delays, &bench);
    if (code == CLI_DONE && v->recording != NULL)
        code = cli_recording_read(session, v->recording, &given);
    bench.given = given;
    if (code == CLI_DONE)
        code = open_output(&bench, v->output, part, sizeof part);
    if (code == CLI_DONE) {
        print_facts(&bench, v);
        code = print_figures(&bench, session->n_arguments, session->arguments);
    }
    code = close_output(&bench, v->output, part, code);
    spk_recording_free(given);
    free(delays);
    return code;
}

static const cli_option options[] = {
    {.name = "recording",
     .kind = CLI_TEXT,
     .argument = "REC",
     .offset = offsetof(values, recording),
     .help = "a recording for all figures; generated ones unless given"},
    {.name = "seconds",
     .kind = CLI_INTEGER,
     .argument = "S",
     .offset = offsetof(values, seconds),
     .maximum = 1e6,
     .help = "length of generated recordings; by default 60 (Sym26) and 1800 (culture)"},
    {.name = "delay",
     .letter = 'd',
     .kind = CLI_TEXTS,
     .argument = "LO:HI",
     .offset = offsetof(values, delays),
     .help = "delay interval, as in episodes; 5ms:10ms unless given"},
    {.name = "support",
     .letter = 's',
     .kind = CLI_TEXTS,
     .argument = "N|P%",
     .offset = offsetof(values, supports),
     .help = "supports for all figures in place of their own"},
    {.name = "gpus",
     .kind = CLI_COUNT,
     .argument = "N|all",
     .offset = offsetof(values, gpus),
     .fallback = "all",
     .minimum = 1,
     .maximum = 1024,
     .help = "most GPUs to use, in figures that use several"},
    {.name = "runs",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, runs),
     .fallback = "3",
     .minimum = 1,
     .maximum = BENCH_MAX_RUNS,
     .help = "number of runs; the table gives median, minimum and maximum"},
    {.name = "threads",
     .kind = CLI_INTEGER,
     .argument = "N",
     .offset = offsetof(values, threads),
     .maximum = 4096,
     .help = "threads of engine sweep; by default one per processor"},
    {.name = "output",
     .letter = 'o',
     .kind = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(values, output),
     .fallback = "-",
     .help = "file of the tables; - is standard output"},
    CLI_RECORDING_OPTIONS,
    CLI_END,
};

static const cli_command program = {
    .program = "spikemine-bench-gpu",
    .name = "",
    .arguments = "[FIGURE ...]",
    .summary = "the papers' tables and figures on this machine's GPUs",
    .description =
        "Times the GPU engines as the papers do (Cao, Patnaik, Ponce et al.; Feng, Cao, Patnaik\n"
        "and Ramakrishnan) and prints tables, each behind a line '# figure NAME'. Fails when\n"
        "engines disagree. Figures, all unless named:\n"
        "\n"
        "  crossover  PTPE against MTPE by size and number of candidates, and where they cross;\n"
        "             tunes cuda-hybrid first, as spikemine tune does\n"
        "  two-pass   one pass against two\n"
        "  gpus       1, 2, 4, ... GPUs, and where the time goes\n"
        "  cpu        GPUs against the papers' CPU method with 4 threads, and against sweep\n"
        "  tracking   engine cuda-tracking with its three compactions\n"
        "  bound      what the first of two passes eliminates, by delay interval\n"
        "  sweep      sweep on processors and on GPUs, by length of recording\n"
        "\n"
        "bench/plot_gpu.py draws them.",
    .examples = "  spikemine-bench-gpu\n"
                "  spikemine-bench-gpu two-pass --recording rec.txt -s 500 -s 1300\n"
                "  spikemine-bench-gpu gpus --gpus 4 -o gpus.tsv",
    .options = options,
    .values_size = sizeof(values),
    .max_arguments = INT_MAX,
    .run = run,
};

int main(int argc, char **argv)
{
    return cli_session_run(&program, argc - 1, argv + 1, argc, argv, NULL);
}
