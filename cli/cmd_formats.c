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

/* Prints the line of item k, or adds it to the list unless that is NULL. CLI_DONE or an exit code.
 */
typedef int put_fn(cli_session *session, size_t k, cli_builder *list);

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

static int put_format(cli_session *session, size_t k, cli_builder *list)
{
    spk_format_info info;
    const int code = cli_report(session, spk_format_describe(session->context, k, &info));
    if (code == CLI_DONE && list != NULL)
        cli_add_json(list, make_format(&info));
    else if (code == CLI_DONE)
        print_row(&info);
    return code;
}

/* ---- live sources ---------------------------------------------------------------------------- */

static json_t *make_kind(const spk_live_source_kind *kind)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:s}", "name", kind->name, "address", kind->address,
                     "summary", kind->summary, "available", (int)kind->available, "reason",
                     kind->reason);
}

static int put_source(cli_session *session, size_t k, cli_builder *list)
{
    spk_live_source_kind kind;
    const int code = cli_report(session, spk_live_source_describe(session->context, k, &kind));
    if (code == CLI_DONE && list != NULL)
        cli_add_json(list, make_kind(&kind));
    else if (code == CLI_DONE)
        printf("%s\t%s\t%s\t%s%s%s\n", kind.name, kind.address, kind.available ? "yes" : "no",
               kind.summary, kind.available ? "" : "; not available: ", kind.reason);
    return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* As lines, or {NAME: [...]}. */
static int put_all(cli_session *session, const char *name, size_t n, put_fn *put, bool as_json)
{
    cli_builder list = cli_begin_array(), report = cli_begin_object();
    int code = CLI_DONE;
    for (size_t k = 0; k < n && code == CLI_DONE; k++)
        code = put(session, k, as_json ? &list : NULL);
    cli_put_json(&report, name, cli_finish(&list));
    json_t *json = cli_finish(&report);
    if (code == CLI_DONE && as_json)
        return cli_print_json(json, 0) ? CLI_DONE
                                       : cli_fail(session, "out of memory; close other programs");
    json_decref(json);
    return code;
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    const bool as_json = v->format == FORMAT_JSON;
    if (!as_json)
        puts(v->live ? "source\taddress\tavailable\twhat"
                     : "format\treads\twrites\tavailable\tendings\toptions\twhat");
    return v->live ? put_all(session, "sources", spk_live_source_kind_count(), put_source, as_json)
                   : put_all(session, "formats", spk_format_count(), put_format, as_json);
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
