/* Loads libzmq with dlopen. It stays loaded. */
#include "live/library/zmq.h"

#include <pthread.h>
#include <stdio.h>

#include "base/library.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static spk_zmq table;
static char missing[160]; /* why the library is not there; "": it is */

static void load(void)
{
    static const char *const names[] = {"libzmq.so.5", "libzmq.so", "libzmq.5.dylib",
                                        "/opt/homebrew/lib/libzmq.5.dylib"};
    const spk_library_symbol symbols[] = {
#define ENTRY(name, result, arguments) {"zmq_" #name, (void *)&table.name},
        SPK_ZMQ_FUNCTIONS(ENTRY)
#undef ENTRY
            {"zmq_errno", (void *)&table.error_number},
    };
    const char *symbol = NULL;
    if (spk_library_load(names, sizeof names / sizeof names[0], symbols,
                         sizeof symbols / sizeof symbols[0], &symbol))
        return;
    if (symbol == NULL)
        snprintf(
            missing, sizeof missing,
            "the ZeroMQ library (libzmq.so.5) is not here; install libzmq5 (Debian) or zeromq");
    else
        snprintf(missing, sizeof missing,
                 "the ZeroMQ library is too old: it has no zmq_%.40s; install version 4",
                 symbol + 4);
}

bool spk_zmq_available(const char **reason)
{
    pthread_once(&once, load);
    *reason = missing;
    return missing[0] == '\0';
}

spk_status spk_zmq_get(spk_context *context, const spk_zmq **out)
{
    const char *reason = "";
    *out = NULL;
    if (!spk_zmq_available(&reason))
        return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s", reason);
    *out = &table;
    return SPK_OK;
}
