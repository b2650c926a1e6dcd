/*
 * Tunings in a file, one entry for each device:
 *
 *   {"version": 1,
 *    "gpus": {ID: {"name": ..., "multiprocessors": ..., "memory": ..., "a": ..., "b": ...,
 *                  "crossovers": [{"size": ..., "crossed": ..., "candidates": ...,
 *                                  "resident": ...}, ...]}}}
 */
#include "episode/engine/cuda/papers/host_crossover.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/output.h"

enum { FILE_VERSION = 1 };

spk_status spk_papers_tuning_path(spk_context *context, char **path)
{
    static const char tail[] = "spikemine/gpu.json";
    const char *folder = getenv("XDG_CONFIG_HOME");
    const char *between = "/";
    *path = NULL;
    if (folder == NULL || folder[0] != '/') { /* relative ones are to be ignored, says XDG */
        folder = getenv("HOME");
        between = "/.config/";
    }
    if (folder == NULL || folder[0] == '\0')
        return SPK_OK;
    size_t bytes = strlen(folder) + strlen(between) + sizeof tail;
    spk_status status = spk_alloc(context, path, bytes, "a file name");
    if (status == SPK_OK)
        snprintf(*path, bytes, "%s%s%s", folder, between, tail);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static spk_status damaged(spk_context *context, const char *path, const char *why)
{
    return spk_fail(context, SPK_ERR_FORMAT,
                    "%s: %s; remove the file and run 'spikemine tune' again", path, why);
}

/* *root = NULL when there is no file; else json_decref it. */
static spk_status read_root(spk_context *context, const char *path, json_t **root)
{
    *root = NULL;
    FILE *file = fopen(path, "rb");
    /* No file is no error: nothing has been measured yet. */
    if (file == NULL && (errno == ENOENT || errno == ENOTDIR))
        return SPK_OK;
    if (file == NULL)
        return spk_fail(context, SPK_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    json_error_t error;
    *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    fclose(file);
    if (*root == NULL) {
        char why[JSON_ERROR_TEXT_LENGTH + 40];
        snprintf(why, sizeof why, "line %d: %s", error.line, error.text);
        return damaged(context, path, why);
    }
    const char *why = NULL;
    if (json_integer_value(json_object_get(*root, "version")) != FILE_VERSION)
        why = "not of version 1";
    else if (!json_is_object(json_object_get(*root, "gpus")))
        why = "has no object 'gpus'";
    if (why == NULL)
        return SPK_OK;
    json_decref(*root);
    *root = NULL;
    return damaged(context, path, why);
}

static bool get_number(const json_t *object, const char *key, double *out)
{
    const json_t *value = json_object_get(object, key);
    *out = json_number_value(value);
    return json_is_number(value) && isfinite(*out);
}

static bool get_positive(const json_t *object, const char *key, uint64_t *out)
{
    const json_t *value = json_object_get(object, key);
    *out = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) > 0;
}

static bool get_crossover(const json_t *object, spk_papers_crossover *out)
{
    uint64_t size = 0;
    const json_t *crossed = json_object_get(object, "crossed");
    bool good = get_positive(object, "size", &size) && size <= UINT32_MAX &&
                get_positive(object, "resident", &out->resident) &&
                get_number(object, "candidates", &out->candidates) && out->candidates > 0 &&
                json_is_boolean(crossed);
    out->size = (uint32_t)size;
    out->crossed = json_is_true(crossed);
    return good;
}

static bool get_tuning(const json_t *entry, const char *id, spk_papers_tuning *out)
{
    *out = (spk_papers_tuning){.a = 0};
    const char *name = json_string_value(json_object_get(entry, "name"));
    const json_t *crossovers = json_object_get(entry, "crossovers");
    /* The file may be anybody's work: each number is checked before it is used, and too many
     * entries are refused, not cut. */
    size_t n = json_array_size(crossovers);
    uint64_t multiprocessors = 0;
    bool good = name != NULL && get_number(entry, "a", &out->a) &&
                get_number(entry, "b", &out->b) &&
                get_positive(entry, "multiprocessors", &multiprocessors) &&
                multiprocessors <= INT32_MAX && get_positive(entry, "memory", &out->gpu.memory) &&
                json_is_array(crossovers) && n <= SPK_PAPERS_TUNING_SIZES;
    for (size_t k = 0; k < n && good; k++)
        good = get_crossover(json_array_get(crossovers, k), &out->crossover[k]);
    if (!good)
        return false;
    out->n_crossovers = (uint32_t)n;
    out->gpu.multiprocessors = (int)multiprocessors;
    snprintf(out->gpu.name, sizeof out->gpu.name, "%s", name);
    snprintf(out->gpu.id, sizeof out->gpu.id, "%s", id);
    return true;
}

spk_status crossover_load(spk_context *context, const char *path, const char *id, bool *found,
                          spk_papers_tuning *tuning)
{
    json_t *root = NULL;
    *found = false;
    spk_status status = read_root(context, path, &root);
    const json_t *entry = json_object_get(json_object_get(root, "gpus"), id);
    if (entry != NULL) {
        *found = get_tuning(entry, id, tuning);
        if (!*found) {
            char why[160];
            snprintf(why, sizeof why, "the entry of GPU %.64s is damaged", id);
            status = damaged(context, path, why);
        }
    }
    json_decref(root);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static json_t *pack_tuning(const spk_papers_tuning *c)
{
    json_t *crossovers = json_array();
    for (uint32_t k = 0; k < c->n_crossovers; k++) {
        const spk_papers_crossover *x = &c->crossover[k];
        json_t *point = json_pack("{s:I, s:b, s:f, s:I}", "size", (json_int_t)x->size, "crossed",
                                  (int)x->crossed, "candidates", x->candidates, "resident",
                                  (json_int_t)x->resident);
        if (json_array_append_new(crossovers, point) != 0) {
            json_decref(crossovers);
            return NULL;
        }
    }
    return json_pack("{s:s, s:I, s:I, s:f, s:f, s:o}", "name", c->gpu.name, "multiprocessors",
                     (json_int_t)c->gpu.multiprocessors, "memory", (json_int_t)c->gpu.memory, "a",
                     c->a, "b", c->b, "crossovers", crossovers);
}

/* Makes the folders that the file lies in. */
static spk_status make_folders(spk_context *context, const char *path)
{
    char *folder = NULL;
    spk_status status = spk_strdup(context, &folder, path);
    if (status != SPK_OK)
        return status;
    for (char *slash = strchr(folder + 1, '/'); slash != NULL && status == SPK_OK;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            status =
                spk_fail(context, SPK_ERR_IO,
                         "%s: cannot make the folder: %s; set XDG_CONFIG_HOME to another place",
                         folder, strerror(errno));
        *slash = '/';
    }
    free(folder);
    return status;
}

static spk_status write_root(spk_context *context, const char *path, const json_t *root)
{
    spk_output *output = NULL;
    spk_status status = make_folders(context, path);
    if (status == SPK_OK)
        status = spk_output_open(context, path, &output);
    if (status != SPK_OK)
        return status;
    if (json_dumpf(root, spk_output_stream(output), JSON_INDENT(2) | JSON_SORT_KEYS) != 0) {
        spk_output_discard(output);
        return spk_fail(context, SPK_ERR_IO, "%s: writing failed; is the disk full?", path);
    }
    fputc('\n', spk_output_stream(output));
    return spk_output_commit(context, output);
}

spk_status crossover_store(spk_context *context, const char *path, const spk_papers_tuning *tuning)
{
    json_t *root = NULL;
    spk_status status = read_root(context, path, &root);
    if (status != SPK_OK)
        return status;
    if (root == NULL)
        root = json_pack("{s:i, s:{}}", "version", FILE_VERSION, "gpus");
    if (json_object_set_new(json_object_get(root, "gpus"), tuning->gpu.id, pack_tuning(tuning)) !=
        0)
        status = spk_fail_memory(context, 0, "a tuning");
    if (status == SPK_OK)
        status = write_root(context, path, root);
    json_decref(root);
    return status;
}
