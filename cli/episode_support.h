/* `episodes --support`, --link-share and --support-time: a count, a share of the events, or auto.
 */
#ifndef CLI_EPISODE_SUPPORT_H
#define CLI_EPISODE_SUPPORT_H

#include "exact_test.h"

enum { EPISODE_SUPPORT_TEXT = 560 };

typedef struct episode_support_values {
    const char *support;
    double link_share;
    cli_duration time; /* for auto */
} episode_support_values;

/* --link-share and --support-time; --support itself differs between commands. */
#define EPISODE_SUPPORT_OPTIONS(type, member)                                                      \
    {.name = "link-share",                                                                         \
     .kind = CLI_NUMBER,                                                                           \
     .argument = "F",                                                                              \
     .offset = offsetof(type, member.link_share),                                                  \
     .fallback = "0",                                                                              \
     .minimum = 0,                                                                                 \
     .maximum = SPK_EPISODE_MAX_LINK_SHARE,                                                        \
     .help =                                                                                       \
         "an episode must also occur F times as often as chance gives each of its links, two "     \
         "neighbours with their interval, at the mean rates of the two units. Busy units then "    \
         "need hundreds of occurrences where slow ones need six"},                                 \
    {                                                                                              \
        .name = "support-time", .kind = CLI_DURATION, .argument = "TIME",                          \
        .offset = offsetof(type, member.time), .fallback = "30s",                                  \
        .help = "time for choosing what --support auto takes. A search may take a hundredth of "   \
                "it on one processor, reckoned from its number of steps, so that the choice is "   \
                "the same on every machine"                                                        \
    }

/* Checks what can be known before the recording is read. CLI_DONE or an exit code. */
int episode_support_check(cli_session *session, const episode_support_values *values,
                          const exact_plan *plan);

/* Sets options->support and link_share; the other fields are there. Why it was chosen goes to
 * `why`, "" where it was given, and to a note. CLI_DONE or an exit code. */
int episode_support_take(cli_session *session, const episode_support_values *values,
                         const spk_recording *recording, const exact_plan *plan,
                         spk_episode_options *options, char why[EPISODE_SUPPORT_TEXT]);

#endif
