/* The files of web/, as the build packs them into the library (cmake/WebFiles.cmake). */
#pragma once

#include <stddef.h>

typedef struct page_web_file {
    const unsigned char *bytes;
    size_t n;
} page_web_file;

extern const page_web_file page_web_html;
extern const page_web_file page_web_css;
extern const page_web_file page_web_js;
