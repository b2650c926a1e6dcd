/* spikemine info --suggest: what the library suggests, as a report and a command. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "again.h"
#include "builder.h"
#include "info.h"

static json_t *make_row(const spk_suggestion_columns *c, size_t trial)
{
    char key[32];
    const spk_delay_trial *t = &c->tried.trial[trial];
    cli_builder object = cli_begin_object(), *row = &object;
    cli_put_text(row, "delays", c->delays[trial]);
    cli_put_text(row, "jitter", c->jitter[trial]);
    cli_put_integer(row, "support", t->support);
    for (uint32_t k = 0; k < SPK_CHOOSE_SIZES; k++) {
        const spk_delay_trial_size *s = &t->size[k];
        snprintf(key, sizeof key, "found_%" PRIu32, k + 2);
        cli_put_json(row, key, s->reached ? json_integer((json_int_t)s->found) : json_null());
        snprintf(key, sizeof key, "chance_%" PRIu32, k + 2);
        cli_put_real(row, key, round(10 * s->by_chance) / 10);
    }
    return cli_finish(row);
}

/* What was tried, and what was not. */
static void put_table(cli_builder *report, const spk_suggestion_columns *c)
{
    char left_out[100];
    cli_builder rows = cli_begin_array();
    for (size_t k = 0; k < c->tried.n; k++)
        cli_add_json(&rows, make_row(c, k));
    cli_put_json(report, "tried", cli_finish(&rows));
    cli_put_integer(report, "tried_events", c->tried.n_events);
    if (c->tried.n_left_out == 0)
        return;
    snprintf(left_out, sizeof left_out, "interrupted: %zu of %zu sets of delays are left out",
             c->tried.n_left_out, c->tried.n_sets + c->tried.n_left_out);
    cli_put_text(report, "tried_partly", left_out);
}

static void put_costs(cli_builder *report, const spk_delay_test *test)
{
    const spk_exact_estimate *estimate = &test->estimate;
    if (estimate->n_surrogates > 0) {
        cli_put_integer(report, "suggestion_tested", estimate->n_tested);
        cli_put_integer(report, "suggestion_results", estimate->n_results);
    }
    if (test->is_whole)
        cli_put_real(report, "suggestion_seconds",
                     estimate->seconds < 1 ? 1 : round(estimate->seconds));
}

static spk_status put_suggestion(const cli_session *session, const spk_suggestion_columns *c,
                                 double alpha, cli_builder *report)
{
    static const char *const flags[] = {"--suggest", "--units-table", "--per-unit", NULL};
    static const char *const values[] = {"--format", "--suggest-events", "--suggest-time", NULL};
    char why[160];
    cli_put_text(report, "finding", c->finding);
    if (c->call == NULL) {
        cli_put_text(report, "suggestion", "none");
        cli_put_text(report, "suggestion_next",
                     "number alone shows nothing here; a single sequence can still be unlikely: "
                     "test delays that you expect with --support auto --test exact, give "
                     "--suggest-events more events, or record for longer");
        return SPK_OK;
    }
    char *command = cli_again(session, c->call, flags, values);
    if (command == NULL)
        return SPK_ERR_MEMORY;
    cli_put_text(report, "suggestion", info_text(command));
    free(command);
    snprintf(why, sizeof why,
             "--alpha is %g divided by the %zu sets of delays that were tried on the same events",
             alpha, c->tried.n_sets);
    cli_put_text(report, "suggestion_alpha", why);
    put_costs(report, c->test);
    return SPK_OK;
}

spk_status info_suggest(cli_session *session, const spk_recording *recording, uint64_t n_events,
                        spk_duration time, json_t *report)
{
    spk_suggest_options options;
    spk_suggestion *suggestion = NULL;
    cli_builder object = {.json = report, .failed = report == NULL};
    if (object.failed)
        return SPK_OK; /* told by the caller */
    spk_suggest_options_init(&options, sizeof options);
    options.n_events = n_events;
    options.time = time;
    spk_status status = spk_suggest_run(session->context, recording, &options, &suggestion);
    const spk_suggestion_columns *c = spk_suggestion_columns_of(suggestion);
    if (c != NULL)
        put_table(&object, c);
    if (status == SPK_OK && c != NULL)
        status = put_suggestion(session, c, options.alpha, &object);
    spk_suggestion_free(suggestion);
    return status == SPK_OK && object.failed ? SPK_ERR_MEMORY : status;
}
