/* Numbers on the command line. Every option reads them here, so that all accept the same texts: no
 * blanks, no plus sign, no hexadecimal, nothing behind the number, nothing that does not fit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal digits alone, a number from `least` to `most`. The first `length` bytes of `text`. */
bool cli_whole_parse(const char *text, size_t length, uint64_t least, uint64_t most, uint64_t *out);

/* n numbers with `separator` between them, each as above; "2,2,0" are three. */
bool cli_whole_list_parse(const char *text, char separator, uint32_t n, uint32_t most,
                          uint32_t *out);

/* Digits with or without a point and an exponent ("0.5", "1e-3"), from `least` to `most`; a minus
 * sign only where `least` is below 0. */
bool cli_number_parse(const char *text, double least, double most, double *out);

/* n of them with `separator` between, from 0 to `most`; "0.05,0.1" are two. */
bool cli_list_parse(const char *text, char separator, uint32_t n, double most, double *out);

/* A number of bytes with or without a suffix: "400M", "1.5G", "2GiB". It is at least 1, and a point
 * needs a suffix: half a byte is no size. */
bool cli_bytes_parse(const char *text, uint64_t *out);
