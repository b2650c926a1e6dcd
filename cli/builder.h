/* A JSON object in the making. */
#ifndef CLI_BUILDER_H
#define CLI_BUILDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Where memory is out anything may be missing: such an object is never printed. */
typedef struct cli_builder {
    json_t *json;
    bool failed;
} cli_builder;

static inline cli_builder cli_begin_object(void)
{
    json_t *json = json_object();
    return (cli_builder){json, json == NULL};
}

/* Takes the value over. */
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

/* The object; NULL where memory was out. */
static inline json_t *cli_finish_object(cli_builder *object)
{
    if (!object->failed)
        return object->json;
    json_decref(object->json);
    return NULL;
}

#endif
