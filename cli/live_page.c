/* The options of a live run's page, and the file that keeps its token. */
#include "live_job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANDOM_BYTES = 16, LEAST_TOKEN = 16 };

/* ---- the file of the token ------------------------------------------------------------------- */

static int fail_file(const live_job *job, const char *path, const char *what, const char *remedy)
{
    return cli_fail(job->session, "--page-token-file %s: %s: %s; %s", path, what, strerror(errno),
                    remedy);
}

static bool is_token(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const size_t n = strlen(text);
    return n >= LEAST_TOKEN && n <= LIVE_PAGE_MOST_TOKEN && strspn(text, letters) == n;
}

/* One token, and white space behind it at most. */
static int read_token(const live_job *job, const char *path, int descriptor, char *token)
{
    char text[LIVE_PAGE_MOST_TOKEN + 16];
    struct stat facts;
    const ssize_t n = read(descriptor, text, sizeof text - 1);
    if (n < 0 || fstat(descriptor, &facts) != 0)
        return fail_file(job, path, "cannot be read", "name a file with a token, or a new one");
    text[n] = '\0';
    const size_t length = strcspn(text, " \t\r\n");
    const bool bare = length + strspn(text + length, " \t\r\n") == (size_t)n;
    text[length] = '\0';
    if (!bare || !is_token(text))
        return cli_fail(job->session,
                        "--page-token-file %s: holds no token, which has %d to %d letters, digits, "
                        "'-' and '_' on one line; remove the file, and a new one is made",
                        path, LEAST_TOKEN, LIVE_PAGE_MOST_TOKEN);
    if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        cli_note(job->session,
                 "%s: other users of this machine may reach the token in it; chmod 600 keeps it "
                 "from them",
                 path);
    memcpy(token, text, length + 1);
    return CLI_DONE;
}

static bool draw_token(char *token)
{
    unsigned char byte[RANDOM_BYTES] = {0};
    FILE *source = fopen("/dev/urandom", "rb");
    const bool drawn = source != NULL && fread(byte, sizeof byte, 1, source) == 1;
    if (source != NULL)
        fclose(source);
    for (size_t k = 0; k < sizeof byte; k++)
        snprintf(token + 2 * k, 3, "%02x", byte[k]);
    return drawn;
}

/* Puts a whole file in place, which nobody but its owner reads; one that is there stays. */
static bool write_token(const char *part, const char *path, const char *token)
{
    const int descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return false;
    bool whole = dprintf(descriptor, "%s\n", token) > 0;
    whole = close(descriptor) == 0 && whole && link(part, path) == 0;
    const int problem = errno;
    unlink(part);
    errno = problem;
    return whole;
}

static int make_token(const live_job *job, const char *path, char *token)
{
    char part[4096];
    const int n = snprintf(part, sizeof part, "%s.part%ld", path, (long)getpid());
    if (!draw_token(token))
        return cli_fail(job->session, "/dev/urandom cannot be read; write a token into %s", path);
    if (n >= (int)sizeof part || !write_token(part, path, token))
        return fail_file(job, path, "cannot be made", "choose another place");
    cli_note(job->session, "%s: keeps a new token; browsers find the page again with it", path);
    return CLI_DONE;
}

static int take_token(const live_job *job, const char *path, char *token)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return errno == ENOENT ? make_token(job, path, token)
                               : fail_file(job, path, "cannot be read", "allow reading it");
    const int code = read_token(job, path, descriptor, token);
    close(descriptor);
    return code;
}

/* ---- the page -------------------------------------------------------------------------------- */

int live_page_make(const live_job *job, spk_live_page_options *page,
                   char token[LIVE_PAGE_MOST_TOKEN + 1], bool *wanted)
{
    const live_values *v = job->values;
    *wanted = v->page.given;
    if (!v->page.given)
        return CLI_DONE;
    spk_live_page_options_init(page, sizeof *page);
    page->port = v->page.word ? 0 : (uint16_t)v->page.value;
    page->may_watch = true;
    page->mines = job->partitions != NULL;
    if (v->page_address != NULL)
        page->address = v->page_address;
    if (v->page_token_file == NULL)
        return CLI_DONE;
    page->token = token;
    return take_token(job, v->page_token_file, token);
}
