/* Loading a library of functions when it is first needed. */
#include "base/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

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

static void try_once(spk_library *l)
{
    enum { N_NAMES = sizeof l->names / sizeof l->names[0] };
    const char *names[N_NAMES + 1] = {l->variable != NULL ? getenv(l->variable) : NULL};
    const char *symbol = NULL;
    for (size_t k = 0; k < N_NAMES; k++)
        names[k + 1] = l->names[k];
    l->tried = true;
    if (spk_library_load(names, N_NAMES + 1, l->symbols, l->n_symbols, &symbol))
        return;
    if (symbol == NULL)
        snprintf(l->missing, sizeof l->missing, "%s %s", l->called, l->absent);
    else
        snprintf(l->missing, sizeof l->missing, "%s is too old: it has no %.60s; install %s",
                 l->called, symbol, l->install);
}

bool spk_library_available(spk_library *library, const char **reason)
{
    pthread_mutex_lock(&library->lock);
    if (!library->tried)
        try_once(library);
    pthread_mutex_unlock(&library->lock);
    *reason = library->missing;
    return library->missing[0] == '\0';
}
