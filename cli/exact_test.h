/* The exact test as `episodes` and `patterns` offer it: options and checks. */
#ifndef CLI_EXACT_TEST_H
#define CLI_EXACT_TEST_H

#include "session.h"
#include "shards.h"

typedef struct peel_values {
    bool wanted;
    uint64_t max_rounds; /* 0: no bound */
} peel_values;

#define PEEL_OPTIONS(type, member, result)                                                         \
    {.name = "peel",                                                                               \
     .kind = CLI_FLAG,                                                                             \
     .offset = offsetof(type, member.wanted),                                                      \
     .help = "with --test exact: list each finding once. The best " result " is accepted, the "    \
             "events of its occurrences are removed, and what is left is tested again, until "     \
             "nothing is significant. Each round costs as much as the whole test"},                \
    {                                                                                              \
        .name = "peel-max", .kind = CLI_INTEGER, .argument = "N",                                  \
        .offset = offsetof(type, member.max_rounds), .minimum = 1, .maximum = 4294967294.0,        \
        .help = "end --peel after N rounds, hence after N findings"                                \
    }

typedef struct calibrate_values {
    uint64_t n_runs;    /* 0: none */
    const char *method; /* of the data; NULL: that of the test */
} calibrate_values;

#define CALIBRATE_OPTIONS(type, member)                                                            \
    {.name = "calibrate",                                                                          \
     .kind = CLI_INTEGER,                                                                          \
     .argument = "N",                                                                              \
     .offset = offsetof(type, member.n_runs),                                                      \
     .minimum = 1,                                                                                 \
     .maximum = 1e9,                                                                               \
     .help = "with --test exact: test N surrogates in place of the recording, each against "       \
             "surrogates of its own, and tell how often the test is alarmed by chance. Without "   \
             "--surrogates as few are made for each as can reach alpha"},                          \
    {                                                                                              \
        .name = "calibrate-method", .kind = CLI_SURROGATE_METHOD, .argument = "NAME",              \
        .offset = offsetof(type, member.method),                                                   \
        .help = "draws what --calibrate tests by another method, with the longest window of "      \
                "--jitter as its dither: what if chance were like that? shift-apart: what if "     \
                "these units were independent? The default is that of --null"                      \
    }

typedef struct exact_values {
    int null;             /* 0: chosen; else its number (spk_exact_null_get) + 1 */
    cli_duration history; /* not given: that of the null hypothesis */
    const char *jitter;
    uint64_t n_surrogates; /* 0: 199 */
    uint64_t seed;
    double alpha;
    int report;
    const char *checkpoint;
    const char *shard;
    const char *maxima;
    peel_values peel;
    calibrate_values calibrate;
} exact_values;

/* The choices of --report. */
enum { EXACT_REPORT_SIGNIFICANT, EXACT_REPORT_CORE, EXACT_REPORT_ALL };

#define EXACT_JITTER_HELP                                                                          \
    "length of the windows within which chance may move spikes, as --null says; rates may "        \
    "change on longer time scales. Several, as 5ms,25ms,100ms, tell the time scale of what "       \
    "is found; p is corrected for their number"

/* In the order of spk_exact_null_get. */
#define EXACT_NULL_NAMES "interval-jitter|pattern-jitter|shift|shift-apart|trials"

/* What chance may do; `within` begins the help. */
#define EXACT_NULL_OPTIONS(type, null, history, within)                                            \
    {.name = "null",                                                                               \
     .kind = CLI_CHOICE,                                                                           \
     .argument = "auto|" EXACT_NULL_NAMES,                                                         \
     .offset = offsetof(type, null),                                                               \
     .fallback = "auto",                                                                           \
     .help = within                                                                                \
     "what chance may do. interval-jitter: put spikes anywhere in windows, which breaks a "        \
     "unit's bursts and refractory period; pattern-jitter: the same, but spikes of a unit "        \
     "within --history move together; shift: move what a unit does between two pauses; "           \
     "shift-apart: move each unit as a whole in a circle, which breaks rates that change "         \
     "together; trials: give each unit the trials in another order. auto: shift, and "             \
     "shift-apart where units pause too rarely"},                                                  \
    {                                                                                              \
        .name = "history", .kind = CLI_DURATION, .argument = "TIME",                               \
        .offset = offsetof(type, history),                                                         \
        .help = "with --null pattern-jitter: intervals of a unit up to this stay as they are; "    \
                "the default is half of --jitter. With --null shift: pauses longer than this "     \
                "may change; the default is 4 times --jitter"                                      \
    }

/* Options of `episodes`. */
#define EXACT_TEST_OPTIONS(type, test, member)                                                     \
    {.name = "test against chance", .kind = CLI_SECTION},                                          \
        {.name = "test",                                                                           \
         .kind = CLI_CHOICE,                                                                       \
         .argument = "none|exact",                                                                 \
         .offset = offsetof(type, test),                                                           \
         .fallback = "none",                                                                       \
         .help = "exact: the same search in surrogates, in which spikes move within windows as "   \
                 "--null says, gives each episode a p-value that takes the whole search into "     \
                 "account; docs/explanation/chance.md"},                                           \
        {.name = "jitter",                                                                         \
         .kind = CLI_TEXT,                                                                         \
         .argument = "TIME,...",                                                                   \
         .offset = offsetof(type, member.jitter),                                                  \
         .fallback = "25ms",                                                                       \
         .help = EXACT_JITTER_HELP},                                                               \
        EXACT_NULL_OPTIONS(type, member.null, member.history, ""),                                 \
        {.name = "surrogates",                                                                     \
         .kind = CLI_INTEGER,                                                                      \
         .argument = "N",                                                                          \
         .offset = offsetof(type, member.n_surrogates),                                            \
         .minimum = 1,                                                                             \
         .maximum = 1e9,                                                                           \
         .help = "number of surrogates; the smallest p-value is 1/(N+1). The default is 199"},     \
        CLI_SEED_OPTION(                                                                           \
            type, member.seed,                                                                     \
            "seed of the random numbers; the same seed and options give the same p-values, "       \
            "with any engine, number of threads and shards"),                                      \
        {.name = "alpha",                                                                          \
         .kind = CLI_NUMBER,                                                                       \
         .argument = "P",                                                                          \
         .offset = offsetof(type, member.alpha),                                                   \
         .fallback = "0.05",                                                                       \
         .minimum = 1e-12,                                                                         \
         .maximum = 1,                                                                             \
         .help = "largest p-value of a significant episode"},                                      \
        {.name = "report",                                                                         \
         .kind = CLI_CHOICE,                                                                       \
         .argument = "significant|core|all",                                                       \
         .offset = offsetof(type, member.report),                                                  \
         .fallback = "significant",                                                                \
         .help = "which episodes a test lists, the least likely first; core: significant ones "    \
                 "that no part of them explains"},                                                 \
        PEEL_OPTIONS(type, member.peel, "episode"), CALIBRATE_OPTIONS(type, member.calibrate),     \
        CLI_SHARD_OPTIONS(type, member, "scores")

/* What the options say, checked. */
typedef struct exact_plan {
    bool wanted;
    const exact_values *values;
    const spk_exact_null *null; /* NULL: chosen for the recording */
    spk_duration jitter[SPK_EXACT_MAX_SCALES];
    size_t n_jitter;
    uint64_t n_surrogates;
    double alpha;
    uint32_t shard;
    uint32_t n_shards; /* 0: all surrogates, and the test */
} exact_plan;

/* Fills the plan, which borrows the values. CLI_DONE or an exit code. */
int exact_plan_make(cli_session *session, const exact_values *values, bool wanted,
                    exact_plan *plan);

/* Chooses the null hypothesis where none was named. */
void exact_plan_choose(exact_plan *plan, const spk_recording *recording);

/* The plan's part of the options; the language is missing. Borrows the plan. */
spk_exact_options exact_plan_options(const exact_plan *plan);

#endif
