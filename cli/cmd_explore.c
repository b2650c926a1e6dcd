/* spikemine explore REC: a first look, as sentences, a report and commands to go on with. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "again.h"
#include "commands.h"
#include "outputs.h"
#include "say.h"
#include "spikemine/explore.h"

typedef struct values {
    spk_duration time;
} values;

/* One run of the command. */
typedef struct job {
    cli_session *session;
    const values *v;
    char *own_report; /* its name where none was given */
    bool replaces;    /* one that it wrote before */
    spk_recording *recording;
    spk_explore *explore;
    const spk_explore_columns *found;
    char **command; /* what it did, as found->n_steps commands */
} job;

/* ---- sentences ------------------------------------------------------------------------------- */

static void print_sentence(const char *indent, const char *text)
{
    fputs(indent, stdout);
    putchar(toupper((unsigned char)text[0]));
    cli_put(stdout, text[0] != '\0' ? text + 1 : text);
    putchar('\n');
}

static void print_sentences(const spk_explore_columns *c)
{
    static const char *const heading[] = {[SPK_EXPLORE_DOUBT] = "check this first",
                                          [SPK_EXPLORE_RECORDING] = "the recording",
                                          [SPK_EXPLORE_SEQUENCES] = "what was found",
                                          [SPK_EXPLORE_TEST] = "what was found",
                                          [SPK_EXPLORE_CAUTION] = "what to be careful about",
                                          [SPK_EXPLORE_LEFT_OUT] = "left out for lack of time",
                                          [SPK_EXPLORE_METHOD] = "how it was tested"};
    const char *last = NULL;
    for (size_t k = 0; k < c->n_sentences; k++) {
        const spk_explore_topic topic = c->sentence[k].topic;
        const bool is_row = topic == SPK_EXPLORE_EPISODE || topic == SPK_EXPLORE_SEQUENCE;
        if (!is_row && (last == NULL || strcmp(heading[topic], last) != 0))
            printf("%s%s:\n", k > 0 ? "\n" : "", last = heading[topic]);
        if (is_row) {
            fputs("    ", stdout);
            cli_put(stdout, c->sentence[k].text);
            putchar('\n');
        } else {
            print_sentence("  ", c->sentence[k].text);
        }
    }
}

static void print_all(const job *j, bool has_page)
{
    cli_progress_clear(j->session);
    print_sentences(j->found);
    puts("\nthe same again, and to go on from:");
    for (size_t k = 0; k < j->found->n_steps; k++) {
        fputs("  ", stdout);
        cli_put(stdout, j->command[k]);
        putchar('\n');
    }
    if (!has_page) {
        puts("\nno report: nothing was tested in time; --time 600s gives it more");
        return;
    }
    fputs("\nreport: ", stdout);
    cli_put(stdout, j->session->shared->page);
    puts(j->replaces ? ", in place of the one of an earlier first look" : "");
}

/* ---- commands -------------------------------------------------------------------------------- */

/* Commands ask for --sort where this one did not. */
static char *with_sort(char *command)
{
    static const char option[] = " --sort";
    const size_t n = strlen(command);
    char *longer = realloc(command, n + sizeof option);
    if (longer == NULL)
        free(command);
    else
        memcpy(longer + n, option, sizeof option);
    return longer;
}

/* The labels of the units as a value of --units, in a word of a shell: a,"b,c". To be freed; NULL
 * where memory was out. */
static char *list_units(const spk_recording *recording)
{
    const uint32_t n = spk_recording_events(recording).n_units;
    size_t bytes = 1;
    for (uint32_t u = 0; u < n; u++)
        bytes += 2 * strlen(spk_recording_label(recording, u)) + 3;
    char *list = calloc(5, bytes), *at = list;
    for (uint32_t u = 0; u < n && list != NULL; u++) {
        const char *label = spk_recording_label(recording, u);
        const bool is_quoted = label[0] == '\0' || strpbrk(label, ",\" \t") != NULL;
        at = stpcpy(at, u > 0 ? "," : "");
        at = stpcpy(at, is_quoted ? "\"" : "");
        for (; *label != '\0'; label++) {
            if (*label == '"')
                *at++ = '"';
            *at++ = *label;
        }
        at = stpcpy(at, is_quoted ? "\"" : "");
    }
    if (list != NULL) { /* the word stands behind the list for a while */
        cli_add_word(list + bytes, list);
        memmove(list, list + bytes, strlen(list + bytes) + 1);
    }
    return list;
}

/* In the beginning of a recording --min-rate would leave out other units than in all of it: there
 * the units are named. */
static char *make_command(const job *j, const spk_operation_call *step)
{
    static const char *const flags[] = {"--force", NULL};
    static const char *const own[] = {"--min-rate", "--units", "--time",      "--alpha",
                                      "--seed",     "--html",  "--html-rows", "--html-occurrences",
                                      NULL};
    enum { OF_UNITS = 2 }; /* the first ones of `own` */
    const bool names = step->stop != NULL && j->session->shared->read.min_rate_hz > 0;
    spk_operation_call call = *step;
    if (!names)
        return cli_again(j->session, &call, flags, own + OF_UNITS);
    char *units = list_units(j->recording), *command = NULL;
    spk_operation_setting *setting = calloc(step->n_settings + 1, sizeof *setting);
    if (units != NULL && setting != NULL) {
        setting[0] = (spk_operation_setting){"units", units};
        for (size_t k = 0; k < step->n_settings; k++)
            setting[k + 1] = step->setting[k];
        call.setting = setting;
        call.n_settings++;
        command = cli_again(j->session, &call, flags, own);
    }
    free(units);
    free(setting);
    return command;
}

static spk_status make_commands(job *j)
{
    const bool given = j->session->shared->read.sort;
    const bool sorts = !given && !spk_recording_get_facts(j->recording)->sorted;
    j->command = calloc(j->found->n_steps + 1, sizeof *j->command);
    for (size_t k = 0; j->command != NULL && k < j->found->n_steps; k++) {
        char *command = make_command(j, &j->found->step[k]);
        j->command[k] = command != NULL && sorts ? with_sort(command) : command;
        if (j->command[k] == NULL)
            return SPK_ERR_MEMORY;
    }
    return j->command != NULL ? SPK_OK : SPK_ERR_MEMORY;
}

static void free_commands(job *j)
{
    for (size_t k = 0; j->command != NULL && j->command[k] != NULL; k++)
        free(j->command[k]);
    free(j->command);
}

/* ---- the report ------------------------------------------------------------------------------ */

static spk_status write_episodes(const job *j, cli_page *page)
{
    const spk_analysis_columns *c = j->found->episodes;
    spk_family_columns families = *c->families;
    families.n = c->n;
    page->options.exact = c->exact;
    page->options.as_listed = true;
    page->options.sequences = j->found->sequences;
    page->options.searched = j->found->searched;
    spk_status status = cli_page_take_maxima(page, c->maxima);
    if (status == SPK_OK)
        status = cli_page_take_families(page, &families);
    return status == SPK_OK ? spk_page_episodes(j->session->context, j->found->tested, &c->episodes,
                                                &page->options, j->session->shared->page)
                            : status;
}

/* Of episodes, unless whole sequences are all that was found. */
static spk_status write_found(const job *j, cli_page *page)
{
    const spk_explore_columns *c = j->found;
    const bool has_sequences = c->sequences != NULL && spk_sequences_columns(c->sequences).n > 0;
    if (c->episodes != NULL && (c->episodes->n > 0 || !has_sequences))
        return write_episodes(j, page);
    return spk_page_sequences(j->session->context, c->searched, c->sequences, c->search,
                              &page->options, j->session->shared->page);
}

/* Whether there is anything to show. */
static bool has_page(const job *j)
{
    return j->found->episodes != NULL || j->found->sequences != NULL;
}

/* The sentences of some topics, first .. last; the list has room for all. */
static const char *const *take_texts(const spk_explore_columns *c, const char **list,
                                     spk_explore_topic first, spk_explore_topic last, size_t *n)
{
    *n = 0;
    for (size_t k = 0; k < c->n_sentences; k++) {
        const spk_explore_topic topic = c->sentence[k].topic;
        const bool is_row = topic == SPK_EXPLORE_EPISODE || topic == SPK_EXPLORE_SEQUENCE;
        if (topic >= first && topic <= last && !is_row) /* rows are shown as such */
            list[(*n)++] = c->sentence[k].text;
    }
    return list;
}

static spk_status write_page(const job *j)
{
    const spk_explore_columns *c = j->found;
    const size_t n = c->n_sentences + 1;
    cli_page page;
    const char **list = calloc(3 * n, sizeof *list);
    spk_status status = list != NULL ? cli_page_make(j->session, &page) : SPK_ERR_MEMORY;
    spk_page_options *o = &page.options;
    if (status == SPK_OK) {
        o->summary = take_texts(c, list, SPK_EXPLORE_DOUBT, SPK_EXPLORE_EPISODE, &o->n_summary);
        (void)take_texts(c, list + n, SPK_EXPLORE_DOUBT, SPK_EXPLORE_DOUBT, &o->n_doubts);
        o->note = take_texts(c, list + n, SPK_EXPLORE_CAUTION, SPK_EXPLORE_LEFT_OUT, &o->n_notes);
        o->method =
            take_texts(c, list + 2 * n, SPK_EXPLORE_METHOD, SPK_EXPLORE_METHOD, &o->n_methods);
        o->again = (const char *const *)j->command;
        o->n_again = c->n_steps;
        status = write_found(j, &page);
    }
    if (list != NULL)
        cli_page_free(&page);
    free(list);
    return status;
}

/* ---- its name -------------------------------------------------------------------------------- */

/* "rec.report.html" for folder/rec.txt and for folder/rec/; to be freed. */
static char *name_report(const char *input)
{
    static const char ending[] = "report.html";
    size_t n = strlen(input);
    while (n > 0 && input[n - 1] == '/')
        n--;
    size_t first = n;
    while (first > 0 && input[first - 1] != '/')
        first--;
    size_t dot = n;
    while (dot > first && input[dot - 1] != '.')
        dot--;
    const size_t length = dot > first + 1 ? dot - 1 - first : n - first;
    const bool has_name = length > 0 && input[first] != '-' && input[first] != '.';
    const size_t size = length + 1 + sizeof ending;
    char *name = malloc(size);
    if (name != NULL && has_name)
        snprintf(name, size, "%.*s.%s", (int)length, input + first, ending);
    else if (name != NULL)
        snprintf(name, size, "%s", ending);
    return name;
}

/* Whether a file is a report that explore named by itself: its data begin with the command. */
static bool is_own_report(const char *path)
{
    enum { HEAD = 1 << 16 };
    char *head = calloc(HEAD + 1, 1);
    FILE *file = head != NULL ? fopen(path, "rb") : NULL;
    const char *at = NULL;
    if (file != NULL && fread(head, 1, HEAD, file) > 0)
        at = strstr(head, "{\"format\":\"spikemine-report\"");
    at = at != NULL ? strstr(at, "\n\"command\":\"") : NULL;
    const char *end = at != NULL ? strchr(at + 1, '\n') : NULL;
    const char *explore = at != NULL ? strstr(at, " explore ") : NULL;
    const char *html = at != NULL ? strstr(at, " --html") : NULL;
    const bool is_own = end != NULL && explore != NULL && explore < end && !(html && html < end);
    if (file != NULL)
        fclose(file);
    free(head);
    return is_own;
}

static spk_status take_report(job *j)
{
    if (j->session->shared->page != NULL)
        return SPK_OK;
    j->own_report = name_report(j->session->arguments[0]);
    j->session->shared->page = j->own_report;
    if (j->own_report == NULL)
        return SPK_ERR_MEMORY;
    j->replaces = is_own_report(j->own_report);
    j->session->shared->force |= j->replaces;
    return SPK_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* What a reader waits for; a terminal shows how far it is. */
static void tell_plan(const job *j)
{
    char time[48];
    spk_duration_format(j->v->time, time, sizeof time);
    cli_note(j->session,
             "up to %s of work: sets of delays are tried, then episodes tested, then whole "
             "sequences looked for",
             time);
}

static spk_status look(job *j)
{
    spk_explore_options options;
    tell_plan(j);
    spk_explore_options_init(&options, sizeof options);
    options.time = j->v->time;
    options.alpha = j->session->shared->alpha;
    options.seed = j->session->shared->seed;
    spk_status status = spk_explore_run(j->session->context, j->recording, &options, &j->explore);
    j->found = spk_explore_columns_of(j->explore);
    if (status == SPK_OK)
        status = make_commands(j);
    if (status == SPK_OK && has_page(j))
        status = write_page(j);
    if (status == SPK_OK)
        print_all(j, has_page(j));
    return status;
}

static int check(cli_session *session)
{
    const spk_file_use use[] = {CLI_RECORDING_FILES(session),
                                {session->shared->page, SPK_FILE_OUTPUT, "the report", "--html"}};
    const int code = cli_page_check(session);
    return code == CLI_DONE ? cli_files_check(session, use, sizeof use / sizeof use[0]) : code;
}

/* In order of time in any case; that times were not so is told. */
static int read_sorted(cli_session *session, spk_recording **out)
{
    const bool given = session->shared->read.sort;
    session->shared->read.sort = true;
    const int code = cli_recording_read(session, session->arguments[0], out);
    session->shared->read.sort = given;
    return code;
}

static int run(cli_session *session, const void *raw)
{
    job j = {.session = session, .v = raw};
    int code = cli_report(session, take_report(&j));
    if (code == CLI_DONE)
        code = check(session);
    if (code == CLI_DONE)
        code = read_sorted(session, &j.recording);
    if (code == CLI_DONE)
        code = cli_report(session, look(&j));
    free_commands(&j);
    spk_explore_free(j.explore);
    spk_recording_free(j.recording);
    free(j.own_report);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION("time", values, time),
    CLI_SHARED("alpha", alpha),
    CLI_SHARED("seed", seed),
    CLI_THREADS_BY_LETTER,
    CLI_SHARED("max-memory", max_memory),
    CLI_HEADING("output"),
    CLI_PAGE_OPTIONS,
    CLI_FILE_OPTIONS,
    CLI_RECORDING_OPTIONS,
    CLI_END,
};

const cli_command cli_cmd_explore = {
    .name = "explore",
    .arguments = "REC",
    .summary = "a first look: what is in a recording, and what a test finds there",
    .description =
        "Tells what is in a recording and what may be wrong with it, tries sets of delays against\n"
        "chance, tests all episodes with the best set, and looks for whole sequences, with so "
        "much\n"
        "work as --time says. What was found is printed as sentences, and a report shows it: "
        "NAME.report.html\n"
        "for NAME.txt. A report that explore named so itself is replaced, and no other file.\n"
        "\n"
        "Half of the level is for episodes and half for whole sequences. Delays and support are\n"
        "chosen before the test, whose half is divided by the number of sets that were tried, so\n"
        "that p stays exact. Where the work is too much, fewer\n"
        "surrogates are made, then the beginning of the recording is looked at, then pairs of\n"
        "units alone are tested; what was left out is told.\n"
        "\n"
        "The commands at the end give the same results again. They are what to go on from: with\n"
        "other delays, more surrogates, tables and figures.",
    .examples = "  spikemine explore session.nwb\n"
                "  spikemine explore rec.txt --time 600s --html first-look.html\n"
                "  spikemine explore rec.csv --time-unit ms --min-rate 0.5 --force",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .run = run,
};
