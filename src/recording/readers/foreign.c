/*
 * Formats of other programs, by their first bytes or, where those tell nothing, by the ending of a
 * binary file. Each comes with a way to a file that is read here.
 */
#include "recording/readers/reader.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct foreign {
    const char *what;
    size_t at; /* of the mark */
    const char *mark;
    size_t n_mark;      /* 0: only the ending tells */
    const char *ending; /* ".plx", or NULL */
    const char *way;
} foreign;

#define NEO(class)                                                                                 \
    "convert it with Neo (Python): neo.io." class ", then write lines of time and unit"
#define PANDAS(function)                                                                           \
    "convert it with pandas (Python): pandas." function "(FILE).to_csv(\"spikes.csv\")"
#define MARK(text) text, sizeof text - 1

static const foreign FOREIGN[] = {
    {"a Blackrock file", 0, MARK("NEURALEV"), ".nev", NEO("BlackrockIO")},
    {"a Blackrock file", 0, MARK("BREVENTS"), NULL, NEO("BlackrockIO")},
    {"a NeuroExplorer file", 0, MARK("NEX1"), ".nex", NEO("NeuroExplorerIO")},
    {"a NeuroExplorer 5 file", 0, MARK("NEX5"), ".nex5",
     "export it from NeuroExplorer as text or .nex, and read .nex with Neo (Python)"},
    {"a Plexon file", 0, MARK("PLEX"), ".plx", NEO("PlexonIO")},
    {"a Plexon file", 0, NULL, 0, ".pl2", NEO("Plexon2IO")},
    {"a Spike2 file", 2, MARK("(C) CED"), ".smr", NEO("Spike2IO")},
    {"a Spike2 file", 0, NULL, 0, ".smrx", NEO("CedIO")},
    {"an Intan file of signals, not of sorted spikes", 0, MARK("\x02\x27\x91\xc6"), ".rhd",
     "sort the spikes first, for example with SpikeInterface (Python)"},
    {"an Intan file of signals, not of sorted spikes", 0, MARK("\xac\x27\x91\xd6"), ".rhs",
     "sort the spikes first, for example with SpikeInterface (Python)"},
    {"a Neuralynx file", 0, MARK("######## Neuralynx"), NULL, NEO("NeuralynxIO")},
    {"an Open Ephys file", 0, MARK("header.format = 'Open Ephys"), NULL, NEO("OpenEphysIO")},
    {"an Axon file", 0, MARK("ABF "), ".abf", NEO("AxonIO")},
    {"an Axon file", 0, MARK("ABF2"), NULL, NEO("AxonIO")},
    {"a Parquet file", 0, MARK("PAR1"), ".parquet", PANDAS("read_parquet")},
    {"an Arrow file", 0, MARK("ARROW1"), ".feather", PANDAS("read_feather")},
    {"an Excel file", 0, MARK("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), ".xls", PANDAS("read_excel")},
    {"an HDF5 file of no kind that is read", 0, MARK("\x89HDF\r\n\x1a\n"), NULL,
     "write its times and units as lines, for example with h5py (Python)"},
    {"a zip archive", 0, MARK("PK\x03\x04"), NULL, "unpack it and give a file in it"},
    {"a database", 0, MARK("SQLite format 3"), NULL,
     "write its times and units as CSV, for example with sqlite3 -csv -header"},
    {"a pickle", 0, MARK("\x80\x03"), ".pkl", ""},
    {"a pickle", 0, MARK("\x80\x04\x95"), ".pickle", ""},
    {"a pickle", 0, MARK("\x80\x05\x95"), NULL, ""},
    {"a pickle", 0, MARK("\x80\x02"), NULL, ""},
    {"a PDF file", 0, MARK("%PDF-"), NULL, "give the file with the times"},
};

static const char PICKLE_WAY[] =
    "pickles are programs and are never run here; write lines of time and unit in Python";

static bool has_mark(const spk_probe *probe, const foreign *f)
{
    return f->n_mark > 0 && probe->n_head >= f->at + f->n_mark &&
           memcmp(probe->head + f->at, f->mark, f->n_mark) == 0;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t n = strlen(text);
    size_t m = strlen(ending);
    return n > m && strcasecmp(text + n - m, ending) == 0;
}

/* Parts of workbooks have these names, which stand near the beginning of the archive. */
static bool is_workbook(const spk_probe *probe)
{
    static const char *const names[] = {"[Content_Types].xml", "xl/workbook.xml"};
    if (probe->n_head < 4 || memcmp(probe->head, "PK\x03\x04", 4) != 0)
        return false;
    for (size_t k = 0; k < 2; k++) {
        size_t n = strlen(names[k]);
        for (size_t at = 30; at + n <= probe->n_head && at < 4096; at++)
            if (memcmp(probe->head + at, names[k], n) == 0)
                return true;
    }
    return ends_with(probe->path, ".xlsx");
}

static spk_status refuse(spk_context *context, const spk_probe *probe, const char *what,
                         const char *way)
{
    return spk_fail(context, SPK_ERR_FORMAT, "%s: is %s, which is not read; %s", probe->path, what,
                    way);
}

static bool is_binary(const spk_probe *probe)
{
    return probe->n_head > 0 && memchr(probe->head, '\0', probe->n_head) != NULL;
}

static spk_status refuse_file(spk_context *context, const spk_probe *probe)
{
    for (size_t k = 0; k < sizeof FOREIGN / sizeof FOREIGN[0]; k++)
        if (has_mark(probe, &FOREIGN[k]))
            return refuse(context, probe, FOREIGN[k].what,
                          FOREIGN[k].way[0] != '\0' ? FOREIGN[k].way : PICKLE_WAY);
    for (size_t k = 0; k < sizeof FOREIGN / sizeof FOREIGN[0] && is_binary(probe); k++)
        if (FOREIGN[k].ending != NULL && ends_with(probe->path, FOREIGN[k].ending))
            return refuse(context, probe, FOREIGN[k].what,
                          FOREIGN[k].way[0] != '\0' ? FOREIGN[k].way : PICKLE_WAY);
    return SPK_OK;
}

/* ---- folders --------------------------------------------------------------------------------- */

enum { MOST_NAMED = 3 };

/* Whether the name has one of the endings, or that of a compressed file behind it. */
static bool may_be_read(const char *name, const char *endings)
{
    static const char *const compressed[] = {".gz", ".xz", ".zst", ".bz2"};
    char bare[256];
    char ending[32];
    snprintf(bare, sizeof bare, "%s", name);
    for (size_t k = 0; k < 4; k++)
        if (ends_with(bare, compressed[k]))
            bare[strlen(bare) - strlen(compressed[k])] = '\0';
    for (const char *at = endings; *at != '\0';) {
        size_t n = strcspn(at, " ");
        snprintf(ending, sizeof ending, "%.*s", (int)n, at);
        if (n > 0 && ends_with(bare, ending))
            return true;
        at += n + strspn(at + n, " ");
    }
    return false;
}

/* Keeps the first MOST_NAMED names in order of the alphabet. */
static void keep_first(char names[MOST_NAMED][256], size_t *n, const char *name)
{
    size_t k = *n < MOST_NAMED ? *n : MOST_NAMED;
    while (k > 0 && strcmp(name, names[k - 1]) < 0)
        k--;
    for (size_t i = MOST_NAMED - 1; i > k; i--)
        memcpy(names[i], names[i - 1], sizeof names[i]);
    if (k < MOST_NAMED)
        snprintf(names[k], sizeof names[k], "%s", name);
    ++*n;
}

static spk_status refuse_folder(spk_context *context, const spk_probe *probe, const char *endings)
{
    char names[MOST_NAMED][256] = {"", "", ""};
    size_t n = 0;
    DIR *folder = opendir(probe->path);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' && may_be_read(entry->d_name, endings))
            keep_first(names, &n, entry->d_name);
    if (folder != NULL)
        closedir(folder);
    if (n == 0)
        return spk_fail(context, SPK_ERR_IO,
                        "%s: is a directory, and none of a known format; give a file in it",
                        probe->path);
    return spk_fail(context, SPK_ERR_IO,
                    "%s: is a directory, and none of a known format; give a file in it%s %.60s%s"
                    "%.60s%s%.60s%s",
                    probe->path, n > 1 ? ", one of" : ", perhaps", names[0], n > 1 ? ", " : "",
                    names[1], n > 2 ? ", " : "", names[2], n > 3 ? " ..." : "");
}

spk_status spk_foreign_refuse_early(spk_context *context, const spk_probe *probe)
{
    return !probe->is_folder && is_workbook(probe)
               ? refuse(context, probe, "an Excel workbook", PANDAS("read_excel"))
               : SPK_OK;
}

spk_status spk_foreign_refuse(spk_context *context, const spk_probe *probe, const char *endings)
{
    return probe->is_folder ? refuse_folder(context, probe, endings) : refuse_file(context, probe);
}
