/* UTF-8: which bytes are characters. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 character at `text`, of which `length` bytes may be read; 0 when there is
 * none (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF). */
size_t spk_utf8_character(const char *text, size_t length);

/* Whether all `length` bytes are UTF-8 without control characters other than tab. */
bool spk_utf8_is_text(const char *text, size_t length);

/* Whether it is that, and reads everywhere in the order in which it is written, on one line:
 * neither marks that turn the direction (Unicode's Bidi_Control) nor separators of lines, nor C1
 * controls. */
bool spk_utf8_is_plain(const char *text, size_t length);

/* ---- what a terminal gets -------------------------------------------------------------------- */

/* Bytes of the character at `text`, of which `length` bytes may be read, when it can be printed; 0
 * where the first byte must be escaped: it is no UTF-8, or begins a control character (C0, DEL, C1)
 * or one that changes the direction of text or ends a line. */
size_t spk_printable_character(const char *text, size_t length);

/* Writes the escape of one byte, \t, \n, \r or \xHH, without a zero behind it; returns its length,
 * at most SPK_ESCAPE_BYTES. */
size_t spk_printable_escape(char byte, char *out);

enum { SPK_ESCAPE_BYTES = 4 };
