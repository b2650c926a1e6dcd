/* Text that a terminal shows as it is: nothing in it moves the cursor, changes colours or hides. */
#ifndef SPK_BASE_PRINTABLE_H
#define SPK_BASE_PRINTABLE_H

#include <stddef.h>

/* Bytes of the character at `text`, of which `length` bytes may be read, when it can be printed; 0
 * where the first byte must be escaped: it is no UTF-8, or begins a control character (C0, DEL, C1)
 * or one that changes the direction of text or ends a line. */
size_t spk_printable_character(const char *text, size_t length);

/* Writes the escape of one byte, \t, \n, \r or \xHH, without a zero behind it; returns its length,
 * at most SPK_ESCAPE_BYTES. */
size_t spk_printable_escape(char byte, char *out);

enum { SPK_ESCAPE_BYTES = 4 };

#endif
