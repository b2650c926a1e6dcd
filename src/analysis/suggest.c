/* Suggesting: sets of delays that are tried, and the test of the best one as an operation. */
#include "spikemine/suggest.h"

#include <inttypes.h>

#include "analysis/calls.h"
#include "base/memory.h"
#include "base/options.h"

enum { FINDING_TEXT = SPK_DELAYS_TEXT + 256 };

/* A trial in words. */
typedef struct trial_text {
    char delays[SPK_DELAYS_TEXT];
    char jitter[48];
} trial_text;

struct spk_suggestion {
    spk_delay_table *table;
    trial_text *text;
    const char **column; /* delays, then jitter */
    char finding[FINDING_TEXT];
    spk_call_settings settings;
    spk_operation_call call;
    spk_delay_test test;
    spk_suggestion_columns columns;
};

void spk_suggest_options_init(spk_suggest_options *options, size_t struct_size)
{
    spk_suggest_options defaults = {.alpha = SPK_USUAL_ALPHA, .seed = 1};
    spk_choose_options choosing;
    spk_choose_options_init(&choosing, sizeof choosing);
    defaults.n_events = choosing.n_events;
    defaults.time = choosing.time;
    spk_options_init(options, struct_size, &defaults, sizeof defaults);
}

/* ---- words ----------------------------------------------------------------------------------- */

static spk_status name_trials(spk_context *context, spk_suggestion *s)
{
    const spk_delay_table_columns *c = &s->columns.tried;
    spk_status status = spk_alloc_zero(context, &s->text, c->n + 1, "trials in words");
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &s->column, 2 * c->n + 1, "columns of words");
    for (size_t k = 0; k < c->n && status == SPK_OK; k++) {
        trial_text *t = &s->text[k];
        spk_append_delays(t->delays, sizeof t->delays, &c->trial[k]);
        spk_duration_format(c->trial[k].jitter, t->jitter, sizeof t->jitter);
        s->column[k] = t->delays;
        s->column[c->n + k] = t->jitter;
    }
    s->columns.delays = s->column;
    s->columns.jitter = s->column + c->n;
    return status;
}

static void tell_finding(spk_suggestion *s)
{
    const spk_delay_table_columns *c = &s->columns.tried;
    s->columns.finding = s->finding;
    s->finding[0] = '\0';
    if (c->best == c->n) {
        spk_append(s->finding, sizeof s->finding, "%s",
                   c->n > 0 ? "nothing: with none of these delays the recording has clearly more "
                              "episodes than chance"
                            : "nothing was tried");
        return;
    }
    const spk_delay_trial_size *size = &c->trial[c->best].size[c->best_size - 2];
    spk_append(s->finding, sizeof s->finding,
               "delays %s: %" PRIu64 " episodes of %" PRIu32 " different units occur %" PRIu64
               " times or more, where chance gives %.1f (shift within %s)",
               s->text[c->best].delays, size->found, c->best_size, c->trial[c->best].support,
               size->by_chance, s->text[c->best].jitter);
}

/* ---- the call -------------------------------------------------------------------------------- */

static spk_status make_call(spk_suggestion *s)
{
    spk_call_settings *settings = &s->settings;
    spk_call_set_delays(settings, s->test.trial);
    spk_call_set_support(settings, &s->test);
    spk_call_set(settings, "test", "exact");
    spk_call_set_duration(settings, "jitter", s->test.trial->jitter);
    spk_call_print(settings, "surrogates", "%" PRIu64, s->test.n_surrogates);
    spk_call_print(settings, "alpha", "%.2g", s->test.alpha);
    s->call = (spk_operation_call){
        .operation = "episodes", .n_settings = settings->n, .setting = settings->setting};
    s->columns.call = &s->call;
    s->columns.test = &s->test;
    return settings->status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static spk_status suggest(spk_context *context, const spk_recording *recording,
                          const spk_suggest_options *o, spk_suggestion *s)
{
    spk_choose_options choosing;
    spk_choose_options_init(&choosing, sizeof choosing);
    choosing.seed = o->seed;
    choosing.n_events = o->n_events;
    choosing.time = o->time;
    const spk_status status =
        spk_choose_delays(context, recording, o->sets, o->n_sets, &choosing, &s->table);
    if (s->table == NULL)
        return status;
    s->columns.tried = spk_delay_table_get(s->table);
    spk_status next = name_trials(context, s);
    if (next == SPK_OK)
        tell_finding(s);
    if (status != SPK_OK || next != SPK_OK)
        return status != SPK_OK ? status : next;
    next = spk_choose_test(context, recording, s->table, o->alpha, o->seed, &s->test);
    return next == SPK_OK && s->test.trial != NULL ? make_call(s) : next;
}

spk_status spk_suggest_run(spk_context *context, const spk_recording *recording,
                           const spk_suggest_options *options, spk_suggestion **out)
{
    spk_suggest_options own;
    *out = NULL;
    spk_status status = SPK_OPTIONS_TAKE(context, options, &own, spk_suggest_options);
    if (status == SPK_OK && !(own.alpha > 0 && own.alpha < 1))
        return spk_fail(context, SPK_ERR_ARGUMENT, "alpha must be between 0 and 1");
    spk_suggestion *s = NULL;
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &s, 1, "a suggestion");
    if (status != SPK_OK)
        return status;
    s->settings.context = context;
    status = suggest(context, recording, &own, s);
    const bool is_told = status == SPK_OK || (status == SPK_ERR_CANCELLED && s->columns.finding);
    if (!is_told)
        spk_suggestion_free(s);
    else
        *out = s;
    return status;
}

const spk_suggestion_columns *spk_suggestion_columns_of(const spk_suggestion *suggestion)
{
    return suggestion != NULL ? &suggestion->columns : NULL;
}

void spk_suggestion_free(spk_suggestion *s)
{
    if (s == NULL)
        return;
    spk_call_settings_free(&s->settings);
    spk_delay_table_free(s->table);
    spk_free_all(s->column, s->text, s);
}
