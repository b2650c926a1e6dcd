/* Options structs of any age. */
#include "base/options.h"

#include <string.h>

void spk_options_init(void *options, size_t struct_size, const void *defaults, size_t size)
{
    assert(options != NULL && struct_size >= sizeof struct_size);
    memset(options, 0, struct_size);
    memcpy(options, defaults, struct_size < size ? struct_size : size);
    memcpy(options, &struct_size, sizeof struct_size);
}

spk_status spk_options_take(spk_context *context, const void *options, void *own, size_t size,
                            const char *name)
{
    assert(own != NULL && size > sizeof size);
    size_t given = 0;
    if (options == NULL)
        return SPK_OK;
    memcpy(&given, options, sizeof given);
    if (given < sizeof given)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s without a size: call %s_init(&options, sizeof options) first", name,
                        name);
    const unsigned char *bytes = options;
    for (size_t k = size; k < given; k++)
        if (bytes[k] != 0)
            return spk_fail(context, SPK_ERR_UNSUPPORTED,
                            "%s: a field is set that this library does not know; it is older than "
                            "the program's headers, update it",
                            name);
    memcpy(own, options, given < size ? given : size);
    memcpy(own, &size, sizeof size);
    return SPK_OK;
}
