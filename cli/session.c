/* One run of a subcommand: context, signals, progress. */
#include "session.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "numbers.h"
#include "screen.h"

/* ---- energy ---------------------------------------------------------------------------------- */

/* Begins to measure where it is wanted; cli_session_run ends it. CLI_DONE or an exit code. */
static int cli_energy_begin(cli_session *session, bool wanted)
{
    return wanted ? cli_report(session, spk_energy_begin(session->context, &session->energy))
                  : CLI_DONE;
}

const spk_energy_meter *cli_energy_meters(const cli_session *session, size_t *n)
{
    *n = 0;
    return session->energy != NULL ? spk_energy_read(session->energy, n) : NULL;
}

double cli_energy_joules(const cli_session *session)
{
    size_t n = 0;
    return cli_energy_meters(session, &n) != NULL ? spk_energy_total(session->energy) : -1;
}

double cli_energy_since(const cli_session *session, double before)
{
    double now = cli_energy_joules(session);
    return before < 0 || now < 0 ? -1 : now - before;
}

static void tell_energy(const cli_session *session)
{
    size_t n = 0;
    int readable = 0;
    const spk_energy_meter *meter = cli_energy_meters(session, &n);
    for (size_t k = 0; k < n; k++) {
        if (!meter[k].readable)
            fprintf(stderr, "energy: %s: not readable: %s\n", meter[k].name, meter[k].why);
        else
            fprintf(stderr, "energy: %s: %.3f J\n", meter[k].name, meter[k].joules);
        readable += meter[k].readable;
    }
    if (readable > 1)
        fprintf(stderr, "energy: all: %.3f J\n", spk_energy_total(session->energy));
}

/* Ends the measurement; `told`: prints it to stderr, unless --quiet. */
static void cli_energy_end(cli_session *session, bool told)
{
    if (session->energy != NULL && told && !session->quiet)
        tell_energy(session);
    spk_energy_free(session->energy);
    session->energy = NULL;
}

/* ---- the session ----------------------------------------------------------------------------- */

static void show_progress(void *user, const char *what, uint64_t done, uint64_t total)
{
    cli_session *session = user;
    cli_progress_show(&session->progress, session->context, what, done, total, cli_seconds());
}

static void show_note(void *user, const char *text)
{
    cli_note(user, "%s", text);
}

char *cli_add_word(char *at, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    if (*word != '\0' && word[strspn(word, plain)] == '\0')
        return stpcpy(at, word);
    *at++ = '\'';
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            at = stpcpy(at, "'\\'");
        *at++ = *word;
    }
    *at++ = '\'';
    return at;
}

/* To be freed; NULL when memory is out. */
static char *join_words(int argc, char **argv)
{
    size_t bytes = 1;
    for (int k = 0; k < argc; k++)
        bytes += 4 * strlen(argv[k]) + 3;
    char *text = calloc(bytes, 1), *at = text;
    for (int k = 0; k < argc && text != NULL; k++) {
        if (k > 0)
            *at++ = ' ';
        at = cli_add_word(at, argv[k]);
    }
    return text;
}

/* Makes the session one of a rank, whose program and words are those of all others. */
static spk_status join_ranks(cli_session *session, const spk_ranks *ranks)
{
    spk_context *context = session->context;
    if (ranks == NULL)
        return SPK_OK;
    spk_status status = spk_context_set_ranks(context, ranks);
    if (status == SPK_OK)
        status = spk_ranks_compare(context, "version of the program", spk_version());
    const char *words = strchr(session->line, ' ');
    return status == SPK_OK ? spk_ranks_compare(context, "command line", words != NULL ? words : "")
                            : status;
}

/* Whether a command looks for patterns, with `smallest` surrogates or more. */
static bool has_surrogates(const cli_command *command, const cli_given *given, uint64_t smallest)
{
    const char *surrogates = cli_given_value(command, given, "surrogates");
    uint64_t n = 0;
    return strcmp(command->name, "patterns") == 0 && surrogates != NULL &&
           cli_whole_parse(surrogates, strlen(surrogates), smallest, INT_MAX, &n);
}

/* How many connections to a GPU the process opens, at its start, and closes, at its end. Eight, the
 * driver's number, take a tenth of a second more than two, which is a quarter of a short search of
 * episodes; two are as fast there. Of searches of patterns each has one, and sixteen beside each
 * other pay where there are thousands. */
static void choose_connections(const cli_command *command, const cli_given *given)
{
    const bool few =
        strcmp(command->name, "episodes") == 0 || strcmp(command->name, "engines") == 0;
    if (few || has_surrogates(command, given, 2000)) /* what the user set stays */
        setenv("CUDA_DEVICE_MAX_CONNECTIONS", few ? "2" : "16", 0);
}

/* GPUs begin to start before anything is read where the command line asks for them, and one where a
 * thousand surrogates make it likely that one is chosen. */
static spk_gpu_start *start_gpus(const cli_command *command, const cli_given *given,
                                 const spk_ranks *ranks)
{
    const char *gpus = cli_given_value(command, given, "gpus");
    const char *engine = cli_given_value(command, given, "engine");
    uint64_t n = 0;
    if (gpus != NULL) /* a number, or all: it was parsed */
        return spk_gpus_start(cli_whole_parse(gpus, strlen(gpus), 0, INT_MAX, &n) ? (int)n
                                                                                  : SPK_GPUS_ALL);
    return spk_gpus_start(engine != NULL && strcmp(engine, "auto") != 0
                              ? strncmp(engine, "cuda-", 5) == 0
                              : ranks == NULL && has_surrogates(command, given, 1000));
}

int cli_session_run(const cli_command *named, int argc, char **argv, int all_argc, char **all_argv,
                    const spk_ranks *ranks)
{
    cli_option table[CLI_MOST_OPTIONS];
    const cli_command own = cli_describe(named, table), *command = &own;
    char *line = join_words(all_argc, all_argv);
    cli_session session = {.command = command, .line = line, .ranks = ranks};
    int n_arguments = 0;
    cli_given given = {.value = {NULL}};
    cli_common common = {.shared = {.read.struct_size = sizeof(spk_read_options),
                                    .select.struct_size = sizeof(spk_select_options)}};
    void *values = calloc(1, command->values_size > 0 ? command->values_size : 1);
    if (line == NULL || values == NULL || spk_context_create(&session.context) != SPK_OK) {
        free(line);
        free(values);
        fprintf(stderr, "%s: out of memory\n", cli_program(command));
        return CLI_FAILED;
    }
    int code = cli_options_parse(command, argc, argv, values, &given, &n_arguments, &common);
    if (code == CLI_DONE && !common.version && !common.help)
        code =
            cli_options_check(command, &given, session.context, n_arguments, argv, ranks != NULL);
    session.n_arguments = n_arguments;
    session.arguments = argv;
    session.values = values;
    session.shared = &common.shared;
    session.given = &given;
    session.quiet = common.quiet;
    session.verbose = common.verbose;
    if (code == CLI_DONE && common.version) {
        printf("%s %s\n", cli_program(command), spk_version());
    } else if (code == CLI_DONE && common.help) {
        cli_help_command(stdout, command, session.verbose);
    } else if (code == CLI_DONE) {
        cli_interrupt_begin(session.context);
        spk_context_set_default_memory_limit(session.context);
        spk_context_set_note(session.context, show_note, &session);
        session.progress.enabled = cli_progress_possible() && !session.quiet;
        if (session.progress.enabled)
            spk_context_set_progress(session.context, show_progress, &session);
        spk_context_set_threads(session.context, (int)common.shared.threads);
        if (common.shared.max_memory > 0)
            spk_context_set_memory_limit(session.context, common.shared.max_memory);
        choose_connections(command, &given);
        spk_gpu_start *gpus = start_gpus(command, &given, ranks);
        code = cli_report(&session, join_ranks(&session, ranks));
        if (code == CLI_DONE)
            code = cli_energy_begin(&session, common.shared.energy);
        cli_screen screen;
        cli_screen_begin(&screen, &session);
        if (code == CLI_DONE)
            code = command->run(&session, values);
        spk_gpus_started(gpus);
        cli_progress_clear(&session);
        cli_screen_end(&screen);
        cli_energy_end(&session, code == CLI_DONE);
    }
    cli_interrupt_end();
    cli_values_free(command, values);
    free(line);
    free(values);
    spk_context_free(session.context);
    return code;
}

const char *cli_command_line(const cli_session *session)
{
    return session->line;
}

spk_provenance cli_provenance(const cli_session *session, double seconds)
{
    return (spk_provenance){.command = session->line,
                            .input = session->arguments[0],
                            .threads = spk_context_threads(session->context),
                            .seconds = seconds};
}

int cli_files_check(cli_session *session, const spk_file_use *use, size_t n)
{
    spk_context_set_disk_reserve(session->context, session->shared->disk_reserve);
    return cli_report(session, spk_files_check(session->context, use, n, session->shared->force));
}
