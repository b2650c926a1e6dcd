/* Many runs by several threads, and the file of their rows. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "study.h"

enum { ROW_SIZE = 1024 };

/* What the threads share; all but `plan` and `out` behind the lock. */
typedef struct workers {
    const study_plan *plan;
    spk_context *parent;
    pthread_mutex_t lock;
    FILE *out;
    uint8_t *done; /* n_keys */
    uint64_t next;
    uint64_t n_done;
    double end; /* on the clock of cli_seconds; 0: never */
    spk_status status;
    char message[512];
} workers;

/* ---- the file -------------------------------------------------------------------------------- */

/* Reads a file that is continued: the first line must be ours, and each further one begins with its
 * key. A row that a crash cut off has no line end; it is done again. */
static int read_rows(cli_session *session, workers *w, const char *head)
{
    FILE *in = fopen(w->plan->output, "r");
    if (in == NULL)
        return errno == ENOENT ? CLI_DONE
                               : cli_fail(session, "%s: %s", w->plan->output, strerror(errno));
    char line[2 * ROW_SIZE];
    bool known = fgets(line, sizeof line, in) == NULL || strcmp(line, head) == 0;
    while (known && fgets(line, sizeof line, in) != NULL) {
        char *end;
        uint64_t key = strtoull(line, &end, 10);
        if (*end == '\t' && key < w->plan->n_keys && strchr(line, '\n') != NULL)
            w->done[key] = 1;
    }
    fclose(in);
    if (!known)
        return cli_fail(session, "%s: holds a study with other options; name another file",
                        w->plan->output);
    return CLI_DONE;
}

/* Opens it behind its last whole row. */
static int open_rows(cli_session *session, workers *w, const char *head)
{
    w->out = fopen(w->plan->output, "a+");
    if (w->out == NULL)
        return cli_fail(session, "%s: %s", w->plan->output, strerror(errno));
    int last = '\n';
    if (fseek(w->out, 0, SEEK_END) == 0 && ftell(w->out) > 0) {
        if (fseek(w->out, -1, SEEK_END) == 0)
            last = getc(w->out);
        fseek(w->out, 0, SEEK_END);
        if (last != '\n')
            fputc('\n', w->out);
    } else {
        fprintf(w->out, "%skey\t%s\n", head, w->plan->columns);
    }
    return CLI_DONE;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* The next run; false where there is none, or no time for it. */
static bool take(workers *w, uint64_t *key)
{
    const study_plan *plan = w->plan;
    bool found = false;
    pthread_mutex_lock(&w->lock);
    bool on = w->status == SPK_OK && (w->end <= 0 || cli_seconds() < w->end);
    while (on && !found && w->next < plan->n_keys) {
        *key = w->next++;
        found = *key % plan->n_shares == plan->share - 1 && !w->done[*key];
    }
    pthread_mutex_unlock(&w->lock);
    return found;
}

static void tell(workers *w, spk_context *context, uint64_t key, spk_status status, const char *row)
{
    pthread_mutex_lock(&w->lock);
    if (status == SPK_OK) {
        fprintf(w->out, "%" PRIu64 "\t%s\n", key, row);
        fflush(w->out);
        w->n_done++;
    } else if (w->status == SPK_OK) {
        w->status = status;
        snprintf(w->message, sizeof w->message, "run %" PRIu64 ": %s", key,
                 spk_context_message(context));
    }
    pthread_mutex_unlock(&w->lock);
}

static void *work(void *user)
{
    workers *w = user;
    spk_context *context = NULL;
    char row[ROW_SIZE];
    uint64_t key;
    if (spk_context_create(&context) != SPK_OK)
        return NULL;
    spk_context_set_threads(context, 1);
    while (!spk_context_cancelled(w->parent) && take(w, &key))
        tell(w, context, key, w->plan->run(context, w->plan->study, key, row, sizeof row), row);
    spk_context_free(context);
    return NULL;
}

static void run_threads(workers *w, int n)
{
    pthread_t *thread = malloc((size_t)n * sizeof *thread);
    int started = 0;
    while (thread != NULL && started < n - 1 &&
           pthread_create(&thread[started], NULL, work, w) == 0)
        started++;
    work(w);
    for (int k = 0; k < started; k++)
        pthread_join(thread[k], NULL);
    free(thread);
}

/* ---- a study --------------------------------------------------------------------------------- */

int study_execute(cli_session *session, const study_plan *plan)
{
    workers w = {.plan = plan, .parent = session->context, .status = SPK_OK};
    w.end = plan->seconds > 0 ? cli_seconds() + (double)plan->seconds : 0;
    char head[ROW_SIZE];
    snprintf(head, sizeof head, "# %s\n", plan->what);
    w.done = calloc(plan->n_keys + 1, 1);
    if (w.done == NULL)
        return cli_fail(session, "out of memory");
    int code = read_rows(session, &w, head);
    if (code == CLI_DONE)
        code = open_rows(session, &w, head);
    if (code == CLI_DONE) {
        pthread_mutex_init(&w.lock, NULL);
        run_threads(&w, spk_context_threads(session->context));
        pthread_mutex_destroy(&w.lock);
        cli_note(session, "%" PRIu64 " runs done", w.n_done);
        if (w.status != SPK_OK)
            code = cli_fail(session, "%s", w.message);
    }
    if (w.out != NULL && fclose(w.out) != 0 && code == CLI_DONE)
        code = cli_fail(session, "%s: %s", plan->output, strerror(errno));
    free(w.done);
    return code;
}

int study_plan_fill(cli_session *session, const study_values *values, study_plan *plan)
{
    if (values->output == NULL)
        return cli_usage_error(session->command, "no file for the rows; name one with --output");
    if (values->share > values->n_shares)
        return cli_usage_error(session->command, "--share is above --shares");
    spk_context_set_threads(session->context, (int)values->threads);
    plan->output = values->output;
    plan->share = values->share;
    plan->n_shares = values->n_shares;
    plan->seconds = values->seconds;
    return CLI_DONE;
}
