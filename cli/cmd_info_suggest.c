/* spikemine info --suggest: a command to begin with. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "info.h"

/* Whether a word of `spikemine info` has no place in `spikemine episodes`; *skip: the next one
 * neither. */
static bool is_of_info(const char *word, size_t n, bool *skip)
{
    static const char *const words[] = {"--suggest", "--units-table", "--per-unit", "--format=text",
                                        "--format=json"};
    *skip = n == strlen("--format") && memcmp(word, "--format", n) == 0;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (n == strlen(words[k]) && memcmp(word, words[k], n) == 0)
            return true;
    return *skip;
}

/* The command line with another command in it; to be freed, NULL where memory was out. */
static char *make_command(const cli_session *session, const spk_episode_suggestion *s)
{
    const char *at = cli_command_line(session);
    size_t size = strlen(at) + 256, used = 0;
    char *text = malloc(size), lo[48], hi[48];
    bool is_replaced = false, skip = false;
    if (text == NULL)
        return NULL;
    for (; *at != '\0'; at += strspn(at, " ")) {
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
    spk_duration_format(s->delay.lo, lo, sizeof lo);
    spk_duration_format(s->delay.hi, hi, sizeof hi);
    snprintf(text + used, size - used, " --delay %s:%s --support %" PRIu64, lo, hi, s->support);
    return text;
}

/* A time that is right within a factor of ten. */
static const char *order_of_time(double seconds)
{
    return seconds < 1     ? "under 1 s"
           : seconds < 10  ? "under 10 s"
           : seconds < 60  ? "under a minute"
           : seconds < 600 ? "under 10 minutes"
                           : "over 10 minutes";
}

spk_status info_suggest(cli_session *session, const spk_recording *recording, json_t *report)
{
    spk_episode_suggestion s;
    cli_builder object = {.json = report, .failed = report == NULL};
    if (object.failed)
        return SPK_OK; /* told by the caller */
    spk_status status = spk_episode_suggest(session->context, recording, &s);
    if (status != SPK_OK)
        return status;
    if (!s.found) {
        cli_put_text(&object, "suggestion", "none: too few events, or no pair is frequent");
        return SPK_OK;
    }
    char *command = make_command(session, &s);
    if (command == NULL)
        return SPK_ERR_MEMORY;
    cli_put_text(&object, "suggestion", info_text(command));
    cli_put_integer(&object, "suggestion_pairs", s.pairs);
    cli_put_integer(&object, "suggestion_candidates", s.candidates);
    cli_put_integer(&object, "suggestion_from_events", s.n_sampled);
    cli_put_text(&object, "suggestion_time", order_of_time(s.seconds));
    free(command);
    return object.failed ? SPK_ERR_MEMORY : SPK_OK;
}
