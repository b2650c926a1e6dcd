/* Loading a library of functions when it is first needed. */
#include "base/library.h"

#include <dlfcn.h>

bool spk_library_load(const char *const *names, size_t n, const spk_library_symbol *symbols,
                      size_t n_symbols, const char **missing)
{
    void *library = NULL;
    *missing = NULL;
    for (size_t k = 0; k < n && library == NULL; k++)
        if (names[k] != NULL && *names[k] != '\0')
            library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return false;
    for (size_t k = 0; k < n_symbols; k++) {
        *(void **)symbols[k].at = dlsym(library, symbols[k].name);
        if (*(void **)symbols[k].at == NULL) {
            *missing = symbols[k].name;
            return false;
        }
    }
    return true;
}
