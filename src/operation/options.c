/* The options of each operation. */
#include "operation/options.h"

#include <string.h>

enum { MOST_TABLES = 16 };

static const struct {
    const char *name;
    const spk_option *tables[MOST_TABLES];
} operations[] = {
    {"",
     {spk_options_reading, spk_options_shared, spk_options_writing, spk_options_figures,
      spk_options_pages}},
    {"episodes",
     {spk_options_delays_of_episodes, spk_options_supports, spk_options_links,
      spk_options_choosing_supports, spk_options_sizes_of_episodes, spk_options_passes,
      spk_options_selected_episodes, spk_options_tested_episodes, spk_options_calibrating,
      spk_options_compared_episodes, spk_options_mining_episodes, spk_options_written_episodes}},
    {"patterns",
     {spk_options_searching_patterns, spk_options_supports_of_patterns,
      spk_options_choosing_supports, spk_options_limits_of_patterns, spk_options_listing_patterns,
      spk_options_selected_patterns, spk_options_tested_patterns, spk_options_calibrating,
      spk_options_keeping_intervals, spk_options_compared_patterns, spk_options_mining_patterns,
      spk_options_written_patterns}},
    {"sequences", {spk_options_sequences, spk_options_written_sequences}},
    {"count",
     {spk_options_counting, spk_options_tested_given, spk_options_mining_episodes,
      spk_options_written_episodes}},
    {"info", {spk_options_describing, spk_options_suggesting}},
    {"explore", {spk_options_exploring, spk_options_exploring_in_a_page}},
    {"convert", {spk_options_converting}},
    {"sample", {spk_options_sampling}},
    {"merge", {spk_options_merging}},
    {"formats", {spk_options_listing_formats}},
    {"engines", {spk_options_listing_engines}},
    {"help", {spk_options_helping}},
    {"tune", {spk_options_tuning}},
    {"surrogates",
     {spk_options_making_surrogates, spk_options_keeping_intervals,
      spk_options_numbering_surrogates, spk_options_written_surrogates}},
    {"live",
     {spk_options_delays_of_episodes, spk_options_sizes_of_episodes, spk_options_mining_live,
      spk_options_testing_live, spk_options_computing_live, spk_options_watching,
      spk_options_sources, spk_options_emitting}},
    {"watch", {spk_options_watching, spk_options_sources, spk_options_emitting}},
    {"simulate sym26", {spk_options_simulating_sym26, spk_options_simulating}},
    {"simulate network", {spk_options_simulating_network, spk_options_simulating}},
    {"simulate probe", {spk_options_simulating_probe, spk_options_simulating}},
    {"simulate culture", {spk_options_simulating_culture, spk_options_simulating}},
    {"plan episodes",
     {spk_options_delays_of_episodes, spk_options_links, spk_options_choosing_supports,
      spk_options_sizes_of_episodes, spk_options_passes, spk_options_planning_episodes,
      spk_options_planning}},
    {"plan patterns",
     {spk_options_searching_patterns, spk_options_supports_of_patterns,
      spk_options_choosing_supports, spk_options_limits_of_patterns, spk_options_planning_patterns,
      spk_options_planning}},
    {"bench episodes",
     {spk_options_delays_of_episodes, spk_options_sizes_of_episodes, spk_options_timing_episodes,
      spk_options_timing}},
    {"bench patterns", {spk_options_timing_patterns, spk_options_timing}},
    {"sequences()",
     {spk_options_recording, spk_options_sequences, spk_options_executing, spk_options_shared,
      spk_options_progressing}},
    {"surrogates()",
     {spk_options_recording, spk_options_making_surrogates, spk_options_keeping_intervals,
      spk_options_numbering_surrogates}},
    {"explore()",
     {spk_options_recording, spk_options_exploring, spk_options_shared, spk_options_progressing}},
    {"suggest()",
     {spk_options_recording, spk_options_suggested, spk_options_suggesting, spk_options_shared,
      spk_options_progressing}},
    {"compare()",
     {spk_options_recording, spk_options_compared, spk_options_either_search, spk_options_links,
      spk_options_choosing_supports, spk_options_sizes_of_episodes, spk_options_limits_of_patterns,
      spk_options_mining_episodes, spk_options_shared, spk_options_progressing}},
    {"calibrate()",
     {spk_options_recording, spk_options_either_search, spk_options_calibrated, spk_options_links,
      spk_options_choosing_supports, spk_options_sizes_of_episodes, spk_options_limits_of_patterns,
      spk_options_mining_episodes, spk_options_shared, spk_options_progressing}},
    {"count()",
     {spk_options_recording, spk_options_counted, spk_options_tested_given,
      spk_options_mining_episodes, spk_options_shared, spk_options_progressing}},
    {"Live()",
     {spk_options_sizes_of_episodes, spk_options_mining_live, spk_options_testing_live,
      spk_options_shared}},
    {"episodes()",
     {spk_options_recording, spk_options_delays_of_episodes, spk_options_supports,
      spk_options_links, spk_options_choosing_supports, spk_options_sizes_of_episodes,
      spk_options_selected_episodes, spk_options_tested_episodes, spk_options_mining_episodes,
      spk_options_executing, spk_options_shared, spk_options_progressing}},
    {"patterns()",
     {spk_options_recording, spk_options_searching_patterns, spk_options_supports_of_patterns,
      spk_options_choosing_supports, spk_options_limits_of_patterns, spk_options_listing_patterns,
      spk_options_selected_patterns, spk_options_tested_patterns, spk_options_keeping_intervals,
      spk_options_mining_patterns, spk_options_executing, spk_options_shared,
      spk_options_progressing}},
};

const spk_option *spk_operation_option(const char *operation, size_t k)
{
    const bool is_function = strchr(operation, '(') != NULL;
    for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++) {
        if (strcmp(operations[o].name, operation) != 0)
            continue;
        for (size_t t = 0; t < MOST_TABLES && operations[o].tables[t] != NULL; t++)
            for (const spk_option *p = operations[o].tables[t]; p->name != NULL; p++)
                if (!(is_function && p->command_only) && k-- == 0)
                    return p;
    }
    return NULL;
}
