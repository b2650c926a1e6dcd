/* What `plan episodes` and `plan patterns` share: options of ranks and network, and the report. */
#pragma once

#include "session.h"

/* An exact test has this many surrogates beside its own: docs/explanation/chance.md. */
enum { PLAN_MOST_ROWS = 64, PLAN_PILOTS = 24 };

typedef struct plan_values {
    const char *ranks;
    double events;
    cli_duration measure;
    uint64_t surrogates;
    uint64_t processors;
    cli_duration latency;
    uint64_t bandwidth;
    uint64_t file_bandwidth;
    bool json;
} plan_values;

#define PLAN_OPTIONS(type, member)                                                                 \
    CLI_HEADING("plan"), CLI_OPTION("ranks", type, member.ranks),                                  \
        CLI_OPTION("events", type, member.events), CLI_OPTION("measure", type, member.measure),    \
        CLI_OPTION("surrogates", type, member.surrogates), CLI_SHARED("threads", threads),         \
        CLI_SHARED("max-memory", max_memory), CLI_OPTION("processors", type, member.processors),   \
        CLI_OPTION("latency", type, member.latency),                                               \
        CLI_OPTION("bandwidth", type, member.bandwidth),                                           \
        CLI_OPTION("file-bandwidth", type, member.file_bandwidth),                                 \
        CLI_OPTION("json", type, member.json)

/* A plan: what is asked for, what was measured, and what is predicted. */
typedef struct plan_job {
    cli_session *session;
    const plan_values *values;
    const char *language; /* "episodes" or "patterns" */
    double measure_s;
    uint64_t recorded;        /* events of the recording */
    uint64_t support;         /* least count, in the recording; 0: by size */
    bool may_divide;          /* episodes, without a test: `divide` says how */
    bool searches_surrogates; /* a surrogate is taken to cost as much as the search */
    spk_divide divide;
    spk_plan_costs costs; /* of the recording, then of the one that is planned for */
    spk_plan_machine machine;
    uint32_t ranks[PLAN_MOST_ROWS];
    size_t n_ranks;
} plan_job;

/* Checks the options and takes them over into the job. CLI_DONE or an exit code. */
int plan_job_begin(plan_job *job);

/* Processor time of this thread: reading is done by one. */
double plan_processor_seconds(void);

/* Adds the surrogates of an exact test, each searched by one rank as the recording is, and some
 * pilots before them. The costs of the search are there. */
spk_status plan_job_add_searches(plan_job *job);

/* Adds what the file costs, which took `read_s` to read. */
void plan_job_add_file(plan_job *job, double read_s);

/* Scales the costs to the events that are planned for, and prints the table or the JSON object.
 * CLI_DONE or an exit code. */
int plan_job_report(plan_job *job);
