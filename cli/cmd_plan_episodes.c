/* spikemine plan episodes REC: predicts time and memory of a search for episodes over ranks. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "episode_job.h"
#include "plan.h"

typedef struct values {
    cli_texts delays;
    episode_support_values support;
    uint64_t max_size;
    int two_pass;
    int divide;
    plan_values plan;
} values;

/* Reads the recording, with the time of a processor: a busy machine has no part in it. */
static int read_recording(plan_job *job, spk_recording **out)
{
    const double begin = plan_processor_seconds();
    int code = cli_recording_read(job->session, job->session->arguments[0], out);
    if (code == CLI_DONE)
        plan_job_add_file(job, plan_processor_seconds() - begin);
    return code;
}

static bool is_compressed(const char *path)
{
    static const char *const endings[] = {".gz", ".xz", ".zst", ".bz2"};
    const size_t n = strlen(path);
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++)
        if (n > strlen(endings[k]) && strcmp(path + n - strlen(endings[k]), endings[k]) == 0)
            return true;
    return false;
}

/* Divided by time, a rank reads its share of a text; docs/how-to/use-mpi.md says of which. */
static bool reads_parts(const cli_session *session, const values *v, const spk_recording *recording)
{
    const cli_shared *r = session->shared;
    const char *path = session->arguments[0];
    size_t n_segments = 0;
    (void)spk_recording_segments(recording, &n_segments);
    return strcmp(spk_recording_get_facts(recording)->format, "text") == 0 && n_segments == 1 &&
           !is_compressed(path) && strcmp(path, "-") != 0 && !r->start.given && !r->stop.given &&
           r->read.units == NULL && !r->read.sort && r->segments == NULL && r->trials == NULL &&
           strcmp(v->support.support, "auto") != 0;
}

static spk_status measure(plan_job *job, const values *v, const spk_recording *recording,
                          const spk_episode_options *options)
{
    spk_plan_costs costs;
    const double read_s = job->costs.read_s, file_bytes = job->costs.file_bytes;
    spk_status status = spk_plan_measure_episodes(job->session->context, recording, options,
                                                  job->measure_s, &costs);
    job->costs = costs;
    job->costs.read_s = read_s;
    job->costs.file_bytes = file_bytes;
    job->costs.reads_parts = reads_parts(job->session, v, recording);
    return status == SPK_OK && v->plan.surrogates > 0 ? plan_job_add_searches(job) : status;
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    static plan_job job;  /* some kB */
    cli_analysis without; /* a test */
    spk_recording *recording = NULL;
    spk_delay *delays = NULL;
    char why[EPISODE_SUPPORT_TEXT];
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    cli_analysis_begin(&without, session, "episode");
    job = (plan_job){.session = session,
                     .values = &v->plan,
                     .language = "episodes",
                     .may_divide = v->plan.surrogates == 0,
                     .divide = (spk_divide)v->divide};
    session->shared->seed = 1; /* of the choice of a support, as that of `episodes` */
    int code = plan_job_begin(&job);
    if (code == CLI_DONE)
        code = episode_job_take_delays(session, &v->delays, &delays, &options.n_delays);
    if (code == CLI_DONE)
        code = episode_support_check(session, &v->support);
    if (code == CLI_DONE)
        code = read_recording(&job, &recording);
    if (code == CLI_DONE) {
        job.recorded = spk_recording_events(recording).n_events;
        options.engine = session->shared->engine;
        options.delays = delays;
        options.max_size = (uint32_t)v->max_size;
        options.two_pass = (spk_two_pass)v->two_pass;
        code = episode_support_take(&without, &v->support, recording, &options, why);
    }
    job.support = options.support;
    if (code == CLI_DONE)
        code = cli_report(session, measure(&job, v, recording, &options));
    if (code == CLI_DONE)
        code = plan_job_report(&job);
    spk_recording_free(recording);
    free(delays);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION("delay", values, delays),
    CLI_OPTION("support", values, support.support),
    EPISODE_SUPPORT_OPTIONS(values, support),
    CLI_OPTION("max-size", values, max_size),
    CLI_OPTION("two-pass", values, two_pass),
    CLI_SHARED("engine", engine),
    CLI_OPTION("divide", values, divide),
    PLAN_OPTIONS(values, plan),
    CLI_RECORDING_OPTIONS,
    CLI_END,
};

const cli_command cli_cmd_plan_episodes = {
    .name = "plan episodes",
    .arguments = "REC --delay LO:HI --support N",
    .summary = "predict time and memory of a search for episodes over ranks",
    .description =
        "Predicts how long spikemine-mpi episodes takes with N ranks, and how much memory each\n"
        "rank needs. The options of the job are those of spikemine episodes. The command mines\n"
        "stretches of REC for a few seconds, some of them in the pieces that ranks would take.\n"
        "\n"
        "The table has a line for each number of ranks: the time, what it consists of, the memory\n"
        "of a rank, and the efficiency, which is the time of one rank divided by the time of all.\n"
        "Below it stands from how many ranks on more of them save little, and why.",
    .examples = "  spikemine plan episodes rec.txt -d 5ms:10ms -s 0.1% --ranks 64\n"
                "  spikemine plan episodes rec.txt -d 5ms:10ms -s 0.1% --events 1e12 "
                "--ranks 100,1000,10000\n"
                "  spikemine plan episodes rec.txt -d 5ms:10ms -s 173 --surrogates 1000 --json",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .run = run,
};
