/* Finds the control groups of this process: /proc/self/cgroup names them, mountinfo says where. */
#include "base/cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

/* Longer lines and paths are left out; paths of the kernel end at 4096. */
enum { LINE_BYTES = 8192, PATH_BYTES = 4096 };

/* A hierarchy: the mounted folder, the group at its top, and the group of this process. */
typedef struct hierarchy {
    int version; /* 0: not found */
    char mount[PATH_BYTES];
    char top[PATH_BYTES];
    char group[PATH_BYTES];
} hierarchy;

uint64_t spk_file_number(const char *folder, const char *name, const char *label)
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

void spk_cgroup_visit(const char *root, const char *controller, spk_cgroup_fn *visit, void *user)
{
    hierarchy *h = malloc(sizeof *h);
    for (int unified = 0; h != NULL && unified <= 1; unified++)
        if (find(root, controller, unified == 1, h))
            visit_groups(root, h, visit, user);
    free(h);
}
