/* SHA-256 after FIPS 180-4; names of variables and functions are those of sections 4.1.2 and 6.2.2.
 */
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 64 };

/* Section 4.2.2: the first bits of the cube roots of the first primes. */
static const uint32_t constant[BLOCK] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void expand(const unsigned char *bytes, uint32_t w[BLOCK])
{
    for (size_t t = 0; t < 16; t++)
        w[t] = (uint32_t)bytes[4 * t] << 24 | (uint32_t)bytes[4 * t + 1] << 16 |
               (uint32_t)bytes[4 * t + 2] << 8 | bytes[4 * t + 3];
    for (size_t t = 16; t < BLOCK; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
}

/* The eight words of the state are variables, which stay in registers: an array that moves up by
 * one place costs a call in each of 64 rounds. */
static void add_block(uint32_t state[8], const unsigned char *bytes)
{
    uint32_t w[BLOCK];
    expand(bytes, w);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (size_t t = 0; t < BLOCK; t++) {
        uint32_t sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        uint32_t choice = (e & f) ^ (~e & g);
        uint32_t t1 = h + sum1 + choice + constant[t] + w[t];
        uint32_t sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + sum0 + majority;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

spk_sha256 spk_sha256_start(void)
{
    return (spk_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                  0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void spk_sha256_add(spk_sha256 *digest, const void *data, size_t n)
{
    const unsigned char *bytes = data;
    size_t have = (size_t)(digest->n_bytes % BLOCK);
    digest->n_bytes += n;
    if (have > 0 || n < BLOCK) {
        size_t more = n < BLOCK - have ? n : BLOCK - have;
        if (more > 0)
            memcpy(digest->block + have, bytes, more);
        if (have + more < BLOCK)
            return;
        add_block(digest->state, digest->block);
        bytes += more;
        n -= more;
    }
    for (; n >= BLOCK; n -= BLOCK, bytes += BLOCK)
        add_block(digest->state, bytes);
    if (n > 0)
        memcpy(digest->block, bytes, n);
}

void spk_sha256_add_u64(spk_sha256 *digest, uint64_t number)
{
    unsigned char bytes[8];
    for (unsigned k = 0; k < 8; k++)
        bytes[k] = (unsigned char)(number >> 8 * k);
    spk_sha256_add(digest, bytes, sizeof bytes);
}

void spk_sha256_end(spk_sha256 *digest, char hex[SPK_SHA256_HEX])
{
    unsigned char end[2 * BLOCK] = {0x80};
    uint64_t n_bits = digest->n_bytes * 8;
    size_t have = (size_t)(digest->n_bytes % BLOCK);
    size_t n = (have < BLOCK - 8 ? BLOCK : 2 * BLOCK) - have;
    for (unsigned k = 0; k < 8; k++)
        end[n - 1 - k] = (unsigned char)(n_bits >> 8 * k);
    spk_sha256_add(digest, end, n);
    for (unsigned k = 0; k < 8; k++)
        snprintf(hex + (size_t)8 * k, 9, "%08x", (unsigned)digest->state[k]);
}
