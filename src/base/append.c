#include "base/append.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void spk_append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}
