/* How much memory and how many processors this process may have. */
#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "base/available.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

#include "base/decimal.h"
#include "spikemine/context.h"

/* ---- limits of control groups ---------------------------------------------------------------- */

/*
 * Control groups: the folders in which the kernel keeps the limits of this process, versions 1 and
 * 2. A group lies in others, and the limits of all of them hold: "/user.slice/job_7" has a folder
 * for itself, one for "/user.slice" and one at the top.
 */

/* Called for a folder of one group; `version` is 1 or 2. */
typedef void spk_cgroup_fn(void *user, const char *folder, int version);

/* Longer lines and paths are left out; paths of the kernel end at 4096. */
enum { LINE_BYTES = 8192, PATH_BYTES = 4096 };

/* A hierarchy: the mounted folder, the group at its top, and the group of this process. */
typedef struct hierarchy {
    int version; /* 0: not found */
    char mount[PATH_BYTES];
    char top[PATH_BYTES];
    char group[PATH_BYTES];
} hierarchy;

/* The number that follows `label` at the start of a line of folder/name; UINT64_MAX where there is
 * none ("max" and -1 are no numbers here). */
static uint64_t file_number(const char *folder, const char *name, const char *label)
{
    char path[2 * PATH_BYTES], line[256], *end = line;
    uint64_t number = UINT64_MAX;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return UINT64_MAX;
    FILE *stream = fopen(path, "re");
    while (stream != NULL && number == UINT64_MAX && fgets(line, sizeof line, stream) != NULL) {
        const char *text = line + strlen(label);
        if (strncmp(line, label, strlen(label)) != 0)
            continue;
        text += strspn(text, " \t");
        if (!spk_is_digit(*text))
            continue;
        number = strtoull(text, &end, 10);
    }
    if (stream != NULL)
        fclose(stream);
    return number;
}

/* Whether `word` is one of the names in `list`, which commas separate. */
static bool has_name(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, n) == 0 && (at[n] == '\0' || at[n] == ','))
            return true;
    }
    return false;
}

/* Calls `take` for each line of root + path, without its end, until it answers true. */
static bool each_line(const char *root, const char *path, bool (*take)(char *, void *), void *user)
{
    char name[2 * PATH_BYTES], *line = malloc(LINE_BYTES);
    bool found = false;
    int n = snprintf(name, sizeof name, "%s%s", root, path);
    FILE *stream = line != NULL && n < (int)sizeof name ? fopen(name, "re") : NULL;
    while (stream != NULL && !found && fgets(line, LINE_BYTES, stream) != NULL) {
        size_t length = strcspn(line, "\n");
        if (line[length] != '\n' && length + 1 == LINE_BYTES)
            continue;
        line[length] = '\0';
        found = take(line, user);
    }
    if (stream != NULL)
        fclose(stream);
    free(line);
    return found;
}

/* ---- /proc/self/cgroup: number, controllers, group, with colons between ---------------------- */

typedef struct search {
    const char *controller;
    bool unified; /* version 2, whose line has no controllers */
    hierarchy *h;
} search;

static bool take_group(char *line, void *user)
{
    const search *s = user;
    char *controllers = strchr(line, ':');
    char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (group == NULL || strlen(group + 1) >= PATH_BYTES)
        return false;
    *group++ = '\0';
    controllers++;
    bool mine = s->unified ? controllers[0] == '\0' : has_name(controllers, s->controller);
    if (mine)
        memcpy(s->h->group, group, strlen(group) + 1);
    return mine;
}

/* ---- /proc/self/mountinfo: id parent device TOP MOUNT options ... - TYPE source OPTIONS -------
 */

/* Blanks stand as \040 there. */
static void unescape(const char *text, char *out)
{
    while (*text != '\0') {
        if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' &&
            text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
            *out++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
            text += 4;
        } else {
            *out++ = *text++;
        }
    }
    *out = '\0';
}

static bool take_mount(char *line, void *user)
{
    const search *s = user;
    char *words[6], *rest = NULL;
    char *tail = strstr(line, " - ");
    if (tail == NULL)
        return false;
    *tail = '\0';
    const char *type = strtok_r(tail + 3, " ", &rest);
    const char *source = type != NULL ? strtok_r(NULL, " ", &rest) : NULL;
    const char *options = source != NULL ? strtok_r(NULL, " ", &rest) : NULL;
    if (options == NULL || strcmp(type, s->unified ? "cgroup2" : "cgroup") != 0 ||
        (!s->unified && !has_name(options, s->controller)))
        return false;
    rest = NULL;
    for (int k = 0; k < 6; k++)
        words[k] = strtok_r(k == 0 ? line : NULL, " ", &rest);
    if (words[5] == NULL || strlen(words[3]) >= PATH_BYTES || strlen(words[4]) >= PATH_BYTES)
        return false;
    unescape(words[3], s->h->top);
    unescape(words[4], s->h->mount);
    return true;
}

static bool find(const char *root, const char *controller, bool unified, hierarchy *h)
{
    search s = {controller, unified, h};
    h->version = unified ? 2 : 1;
    return each_line(root, "/proc/self/cgroup", take_group, &s) &&
           each_line(root, "/proc/self/mountinfo", take_mount, &s);
}

/* ---- the folders ----------------------------------------------------------------------------- */

/* The group's path below the mounted folder. A container may see a part only, and then what it has
 * at the top is its own group. */
static const char *below_mount(const hierarchy *h)
{
    size_t n = strcmp(h->top, "/") == 0 ? 0 : strlen(h->top);
    bool inside = strncmp(h->group, h->top, n) == 0 && (h->group[n] == '/' || h->group[n] == '\0');
    return inside && strstr(h->group, "/..") == NULL ? h->group + n : "";
}

static void visit_groups(const char *root, const hierarchy *h, spk_cgroup_fn *visit, void *user)
{
    char folder[3 * PATH_BYTES];
    int top = snprintf(folder, sizeof folder, "%s%s", root, h->mount);
    int n = snprintf(folder, sizeof folder, "%s%s%s", root, h->mount, below_mount(h));
    if (n >= (int)sizeof folder)
        return;
    while (n > top && folder[n - 1] == '/')
        folder[--n] = '\0';
    while (n >= top) {
        visit(user, folder, h->version);
        while (n > top && folder[n - 1] != '/')
            n--;
        if (n <= top)
            return;
        folder[--n] = '\0';
    }
}

/* Calls `visit` for the groups of this process that have the controller ("memory", "cpu"), the
 * innermost first. `root` stands before every path, "" for the system's own files. What cannot be
 * read is left out. */
static void cgroup_visit(const char *root, const char *controller, spk_cgroup_fn *visit, void *user)
{
    hierarchy *h = malloc(sizeof *h);
    for (int unified = 0; h != NULL && unified <= 1; unified++)
        if (find(root, controller, unified == 1, h))
            visit_groups(root, h, visit, user);
    free(h);
}

/* ---- memory and processors ------------------------------------------------------------------- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What is left of a limit. */
static uint64_t left_of(uint64_t limit, uint64_t used)
{
    return used < limit ? limit - used : 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Files that are cached count as used there, but make way when memory is wanted. */
static uint64_t used_by_group(const char *folder, const char *usage, const char *reclaimable)
{
    uint64_t used = file_number(folder, usage, "");
    uint64_t cached = file_number(folder, "memory.stat", reclaimable);
    used = used == UINT64_MAX ? 0 : used;
    return cached == UINT64_MAX ? used : left_of(used, cached);
}

static void take_memory_of_group(void *user, const char *folder, int version)
{
    uint64_t *bytes = user;
    uint64_t limit = UINT64_MAX, used = 0;
    if (version == 2) {
        limit =
            smaller(file_number(folder, "memory.max", ""), file_number(folder, "memory.high", ""));
        used = used_by_group(folder, "memory.current", "inactive_file ");
    } else {
        limit = file_number(folder, "memory.limit_in_bytes", "");
        used = used_by_group(folder, "memory.usage_in_bytes", "total_inactive_file ");
    }
    if (limit != UINT64_MAX)
        *bytes = smaller(*bytes, left_of(limit, used));
}

/* Word `n` of the first line of a file, as a number; UINT64_MAX where there is none. */
static uint64_t word_of_file(const char *path, int n)
{
    char line[256] = "", *at = line, *end = line;
    uint64_t number = UINT64_MAX;
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        return UINT64_MAX;
    bool got = fgets(line, sizeof line, stream) != NULL;
    fclose(stream);
    for (int k = 0; k <= n && got; k++) {
        errno = 0;
        number = strtoull(at, &end, 10);
        got = errno == 0 && end != at;
        at = end;
    }
    return got ? number : UINT64_MAX;
}

/* Word `n` of /proc/self/statm in bytes: 0 the whole address space, 1 resident, 5 data. */
static uint64_t own_bytes(const char *root, int n)
{
    char path[PATH_MAX];
    long page = sysconf(_SC_PAGESIZE);
    snprintf(path, sizeof path, "%s/proc/self/statm", root);
    uint64_t pages = word_of_file(path, n);
    return pages != UINT64_MAX && page > 0 ? pages * (uint64_t)page : 0;
}

/* ulimit -v and -d. */
static uint64_t left_of_process(const char *root)
{
    struct rlimit space = {RLIM_INFINITY, RLIM_INFINITY}, data = space;
    uint64_t bytes = UINT64_MAX;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        bytes = left_of(space.rlim_cur, own_bytes(root, 0));
    if (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY)
        bytes = smaller(bytes, left_of(data.rlim_cur, own_bytes(root, 5)));
    return bytes;
}

/* The number in an environment variable; 0 where there is none. */
static uint64_t variable(const char *name)
{
    const char *text = getenv(name);
    char *end = NULL;
    errno = 0;
    unsigned long long number = text != NULL ? strtoull(text, &end, 10) : 0;
    return text != NULL && errno == 0 && end != text && *end == '\0' && text[0] != '-' ? number : 0;
}

/* A job of Slurm: megabytes of the node, or of each of its processors. 0 stands for all. */
static uint64_t left_of_slurm(const char *root)
{
    uint64_t megabytes = variable("SLURM_MEM_PER_NODE"), bytes = 0;
    uint64_t per_processor = variable("SLURM_MEM_PER_CPU");
    if (megabytes == 0 &&
        __builtin_mul_overflow(per_processor, variable("SLURM_CPUS_ON_NODE"), &megabytes))
        return UINT64_MAX;
    if (megabytes == 0 || __builtin_mul_overflow(megabytes, (uint64_t)1 << 20, &bytes))
        return UINT64_MAX;
    return left_of(bytes, own_bytes(root, 1));
}

/* Half of the memory of the machine, where the system does not say what of it is in use. */
static uint64_t half_of_machine(void)
{
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page_bytes > 0)
        return (uint64_t)pages * (uint64_t)page_bytes / 2;
#endif
    return UINT64_MAX;
}

uint64_t spk_memory_available_below(const char *root)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/proc", root);
    uint64_t kib = file_number(folder, "meminfo", "MemAvailable:");
    uint64_t bytes = kib < UINT64_MAX / 1024 ? kib * 1024 : half_of_machine();
    cgroup_visit(root, "memory", take_memory_of_group, &bytes);
    bytes = smaller(bytes, left_of_process(root));
    bytes = smaller(bytes, left_of_slurm(root));
    if (bytes == UINT64_MAX)
        return 0;
    return bytes > 0 ? bytes : 1;
}

uint64_t spk_memory_available(void)
{
    return spk_memory_available_below("");
}

/* ---- processors ------------------------------------------------------------------------------ */

/* A group may use `quota` microseconds of processors in each `period`. */
static void take_quota_of_group(void *user, const char *folder, int version)
{
    uint64_t *processors = user;
    uint64_t quota = UINT64_MAX, period = UINT64_MAX;
    if (version == 2) { /* "200000 100000", or "max 100000" */
        quota = file_number(folder, "cpu.max", "");
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/cpu.max", folder);
        period = quota != UINT64_MAX ? word_of_file(path, 1) : UINT64_MAX;
    } else {
        quota = file_number(folder, "cpu.cfs_quota_us", "");
        period = file_number(folder, "cpu.cfs_period_us", "");
    }
    if (quota == UINT64_MAX || period == UINT64_MAX || period == 0)
        return;
    uint64_t whole = quota / period + (quota % period != 0);
    *processors = smaller(*processors, whole > 0 ? whole : 1);
}

/* Processors that the scheduler may give to the calling thread. */
static uint64_t processors_of_affinity(void)
{
#ifdef __linux__
    for (size_t n = 1024; n <= (size_t)1 << 20; n *= 4) { /* machines have more than a set holds */
        size_t bytes = CPU_ALLOC_SIZE(n);
        cpu_set_t *set = CPU_ALLOC(n);
        if (set == NULL)
            break;
        int result = sched_getaffinity(0, bytes, set);
        int count = result == 0 ? CPU_COUNT_S(bytes, set) : 0;
        CPU_FREE(set);
        if (count > 0)
            return (uint64_t)count;
        if (result != 0 && errno != EINVAL)
            break;
    }
#endif
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 ? (uint64_t)processors : 1;
}

int spk_processors_available_below(const char *root)
{
    uint64_t processors = processors_of_affinity();
    cgroup_visit(root, "cpu", take_quota_of_group, &processors);
    return (int)smaller(processors, INT_MAX);
}

int spk_processors_available(void)
{
    return spk_processors_available_below("");
}
