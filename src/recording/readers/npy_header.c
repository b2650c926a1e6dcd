/* Parsing of .npy headers. */
#include "recording/readers/array.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

static const char MAGIC[] = "\x93NUMPY";
enum { MAGIC_BYTES = 6, SIZE_MOST = 1 << 20 };

/* ---- the text -------------------------------------------------------------------------------- */

/* The text being read, and what was found wrong with it. */
typedef struct parser {
    const char *at;
    const char *end;
    const char *problem; /* NULL: none */
} parser;

static bool fail(parser *p, const char *problem)
{
    if (p->problem == NULL)
        p->problem = problem;
    return false;
}

static void skip_blanks(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r'))
        p->at++;
}

/* Whether c comes next; it is taken. */
static bool take(parser *p, char c)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

static bool expect(parser *p, char c)
{
    return take(p, c) || fail(p, "the header is no dictionary of literals");
}

/* Takes 'text' or "text" without escapes; *text points into the header. */
static bool take_text(parser *p, const char **text, size_t *length)
{
    skip_blanks(p);
    if (p->at < p->end && *p->at == 'u') /* as Python 2 wrote */
        p->at++;
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"'))
        return fail(p, "a text in quotes is missing in the header");
    const char quote = *p->at++;
    *text = p->at;
    while (p->at < p->end && *p->at != quote && *p->at != '\\')
        p->at++;
    if (p->at == p->end || *p->at != quote)
        return fail(p, "a text in the header is not closed");
    *length = (size_t)(p->at++ - *text);
    return true;
}

static bool is_text(const char *text, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(text, wanted, length) == 0;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* "<f8", "|S4", ">u2", "<U8" */
static bool parse_type(parser *p, const char *text, size_t length, spk_npy_type *out)
{
    const uint16_t one = 1;
    unsigned char little;
    memcpy(&little, &one, 1);
    const char *at = text + 1, *end = text + length;
    uint64_t size = 0;
    if (length >= 2 && (text[0] == 'O' || text[1] == 'O'))
        return fail(p, "holds Python objects, which are never loaded here; save plain numbers, for "
                       "example with array.astype(float)");
    if (length < 3 || strchr("<>|=", text[0]) == NULL)
        return fail(p, "has a type that is not read");
    *out = (spk_npy_type){.kind = *at++};
    if (!spk_whole_scan(&at, end, &size) || at != end || size > SIZE_MOST)
        return fail(p, "has a type that is not read");
    out->size = (size_t)size * (out->kind == 'U' ? 4 : 1);
    out->swap = (text[0] == '>' && little != 0) || (text[0] == '<' && little == 0);
    const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
    const bool good = out->kind == 'f'   ? size == 2 || size == 4 || size == 8
                      : out->kind == 'b' ? size == 1
                      : out->kind == 'i' || out->kind == 'u'
                          ? whole
                          : (out->kind == 'S' || out->kind == 'U') && size > 0;
    return good || fail(p, "has a type that is not read; save it as int64, float64 or text");
}

/* [('name', '<i8'), ...] behind the bracket */
static bool parse_record(parser *p, spk_npy_header *out)
{
    while (!take(p, ']')) {
        const char *name, *type;
        size_t n_name, n_type;
        if (out->n_fields == SPK_NPY_FIELDS)
            return fail(p, "has records of more fields than are read");
        spk_npy_field *field = &out->field[out->n_fields];
        if (!expect(p, '(') || !take_text(p, &name, &n_name) || !expect(p, ','))
            return fail(p, "has records whose fields are not read");
        if (!take_text(p, &type, &n_type) || !take(p, ')'))
            return fail(p, "has records whose fields are not single values");
        if (!parse_type(p, type, n_type, &field->type))
            return false;
        snprintf(field->name, sizeof field->name, "%.*s", (int)(n_name < 100 ? n_name : 100), name);
        field->at = out->item_size;
        out->item_size += field->type.size;
        out->n_fields++;
        take(p, ',');
    }
    return out->n_fields > 0 || fail(p, "has records without fields");
}

static bool parse_descr(parser *p, spk_npy_header *out)
{
    const char *text;
    size_t length;
    out->n_fields = out->item_size = 0;
    if (take(p, '['))
        return parse_record(p, out);
    if (!take_text(p, &text, &length) || !parse_type(p, text, length, &out->type))
        return false;
    out->item_size = out->type.size;
    return true;
}

/* ---- the dictionary -------------------------------------------------------------------------- */

static bool parse_order(parser *p, spk_npy_header *out)
{
    skip_blanks(p);
    size_t left = (size_t)(p->end - p->at);
    if (left >= 4 && memcmp(p->at, "True", 4) == 0) {
        out->fortran = true;
        p->at += 4;
        return true;
    }
    if (left < 5 || memcmp(p->at, "False", 5) != 0)
        return fail(p, "has an order that is neither True nor False");
    out->fortran = false;
    p->at += 5;
    return true;
}

static bool parse_shape(parser *p, spk_npy_header *out)
{
    out->n_dimensions = 0;
    if (!expect(p, '('))
        return false;
    while (!take(p, ')')) {
        if (out->n_dimensions == SPK_NPY_DIMENSIONS)
            return fail(p, "has more dimensions than are read");
        skip_blanks(p);
        if (!spk_whole_scan(&p->at, p->end, &out->shape[out->n_dimensions]))
            return fail(p, "has a shape that is no list of whole numbers of 64 bit");
        if (p->at < p->end && *p->at == 'L') /* as Python 2 wrote */
            p->at++;
        out->n_dimensions++;
        if (!take(p, ',') && !(p->at < p->end && *p->at == ')'))
            return fail(p, "has a shape that is not read");
    }
    return true;
}

static bool parse_dictionary(parser *p, spk_npy_header *out)
{
    unsigned seen = 0;
    if (!expect(p, '{'))
        return false;
    while (!take(p, '}')) {
        const char *key;
        size_t length;
        if (!take_text(p, &key, &length) || !expect(p, ':'))
            return false;
        bool good;
        if (is_text(key, length, "descr")) {
            good = parse_descr(p, out);
            seen |= 1;
        } else if (is_text(key, length, "fortran_order")) {
            good = parse_order(p, out);
            seen |= 2;
        } else if (is_text(key, length, "shape")) {
            good = parse_shape(p, out);
            seen |= 4;
        } else {
            good = fail(p, "has a key that is not known in its header");
        }
        if (!good)
            return false;
        take(p, ',');
    }
    return seen == 7 || fail(p, "lacks type, order or shape in its header");
}

static bool set_sizes(parser *p, spk_npy_header *out)
{
    out->n_items = 1;
    for (size_t k = 0; k < out->n_dimensions; k++)
        if (__builtin_mul_overflow(out->n_items, out->shape[k], &out->n_items))
            return fail(p, "has a shape whose size passes 64 bit");
    if (__builtin_mul_overflow(out->n_items, (uint64_t)out->item_size, &out->n_bytes) ||
        out->n_bytes > INT64_MAX - out->data_at)
        return fail(p, "has a shape whose size passes 64 bit");
    return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

bool spk_npy_is(const void *bytes, size_t n)
{
    return n >= MAGIC_BYTES && memcmp(bytes, MAGIC, MAGIC_BYTES) == 0;
}

static spk_status fail_format(spk_context *context, const char *name, const char *problem)
{
    return spk_fail(context, SPK_ERR_FORMAT, "%s: %s%s", name, problem,
                    strchr(problem, ';') != NULL ? "" : "; save it again with numpy.save");
}

spk_status spk_npy_header_parse(spk_context *context, const char *name, const void *bytes, size_t n,
                                spk_npy_header *out, size_t *needed)
{
    const unsigned char *head = bytes;
    *out = (spk_npy_header){.n_fields = 0};
    *needed = 0;
    if (!spk_npy_is(bytes, n))
        return fail_format(context, name, "is no .npy file");
    if (n < MAGIC_BYTES + 2 || head[6] < 1 || head[6] > 3)
        return fail_format(context, name, "is of a version of .npy that is not read");
    const size_t n_length = head[6] == 1 ? 2 : 4;
    if (n < MAGIC_BYTES + 2 + n_length) {
        *needed = MAGIC_BYTES + 2 + n_length;
        return SPK_OK;
    }
    size_t length = 0;
    for (size_t k = 0; k < n_length; k++)
        length |= (size_t)head[MAGIC_BYTES + 2 + k] << (8 * k);
    if (length > SPK_NPY_MAX_HEADER)
        return fail_format(context, name, "has a header of over a megabyte");
    out->data_at = MAGIC_BYTES + 2 + n_length + length;
    if (n < out->data_at) {
        *needed = out->data_at;
        return SPK_OK;
    }
    const char *text = (const char *)bytes + MAGIC_BYTES + 2 + n_length;
    parser p = {.at = text, .end = text + length};
    if (parse_dictionary(&p, out) && set_sizes(&p, out))
        return SPK_OK;
    assert(p.problem != NULL);
    return fail_format(context, name, p.problem);
}

const char *spk_npy_type_name(const spk_npy_type *type, char buffer[32])
{
    const char *name = type->kind == 'i'   ? "int"
                       : type->kind == 'u' ? "uint"
                       : type->kind == 'f' ? "float"
                                           : "";
    if (type->kind == 'b')
        snprintf(buffer, 32, "bool");
    else if (name[0] == '\0')
        snprintf(buffer, 32, "text");
    else
        snprintf(buffer, 32, "%s%zu", name, 8 * type->size);
    return buffer;
}
