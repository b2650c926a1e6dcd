/* Loads libzmq with dlopen. It stays loaded. */
#include "live/library/zmq.h"

#include "base/library.h"

static spk_zmq table;

static const spk_library_symbol symbols[] = {
#define ENTRY(name, result, arguments) {"zmq_" #name, (void *)&table.name},
    SPK_ZMQ_FUNCTIONS(ENTRY)
#undef ENTRY
        {"zmq_errno", (void *)&table.error_number},
};

static spk_library library = {
    .names = {"libzmq.so.5", "libzmq.so", "libzmq.5.dylib", "/opt/homebrew/lib/libzmq.5.dylib"},
    .symbols = symbols,
    .n_symbols = sizeof symbols / sizeof symbols[0],
    .called = "the ZeroMQ library",
    .absent = "(libzmq.so.5) is not here; install libzmq5 (Debian) or zeromq",
    .install = "version 4",
    SPK_LIBRARY_NEW};

bool spk_zmq_available(const char **reason)
{
    return spk_library_available(&library, reason);
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
