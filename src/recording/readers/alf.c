/*
 * ALF folders, as of the International Brain Laboratory: spikes.times.npy in seconds and
 * spikes.clusters.npy. Names may have a namespace before and parts behind
 * (_ibl_spikes.times.UUID.npy), and the files may lie in a folder of a probe.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "recording/readers/reader.h"
#include "recording/readers/spikes.h"

enum { DEEPEST = 3, MOST_ENTRIES = 2000, PATH_BYTES = 4096 };

/* ---- names ----------------------------------------------------------------------------------- */

/* Whether a file is the attribute of the spikes: [_NAMESPACE_]spikes.ATTRIBUTE[_CLOCK][.PART].npy
 */
static bool is_attribute(const char *name, const char *attribute)
{
    const size_t n = strlen(name), n_attribute = strlen(attribute);
    const char *at = name;
    if (*at == '_') {
        at = strchr(at + 1, '_');
        if (at++ == NULL)
            return false;
    }
    if (n < 4 || strcmp(name + n - 4, ".npy") != 0 || strncmp(at, "spikes.", 7) != 0)
        return false;
    at += 7;
    return strncmp(at, attribute, n_attribute) == 0 &&
           (at[n_attribute] == '.' || at[n_attribute] == '_');
}

/* What was found: the first path, and how many there are. */
typedef struct search {
    char first[PATH_BYTES];
    char second[PATH_BYTES];
    size_t n;
    size_t entries;
} search;

static bool join(char *path, const char *folder, const char *name)
{
    int n = snprintf(path, PATH_BYTES, "%s%s%s", folder,
                     folder[0] != '\0' && folder[strlen(folder) - 1] == '/' ? "" : "/", name);
    return n > 0 && n < PATH_BYTES;
}

/* Files of the attribute in one folder. */
static void look_in(const char *folder, const char *attribute, search *found)
{
    char path[PATH_BYTES];
    DIR *listing = opendir(folder);
    *found = (search){.n = 0};
    for (struct dirent *e = listing != NULL ? readdir(listing) : NULL; e != NULL;
         e = readdir(listing)) {
        if (!is_attribute(e->d_name, attribute) || !join(path, folder, e->d_name))
            continue;
        memcpy(found->n == 0 ? found->first : found->second, path, sizeof path);
        found->n++;
    }
    if (listing != NULL)
        closedir(listing);
}

/* Folders with spike times, below `folder`; their number stays small. */
static void look_below(const char *folder, int depth, search *found)
{
    search here;
    struct stat info;
    char path[PATH_BYTES];
    look_in(folder, "times", &here);
    if (here.n > 0) {
        snprintf(found->n == 0 ? found->first : found->second, PATH_BYTES, "%s", folder);
        found->n++;
        return;
    }
    DIR *listing = depth < DEEPEST ? opendir(folder) : NULL;
    for (struct dirent *e = listing != NULL ? readdir(listing) : NULL;
         e != NULL && ++found->entries < MOST_ENTRIES && found->n < 2; e = readdir(listing))
        if (e->d_name[0] != '.' && join(path, folder, e->d_name) && stat(path, &info) == 0 &&
            S_ISDIR(info.st_mode))
            look_below(path, depth + 1, found);
    if (listing != NULL)
        closedir(listing);
}

static spk_match recognise(const spk_probe *probe)
{
    search found = {.n = 0};
    if (probe->is_folder)
        look_below(probe->path, 0, &found);
    return found.n > 0 ? SPK_MATCH_SURE : SPK_MATCH_NO;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Opens the only file of the attribute. */
static spk_status open_attribute(spk_context *context, const char *folder, const char *attribute,
                                 spk_array *array, spk_values *values)
{
    search found;
    look_in(folder, attribute, &found);
    if (found.n == 0)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: has no file spikes.%s.npy; copy the folder whole", folder, attribute);
    if (found.n > 1)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: has several files of spikes.%s, such as %.200s and %.200s; leave one "
                        "of them in the folder",
                        folder, attribute, strrchr(found.first, '/') + 1,
                        strrchr(found.second, '/') + 1);
    spk_status status = spk_array_open(context, found.first, array);
    if (status == SPK_OK && !spk_array_list(array, values))
        status =
            spk_fail(context, SPK_ERR_FORMAT,
                     "%s: is no list, of shape (n,) or (n, 1); fetch the file again", found.first);
    return status;
}

static spk_status find_folder(spk_context *context, const char *path, search *found)
{
    *found = (search){.n = 0};
    look_below(path, 0, found);
    if (found->n == 0)
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: has no file spikes.times.npy; give the folder "
                        "that has it",
                        path);
    if (found->n > 1)
        return spk_fail(
            context, SPK_ERR_FORMAT,
            "%s: has spikes of several probes; give the folder of one, such as %.300s or "
            "%.300s",
            path, found->first, found->second);
    return SPK_OK;
}

static spk_status read_alf(spk_context *context, const spk_probe *probe, spk_input *input,
                           const spk_read_options *options, spk_recording **out)
{
    (void)input;
    spk_array times = {.descriptor = -1}, units = {.descriptor = -1};
    search found;
    spk_status status = find_folder(context, probe->path, &found);
    spk_spikes spikes = {.name = found.first};
    if (status == SPK_OK)
        status = open_attribute(context, found.first, "times", &times, &spikes.times);
    if (status == SPK_OK)
        status = open_attribute(context, found.first, "clusters", &units, &spikes.units);
    if (status == SPK_OK)
        status = spk_spikes_read(context, &spikes, options, out);
    spk_array_close(&times);
    spk_array_close(&units);
    return status;
}

const spk_reader spk_reader_alf = {
    .name = "alf",
    .summary = "an ALF folder: spikes.times.npy and spikes.clusters.npy",
    .endings = "",
    .options = "time_unit",
    .recognise = recognise,
    .read = read_alf,
};
