/*
 * SHA-256 by libcrypto, which uses what processors have for it; without libcrypto by our own. The
 * newer functions of libcrypto (EVP) keep their state to themselves: it could not be copied.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "recording/digest_state.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/build_config.h"

#if SPIKEMINE_HAVE_CRYPTO
#include <openssl/sha.h>

typedef SHA256_CTX sha256;

static void start(sha256 *sha)
{
    SHA256_Init(sha);
}

static void add(sha256 *sha, const void *bytes, size_t n)
{
    SHA256_Update(sha, bytes, n);
}

static void end(sha256 *sha, char hex[65])
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256_Final(digest, sha);
    for (size_t k = 0; k < sizeof digest; k++)
        snprintf(hex + 2 * k, 3, "%02x", digest[k]);
}
#else
#include "base/sha256.h"

typedef spk_sha256 sha256;

static void start(sha256 *sha)
{
    *sha = spk_sha256_start();
}

static void add(sha256 *sha, const void *bytes, size_t n)
{
    spk_sha256_add(sha, bytes, n);
}

static void end(sha256 *sha, char hex[65])
{
    spk_sha256_end(sha, hex);
}
#endif

static_assert(sizeof(sha256) <= sizeof(spk_digest_state), "the state has room");

static sha256 take(const spk_digest_state *state)
{
    sha256 sha;
    memcpy(&sha, state->bytes, sizeof sha);
    return sha;
}

static void put(const sha256 *sha, spk_digest_state *state)
{
    *state = (spk_digest_state){{0}};
    memcpy(state->bytes, sha, sizeof *sha);
}

void spk_digest_state_start(spk_digest_state *state)
{
    sha256 sha;
    start(&sha);
    put(&sha, state);
}

void spk_digest_state_add(spk_digest_state *state, const void *bytes, size_t n)
{
    sha256 sha = take(state);
    add(&sha, bytes, n);
    put(&sha, state);
}

void spk_digest_state_end(spk_digest_state *state, char hex[65])
{
    sha256 sha = take(state);
    end(&sha, hex);
}
