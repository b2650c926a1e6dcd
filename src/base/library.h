/* Loading a library of functions when it is first needed. */
#pragma once

#include <pthread.h>
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

/* A library that the program can do without, and what to say where it is not there. It is loaded
 * once. Begin with what describes it and with SPK_LIBRARY_NEW. */
typedef struct spk_library {
    const char *variable; /* of the environment, names its file; NULL: none does */
    const char *names[4]; /* NULL: no more */
    const spk_library_symbol *symbols;
    size_t n_symbols;
    const char *called;  /* "the cairo library" */
    const char *absent;  /* what stands behind it where no file is there */
    const char *install; /* what cures one that is too old */
    pthread_mutex_t lock;
    bool tried;
    char missing[240]; /* why it is not there; "": it is */
} spk_library;

#define SPK_LIBRARY_NEW .lock = PTHREAD_MUTEX_INITIALIZER

/* Loads it, if nobody has tried yet. Whether it is here; else *reason, which stays, says why not.
 * From any thread. */
bool spk_library_available(spk_library *library, const char **reason);
