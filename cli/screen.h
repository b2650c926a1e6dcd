/* A table of results on a terminal: columns below each other, three digits, the first rows. What
 * goes to a file or a pipe is the whole table as it is. */
#pragma once

#include "session.h"

typedef struct cli_screen {
    FILE *table;  /* what is written to standard output in the meantime; NULL: nothing is caught */
    int terminal; /* standard output as it was */
} cli_screen;

/* From now on no table is caught. A launcher of ranks gives each of them a terminal that nobody
 * looks at. */
void cli_screen_never(void);

/* Catches the table of the session's command where it would go to a terminal, unless the command
 * line says where, or in which form. */
void cli_screen_begin(cli_screen *screen, const cli_session *session);

/* Shows what was caught, and tells what is not shown. */
void cli_screen_end(cli_screen *screen);
