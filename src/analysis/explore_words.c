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

static spk_status tell_recording(spk_explore *e, const spk_recording *recording)
{
    topic contents = {e, SPK_EXPLORE_RECORDING}, problems = {e, SPK_EXPLORE_PROBLEM};
    spk_status status = spk_recording_tell(recording, &e->description, take_sentence, &contents);
    return status == SPK_OK
               ? spk_recording_tell_warnings(recording, &e->description, take_sentence, &problems)
               : status;
}

/* ---- delays ---------------------------------------------------------------------------------- */

static spk_status tell_delays(spk_explore *e)
{
    char delays[SPK_DELAYS_TEXT] = "", events[SPK_GROUPED_BYTES], found[SPK_GROUPED_BYTES];
    if (e->trial == NULL)
        return SPK_OK;
    const spk_delay_table_columns c = spk_delay_table_get(e->delays);
    spk_append_delays(delays, sizeof delays, e->trial);
    spk_status status = say(e, SPK_EXPLORE_DELAYS, "%zu set%s of delays %s tried on %s spikes",
                            c.n_sets, spk_plural(c.n_sets), c.n_sets == 1 ? "was" : "were",
                            spk_group_digits(c.n_events, events));
    if (status != SPK_OK || !e->stands_out)
        return status == SPK_OK
                   ? say(e, SPK_EXPLORE_DELAYS,
                         "none stands out against chance; %s, which exceeds it most, %s tested",
                         delays, e->trial->n_delays == 1 ? "is" : "are")
                   : status;
    const spk_delay_trial *best = &c.trial[c.best];
    const spk_delay_trial_size *size = &best->size[c.best_size - 2];
    return say(e, SPK_EXPLORE_DELAYS,
               "%s stand%s out: %s episodes of %" PRIu32 " different units occur %" PRIu64
               " times or more, where chance gives %.1f",
               delays, e->trial->n_delays == 1 ? "s" : "", spk_group_digits(size->found, found),
               c.best_size, best->support, size->by_chance);
}

/* ---- the test -------------------------------------------------------------------------------- */

static spk_status tell_test(spk_explore *e)
{
    char significant[SPK_GROUPED_BYTES], tested[SPK_GROUPED_BYTES], families[64] = "";
    if (!e->test_ended)
        return SPK_OK;
    const spk_analysis_columns *c = spk_analysis_columns_of(e->analysis);
    const spk_exact_report *test = c->exact;
    topic episode = {e, SPK_EXPLORE_EPISODE};
    if (c->n < test->n_significant)
        snprintf(families, sizeof families, ", in %" PRIu64 " famil%s", c->n,
                 c->n == 1 ? "y" : "ies");
    spk_status status =
        say(e, SPK_EXPLORE_TEST,
            "%s of %s episode%s %s significant at %g, the level for one of all sets%s",
            spk_group_digits(test->n_significant, significant),
            spk_group_digits(test->n_tested, tested), spk_plural(test->n_tested),
            test->n_significant == 1 ? "is" : "are", test->alpha, families);
    for (uint64_t k = 0; k < c->n && k < MOST_ROWS && status == SPK_OK; k++)
        status = spk_analysis_tell_row(c, e->tested.recording, k, take_sentence, &episode);
    return status;
}

/* ---- whole sequences ------------------------------------------------------------------------- */

static spk_status tell_sequences(spk_explore *e)
{
    topic sequence = {e, SPK_EXPLORE_SEQUENCE};
    if (e->sequences == NULL)
        return SPK_OK;
    const spk_sequence_columns c = spk_sequences_columns(e->sequences);
    spk_status status =
        c.n > 0 ? say(e, SPK_EXPLORE_SEQUENCES,
                      "%" PRIu32 " whole sequence%s with p up to %g, although delays vary and "
                      "spikes are missing; %" PRIu64 " surrogates tell no p below %.2g",
                      c.n, spk_plural(c.n), e->options.alpha, e->search.n_surrogates,
                      1 / ((double)e->search.n_surrogates + 1))
                : say(e, SPK_EXPLORE_SEQUENCES, "no whole sequence: the best one has p %.2g",
                      e->report.summary.last_p);
    for (uint32_t i = 0; i < c.n && status == SPK_OK; i++)
        status = spk_sequences_tell_row(e->sequences, e->searched.recording, i, take_sentence,
                                        &sequence);
    return status;
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
        status = tell_delays(e);
    if (status == SPK_OK)
        status = tell_test(e);
    if (status == SPK_OK)
        status = tell_sequences(e);
    if (status == SPK_OK)
        status = tell_left_out(e);
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
    for (size_t k = 0; k < EXPLORE_STEPS; k++)
        spk_call_settings_free(&e->settings[k]);
}
