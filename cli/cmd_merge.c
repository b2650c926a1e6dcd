/* spikemine merge: the shards of a significance test, joined. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "session.h"

/* The files of the command line, and what they hold. */
typedef struct shards {
    size_t n;
    char **path;
    spk_maxima **part;
    spk_file_use *use; /* the output behind them */
} shards;

static int check_files(cli_session *session, shards *s)
{
    for (size_t k = 0; k < s->n; k++)
        s->use[k] = (spk_file_use){s->path[k], SPK_FILE_INPUT, "a shard", NULL};
    s->use[s->n] =
        (spk_file_use){session->shared->output, SPK_FILE_OUTPUT, "the joined file", "--output"};
    return cli_files_check(session, s->use, s->n + 1);
}

static void tell_shard(cli_session *session, const char *path, const spk_maxima *part)
{
    spk_maxima_info info = spk_maxima_describe(part);
    cli_detail(session,
               "%s: shard %" PRIu32 "/%" PRIu32 ", %" PRIu64 " of its %" PRIu64 " surrogates", path,
               info.shard, info.n_shards, info.n_of_shard - info.n_missing, info.n_of_shard);
}

static spk_status read_shards(cli_session *session, shards *s)
{
    spk_status status = SPK_OK;
    for (size_t k = 0; k < s->n && status == SPK_OK; k++) {
        status = spk_maxima_read(session->context, s->path[k], &s->part[k]);
        if (status == SPK_OK)
            tell_shard(session, s->path[k], s->part[k]);
    }
    return status;
}

static void tell_next(cli_session *session, const spk_maxima *whole, size_t n, const char *output)
{
    spk_maxima_info info = spk_maxima_describe(whole);
    cli_note(session,
             "%zu shard%s joined: %" PRIu64 " surrogates, none missing; the test is the command "
             "that made the shards, with --maxima %s in place of --shard",
             n, n == 1 ? "" : "s", info.n_surrogates,
             strcmp(output, "-") == 0 ? "and the name of this file" : output);
}

static int join(cli_session *session, shards *s)
{
    const char *output = session->shared->output;
    spk_maxima *whole = NULL;
    spk_status status = read_shards(session, s);
    if (status == SPK_OK)
        status =
            spk_maxima_merge(session->context, s->n, (const spk_maxima *const *)s->part, &whole);
    int code = cli_report(session, status);
    if (code == CLI_USAGE) /* the command is right, the files are not */
        code = CLI_FAILED;
    if (code == CLI_DONE)
        code = cli_report(session, spk_maxima_write(session->context, whole, output));
    if (code == CLI_DONE)
        tell_next(session, whole, s->n, output);
    spk_maxima_free(whole);
    return code;
}

static int run(cli_session *session, const void *values)
{
    (void)values;
    shards s = {.n = (size_t)session->n_arguments, .path = session->arguments};
    s.part = calloc(s.n, sizeof(spk_maxima *));
    s.use = calloc(s.n + 1, sizeof *s.use);
    int code = CLI_DONE;
    if (s.part == NULL || s.use == NULL) {
        code = cli_fail(session, "out of memory");
        goto done;
    }
    code = check_files(session, &s);
    if (code == CLI_DONE)
        code = join(session, &s);
    for (size_t k = 0; k < s.n; k++)
        spk_maxima_free(s.part[k]);
done:
    free(s.part);
    free(s.use);
    return code;
}

static const cli_option options[] = {
    CLI_SHARED("output", output),
    CLI_FILE_OPTIONS,
    CLI_SHARED("max-memory", max_memory),
    CLI_END,
};

const cli_command cli_cmd_merge = {
    .name = "merge",
    .arguments = "SHARD...",
    .summary = "join the shards of a significance test that ran in parts",
    .description =
        "Joins the files that spikemine patterns ... --shard I/N wrote, in any order, on any\n"
        "machine. The result equals that of one run without shards, to the byte.\n"
        "\n"
        "Shards are checked first: all of them must be there, once each, complete, and of one\n"
        "job. Otherwise the command names the shards that are missing or doubled, or the\n"
        "option or recording that differs, and writes nothing. A checkpoint is a shard, too.",
    .examples = "  spikemine merge shard*.spk -o all.spk\n"
                "  spikemine patterns rec.txt --bin 5ms --window 20 --surrogates 5000 --seed 7 "
                "--maxima all.spk",
    .options = options,
    .min_arguments = 1,
    .max_arguments = INT_MAX,
    .run = run,
};
