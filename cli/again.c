/* The command line once more, for another command. */
#include "again.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How much was told of the first command says nothing of the next one. */
static bool is_of_talk(const char *word, size_t n)
{
    static const char *const talk[] = {"-q", "--quiet", "-v", "--verbose"};
    for (size_t k = 0; k < sizeof talk / sizeof *talk; k++)
        if (n == strlen(talk[k]) && memcmp(word, talk[k], n) == 0)
            return true;
    return false;
}

/* Whether a word is an option that the other command lacks; *skip: the next one is its value. */
static bool is_dropped(const char *word, size_t n, const char *const *flags,
                       const char *const *values, bool *skip)
{
    *skip = false;
    if (is_of_talk(word, n))
        return true;
    for (; *flags != NULL; flags++)
        if (n == strlen(*flags) && memcmp(word, *flags, n) == 0)
            return true;
    for (; *values != NULL; values++) {
        const size_t length = strlen(*values);
        if (n < length || memcmp(word, *values, length) != 0)
            continue;
        *skip = n == length;
        if (*skip || word[length] == '=')
            return true;
    }
    return false;
}

/* Bytes of the word that begins here; blanks within single quotes are of it. */
static size_t word_length(const char *at)
{
    const char *begin = at;
    bool is_quoted = false;
    for (; *at != '\0' && (is_quoted || *at != ' '); at++) {
        is_quoted ^= *at == '\'';
        if (!is_quoted && *at == '\\' && at[1] != '\0')
            at++;
    }
    return (size_t)(at - begin);
}

/* Whether a name alone runs the file that `path` leads to. */
static bool is_found_by_name(const char *name, const char *path)
{
    struct stat own, other;
    const char *folders = getenv("PATH");
    bool is_same = false;
    for (const char *at = folders; at != NULL && stat(path, &own) == 0; at = strchr(at, ':')) {
        char file[4096];
        at += at != folders; /* behind the colon */
        const int n = snprintf(file, sizeof file, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (n > 0 && (size_t)n < sizeof file && access(file, X_OK) == 0 &&
            stat(file, &other) == 0) {
            is_same = own.st_dev == other.st_dev && own.st_ino == other.st_ino;
            break; /* the first one is what runs */
        }
    }
    return is_same;
}

/* The program without the folder that it was called from, where the shell finds it so; *n: its
 * bytes. */
static const char *program_name(const char *at, size_t *n)
{
    char path[4096];
    const bool is_quoted = *n > 2 && at[0] == '\'' && at[*n - 1] == '\'';
    const size_t quotes = is_quoted ? 2 : 0;
    const int length = snprintf(path, sizeof path, "%.*s", (int)(*n - quotes), at + quotes / 2);
    const char *name = strrchr(path, '/');
    if (length < 0 || (size_t)length >= sizeof path || name == NULL ||
        !is_found_by_name(name + 1, path))
        return at;
    const size_t folder = (size_t)(name + 1 - path);
    at += quotes / 2 + folder;
    *n = (size_t)length - folder;
    return at;
}

/* Writes the words that stay; returns the bytes that were used. */
static size_t repeat(const cli_session *session, const char *operation, const char *const *flags,
                     const char *const *values, char *text, size_t size)
{
    const char *name = session->command->name;
    size_t used = 0;
    bool is_replaced = false, skip = false;
    for (const char *at = cli_command_line(session); *at != '\0'; at += strspn(at, " ")) {
        const size_t n = word_length(at);
        const bool is_name = !is_replaced && n == strlen(name) && memcmp(at, name, n) == 0;
        const bool was_skipped = skip;
        if (was_skipped || is_dropped(at, n, flags, values, &skip)) {
            skip = skip && !was_skipped;
        } else {
            size_t bytes = n;
            const char *word = is_name ? operation : used == 0 ? program_name(at, &bytes) : at;
            used += (size_t)snprintf(text + used, size - used, "%s%.*s", used > 0 ? " " : "",
                                     is_name ? (int)strlen(operation) : (int)bytes, word);
            is_replaced |= is_name;
        }
        at += n;
    }
    return used;
}

static size_t add_setting(char *text, size_t size, size_t used, const spk_operation_setting *s)
{
    return used + (size_t)snprintf(text + used, size - used, " --%s%s%s", s->name,
                                   s->value != NULL ? " " : "", s->value != NULL ? s->value : "");
}

char *cli_again(const cli_session *session, const spk_operation_call *call,
                const char *const *flags, const char *const *values)
{
    enum { MOST_VALUES = 16 };
    const char *dropped[MOST_VALUES] = {call->stop != NULL ? "--stop" : *values};
    const spk_operation_setting stop = {"stop", call->stop};
    size_t size = strlen(cli_command_line(session)) + strlen(call->operation) + 64;
    for (size_t k = call->stop == NULL, n = 1; n + 1 < MOST_VALUES && values[k] != NULL; k++)
        dropped[n++] = values[k];
    for (size_t k = 0; k < call->n_settings; k++)
        size += strlen(call->setting[k].name) + 5 +
                (call->setting[k].value != NULL ? strlen(call->setting[k].value) : 0);
    char *text = malloc(size);
    if (text == NULL)
        return NULL;
    size_t used = repeat(session, call->operation, flags, dropped, text, size);
    if (call->stop != NULL)
        used = add_setting(text, size, used, &stop);
    for (size_t k = 0; k < call->n_settings; k++)
        used = add_setting(text, size, used, &call->setting[k]);
    return text;
}
