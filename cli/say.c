/* Text for people, without bytes that a terminal obeys. */
#include "say.h"

#include <stdlib.h>
#include <string.h>

void cli_say_list(const char *format, va_list arguments)
{
    char text[8192]; /* two paths of the longest kind, nearly */
    vsnprintf(text, sizeof text, format, arguments);
    cli_put(stderr, text);
}

void cli_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cli_say_list(format, arguments);
    va_end(arguments);
}

void cli_append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void cli_put(FILE *out, const char *text)
{
    char few[512];
    size_t length = spk_text_printable(text, few, sizeof few);
    char *many = length < sizeof few ? NULL : malloc(length + 1);
    if (many != NULL)
        spk_text_printable(text, many, length + 1);
    fputs(many != NULL ? many : few, out);
    free(many);
}
