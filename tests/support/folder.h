/* A folder for the files of one test program; it is removed when the program ends. */
#pragma once

#include <stdbool.h>

/* Path of a file in the folder, which the first call makes; a static buffer, valid for three more
 * calls. */
const char *test_path(const char *name);

/* Path of a new file with this text. */
const char *test_file(const char *name, const char *text);

/* The text of a file in the folder; the caller frees it. */
char *test_file_text(const char *name);

bool test_file_exists(const char *name);
