/* Loads libhdf5 with dlopen and lets one thread at a time into it. It stays loaded. */
#define _GNU_SOURCE /* recursive mutexes, RTLD_DEFAULT */
#include "hdf5/library.h"

#include <stdio.h>

#if !SPIKEMINE_HAVE_HDF5

bool spk_h5_available(const char **reason)
{
    *reason = "this build has no HDF5; install libhdf5-dev (Debian), hdf5-devel (Fedora) or hdf5 "
              "(Homebrew), and build again";
    return false;
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock;
static spk_h5 table;
static char missing[160]; /* why the library is not there; "": it is */

/* ---- loading --------------------------------------------------------------------------------- */

static bool load_symbols(void *library, const char **symbol)
{
    const struct {
        const char *name;
        void *at; /* a pointer in the table */
    } symbols[] = {
#define ENTRY(name) {#name, (void *)&table.name},
        SPK_H5_FUNCTIONS(ENTRY) SPK_H5_NUMBERS(ENTRY)
#undef ENTRY
    };
    for (size_t k = 0; k < sizeof symbols / sizeof symbols[0]; k++) {
        *symbol = symbols[k].name;
        *(void **)symbols[k].at = dlsym(library, *symbol);
        if (*(void **)symbols[k].at == NULL)
            return false;
    }
    return true;
}

/* A program that links HDF5 itself may hold the library's numbers in its own memory (copy
 * relocations). Those of the library were never set then. */
static bool find_numbers(void)
{
    const struct {
        const char *name;
        const hid_t **at;
    } numbers[] = {
#define ENTRY(name) {#name, &table.name},
        SPK_H5_NUMBERS(ENTRY)
#undef ENTRY
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        if (**numbers[k].at <= 0)
            *numbers[k].at = dlsym(RTLD_DEFAULT, numbers[k].name);
        if (*numbers[k].at == NULL || **numbers[k].at <= 0)
            return false;
    }
    return true;
}

/* Files are closed by us. At the end of the process the library would try once more to close what a
 * full disk did not let it close, and crash. */
static bool initialise(void)
{
    table.H5dont_atexit(); /* fails where another one has said so already */
    return table.H5open() >= 0 && find_numbers();
}

static void make_lock(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &kind);
    pthread_mutexattr_destroy(&kind);
}

/* Headers and library must agree on major and minor version; the library itself would end the
 * process over a difference in the last number too. */
static void load(void)
{
    const char *symbol = "";
    unsigned major = 0, minor = 0, release = 0;
    make_lock();
    void *library = dlopen(SPIKEMINE_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        snprintf(missing, sizeof missing,
                 "the HDF5 library (%.60s) is not here; install libhdf5-103-1 (Debian) or hdf5",
                 SPIKEMINE_HDF5_LIBRARY);
    else if (!load_symbols(library, &symbol))
        snprintf(missing, sizeof missing,
                 "the HDF5 library %.60s has no %.40s; install that of version %d.%d",
                 SPIKEMINE_HDF5_LIBRARY, symbol, H5_VERS_MAJOR, H5_VERS_MINOR);
    else if (!initialise())
        snprintf(missing, sizeof missing, "the HDF5 library %.60s cannot be initialised",
                 SPIKEMINE_HDF5_LIBRARY);
    else if (table.H5get_libversion(&major, &minor, &release) < 0 || major != H5_VERS_MAJOR ||
             minor != H5_VERS_MINOR)
        snprintf(missing, sizeof missing,
                 "the HDF5 library %.60s is of version %u.%u, this build of %d.%d; build again",
                 SPIKEMINE_HDF5_LIBRARY, major, minor, H5_VERS_MAJOR, H5_VERS_MINOR);
}

bool spk_h5_available(const char **reason)
{
    pthread_once(&once, load);
    *reason = missing;
    return missing[0] == '\0';
}

/* ---- visits ---------------------------------------------------------------------------------- */

spk_status spk_h5_enter(spk_context *context, spk_h5_visit *visit, const spk_h5 **out)
{
    const char *reason = "";
    *visit = (spk_h5_visit){NULL, NULL};
    *out = NULL;
    if (!spk_h5_available(&reason))
        return spk_fail(context, SPK_ERR_UNAVAILABLE, "%s", reason);
    pthread_mutex_lock(&lock);
    table.H5Eget_auto2(H5E_DEFAULT, &visit->print, &visit->print_data);
    table.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    *out = &table;
    return SPK_OK;
}

void spk_h5_leave(const spk_h5_visit *visit)
{
    table.H5Eclear2(H5E_DEFAULT);
    table.H5Eset_auto2(H5E_DEFAULT, visit->print, visit->print_data);
    pthread_mutex_unlock(&lock);
}

pid_t spk_h5_fork(void)
{
    const char *reason = "";
    if (!spk_h5_available(&reason))
        return -1;
    pthread_mutex_lock(&lock);
    pid_t child = fork();
    if (child == 0)
        make_lock(); /* the thread that held it is the parent's */
    else
        pthread_mutex_unlock(&lock);
    return child;
}

#endif
