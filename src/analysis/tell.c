/* What a test found in sentences: how it was made, what is significant, and what must be known of
 * it; and a row of it. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/calls.h"
#include "base/decimal.h"
#include "sequence/sequence.h"
#include "spikemine/tell.h"

enum { SENTENCE_BYTES = SPK_EXACT_MAX_SCALES * 50 + 500, ROW_BYTES = 600, MOST_UNITS = 12 };

/* Sentences on their way. */
typedef struct telling {
    const spk_analysis_columns *c;
    bool python; /* how options are spelt */
    spk_sentence_sink *sink;
    void *user;
    spk_status status;
} telling;

static void tell(telling *t, const char *format, ...) SPK_PRINTF(2, 3);

static void tell(telling *t, const char *format, ...)
{
    char text[SENTENCE_BYTES];
    va_list arguments;
    if (t->status != SPK_OK || t->sink == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    t->status = t->sink(t->user, text);
}

static const char *result_of(const telling *t)
{
    return t->c->windows != NULL ? "pattern" : "episode";
}

/* ---- the exact test -------------------------------------------------------------------------- */

/* "99 surrogates (pattern jitter within 5ms, 25ms, seed 1)": what chance may do. */
typedef struct chance_text {
    char text[SPK_EXACT_MAX_SCALES * 50 + 200];
} chance_text;

static chance_text name_chance(const spk_exact_report *r)
{
    chance_text out;
    int n = snprintf(out.text, sizeof out.text, "%" PRIu64 " surrogates (", r->n_surrogates);
    spk_exact_null_format(r->null, r->history, r->jitter, r->n_jitter, out.text + n,
                          sizeof out.text - (size_t)n);
    spk_append(out.text, sizeof out.text, ", seed %" PRIu64 ")", r->seed);
    return out;
}

/* Where no p can be as small as alpha. */
static void tell_too_few(telling *t, uint64_t n_surrogates, double alpha, double least)
{
    if (least > alpha)
        tell(t, "%" PRIu64 " surrogates are too few for alpha %g: no p-value can be below %.3g",
             n_surrogates, alpha, least);
}

static void tell_too_few_exact(telling *t, const spk_exact_report *r)
{
    tell_too_few(t, r->n_surrogates, r->alpha, (double)r->n_jitter / (1 + (double)r->n_surrogates));
}

/* How many significant results may be something else than a sequence. */
static void tell_meanings(telling *t)
{
    static const char *const before[] = {"a unit repeats in ",
                                         "both directions are significant in ",
                                         "units are less than 1 ms apart in "};
    char list[SENTENCE_BYTES] = "";
    for (size_t k = 0; k < sizeof before / sizeof before[0]; k++)
        if (t->c->n_meanings[k] > 0)
            spk_append(list, sizeof list, "%s%s%" PRIu64, list[0] != '\0' ? ", " : "", before[k],
                       t->c->n_meanings[k]);
    if (list[0] != '\0')
        tell(t, "some of these may be no sequence (column meaning): %s", list);
}

static void tell_exact(telling *t)
{
    const spk_exact_report *r = t->c->exact;
    if (r->asymmetry != NULL)
        tell(t, "%s: %" PRIu64 " of %" PRIu64 " given %s%s %s significant at %g",
             name_chance(r).text, r->n_significant, r->n_tested, result_of(t),
             spk_plural(r->n_tested), r->n_significant == 1 ? "is" : "are", r->alpha);
    else
        tell(t,
             "%s: %" PRIu64 " of %" PRIu64 " %s%s %s significant at %g, %" PRIu64 " of them core",
             name_chance(r).text, r->n_significant, r->n_tested, result_of(t),
             spk_plural(r->n_tested), r->n_significant == 1 ? "is" : "are", r->alpha, r->n_core);
    tell_too_few_exact(t, r);
    if (r->asymmetry == NULL && r->n_significant == 0 &&
        t->c->windows == NULL) /* an episode counts with all its spikes */
        tell(t, "with jitter and missing spikes few occurrences are whole: %s finds such sequences",
             t->python ? "sequences()" : "spikemine sequences");
    tell_meanings(t);
}

static void tell_rounds(telling *t)
{
    const spk_analysis_columns *c = t->c;
    const spk_exact_report *r = c->exact;
    tell(t,
         "%" PRIu32 " round%s of %s: %" PRIu64 " of %" PRIu64
         " %ss are significant at %g, and peeling accepts %" PRIu64,
         r->n_rounds, r->n_rounds == 1 ? "" : "s", name_chance(r).text, r->n_significant,
         r->n_tested, result_of(t), r->alpha, c->n);
    if (!isnan(c->last_p))
        tell(t, "the smallest p of what is left is %.3g", c->last_p);
    else
        tell(t, "there may be more: %s%" PRIu32 " ended it", t->python ? "peel=" : "--peel-max ",
             r->n_rounds);
    tell_too_few_exact(t, r);
}

/* ---- the other tests ------------------------------------------------------------------------- */

/* With this number of surrogates, a signature that none of them reaches is significant: its p-value
 * is then at most the smallest level that the correction asks for. */
static double enough_surrogates(const spk_significance *s)
{
    double share = s->alpha / (double)s->n_signatures;
    if (strcmp(s->correction, "fdr-by") == 0)
        share /= 1 + log((double)s->n_signatures);
    if (strcmp(s->correction, "fdr-tsbky") == 0)
        share /= 1 + s->alpha;
    return ceil(1 / share);
}

static void tell_too_few_signatures(telling *t, const spk_significance *s)
{
    const double least = 1 / (1 + (double)s->n_surrogates);
    uint64_t n = 0;
    for (uint64_t k = 0; k < s->n_signatures; k++)
        n += s->signature[k].n_above == 0 && !s->signature[k].significant;
    tell_too_few(t, s->n_surrogates, s->alpha, least);
    if (least <= s->alpha && n > 0)
        tell(t,
             "no surrogate reaches %" PRIu64 " of the signatures that are not significant: "
             "their p-value, %.3g, is the smallest that %" PRIu64 " surrogates give, and the "
             "correction for %" PRIu64 " tests asks for less; %.0f surrogates are enough",
             n, least, s->n_surrogates, s->n_signatures, enough_surrogates(s));
}

static void tell_signatures(telling *t)
{
    const spk_significance *s = t->c->signatures;
    uint64_t significant = 0;
    for (uint64_t k = 0; k < s->n_signatures; k++)
        significant += s->signature[k].significant;
    tell(t,
         "%" PRIu64 " surrogates (%s, seed %" PRIu64 "): %" PRIu64 " of %" PRIu64
         " signatures and %" PRIu64 " of %" PRIu64 " patterns are significant at alpha %g (%s)",
         s->n_surrogates, s->method, s->seed, significant, s->n_signatures, s->n_significant,
         s->n_patterns, s->alpha, s->correction);
    if (s->reduction != NULL)
        tell(t, "the reduction keeps %" PRIu64 " of %" PRIu64, s->n_kept, s->n_significant);
    if (!s->published)
        tell_too_few_signatures(t, s);
}

static void tell_comparison(telling *t)
{
    const spk_compare_report *r = t->c->compare;
    const spk_compare_summary *s = &r->summary;
    for (int g = 0; g < 2; g++)
        tell(t, "condition %s: %s, %zu trials, %.6g s", g == 0 ? "a" : "b",
             r->label[g] != NULL ? r->label[g] : "untold", s->trials[g], s->duration_s[g]);
    tell(t,
         "%s%" PRIu64 " permutations of the trials: %" PRIu64 " of %" PRIu64
         " %ss are significant at %g, more often in a: %" PRIu64 ", in b: %" PRIu64,
         s->all ? "all " : "", s->n_permutations, r->n_significant, s->n_tested, result_of(t),
         r->alpha, t->c->n_more[0], t->c->n_more[1]);
    if (s->smallest_p > r->alpha)
        tell(t, "%" PRIu64 " permutations are too few for alpha %g: no p-value can be below %.3g",
             s->n_permutations, r->alpha, s->smallest_p);
}

spk_status spk_analysis_tell(const spk_analysis_columns *columns, spk_spelling spelling,
                             spk_sentence_sink *sink, void *user)
{
    telling t = {
        .c = columns, .python = spelling == SPK_SPELLING_PYTHON, .sink = sink, .user = user};
    if (columns->compare != NULL)
        tell_comparison(&t);
    else if (columns->signatures != NULL)
        tell_signatures(&t);
    else if (columns->exact != NULL && columns->exact->n_rounds > 0)
        tell_rounds(&t);
    else if (columns->exact != NULL)
        tell_exact(&t);
    return t.status;
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* "19 -> 11 -> 4", of many units the first ones. */
static void append_units(char *text, size_t size, const spk_recording *recording,
                         const uint32_t *unit, uint64_t n)
{
    for (uint64_t k = 0; k < n && k < MOST_UNITS; k++)
        spk_append(text, size, "%s%s", k > 0 ? " -> " : "",
                   spk_recording_label(recording, unit[k]));
    if (n > MOST_UNITS)
        spk_append(text, size, " -> ...");
}

/* Its units; with several delays, and of patterns, the text form. */
static void append_result(char *text, size_t size, const spk_recording *recording,
                          const spk_analysis_columns *c, uint64_t k)
{
    const spk_episode_columns *e = &c->episodes;
    if (c->windows != NULL)
        (void)spk_pattern_format(recording, &c->patterns, k, text, size);
    else if (e->n_delays > 1)
        (void)spk_episode_format(recording, e, k, text, size);
    else
        append_units(text, size, recording, e->unit + e->offset[k],
                     e->offset[k + 1] - e->offset[k]);
}

/* Whether b is pair a the other way round. */
static bool is_back(const spk_episode_columns *e, uint64_t a, uint64_t b)
{
    const uint64_t i = e->offset[a], j = e->offset[b];
    return e->offset[b + 1] - j == 2 && e->unit[i] == e->unit[j + 1] &&
           e->unit[i + 1] == e->unit[j] && e->delay[i + 1] == e->delay[j + 1];
}

/* Of a pair that is synchrony the row that is the other way round; n: there is none. Given episodes
 * are told one by one. */
static uint64_t find_back(const spk_analysis_columns *c, uint64_t k)
{
    const spk_episode_columns *e = &c->episodes;
    const bool may = c->windows == NULL && c->exact != NULL && c->exact->asymmetry == NULL &&
                     c->exact->means != NULL && (c->exact->means[k] & SPK_MEANS_SYNCHRONY) != 0 &&
                     e->offset[k + 1] - e->offset[k] == 2;
    uint64_t back = may ? 0 : c->n;
    while (back < c->n && !is_back(e, k, back))
        back++;
    return back;
}

bool spk_analysis_told_before(const spk_analysis_columns *columns, uint64_t k)
{
    return find_back(columns, k) < k;
}

/* "486 by chance" */
static void append_chance(char *text, size_t size, double expected)
{
    char count[SPK_GROUPED_BYTES];
    if (expected >= 100)
        spk_append(text, size, ", %s by chance",
                   spk_group_digits((uint64_t)(expected + 0.5), count));
    else if (expected < 0.001)
        spk_append(text, size, ", less than 0.001 by chance");
    else
        spk_append(text, size, ", %.2g by chance", expected);
}

/* Why a significant result may be no sequence; "" where nothing else is left. */
static void append_meaning(char *text, size_t size, const spk_analysis_columns *c, uint64_t k)
{
    char count[SPK_GROUPED_BYTES];
    const uint32_t means = c->exact->means[k];
    const uint64_t back = find_back(c, k);
    if ((means & SPK_MEANS_SYNCHRONY) != 0)
        spk_append(text, size, ", both directions: synchrony");
    if (back < c->n) {
        spk_append(text, size, " (back %s time%s", spk_group_digits(c->episodes.count[back], count),
                   spk_plural(c->episodes.count[back]));
        append_chance(text, size, c->exact->verdict[back].expected);
        spk_append(text, size, ", p %.2g)", c->exact->verdict[back].p);
    }
    if ((means & SPK_MEANS_RHYTHM) != 0)
        spk_append(text, size, ", a unit repeats: rhythm");
    if ((means & SPK_MEANS_TWIN) != 0)
        spk_append(text, size, ", less than 1 ms apart: one neuron in two units?");
}

/* Whether its units follow each other in this order; of synchrony that is said already. */
static void append_direction(char *text, size_t size, double direction_p, bool is_pair)
{
    static const double LEVEL = 0.05;
    if (direction_p <= LEVEL)
        spk_append(text, size, ", more often in this order than back");
    else
        spk_append(text, size, ", %sabout as often the other way round",
                   is_pair ? "" : "one of its steps ");
}

/* Of a given episode. */
static void append_asymmetry(char *text, size_t size, const spk_exact_report *test, uint64_t k)
{
    static const char *const says[] = {"", "this direction is more frequent",
                                       "the other one is more frequent",
                                       "neither is more frequent"};
    char count[SPK_GROUPED_BYTES];
    const bool back = test->asymmetry[k] == SPK_ASYMMETRY_BACKWARD;
    if (test->asymmetry[k] != SPK_ASYMMETRY_UNKNOWN)
        spk_append(text, size, "; %s times the other way: %s, p %.2g",
                   spk_group_digits(test->back[k], count), says[test->asymmetry[k]],
                   back ? test->back_p[k] : test->direction_p[k]);
}

static void append_verdict(char *text, size_t size, const spk_analysis_columns *c, uint64_t k)
{
    const spk_exact_report *test = c->exact;
    const uint64_t n = c->windows != NULL ? 0 : c->episodes.offset[k + 1] - c->episodes.offset[k];
    append_chance(text, size, test->verdict[k].expected);
    spk_append(text, size, ", p %.2g", test->verdict[k].p);
    if (test->means != NULL)
        append_meaning(text, size, c, k);
    if (test->asymmetry != NULL)
        append_asymmetry(text, size, test, k);
    else if (n >= 2 && test->means != NULL && test->direction_p != NULL && test->means[k] == 0)
        append_direction(text, size, test->direction_p[k], n == 2);
}

spk_status spk_analysis_tell_row(const spk_analysis_columns *columns,
                                 const spk_recording *recording, uint64_t k,
                                 spk_sentence_sink *sink, void *user)
{
    char text[ROW_BYTES] = "", count[SPK_GROUPED_BYTES];
    const uint64_t n =
        columns->windows != NULL ? columns->patterns.count[k] : columns->episodes.count[k];
    append_result(text, sizeof text, recording, columns, k);
    spk_append(text, sizeof text, ": %s time%s", spk_group_digits(n, count), spk_plural(n));
    if (columns->exact != NULL)
        append_verdict(text, sizeof text, columns, k);
    if (columns->families != NULL && columns->families->family[k].n_members > 1)
        spk_append(text, sizeof text, ", the best of a family of %" PRIu64,
                   (uint64_t)columns->families->family[k].n_members);
    return sink != NULL ? sink(user, text) : SPK_OK;
}

/* ---- whole sequences ------------------------------------------------------------------------- */

static void tell_cut(telling *t, const spk_sequence_report *report, uint32_t n)
{
    char longest[48];
    spk_duration_format(report->longest_lag, longest, sizeof longest);
    tell(t,
         "%" PRIu32 " sequence%s may go on: %s%s has no room for one more step; look again with a "
         "longer one",
         n, spk_plural(n), t->python ? "longest_lag=" : "--longest-lag ", longest);
}

/* Of what the null hypothesis takes for an answer. */
static void tell_together(telling *t)
{
    tell(t,
         "rates of units change together over longer times, too, which may be what was found: see "
         "what stays with %s, which keeps what is slower than the jitter",
         t->python ? "null='shift'" : "--null shift");
}

spk_status spk_sequences_tell(const spk_sequences *sequences, const spk_sequence_report *report,
                              spk_spelling spelling, spk_sentence_sink *sink, void *user)
{
    telling t = {.python = spelling == SPK_SPELLING_PYTHON, .sink = sink, .user = user};
    const spk_sequence_summary *s = &report->summary;
    const uint32_t n = spk_sequences_columns(sequences).n;
    const spk_exact_report made = {.null = report->null,
                                   .history = {-1, 0, 0},
                                   .jitter = &report->jitter,
                                   .n_jitter = 1,
                                   .seed = report->seed,
                                   .alpha = report->alpha,
                                   .n_surrogates = s->n_surrogates};
    tell(&t, "%" PRIu32 " search%s of %s: %" PRIu32 " sequence%s with p up to %g", s->n_rounds,
         s->n_rounds == 1 ? "" : "es", name_chance(&made).text, n, spk_plural(n), report->alpha);
    tell_too_few_exact(&t, &made);
    if (s->n_cut > 0)
        tell_cut(&t, report, s->n_cut);
    if (n > 0 && spk_sequence_rates_change(s))
        tell_together(&t);
    if (s->n_rounds > n)
        tell(&t, "%s sequence: the best one %s has p %s %.3g%s", n > 0 ? "no further" : "no",
             n > 0 ? "of what is left" : "of the recording", s->is_least ? "of at least" : "=",
             s->last_p, spk_sequence_loss(s, report->alpha));
    else
        tell(&t, "there may be more: %s%" PRIu32 " has been reached",
             t.python ? "max_sequences=" : "--max-sequences ", n);
    return t.status;
}

spk_status spk_sequences_tell_row(const spk_sequences *sequences, const spk_recording *recording,
                                  uint32_t k, spk_sentence_sink *sink, void *user)
{
    char text[ROW_BYTES] = "";
    const spk_sequence_columns c = spk_sequences_columns(sequences);
    const uint64_t first = c.member_first[k], n = c.member_first[k + 1] - first;
    const uint64_t times = c.occurrence_first[k + 1] - c.occurrence_first[k];
    const spk_rate rate = spk_recording_rate(recording);
    const double seconds = (double)(c.lag_ticks[first + n - 1] - c.lag_ticks[first]) *
                           (double)rate.denominator / (double)rate.numerator;
    append_units(text, sizeof text, recording, c.unit + first, n);
    spk_append(text, sizeof text, ": %" PRIu64 " unit%s in %.3g %s, %" PRIu64 " time%s, p %.2g", n,
               spk_plural(n), seconds < 1 ? 1e3 * seconds : seconds, seconds < 1 ? "ms" : "s",
               times, spk_plural(times), c.p[k]);
    const sequence_copy copy = sequence_find_copy(&c, k);
    if (copy.of != k)
        spk_append(text, sizeof text,
                   "; nearly the same as sequence %" PRIu32 ", which has %" PRIu64
                   " of its units and occurs at %" PRIu64 " of its times",
                   copy.of + 1, copy.n_units, copy.n_occurrences);
    return sink != NULL ? sink(user, text) : SPK_OK;
}
