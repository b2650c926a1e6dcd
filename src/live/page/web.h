/* The files of web/, as the build packs them into the library (cmake/WebFiles.cmake). */
#pragma once

#include <stddef.h>

typedef struct live_web_file {
    const unsigned char *bytes;
    size_t n;
} live_web_file;

extern const live_web_file live_web_html;
extern const live_web_file live_web_css;
extern const live_web_file live_web_js;
