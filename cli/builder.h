/* JSON objects and arrays in the making. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Where memory is out anything may be missing: such JSON is never printed. */
typedef struct cli_builder {
    json_t *json;
    bool failed;
} cli_builder;

static inline cli_builder cli_begin_object(void)
{
    json_t *json = json_object();
    return (cli_builder){json, json == NULL};
}

static inline cli_builder cli_begin_array(void)
{
    json_t *json = json_array();
    return (cli_builder){json, json == NULL};
}

/* Takes the value over. */
static inline void cli_add_json(cli_builder *array, json_t *value)
{
    array->failed |= json_array_append_new(array->json, value) != 0;
}

/* The same. */
static inline void cli_put_json(cli_builder *object, const char *key, json_t *value)
{
    object->failed |= json_object_set_new(object->json, key, value) != 0;
}

static inline void cli_put_text(cli_builder *object, const char *key, const char *text)
{
    cli_put_json(object, key, json_string(text));
}

static inline void cli_put_integer(cli_builder *object, const char *key, uint64_t value)
{
    cli_put_json(object, key, json_integer((json_int_t)value));
}

static inline void cli_put_real(cli_builder *object, const char *key, double value)
{
    cli_put_json(object, key, json_real(value));
}

/* null where nothing is given. */
static inline void cli_put_real_or_null(cli_builder *object, const char *key, bool given,
                                        double value)
{
    cli_put_json(object, key, given ? json_real(value) : json_null());
}

/* What was made; NULL where memory was out. */
static inline json_t *cli_finish(cli_builder *made)
{
    if (!made->failed)
        return made->json;
    json_decref(made->json);
    return NULL;
}

/* Prints it as a whole or not at all, and frees it; `flags` of json_dumps. False where memory was
 * out: jansson may then leave a key empty without a word, so the text is read once before. NULL is
 * accepted. */
static inline bool cli_print_json(json_t *json, size_t flags)
{
    char *text = json != NULL ? json_dumps(json, JSON_INDENT(2) | flags) : NULL;
    json_t *read = text != NULL ? json_loads(text, 0, NULL) : NULL;
    const bool good = read != NULL;
    if (good)
        puts(text);
    json_decref(json);
    json_decref(read);
    free(text);
    return good;
}
