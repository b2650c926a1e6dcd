/* spikemine info --suggest: sets of delays tried against chance, and a command to begin with. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "info.h"

enum { SEED = 1, DELAYS_TEXT = 512, TRIAL_UNITS = 2 };

static const double ALPHA = 0.05;
static const double LONGEST_TRIAL_S = 20; /* of the test that tells time and results */

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
             " times or more, where chance gives %.1f (spikes anywhere within %s)",
             delays, s->found, c->best_size, t->support, s->by_chance, jitter);
    cli_put_text(report, "finding", text);
}

static void put_nothing(cli_builder *report)
{
    cli_put_text(report, "finding",
                 "nothing: with none of these delays the recording has clearly more episodes than "
                 "chance");
    cli_put_text(report, "suggestion", "none");
    cli_put_text(report, "suggestion_next",
                 "number alone shows nothing here; a single sequence can still be unlikely: test "
                 "delays that you expect with --support auto --test exact, give --suggest-events "
                 "more events, or record for longer");
}

/* ---- the command ----------------------------------------------------------------------------- */

/* A test at the level that is left for one of many sets of delays. */
typedef struct plan {
    const spk_delay_trial *trial; /* the set's lowest support */
    bool is_whole;                /* all events were looked at, so that the support holds */
    double alpha;
    uint64_t n_surrogates;
    uint32_t max_size; /* 0: all */
} plan;

static plan make_plan(const spk_delay_table_columns *c, uint64_t n_events)
{
    static const uint64_t numbers[] = {199, 499, 999, 1999, 4999, 9999};
    const double alpha = ALPHA / (double)c->n_sets;
    const double digit = pow(10, floor(log10(alpha)) - 1); /* two digits, rounded down */
    const size_t n_supports = c->n / c->n_sets;
    plan p = {.trial = &c->trial[c->best - c->best % n_supports],
              .is_whole = c->n_events == n_events,
              .max_size = SPK_CHOOSE_SIZES + 1, /* more has not been tried */
              .alpha = floor(alpha / digit) * digit};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        p.n_surrogates = numbers[k];
        if (p.alpha * (double)(numbers[k] + 1) >= 1)
            break;
    }
    return p;
}

/* Whether a word of `spikemine info` has no place in `spikemine episodes`; *skip: the next one
 * neither. */
static bool is_of_info(const char *word, size_t n, bool *skip)
{
    static const char *const words[] = {"--suggest", "--units-table", "--per-unit"};
    static const char *const with_value[] = {"--format", "--suggest-events"};
    *skip = false;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (n == strlen(words[k]) && memcmp(word, words[k], n) == 0)
            return true;
    for (size_t k = 0; k < sizeof with_value / sizeof with_value[0]; k++) {
        const size_t length = strlen(with_value[k]);
        if (n < length || memcmp(word, with_value[k], length) != 0)
            continue;
        *skip = n == length;
        if (*skip || word[length] == '=')
            return true;
    }
    return false;
}

/* The command line with another command in it; returns the bytes that were used. */
static size_t write_words(const char *line, char *text, size_t size)
{
    size_t used = 0;
    bool is_replaced = false, skip = false;
    for (const char *at = line; *at != '\0'; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        const bool is_info = !is_replaced && n == 4 && memcmp(at, "info", n) == 0;
        const bool was_skipped = skip;
        if (was_skipped || is_of_info(at, n, &skip)) {
            skip = skip && !was_skipped;
        } else {
            used += (size_t)snprintf(text + used, size - used, "%s%.*s", used > 0 ? " " : "",
                                     is_info ? 8 : (int)n, is_info ? "episodes" : at);
            is_replaced |= is_info;
        }
        at += n;
    }
    return used;
}

/* To be freed, NULL where memory was out. */
static char *make_command(const cli_session *session, const plan *p)
{
    char delays[DELAYS_TEXT], jitter[48], support[32] = "auto", sizes[32] = "";
    const char *line = cli_command_line(session);
    const size_t size = strlen(line) + DELAYS_TEXT + 256;
    char *text = malloc(size);
    if (text == NULL)
        return NULL;
    size_t used = write_words(line, text, size);
    write_delays(p->trial, "--delay ", delays);
    spk_duration_format(p->trial->jitter, jitter, sizeof jitter);
    if (p->is_whole)
        snprintf(support, sizeof support, "%" PRIu64, p->trial->support);
    if (p->max_size > 0)
        snprintf(sizes, sizeof sizes, " --max-size %" PRIu32, p->max_size);
    snprintf(text + used, size - used,
             " %s --support %s%s --distinct-units %d --test exact --jitter %s --surrogates %" PRIu64
             " --alpha %.2g",
             delays, support, sizes, TRIAL_UNITS, jitter, p->n_surrogates, p->alpha);
    return text;
}

/* ---- time and number of results -------------------------------------------------------------- */

/* From the time of the set's surrogates: each is searched as those of the test will be. */
static double rough_seconds(cli_session *session, const plan *p, uint64_t n_sampled,
                            uint64_t n_events, uint64_t n_searches)
{
    enum { TRIED = 9 }; /* surrogates of a set */
    return p->trial->seconds / TRIED * (double)n_searches * (double)n_events / (double)n_sampled /
           spk_context_threads(session->context);
}

/* Tries the test with few surrogates, where that takes not too long. */
static spk_status make_estimate(cli_session *session, const spk_recording *recording, plan *p,
                                uint64_t n_sampled, spk_exact_estimate *out)
{
    enum { TRIAL_SEARCHES = 43, PILOTS = 24 }; /* of spk_choose_estimate; of every test */
    const uint64_t n_events = spk_recording_events(recording).n_events;
    spk_episode_options episodes;
    spk_exact_options test;
    *out = (spk_exact_estimate){
        .seconds = rough_seconds(session, p, n_sampled, n_events, p->n_surrogates + PILOTS)};
    if (!p->is_whole ||
        rough_seconds(session, p, n_sampled, n_events, TRIAL_SEARCHES) > LONGEST_TRIAL_S)
        return SPK_OK;
    spk_episode_options_init(&episodes, sizeof episodes);
    episodes.delays = p->trial->delays, episodes.n_delays = p->trial->n_delays;
    episodes.support = p->trial->support;
    spk_exact_options_init(&test, sizeof test);
    test.episodes = &episodes;
    test.jitter = &p->trial->jitter, test.n_jitter = 1;
    test.seed = SEED;
    test.n_surrogates = p->n_surrogates;
    test.distinct_units = TRIAL_UNITS;
    spk_status status = spk_choose_estimate(session->context, recording, &test, p->alpha, out);
    p->max_size = out->max_size;
    return status;
}

static spk_status put_suggestion(cli_session *session, const spk_recording *recording,
                                 const spk_delay_table_columns *c, cli_builder *report)
{
    char why[160];
    spk_exact_estimate estimate;
    plan p = make_plan(c, spk_recording_events(recording).n_events);
    spk_status status = make_estimate(session, recording, &p, c->n_events, &estimate);
    char *command = status == SPK_OK ? make_command(session, &p) : NULL;
    if (command == NULL)
        return status == SPK_OK ? SPK_ERR_MEMORY : status;
    put_finding(report, c);
    cli_put_text(report, "suggestion", info_text(command));
    free(command);
    snprintf(why, sizeof why,
             "--alpha is %g divided by the %zu sets of delays that were tried on the same events",
             ALPHA, c->n_sets);
    cli_put_text(report, "suggestion_alpha", why);
    if (estimate.n_surrogates > 0) {
        cli_put_integer(report, "suggestion_tested", estimate.n_tested);
        cli_put_integer(report, "suggestion_results", estimate.n_results);
    }
    cli_put_real(report, "suggestion_seconds", estimate.seconds < 1 ? 1 : round(estimate.seconds));
    return SPK_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

spk_status info_suggest(cli_session *session, const spk_recording *recording, uint64_t n_events,
                        json_t *report)
{
    spk_choose_options options;
    spk_delay_table *table = NULL;
    cli_builder object = {.json = report, .failed = report == NULL};
    if (object.failed)
        return SPK_OK; /* told by the caller */
    spk_choose_options_init(&options, sizeof options);
    options.seed = SEED;
    options.n_events = n_events;
    spk_status status = spk_choose_delays(session->context, recording, NULL, 0, &options, &table);
    if (status != SPK_OK)
        return status;
    const spk_delay_table_columns c = spk_delay_table_get(table);
    put_tried(&object, &c);
    cli_put_integer(&object, "tried_events", c.n_events);
    if (c.best < c.n)
        status = put_suggestion(session, recording, &c, &object);
    else
        put_nothing(&object);
    spk_delay_table_free(table);
    return status == SPK_OK && object.failed ? SPK_ERR_MEMORY : status;
}
