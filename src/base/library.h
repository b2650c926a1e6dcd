/* Loading a library of functions when it is first needed. */
#ifndef SPK_BASE_LIBRARY_H
#define SPK_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct spk_library_symbol {
    const char *name;
    void *at; /* the address of a pointer to the function */
} spk_library_symbol;

/* Opens the first of the n names that is there (NULL and "" are passed over) and fills in all
 * symbols. False: none is there, and *missing is NULL; or it lacks the function *missing. It stays
 * loaded. */
bool spk_library_load(const char *const *names, size_t n, const spk_library_symbol *symbols,
                      size_t n_symbols, const char **missing);

#endif
