/* spikemine formats: what files and live sources this build takes, and what is missing for others.
 */
#include <string.h>

#include "builder.h"
#include "commands.h"
#include "session.h"

typedef struct values {
    int format;
    bool live;
} values;

enum { FORMAT_TEXT, FORMAT_JSON };

/* "--time-column --unit-column" from the names of members. */
static void print_options(const char *members)
{
    for (const char *at = members; *at != '\0';) {
        size_t n = strcspn(at, " ");
        fputs(at == members ? "--" : " --", stdout);
        for (size_t k = 0; k < n; k++)
            putchar(at[k] == '_' ? '-' : at[k]);
        at += n + strspn(at + n, " ");
    }
}

static void print_row(const spk_format_info *info)
{
    printf("%s\t%s\t%s\t%s\t%s\t", info->name, info->reads ? "yes" : "no",
           info->writes ? "yes" : "no", info->available ? "yes" : "no", info->endings);
    print_options(info->options);
    printf("\t%s%s%s\n", info->summary, info->available ? "" : "; not available: ", info->reason);
}

/* An array of the words; NULL where memory was out. */
static json_t *make_words(const char *words, const char *prefix)
{
    cli_builder array = cli_begin_array();
    for (const char *at = words; *at != '\0';) {
        char word[64];
        size_t n = strcspn(at, " ");
        snprintf(word, sizeof word, "%s%.*s", prefix, (int)n, at);
        for (char *c = word; *c != '\0' && prefix[0] != '\0'; c++)
            *c = (char)(*c == '_' ? '-' : *c);
        cli_add_json(&array, json_string(word));
        at += n + strspn(at + n, " ");
    }
    return cli_finish(&array);
}

static json_t *make_format(const spk_format_info *info)
{
    json_t *endings = make_words(info->endings, "");
    json_t *options = make_words(info->options, "--");
    /* json_pack takes both over, also when it fails. */
    return json_pack("{s:s, s:s, s:b, s:b, s:b, s:s, s:o, s:o}", "name", info->name, "summary",
                     info->summary, "reads", (int)info->reads, "writes", (int)info->writes,
                     "available", (int)info->available, "reason", info->reason, "endings", endings,
                     "options", options);
}

/* {NAME: [...]} */
static int print_list(cli_session *session, const char *name, cli_builder *list)
{
    cli_builder report = cli_begin_object();
    cli_put_json(&report, name, cli_finish(list));
    return cli_print_json(cli_finish(&report))
               ? CLI_DONE
               : cli_fail(session, "out of memory; close other programs");
}

/* ---- live sources ---------------------------------------------------------------------------- */

static json_t *make_kind(const spk_live_source_kind *kind)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:s}", "name", kind->name, "address", kind->address,
                     "summary", kind->summary, "available", (int)kind->available, "reason",
                     kind->reason);
}

static int print_sources(cli_session *session, bool as_json)
{
    cli_builder list = cli_begin_array();
    int code = CLI_DONE;
    if (!as_json)
        printf("source\taddress\tavailable\twhat\n");
    for (size_t k = 0; k < spk_live_source_kind_count() && code == CLI_DONE; k++) {
        spk_live_source_kind kind;
        code = cli_report(session, spk_live_source_describe(session->context, k, &kind));
        if (code == CLI_DONE && as_json)
            cli_add_json(&list, make_kind(&kind));
        else if (code == CLI_DONE)
            printf("%s\t%s\t%s\t%s%s%s\n", kind.name, kind.address, kind.available ? "yes" : "no",
                   kind.summary, kind.available ? "" : "; not available: ", kind.reason);
    }
    if (code == CLI_DONE && as_json)
        return print_list(session, "sources", &list);
    json_decref(list.json);
    return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    if (v->live)
        return print_sources(session, v->format == FORMAT_JSON);
    cli_builder list = cli_begin_array();
    int code = CLI_DONE;
    if (v->format == FORMAT_TEXT)
        printf("format\treads\twrites\tavailable\tendings\toptions\twhat\n");
    for (size_t k = 0; k < spk_format_count() && code == CLI_DONE; k++) {
        spk_format_info info;
        code = cli_report(session, spk_format_describe(session->context, k, &info));
        if (code == CLI_DONE && v->format == FORMAT_TEXT)
            print_row(&info);
        else if (code == CLI_DONE)
            cli_add_json(&list, make_format(&info));
    }
    if (code == CLI_DONE && v->format == FORMAT_JSON)
        return print_list(session, "formats", &list);
    json_decref(list.json);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION("format", values, format),
    CLI_OPTION("live", values, live),
    CLI_END,
};

const cli_command cli_cmd_formats = {
    .name = "formats",
    .arguments = "",
    .summary = "list the formats of files: what is read and written, and how",
    .description =
        "Lists all formats of recordings: whether this build reads and writes them, what to\n"
        "install where it does not, the endings of their names, and the options of the\n"
        "input that they heed. Every format heeds --start, --stop, --units and --sort.\n"
        "\n"
        "The content of a file tells its format, then its name does. --input-format names it.",
    .examples =
        "  spikemine formats\n"
        "  spikemine formats --live\n"
        "  spikemine formats --format json | jq -r '.formats[] | select(.available) | .name'",
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
