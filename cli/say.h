/* Everything that the program says goes through here, made printable: paths, labels and arguments
 * may hold bytes that a terminal would obey. */
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "spikemine/spikemine.h"

/* printf to standard error. */
void cli_say(const char *format, ...) SPK_PRINTF(1, 2);
void cli_say_list(const char *format, va_list arguments) SPK_PRINTF(1, 0);

/* Adds to a text that lies in `size` bytes, as far as it fits. */
void cli_append(char *text, size_t size, const char *format, ...) SPK_PRINTF(3, 4);

/* Writes a text that may be long, as a label, to any stream. */
void cli_put(FILE *out, const char *text);
