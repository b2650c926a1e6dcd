/*
 * One context for all cases of a test program. It comes after the headers of what is tested, whose
 * functions call their own contexts so, too.
 */
#pragma once

#include "support/test.h"

extern spk_context *context;

/* Begin and end of a group of tests, or of one: they make the context and free it. */
int context_setup(void **state);
int context_teardown(void **state);

/* Fails the test, with the context's message, unless this status is SPK_OK. */
void check(spk_status status);

/* Fails the test unless this status is the wanted one and the context's message has the text. */
void check_fails(spk_status status, spk_status wanted, const char *text);
