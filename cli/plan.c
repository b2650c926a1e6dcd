/* A plan: options, predictions, and the report as a table for people and as JSON. */
#include "plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "builder.h"
#include "commands.h"
#include "numbers.h"
#include "say.h"

enum { PLAN_MOST_PREDICTIONS = 2 * PLAN_MOST_ROWS };

typedef struct plan_report {
    size_t n;
    spk_plan_prediction prediction[PLAN_MOST_PREDICTIONS];
    size_t n_limits; /* one for each division that is shown */
    spk_plan_prediction limit[2];
} plan_report;

enum { AMOUNT_TEXT = 32 };

/* ---- amounts --------------------------------------------------------------------------------- */

/* "0.12 s", "3.4 h", "2.1 years". */
static const char *show_seconds(double s, char text[AMOUNT_TEXT])
{
    static const struct {
        double up_to;
        double unit;
        const char *name;
    } units[] = {{0.0000995, 1e-6, "us"},   {0.0995, 1e-3, "ms"}, {120, 1, "s"},
                 {7200, 60, "min"},         {172800, 3600, "h"},  {63072000, 86400, "d"},
                 {1e300, 31536000, "years"}};
    size_t k = 0;
    while (s >= units[k].up_to && k + 1 < sizeof units / sizeof units[0])
        k++;
    double shown = s / units[k].unit;
    if (s <= 0) {
        snprintf(text, AMOUNT_TEXT, "0");
        return text;
    }
    snprintf(text, AMOUNT_TEXT,
             shown < 10    ? "%.2f %s"
             : shown < 1e5 ? "%.0f %s"
                           : "%.2g %s",
             shown, units[k].name);
    return text;
}

static const char *show_bytes(double bytes, char text[AMOUNT_TEXT])
{
    static const char *const names[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    size_t k = 0;
    for (bytes /= 1000; bytes >= 1000 && k + 1 < sizeof names / sizeof names[0]; k++)
        bytes /= 1000;
    snprintf(text, AMOUNT_TEXT, bytes < 10 ? "%.1f %s" : "%.0f %s", bytes, names[k]);
    return text;
}

static const char *divide_name(spk_divide divide)
{
    return divide == SPK_DIVIDE_TIME ? "time" : "candidates";
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_head(const plan_job *job)
{
    const spk_plan_costs *c = &job->costs;
    char text[AMOUNT_TEXT];
    cli_put(stdout, job->session->arguments[0]);
    printf(": %s of %" PRIu64 " events", job->language, c->n_events);
    if (c->n_events != job->recorded)
        printf(", of which it has %" PRIu64, job->recorded);
    printf("\nmeasured in %s: ", show_seconds(c->measured_s, text));
    if (c->measured_share < 1)
        printf("%.3g %% of the pieces of the search", 100 * c->measured_share);
    else if (c->reached_size > 0)
        printf("stretches of up to %" PRIu64 " events, sizes up to %" PRIu32, c->measured_events,
               c->reached_size);
    else
        printf("the search of all %" PRIu64 " events", c->measured_events);
    if (c->surrogates > 0 && !job->searches_surrogates)
        printf(", and surrogates, of %s each", show_seconds(c->surrogate_s, text));
    printf("\nassumed: latency %s", show_seconds(job->machine.latency_s, text));
    printf(", %s/s into a rank", show_bytes(job->machine.bandwidth, text));
    printf(", %s/s from the file system", show_bytes(job->machine.file_bandwidth, text));
    if (c->n_events != job->recorded)
        printf(", the same rates, the support in proportion");
    if (job->searches_surrogates)
        printf(", a surrogate costs as much as the search by one rank");
    if (job->machine.processors > 0)
        printf(", %" PRIu64 " processors in all", job->machine.processors);
    printf("\n\n");
}

static void print_row(const plan_job *job, const spk_plan_prediction *p)
{
    char text[AMOUNT_TEXT];
    printf("%7" PRIu32, p->ranks);
    if (job->may_divide)
        printf("  %-10s", p->ranks > 1 ? divide_name(p->divide) : "-");
    printf("  %10s", show_seconds(p->seconds, text));
    for (int k = 0; k < SPK_PLAN_N_PARTS; k++)
        printf("  %10s", show_seconds(p->part_s[k], text));
    printf("  %9s", show_bytes(p->memory_bytes, text));
    if (p->possible)
        printf("  %9.2f\n", p->efficiency);
    else
        printf("  %9s\n", "too large");
}

static void print_limit(const plan_job *job, const spk_plan_prediction *p)
{
    char text[AMOUNT_TEXT];
    if (job->may_divide)
        printf("by %s: ", divide_name(p->divide));
    if (!p->possible) {
        printf("no number of ranks is enough: each would hold %.3g events in %s", p->events_a_rank,
               show_bytes(p->memory_bytes, text));
        printf(", of at most %u%s\n", SPK_MAX_EVENTS,
               job->machine.memory_bytes > 0 ? " and --max-memory" : "");
        return;
    }
    printf("more than %" PRIu32 " ranks save little; there ", p->ranks);
    printf("it takes %s, ", show_seconds(p->seconds, text));
    printf("%.0f %% of it %s\n", p->seconds > 0 ? 100 * p->part_s[p->largest] / p->seconds : 0,
           spk_plan_part_name(p->largest));
}

static void print_table(const plan_job *job, const plan_report *report)
{
    cli_progress_clear(job->session);
    print_head(job);
    printf("%7s", "ranks");
    if (job->may_divide)
        printf("  %-10s", "divided by");
    printf("  %10s", "time");
    for (int k = 0; k < SPK_PLAN_N_PARTS; k++)
        printf("  %10s", spk_plan_part_name((spk_plan_part)k));
    printf("  %9s  %9s\n", "memory", "efficiency");
    for (size_t k = 0; k < report->n; k++)
        print_row(job, &report->prediction[k]);
    printf("\n");
    if (job->may_divide && job->divide == SPK_DIVIDE_AUTO)
        printf("--divide auto takes candidates\n");
    for (size_t k = 0; k < report->n_limits; k++)
        print_limit(job, &report->limit[k]);
    if (job->costs.is_least && job->costs.reached_size == 0)
        printf("no piece of the search ended within --measure, so that the job takes longer: give "
               "more time\n");
    else if (job->costs.is_least)
        printf("the search did not end within --measure: sizes above %" PRIu32
               " are missing, so that the job takes longer\n",
               job->costs.reached_size);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *make_prediction(const plan_job *job, const spk_plan_prediction *p)
{
    cli_builder object = cli_begin_object(), parts = cli_begin_object();
    cli_put_integer(&object, "ranks", p->ranks);
    if (job->may_divide)
        cli_put_text(&object, "divide", divide_name(p->divide));
    cli_put_real(&object, "seconds", p->seconds);
    for (int k = 0; k < SPK_PLAN_N_PARTS; k++)
        cli_put_real(&parts, spk_plan_part_name((spk_plan_part)k), p->part_s[k]);
    cli_put_json(&object, "parts", cli_finish(&parts));
    cli_put_real(&object, "processor_seconds", p->processor_s);
    cli_put_real(&object, "events_a_rank", p->events_a_rank);
    cli_put_real(&object, "memory_bytes", p->memory_bytes);
    cli_put_json(&object, "possible", json_boolean(p->possible));
    cli_put_real(&object, "efficiency", p->efficiency);
    cli_put_text(&object, "largest_part", spk_plan_part_name(p->largest));
    return cli_finish(&object);
}

static json_t *make_predictions(const plan_job *job, const spk_plan_prediction *p, size_t n)
{
    cli_builder list = cli_begin_array();
    for (size_t k = 0; k < n; k++)
        cli_add_json(&list, make_prediction(job, &p[k]));
    return cli_finish(&list);
}

static json_t *make_measured(const spk_plan_costs *c)
{
    cli_builder object = cli_begin_object();
    cli_put_real(&object, "seconds", c->measured_s);
    cli_put_integer(&object, "events", c->measured_events);
    cli_put_real(&object, "share_of_pieces", c->measured_share);
    cli_put_integer(&object, "largest_size", c->reached_size);
    cli_put_json(&object, "is_least", json_boolean(c->is_least));
    cli_put_real(&object, "pieces_per_rank", c->pieces_per_rank);
    cli_put_real(&object, "piece_seconds_an_event", c->piece_event_s);
    cli_put_real(&object, "largest_piece", c->largest_piece);
    cli_put_real(&object, "work_by_time", c->time_work);
    cli_put_real(&object, "margin_events", c->margin_events);
    return cli_finish(&object);
}

static json_t *make_assumed(const plan_job *job)
{
    const spk_plan_machine *m = &job->machine;
    cli_builder object = cli_begin_object();
    cli_put_integer(&object, "threads", m->threads);
    cli_put_integer(&object, "processors", m->processors);
    cli_put_real(&object, "latency_seconds", m->latency_s);
    cli_put_real(&object, "bandwidth", m->bandwidth);
    cli_put_real(&object, "file_bandwidth", m->file_bandwidth);
    cli_put_integer(&object, "surrogates", job->costs.surrogates);
    return cli_finish(&object);
}

static int print_json(const plan_job *job, const plan_report *report)
{
    cli_builder object = cli_begin_object();
    cli_put_text(&object, "plan", job->language);
    cli_put_text(&object, "version", spk_version());
    cli_put_text(&object, "command", cli_command_line(job->session));
    cli_put_text(&object, "input", job->session->arguments[0]);
    cli_put_integer(&object, "recorded_events", job->recorded);
    cli_put_integer(&object, "events", job->costs.n_events);
    cli_put_json(&object, "measured", make_measured(&job->costs));
    cli_put_json(&object, "assumed", make_assumed(job));
    if (job->may_divide)
        cli_put_text(&object, "auto_divides", "candidates");
    cli_put_json(&object, "predictions", make_predictions(job, report->prediction, report->n));
    cli_put_json(&object, "limits", make_predictions(job, report->limit, report->n_limits));
    return cli_print_json(cli_finish(&object), 0)
               ? CLI_DONE
               : cli_fail(job->session, "out of memory for the JSON of the plan");
}

/* ---- the plan -------------------------------------------------------------------------------- */

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
        return print_json(job, &report);
    print_table(job, &report);
    return CLI_DONE;
}

/* ---- the command before its kinds ------------------------------------------------------------ */

const cli_command cli_cmd_plan = {
    .name = "plan",
    .arguments = "episodes|patterns",
    .summary = "predict time and memory of a job on many machines: episodes, patterns",
    .description =
        "Runs small pieces of a job on this machine and predicts how long the whole job takes\n"
        "with N ranks of spikemine-mpi, how much memory each needs, and from how many ranks on\n"
        "more of them stop paying. There are two kinds:\n\n"
        "  episodes  a job of spikemine episodes\n"
        "  patterns  a job of spikemine patterns\n\n"
        "spikemine plan KIND --help explains a kind.",
    .examples = "  spikemine plan episodes rec.txt -d 5ms:10ms -s 0.1% --ranks 1,8,64\n"
                "  spikemine plan patterns rec.txt --bin 5ms --window 20 --support 10 "
                "--min-spikes 5",
    .kinds = "episodes and patterns",
};
