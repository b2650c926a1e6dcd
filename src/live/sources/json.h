/*
 * A look into JSON that comes from outside: one pass over the bytes, no tree, no allocation. It
 * tells the values of the paths that were asked for, and whether the whole text is JSON.
 */
#ifndef SPK_LIVE_SOURCES_JSON_H
#define SPK_LIVE_SOURCES_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* A value that was found: the bytes of a number or of true, false and null; those between the
 * quotes of a string, with its escapes; NULL where it was not found or is an object or array. */
typedef struct spk_json_value {
    const char *text;
    size_t length;
    bool quoted;
} spk_json_value;

/* Deepest nesting that is read. */
enum { SPK_JSON_DEPTH = 32 };

/* Looks for n paths such as "spike.sample_num" (keys of objects from the outermost one, separated
 * by points). False: [text, text + length) is no JSON object, or nested too deeply. */
bool spk_json_look(const char *text, size_t length, size_t n, const char *const *paths,
                   spk_json_value *values);

/* Copies a string without its escapes, a number as it stands, always terminated; false: the value
 * is not there, longer than size - 1, or has an escape that is no character. */
bool spk_json_copy(const spk_json_value *value, char *out, size_t size);

/* A whole number; a fraction of zeros is one, too. */
bool spk_json_whole(const spk_json_value *value, long long *out);

#endif
