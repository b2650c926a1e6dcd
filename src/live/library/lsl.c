/* Loads liblsl with dlopen. It stays loaded. */
#include "live/library/lsl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/library.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static spk_lsl table;
static char missing[200]; /* why the library is not there; "": it is */

static void load(void)
{
    const char *const names[] = {getenv("SPIKEMINE_LSL"), "liblsl.so", "liblsl.so.2", "liblsl.so.1",
                                 "liblsl.dylib"};
    const spk_library_symbol symbols[] = {
#define ENTRY(name, result, arguments) {"lsl_" #name, (void *)&table.name},
        SPK_LSL_FUNCTIONS(ENTRY)
#undef ENTRY
    };
    const char *symbol = NULL;
    if (spk_library_load(names, sizeof names / sizeof names[0], symbols,
                         sizeof symbols / sizeof symbols[0], &symbol))
        return;
    if (symbol == NULL)
        snprintf(
            missing, sizeof missing,
            "the Lab Streaming Layer (liblsl.so) is not here; install liblsl, or set "
            "SPIKEMINE_LSL to the liblsl.so in the folder pylsl/lib of the Python package pylsl");
    else
        snprintf(missing, sizeof missing,
                 "the Lab Streaming Layer is too old: it has no %.60s; install liblsl 1.16",
                 symbol);
}

bool spk_lsl_available(const char **reason)
{
    pthread_once(&once, load);
    *reason = missing;
    return missing[0] == '\0';
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
