/* Reports as HTML: the public door, and the file that is put together from the web page and the
 * data. */
#include "report/page/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/options.h"
#include "base/output.h"
#include "base/stage.h"
#include "report/check.h"
#include "report/page/web.h"
#include "spikemine/version.h"

/* ---- options --------------------------------------------------------------------------------- */

SPK_OPTIONS_INIT(spk_page_options, .max_rows = 20000, .max_occurrence_bytes = 2000000,
                 .max_spikes = 10000000);

static spk_status fail_rows(const page *p, const char *what, uint64_t n)
{
    return spk_fail(p->context, SPK_ERR_ARGUMENT,
                    "the %s %" PRIu64 " rows, and there are %" PRIu64
                    " results; give one for each result",
                    what, n, page_n_results(p));
}

/* Takes the options and what they point to, and checks that it fits the results. */
static spk_status take_options(page *p, const spk_page_options *given)
{
    spk_status status = SPK_OPTIONS_TAKE(p->context, given, &p->options, spk_page_options);
    const spk_page_options *o = &p->options;
    if (status == SPK_OK && o->exact != NULL)
        status = SPK_OPTIONS_TAKE(p->context, o->exact, &p->exact, spk_exact_report);
    if (status == SPK_OK && o->signatures != NULL)
        status = SPK_OPTIONS_TAKE(p->context, o->signatures, &p->signatures, spk_significance);
    if (status != SPK_OK)
        return status;
    if (o->max_rows == 0)
        return spk_fail(p->context, SPK_ERR_ARGUMENT, "a report needs at least 1 row");
    if (o->exact != NULL && p->exact.n_rows != page_n_results(p))
        return fail_rows(p, "exact test has", p->exact.n_rows);
    if (o->families != NULL && o->families->n < page_n_results(p))
        return fail_rows(p, "families are", o->families->n);
    if (p->sequences != NULL && (o->exact != NULL || o->signatures != NULL || o->families != NULL))
        return spk_fail(p->context, SPK_ERR_ARGUMENT,
                        "sequences have a test of their own and no families");
    if (o->sequences != NULL && p->episodes == NULL)
        return spk_fail(p->context, SPK_ERR_ARGUMENT, "sequences are shown beside episodes alone");
    if (o->sequences != NULL &&
        (o->searched == NULL ||
         spk_recording_events(o->searched).n_units != spk_recording_events(p->recording).n_units ||
         spk_recording_start(o->searched) != p->start))
        return spk_fail(p->context, SPK_ERR_ARGUMENT,
                        "the sequences are of another recording; give the recording that they were "
                        "found in, or its beginning");
    if (o->signatures != NULL && p->episodes != NULL)
        return spk_fail(p->context, SPK_ERR_ARGUMENT,
                        "a test of signatures is one of patterns; take the exact test of episodes");
    return SPK_OK;
}

/* ---- what results come from --------------------------------------------------------------------
 */

/* Every pattern has a signature in the test. */
static spk_status check_signatures(const page *p)
{
    for (uint64_t i = 0; i < p->patterns->n && p->options.signatures != NULL; i++)
        if (page_signature(p, i) == NULL)
            return spk_fail(p->context, SPK_ERR_ARGUMENT,
                            "pattern %" PRIu64
                            " has a signature that was not tested; take the test "
                            "of this search",
                            i);
    return SPK_OK;
}

static spk_status check_windows(const page *p)
{
    const spk_window_columns windows = spk_windows_columns(p->windows);
    if (windows.start_time == NULL)
        return spk_fail(p->context, SPK_ERR_ARGUMENT,
                        "transactions have no spike times to show; mine the recording that they "
                        "were made from");
    if (windows.n_units != spk_recording_events(p->recording).n_units)
        return spk_fail(p->context, SPK_ERR_ARGUMENT,
                        "the windows have %" PRIu32 " units and the recording has another number; "
                        "take the recording that they were made from",
                        windows.n_units);
    spk_status status = report_check_patterns(p->context, &windows, p->patterns);
    return status == SPK_OK ? check_signatures(p) : status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static spk_status put_data(page *p)
{
    fputs("{\"format\":\"spikemine-report\",\"version\":1,\n\"kind\":", p->out);
    page_put_string(p->out, page_kind(p));
    fputs(",\n\"made_by\":", p->out);
    page_put_string(p->out, "spikemine " SPIKEMINE_VERSION);
    page_put_words(p);
    spk_status status = page_put_recording(p);
    if (status == SPK_OK)
        status = p->sequences != NULL ? page_put_sequences(p) : page_put_rows(p);
    if (status == SPK_OK)
        page_put_occurrences(p);
    if (status == SPK_OK && p->patterns != NULL) {
        fputs(",\n\"bin\":", p->out);
        page_put_real(p->out, page_ticks(p, p->bin));
    }
    if (status == SPK_OK)
        status = page_put_test(p);
    if (status == SPK_OK)
        status = page_put_graph(p);
    if (status == SPK_OK && p->options.sequences != NULL)
        status = page_put_beside(p);
    fputs("}\n", p->out);
    return status;
}

static void put_title(const page *p)
{
    const char *title = p->options.title != NULL ? p->options.title : p->options.recording;
    page_put_html(p->out, title != NULL ? title : "spikemine");
}

/* What stands in place of a marker. */
static spk_status put_marker(page *p, size_t marker)
{
    const page_web_file *file = marker == 0 ? &page_web_css : &page_web_js;
    if (marker == 2)
        return put_data(p);
    if (marker == 3)
        put_title(p);
    else
        fwrite(file->bytes, 1, file->n, p->out);
    return SPK_OK;
}

/* The page with its markers replaced. */
static spk_status put_file(page *p)
{
    static const char *const markers[] = {"/*SPIKEMINE-STYLE*/", "/*SPIKEMINE-SCRIPT*/",
                                          "SPIKEMINE-DATA", "SPIKEMINE-TITLE"};
    const char *html = (const char *)page_web_html.bytes;
    spk_status status = SPK_OK;
    for (size_t at = 0, next; at < page_web_html.n && status == SPK_OK; at = next) {
        next = at + 1;
        size_t marker = 0, length = 0;
        for (; marker < sizeof markers / sizeof markers[0] && length == 0; marker++) {
            size_t n = strlen(markers[marker]);
            if (n <= page_web_html.n - at && memcmp(html + at, markers[marker], n) == 0)
                length = n;
        }
        if (length == 0) {
            fputc(html[at], p->out);
            continue;
        }
        status = put_marker(p, marker - 1);
        next = at + length;
    }
    return status;
}

static spk_status open_file(spk_context *context, const char *path, spk_output **output)
{
    if (strcmp(path, "-") != 0 && !spk_ends_in(path, ".html") && !spk_ends_in(path, ".htm"))
        return spk_fail(context, SPK_ERR_ARGUMENT, "%s: a report must end in .html", path);
    return spk_output_open(context, path, output);
}

spk_status spk_page_check(spk_context *context, const char *path)
{
    spk_output *output = NULL;
    spk_status status = open_file(context, path, &output);
    spk_output_discard(output);
    return status;
}

/* Chooses and finds everything, then writes it. */
static spk_status write_page(page *p, spk_output **output)
{
    page_limit_spikes(p);
    spk_status status = page_choose_rows(p);
    if (status == SPK_OK)
        status = page_find_occurrences(p);
    if (status == SPK_OK) {
        p->out = spk_output_stream(*output);
        status = put_file(p);
    }
    if (status == SPK_OK)
        status = spk_check_cancel(p->context);
    if (status != SPK_OK)
        return status;
    spk_output *whole = *output;
    *output = NULL;
    return spk_output_commit(p->context, whole);
}

static spk_status make_page(page *p, const spk_page_options *given, const char *path)
{
    spk_output *output = NULL;
    spk_stage stage = spk_stage_open(p->context);
    p->start = spk_recording_start(p->recording);
    spk_status status = take_options(p, given);
    if (status == SPK_OK && p->episodes != NULL)
        status = report_check_episodes(p->context, p->recording, p->episodes);
    if (status == SPK_OK && p->patterns != NULL)
        status = check_windows(p);
    /* The file before the search for occurrences: a wrong name should not cost it. */
    if (status == SPK_OK)
        status = open_file(p->context, path, &output);
    if (status == SPK_OK)
        status = write_page(p, &output);
    spk_output_discard(output);
    page_free_rows(p);
    spk_stage_close(p->context, &stage);
    return status;
}

spk_status spk_page_episodes(spk_context *context, const spk_recording *recording,
                             const spk_episode_columns *episodes, const spk_page_options *options,
                             const char *path)
{
    page p = {.context = context, .recording = recording, .episodes = episodes};
    return make_page(&p, options, path);
}

spk_status spk_page_patterns(spk_context *context, const spk_recording *recording,
                             const spk_windows *windows, spk_duration bin,
                             const spk_pattern_columns *patterns, const spk_page_options *options,
                             const char *path)
{
    page p = {.context = context,
              .recording = recording,
              .patterns = patterns,
              .windows = windows,
              .bin = bin};
    return make_page(&p, options, path);
}

spk_status spk_page_sequences(spk_context *context, const spk_recording *recording,
                              const spk_sequences *sequences, const spk_sequence_report *search,
                              const spk_page_options *options, const char *path)
{
    const spk_sequence_columns columns = spk_sequences_columns(sequences);
    page p = {.context = context, .recording = recording, .sequences = &columns};
    spk_status status = SPK_OPTIONS_TAKE(context, search, &p.search, spk_sequence_report);
    return status == SPK_OK ? make_page(&p, options, path) : status;
}
