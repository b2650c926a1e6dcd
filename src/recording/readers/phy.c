/*
 * A folder of Kilosort or phy: spike_times.npy in samples, the cluster of each spike, params.py
 * with the sampling rate, tables of what was said of the clusters.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/append.h"
#include "base/context.h"
#include "base/memory.h"
#include "recording/input.h"
#include "recording/readers/reader.h"
#include "recording/readers/row_filter.h"
#include "recording/readers/sorter_files.h"
#include "recording/readers/spikes.h"

/* ---- small files ----------------------------------------------------------------------------- */

enum { MOST_BYTES = 64000000, STEP = 1 << 16 };

/* "FOLDER/NAME"; to be freed. */
static spk_status join_path(spk_context *context, const char *folder, const char *name, char **out)
{
    const size_t n = strlen(folder);
    const char *slash = n > 0 && folder[n - 1] == '/' ? "" : "/";
    spk_status status = spk_alloc(context, out, n + strlen(name) + 2, "a path");
    if (status == SPK_OK)
        snprintf(*out, n + strlen(name) + 2, "%s%s%s", folder, slash, name);
    return status;
}

/* Whether a regular file of that name lies in the folder. */
static bool has_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat info;
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n > 0 && (size_t)n < sizeof path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* All n bytes of a file of at most 64 MB, plain or compressed; to be freed. Errors: SPK_ERR_IO,
 * SPK_ERR_RANGE (longer), SPK_ERR_MEMORY. */
static spk_status read_small_file(spk_context *context, const char *path, char **text, size_t *n)
{
    spk_input *input = NULL;
    uint64_t capacity = 0;
    size_t got = STEP;
    *text = NULL;
    *n = 0;
    spk_status status = spk_input_open(context, path, &input);
    while (status == SPK_OK && got == STEP) {
        status = spk_grow(context, text, &capacity, *n + STEP, "a table");
        if (status == SPK_OK)
            status = spk_input_read(context, input, *text + *n, STEP, &got);
        *n += status == SPK_OK ? got : 0;
        if (*n > MOST_BYTES)
            status = spk_fail(context, SPK_ERR_RANGE,
                              "%s: is over %d MB, and a table of clusters is small; is this the "
                              "right file?",
                              path, MOST_BYTES / 1000000);
    }
    spk_input_close(input);
    if (status != SPK_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

/* ---- clusters -------------------------------------------------------------------------------- */

/*
 * Clusters of a Kilosort or phy folder. Their groups are those of the first of these tables that
 * has any: cluster_group.tsv, what phy saves when clusters are sorted by hand; cluster_info.tsv;
 * cluster_KSLabel.tsv, what Kilosort thinks. A cluster without a group is "unsorted".
 */

enum { SPK_SORTER_TABLES = 64 };

/* All cluster_*.tsv and cluster_*.csv of a folder, in order of name. Starts zeroed. */
typedef struct spk_sorter_clusters {
    const char *folder;
    const spk_read_options *options;
    size_t n_tables;
    spk_sorter_table table[SPK_SORTER_TABLES];
    const spk_sorter_table *groups; /* that which tells the groups, NULL: none */
    size_t group_column;
    uint32_t n_found; /* clusters, once they were chosen; those of the groups */
    uint32_t n_kept;
} spk_sorter_clusters;

static const char UNSORTED[] = "unsorted";

/* ---- reading --------------------------------------------------------------------------------- */

static int is_table(const struct dirent *entry)
{
    return strncmp(entry->d_name, "cluster_", 8) == 0 &&
           (spk_ends_in(entry->d_name, ".tsv") || spk_ends_in(entry->d_name, ".csv"));
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static spk_status read_table(spk_context *context, spk_sorter_clusters *clusters, const char *name)
{
    char *path = NULL, *text = NULL;
    size_t n = 0;
    spk_status status = join_path(context, clusters->folder, name, &path);
    if (status == SPK_OK)
        status = read_small_file(context, path, &text, &n);
    if (status == SPK_OK)
        status = spk_sorter_table_parse(context, path, name, text, n,
                                        &clusters->table[clusters->n_tables]);
    if (status == SPK_OK)
        clusters->n_tables++;
    free(path);
    free(text);
    return status;
}

static const spk_sorter_table *find_table(const spk_sorter_clusters *clusters, const char *name)
{
    for (size_t k = 0; k < clusters->n_tables; k++)
        if (strcmp(clusters->table[k].name, name) == 0)
            return &clusters->table[k];
    return NULL;
}

/* A table without rows says nothing: phy saves one when nobody sorted by hand. */
static void find_groups(spk_sorter_clusters *clusters)
{
    static const struct {
        const char *table;
        const char *column;
    } places[] = {{"cluster_group.tsv", "group"},     {"cluster_group.csv", "group"},
                  {"cluster_groups.csv", "group"},    {"cluster_info.tsv", "group"},
                  {"cluster_KSLabel.tsv", "KSLabel"}, {"cluster_info.tsv", "KSLabel"}};
    for (size_t k = 0; k < sizeof places / sizeof places[0] && clusters->groups == NULL; k++) {
        const spk_sorter_table *table = find_table(clusters, places[k].table);
        bool said = false;
        if (table == NULL ||
            !spk_sorter_table_column(table, places[k].column, &clusters->group_column))
            continue;
        for (uint64_t r = 1; r <= table->n_rows && !said; r++)
            said = table->cell[r * table->n_columns + clusters->group_column][0] != '\0';
        clusters->groups = said ? table : NULL;
    }
}

static void sorter_clusters_clear(spk_sorter_clusters *clusters)
{
    for (size_t k = 0; k < clusters->n_tables; k++)
        spk_sorter_table_clear(&clusters->table[k]);
    *clusters = (spk_sorter_clusters){.n_tables = 0};
}

/* Reads the tables. Errors: SPK_ERR_IO, SPK_ERR_FORMAT, SPK_ERR_MEMORY. */
static spk_status sorter_clusters_read(spk_context *context, const char *folder,
                                       const spk_read_options *options, spk_sorter_clusters *out)
{
    struct dirent **entry = NULL;
    spk_status status = SPK_OK;
    *out = (spk_sorter_clusters){.folder = folder, .options = options};
    int n = scandir(folder, &entry, is_table, compare_entries);
    if (n < 0)
        return spk_fail(context, SPK_ERR_IO,
                        "%s: cannot list the folder: %s; check its permissions", folder,
                        strerror(errno));
    if (n > SPK_SORTER_TABLES)
        status = spk_fail(context, SPK_ERR_RANGE,
                          "%s: more than %d tables cluster_*; move those away that are not needed",
                          folder, (int)SPK_SORTER_TABLES);
    for (int k = 0; k < n; k++) {
        if (status == SPK_OK)
            status = read_table(context, out, entry[k]->d_name);
        free(entry[k]);
    }
    free(entry);
    if (status == SPK_OK)
        find_groups(out);
    else
        sorter_clusters_clear(out);
    return status;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static const char *group_of(const spk_sorter_clusters *clusters, const char *cluster)
{
    const char *group = NULL;
    if (clusters->groups != NULL)
        group = spk_sorter_table_cell(clusters->groups, cluster, clusters->group_column);
    return group != NULL && group[0] != '\0' ? group : UNSORTED;
}

/* The table with this column: cluster_info.tsv if it has it, else the first that does. */
static const spk_sorter_table *find_column(const spk_sorter_clusters *clusters, const char *name,
                                           size_t *column)
{
    const spk_sorter_table *info = find_table(clusters, "cluster_info.tsv");
    if (info != NULL && spk_sorter_table_column(info, name, column))
        return info;
    for (size_t k = 0; k < clusters->n_tables; k++)
        if (spk_sorter_table_column(&clusters->table[k], name, column))
            return &clusters->table[k];
    return NULL;
}

static spk_status fail_column(spk_context *context, const spk_sorter_clusters *clusters,
                              const char *option, const char *name)
{
    char names[160] = "";
    size_t at = 0;
    for (size_t k = 0; k < clusters->n_tables; k++)
        for (size_t c = 0; c < clusters->table[k].n_columns && at < sizeof names; c++)
            if (c != clusters->table[k].id_column)
                at += (size_t)snprintf(names + at, sizeof names - at, "%s%.40s", at > 0 ? ", " : "",
                                       clusters->table[k].cell[c]);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "%s: --%s: no table has a column '%.60s'; there are %s", clusters->folder,
                    option, name,
                    names[0] != '\0' ? names : "none: the folder has no cluster_*.tsv");
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Whether a name stands in a list "good,mua". */
static bool is_listed(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    }
    return false;
}

static spk_status fail_group(spk_context *context, const spk_sorter_clusters *clusters,
                             const spk_labels *found)
{
    char names[160] = "";
    for (uint32_t u = 0; u < found->n; u++) {
        const char *group = group_of(clusters, spk_labels_text(found, u));
        size_t at = strlen(names);
        if (at + strlen(group) + 2 < sizeof names && !is_listed(names, group))
            snprintf(names + at, sizeof names - at, "%s%s", at > 0 ? "," : "", group);
    }
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "%s: no cluster is of the group '%.60s'; there are %s, and all",
                    clusters->folder, clusters->options->group, names[0] != '\0' ? names : "none");
}

static spk_status keep_groups(spk_context *context, spk_sorter_clusters *clusters,
                              const spk_labels *found, spk_unit_choice *choice)
{
    const char *wanted = clusters->options->group;
    uint32_t kept = 0;
    if (wanted != NULL && strcmp(wanted, "all") == 0)
        return SPK_OK;
    for (uint32_t u = 0; u < found->n; u++) {
        const char *group = group_of(clusters, spk_labels_text(found, u));
        choice->keep[u] = wanted != NULL ? is_listed(wanted, group) : strcmp(group, "noise") != 0;
        kept += choice->keep[u];
    }
    if (wanted != NULL && kept == 0)
        return fail_group(context, clusters, found);
    clusters->n_found = found->n;
    clusters->n_kept = kept;
    return SPK_OK;
}

/* ---- selections ------------------------------------------------------------------------------ */

static spk_status keep_term(spk_context *context, const spk_sorter_clusters *clusters,
                            const spk_labels *found, const spk_row_filter *filter, size_t term,
                            spk_unit_choice *choice)
{
    const char *name = spk_row_filter_column(filter, term);
    size_t column = 0;
    const spk_sorter_table *table = NULL;
    const bool is_group = strcmp(name, "group") == 0;
    const bool is_id = strcmp(name, "cluster_id") == 0 || strcmp(name, "id") == 0;
    if (!is_group && !is_id) {
        table = find_column(clusters, name, &column);
        if (table == NULL)
            return fail_column(context, clusters, "select", name);
    }
    for (uint32_t u = 0; u < found->n; u++) {
        const char *cluster = spk_labels_text(found, u), *cell = cluster;
        if (is_group)
            cell = group_of(clusters, cluster);
        else if (!is_id)
            cell = spk_sorter_table_cell(table, cluster, column);
        const spk_row_filter_value value = {.text = cell != NULL ? cell : "",
                                            .n_text = cell != NULL ? strlen(cell) : 0};
        choice->keep[u] = choice->keep[u] && spk_row_filter_holds(filter, term, &value);
    }
    return SPK_OK;
}

static spk_status keep_selected(spk_context *context, const spk_sorter_clusters *clusters,
                                const spk_labels *found, spk_unit_choice *choice)
{
    spk_row_filter *filter = NULL;
    spk_status status = spk_row_filter_parse(context, clusters->options->row_filter, &filter);
    for (size_t k = 0; status == SPK_OK && k < spk_row_filter_count(filter); k++)
        status = keep_term(context, clusters, found, filter, k, choice);
    spk_row_filter_free(filter);
    uint32_t kept = 0;
    for (uint32_t u = 0; u < found->n; u++)
        kept += choice->keep[u];
    if (status == SPK_OK && kept == 0 && found->n > 0)
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "%s: --select '%.80s' and the group leave none of %" PRIu32
                          " clusters; widen them",
                          clusters->folder, clusters->options->row_filter, found->n);
    return status;
}

/* ---- labels ---------------------------------------------------------------------------------- */

static spk_status name_units(spk_context *context, const spk_sorter_clusters *clusters,
                             const spk_labels *found, spk_unit_choice *choice)
{
    const char *name = clusters->options->label_column;
    size_t column = 0;
    spk_labels seen = {.n = 0};
    spk_status status = SPK_OK;
    const spk_sorter_table *table = find_column(clusters, name, &column);
    if (table == NULL)
        return fail_column(context, clusters, "label-column", name);
    for (uint32_t u = 0; u < found->n && status == SPK_OK; u++) {
        const char *cell = spk_sorter_table_cell(table, spk_labels_text(found, u), column);
        const uint32_t before = seen.n;
        uint32_t number;
        if (!choice->keep[u])
            continue;
        if (cell != NULL && cell[0] != '\0')
            choice->label[u] = cell;
        status =
            spk_labels_intern(context, &seen, choice->label[u], strlen(choice->label[u]), &number);
        if (status == SPK_OK && seen.n == before)
            status = spk_fail(context, SPK_ERR_FORMAT,
                              "%s: two clusters have the label '%.60s' in the column %s; choose a "
                              "column of different labels, or leave --label-column out",
                              clusters->folder, choice->label[u], name);
    }
    spk_labels_clear(&seen);
    return status;
}

/* An spk_choose_units_fn: keeps the groups and the selection of the options (without a group all
 * but noise), and names the units by the label column. `user` is the clusters. */
static spk_status sorter_clusters_choose(spk_context *context, void *user, const spk_labels *found,
                                         spk_unit_choice *choice)
{
    spk_sorter_clusters *clusters = user;
    spk_status status = keep_groups(context, clusters, found, choice);
    if (status == SPK_OK && clusters->options->row_filter != NULL)
        status = keep_selected(context, clusters, found, choice);
    if (status == SPK_OK && clusters->options->label_column != NULL)
        status = name_units(context, clusters, found, choice);
    return status;
}

/* Tells in a note which groups were read. */
static void sorter_clusters_tell(spk_context *context, const spk_sorter_clusters *clusters)
{
    const char *wanted = clusters->options->group;
    if (wanted != NULL && strcmp(wanted, "all") == 0)
        return;
    if (clusters->groups == NULL)
        spk_note(context, "%s: nothing says which clusters are good: all %" PRIu32 " are read",
                 clusters->folder, clusters->n_found);
    else if (wanted != NULL || clusters->n_kept < clusters->n_found)
        spk_note(context, "%s: %" PRIu32 " of %" PRIu32 " clusters are read%s (%s)",
                 clusters->folder, clusters->n_kept, clusters->n_found,
                 wanted == NULL ? ", all but noise; --group good takes the good ones" : "",
                 clusters->groups->name);
}

/* ---- the reader ------------------------------------------------------------------------------ */

static const char TIMES[] = "spike_times.npy", CLUSTERS[] = "spike_clusters.npy",
                  TEMPLATES[] = "spike_templates.npy", PARAMS[] = "params.py";

static spk_match recognise(const spk_probe *probe)
{
    return probe->is_folder && has_file(probe->path, TIMES) ? SPK_MATCH_SURE : SPK_MATCH_NO;
}

/* Opens a list of numbers in the folder. */
static spk_status open_list(spk_context *context, const char *folder, const char *name,
                            spk_array *array, spk_values *values)
{
    char *path = NULL;
    spk_status status = join_path(context, folder, name, &path);
    if (status == SPK_OK)
        status = spk_array_open(context, path, array);
    if (status == SPK_OK && !spk_array_list(array, values))
        status = spk_fail(context, SPK_ERR_FORMAT,
                          "%s: is no list, of shape (n,) or (n, 1); let the sorter write it again",
                          path);
    free(path);
    return status;
}

/* The sampling rate. It is not asked for where the user says what times are. */
static spk_status find_rate(spk_context *context, const char *folder,
                            const spk_read_options *options, spk_rate *rate)
{
    char *path = NULL, *text = NULL;
    size_t n = 0;
    if (options->time_unit != SPK_TIME_GUESS)
        return SPK_OK;
    if (!has_file(folder, PARAMS))
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: has no params.py that tells the sampling rate; pass --time-unit "
                        "samples@RATE, for example samples@30000",
                        folder);
    spk_status status = join_path(context, folder, PARAMS, &path);
    if (status == SPK_OK)
        status = read_small_file(context, path, &text, &n);
    if (status == SPK_OK)
        status = spk_sorter_params_rate(context, path, text, n, rate);
    if (status == SPK_OK && rate->numerator == 0)
        status = spk_fail(context, SPK_ERR_FORMAT,
                          "%s: assigns nothing to sample_rate; write sample_rate = 30000, or pass "
                          "--time-unit samples@RATE",
                          path);
    free(path);
    free(text);
    return status;
}

static spk_status open_units(spk_context *context, const char *folder, spk_array *array,
                             spk_values *values)
{
    if (has_file(folder, CLUSTERS))
        return open_list(context, folder, CLUSTERS, array, values);
    if (has_file(folder, TEMPLATES))
        return open_list(context, folder, TEMPLATES, array, values);
    return spk_fail(context, SPK_ERR_FORMAT, "%s: has neither %s nor %s; copy the folder whole",
                    folder, CLUSTERS, TEMPLATES);
}

static spk_status read_phy(spk_context *context, const spk_probe *probe, spk_input *input,
                           const spk_read_options *options, spk_recording **out)
{
    (void)input;
    const char *folder = probe->path;
    spk_array times = {.descriptor = -1}, units = {.descriptor = -1};
    spk_sorter_clusters clusters = {.n_tables = 0};
    spk_spikes spikes = {.name = folder, .samples = true, .choose = sorter_clusters_choose};
    spk_status status = sorter_clusters_read(context, folder, options, &clusters);
    spikes.user = &clusters;
    spikes.rate = (spk_rate){0, 1};
    if (status == SPK_OK)
        status = open_list(context, folder, TIMES, &times, &spikes.times);
    if (status == SPK_OK)
        status = open_units(context, folder, &units, &spikes.units);
    if (status == SPK_OK)
        status = find_rate(context, folder, options, &spikes.rate);
    if (status == SPK_OK)
        status = spk_spikes_read(context, &spikes, options, out);
    if (status == SPK_OK && !has_file(folder, CLUSTERS))
        spk_note(context, "%s: units are those of %s, as there is no %s", folder, TEMPLATES,
                 CLUSTERS);
    if (status == SPK_OK)
        sorter_clusters_tell(context, &clusters);
    spk_array_close(&times);
    spk_array_close(&units);
    sorter_clusters_clear(&clusters);
    return status;
}

const spk_reader spk_reader_phy = {
    .name = "phy",
    .summary = "a folder of Kilosort or phy: spike_times.npy, clusters, params.py and tables",
    .endings = "",
    .options = "time_unit label_column select group",
    .recognise = recognise,
    .read = read_phy,
};
