/* Escapes for what a terminal must not get. */
#include "base/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "spikemine/context.h"

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
