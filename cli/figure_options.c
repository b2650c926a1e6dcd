/* Options of figures. */
#include "outputs.h"

#include <inttypes.h>
#include <string.h>

#include "numbers.h"

/* ---- lengths --------------------------------------------------------------------------------- */

/* A number and its unit, as millimetres in *unit; 0: it has none. Moves *text behind both. */
static bool parse_length(const char **text, double *number, double *unit)
{
    static const struct {
        const char *name;
        double mm;
    } units[] = {{"mm", 1}, {"cm", 10}, {"in", 25.4}, {"pt", 25.4 / 72}};
    char digits[32];
    size_t n = strspn(*text, "0123456789.");
    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, *text, n);
    digits[n] = '\0';
    *text += n;
    *unit = 0;
    for (size_t k = 0; k < sizeof units / sizeof units[0] && *unit == 0; k++)
        if (strncmp(*text, units[k].name, 2) == 0)
            *unit = units[k].mm;
    *text += *unit > 0 ? 2 : 0;
    return cli_number_parse(digits, 0, 1e6, number);
}

/* "180mm", "180mmx120mm", "180x120mm". */
static bool parse_size(const char *text, spk_figure_options *options)
{
    double width, width_unit, height, unit;
    if (!parse_length(&text, &width, &width_unit))
        return false;
    if (*text == '\0') {
        options->width_mm = width * width_unit;
        return width_unit > 0;
    }
    if (*text++ != 'x' || !parse_length(&text, &height, &unit) || unit <= 0 || *text != '\0')
        return false;
    /* The unit behind the height is that of both. */
    options->width_mm = width * (width_unit > 0 ? width_unit : unit);
    options->height_mm = height * unit;
    return height > 0;
}

static bool parse_font(const char *text, spk_figure_options *options)
{
    double number, unit;
    if (!parse_length(&text, &number, &unit) || unit <= 0 || *text != '\0')
        return false;
    options->font_pt = number * unit / 25.4 * 72;
    return true;
}

/* ---- the others ------------------------------------------------------------------------------ */

static bool parse_range(cli_session *session, const char *text, cli_figure_look *look)
{
    const char *colon = strchr(text, ':');
    if (colon == NULL || (colon == text && colon[1] == '\0'))
        return false;
    if (colon > text) {
        if (spk_duration_parse(session->context, text, (size_t)(colon - text), &look->start) !=
            SPK_OK)
            return false;
        look->options.start = &look->start;
    }
    if (colon[1] != '\0') {
        if (spk_duration_parse(session->context, colon + 1, strlen(colon + 1), &look->stop) !=
            SPK_OK)
            return false;
        look->options.stop = &look->stop;
    }
    return true;
}

/* Letters with or without commas between them. */
static bool parse_panels(const char *text, uint32_t n_panels, spk_figure_options *options)
{
    options->panels = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (at > text && *at == ',' && at[1] != '\0')
            at++;
        if (*at < 'a' || *at >= (char)('a' + n_panels))
            return false;
        options->panels |= 1u << (*at - 'a');
    }
    return options->panels != 0;
}

static int check_bounds(cli_session *session, const char *range, const cli_figure_look *look)
{
    const spk_figure_options *o = &look->options;
    if (o->start != NULL && o->stop != NULL && spk_duration_compare(*o->start, *o->stop) >= 0)
        return cli_usage_error(session->command,
                               "--figure-range %s: starts at or after its stop; give the earlier "
                               "time first",
                               range);
    return CLI_DONE;
}

static bool ends_in(const char *path, const char *ending)
{
    const size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ending) == 0;
}

/* Whether a picture can be drawn into this file. */
static int check_path(cli_session *session, const char *path)
{
    const char *reason = NULL;
    if (!spk_figure_available(&reason))
        return cli_fail(session, "--figure %s: %s", path, reason);
    if (ends_in(path, ".png") || ends_in(path, ".svg") || ends_in(path, ".pdf"))
        return cli_report(session, spk_figure_check(session->context, path));
    return cli_usage_error(session->command, "--figure %s: must end in .png, .svg or .pdf", path);
}

int cli_figure_prepare(cli_session *session, spk_figure_kind kind, cli_figure_look *look)
{
    const cli_command *command = session->command;
    const cli_shared *v = session->shared;
    const char *path = v->figure;
    spk_figure_options *options = &look->options;
    static const uint32_t panels[] = {
        [SPK_FIGURE_EPISODES] = 3,        [SPK_FIGURE_PATTERNS] = 6,
        [SPK_FIGURE_TESTED_PATTERNS] = 8, [SPK_FIGURE_SEQUENCES] = 7,
        [SPK_FIGURE_EXACT_EPISODES] = 4,  [SPK_FIGURE_EXACT_PATTERNS] = 7};
    const uint32_t n_panels = panels[kind];
    spk_figure_options_init(options, sizeof *options);
    if (path == NULL)
        return CLI_DONE;
    if (cli_given_value(session->command, session->given, "dpi") != NULL && !ends_in(path, ".png"))
        return cli_usage_error(command,
                               "--dpi is for figures of pixels, and %s has none; leave it out, or "
                               "give a name that ends in .png",
                               path);
    options->dpi = (double)v->dpi;
    options->n_top = v->figure_top.word ? 0 : (uint32_t)v->figure_top.value;
    if (v->figure_size != NULL && !parse_size(v->figure_size, options))
        return cli_usage_error(command,
                               "--figure-size %s: must be a width and, if wanted, a height, such "
                               "as 180mm or 338x190mm; units are mm, cm, in and pt",
                               v->figure_size);
    if (!parse_font(v->font_size, options))
        return cli_usage_error(command, "--font-size %s: must be a size such as 7pt or 2.5mm",
                               v->font_size);
    if (v->figure_range != NULL && !parse_range(session, v->figure_range, look))
        return cli_usage_error(command,
                               "--figure-range %s: must be two times with a colon between, such as "
                               "12s:14.5s; either may be left out",
                               v->figure_range);
    if (v->panels != NULL && !parse_panels(v->panels, n_panels, options))
        return cli_usage_error(command,
                               "--panels %s: must be letters from a to %c with commas between, "
                               "such as a,c",
                               v->panels, (char)('a' + n_panels - 1));
    int code = check_bounds(session, v->figure_range, look);
    if (code == CLI_DONE)
        code = check_path(session, path);
    if (code == CLI_DONE)
        code = cli_report_usage(session, spk_figure_options_check(session->context, kind, options));
    return code;
}

int cli_figure_check_range(cli_session *session, const cli_figure_look *look,
                           const spk_recording *recording)
{
    spk_rate rate = spk_recording_rate(recording);
    const spk_figure_options *o = &look->options;
    bool late = o->start != NULL &&
                spk_duration_first_tick(*o->start, rate) >= spk_recording_stop(recording);
    bool early = o->stop != NULL &&
                 spk_duration_first_tick(*o->stop, rate) <= spk_recording_start(recording);
    if ((late || early) && spk_recording_events(recording).n_events > 0)
        return cli_usage_error(session->command,
                               "--figure-range %s: the recording has nothing there; spikemine info "
                               "tells from when to when it lasts",
                               session->shared->figure_range);
    return CLI_DONE;
}

void cli_figure_take_families(cli_figure_look *look, const spk_family_columns *families,
                              const char *result)
{
    char words[160];
    spk_family_format(families, words, sizeof words);
    snprintf(look->families, sizeof look->families, "%s by %s best %s%s", words,
             families->n == 1 ? "its" : "their", result, families->n == 1 ? "" : "s");
}

void cli_figure_label(cli_figure_look *look, const cli_session *session,
                      const spk_recording *recording, uint64_t n, const char *what)
{
    const char *input = session->arguments[0];
    const char *slash = strrchr(input, '/');
    const bool grouped = look->families[0] != '\0';
    spk_figure_caption(recording, grouped ? UINT64_MAX : n, grouped ? look->families : what,
                       look->caption, sizeof look->caption);
    look->options.title = slash != NULL ? slash + 1 : input;
    look->options.caption = look->caption;
}
