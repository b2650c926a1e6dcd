/*
 * SHA-256 by libcrypto, of which the state can be copied. The newer functions of libcrypto (EVP)
 * keep it to themselves; our own SHA-256 (base/sha256.h) does not use what processors have for it.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "recording/digest_state.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/build_config.h"

#if SPIKEMINE_HAVE_CRYPTO
#include <openssl/sha.h>

static_assert(sizeof(SHA256_CTX) <= sizeof(spk_digest_state), "the state has room");

bool spk_digest_state_is_built(void)
{
    return true;
}

static SHA256_CTX take(const spk_digest_state *state)
{
    SHA256_CTX sha;
    memcpy(&sha, state->bytes, sizeof sha);
    return sha;
}

static void put(const SHA256_CTX *sha, spk_digest_state *state)
{
    *state = (spk_digest_state){{0}};
    memcpy(state->bytes, sha, sizeof *sha);
}

void spk_digest_state_start(spk_digest_state *state)
{
    SHA256_CTX sha;
    SHA256_Init(&sha);
    put(&sha, state);
}

void spk_digest_state_add(spk_digest_state *state, const void *bytes, size_t n)
{
    SHA256_CTX sha = take(state);
    SHA256_Update(&sha, bytes, n);
    put(&sha, state);
}

void spk_digest_state_end(spk_digest_state *state, char hex[65])
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256_CTX sha = take(state);
    SHA256_Final(digest, &sha);
    for (size_t k = 0; k < sizeof digest; k++)
        snprintf(hex + 2 * k, 3, "%02x", digest[k]);
}

#else

bool spk_digest_state_is_built(void)
{
    return false;
}

void spk_digest_state_start(spk_digest_state *state)
{
    *state = (spk_digest_state){{0}};
}

void spk_digest_state_add(spk_digest_state *state, const void *bytes, size_t n)
{
    (void)state;
    (void)bytes;
    (void)n;
}

void spk_digest_state_end(spk_digest_state *state, char hex[65])
{
    (void)state;
    hex[0] = '\0';
}

#endif
