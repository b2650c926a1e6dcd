/* What a sorter's tables say of its clusters: groups, labels, and which are wanted. */
#ifndef SPK_RECORDING_READERS_SORTER_CLUSTERS_H
#define SPK_RECORDING_READERS_SORTER_CLUSTERS_H

#include "recording/readers/sorter_table.h"
#include "recording/readers/spikes.h"

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

/* Reads the tables. Errors: SPK_ERR_IO, SPK_ERR_FORMAT, SPK_ERR_MEMORY. */
spk_status spk_sorter_clusters_read(spk_context *context, const char *folder,
                                    const spk_read_options *options, spk_sorter_clusters *out);
void spk_sorter_clusters_clear(spk_sorter_clusters *clusters);

/* An spk_choose_units_fn: keeps the groups and the selection of the options (without a group all
 * but noise), and names the units by the label column. `user` is the clusters. */
spk_status spk_sorter_clusters_choose(spk_context *context, void *user, const spk_labels *found,
                                      spk_unit_choice *choice);

/* Tells in a note which groups were read. */
void spk_sorter_clusters_tell(spk_context *context, const spk_sorter_clusters *clusters);

#endif
