/* A plan: options, predictions. */
#include "plan.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "numbers.h"

static double seconds_of(spk_duration d)
{
    return (double)d.digits * pow(10, d.exponent) / (d.divisor > 0 ? (double)d.divisor : 1);
}

/* "1,8,64". */
static int take_ranks(plan_job *job)
{
    const char *text = job->values->ranks;
    for (const char *at = text; job->n_ranks < PLAN_MOST_ROWS;) {
        size_t length = strcspn(at, ",");
        uint64_t ranks = 0;
        if (!cli_whole_parse(at, length, 1, INT32_MAX, &ranks))
            break;
        job->ranks[job->n_ranks++] = (uint32_t)ranks;
        if (at[length] == '\0')
            return CLI_DONE;
        at += length + 1;
    }
    return cli_usage_error(job->session->command,
                           "--ranks %s: must be up to %d numbers from 1 to %d, separated by "
                           "commas, such as 1,8,64",
                           text, PLAN_MOST_ROWS, INT32_MAX);
}

int plan_job_begin(plan_job *job)
{
    const plan_values *v = job->values;
    const cli_shared *shared = job->session->shared;
    job->measure_s = seconds_of(v->measure.value);
    if (!(job->measure_s > 0 && job->measure_s <= 1e6))
        return cli_usage_error(job->session->command,
                               "--measure: must be more than 0 s and no more than 1000000 s");
    if (v->latency.value.digits < 0 || v->latency.value.exponent == SPK_DURATION_INFINITE)
        return cli_usage_error(job->session->command, "--latency: must be a time, such as 2us");
    spk_plan_machine_init(&job->machine, sizeof job->machine);
    job->machine.threads = (uint32_t)shared->threads;
    job->machine.processors = v->processors;
    job->machine.latency_s = seconds_of(v->latency.value);
    job->machine.bandwidth = (double)v->bandwidth;
    job->machine.file_bandwidth = (double)v->file_bandwidth;
    job->machine.memory_bytes = shared->max_memory;
    return take_ranks(job);
}

double plan_processor_seconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

spk_status plan_job_add_searches(plan_job *job)
{
    spk_plan_machine one = job->machine;
    spk_plan_prediction p;
    one.ranks = 1;
    one.divide = SPK_DIVIDE_CANDIDATES;
    spk_status status = spk_plan_predict(job->session->context, &job->costs, &one, &p);
    if (status != SPK_OK)
        return status;
    job->costs.surrogates = job->values->surrogates + PLAN_PILOTS;
    job->costs.surrogate_s = p.part_s[SPK_PLAN_PREPARE] + p.part_s[SPK_PLAN_WORK];
    job->searches_surrogates = true;
    return SPK_OK;
}

void plan_job_add_file(plan_job *job, double read_s)
{
    struct stat facts;
    job->costs.read_s = read_s;
    if (stat(job->session->arguments[0], &facts) == 0 && S_ISREG(facts.st_mode))
        job->costs.file_bytes = (double)facts.st_size;
}

/* One rank has nothing to divide. */
static bool is_shown(const plan_job *job, uint32_t ranks, spk_divide divide)
{
    if (divide == SPK_DIVIDE_TIME)
        return job->may_divide && job->costs.divides_time && job->divide != SPK_DIVIDE_CANDIDATES &&
               (ranks > 1 || job->divide == SPK_DIVIDE_TIME);
    return !job->may_divide || job->divide != SPK_DIVIDE_TIME;
}

static spk_status predict_all(plan_job *job, plan_report *report)
{
    spk_context *context = job->session->context;
    spk_status status = SPK_OK;
    const spk_divide divides[] = {SPK_DIVIDE_CANDIDATES, SPK_DIVIDE_TIME};
    for (size_t k = 0; k < job->n_ranks; k++) {
        for (int d = 0; d < 2 && status == SPK_OK; d++) {
            if (!is_shown(job, job->ranks[k], divides[d]))
                continue;
            job->machine.ranks = job->ranks[k];
            job->machine.divide = divides[d];
            status = spk_plan_predict(context, &job->costs, &job->machine,
                                      &report->prediction[report->n++]);
        }
    }
    for (int d = 0; d < 2 && status == SPK_OK; d++) {
        if (!is_shown(job, 2, divides[d]))
            continue;
        job->machine.divide = divides[d];
        status =
            spk_plan_limit(context, &job->costs, &job->machine, &report->limit[report->n_limits++]);
    }
    return status;
}

int plan_job_report(plan_job *job)
{
    static plan_report report; /* some kB */
    const spk_plan_costs own = job->costs;
    spk_status status = SPK_OK;
    report = (plan_report){.n = 0};
    if (job->values->events > 0)
        status =
            spk_plan_scale(job->session->context, &own, (uint64_t)job->values->events, &job->costs);
    if (status == SPK_OK)
        status = predict_all(job, &report);
    if (status != SPK_OK)
        return cli_report(job->session, status);
    if (job->values->json)
        return plan_print_json(job, &report);
    plan_print_table(job, &report);
    return CLI_DONE;
}
