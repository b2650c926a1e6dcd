/* The progress line on a terminal: what is done, how far, what was found and written, time left. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/spikemine.h"

typedef struct cli_progress {
    bool enabled; /* standard error is a terminal that understands the line */
    bool shown;
    char what[64];  /* the present step */
    double since;   /* when it began */
    uint64_t first; /* how far it was then */
} cli_progress;

/* Whether standard error is a terminal on which a line can be written anew. */
bool cli_progress_possible(void);

/* Shows how far a step is. Seconds from a clock that only goes forward. */
void cli_progress_show(cli_progress *progress, const spk_context *context, const char *what,
                       uint64_t done, uint64_t total, double now);

/* Shows a text of printable ASCII in its place, cut to the terminal at a comma. */
void cli_progress_show_text(cli_progress *progress, const char *text);

/* Removes the line, if it is there. */
void cli_progress_remove(cli_progress *progress);

/* "12,345,678"; 32 bytes always suffice. */
void cli_count_text(uint64_t count, char *buffer, size_t size);

/* The text of the line, at most `width` characters; `seconds` have gone by since the step was at
 * `first`. Time left is told once it can be known: after three seconds and 2 % of the step. */
void cli_progress_text(char *buffer, size_t size, int width, const cli_progress *progress,
                       spk_tally tally, uint64_t done, uint64_t total, double seconds);

#endif
