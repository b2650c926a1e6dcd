/* Ending a stream that writes into memory. */
#include "base/text_stream.h"

#include <stdlib.h>

bool spk_close_text(FILE *stream, char **text)
{
    const bool failed = stream == NULL || ferror(stream) != 0;
    if (stream != NULL && fclose(stream) == 0 && !failed && *text != NULL)
        return true;
    free(*text);
    *text = NULL;
    return false;
}
