/* What the simulate commands share: output options, and writing recording and truth. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "files.h"

typedef struct cli_simulate_values {
    uint64_t seed;
    const char *output;
    const char *truth; /* NULL: as the help says */
    bool shuffle;
    cli_file_values files;
} cli_simulate_values;

#define CLI_SIMULATE_OPTIONS(type, member)                                                         \
    {.name = "output", .kind = CLI_SECTION},                                                       \
        {.name = "output",                                                                         \
         .letter = 'o',                                                                            \
         .kind = CLI_TEXT,                                                                         \
         .argument = "REC",                                                                        \
         .offset = offsetof(type, member.output),                                                  \
         .fallback = "-",                                                                          \
         .help = "file of the recording; - is standard output, " CLI_COMPRESSION_HELP},            \
        {.name = "truth",                                                                          \
         .kind = CLI_TEXT,                                                                         \
         .argument = "FILE",                                                                       \
         .offset = offsetof(type, member.truth),                                                   \
         .help = "JSON file of what was planted and when. The default is "                         \
                 "REC.truth.json; there is none when the recording is shuffled or "                \
                 "goes to standard output, a pipe or a device"},                                   \
        {.name = "shuffle",                                                                        \
         .kind = CLI_FLAG,                                                                         \
         .offset = offsetof(type, member.shuffle),                                                 \
         .help = "move all spikes to uniform times; what remains is chance"},                      \
        CLI_FILE_OPTIONS(type, member.files),                                                      \
    {                                                                                              \
        .name = "seed", .kind = CLI_INTEGER, .argument = "N",                                      \
        .offset = offsetof(type, member.seed), .fallback = "1",                                    \
        .help = "seed of the random numbers; the same seed and options give "                      \
                "the same recording on every machine"                                              \
    }

/* Options of a kind of simulation; its values are of the type `values`. */
#define CLI_SIMULATE_NUMBER(option, member, letters, standard, least, most, text)                  \
    {                                                                                              \
        .name = option, .kind = CLI_NUMBER, .argument = letters,                                   \
        .offset = offsetof(values, member), .fallback = standard, .minimum = least,                \
        .maximum = most, .help = text                                                              \
    }
#define CLI_SIMULATE_INTEGER(option, member, standard, least, most, text)                          \
    {                                                                                              \
        .name = option, .kind = CLI_INTEGER, .argument = "N", .offset = offsetof(values, member),  \
        .fallback = standard, .minimum = least, .maximum = most, .help = text                      \
    }
#define CLI_SIMULATE_DURATION(option, member, standard, text)                                      \
    {                                                                                              \
        .name = option, .kind = CLI_DURATION, .argument = "TIME",                                  \
        .offset = offsetof(values, member), .fallback = standard, .help = text                     \
    }
#define CLI_SIMULATE_FLAG(option, member, text)                                                    \
    {                                                                                              \
        .name = option, .kind = CLI_FLAG, .offset = offsetof(values, member), .help = text         \
    }

/* Refuses options that contradict each other, and files that are the same, are there already or
 * cannot be written. CLI_DONE or an exit code. */
int cli_simulate_check(cli_session *session, const cli_simulate_values *values);

/* Reports `status`; where it is SPK_OK, writes the recording (shuffled when asked for) and the
 * truth. Frees both. Returns the exit code. */
int cli_simulate_finish(cli_session *session, const cli_simulate_values *values, spk_status status,
                        spk_recording *recording, spk_truth *truth);

#endif
