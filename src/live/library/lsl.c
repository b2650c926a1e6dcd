/* Loads liblsl with dlopen. It stays loaded. */
#include "live/library/lsl.h"

#include "base/library.h"

static spk_lsl table;

static const spk_library_symbol symbols[] = {
#define ENTRY(name, result, arguments) {"lsl_" #name, (void *)&table.name},
    SPK_LSL_FUNCTIONS(ENTRY)
#undef ENTRY
};

static spk_library library = {
    .variable = "SPIKEMINE_LSL",
    .names = {"liblsl.so", "liblsl.so.2", "liblsl.so.1", "liblsl.dylib"},
    .symbols = symbols,
    .n_symbols = sizeof symbols / sizeof symbols[0],
    .called = "the Lab Streaming Layer",
    .absent = "(liblsl.so) is not here; install liblsl, or set SPIKEMINE_LSL to the liblsl.so in "
              "the folder pylsl/lib of the Python package pylsl",
    .install = "liblsl 1.16",
    SPK_LIBRARY_NEW};

bool spk_lsl_available(const char **reason)
{
    return spk_library_available(&library, reason);
}

spk_status spk_lsl_get(spk_context *context, const spk_lsl **out)
{
    const char *reason = "";
    *out = NULL;
    if (!spk_lsl_available(&reason))
        return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s", reason);
    *out = &table;
    return SPK_OK;
}
