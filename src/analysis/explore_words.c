/* What a first look found in sentences, and its steps as operations that give it again. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explore.h"
#include "base/decimal.h"
#include "base/memory.h"
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

static spk_status tell_recording(spk_explore *e, const spk_recording *recording)
{
    topic contents = {e, SPK_EXPLORE_RECORDING};
    return spk_recording_tell(recording, &e->description, take_contents, &contents);
}

/* ---- what was found -------------------------------------------------------------------------- */

static spk_status tell_sequences(spk_explore *e)
{
    topic sequence = {e, SPK_EXPLORE_SEQUENCE};
    if (e->sequences == NULL)
        return SPK_OK;
    const spk_sequence_columns c = spk_sequences_columns(e->sequences);
    spk_status status =
        c.n > 0 ? say(e, SPK_EXPLORE_SEQUENCES,
                      "%" PRIu32 " whole sequence%s, although delays vary and spikes are missing",
                      c.n, spk_plural(c.n))
                : say(e, SPK_EXPLORE_SEQUENCES, "no whole sequence: the best one has p %s%.2g",
                      e->report.summary.is_least ? "of at least " : "", e->report.summary.last_p);
    for (uint32_t i = 0; i < c.n && status == SPK_OK; i++)
        status = spk_sequences_tell_row(e->sequences, e->searched.recording, i, take_sentence,
                                        &sequence);
    return status;
}

/* Which of the significant ones are told. */
static spk_status tell_core(spk_explore *e, const spk_analysis_columns *c)
{
    char core[SPK_GROUPED_BYTES], families[100] = "", first[40] = "";
    const uint64_t n = c->exact->n_core;
    if (n > c->n)
        snprintf(families, sizeof families, "; they form %" PRIu64 " famil%s, told by %s best",
                 c->n, c->n == 1 ? "y" : "ies", c->n == 1 ? "its" : "their");
    if (c->n > MOST_ROWS)
        snprintf(first, sizeof first, "; the first %d:", MOST_ROWS);
    return say(e, SPK_EXPLORE_TEST, "%s of them %s core: no shorter one explains %s%s%s",
               n == c->exact->n_significant ? "all" : spk_group_digits(n, core),
               n == 1 ? "is" : "are", n == 1 ? "it" : "them", families, first);
}

static spk_status tell_test(spk_explore *e)
{
    char significant[SPK_GROUPED_BYTES], tested[SPK_GROUPED_BYTES];
    char delays[SPK_DELAYS_TEXT] = "";
    if (!e->test_ended)
        return SPK_OK;
    const spk_analysis_columns *c = spk_analysis_columns_of(e->analysis);
    const spk_exact_report *test = c->exact;
    topic episode = {e, SPK_EXPLORE_EPISODE};
    spk_append_delays(delays, sizeof delays, e->trial);
    spk_status status = say(
        e, SPK_EXPLORE_TEST, "%s of %s episode%s with delays of %s %s significant, with p up to %g",
        test->n_significant == 0 ? "none" : spk_group_digits(test->n_significant, significant),
        spk_group_digits(test->n_tested, tested), spk_plural(test->n_tested), delays,
        test->n_significant < 2 ? "is" : "are", test->alpha);
    if (status == SPK_OK && test->n_significant > 0)
        status = tell_core(e, c);
    for (uint64_t k = 0; k < c->n && k < MOST_ROWS && status == SPK_OK; k++)
        status = spk_analysis_tell_row(c, e->tested.recording, k, take_sentence, &episode);
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

/* The steps' notes are told in the place of their own that the rest has, too. */
static spk_status tell_cautions(spk_explore *e, const spk_recording *recording)
{
    topic problems = {e, SPK_EXPLORE_CAUTION};
    spk_status status = SPK_OK;
    for (size_t k = 0; k < e->n_notes && status == SPK_OK; k++)
        status = add_sentence(e, SPK_EXPLORE_CAUTION, e->note[k]);
    if (status == SPK_OK)
        status = tell_null(e);
    return status == SPK_OK
               ? spk_recording_tell_warnings(recording, &e->description, take_sentence, &problems)
               : status;
}

/* ---- how it was tested ----------------------------------------------------------------------- */

static spk_status tell_delays(spk_explore *e)
{
    char delays[SPK_DELAYS_TEXT] = "", events[SPK_GROUPED_BYTES], found[SPK_GROUPED_BYTES];
    if (e->trial == NULL)
        return SPK_OK;
    const spk_delay_table_columns c = spk_delay_table_get(e->delays);
    spk_append_delays(delays, sizeof delays, e->trial);
    spk_status status = say(e, SPK_EXPLORE_METHOD, "%zu set%s of delays %s tried on %s spikes",
                            c.n_sets, spk_plural(c.n_sets), c.n_sets == 1 ? "was" : "were",
                            spk_group_digits(c.n_events, events));
    if (status != SPK_OK)
        return status;
    if (!e->stands_out)
        return say(e, SPK_EXPLORE_METHOD,
                   "with each of them the number of episodes is about that of chance; %s, where it "
                   "is largest beside it, %s taken: a single episode can be unlikely all the same",
                   delays, e->trial->n_delays == 1 ? "was" : "were");
    const spk_delay_trial *best = &c.trial[c.best];
    const spk_delay_trial_size *size = &best->size[c.best_size - 2];
    return say(e, SPK_EXPLORE_METHOD,
               "%s stand%s out: %s episodes of %" PRIu32 " different units occur %" PRIu64
               " times or more, where chance gives %.1f",
               delays, e->trial->n_delays == 1 ? "s" : "", spk_group_digits(size->found, found),
               c.best_size, best->support, size->by_chance);
}

static spk_status tell_levels(spk_explore *e)
{
    const size_t n_sets = e->trial != NULL ? spk_delay_table_get(e->delays).n_sets : 0;
    spk_status status = SPK_OK;
    if (e->test_ended)
        status = say(e, SPK_EXPLORE_METHOD,
                     "the p of an episode is the chance that the whole search finds anything as "
                     "unlikely in a recording that is all chance; %" PRIu64
                     " such recordings, the surrogates, were searched",
                     spk_analysis_columns_of(e->analysis)->exact->n_surrogates);
    if (status == SPK_OK && e->test_ended && n_sets > 1)
        status =
            say(e, SPK_EXPLORE_METHOD,
                "%g instead of %g is asked for, since the best of %zu sets of delays was taken",
                e->chosen.alpha, e->options.alpha, n_sets);
    return status == SPK_OK && e->sequences != NULL
               ? say(e, SPK_EXPLORE_METHOD,
                     "each search for whole sequences has %" PRIu64
                     " surrogates, so that no p is below %.2g; p up to %g is asked for",
                     e->search.n_surrogates, 1 / ((double)e->search.n_surrogates + 1),
                     e->options.alpha)
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
    if (e->trial == NULL)
        status =
            say(e, SPK_EXPLORE_LEFT_OUT, "the test: the choice of its delays did not end in time");
    if (status == SPK_OK && e->test_ended && e->pairs_only)
        status = say(e, SPK_EXPLORE_LEFT_OUT, "episodes of three units and more");
    if (status == SPK_OK && e->test_ended)
        status = tell_part(e, &e->tested, "the test");
    else if (status == SPK_OK && e->trial != NULL)
        status = say(e, SPK_EXPLORE_LEFT_OUT, "the test did not end in time");
    if (status == SPK_OK && e->sequences == NULL)
        return say(e, SPK_EXPLORE_LEFT_OUT, "the search for whole sequences %s",
                   e->search_late ? "did not end in time" : "is too much work for this time");
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
