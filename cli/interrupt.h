/*
 * Signals that end the program.
 *
 * Most of the time the first one ends it at once. While results are made of which a part is worth
 * keeping, the first one asks the work to end and to keep what is complete; the second one ends the
 * program at once. Files in the making are removed in any case. The exit status is 128 + signal.
 * A signal that was ignored when the program began stays ignored (nohup).
 */
#pragma once

#include <stdbool.h>

#include "spikemine/context.h"

/* Writing to a pipe that nobody reads, and beyond the limit for files, fails from now on and does
 * not end the program; and no file that is opened can be taken for a standard stream that was
 * closed. */
void cli_interrupt_prepare(void);

/* Handles signals for the work of this context, until it is freed. */
void cli_interrupt_begin(spk_context *context);
void cli_interrupt_end(void);

/* Whether the first signal keeps what is complete. */
void cli_interrupt_keep(bool keep);

/* The exit status of a program whose work was cancelled. */
int cli_interrupt_status(void);
