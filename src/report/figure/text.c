/* Texts for pictures. Labels come from files, so nothing is assumed about their bytes. */
#include "report/figure/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Length of the UTF-8 character at `text`, 0 when there is none (RFC 3629: no overlong forms, no
 * surrogates, at most U+10FFFF). */
static size_t character_length(const unsigned char *text)
{
    unsigned char first = text[0];
    if (first < 0x80)
        return first == '\n' || (first >= 0x20 && first != 0x7f);
    size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                    : first >= 0xe0 && first <= 0xef ? 3
                    : first >= 0xf0 && first <= 0xf4 ? 4
                                                     : 0;
    for (size_t k = 1; k < length; k++)
        if ((text[k] & 0xc0) != 0x80)
            return 0;
    bool overlong = (first == 0xe0 && text[1] < 0xa0) || (first == 0xf0 && text[1] < 0x90);
    bool outside = (first == 0xed && text[1] > 0x9f) || (first == 0xf4 && text[1] > 0x8f);
    bool control = first == 0xc2 && text[1] < 0xa0;
    bool no_character = first == 0xef && text[1] == 0xbf && text[2] >= 0xbe; /* not in XML */
    return overlong || outside || control || no_character ? 0 : length;
}

spk_status spk_text_utf8(spk_context *context, const char *text, char **out)
{
    spk_status status = spk_strdup(context, out, text);
    for (char *at = *out; at != NULL && *at != '\0';) {
        size_t length = character_length((const unsigned char *)at);
        if (length == 0)
            *at = '?';
        at += length > 0 ? length : 1;
    }
    return status;
}

spk_status spk_text_xml(spk_context *context, const char *text, char **out)
{
    *out = NULL;
    char *clean = NULL;
    spk_text escaped = {NULL, 0, 0};
    spk_status status = spk_text_utf8(context, text, &clean);
    if (status == SPK_OK)
        status = spk_text_add(context, &escaped, "%s", "");
    for (const char *at = clean; status == SPK_OK && *at != '\0';) {
        size_t plain = strcspn(at, "&<>");
        status = spk_text_add(context, &escaped, "%.*s", (int)plain, at);
        at += plain;
        if (status != SPK_OK || *at == '\0')
            break;
        status = spk_text_add(context, &escaped, "%s",
                              *at == '&'   ? "&amp;"
                              : *at == '<' ? "&lt;"
                                           : "&gt;");
        at++;
    }
    free(clean);
    if (status == SPK_OK)
        *out = escaped.bytes;
    else
        free(escaped.bytes);
    return status;
}

const char *spk_text_count(uint64_t count, char *buffer)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, count);
    int used = 0;
    for (int k = 0; k < n; k++) {
        if (k > 0 && (n - k) % 3 == 0)
            buffer[used++] = ',';
        buffer[used++] = digits[k];
    }
    buffer[used] = '\0';
    return buffer;
}

spk_status spk_text_add(spk_context *context, spk_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        return spk_fail(context, SPK_ERR_INTERNAL, "a text of the picture cannot be formatted");
    uint64_t needed = text->length + (uint64_t)length + 1;
    spk_status status = spk_grow(context, &text->bytes, &text->capacity, needed, "a text");
    if (status != SPK_OK)
        return status;
    va_start(arguments, format);
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (uint64_t)length;
    return SPK_OK;
}
