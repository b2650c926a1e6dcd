/* UTF-8 by the table of RFC 3629, section 4. */
#include "base/utf8.h"

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
