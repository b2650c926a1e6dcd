/* Limits of this process, where the system heeds them: an emulator of another processor may not. */
#pragma once

#include <stdbool.h>
#include <sys/resource.h>

/* How a child says that its limit was not heeded; the test is then skipped. */
enum { LIMIT_NOT_HEEDED = 77 };

/* Sets a limit that cannot be raised again; false where the system only pretends to. */
static inline bool limit_set(__typeof__(RLIMIT_AS) resource, rlim_t bytes)
{
    struct rlimit limit = {bytes, bytes}, got = {0, 0};
    return setrlimit(resource, &limit) == 0 && getrlimit(resource, &got) == 0 &&
           got.rlim_cur == bytes;
}
