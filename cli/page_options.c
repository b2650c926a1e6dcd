/* What a report tells of the command. */
#include "outputs.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks ---------------------------------------------------------------------------------- */

int cli_page_check(cli_session *session)
{
    const char *path = session->shared->page;
    return path != NULL ? cli_report(session, spk_page_check(session->context, path)) : CLI_DONE;
}

/* ---- settings -------------------------------------------------------------------------------- */

/* Name k of "a|b|c". */
static const char *choice_text(const char *names, int k, char *text, size_t size)
{
    for (; k > 0; k--)
        names = strchr(names, '|') + 1;
    snprintf(text, size, "%.*s", (int)strcspn(names, "|"), names);
    return text;
}

static const char *count_text(const cli_option *option, const cli_count *count, char *text,
                              size_t size)
{
    if (count->word)
        return strchr(option->argument, '|') + 1;
    snprintf(text, size, "%" PRIu64, count->value);
    return count->given || option->fallback != NULL ? text : "";
}

/* All texts with commas between, in memory of the page. */
static const char *join_texts(cli_page *page, const cli_texts *texts)
{
    size_t size = 1, n = 0;
    assert(page->joined == NULL); /* one such option in a command */
    for (size_t k = 0; k < texts->n; k++)
        size += strlen(texts->text[k]) + 2;
    page->joined = calloc(size, 1);
    for (size_t k = 0; k < texts->n && page->joined != NULL; k++)
        n +=
            (size_t)snprintf(page->joined + n, size - n, "%s%s", k > 0 ? ", " : "", texts->text[k]);
    return page->joined;
}

/* The value of an option; NULL or "" where there is none. `text` has room for a number. */
static const char *value_text(const cli_session *session, cli_page *page, const cli_option *option,
                              char text[64])
{
    const void *at = cli_value_at(option, session->values, session->shared);
    const bool given = cli_given_value(session->command, session->given, option->name) != NULL;
    spk_duration time;
    switch (option->kind) {
    case CLI_FLAG:
        return *(const bool *)at ? "yes" : "";
    case CLI_CHOICE:
        return choice_text(option->argument, *(const int *)at, text, 64);
    case CLI_INTEGER:
    case CLI_BYTES:
        snprintf(text, 64, "%" PRIu64, cli_whole_at(option, at));
        return cli_whole_at(option, at) > 0 || option->fallback != NULL ? text : "";
    case CLI_NUMBER:
        snprintf(text, 64, "%.12g", *(const double *)at);
        return *(const double *)at != 0 ? text : "";
    case CLI_DURATION:
        memcpy(&time, at, sizeof time); /* a cli_duration begins with it */
        spk_duration_format(time, text, 64);
        return given ? text : "";
    case CLI_COUNT:
        return count_text(option, at, text, 64);
    case CLI_TEXTS:
        return join_texts(page, at);
    default:
        return *(const char *const *)at;
    }
}

/* Options that say how the results came to be. */
static spk_status add_options(const cli_session *session, cli_page *page)
{
    for (const cli_option *o = session->command->options; o->name != NULL; o++) {
        if (o->kind == CLI_SECTION || o->work ||
            !cli_option_heeded(session->command, session->given, o))
            continue;
        const char *value = value_text(session, page, o, page->number[page->options.n_settings]);
        if (value == NULL && o->kind == CLI_TEXTS)
            return SPK_ERR_MEMORY;
        cli_page_add_setting(page, o->name, value);
    }
    return SPK_OK;
}

/* The command line, without the folder that the program lies in. To be freed. */
static char *command_text(const cli_session *session)
{
    const char *line = cli_command_line(session), *program = cli_program(session->command);
    const char *rest = strstr(line, session->command->name);
    const size_t size = strlen(program) + strlen(line) + 2;
    char *text = calloc(size, 1);
    if (text != NULL)
        snprintf(text, size, "%s %s", program, rest != NULL ? rest : line);
    return text;
}

spk_status cli_page_make(const cli_session *session, cli_page *page)
{
    const char *input = session->arguments[0];
    enum { MORE = 8 };
    const char *slash = strrchr(input, '/');
    size_t n = MORE;
    for (const cli_option *o = session->command->options; o->name != NULL; o++)
        n++;
    *page = (cli_page){.setting = calloc(n, sizeof *page->setting),
                       .number = calloc(n, sizeof *page->number)};
    if (page->setting == NULL || page->number == NULL)
        return SPK_ERR_MEMORY;
    spk_page_options *o = &page->options;
    spk_page_options_init(o, sizeof *o);
    o->title = o->recording = slash != NULL ? slash + 1 : input;
    o->command = page->command = command_text(session);
    if (o->command == NULL)
        return SPK_ERR_MEMORY;
    o->setting = page->setting;
    o->max_rows = session->shared->page_rows;
    o->max_occurrence_bytes = session->shared->page_bytes;
    cli_page_add_setting(page, "input", input);
    return add_options(session, page);
}

void cli_page_add_setting(cli_page *page, const char *name, const char *value)
{
    if (value != NULL && value[0] != '\0')
        page->setting[page->options.n_settings++] = (spk_page_setting){name, value};
}

/* ---- the rest -------------------------------------------------------------------------------- */

spk_status cli_page_take_maxima(cli_page *page, const spk_maxima *maxima)
{
    const spk_exact_columns columns = spk_exact_columns_of(maxima);
    page->largest_score =
        calloc((size_t)columns.n * columns.n_scales + 1, sizeof *page->largest_score);
    if (page->largest_score == NULL)
        return SPK_ERR_MEMORY;
    spk_page_largest_scores(maxima, page->largest_score);
    page->options.largest_score = page->largest_score;
    return SPK_OK;
}

spk_status cli_page_take_families(cli_page *page, const spk_family_columns *families)
{
    page->families = *families;
    page->options.families = &page->families;
    return SPK_OK;
}

void cli_page_free(cli_page *page)
{
    free(page->setting);
    free(page->number);
    free(page->command);
    free(page->joined);
    free(page->largest_score);
    *page = (cli_page){.joined = NULL};
}
