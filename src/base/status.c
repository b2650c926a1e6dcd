/* Status codes and their texts, from the one list in status.h; and the library's version. */
#include "spikemine/status.h"

#include "spikemine/version.h"

const char *spk_status_text(spk_status status)
{
    switch (status) {
#define SPK_STATUS_TEXT(code, value, text)                                                         \
    case code:                                                                                     \
        return text;
        SPK_STATUS_LIST(SPK_STATUS_TEXT)
#undef SPK_STATUS_TEXT
    }
    return "unknown status";
}

const char *spk_version(void)
{
    return SPIKEMINE_VERSION;
}
