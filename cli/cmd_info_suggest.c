/* spikemine info --suggest: sets of delays tried against chance, and a command to begin with. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "again.h"
#include "builder.h"
#include "info.h"

enum { SEED = 1, DELAYS_TEXT = 512 };

static const double ALPHA = 0.05;

/* ---- words ----------------------------------------------------------------------------------- */

/* "0:5ms 5ms:10ms", with something before each. */
static void write_delays(const spk_delay_trial *t, const char *before, char text[DELAYS_TEXT])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t d = 0; d < t->n_delays && used < DELAYS_TEXT; d++) {
        char lo[48], hi[48];
        spk_duration_format(t->delays[d].lo, lo, sizeof lo);
        spk_duration_format(t->delays[d].hi, hi, sizeof hi);
        used += (size_t)snprintf(text + used, DELAYS_TEXT - used, "%s%s%s:%s", d > 0 ? " " : "",
                                 before, lo, hi);
    }
}

static json_t *make_row(const spk_delay_trial *t)
{
    char delays[DELAYS_TEXT], jitter[48], key[32];
    cli_builder object = cli_begin_object(), *row = &object;
    write_delays(t, "", delays);
    spk_duration_format(t->jitter, jitter, sizeof jitter);
    cli_put_text(row, "delays", delays);
    cli_put_text(row, "jitter", jitter);
    cli_put_integer(row, "support", t->support);
    for (uint32_t k = 0; k < SPK_CHOOSE_SIZES; k++) {
        const spk_delay_trial_size *s = &t->size[k];
        snprintf(key, sizeof key, "found_%" PRIu32, k + 2);
        cli_put_json(row, key, s->reached ? json_integer((json_int_t)s->found) : json_null());
        snprintf(key, sizeof key, "chance_%" PRIu32, k + 2);
        cli_put_real(row, key, round(10 * s->by_chance) / 10);
    }
    return cli_finish_object(row);
}

static void put_tried(cli_builder *report, const spk_delay_table_columns *c)
{
    json_t *rows = json_array();
    report->failed |= rows == NULL;
    for (size_t k = 0; k < c->n && rows != NULL; k++)
        report->failed |= json_array_append_new(rows, make_row(&c->trial[k])) != 0;
    cli_put_json(report, "tried", rows);
}

static void put_finding(cli_builder *report, const spk_delay_table_columns *c)
{
    char text[DELAYS_TEXT + 256], delays[DELAYS_TEXT], jitter[48];
    const spk_delay_trial *t = &c->trial[c->best];
    const spk_delay_trial_size *s = &t->size[c->best_size - 2];
    write_delays(t, "", delays);
    spk_duration_format(t->jitter, jitter, sizeof jitter);
    snprintf(text, sizeof text,
             "delays %s: %" PRIu64 " episodes of %" PRIu32 " different units occur %" PRIu64
             " times or more, where chance gives %.1f (shift within %s)",
             delays, s->found, c->best_size, t->support, s->by_chance, jitter);
    cli_put_text(report, "finding", text);
}

static void put_nothing(cli_builder *report, bool was_tried)
{
    cli_put_text(report, "finding",
                 was_tried ? "nothing: with none of these delays the recording has clearly more "
                             "episodes than chance"
                           : "nothing was tried");
    cli_put_text(report, "suggestion", "none");
    cli_put_text(report, "suggestion_next",
                 "number alone shows nothing here; a single sequence can still be unlikely: test "
                 "delays that you expect with --support auto --test exact, give --suggest-events "
                 "more events, or record for longer");
}

/* ---- the command ----------------------------------------------------------------------------- */

/* To be freed, NULL where memory was out. */
static char *make_command(const cli_session *session, const spk_delay_plan *p)
{
    static const char *const flags[] = {"--suggest", "--units-table", "--per-unit", NULL};
    static const char *const values[] = {"--format", "--suggest-events", "--suggest-time", NULL};
    char delays[DELAYS_TEXT], jitter[48], support[80] = "auto", sizes[32] = "";
    const size_t size = strlen(cli_command_line(session)) + DELAYS_TEXT + 256;
    char *text = malloc(size);
    if (text == NULL)
        return NULL;
    size_t used = cli_again(session, "episodes", flags, values, text, size);
    write_delays(p->trial, "--delay ", delays);
    spk_duration_format(p->trial->jitter, jitter, sizeof jitter);
    if (p->is_whole && p->link_share > 0)
        snprintf(support, sizeof support, "%" PRIu64 " --link-share %g", p->support, p->link_share);
    else if (p->is_whole)
        snprintf(support, sizeof support, "%" PRIu64, p->support);
    if (p->max_size > 0)
        snprintf(sizes, sizeof sizes, " --max-size %" PRIu32, p->max_size);
    snprintf(text + used, size - used,
             " %s --support %s%s --distinct-units %u --test exact --jitter %s --surrogates %" PRIu64
             " --alpha %.2g",
             delays, support, sizes, SPK_CHOOSE_DISTINCT_UNITS, jitter, p->n_surrogates, p->alpha);
    return text;
}

static spk_status put_suggestion(cli_session *session, const spk_delay_table_columns *c,
                                 const spk_delay_plan *plan, cli_builder *report)
{
    char why[160];
    const spk_exact_estimate *estimate = &plan->estimate;
    char *command = make_command(session, plan);
    if (command == NULL)
        return SPK_ERR_MEMORY;
    put_finding(report, c);
    cli_put_text(report, "suggestion", info_text(command));
    free(command);
    snprintf(why, sizeof why,
             "--alpha is %g divided by the %zu sets of delays that were tried on the same events",
             ALPHA, c->n_sets);
    cli_put_text(report, "suggestion_alpha", why);
    if (estimate->n_surrogates > 0) {
        cli_put_integer(report, "suggestion_tested", estimate->n_tested);
        cli_put_integer(report, "suggestion_results", estimate->n_results);
    }
    if (plan->is_whole)
        cli_put_real(report, "suggestion_seconds",
                     estimate->seconds < 1 ? 1 : round(estimate->seconds));
    return SPK_OK;
}

/* What was tried, and what was not. */
static void put_table(cli_builder *report, const spk_delay_table_columns *c, spk_duration time)
{
    char left_out[256], limit[48];
    put_tried(report, c);
    cli_put_integer(report, "tried_events", c->n_events);
    if (c->n_left_out == 0)
        return;
    spk_duration_format(time, limit, sizeof limit);
    snprintf(
        left_out, sizeof left_out,
        "%zu of %zu sets of delays are left out for lack of time; give --suggest-time more than "
        "%s, or --suggest-events fewer",
        c->n_left_out, c->n_sets + c->n_left_out, limit);
    cli_put_text(report, "tried_partly", left_out);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static spk_status suggest(cli_session *session, const spk_recording *recording,
                          const spk_delay_table *table, cli_builder *report)
{
    spk_delay_plan plan;
    const spk_delay_table_columns c = spk_delay_table_get(table);
    spk_status status = spk_choose_plan(session->context, recording, table, ALPHA, SEED, &plan);
    if (status == SPK_OK && plan.trial != NULL)
        status = put_suggestion(session, &c, &plan, report);
    else if (status == SPK_OK)
        put_nothing(report, c.n > 0);
    return status;
}

spk_status info_suggest(cli_session *session, const spk_recording *recording, uint64_t n_events,
                        spk_duration time, json_t *report)
{
    spk_choose_options options;
    spk_delay_table *table = NULL;
    cli_builder object = {.json = report, .failed = report == NULL};
    if (object.failed)
        return SPK_OK; /* told by the caller */
    spk_choose_options_init(&options, sizeof options);
    options.seed = SEED;
    options.n_events = n_events;
    options.time = time;
    spk_status status = spk_choose_delays(session->context, recording, NULL, 0, &options, &table);
    if (table != NULL) {
        const spk_delay_table_columns c = spk_delay_table_get(table);
        put_table(&object, &c, time);
    }
    if (status == SPK_OK)
        status = suggest(session, recording, table, &object);
    spk_delay_table_free(table);
    return status == SPK_OK && object.failed ? SPK_ERR_MEMORY : status;
}
