/* What an HTML report holds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* The data of a report in the folder of the test, which must be JSON. */
json_t *test_page_load(const char *name);

json_int_t test_page_integer(const json_t *object, const char *key);

/* Numbers of a packed column {"n", "v"}; the caller frees them. */
uint64_t *test_page_unpack(const json_t *column, uint64_t *n);
int64_t test_page_unzigzag(uint64_t number);

const json_t *test_page_cell(const json_t *data, size_t row, const char *key);

/* Whether one of the texts of a list holds this. */
bool test_page_tells(const json_t *data, const char *list, const char *what);

/* NULL: there is no such setting. */
const char *test_page_setting(const json_t *data, const char *name);
