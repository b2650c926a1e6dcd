/* What an HTML report holds, read by decoders that are written from docs/reference/output.md. */
#include "support/page.h"

#include "support/test.h"

/* The data of a report, which must be JSON. */
json_t *test_page_load(const char *name)
{
    static const char BEGIN[] = "id=\"spikemine-data\">";
    char *text = test_file_text(name);
    char *begin = strstr(text, BEGIN);
    assert_non_null(begin);
    begin += strlen(BEGIN);
    char *end = strstr(begin, "</script>");
    assert_non_null(end);
    json_error_t error;
    json_t *data = json_loadb(begin, (size_t)(end - begin), 0, &error);
    if (data == NULL)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return data;
}

json_int_t test_page_integer(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static int digit(char c)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(DIGITS, c);
    assert_true(c != '\0' && at != NULL);
    return (int)(at - DIGITS);
}

/* Numbers of a packed column {"n", "v"}; the caller frees them. */
uint64_t *test_page_unpack(const json_t *column, uint64_t *n)
{
    const char *text = json_string_value(json_object_get(column, "v"));
    assert_non_null(text);
    *n = (uint64_t)test_page_integer(column, "n");
    uint64_t *out = calloc((size_t)*n + 1, sizeof *out), used = 0, number = 0, bits = 0;
    int shift = 0, n_bits = 0;
    for (; *text != '\0' && *text != '='; text++) {
        bits = bits << 6 | (uint64_t)digit(*text);
        n_bits += 6;
        if (n_bits < 8)
            continue;
        n_bits -= 8;
        const uint64_t byte = bits >> n_bits & 255;
        number |= (byte & 127) << shift;
        shift += 7;
        if (byte > 127)
            continue;
        assert_true(used < *n);
        out[used++] = number;
        number = 0;
        shift = 0;
    }
    assert_true(used == *n);
    return out;
}

int64_t test_page_unzigzag(uint64_t number)
{
    return (int64_t)(number >> 1) * (number % 2 == 0 ? 1 : -1) - (int64_t)(number % 2);
}

/* Where column `key` is in the rows. */
static size_t column_at(const json_t *data, const char *key)
{
    const json_t *columns = json_object_get(data, "columns");
    for (size_t k = 0; k < json_array_size(columns); k++)
        if (strcmp(json_string_value(json_object_get(json_array_get(columns, k), "key")), key) == 0)
            return k;
    fail_msg("no column %s", key);
    return 0;
}

const json_t *test_page_cell(const json_t *data, size_t row, const char *key)
{
    return json_array_get(json_array_get(json_object_get(data, "rows"), row), column_at(data, key));
}

/* Whether one of the texts of a list holds this. */
bool test_page_tells(const json_t *data, const char *list, const char *what)
{
    const json_t *texts = json_object_get(data, list);
    assert_true(json_is_array(texts));
    for (size_t k = 0; k < json_array_size(texts); k++)
        if (strstr(json_string_value(json_array_get(texts, k)), what) != NULL)
            return true;
    return false;
}

const char *test_page_setting(const json_t *data, const char *name)
{
    const json_t *list = json_object_get(data, "settings");
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *pair = json_array_get(list, k);
        if (strcmp(json_string_value(json_array_get(pair, 0)), name) == 0)
            return json_string_value(json_array_get(pair, 1));
    }
    return NULL;
}
