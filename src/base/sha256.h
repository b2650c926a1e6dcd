/*
 * SHA-256 (FIPS 180-4), in every build: what names the content of a recording or of a file must be
 * the same where libcrypto is missing. It guards against damage and mix-ups.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SPK_SHA256_HEX = 65 }; /* bytes of the text form with its terminator */

typedef struct spk_sha256 {
    uint32_t state[8];
    uint64_t n_bytes;
    unsigned char block[64]; /* the last n_bytes % 64 bytes */
} spk_sha256;

spk_sha256 spk_sha256_start(void);

void spk_sha256_add(spk_sha256 *digest, const void *data, size_t n);

/* A number as 8 bytes, the lowest first. */
void spk_sha256_add_u64(spk_sha256 *digest, uint64_t number);

/* The digest in hexadecimal. Nothing can be added afterwards. */
void spk_sha256_end(spk_sha256 *digest, char hex[SPK_SHA256_HEX]);
