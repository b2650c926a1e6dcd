/* Ending a stream that writes into memory. */
#ifndef SPK_BASE_TEXT_STREAM_H
#define SPK_BASE_TEXT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Closes a stream of open_memstream, which may be NULL. False: memory was out, and *text is NULL;
 * the system closes such a stream without a word where it cannot cut the text to its length. */
bool spk_close_text(FILE *stream, char **text);

#endif
