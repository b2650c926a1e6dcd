/* A look into JSON that comes from outside. */
#include "live/sources/open_ephys_messages.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/decimal.h"

typedef struct look {
    const char *at;
    const char *end;
    size_t n;
    const char *const *paths;
    spk_json_value *values;
    const char *key[SPK_JSON_DEPTH]; /* of each level; NULL: an array's element */
    size_t key_length[SPK_JSON_DEPTH];
    int depth;
} look;

static void skip_blanks(look *l)
{
    while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\n' || *l->at == '\r'))
        l->at++;
}

/* Between the quotes; `at` comes to stand behind the second one. */
static bool take_string(look *l, const char **text, size_t *length)
{
    *text = ++l->at;
    while (l->at < l->end && *l->at != '"') {
        if ((unsigned char)*l->at < 0x20)
            return false;
        l->at += *l->at == '\\' ? 2 : 1;
    }
    if (l->at >= l->end)
        return false;
    *length = (size_t)(l->at++ - *text);
    return true;
}

/* The keys down to this value are those of the path. */
static bool is_path(const look *l, const char *path)
{
    for (int k = 0; k < l->depth; k++) {
        const size_t n = l->key_length[k];
        if (l->key[k] == NULL || strncmp(path, l->key[k], n) != 0 ||
            path[n] != (k + 1 < l->depth ? '.' : '\0'))
            return false;
        path += n + 1;
    }
    return true;
}

static void keep(const look *l, const char *text, size_t length, bool quoted)
{
    for (size_t k = 0; k < l->n; k++)
        if (is_path(l, l->paths[k]))
            l->values[k] = (spk_json_value){text, length, quoted};
}

/* A number, true, false or null. */
static bool take_word(look *l)
{
    const char *from = l->at;
    while (l->at < l->end && (spk_is_digit(*l->at) || (*l->at >= 'a' && *l->at <= 'z') ||
                              *l->at == '-' || *l->at == '+' || *l->at == '.' || *l->at == 'E'))
        l->at++;
    const size_t n = (size_t)(l->at - from);
    spk_written_decimal number;
    const char *rest = NULL;
    const bool good = (n == 4 && memcmp(from, "true", 4) == 0) ||
                      (n == 5 && memcmp(from, "false", 5) == 0) ||
                      (n == 4 && memcmp(from, "null", 4) == 0) ||
                      (n > 0 && spk_decimal_scan(from, l->at, &number, &rest) && rest == l->at);
    if (good)
        keep(l, from, n, false);
    return good;
}

/* One value that is no object or array. */
static bool take_scalar(look *l)
{
    const char *text = NULL;
    size_t length = 0;
    if (*l->at != '"')
        return take_word(l);
    if (!take_string(l, &text, &length))
        return false;
    keep(l, text, length, true);
    return true;
}

/* The key before a value of an object; nothing in an array. */
static bool take_key(look *l, char kind)
{
    const int level = l->depth - 1;
    l->key[level] = NULL;
    if (kind == '[')
        return true;
    if (l->at == l->end || *l->at != '"' || !take_string(l, &l->key[level], &l->key_length[level]))
        return false;
    skip_blanks(l);
    if (l->at == l->end || *l->at++ != ':')
        return false;
    skip_blanks(l);
    return true;
}

bool spk_json_look(const char *text, size_t length, size_t n, const char *const *paths,
                   spk_json_value *values)
{
    look l = {.at = text, .end = text + length, .n = n, .paths = paths, .values = values};
    char kind[SPK_JSON_DEPTH];
    bool after = false; /* a value stands before: a comma or the end follows */
    memset(values, 0, n * sizeof *values);
    skip_blanks(&l);
    if (l.at == l.end || *l.at != '{')
        return false;
    do {
        skip_blanks(&l);
        if (l.at == l.end)
            return false;
        const char close = l.depth == 0 ? '\0' : kind[l.depth - 1] == '{' ? '}' : ']';
        if (l.depth > 0 && *l.at == close) {
            l.at++;
            l.depth--;
            after = true;
            continue;
        }
        if (l.depth > 0) {
            if (after && *l.at++ != ',')
                return false;
            skip_blanks(&l);
            if (!take_key(&l, kind[l.depth - 1]) || l.at == l.end)
                return false;
        }
        after = true;
        if (*l.at == '{' || *l.at == '[') {
            if (l.depth == SPK_JSON_DEPTH)
                return false;
            kind[l.depth++] = *l.at++;
            after = false;
        } else if (!take_scalar(&l)) {
            return false;
        }
    } while (l.depth > 0);
    while (l.at < l.end && (*l.at == '\0' || *l.at == ' ' || *l.at == '\n' || *l.at == '\r'))
        l.at++;
    return l.at == l.end;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int hex(char c)
{
    return spk_is_digit(c)                      ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

/* Four digits behind \u; -1: they are none. */
static long take_code(const char *text, const char *end)
{
    long code = 0;
    if (end - text < 4)
        return -1;
    for (int k = 0; k < 4; k++) {
        const int digit = hex(text[k]);
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

static size_t put_utf8(long code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* What stands behind a backslash at *at, which comes to stand behind it; 0: no character. */
static size_t take_escape(const char **at, const char *end, char out[4])
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const char c = *at < end ? *(*at)++ : '\0';
    const char *found = c != '\0' ? strchr(from, c) : NULL;
    if (found != NULL) {
        out[0] = to[found - from];
        return 1;
    }
    long code = c == 'u' ? take_code(*at, end) : -1;
    if (code <= 0)
        return 0;
    *at += 4;
    if (code >= 0xd800 && code < 0xdc00) { /* the first of two */
        const long second =
            end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u' ? take_code(*at + 2, end) : -1;
        if (second < 0xdc00 || second > 0xdfff)
            return 0;
        *at += 6;
        code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
    }
    return put_utf8(code, out);
}

bool spk_json_copy(const spk_json_value *value, char *out, size_t size)
{
    assert(size > 4);
    size_t n = 0;
    out[0] = '\0';
    if (value->text == NULL)
        return false;
    const char *at = value->text;
    const char *end = value->text + value->length;
    while (at < end) {
        char bytes[4] = {*at};
        size_t more = 1;
        if (*at++ == '\\' && value->quoted)
            more = take_escape(&at, end, bytes);
        if (more == 0 || n + more >= size)
            return false;
        memcpy(out + n, bytes, more);
        n += more;
    }
    out[n] = '\0';
    return true;
}

bool spk_json_whole(const spk_json_value *value, long long *out)
{
    spk_decimal number;
    const char *rest = NULL;
    if (value->text == NULL || value->quoted)
        return false;
    const char *end = value->text + value->length;
    if (spk_decimal_parse(value->text, end, &number, &rest) != SPK_DECIMAL_OK || rest != end ||
        number.exponent < 0 || number.exponent > 18)
        return false;
    int64_t whole = number.digits;
    if (__builtin_mul_overflow(whole, spk_power_of_ten[number.exponent], &whole))
        return false;
    *out = whole;
    return true;
}
