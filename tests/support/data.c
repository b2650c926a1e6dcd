/* Finds recordings for tests. */
#include "support/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[4096];

const char *test_bundled(const char *name)
{
    snprintf(path, sizeof path, "%s/data/%s", SPK_SOURCE_DIR, name);
    return path;
}

const char *test_external(const char *name)
{
    const char *folder = getenv("SPIKEMINE_DATA");
    const char *const places[] = {folder, SPK_SOURCE_DIR "/data-local",
                                  SPK_SOURCE_DIR "/../shared/data"};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        if (places[k] == NULL)
            continue;
        snprintf(path, sizeof path, "%s/%s", places[k], name);
        if (access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}
