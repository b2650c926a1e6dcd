/* SHA-256 that is begun here and ended elsewhere: its state is bytes, which another process takes
 * up. */
#pragma once

#include <stddef.h>

typedef struct spk_digest_state {
    unsigned char bytes[128];
} spk_digest_state;

/* The state before the first byte. */
void spk_digest_state_start(spk_digest_state *state);

void spk_digest_state_add(spk_digest_state *state, const void *bytes, size_t n);

/* The digest in hexadecimal; nothing can be added afterwards. */
void spk_digest_state_end(spk_digest_state *state, char hex[65]);
