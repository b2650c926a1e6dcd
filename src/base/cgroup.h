/*
 * Control groups: the folders in which the kernel keeps the limits of this process, versions 1 and
 * 2. A group lies in others, and the limits of all of them hold: "/user.slice/job_7" has a folder
 * for itself, one for "/user.slice" and one at the top.
 */
#ifndef SPK_BASE_CGROUP_H
#define SPK_BASE_CGROUP_H

#include <stdint.h>

/* Called for a folder of one group; `version` is 1 or 2. */
typedef void spk_cgroup_fn(void *user, const char *folder, int version);

/* Calls `visit` for the groups of this process that have the controller ("memory", "cpu"), the
 * innermost first. `root` stands before every path, "" for the system's own files. What cannot be
 * read is left out. */
void spk_cgroup_visit(const char *root, const char *controller, spk_cgroup_fn *visit, void *user);

/* The number that follows `label` at the start of a line of folder/name; UINT64_MAX where there is
 * none ("max" and -1 are no numbers here). */
uint64_t spk_file_number(const char *folder, const char *name, const char *label);

#endif
