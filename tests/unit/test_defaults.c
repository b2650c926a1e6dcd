/* Defaults of the command's options are those of the library's options. */
#include "../../cli/commands.h"
#include "support/test.h"

/* The default as text. */
static const char *default_of(const char *command, const char *option)
{
    cli_option table[CLI_MOST_OPTIONS];
    const spk_option *of_function;
    for (size_t k = 0; (of_function = spk_operation_option(command, k)) != NULL; k++)
        if (strchr(command, '(') != NULL && strcmp(of_function->name, option) == 0)
            return of_function->fallback;
    for (const cli_command *const *c = cli_commands; *c != NULL; c++)
        for (const cli_option *o = cli_describe(*c, table).options; o->name != NULL; o++)
            if (strcmp((*c)->name, command) == 0 && o->kind != CLI_SECTION &&
                strcmp(o->name, option) == 0 && o->fallback != NULL)
                return o->fallback;
    fail_msg("%s --%s has no default", command, option);
    return "";
}

static void is_number(const char *command, const char *option, double value)
{
    const char *text = default_of(command, option);
    if (strtod(text, NULL) != value)
        fail_msg("%s --%s is %s, and the library has %g", command, option, text, value);
}

static void is_time(const char *command, const char *option, spk_duration value)
{
    spk_duration own;
    const char *text = default_of(command, option);
    assert_int_equal(spk_duration_parse(NULL, text, strlen(text), &own), SPK_OK);
    if (spk_duration_compare(own, value) != 0)
        fail_msg("%s --%s is %s, and the library has another one", command, option, text);
}

static void is_text(const char *command, const char *option, const char *value)
{
    assert_string_equal(default_of(command, option), value);
}

/* ---- what is searched ------------------------------------------------------------------------ */

static void searches(void **state)
{
    (void)state;
    spk_episode_options episodes;
    spk_pattern_options patterns;
    spk_window_options windows;
    spk_choose_options choosing;
    spk_pattern_recipe_options recipe;
    spk_episode_options_init(&episodes, sizeof episodes);
    spk_pattern_options_init(&patterns, sizeof patterns);
    spk_window_options_init(&windows, sizeof windows);
    spk_choose_options_init(&choosing, sizeof choosing);
    spk_pattern_recipe_options_init(&recipe, sizeof recipe);
    is_number("episodes", "max-size", episodes.max_size);
    is_number("episodes", "link-share", episodes.link_share);
    is_text("episodes", "engine", episodes.engine);
    is_time("episodes", "support-time", choosing.time);
    is_number("patterns", "window", windows.window);
    is_number("patterns", "support", (double)patterns.support);
    is_number("patterns", "min-neurons", patterns.min_neurons);
    is_text("patterns", "engine", patterns.engine);
    is_text("patterns", "moving-window-filter", patterns.moving_window_filter ? "on" : "off");
    is_time("patterns", "support-time", choosing.time);
    is_number("patterns", "auto-rate-percentile", recipe.rate_percentile);
    is_number("patterns", "auto-alpha", recipe.alpha);
    is_number("patterns", "auto-floor", (double)recipe.floor_support);
    is_number("info", "suggest-events", (double)choosing.n_events);
    is_time("info", "suggest-time", choosing.time);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void tests_against_chance(void **state)
{
    (void)state;
    spk_peel_options peeling;
    spk_signature_options signatures;
    spk_compare_options comparing;
    spk_sequence_options sequences;
    spk_explore_options explore;
    spk_partitions_options partitions;
    spk_peel_options_init(&peeling, sizeof peeling);
    spk_signature_options_init(&signatures, sizeof signatures);
    spk_compare_options_init(&comparing, sizeof comparing);
    spk_sequence_options_init(&sequences, sizeof sequences);
    spk_explore_options_init(&explore, sizeof explore);
    spk_partitions_options_init(&partitions, sizeof partitions);
    spk_calibrate_options calibrating;
    spk_calibrate_options_init(&calibrating, sizeof calibrating);
    is_number("calibrate()", "runs", (double)calibrating.n_runs);
    is_number("calibrate()", "alpha", peeling.alpha);
    is_number("compare()", "alpha", comparing.alpha);
    is_number("suggest()", "alpha", peeling.alpha);
    is_number("episodes", "alpha", peeling.alpha);
    is_number("episodes", "alpha", comparing.alpha);
    is_number("episodes", "permutations", (double)comparing.n_permutations);
    is_time("episodes", "jitter", partitions.null_window);
    is_number("patterns", "alpha", signatures.alpha);
    is_text("patterns", "correction", signatures.correction);
    is_number("patterns", "min-spikes", signatures.min_spikes);
    is_number("patterns", "permutations", (double)comparing.n_permutations);
    is_time("patterns", "jitter", partitions.null_window);
    is_time("explore", "time", explore.time);
    is_number("explore", "alpha", explore.alpha);
    is_number("explore", "seed", (double)explore.seed);
    is_time("sequences", "longest-lag", sequences.longest_lag);
    is_number("sequences", "surrogates", (double)sequences.n_surrogates);
    is_number("sequences", "alpha", sequences.alpha);
    is_number("sequences", "member-q", sequences.member_q);
    is_number("sequences", "max-sequences", sequences.max_sequences);
    is_time("live", "jitter", partitions.null_window);
    is_number("live", "surrogates", partitions.surrogates);
    is_number("live", "alpha", partitions.alpha);
    is_number("live", "backlog", partitions.backlog);
}

static void surrogates(void **state)
{
    (void)state;
    spk_surrogate_options options;
    spk_surrogate_options_init(&options, sizeof options);
    is_text("surrogates", "method", options.method);
    is_text("plan patterns", "surrogate-method", options.method);
    is_time("plan patterns", "dither", options.dither);
    for (int k = 0; k < 2; k++) {
        const char *command = k == 0 ? "surrogates" : "patterns";
        is_time(command, "dither", options.dither);
        is_time(command, "refractory", options.refractory);
        is_time(command, "truncation", options.truncation);
        is_number(command, "interval-bins", options.n_bins);
        is_time(command, "sigma", options.sigma);
        is_text(command, "edges", options.edges ? "drop" : "keep");
    }
}

/* ---- others ---------------------------------------------------------------------------------- */

static void figures(void **state)
{
    (void)state;
    spk_figure_options options;
    spk_figure_options_init(&options, sizeof options);
    is_number("episodes", "font-size", options.font_pt); /* 7pt */
    is_number("patterns", "font-size", options.font_pt);
    is_number("sequences", "dpi", options.dpi);
    is_number("count", "figure-top", options.n_top);
    spk_page_options page;
    spk_page_options_init(&page, sizeof page);
    is_number("explore", "html-rows", (double)page.max_rows);
    is_number("episodes", "html-occurrences", (double)page.max_occurrence_bytes / 1e6); /* 2M */
}

static void simulations(void **state)
{
    (void)state;
    spk_sym26_options sym26;
    spk_network_options network;
    spk_probe_options probe;
    spk_culture_options culture;
    spk_sym26_options_init(&sym26, sizeof sym26);
    spk_network_options_init(&network, sizeof network);
    spk_probe_options_init(&probe, sizeof probe);
    spk_culture_options_init(&culture, sizeof culture);
    is_time("simulate sym26", "duration", sym26.duration);
    is_number("simulate sym26", "rate", sym26.rate_hz);
    is_number("simulate sym26", "strength", sym26.strength);
    is_number("simulate sym26", "seed", (double)sym26.seed);
    is_time("simulate network", "duration", network.duration);
    is_number("simulate network", "units", network.n_units);
    is_number("simulate network", "rate", network.mean_rate_hz);
    is_number("simulate network", "rate-spread", network.rate_spread);
    is_time("simulate network", "refractory", network.refractory);
    is_number("simulate network", "modulation", network.modulation);
    is_number("simulate network", "modulation-rate", network.modulation_hz);
    is_number("simulate network", "chains", network.n_chains);
    is_number("simulate network", "chain-size", network.chain_size);
    is_time("simulate network", "delay", network.delay);
    is_time("simulate network", "jitter", network.jitter);
    is_number("simulate network", "chain-rate", network.chain_rate_hz);
    is_number("simulate network", "strength", network.strength);
    is_time("simulate probe", "duration", probe.duration);
    is_time("simulate probe", "refractory", probe.refractory);
    is_time("simulate probe", "stimulus", probe.stimulus);
    is_time("simulate probe", "min-step", probe.min_step);
    is_time("simulate probe", "max-step", probe.max_step);
    is_time("simulate probe", "jitter", probe.jitter);
    is_number("simulate probe", "units", probe.n_units);
    is_number("simulate probe", "rate", probe.mean_rate_hz);
    is_number("simulate probe", "rate-spread", probe.rate_spread);
    is_number("simulate probe", "bursts", probe.burst_share);
    is_number("simulate probe", "modulation", probe.modulation);
    is_number("simulate probe", "modulation-rate", probe.modulation_hz);
    is_number("simulate probe", "rhythm", probe.rhythm);
    is_number("simulate probe", "rhythm-rate", probe.rhythm_hz);
    is_number("simulate probe", "drift", probe.drift);
    is_number("simulate probe", "missed", probe.missed);
    is_number("simulate probe", "merged", probe.n_merged);
    is_number("simulate probe", "split", probe.n_split);
    is_number("simulate probe", "sequences", probe.n_sequences);
    is_number("simulate probe", "min-size", probe.min_size);
    is_number("simulate probe", "max-size", probe.max_size);
    is_number("simulate probe", "failing", probe.failing);
    is_number("simulate probe", "repeats", probe.repeats);
    is_number("simulate probe", "warp", probe.warp);
    is_number("simulate probe", "reversed", probe.reversed);
    is_number("simulate probe", "shared", probe.n_shared);
    is_number("simulate culture", "events", (double)culture.n_events);
    is_number("simulate culture", "units", culture.n_units);
    is_number("simulate culture", "tonic-rate", culture.tonic_hz);
    is_number("simulate culture", "bursts-per-min", culture.bursts_per_min);
    is_number("simulate culture", "burst-spikes", culture.burst_spikes);
}

/* ---- choices that are numbers ---------------------------------------------------------------- */

/* The options are chosen by their place in the list of the library. */
static void nulls_stand_in_the_order_of_the_library(void **state)
{
    char names[256] = "";
    cli_option table[CLI_MOST_OPTIONS];
    size_t n_options = 0;
    (void)state;
    for (size_t k = 0; k < spk_exact_null_count(); k++) {
        strcat(names, k > 0 ? "|" : "");
        strcat(names, spk_exact_null_get(k)->name);
    }
    for (const cli_command *const *c = cli_commands; *c != NULL; c++)
        for (const cli_option *o = cli_describe(*c, table).options; o->name != NULL; o++)
            if (o->kind == CLI_CHOICE && strcmp(o->name, "null") == 0) {
                const size_t skip = strncmp(o->argument, "auto|", 5) == 0 ? 5 : 0;
                assert_string_equal(o->argument + skip, names);
                n_options++;
            }
    assert_true(n_options >= 4);
}

static void orders_stand_in_the_order_of_the_library(void **state)
{
    char names[256] = "";
    cli_option table[CLI_MOST_OPTIONS];
    (void)state;
    for (size_t k = 0; spk_row_order_get(k) != NULL; k++) {
        strcat(names, k > 0 ? "|" : "");
        strcat(names, spk_row_order_get(k)->name);
    }
    int n_options = 0;
    for (const cli_command *const *c = cli_commands; *c != NULL; c++)
        for (const cli_option *o = cli_describe(*c, table).options; o->name != NULL; o++)
            if (strcmp(o->name, "order") == 0) {
                assert_string_equal(o->argument, names);
                n_options++;
            }
    assert_int_equal(n_options, 2);
}

/* ---- where values stand ---------------------------------------------------------------------- */

/* The parser stores a whole number in as many bytes as the member has, without a look at it. */
static void numbers_have_room_for_their_range(void **state)
{
    cli_option table[CLI_MOST_OPTIONS];
    int n_small = 0;
    (void)state;
    for (const cli_command *const *c = cli_commands; *c != NULL; c++)
        for (const cli_option *o = cli_describe(*c, table).options; o->name != NULL; o++) {
            if (o->kind != CLI_INTEGER || o->size == sizeof(uint64_t))
                continue;
            assert_true(o->size == sizeof(uint32_t) || o->size == sizeof(uint16_t));
            assert_true(o->maximum > 0 && o->maximum < (double)(1ull << 8 * o->size));
            n_small++;
        }
    assert_true(n_small > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(searches),
                                       cmocka_unit_test(tests_against_chance),
                                       cmocka_unit_test(surrogates),
                                       cmocka_unit_test(figures),
                                       cmocka_unit_test(simulations),
                                       cmocka_unit_test(nulls_stand_in_the_order_of_the_library),
                                       cmocka_unit_test(orders_stand_in_the_order_of_the_library),
                                       cmocka_unit_test(numbers_have_room_for_their_range)};
    return cmocka_run_group_tests_name("defaults", tests, NULL, NULL);
}
