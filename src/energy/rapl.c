/*
 * Meters of processors as Linux shows them: folders intel-rapl:N, each a domain with its parts
 * intel-rapl:N:M. A package counts its parts "core" and "uncore" in, but not its part "dram". The
 * domain "psys" counts the packages in, and the folders intel-rapl-mmio are other names of them.
 */
#include "energy/energy.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

enum { MOST_DOMAINS = SPK_ENERGY_MOST_METERS };

/* intel-rapl:N, or with part >= 0 intel-rapl:N:M. */
typedef struct domain {
    unsigned package;
    int part;
} domain;

/* ---- files ----------------------------------------------------------------------------------- */

static bool read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool good = fgets(line, size, file) != NULL;
    int error = errno;
    fclose(file);
    errno = good || error != 0 ? error : EIO;
    if (good)
        line[strcspn(line, "\n")] = '\0';
    return good;
}

bool spk_rapl_read(const char *path, uint64_t *microjoules, char *why, size_t size)
{
    char line[64] = "", *end = NULL;
    errno = 0;
    bool good = read_line(path, line, sizeof line);
    if (!good && (errno == EACCES || errno == EPERM))
        snprintf(why, size, "%s may be read by root alone; ask for chmod a+r on it", path);
    else if (!good)
        snprintf(why, size, "%s cannot be read: %s", path, strerror(errno));
    if (!good)
        return false;
    errno = 0;
    *microjoules = strtoull(line, &end, 10);
    good = line[0] >= '0' && line[0] <= '9' && *end == '\0' && errno == 0;
    if (!good)
        snprintf(why, size, "%s holds no number", path);
    return good;
}

/* ---- domains --------------------------------------------------------------------------------- */

/* Digits behind `start`, at most five; false where there are none. Moves *at behind them. */
static bool take_number(const char **at, const char *start, unsigned *number)
{
    size_t n = strlen(start);
    if (strncmp(*at, start, n) != 0)
        return false;
    *number = 0;
    size_t digits = strspn(*at + n, "0123456789");
    for (size_t k = 0; k < digits && digits <= 5; k++)
        *number = 10 * *number + (unsigned)((*at)[n + k] - '0');
    *at += n + digits;
    return digits > 0 && digits <= 5;
}

/* "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it. */
static bool parse_domain(const char *name, domain *out)
{
    unsigned part = 0;
    *out = (domain){.part = -1};
    if (!take_number(&name, "intel-rapl:", &out->package))
        return false;
    if (*name == '\0')
        return true;
    if (!take_number(&name, ":", &part))
        return false;
    out->part = (int)part;
    return *name == '\0';
}

static int compare_domains(const void *a, const void *b)
{
    const domain *x = a, *y = b;
    return SPK_BY(SPK_UP(x->package, y->package), SPK_UP(x->part, y->part));
}

static size_t list_domains(DIR *folder, domain *found)
{
    size_t n = 0;
    for (const struct dirent *entry; n < MOST_DOMAINS && (entry = readdir(folder)) != NULL;)
        n += parse_domain(entry->d_name, &found[n]);
    qsort(found, n, sizeof *found, compare_domains);
    return n;
}

/* Path of a file of a domain; false when it is too long. */
static bool domain_path(const char *folder, const domain *d, const char *file, char *path,
                        size_t size)
{
    int n = d->part < 0
                ? snprintf(path, size, "%s/intel-rapl:%u/%s", folder, d->package, file)
                : snprintf(path, size, "%s/intel-rapl:%u:%d/%s", folder, d->package, d->part, file);
    return n > 0 && (size_t)n < size;
}

static void add_domain(spk_energy_list *list, const char *folder, const domain *d,
                       spk_energy_kind kind, const char *name)
{
    spk_energy_source *source = spk_energy_add(list, kind, name);
    char path[sizeof source->path], why[256];
    if (source == NULL)
        return;
    source->per_unit = 1e-6;
    if (domain_path(folder, d, "max_energy_range_uj", path, sizeof path) &&
        !spk_rapl_read(path, &source->range, why, sizeof why))
        source->range = 0;
    (void)domain_path(folder, d, "energy_uj", source->path, sizeof source->path);
}

void spk_rapl_find(spk_energy_list *list, const char *folder)
{
    static const char *const all = "processors";
    domain found[MOST_DOMAINS] = {{.part = -1}};
    char path[256], name[32], package[32] = "", both[80], why[256];
    DIR *open = opendir(folder);
    size_t n = open != NULL ? list_domains(open, found) : 0;
    size_t before = list->n;
    if (open != NULL)
        closedir(open);
    for (size_t k = 0; k < n; k++) {
        if (!domain_path(folder, &found[k], "name", path, sizeof path) ||
            !read_line(path, name, sizeof name))
            continue;
        bool whole = found[k].part < 0;
        if (whole)
            snprintf(package, sizeof package, "%s", name);
        snprintf(both, sizeof both, "%s dram", package);
        if (whole && strncmp(name, "package", strlen("package")) == 0)
            add_domain(list, folder, &found[k], SPK_ENERGY_PROCESSOR, name);
        else if (!whole && strcmp(name, "dram") == 0)
            add_domain(list, folder, &found[k], SPK_ENERGY_MEMORY, both);
    }
    if (list->n > before)
        return;
    snprintf(why, sizeof why,
             "%.100s has no meter of a package; Linux shows it on real machines with Intel or AMD "
             "processors, seldom in virtual ones",
             folder);
    spk_energy_add_absent(list, SPK_ENERGY_PROCESSOR, all, why);
}
