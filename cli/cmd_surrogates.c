/* spikemine surrogates: surrogates of a recording, as recordings. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis.h"
#include "commands.h"
#include "session.h"

typedef struct values {
    cli_surrogate_values surrogates;
    uint64_t number;
    uint64_t first;
    const char *to;
} values;

/* ---- names ----------------------------------------------------------------------------------- */

enum { ENDING_BYTES = 16 };

/* The first ending of the format that is written: ".txt". */
static int find_ending(cli_session *session, const char *format, char *ending)
{
    spk_format_info info;
    for (size_t k = 0; k < spk_format_count(); k++) {
        if (strcmp(spk_format_name(k), format) != 0)
            continue;
        int code = cli_report(session, spk_format_describe(session->context, k, &info));
        if (code == CLI_DONE)
            snprintf(ending, ENDING_BYTES, "%.*s", (int)strcspn(info.endings, " "), info.endings);
        return code;
    }
    return CLI_DONE; /* the library refuses it later, and says which there are */
}

/* Writes the name of surrogate k into `path`, which has path_bytes. */
static size_t path_bytes(const cli_session *session)
{
    return strlen(session->shared->output) + ENDING_BYTES + 64;
}

static void name_file(const cli_session *session, const char *ending, uint64_t k, char *path)
{
    const char *folder = session->shared->output;
    size_t n = strlen(folder);
    const char *slash = n > 0 && folder[n - 1] == '/' ? "" : "/";
    snprintf(path, path_bytes(session), "%s%ssurrogate-%04" PRIu64 "%s", folder, slash, k, ending);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Makes the folder; *made: it was not there. */
static int make_folder(cli_session *session, const char *path, bool *made)
{
    struct stat info;
    *made = mkdir(path, 0777) == 0;
    if (*made || (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return CLI_DONE;
    return cli_fail(session, "--output %s: this folder cannot be made: %s; name another one", path,
                    strerror(errno == EEXIST ? ENOTDIR : errno));
}

/* Every file by itself: those of one folder have different names. */
static int check_files(cli_session *session, const values *v, const char *ending, char *path)
{
    int code = CLI_DONE;
    for (uint64_t k = v->first; k < v->first + v->number && code == CLI_DONE; k++) {
        name_file(session, ending, k, path);
        const spk_file_use use[] = {CLI_RECORDING_FILES(session),
                                    {path, SPK_FILE_OUTPUT, "a surrogate", "--output"}};
        code = cli_files_check(session, use, sizeof use / sizeof use[0]);
    }
    return code;
}

/* ---- writing ------------------------------------------------------------------------------------
 */

/* A recording whose extent is that of its events is written without it. That of a surrogate is the
 * extent of the recording, hence becomes a segment; *made passes to the call. */
static spk_status fix_extent(cli_session *session, spk_recording **made)
{
    spk_time_range range;
    spk_recording *fixed = NULL;
    size_t n = 0;
    const spk_segment *segment = spk_recording_segments(*made, &n);
    if (n != 1 || segment->start == segment->stop || !spk_recording_segment_times(*made, 0, &range))
        return SPK_OK;
    spk_status status = spk_recording_cut_take(session->context, *made, 1, &range, &fixed);
    *made = fixed;
    return status;
}

static int write_surrogate(cli_session *session, const values *v, const spk_surrogates *surrogates,
                           uint64_t k, const char *path)
{
    spk_recording *made = NULL;
    spk_status status = spk_surrogates_make(session->context, surrogates, k, &made);
    if (status == SPK_OK)
        status = fix_extent(session, &made);
    if (status == SPK_OK)
        status = spk_recording_write(session->context, made, path, v->to);
    if (status == SPK_OK)
        cli_detail(session, "%" PRIu64 " events went to %s", spk_recording_events(made).n_events,
                   path);
    spk_recording_free(made);
    return cli_report(session, status);
}

static int write_surrogates(cli_session *session, const values *v, const spk_surrogates *surrogates,
                            const char *ending, char *path)
{
    int code = CLI_DONE;
    for (uint64_t k = v->first; k < v->first + v->number && code == CLI_DONE; k++) {
        name_file(session, ending, k, path);
        code = write_surrogate(session, v, surrogates, k, path);
    }
    return code;
}

static int make_all(cli_session *session, const values *v, const char *ending, char *path)
{
    spk_recording *recording = NULL;
    spk_surrogates *surrogates = NULL;
    spk_surrogate_options options = cli_surrogate_options(session, &v->surrogates);
    int code = cli_recording_read(session, session->arguments[0], &recording);
    if (code == CLI_DONE)
        code = cli_report(
            session, spk_surrogates_create(session->context, recording, &options, &surrogates));
    if (code == CLI_DONE)
        cli_surrogate_warn(session, &options);
    if (code == CLI_DONE)
        code = write_surrogates(session, v, surrogates, ending, path);
    spk_surrogates_free(surrogates);
    spk_recording_free(recording);
    return code;
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    const char *folder = session->shared->output;
    char ending[ENDING_BYTES] = "", *path = NULL;
    bool made_folder = false;
    path = malloc(path_bytes(session));
    if (path == NULL)
        return cli_fail(session, "out of memory");
    int code = cli_report(session, spk_recording_check_write(session->context, folder, v->to));
    if (code == CLI_DONE)
        code = find_ending(session, v->to, ending);
    if (code == CLI_DONE)
        code = make_folder(session, folder, &made_folder);
    if (code == CLI_DONE)
        code = check_files(session, v, ending, path);
    if (code == CLI_DONE)
        code = make_all(session, v, ending, path);
    if (code != CLI_DONE && made_folder)
        (void)rmdir(folder); /* unless a surrogate is in it */
    free(path);
    return code;
}

static const cli_option options[] = {
    CLI_SURROGATE_OPTIONS(values, surrogates),
    CLI_HEADING("output"),
    CLI_SHARED("output", output),
    CLI_OPTION("number", values, number),
    CLI_OPTION("first", values, first),
    CLI_OPTION("to", values, to),
    CLI_FILE_OPTIONS,
    CLI_SHARED("max-memory", max_memory),
    CLI_RECORDING_OPTIONS,
    CLI_END,
};

const cli_command cli_cmd_surrogates = {
    .name = "surrogates",
    .arguments = "REC",
    .summary = "make surrogates of a recording: copies without its fine temporal structure",
    .description =
        "Makes copies of a recording in which spikes were moved. Each method destroys timing\n"
        "that is finer than the jitter, and keeps what its null hypothesis names: rates,\n"
        "intervals, or numbers of spikes. Spikes stay in their segment (--trials, --segments),\n"
        "and no two spikes of a unit get one time.\n"
        "\n"
        "Surrogate K depends on the recording, the method with its options, the seed and K\n"
        "alone, on every machine. The page docs/reference/surrogates.md tells what each method\n"
        "keeps, and how it fails.",
    .examples = "  spikemine surrogates rec.txt --method trial-shifting --seed 7 -n 10 -o shifted\n"
                "  spikemine surrogates rec.txt --method bin-shuffling --bin 5ms -o shuffled",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .run = run,
};
