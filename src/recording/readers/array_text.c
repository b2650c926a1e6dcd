/* Texts of arrays. */
#include "recording/readers/array.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "spikemine/recording.h"

/* Puts a character as UTF-8; returns its bytes, at most 4. */
static size_t put_character(uint32_t c, char *out)
{
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    size_t n = 0;
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
        *out = '\xff';
        return 1;
    }
    if (c < 0x80) {
        *out = (char)c;
        return 1;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    out[n++] = (char)(first[more] | c >> (6 * more));
    for (int shift = 6 * (more - 1); shift >= 0; shift -= 6)
        out[n++] = (char)(0x80 | (c >> shift & 0x3f));
    return n;
}

size_t spk_npy_text(const unsigned char *at, const spk_npy_type *type, char *out)
{
    size_t n = 0, length = 0;
    assert(at != NULL && out != NULL);
    if (type->kind == 'S') {
        for (size_t k = 0; k < type->size; k++)
            length = at[k] != 0 ? k + 1 : length;
        memcpy(out, at, length);
        return length;
    }
    for (size_t k = 0; k < type->size; k += 4) {
        uint32_t c;
        memcpy(&c, at + k, sizeof c);
        c = type->swap ? __builtin_bswap32(c) : c;
        n += put_character(c, out + n);
        length = c != 0 ? n : length;
    }
    return length;
}

static spk_status check_text(spk_context *context, const spk_values *values, uint64_t index,
                             const char *text, size_t length)
{
    if (spk_utf8_is_text(text, length))
        return SPK_OK;
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s: value %" PRIu64 " (from 0) is no text in UTF-8; save it again",
                    values->array->name, index);
}

static spk_status fail_no_text(spk_context *context, const spk_values *values)
{
    return spk_fail(context, SPK_ERR_FORMAT, "%s: holds no texts; save it again",
                    values->array->name);
}

/* Room for one text as it is stored, and as it becomes. */
static spk_status make_room(spk_context *context, const spk_values *values, unsigned char **raw,
                            char **text)
{
    return spk_alloc_columns(context, "texts", SPK_COLUMN(raw, values->type.size),
                             SPK_COLUMN(text, values->type.size + 1));
}

spk_status spk_values_text(spk_context *context, const spk_values *values, uint64_t index,
                           char *out, size_t size)
{
    unsigned char *raw = NULL;
    char *text = NULL;
    size_t length = 0;
    if (!spk_values_are_text(values))
        return fail_no_text(context, values);
    spk_status status = make_room(context, values, &raw, &text);
    if (status == SPK_OK)
        status = spk_values_raw(context, values, index, 1, raw);
    if (status == SPK_OK) {
        length = spk_npy_text(raw, &values->type, text);
        status = check_text(context, values, index, text, length);
    }
    if (status == SPK_OK && length >= size)
        status = spk_fail(context, SPK_ERR_FORMAT,
                          "%s: a text of %zu bytes is too long here; save "
                          "it again",
                          values->array->name, length);
    if (status == SPK_OK) {
        assert(text != NULL);
        memcpy(out, text, length);
        out[length] = '\0';
    }
    spk_free(context, raw);
    spk_free(context, text);
    return status;
}

spk_status spk_values_intern(spk_context *context, const spk_values *values, spk_labels *labels)
{
    unsigned char *raw = NULL;
    char *text = NULL;
    uint32_t number;
    if (!spk_values_are_text(values))
        return fail_no_text(context, values);
    spk_status status = make_room(context, values, &raw, &text);
    for (uint64_t i = 0; i < values->n && status == SPK_OK; i++) {
        status = spk_values_raw(context, values, i, 1, raw);
        size_t length = status == SPK_OK ? spk_npy_text(raw, &values->type, text) : 0;
        if (status == SPK_OK)
            status = check_text(context, values, i, text, length);
        if (status == SPK_OK && i >= SPK_MAX_UNITS)
            status = spk_fail(context, SPK_ERR_RANGE,
                              "%s: more than %u units; is this the right "
                              "array?",
                              values->array->name, SPK_MAX_UNITS);
        if (status == SPK_OK)
            status = spk_labels_intern(context, labels, text, length, &number);
    }
    spk_free(context, raw);
    spk_free(context, text);
    return status;
}
