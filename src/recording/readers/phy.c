/*
 * A folder of Kilosort or phy: spike_times.npy in samples, the cluster of each spike, params.py
 * with the sampling rate, tables of what was said of the clusters.
 */
#include <stdlib.h>
#include <string.h>

#include "recording/readers/reader.h"
#include "recording/readers/small_file.h"
#include "recording/readers/sorter_clusters.h"
#include "recording/readers/sorter_params.h"

static const char TIMES[] = "spike_times.npy", CLUSTERS[] = "spike_clusters.npy",
                  TEMPLATES[] = "spike_templates.npy", PARAMS[] = "params.py";

static spk_match recognise(const spk_probe *probe)
{
    return probe->is_folder && spk_small_exists(probe->path, TIMES) ? SPK_MATCH_SURE : SPK_MATCH_NO;
}

/* Opens a list of numbers in the folder. */
static spk_status open_list(spk_context *context, const char *folder, const char *name,
                            spk_array *array, spk_values *values)
{
    char *path = NULL;
    spk_status status = spk_small_path(context, folder, name, &path);
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
    if (!spk_small_exists(folder, PARAMS))
        return spk_fail(context, SPK_ERR_FORMAT,
                        "%s: has no params.py that tells the sampling rate; pass --time-unit "
                        "samples@RATE, for example samples@30000",
                        folder);
    spk_status status = spk_small_path(context, folder, PARAMS, &path);
    if (status == SPK_OK)
        status = spk_small_file_read(context, path, &text, &n);
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
    if (spk_small_exists(folder, CLUSTERS))
        return open_list(context, folder, CLUSTERS, array, values);
    if (spk_small_exists(folder, TEMPLATES))
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
    spk_spikes spikes = {.name = folder, .samples = true, .choose = spk_sorter_clusters_choose};
    spk_status status = spk_sorter_clusters_read(context, folder, options, &clusters);
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
    if (status == SPK_OK && !spk_small_exists(folder, CLUSTERS))
        spk_note(context, "%s: units are those of %s, as there is no %s", folder, TEMPLATES,
                 CLUSTERS);
    if (status == SPK_OK)
        spk_sorter_clusters_tell(context, &clusters);
    spk_array_close(&times);
    spk_array_close(&units);
    spk_sorter_clusters_clear(&clusters);
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
