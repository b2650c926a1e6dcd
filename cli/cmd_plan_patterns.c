/* spikemine plan patterns REC: predicts time and memory of a search for patterns over ranks. */
#include <assert.h>
#include <stddef.h>

#include "commands.h"
#include "pattern_job.h"
#include "plan.h"

typedef struct values {
    pattern_values pattern;
    plan_values plan;
    int spectrum; /* the choices of --spectrum: 2d, 3d */
} values;

static_assert(offsetof(values, pattern) == 0, "PATTERN_SEARCH_OPTIONS has offsets from there");

static spk_status add_surrogates(const values *v, const pattern_job *job, plan_job *plan)
{
    const pattern_test_values *test = &v->pattern.test;
    spk_surrogate_options surrogates;
    spk_maxima_options options;
    if (v->plan.surrogates == 0)
        return SPK_OK;
    if (plan->session->shared->test == CLI_TEST_EXACT)
        return plan_job_add_searches(plan);
    spk_surrogate_options_init(&surrogates, sizeof surrogates);
    spk_maxima_options_init(&options, sizeof options);
    surrogates.method = test->surrogates.made.method;
    surrogates.dither = pattern_job_dither(job);
    surrogates.bin = job->cut.bin;
    options.windows = &job->cut;
    options.patterns = &job->options;
    options.surrogates = &surrogates;
    options.n_surrogates = v->plan.surrogates;
    options.by_duration = v->spectrum == 1;
    return spk_plan_measure_surrogates(plan->session->context, job->recording, &options,
                                       plan->machine.threads, plan->measure_s / 2, &plan->costs);
}

static uint32_t most_ranks(const plan_job *plan)
{
    uint32_t most = 1;
    for (size_t k = 0; k < plan->n_ranks; k++)
        most = plan->ranks[k] > most ? plan->ranks[k] : most;
    return most;
}

/* Reads the recording; making windows of it is what each rank does, too. */
static int read_windows(pattern_job *job, plan_job *plan, double *windows_s)
{
    if (cli_reads_transactions(plan->session))
        return cli_usage_error(plan->session->command,
                               "a plan needs a recording: transactions are windows already");
    const double begin = plan_processor_seconds();
    int code = pattern_job_read(job);
    const double read_s = plan_processor_seconds() - begin;
    if (code != CLI_DONE)
        return code;
    spk_windows *again = NULL;
    const double cutting = plan_processor_seconds();
    code = cli_report(plan->session, spk_windows_create(plan->session->context, job->recording,
                                                        &job->cut, &again));
    *windows_s = plan_processor_seconds() - cutting;
    spk_windows_free(again);
    plan->recorded = spk_recording_events(job->recording).n_events;
    plan->costs.read_s = read_s > *windows_s ? read_s - *windows_s : 0;
    return code;
}

static spk_status measure(const values *v, const pattern_job *job, plan_job *plan, double windows_s)
{
    const double read_s = plan->costs.read_s;
    spk_status status =
        spk_plan_measure_patterns(plan->session->context, job->windows, plan->recorded,
                                  &job->options, most_ranks(plan), plan->measure_s, &plan->costs);
    plan->costs.prepare_s += windows_s;
    plan_job_add_file(plan, read_s);
    return status == SPK_OK ? add_surrogates(v, job, plan) : status;
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    static plan_job plan; /* some kB */
    double windows_s = 0;
    static pattern_job job;
    job = (pattern_job){.session = session, .v = &v->pattern};
    cli_analysis_begin(&job.analysis, session, "pattern");
    plan = (plan_job){.session = session, .values = &v->plan, .language = "patterns"};
    int code = plan_job_begin(&plan);
    if (code == CLI_DONE)
        code = read_windows(&job, &plan, &windows_s);
    if (code == CLI_DONE)
        code = pattern_job_set_limits(&job);
    if (code == CLI_DONE)
        code = cli_report(session, measure(v, &job, &plan, windows_s));
    if (code == CLI_DONE)
        code = plan_job_report(&plan);
    spk_windows_free(job.windows);
    spk_recording_free(job.recording);
    return code;
}

static const cli_option options[] = {
    PATTERN_SEARCH_OPTIONS,
    PLAN_OPTIONS(values, plan),
    CLI_SHARED("test", test),
    CLI_OPTION("surrogate-method", values, pattern.test.surrogates.made.method),
    CLI_OPTION("dither", values, pattern.test.surrogates.made.dither),
    CLI_OPTION("spectrum", values, spectrum),
    CLI_RECORDING_OPTIONS,
    CLI_END,
};

const cli_command cli_cmd_plan_patterns = {
    .name = "plan patterns",
    .arguments = "REC",
    .summary = "predict time and memory of a search for patterns over ranks",
    .description =
        "Predicts how long spikemine-mpi patterns takes with N ranks, and how much memory each\n"
        "rank needs. The options of the job are those of spikemine patterns. The command mines\n"
        "pieces of the search for a few seconds, cut as the largest number of ranks cuts it.\n"
        "\n"
        "The table has a line for each number of ranks: the time, what it consists of, the memory\n"
        "of a rank, and the efficiency, which is the time of one rank divided by the time of all.\n"
        "Below it stands from how many ranks on more of them save little, and why.",
    .examples = "  spikemine plan patterns rec.txt --bin 5ms --window 20 --support 10 "
                "--min-spikes 5 --min-neurons 5\n"
                "  spikemine plan patterns rec.txt --bin 5ms --window 20 --support auto "
                "--surrogates 1000 --ranks 1,16,256 --json",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .run = run,
};
