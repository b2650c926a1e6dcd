/* spikemine engines: what this build has, and why something cannot run here. */
#include "commands.h"
#include "session.h"

typedef struct values {
    bool names;
} values;

static void print_engine(const char *job, const spk_engine_info *info, bool name_only)
{
    if (name_only && info->available)
        printf("%s\n", info->name);
    else if (!name_only)
        printf("%s\t%s\t%s\t%s%s%s\n", job, info->name, info->available ? "yes" : "no",
               info->summary, info->available ? "" : "; not available: ", info->reason);
}

static int print_engines(cli_session *session, spk_language language, const char *job,
                         bool names_only)
{
    for (size_t k = 0; k < spk_engine_count(language); k++) {
        spk_engine_info info;
        spk_status status = spk_engine_describe(session->context, language, k, &info);
        if (status != SPK_OK)
            return cli_report(session, status);
        print_engine(job, &info, names_only);
    }
    return CLI_DONE;
}

static int print_gpus(cli_session *session)
{
    for (int k = 0; k < spk_gpu_count(); k++) {
        spk_gpu_info gpu;
        spk_status status = spk_gpu_describe(session->context, k, &gpu);
        if (status != SPK_OK)
            return cli_report(session, status);
        printf("gpu\t%d\tyes\t%s, %d multiprocessors, %.0f GB\n", k, gpu.name, gpu.multiprocessors,
               (double)gpu.memory / 1e9);
    }
    return CLI_DONE;
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    if (!v->names)
        printf("for\tengine\tavailable\twhat\n");
    int code = print_engines(session, SPK_EPISODES, "episodes", v->names);
    if (code != CLI_DONE || v->names)
        return code;
    code = print_engines(session, SPK_PATTERNS, "patterns", false);
    return code == CLI_DONE ? print_gpus(session) : code;
}

static const cli_option options[] = {
    CLI_OPTION("names", values, names),
    CLI_END,
};

const cli_command cli_cmd_engines = {
    .name = "engines",
    .arguments = "",
    .summary = "list the engines: what is here, what is not and why",
    .description =
        "Lists all engines and the GPUs that are found: what each engine is, whether it runs\n"
        "here, and why not. All engines that run give exactly the same results. auto takes the\n"
        "one that was fastest in our measurements (docs/explanation/episodes.md).",
    .examples = "  spikemine engines",
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
