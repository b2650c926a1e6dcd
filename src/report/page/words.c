/* The words of a report: title, summary, settings, notes. */
#include "report/page/page.h"

#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "sequence/sequence.h"
#include "spikemine/exact.h"

enum { SENTENCE_BYTES = 400 };

static void put_text_or_null(const page *p, const char *key, const char *text)
{
    fprintf(p->out, ",\n\"%s\":", key);
    if (text != NULL)
        page_put_string(p->out, text);
    else
        fputs("null", p->out);
}

/* Sentences of a list, in the making. */
typedef struct sentences {
    const page *page;
    bool any;
} sentences;

static void put_sentence(sentences *s, const char *text)
{
    fputs(s->any ? ",\n" : "", s->page->out);
    s->any = true;
    page_put_string(s->page->out, text);
}

/* ---- summary --------------------------------------------------------------------------------- */

static void tell_recording(sentences *s)
{
    char text[SENTENCE_BYTES], units[32], spikes[32], segments[64] = "";
    const page *p = s->page;
    const spk_events events = spk_recording_events(p->recording);
    const spk_rate rate = spk_recording_rate(p->recording);
    size_t n = 0;
    const spk_segment *segment = spk_recording_segments(p->recording, &n);
    double seconds = 0;
    for (size_t k = 0; k < n; k++)
        seconds += (double)(segment[k].stop - segment[k].start);
    seconds *= (double)rate.denominator / (double)rate.numerator;
    if (n > 1)
        snprintf(segments, sizeof segments, " in %zu segments", n);
    snprintf(text, sizeof text, "%s unit%s, %s spike%s in %.4g s%s",
             spk_group_digits(events.n_units, units), spk_plural(events.n_units),
             spk_group_digits(events.n_events, spikes), spk_plural(events.n_events), seconds,
             segments);
    put_sentence(s, text);
}

static const char *results_of(const page *p, uint64_t n)
{
    static const char *const one[] = {"episode", "pattern", "sequence"};
    return n != 1 ? page_kind(p) : one[p->episodes != NULL ? 0 : p->patterns != NULL ? 1 : 2];
}

static void tell_exact(sentences *s)
{
    char text[SENTENCE_BYTES], tested[32], significant[32], core[32], explained[64] = "";
    const page *p = s->page;
    const spk_exact_report *test = &p->exact;
    if (test->left_out != NULL && test->round == NULL)
        snprintf(explained, sizeof explained, ", %s of them core, which no part of them explains",
                 spk_group_digits(test->n_core, core));
    snprintf(text, sizeof text, "%s of %s %s are significant at alpha %g%s",
             spk_group_digits(test->n_significant, significant),
             spk_group_digits(test->n_tested, tested), results_of(p, test->n_tested), test->alpha,
             explained);
    put_sentence(s, text);
    if (test->round == NULL)
        return;
    snprintf(text, sizeof text, "peeling accepts %s in %" PRIu32 " round%s",
             spk_group_digits(test->n_rows, tested), test->n_rounds, spk_plural(test->n_rounds));
    put_sentence(s, text);
}

static void tell_signatures(sentences *s)
{
    char text[SENTENCE_BYTES], found[32], tested[32];
    const spk_significance *test = &s->page->signatures;
    uint64_t significant = 0;
    for (uint64_t k = 0; k < test->n_signatures; k++)
        significant += test->signature[k].significant;
    snprintf(text, sizeof text, "%s of %s %s are significant at alpha %g (%s)",
             spk_group_digits(test->n_significant, found),
             spk_group_digits(test->n_patterns, tested), results_of(s->page, test->n_patterns),
             test->alpha, test->correction != NULL ? test->correction : "none");
    put_sentence(s, text);
    snprintf(text, sizeof text, "%s of %s signatures are significant",
             spk_group_digits(significant, found), spk_group_digits(test->n_signatures, tested));
    put_sentence(s, text);
    if (test->reduction == NULL)
        return;
    snprintf(text, sizeof text, "the reduction of the set keeps %s of them",
             spk_group_digits(test->n_kept, found));
    put_sentence(s, text);
}

static void tell_search(sentences *s)
{
    char text[SENTENCE_BYTES], surrogates[32];
    const spk_sequence_summary *search = &s->page->search.summary;
    const uint32_t n = s->page->sequences->n;
    snprintf(text, sizeof text, "%" PRIu32 " search%s of %s surrogates each (%s)", search->n_rounds,
             search->n_rounds == 1 ? "" : "es", spk_group_digits(search->n_surrogates, surrogates),
             s->page->search.null);
    put_sentence(s, text);
    if (search->n_rounds > n)
        snprintf(text, sizeof text, "%s sequence: the best one %s has p %s %.3g%s",
                 n > 0 ? "no further" : "no", n > 0 ? "of what is left" : "of the recording",
                 search->is_least ? "of at least" : "=", search->last_p,
                 spk_sequence_loss(search, s->page->search.alpha));
    else
        snprintf(text, sizeof text, "there may be more: the largest number of sequences is found");
    put_sentence(s, text);
}

static void tell_listed(sentences *s)
{
    char text[SENTENCE_BYTES], what[200], by[40] = "", listed[32];
    const page *p = s->page;
    uint32_t largest = 0;
    uint64_t n = p->options.n_found > 0 ? p->options.n_found : page_n_results(p);
    for (uint64_t k = 0; k < p->n_rows; k++)
        largest = page_size(p, p->row[k]) > largest ? page_size(p, p->row[k]) : largest;
    if (p->options.families != NULL) {
        spk_family_columns families = *p->options.families;
        families.n = page_n_results(p);
        spk_family_format(&families, what, sizeof what);
        snprintf(by, sizeof by, " by %s best %s", n == 1 ? "its" : "their", results_of(p, n));
    } else
        snprintf(what, sizeof what, "%s %s", spk_group_digits(n, listed), results_of(p, n));
    snprintf(text, sizeof text, "%s %s listed%s", what, n == 1 ? "is" : "are", by);
    if (largest > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", %s %" PRIu32 " %s%s",
                 n == 1 ? "of" : "the largest of", largest,
                 p->sequences != NULL  ? "unit"
                 : p->episodes != NULL ? "event"
                                       : "spike",
                 spk_plural(largest));
    put_sentence(s, text);
}

static void put_given(sentences *s, const char *const *text, size_t n)
{
    for (size_t k = 0; k < n; k++)
        put_sentence(s, text[k]);
}

static void tell_results(sentences *s)
{
    const page *p = s->page;
    tell_recording(s);
    if (p->options.exact != NULL)
        tell_exact(s);
    if (p->options.signatures != NULL)
        tell_signatures(s);
    if (p->sequences != NULL)
        tell_search(s);
    tell_listed(s);
}

static void put_summary(const page *p)
{
    sentences s = {.page = p};
    fputs(",\n\"summary\":[", p->out);
    put_given(&s, p->options.summary, p->options.n_summary);
    if (!s.any)
        tell_results(&s);
    fprintf(p->out, "],\n\"doubts\":%zu", p->options.n_doubts);
}

/* ---- settings -------------------------------------------------------------------------------- */

static void put_setting(const page *p, const char *name, const char *value, bool *any)
{
    fputs(*any ? ",\n[" : "[", p->out);
    *any = true;
    page_put_string(p->out, name);
    fputc(',', p->out);
    page_put_string(p->out, value);
    fputc(']', p->out);
}

/* What the library knows itself, unless the caller told it. */
static void put_known(const page *p, const char *name, const char *value, bool *any)
{
    for (size_t k = 0; k < p->options.n_settings; k++)
        if (strcmp(p->options.setting[k].name, name) == 0)
            return;
    put_setting(p, name, value, any);
}

static void put_known_count(const page *p, const char *name, uint64_t value, bool *any)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    put_known(p, name, text, any);
}

static void put_known_alpha(const page *p, double alpha, bool *any)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", alpha);
    put_known(p, "alpha", text, any);
}

static void put_known_duration(const page *p, const char *name, spk_duration value, bool *any)
{
    char text[64];
    spk_duration_format(value, text, sizeof text);
    put_known(p, name, text, any);
}

static void put_exact_settings(const page *p, bool *any)
{
    char text[SPK_EXACT_MAX_SCALES * 50] = "";
    const spk_exact_report *test = &p->exact;
    for (size_t s = 0, n = 0; s < test->n_jitter && n + 50 < sizeof text; s++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s", s > 0 ? ", " : "");
        n += spk_duration_format(test->jitter[s], text + n, sizeof text - n);
    }
    put_known(p, "test", "exact", any);
    put_known(p, "null", test->null != NULL ? test->null : "auto", any);
    put_known(p, "jitter", text, any);
    if (test->history.digits >= 0)
        put_known_duration(p, "history", test->history, any);
    put_known_count(p, "surrogates", test->n_surrogates, any);
    put_known_alpha(p, test->alpha, any);
    put_known_count(p, "seed", test->seed, any);
}

static void put_signature_settings(const page *p, bool *any)
{
    const spk_significance *test = &p->signatures;
    put_known(p, "test", "signatures", any);
    put_known(p, "surrogate-method", test->method != NULL ? test->method : "untold", any);
    put_known_duration(p, "dither", test->dither, any);
    put_known_count(p, "surrogates", test->n_surrogates, any);
    put_known_alpha(p, test->alpha, any);
    put_known(p, "correction", test->correction != NULL ? test->correction : "none", any);
    put_known_count(p, "seed", test->seed, any);
}

static void put_search_settings(const page *p, bool *any)
{
    const spk_sequence_report *search = &p->search;
    put_known_duration(p, "longest-lag", search->longest_lag, any);
    put_known_duration(p, "jitter", search->jitter, any);
    put_known(p, "null", search->null, any);
    put_known_count(p, "surrogates", search->summary.n_surrogates, any);
    put_known_alpha(p, search->alpha, any);
    put_known_count(p, "seed", search->seed, any);
}

static void put_settings(const page *p)
{
    const spk_recording_facts *facts = spk_recording_get_facts(p->recording);
    bool any = false;
    fputs(",\n\"settings\":[", p->out);
    for (size_t k = 0; k < p->options.n_settings; k++)
        put_setting(p, p->options.setting[k].name, p->options.setting[k].value, &any);
    if (p->options.exact != NULL)
        put_exact_settings(p, &any);
    if (p->options.signatures != NULL)
        put_signature_settings(p, &any);
    if (p->sequences != NULL)
        put_search_settings(p, &any);
    if (p->options.recording != NULL)
        put_known(p, "input", p->options.recording, &any);
    if (facts->format[0] != '\0')
        put_setting(p, "input format", facts->format, &any);
    if (facts->sha256[0] != '\0')
        put_setting(p, "input sha256", facts->sha256, &any);
    if (facts->clock[0] != '\0')
        put_setting(p, "clock", facts->clock, &any);
    fputs("]", p->out);
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void note_rows(sentences *s)
{
    char text[SENTENCE_BYTES], here[32], all[32];
    const page *p = s->page;
    const uint64_t n = p->options.n_found > 0 ? p->options.n_found : page_n_results(p);
    if (p->n_rows < n) {
        snprintf(
            text, sizeof text,
            "This file has the first %s of %s %s; the others are in the table that the program "
            "writes.",
            spk_group_digits(p->n_rows, here), spk_group_digits(n, all), results_of(p, n));
        put_sentence(s, text);
    }
    if (p->n_told < p->n_rows) {
        snprintf(text, sizeof text,
                 "%s of the %s rows have their occurrences in this file; those of the others would "
                 "make it larger than its limit.",
                 spk_group_digits(p->n_told, here), spk_group_digits(p->n_rows, all));
        put_sentence(s, text);
    }
}

/* Whether a unit is in result i twice. */
static bool repeats(const page *p, uint64_t i)
{
    for (uint64_t k = page_offset(p, i); k < page_offset(p, i + 1); k++)
        for (uint64_t j = page_offset(p, i); j < k; j++)
            if (page_unit(p, j) == page_unit(p, k))
                return true;
    return false;
}

/* How the best member is found, where a reader may wonder: others may repeat no unit. */
static void note_families(sentences *s)
{
    const page *p = s->page;
    bool any = false;
    for (uint64_t k = 0; k < p->n_rows && p->options.families != NULL && !any; k++)
        any = repeats(p, p->row[k]);
    if (any)
        put_sentence(s, p->options.exact != NULL
                            ? "A family is listed by the member with the highest score; of equal "
                              "ones by that with the most different units. It may repeat a unit "
                              "where another member with the same p does not."
                            : "A family is listed by the member with the most different units, "
                              "then with the most in all. It may repeat a unit where another "
                              "member does not.");
}

static void note_spikes(sentences *s)
{
    char text[SENTENCE_BYTES], here[32], all[32], time[48];
    const page *p = s->page;
    const uint64_t n = spk_recording_events(p->recording).n_events;
    if (p->n_spikes == n)
        return;
    spk_recording_format_time(p->recording, p->spikes_until, time, sizeof time);
    snprintf(text, sizeof text,
             "This file has the first %s of %s spikes, those before %s s; the results are of all.",
             spk_group_digits(p->n_spikes, here), spk_group_digits(n, all), time);
    put_sentence(s, text);
}

/* What else than a link may be significant, where anything is. */
static void note_null(sentences *s)
{
    char text[SENTENCE_BYTES];
    const page *p = s->page;
    const spk_exact_report *test = &p->exact;
    if (p->options.n_summary > 0)
        return;
    text[0] = '\0';
    if (p->options.exact != NULL && test->n_significant > 0)
        (void)spk_exact_null_caution(test->null, test->jitter, test->n_jitter, text, sizeof text);
    else if (p->sequences != NULL && p->sequences->n > 0)
        (void)spk_exact_null_caution(p->search.null, &p->search.jitter, 1, text, sizeof text);
    if (text[0] != '\0')
        put_sentence(s, text);
}

static void note_test(sentences *s)
{
    const page *p = s->page;
    if (p->options.exact != NULL && p->exact.round != NULL)
        put_sentence(s, "Counts are those of the round that accepted the row, in what earlier "
                        "rounds left. Occurrences are those in the whole recording.");
}

static void note_spectrum(sentences *s)
{
    const page *p = s->page;
    if (p->options.signatures != NULL && !page_has_whole_spectrum(&p->signatures))
        put_sentence(s, "The p-value spectrum shows the signatures of the recording only; those of "
                        "surrogates alone are too many.");
}

static void put_notes(const page *p)
{
    sentences s = {.page = p};
    fputs(",\n\"notes\":[", p->out);
    put_given(&s, p->options.note, p->options.n_notes);
    note_null(&s);
    note_rows(&s);
    note_spikes(&s);
    note_test(&s);
    fputs("]", p->out);
}

/* How it was found, for who wants to know. */
static void put_method(const page *p)
{
    sentences s = {.page = p};
    fputs(",\n\"method\":[", p->out);
    put_given(&s, p->options.method, p->options.n_methods);
    note_families(&s);
    note_spectrum(&s);
    fputs("]", p->out);
}

static void put_again(page *p)
{
    fputs(",\n\"again\":[", p->out);
    for (size_t k = 0; k < p->options.n_again; k++) {
        fputs(k > 0 ? "," : "", p->out);
        page_put_string(p->out, p->options.again[k]);
    }
    fputs("]", p->out);
}

void page_put_words(page *p)
{
    const char *title = p->options.title != NULL ? p->options.title : p->options.recording;
    put_text_or_null(p, "title", title != NULL ? title : "spikemine");
    put_text_or_null(p, "command", p->options.command);
    put_again(p);
    put_summary(p);
    put_settings(p);
    put_notes(p);
    put_method(p);
}
