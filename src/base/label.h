/* Labels inside a line of text: plain, or in double quotes where a reader could take them for
 * something else. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A buffer that counts what does not fit any more, as snprintf does. */
typedef struct spk_text_buffer {
    char *at;
    size_t size;
    size_t length;
} spk_text_buffer;

void spk_text_put_char(spk_text_buffer *buffer, char c);
void spk_text_put(spk_text_buffer *buffer, const char *text);

/* Ends the text with a zero, which the buffer has place for unless its size is 0; the length that
 * the whole text has. */
size_t spk_text_end(const spk_text_buffer *buffer);

/* Whether a label needs quotes: it is empty, begins as a comment or a byte order mark does, holds a
 * byte of `separators`, a blank or a quote, or something that cannot be printed. */
bool spk_label_needs_quotes(const char *label, const char *separators);

/* Puts the label, with quotes or as it is. In quotes "" stands for a quote, \\ for a backslash, \t
 * for a tab, \n and \r for line ends and \xHH for any other byte that cannot be printed. */
void spk_label_put(spk_text_buffer *buffer, const char *label, bool quoted);

/* Copies the label at `at` into `label`, which has room for all of the text, without quotes and
 * escapes. A plain one ends before a blank, a quote or a byte of `separators`. Returns where the
 * label ends; NULL when a quote is not closed. */
const char *spk_label_take(const char *at, const char *separators, char *label);

/* ---- whole numbers --------------------------------------------------------------------------- */

enum { SPK_LABEL_NUMBER = 24 };

/* Digits of a label such as "38.0", which tables of reals have for 38; 0 for all others. */
size_t spk_label_whole(const char *label);

/* What the same unit is called by others: "38" for "38.0", "38.0" for "38". False: nothing else. */
bool spk_label_alias(const char *label, char alias[SPK_LABEL_NUMBER]);

/* ---- natural order --------------------------------------------------------------------------- */

/* <0, 0, >0 like strcmp; 0 only for equal strings ("01" and "1" differ, the shorter comes first).
 */
int spk_natural_compare(const char *a, const char *b);
