/* UTF-8 by the table of RFC 3629, section 4. */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

#include "spikemine/context.h"

static size_t length_by_first_byte(unsigned char first)
{
    return first < 0x80   ? 1
           : first < 0xc2 ? 0
           : first < 0xe0 ? 2
           : first < 0xf0 ? 3
           : first < 0xf5 ? 4
                          : 0;
}

size_t spk_utf8_character(const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t n = length > 0 ? length_by_first_byte(s[0]) : 0;
    if (n > length)
        return 0;
    for (size_t k = 1; k < n; k++)
        if ((s[k] & 0xc0) != 0x80)
            return 0;
    /* Overlong forms of three and four bytes, surrogates, and what lies beyond U+10FFFF. */
    if (n > 1 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
                  (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)))
        return 0;
    return n;
}

bool spk_utf8_is_text(const char *text, size_t length)
{
    for (size_t k = 0; k < length;) {
        unsigned char byte = (unsigned char)text[k];
        size_t n = spk_utf8_character(text + k, length - k);
        if (n == 0 || (byte < 0x20 && byte != '\t') || byte == 0x7f)
            return false;
        k += n;
    }
    return true;
}

/* The character at `text`, of n bytes. */
static unsigned code_point(const char *text, size_t n)
{
    static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned code = (unsigned char)text[0] & first_bits[n];
    for (size_t k = 1; k < n; k++)
        code = code << 6 | ((unsigned char)text[k] & 0x3f);
    return code;
}

bool spk_utf8_is_plain(const char *text, size_t length)
{
    static const unsigned misleading[][2] = {{0x80, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},
                                             {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}};
    if (!spk_utf8_is_text(text, length))
        return false;
    for (size_t k = 0, n; k < length; k += n) {
        n = spk_utf8_character(text + k, length - k);
        const unsigned code = code_point(text + k, n);
        for (size_t i = 0; i < sizeof misleading / sizeof misleading[0]; i++)
            if (code >= misleading[i][0] && code <= misleading[i][1])
                return false;
    }
    return true;
}

/* ---- what a terminal gets -------------------------------------------------------------------- */

/* Code points of two and three bytes that are no letters: C1 controls, marks and overrides of
 * direction, ends of lines and paragraphs. */
static bool is_hidden(const unsigned char *s, size_t n)
{
    if (n == 2)
        return s[0] == 0xc2 && s[1] < 0xa0;
    if (n != 3 || s[0] != 0xe2)
        return false;
    uint32_t code =
        (uint32_t)(s[1] & 0x3f) << 6 | (s[2] & 0x3f); /* below U+2000 it is 0 .. 0xfff */
    return code == 0x0e || code == 0x0f || (code >= 0x28 && code <= 0x2e) ||
           (code >= 0x66 && code <= 0x69);
}

size_t spk_printable_character(const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t n = spk_utf8_character(text, length);
    if (n == 0 || s[0] < 0x20 || s[0] == 0x7f || is_hidden(s, n))
        return 0;
    return n;
}

size_t spk_printable_escape(char byte, char *out)
{
    static const char digits[] = "0123456789abcdef";
    static const char plain[] = "\t\n\r";
    const char *found = byte != '\0' ? strchr(plain, byte) : NULL;
    out[0] = '\\';
    if (found != NULL) {
        out[1] = "tnr"[found - plain];
        return 2;
    }
    out[1] = 'x';
    out[2] = digits[(unsigned char)byte >> 4];
    out[3] = digits[(unsigned char)byte & 15];
    return 4;
}

size_t spk_text_printable(const char *text, char *buffer, size_t size)
{
    size_t rest = strlen(text);
    size_t used = 0;
    bool full = false;
    size_t length = 0;
    while (rest > 0) {
        char piece[SPK_ESCAPE_BYTES];
        size_t n = spk_printable_character(text, rest);
        size_t taken = n > 0 ? n : 1;
        if (n > 0)
            memcpy(piece, text, n); /* a character has at most four bytes */
        else
            n = spk_printable_escape(*text, piece);
        full |= used + n >= size;
        if (!full) {
            memcpy(buffer + used, piece, n);
            used += n;
        }
        length += n;
        text += taken;
        rest -= taken;
    }
    if (size > 0)
        buffer[used] = '\0';
    return length;
}
