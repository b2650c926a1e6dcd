/* Lists of units. */
#include "recording/readers/unit_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/label.h"
#include "base/memory.h"

static spk_status fail_unknown(spk_context *context, const char *name, const char *label,
                               uint32_t n, const char *const *labels)
{
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "%s: there is no unit '%.40s'; its %" PRIu32 " units are %.40s%s%.40s%s%.40s%s",
                    name, label, n, n > 0 ? labels[0] : "none", n > 1 ? ", " : "",
                    n > 1 ? labels[1] : "", n > 2 ? ", " : "", n > 2 ? labels[2] : "",
                    n > 3 ? " ..." : "");
}

/* Takes the next label of the list; NULL when a quote is not closed. */
static const char *take_label(const char *at, char *text)
{
    if (*at == '"')
        return spk_label_take(at, ",", text);
    size_t n = strcspn(at, ",");
    memcpy(text, at, n);
    text[n] = '\0';
    return at + n;
}

static bool mark(const char *label, uint32_t n, const char *const *labels, bool *listed)
{
    bool found = false;
    for (uint32_t u = 0; u < n; u++)
        if (strcmp(labels[u], label) == 0)
            found = listed[u] = true;
    return found;
}

spk_status spk_unit_list_apply(spk_context *context, const char *name, const char *list, uint32_t n,
                               const char *const *labels, bool *keep)
{
    char *text = NULL;
    bool *listed = NULL;
    const char *at = list;
    spk_status status =
        spk_alloc_columns(context, "the list of units", SPK_COLUMN(&text, strlen(list) + 1),
                          SPK_COLUMN_ZERO(&listed, n));
    while (status == SPK_OK) {
        at = take_label(at, text);
        if (at == NULL) {
            status = spk_fail(context, SPK_ERR_ARGUMENT,
                              "units '%s': a quote is not closed; close it, or write \"\" for a "
                              "quote",
                              list);
            break;
        }
        if (*at != ',' && *at != '\0')
            status = spk_fail(context, SPK_ERR_ARGUMENT,
                              "units '%s': text follows a closing quote; separate labels by commas",
                              list);
        else if (!mark(text, n, labels, listed))
            status = fail_unknown(context, name, text, n, labels);
        if (status != SPK_OK || *at == '\0')
            break;
        at++;
    }
    for (uint32_t u = 0; u < n && status == SPK_OK; u++)
        keep[u] = keep[u] && listed[u];
    free(text);
    free(listed);
    return status;
}
