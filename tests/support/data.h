/* Where the tests find recordings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Path of a bundled recording (data/NAME); a static buffer, valid until the next call. */
const char *test_bundled(const char *name);

/* Path of a recording that is not bundled: SPIKEMINE_DATA/NAME, else ../shared/data/NAME or
 * data-local/NAME beside the sources; NULL when it is not there, and the test skips. */
const char *test_external(const char *name);
