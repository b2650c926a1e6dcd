/* What a first look found in sentences, and its steps as operations that give it again. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explore.h"
#include "base/decimal.h"
#include "base/fraction.h"
#include "base/memory.h"
#include "recording/recording.h"
#include "sequence/sequence.h"
#include "spikemine/occurrences.h"
#include "spikemine/tell.h"

enum { SENTENCE_BYTES = 600, MOST_ROWS = 5 };

/* ---- texts ----------------------------------------------------------------------------------- */

static spk_status add_sentence(spk_explore *e, spk_explore_topic topic, const char *text)
{
    char *copy = NULL;
    spk_status status =
        spk_grow(e->context, &e->sentence, &e->sentence_capacity, e->n_sentences + 1, "sentences");
    if (status == SPK_OK)
        status = spk_strdup(e->context, &copy, text);
    if (status == SPK_OK)
        e->sentence[e->n_sentences++] = (spk_explore_sentence){topic, copy};
    return status;
}

static spk_status say(spk_explore *e, spk_explore_topic topic, const char *format, ...)
    SPK_PRINTF(3, 4);

static spk_status say(spk_explore *e, spk_explore_topic topic, const char *format, ...)
{
    char text[SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return add_sentence(e, topic, text);
}

/* "50 ms" of 50ms. */
static void append_time(char *text, size_t size, spk_duration time)
{
    char written[48];
    spk_duration_format(time, written, sizeof written);
    const size_t digits = strspn(written, "0123456789./");
    const bool has_unit = digits > 0 && written[digits] != '\0';
    spk_append(text, size, "%.*s%s%s", (int)digits, written, has_unit ? " " : "", written + digits);
}

/* "0 to 5 ms and 5 ms to 10 ms" of 0:5ms 5ms:10ms. */
static void append_delay_words(char *text, size_t size, const spk_delay_trial *trial)
{
    for (size_t d = 0; d < trial->n_delays; d++) {
        if (d > 0)
            spk_append(text, size, "%s", d + 1 < trial->n_delays ? ", " : " and ");
        append_time(text, size, trial->delays[d].lo);
        spk_append(text, size, " to ");
        append_time(text, size, trial->delays[d].hi);
    }
}

/* ---- what is in it --------------------------------------------------------------------------- */

/* Of one topic; a spk_sentence_sink has `user` of this kind. */
typedef struct topic {
    spk_explore *e;
    spk_explore_topic topic;
} topic;

static spk_status take_sentence(void *user, const char *text)
{
    const topic *t = user;
    return add_sentence(t->e, t->topic, text);
}

/* Its last sentence points at warnings, which stand in a part of their own here. */
static spk_status take_contents(void *user, const char *text)
{
    const topic *t = user;
    const bool points = strstr(text, "see the warning") != NULL;
    return points ? SPK_OK : add_sentence(t->e, t->topic, text);
}

/* "all of it", or "its first 312 s of 1087 s (29 %)". */
static void append_stretch(const spk_explore *e, const explore_part *part, char *text, size_t size)
{
    const double all = e->description.stop_s - e->description.start_s;
    spk_duration stop;
    if (part->own == NULL ||
        spk_duration_parse(NULL, part->stop, strlen(part->stop), &stop) != SPK_OK) {
        spk_append(text, size, "all of it");
        return;
    }
    const double length = spk_duration_seconds(stop) - e->description.start_s;
    spk_append(text, size, "its first %.3g s of %.4g s (%.2g %%)", length, all, 100 * length / all);
}

/* How much findings are of. */
static spk_status tell_tested(spk_explore *e, const spk_recording *recording)
{
    char text[SENTENCE_BYTES] = "", units[SPK_GROUPED_BYTES];
    const uint32_t n_units = spk_recording_events(recording).n_units;
    const bool searched = e->sequences != NULL;
    if (e->test_ended)
        spk_append(text, sizeof text, "episodes%s were tested in ",
                   e->pairs_only ? " of two units" : "");
    if (e->test_ended && searched && e->tested.own == NULL && e->searched.own == NULL) {
        spk_append(text, sizeof text, "all of it, and whole sequences looked for");
    } else if (e->test_ended) {
        append_stretch(e, &e->tested, text, sizeof text);
        spk_append(text, sizeof text, "%s", searched ? "; " : "");
    }
    if (searched && (!e->test_ended || e->tested.own != NULL || e->searched.own != NULL)) {
        spk_append(text, sizeof text, "whole sequences were looked for in ");
        append_stretch(e, &e->searched, text, sizeof text);
    }
    if (text[0] == '\0')
        return say(e, SPK_EXPLORE_RECORDING, "nothing of it was tested");
    return n_units == 1 ? say(e, SPK_EXPLORE_RECORDING, "%s, with its one unit", text)
                        : say(e, SPK_EXPLORE_RECORDING, "%s, with all %s units", text,
                              spk_group_digits(n_units, units));
}

static spk_status tell_recording(spk_explore *e, const spk_recording *recording)
{
    char doubt[SENTENCE_BYTES];
    topic contents = {e, SPK_EXPLORE_RECORDING};
    spk_status status = SPK_OK;
    if (spk_rate_doubt_format(&e->description, doubt, sizeof doubt) > 0)
        status = add_sentence(e, SPK_EXPLORE_DOUBT, doubt);
    if (status == SPK_OK)
        status = spk_recording_tell(recording, &e->description, take_contents, &contents);
    return status == SPK_OK ? tell_tested(e, recording) : status;
}

/* ---- what was found -------------------------------------------------------------------------- */

static spk_status take_copy(void *user, const char *text)
{
    const topic *t = user;
    return say(t->e, t->topic, "  and %s", text);
}

/* One sequence with its copies. */
static spk_status tell_sequence(spk_explore *e, const spk_sequence_columns *c, uint32_t of)
{
    topic sequence = {e, SPK_EXPLORE_SEQUENCE};
    spk_status status =
        spk_sequences_tell_row(e->sequences, e->searched.recording, of, take_sentence, &sequence);
    for (uint32_t i = of + 1; i < c->n && status == SPK_OK; i++)
        if (sequence_find_copy(c, i).of == of)
            status = spk_sequences_tell_row(e->sequences, e->searched.recording, i, take_copy,
                                            &sequence);
    return status;
}

static spk_status tell_sequences(spk_explore *e)
{
    char copies[60] = "";
    uint32_t n_copies = 0;
    if (e->sequences == NULL)
        return SPK_OK;
    const spk_sequence_columns c = spk_sequences_columns(e->sequences);
    for (uint32_t i = 0; i < c.n; i++)
        n_copies += sequence_find_copy(&c, i).of != i;
    if (n_copies > 0)
        snprintf(copies, sizeof copies, " and %" PRIu32 " near cop%s", n_copies,
                 n_copies == 1 ? "y" : "ies");
    const uint32_t n = c.n - n_copies;
    spk_status status =
        c.n > 0
            ? say(e, SPK_EXPLORE_SEQUENCES,
                  "%" PRIu32 " whole sequence%s%s, although delays vary and spikes are missing", n,
                  spk_plural(n), copies)
            : say(e, SPK_EXPLORE_SEQUENCES,
                  "no whole sequence has p up to %g: that of the best one is %s%.2g%s", e->alpha,
                  e->report.summary.is_least && e->report.summary.last_p < 1 ? "at least " : "",
                  e->report.summary.last_p, spk_sequence_loss(&e->report.summary, e->alpha));
    for (uint32_t i = 0; i < c.n && status == SPK_OK; i++)
        if (sequence_find_copy(&c, i).of == i)
            status = tell_sequence(e, &c, i);
    return status;
}

/* How many significant ones may be something else than a sequence; those are not told as one. */
static spk_status tell_kinds(spk_explore *e, const spk_analysis_columns *c)
{
    static const char *const kind[] = {
        "a unit repeats, so that rhythm or a burst of one unit may be all",
        "both directions are significant: synchrony, none leads",
        "units are less than 1 ms apart: perhaps one neuron in two units"};
    char text[SENTENCE_BYTES] = "", n[SPK_GROUPED_BYTES], all[SPK_GROUPED_BYTES];
    if (c->n_plain == c->exact->n_significant)
        return SPK_OK;
    for (size_t k = 0; k < sizeof kind / sizeof kind[0]; k++)
        if (c->n_meanings[k] > 0)
            spk_append(text, sizeof text, "; in %s %s", spk_group_digits(c->n_meanings[k], n),
                       kind[k]);
    return say(e, SPK_EXPLORE_TEST, "%s of the %s may be %s of different units in one direction%s",
               c->n_plain == 0 ? "none" : spk_group_digits(c->n_plain, n),
               spk_group_digits(c->exact->n_significant, all),
               c->n_plain < 2 ? "a sequence" : "sequences", text);
}

/* Rows that may be a sequence; where there are none, all of them. They stand first. */
static uint64_t count_told(const spk_analysis_columns *c)
{
    uint64_t n = 0;
    while (n < c->n && (c->exact->means == NULL || c->exact->means[n] == 0))
        n++;
    return n > 0 ? n : c->n;
}

/* Whether more of the first n rows than are told have a sentence of their own. */
static bool has_more(const spk_analysis_columns *c, uint64_t n)
{
    int told = 0;
    for (uint64_t k = 0; k < n && told <= MOST_ROWS; k++) /* each looks through all rows */
        told += !spk_analysis_told_before(c, k);
    return told > MOST_ROWS;
}

/* Which of the significant ones are told. */
static spk_status tell_core(spk_explore *e, const spk_analysis_columns *c)
{
    char core[SPK_GROUPED_BYTES], all[SPK_GROUPED_BYTES], of[60] = "";
    char families[100] = "", first[40] = "";
    const uint64_t n = c->exact->n_core, n_told = count_told(c);
    if (n > c->n)
        snprintf(families, sizeof families, "; they form %" PRIu64 " famil%s", c->n,
                 c->n == 1 ? "y" : "ies");
    if (n_told < c->n)
        spk_append(families, sizeof families, "%s %" PRIu64 " %smay be %s",
                   n > c->n ? ", of which" : ";", n_told, n > c->n ? "" : "of them ",
                   n_told == 1 ? "a sequence" : "sequences");
    else if (n > c->n)
        spk_append(families, sizeof families, ", told by %s best", c->n == 1 ? "its" : "their");
    if (has_more(c, n_told))
        snprintf(first, sizeof first, "; the first %d:", MOST_ROWS);
    snprintf(of, sizeof of, "%s", n == 1 ? "it" : "all of them");
    if (n < c->exact->n_significant)
        snprintf(of, sizeof of, "%s of the %s", spk_group_digits(n, core),
                 spk_group_digits(c->exact->n_significant, all));
    return say(e, SPK_EXPLORE_TEST, "%s %s core: no shorter one explains %s%s%s", of,
               n == 1 ? "is" : "are", n == 1 ? "it" : "them", families, first);
}

/* Occurrences of an episode, and of these the ones while a whole sequence occurs. */
typedef struct piece {
    const spk_sequence_columns *sequences;
    uint32_t of;
    uint64_t n, n_common;
} piece;

static spk_status count_piece(void *user, uint32_t size, const int64_t *time)
{
    piece *p = user;
    p->n++;
    p->n_common +=
        sequence_occurs(p->sequences, p->of, time[0], (double)(time[size - 1] - time[0]));
    return SPK_OK;
}

/* Of row k the whole sequence that has most of its units and occurrences, so that nobody takes them
 * for two findings. */
static spk_status tell_piece(spk_explore *e, const spk_episode_columns *episodes, uint64_t k)
{
    spk_delay delays[SPK_EPISODE_MAX_SIZE];
    const uint64_t first = episodes->offset[k];
    const uint32_t size = (uint32_t)(episodes->offset[k + 1] - first);
    const spk_sequence_columns c =
        e->sequences != NULL ? spk_sequences_columns(e->sequences) : (spk_sequence_columns){.n = 0};
    for (uint32_t p = 1; p < size; p++)
        delays[p - 1] = episodes->delays[episodes->delay[first + p]];
    for (uint32_t of = 0; of < c.n; of++) {
        piece common = {&c, of, 0, 0};
        const uint64_t n_units = sequence_count_units(&c, of, size, episodes->unit + first);
        if (2 * n_units <= size || sequence_find_copy(&c, of).of != of)
            continue;
        spk_status status =
            spk_episode_occurrences(e->context, e->tested.recording, size, episodes->unit + first,
                                    delays, count_piece, &common);
        if (status != SPK_OK)
            return status;
        const uint32_t *unit = c.unit + c.member_first[of];
        if (2 * common.n_common > common.n)
            return say(e, SPK_EXPLORE_EPISODE,
                       "  (%" PRIu64 " of its %" PRIu32 " units and %" PRIu64 " of its %" PRIu64
                       " occurrences are those of %s -> %s -> ... above)",
                       n_units, size, common.n_common, common.n,
                       spk_recording_label(e->searched.recording, unit[0]),
                       spk_recording_label(e->searched.recording, unit[1]));
    }
    return SPK_OK;
}

static spk_status tell_test(spk_explore *e)
{
    char significant[SPK_GROUPED_BYTES], tested[SPK_GROUPED_BYTES];
    char delays[2 * SPK_DELAYS_TEXT] = "";
    if (!e->test_ended)
        return SPK_OK;
    const spk_analysis_columns *c = spk_analysis_columns_of(e->analysis);
    const spk_exact_report *test = c->exact;
    topic episode = {e, SPK_EXPLORE_EPISODE};
    append_delay_words(delays, sizeof delays, e->trial);
    spk_status status = say(
        e, SPK_EXPLORE_TEST, "%s of %s episode%s with delays of %s %s significant, with p up to %g",
        test->n_significant == 0 ? "none" : spk_group_digits(test->n_significant, significant),
        spk_group_digits(test->n_tested, tested), spk_plural(test->n_tested), delays,
        test->n_significant < 2 ? "is" : "are", test->alpha);
    if (status == SPK_OK && test->n_significant > 0)
        status = tell_kinds(e, c);
    if (status == SPK_OK && test->n_significant > 0)
        status = tell_core(e, c);
    int rows = 0;
    for (uint64_t k = 0; k < count_told(c) && rows < MOST_ROWS && status == SPK_OK; k++) {
        if (spk_analysis_told_before(c, k))
            continue;
        rows++;
        status = spk_analysis_tell_row(c, e->tested.recording, k, take_sentence, &episode);
        if (status == SPK_OK)
            status = tell_piece(e, &c->episodes, k);
    }
    return status;
}

/* ---- what to be careful about ---------------------------------------------------------------- */

/* As it is, or with more behind it. */
static bool is_told(const spk_explore *e, const char *text)
{
    for (uint64_t k = 0; k < e->n_sentences; k++)
        if (strncmp(e->sentence[k].text, text, strlen(text)) == 0)
            return true;
    return false;
}

/* What else than a link findings may be, once: whole sequences have the null that keeps least. */
static spk_status tell_null(spk_explore *e)
{
    char caution[SENTENCE_BYTES] = "";
    const spk_analysis_columns *c = e->test_ended ? spk_analysis_columns_of(e->analysis) : NULL;
    if (e->sequences != NULL && spk_sequences_columns(e->sequences).n > 0)
        (void)spk_exact_null_caution(e->report.null, &e->report.jitter, 1, caution, sizeof caution);
    else if (c != NULL && c->n > 0)
        (void)spk_exact_null_caution(c->exact->null, &e->trial->jitter, 1, caution, sizeof caution);
    return caution[0] != '\0' && !is_told(e, caution)
               ? add_sentence(e, SPK_EXPLORE_CAUTION, caution)
               : SPK_OK;
}

/* That they do is measured. */
static spk_status tell_together(spk_explore *e)
{
    const bool found = e->sequences != NULL && spk_sequences_columns(e->sequences).n > 0;
    return found && spk_sequence_rates_change(&e->report.summary)
               ? add_sentence(e, SPK_EXPLORE_CAUTION,
                              "rates of units do change together here, over times longer than a "
                              "whole sequence: see which of these stay with the null shift")
               : SPK_OK;
}

/* What is said already is not told again. */
static spk_status take_problem(void *user, const char *text)
{
    const topic *t = user;
    return is_told(t->e, text) ? SPK_OK : add_sentence(t->e, t->topic, text);
}

/* The steps' notes are told in the place of their own that the rest has, too. */
static spk_status tell_cautions(spk_explore *e, const spk_recording *recording)
{
    topic problems = {e, SPK_EXPLORE_CAUTION};
    spk_status status = SPK_OK;
    for (size_t k = 0; k < e->n_notes && status == SPK_OK; k++)
        status = add_sentence(e, SPK_EXPLORE_CAUTION, e->note[k]);
    if (status == SPK_OK)
        status = tell_null(e);
    if (status == SPK_OK)
        status = tell_together(e);
    return status == SPK_OK
               ? spk_recording_tell_warnings(recording, &e->description, take_problem, &problems)
               : status;
}

/* ---- how it was tested ----------------------------------------------------------------------- */

static spk_status tell_delays(spk_explore *e)
{
    char delays[2 * SPK_DELAYS_TEXT] = "", events[SPK_GROUPED_BYTES], found[SPK_GROUPED_BYTES];
    if (e->trial == NULL)
        return SPK_OK;
    const spk_delay_table_columns c = spk_delay_table_get(e->delays);
    append_delay_words(delays, sizeof delays, e->trial);
    spk_status status = say(e, SPK_EXPLORE_METHOD, "%zu set%s of delays %s tried on %s spikes",
                            c.n_sets, spk_plural(c.n_sets), c.n_sets == 1 ? "was" : "were",
                            spk_group_digits(c.n_events, events));
    if (status != SPK_OK)
        return status;
    if (e->one_set)
        return say(e, SPK_EXPLORE_METHOD, "delays of %s were taken without a choice", delays);
    if (!e->stands_out)
        return say(
            e, SPK_EXPLORE_METHOD,
            "with each of them the number of episodes is about that of chance; delays of %s, "
            "where it is largest beside it, were taken: a single episode can be unlikely all "
            "the same",
            delays);
    const spk_delay_trial *best = &c.trial[c.best];
    const spk_delay_trial_size *size = &best->size[c.best_size - 2];
    return say(e, SPK_EXPLORE_METHOD,
               "delays of %s stand out: %s episodes of %" PRIu32 " different units occur %" PRIu64
               " times or more, where chance gives %.1f",
               delays, spk_group_digits(size->found, found), c.best_size, best->support,
               size->by_chance);
}

static spk_status tell_levels(spk_explore *e)
{
    const size_t n_sets = e->trial != NULL ? spk_delay_table_get(e->delays).n_sets : 0;
    spk_status status = say(e, SPK_EXPLORE_METHOD,
                            "half of the level of %g is for episodes, and half for whole "
                            "sequences: where all is chance, anything at all is found with a "
                            "chance of at most %g",
                            e->options.alpha, e->options.alpha);
    if (status == SPK_OK && e->test_ended)
        status = say(e, SPK_EXPLORE_METHOD,
                     "the p of an episode is the chance that the whole search finds anything as "
                     "unlikely in a recording that is all chance; %" PRIu64
                     " such recordings, the surrogates, were searched",
                     spk_analysis_columns_of(e->analysis)->exact->n_surrogates);
    if (status == SPK_OK && e->test_ended && n_sets > 1)
        status = say(
            e, SPK_EXPLORE_METHOD,
            "of episodes p up to %g is asked for, since the best of %zu sets of delays was taken",
            e->chosen.alpha, n_sets);
    return status == SPK_OK && e->sequences != NULL
               ? say(e, SPK_EXPLORE_METHOD,
                     "each search for whole sequences has %" PRIu64
                     " surrogates, so that no p is below %.2g; p up to %g is asked for",
                     e->search.n_surrogates, 1 / ((double)e->search.n_surrogates + 1), e->alpha)
               : status;
}

/* ---- what is left out ------------------------------------------------------------------------ */

static spk_status tell_part(spk_explore *e, const explore_part *part, const char *what)
{
    return part->own == NULL ? SPK_OK
                             : say(e, SPK_EXPLORE_LEFT_OUT,
                                   "%s looked at the recording until %s only", what, part->stop);
}

/* "In time" is said of the clock alone. */
static spk_status tell_left_out(spk_explore *e)
{
    spk_status status = SPK_OK;
    if (e->is_slow || e->was_late)
        status = say(e, SPK_EXPLORE_LEFT_OUT,
                     "a part of the work that this time stands for: the machine is busy or slow; "
                     "two free processors do all of it");
    if (status == SPK_OK && e->trial == NULL)
        status =
            say(e, SPK_EXPLORE_LEFT_OUT, "the test: the choice of its delays did not end in time");
    if (status == SPK_OK && e->trial != NULL && e->one_set)
        status = say(e, SPK_EXPLORE_LEFT_OUT, "all sets of delays but one");
    if (status == SPK_OK && e->test_ended && e->pairs_only)
        status = say(e, SPK_EXPLORE_LEFT_OUT, "episodes of three units and more");
    if (status == SPK_OK && e->test_ended)
        status = tell_part(e, &e->tested, "the test");
    else if (status == SPK_OK && e->trial != NULL)
        status = say(e, SPK_EXPLORE_LEFT_OUT, "the test did not end in time");
    if (status == SPK_OK && e->sequences == NULL)
        return say(e, SPK_EXPLORE_LEFT_OUT, "the search for whole sequences %s",
                   e->search_late    ? "did not end in time"
                   : e->search_large ? "needs more memory than its limit"
                                     : "is too much work for this time");
    if (status == SPK_OK && !e->search_ended)
        status = e->search_late
                     ? say(e, SPK_EXPLORE_LEFT_OUT,
                           "further sequences, if there are any: their search did not end in time")
                     : say(e, SPK_EXPLORE_LEFT_OUT,
                           "further sequences, if there are any: this time allows for %" PRIu32
                           " round%s of the search",
                           e->n_rounds, spk_plural(e->n_rounds));
    return status == SPK_OK ? tell_part(e, &e->searched, "the search for whole sequences") : status;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void set_test(const spk_explore *e, spk_call_settings *s)
{
    spk_call_set_delays(s, e->trial);
    spk_call_set_duration(s, "jitter", e->trial->jitter);
    spk_call_set_support(s, &e->chosen);
    spk_call_set(s, "report", "core");
    spk_call_set(s, "families", NULL);
    spk_call_set(s, "test", "exact");
    spk_call_print(s, "surrogates", "%" PRIu64,
                   e->test_ended ? e->n_surrogates : e->chosen.n_surrogates);
    spk_call_print(s, "alpha", "%.12g", e->chosen.alpha);
    spk_call_print(s, "seed", "%" PRIu64, e->options.seed);
}

static void set_search(const spk_explore *e, spk_call_settings *s)
{
    spk_call_set_duration(s, "longest-lag", e->report.longest_lag);
    spk_call_set_duration(s, "jitter", e->report.jitter);
    spk_call_print(s, "surrogates", "%" PRIu64, e->search.n_surrogates);
    spk_call_print(s, "alpha", "%.12g", e->search.alpha);
    if (e->sequences != NULL && !e->search_ended)
        spk_call_print(s, "max-sequences", "%" PRIu32, spk_sequences_columns(e->sequences).n);
    spk_call_print(s, "seed", "%" PRIu64, e->options.seed);
}

/* What did not end is told for the whole recording. */
static void add_step(spk_explore *e, const char *operation, const explore_part *part, bool ended)
{
    const size_t k = e->columns.n_steps++;
    e->step[k] = (spk_operation_call){.operation = operation,
                                      .stop = ended && part->own != NULL ? part->stop : NULL,
                                      .n_settings = e->settings[k].n,
                                      .setting = e->settings[k].setting};
}

static spk_status list_steps(spk_explore *e)
{
    spk_call_settings *next = &e->settings[e->trial != NULL];
    e->settings[0].context = e->settings[1].context = e->context;
    if (e->trial != NULL) {
        set_test(e, &e->settings[0]);
        add_step(e, "episodes", &e->tested, e->test_ended);
    }
    set_search(e, next);
    add_step(e, "sequences", &e->searched, e->sequences != NULL);
    return e->settings[0].status == SPK_OK ? next->status : e->settings[0].status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

spk_status spk_explore_tell(spk_explore *e, const spk_recording *recording)
{
    spk_status status = tell_recording(e, recording);
    if (status == SPK_OK)
        status = tell_sequences(e);
    if (status == SPK_OK)
        status = tell_test(e);
    if (status == SPK_OK)
        status = tell_cautions(e, recording);
    if (status == SPK_OK)
        status = tell_left_out(e);
    if (status == SPK_OK)
        status = tell_delays(e);
    if (status == SPK_OK)
        status = tell_levels(e);
    if (status == SPK_OK)
        status = list_steps(e);
    spk_explore_columns *c = &e->columns;
    c->n_sentences = e->n_sentences;
    c->sentence = e->sentence;
    c->step = e->step;
    c->delays = e->delays;
    c->tested = e->tested.recording;
    c->episodes = e->test_ended ? spk_analysis_columns_of(e->analysis) : NULL;
    c->support = e->chosen.support;
    c->searched = e->searched.recording;
    c->sequences = e->sequences;
    c->search = &e->report;
    return status;
}

void spk_explore_free_words(spk_explore *e)
{
    for (uint64_t k = 0; k < e->n_sentences; k++)
        free((char *)e->sentence[k].text);
    free(e->sentence);
    for (size_t k = 0; k < e->n_notes; k++)
        free(e->note[k]);
    for (size_t k = 0; k < EXPLORE_STEPS; k++)
        spk_call_settings_free(&e->settings[k]);
}
