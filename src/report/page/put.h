/* Pieces of JSON on their way to a file, and numbers packed into base64. The stream keeps what
 * fails (base/output.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A string in quotes. No '<' is in it, so that nothing in it ends the script that holds it. Bytes
 * that are not UTF-8 become U+FFFD. */
void page_put_string(FILE *out, const char *text);

/* Text between tags of HTML, or in an attribute. */
void page_put_html(FILE *out, const char *text);

/* A number with 12 digits at most; null where there is none. */
void page_put_real(FILE *out, double value);

/* The same with as many digits as tell it from every other number. */
void page_put_exact_real(FILE *out, double value);

/* ---- packed numbers -------------------------------------------------------------------------- */

/* Base64 in the making. */
typedef struct page_base64 {
    FILE *out;
    uint32_t bits;
    int n; /* bytes in it, 0 .. 2 */
} page_base64;

void page_base64_put(page_base64 *base64, unsigned char byte);
void page_base64_end(page_base64 *base64);

/* A number in bytes of 7 bits, the lowest first; bit 8 tells that more follow (LEB128). Returns how
 * many, at most PAGE_VARINT_BYTES. */
enum { PAGE_VARINT_BYTES = 10 };
int page_varint(uint64_t number, unsigned char *out);

void page_base64_put_number(page_base64 *base64, uint64_t number);

/* 0, -1, 1, -2 ... as 0, 1, 2, 3 ... */
static inline uint64_t page_zigzag(int64_t number)
{
    uint64_t twice = (uint64_t)number << 1;
    return number < 0 ? ~twice : twice;
}
