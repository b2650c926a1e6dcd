/* Small files of a folder. */
#include "recording/readers/small_file.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "recording/input.h"

enum { MOST_BYTES = 64000000, STEP = 1 << 16 };

spk_status spk_small_path(spk_context *context, const char *folder, const char *name, char **out)
{
    const size_t n = strlen(folder);
    const char *slash = n > 0 && folder[n - 1] == '/' ? "" : "/";
    spk_status status = spk_alloc(context, out, n + strlen(name) + 2, "a path");
    if (status == SPK_OK)
        snprintf(*out, n + strlen(name) + 2, "%s%s%s", folder, slash, name);
    return status;
}

bool spk_small_exists(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat info;
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n > 0 && (size_t)n < sizeof path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

spk_status spk_small_file_read(spk_context *context, const char *path, char **text, size_t *n)
{
    spk_input *input = NULL;
    uint64_t capacity = 0;
    size_t got = STEP;
    *text = NULL;
    *n = 0;
    spk_status status = spk_input_open(context, path, &input);
    while (status == SPK_OK && got == STEP) {
        status = spk_grow(context, text, &capacity, *n + STEP, "a table");
        if (status == SPK_OK)
            status = spk_input_read(context, input, *text + *n, STEP, &got);
        *n += status == SPK_OK ? got : 0;
        if (*n > MOST_BYTES)
            status = spk_fail(context, SPK_ERR_RANGE,
                              "%s: is over %d MB, and a table of clusters is small; is this the "
                              "right file?",
                              path, MOST_BYTES / 1000000);
    }
    spk_input_close(input);
    if (status != SPK_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}
