/*
 * Result files: the bytes of each kind in both formats, files that appear only when committed, and
 * what happens to strange columns, full disks, and readers that leave.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "support/context.h"

static spk_recording *recording; /* a at 0, 10 and 20 ms, b 2 ms later, "left hand" 4 ms later */
static spk_windows *windows;     /* of 1 ms, 5 bins long */
static char folder[] = "/tmp/spikemine-report-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int n_files(void)
{
    DIR *listing = opendir(folder);
    int n = 0;
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing))
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(listing);
    return n;
}

static void remove_file(const char *name)
{
    assert_int_equal(remove(in_folder(name)), 0);
}

/* Reads and removes the file. */
static void assert_file(const char *name, const char *expected)
{
    char bytes[4096];
    FILE *file = fopen(in_folder(name), "rb");
    assert_non_null(file);
    size_t n = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[n] = '\0';
    assert_string_equal(bytes, expected);
    remove_file(name);
}

/* ---- what is written ------------------------------------------------------------------------- */

static const spk_delay DELAYS[] = {{{1, -3}, {3, -3}}, {{0, 0}, {1, SPK_DURATION_INFINITE}}};
static const uint64_t EPISODE_OFFSET[] = {0, 1, 4};
static const uint32_t EPISODE_UNIT[] = {1, 0, 1, 2};
static const uint16_t EPISODE_DELAY[] = {0, 0, 0, 1};
static const uint64_t EPISODE_COUNT[] = {3, 2};
static const spk_episode_columns EPISODES = {.n = 2,
                                             .offset = EPISODE_OFFSET,
                                             .unit = EPISODE_UNIT,
                                             .delay = EPISODE_DELAY,
                                             .count = EPISODE_COUNT,
                                             .delays = DELAYS,
                                             .n_delays = 2};

static const uint64_t PATTERN_OFFSET[] = {0, 2, 5};
static const uint32_t PATTERN_ITEM[] = {0, 7, 0, 7, 14};
static const uint32_t PATTERN_COUNT[] = {3, 3};
static const spk_pattern_columns PATTERNS = {
    .n = 2, .window = 5, .offset = PATTERN_OFFSET, .item = PATTERN_ITEM, .count = PATTERN_COUNT};
static const spk_spectrum_entry ENTRIES[] = {{2, 3, 2, 1}, {3, 3, 4, 10}};

/* All writers in one shape. */
typedef struct kind {
    const char *name;
    spk_status (*open)(const char *path, spk_table_form format, spk_writer **writer);
    spk_status (*add)(spk_writer *writer);
    bool has_json;
    const char *tsv;
    const char *json; /* up to the end of the array */
    bool tells_completed;
} kind;

static spk_status episode_open(const char *path, spk_table_form format, spk_writer **writer)
{
    return spk_episode_writer_open(context, path, format, recording, writer);
}

static spk_status episode_add(spk_writer *writer)
{
    return spk_episode_writer_add(writer, &EPISODES);
}

static spk_status episode_occurrence_open(const char *path, spk_table_form format,
                                          spk_writer **writer)
{
    (void)format;
    return spk_episode_occurrence_writer_open(context, path, recording, 2, writer);
}

static spk_status episode_occurrence_add(spk_writer *writer)
{
    return spk_episode_occurrence_writer_add(writer, &EPISODES);
}

static spk_status pattern_open(const char *path, spk_table_form format, spk_writer **writer)
{
    return spk_pattern_writer_open(context, path, format, windows, recording, writer);
}

static spk_status pattern_add(spk_writer *writer)
{
    return spk_pattern_writer_add(writer, &PATTERNS);
}

static spk_status pattern_occurrence_open(const char *path, spk_table_form format,
                                          spk_writer **writer)
{
    (void)format;
    return spk_pattern_occurrence_writer_open(context, path, windows, recording, writer);
}

static spk_status pattern_occurrence_add(spk_writer *writer)
{
    return spk_pattern_occurrence_writer_add(writer, &PATTERNS);
}

static spk_status spectrum_open(const char *path, spk_table_form format, spk_writer **writer)
{
    return spk_spectrum_writer_open(context, path, format, true, recording, writer);
}

static spk_status spectrum_add(spk_writer *writer)
{
    return spk_spectrum_writer_add(writer, ENTRIES, 2);
}

#define LEFT_HAND "\"left hand\""
#define OCCURS    "a (1ms,3ms] b (0,inf] " LEFT_HAND "\t"
#define AT_BINS   "a@0 b@2 " LEFT_HAND "@4\t1\t"

static const kind KINDS[] = {
    {.name = "episode",
     .open = episode_open,
     .add = episode_add,
     .has_json = true,
     .tsv = "size\tcount\tepisode\n1\t3\tb\n3\t2\ta (1ms,3ms] b (0,inf] " LEFT_HAND "\n",
     .json =
         "{\"format\": \"spikemine episodes 1\",\n \"delays\": [\"(1ms,3ms]\", \"(0,inf]\"],\n"
         " \"episodes\": [\n  {\"size\": 1, \"count\": 3, \"units\": [\"b\"], \"delays\": []},\n"
         "  {\"size\": 3, \"count\": 2, \"units\": [\"a\", \"b\", " LEFT_HAND
         "], \"delays\": [0, 1]}\n ]",
     .tells_completed = true},
    {.name = "episode_occurrence",
     .open = episode_occurrence_open,
     .add = episode_occurrence_add,
     .tsv = "episode\toccurrence\tstart_s\tend_s\ttimes_s\n" OCCURS
            "1\t0\t0.004\t0,0.002,0.004\n" OCCURS "2\t0.01\t0.014\t0.01,0.012,0.014\n" OCCURS
            "3\t0.02\t0.024\t0.02,0.022,0.024\n"},
    {.name = "pattern",
     .open = pattern_open,
     .add = pattern_add,
     .has_json = true,
     .tsv = "spikes\toccurrences\tneurons\tduration\tpattern\n2\t3\t2\t2\ta@0 b@2\n"
            "3\t3\t3\t4\ta@0 b@2 " LEFT_HAND "@4\n",
     .json = "{\"patterns\":[\n{\"spikes\":2,\"occurrences\":3,\"neurons\":2,\"duration\":2,"
             "\"pattern\":[[\"a\",0],[\"b\",2]]},\n{\"spikes\":3,\"occurrences\":3,\"neurons\":3,"
             "\"duration\":4,\"pattern\":[[\"a\",0],[\"b\",2],[" LEFT_HAND ",4]]}\n]"},
    {.name = "pattern_occurrence",
     .open = pattern_occurrence_open,
     .add = pattern_occurrence_add,
     .tsv = "pattern\ttrial\tbin\ttime_s\na@0 b@2\t1\t0\t0\na@0 b@2\t1\t10\t0.01\n"
            "a@0 b@2\t1\t20\t0.02\n" AT_BINS "0\t0\n" AT_BINS "10\t0.01\n" AT_BINS "20\t0.02\n"},
    {.name = "spectrum",
     .open = spectrum_open,
     .add = spectrum_add,
     .has_json = true,
     .tsv = "spikes\toccurrences\tduration\tpatterns\n2\t3\t2\t1\n3\t3\t4\t10\n",
     .json = "{\"columns\":[\"spikes\",\"occurrences\",\"duration\",\"patterns\"],"
             "\"spectrum\":[\n[2,3,2,1],\n[3,3,4,10]\n]"},
};
enum { N_KINDS = sizeof KINDS / sizeof KINDS[0] };

static void write_all(const kind *k, spk_table_form format, const spk_provenance *provenance)
{
    spk_writer *writer = NULL;
    if (k->open(in_folder("out"), format, &writer) != SPK_OK) {
        print_message("%s: %s\n", k->name, spk_context_message(context));
        fail();
    }
    assert_int_equal(k->add(writer), SPK_OK);
    assert_in_range(n_files(), 0, 1); /* the temporary one, where it has a name */
    assert_int_not_equal(access(in_folder("out"), F_OK), 0);
    assert_int_equal(spk_writer_commit(writer, provenance), SPK_OK);
    assert_int_equal(n_files(), 1);
}

static void every_kind_in_both_formats(void **state)
{
    (void)state;
    for (const kind *k = KINDS; k < KINDS + N_KINDS; k++) {
        char json[1024];
        print_message("%s\n", k->name);
        write_all(k, SPK_FORM_TSV, NULL);
        assert_file("out", k->tsv);
        if (!k->has_json)
            continue;
        write_all(k, SPK_FORM_JSON, NULL);
        snprintf(json, sizeof json, "%s%s}\n", k->json,
                 k->tells_completed ? ",\n \"complete\": true" : "");
        assert_file("out", json);
    }
}

static void what_is_not_complete_says_so(void **state)
{
    (void)state;
    const spk_provenance provenance = {.incomplete = "the light went out", .threads = 1};
    for (const kind *k = KINDS; k < KINDS + N_KINDS; k++) {
        char text[1024];
        print_message("%s\n", k->name);
        write_all(k, SPK_FORM_TSV, &provenance);
        snprintf(text, sizeof text, "%s# incomplete: the light went out\n", k->tsv);
        assert_file("out.incomplete", text);
        if (!k->has_json)
            continue;
        const char *indent = k->tells_completed ? " " : "";
        write_all(k, SPK_FORM_JSON, &provenance);
        snprintf(text, sizeof text,
                 "%s,\n%s\"complete\": false,\n%s\"provenance\": {\n \"version\": \"%s\",\n "
                 "\"events\": 9,\n \"threads\": 1,\n \"seconds\": 0.0\n}}\n",
                 k->json, indent, indent, spk_version());
        assert_file("out.incomplete", text);
    }
}

static void what_is_discarded_leaves_nothing(void **state)
{
    (void)state;
    for (const kind *k = KINDS; k < KINDS + N_KINDS; k++) {
        spk_writer *writer = NULL;
        assert_int_equal(k->open(in_folder("out"), SPK_FORM_TSV, &writer), SPK_OK);
        assert_int_equal(k->add(writer), SPK_OK);
        spk_writer_free(writer);
        assert_int_equal(n_files(), 0);
        assert_int_equal(k->open(in_folder("nowhere/out"), SPK_FORM_TSV, &writer), SPK_ERR_IO);
        assert_null(writer);
        if (k->has_json)
            assert_int_equal(k->open(in_folder("out"), (spk_table_form)7, &writer),
                             SPK_ERR_ARGUMENT);
        assert_null(writer);
        assert_int_equal(n_files(), 0);
        spk_writer_free(NULL);
        assert_int_equal(spk_writer_commit(NULL, NULL), SPK_OK);
    }
}

/* A search that writes while it runs gives the file that its collected result gives. */
static void a_writer_is_a_sink(void **state)
{
    (void)state;
    char collected[4096] = "";
    spk_episode_options options;
    spk_writer *writer = NULL;
    spk_episode_list *list = NULL;
    spk_episode_options_init(&options, sizeof options);
    options.delays = DELAYS;
    options.n_delays = 2;
    options.max_size = 2;
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    assert_int_equal(
        spk_episode_mine(context, recording, &options, spk_episode_list_add, list, NULL), SPK_OK);
    spk_episode_columns columns = spk_episode_list_columns(list);
    assert_true(columns.n > 10);
    assert_null(columns.level);
    assert_int_equal(
        spk_episode_writer_open(context, in_folder("list"), SPK_FORM_TSV, recording, &writer),
        SPK_OK);
    assert_int_equal(spk_episode_writer_add(writer, &columns), SPK_OK);
    assert_int_equal(spk_writer_commit(writer, NULL), SPK_OK);
    FILE *file = fopen(in_folder("list"), "rb");
    assert_non_null(file);
    assert_in_range(fread(collected, 1, sizeof collected - 1, file), 100, sizeof collected - 2);
    fclose(file);
    assert_int_equal(
        spk_episode_writer_open(context, in_folder("mined"), SPK_FORM_TSV, recording, &writer),
        SPK_OK);
    assert_int_equal(
        spk_episode_mine(context, recording, &options, spk_episode_writer_add, writer, NULL),
        SPK_OK);
    assert_int_equal(spk_writer_commit(writer, NULL), SPK_OK);
    assert_file("mined", collected);
    remove_file("list");
    spk_episode_list_free(list);
}

/* ---- rows of threads ------------------------------------------------------------------------- */

enum { MANY = 5003, FEW = 7 };

static char *text_of(const char *name)
{
    struct stat info;
    FILE *file = fopen(in_folder(name), "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    char *text = calloc((size_t)info.st_size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)info.st_size, file), info.st_size);
    fclose(file);
    remove_file(name);
    return text;
}

/* Three calls, the first one of a few rows; or many calls, each too small to be shared. */
static char *episodes_in_calls(const spk_episode_columns *all, spk_table_form format, bool large)
{
    spk_writer *writer = NULL;
    spk_episode_columns part = *all;
    check(spk_episode_writer_open(context, in_folder("rows"), format, recording, &writer));
    for (uint64_t i = 0; i < MANY; i += part.n) {
        part.offset = all->offset + i;
        part.count = all->count + i;
        part.n = !large || i == 0 ? FEW : i == FEW ? MANY / 2 : MANY - i;
        part.n = part.n < MANY - i ? part.n : MANY - i;
        check(spk_episode_writer_add(writer, &part));
    }
    check(spk_writer_commit(writer, NULL));
    return text_of("rows");
}

static char *patterns_in_calls(const spk_pattern_columns *all, spk_table_form format, bool large)
{
    spk_writer *writer = NULL;
    spk_pattern_columns part = *all;
    check(spk_pattern_writer_open(context, in_folder("rows"), format, windows, recording, &writer));
    for (uint64_t i = 0; i < MANY; i += part.n) {
        part.offset = all->offset + i;
        part.count = all->count + i;
        part.n = large ? MANY : FEW;
        part.n = part.n < MANY - i ? part.n : MANY - i;
        check(spk_pattern_writer_add(writer, &part));
    }
    check(spk_writer_commit(writer, NULL));
    return text_of("rows");
}

static void assert_same_text(char *one, char *several)
{
    assert_true(strlen(one) > (size_t)MANY * 10);
    assert_string_equal(one, several);
    free(one);
    free(several);
}

/* Rows of one to three units; patterns of two to four spikes, some with a unit twice. */
static void threads_share_the_rows_of_a_large_call(void **state)
{
    (void)state;
    static uint64_t offset[MANY + 1], wide[MANY + 1], count[MANY];
    static uint32_t unit[3 * MANY], item[4 * MANY], occurrences[MANY];
    static uint16_t delay[3 * MANY];
    for (uint64_t i = 0; i < MANY; i++) {
        offset[i + 1] = offset[i] + i % 3 + 1;
        wide[i + 1] = wide[i] + i % 3 + 2;
        count[i] = occurrences[i] = (uint32_t)(1 + i % 3);
        for (uint64_t k = 0; k < i % 3 + 1; k++) {
            unit[offset[i] + k] = (uint32_t)((i / 3 + k) % 3);
            delay[offset[i] + k] = (uint16_t)(k > 0 ? (i + k) % 2 : 0);
        }
        for (uint64_t k = 0; k < i % 3 + 2; k++) /* lags 0, 1, 2, 3 of units by turns */
            item[wide[i] + k] = (uint32_t)(((i + k * (i % 2)) % 3) * 5 + k);
    }
    const spk_episode_columns episodes = {.n = MANY,
                                          .offset = offset,
                                          .unit = unit,
                                          .delay = delay,
                                          .count = count,
                                          .delays = DELAYS,
                                          .n_delays = 2};
    const spk_pattern_columns patterns = {
        .n = MANY, .window = 5, .offset = wide, .item = item, .count = occurrences};
    const spk_table_form forms[] = {SPK_FORM_TSV, SPK_FORM_JSON};
    for (int f = 0; f < 2; f++) {
        spk_context_set_threads(context, 1);
        char *episode_text = episodes_in_calls(&episodes, forms[f], false);
        char *pattern_text = patterns_in_calls(&patterns, forms[f], false);
        spk_context_set_threads(context, 4);
        assert_same_text(episode_text, episodes_in_calls(&episodes, forms[f], true));
        assert_same_text(pattern_text, patterns_in_calls(&patterns, forms[f], true));
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* One type serves all kinds of rows, so that the compiler cannot tell a wrong pairing. */
static void rows_of_another_kind_are_refused(void **state)
{
    (void)state;
    spk_pattern_bytes bytes;
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        spk_writer *writer = NULL;
        assert_int_equal(KINDS[i].open(in_folder("kind"), SPK_FORM_TSV, &writer), SPK_OK);
        for (size_t j = 0; j < sizeof KINDS / sizeof KINDS[0]; j++) {
            assert_int_equal(KINDS[j].add(writer), i == j ? SPK_OK : SPK_ERR_ARGUMENT);
            if (i != j)
                assert_non_null(strstr(spk_context_message(context), "takes no "));
        }
        assert_int_equal(spk_pvalue_writer_add(writer), SPK_ERR_ARGUMENT);
        assert_int_equal(spk_pattern_writer_bytes(writer, &bytes),
                         KINDS[i].open == pattern_open ? SPK_OK : SPK_ERR_ARGUMENT);
        assert_int_equal(spk_writer_commit(writer, NULL), SPK_OK);
        assert_file("kind", KINDS[i].tsv);
    }
}

static void assert_refused(const spk_episode_columns *episodes, const char *says)
{
    spk_writer *writer = NULL;
    spk_writer *occurrences = NULL;
    assert_int_equal(
        spk_episode_writer_open(context, in_folder("a"), SPK_FORM_TSV, recording, &writer), SPK_OK);
    assert_int_equal(
        spk_episode_occurrence_writer_open(context, in_folder("b"), recording, 1, &occurrences),
        SPK_OK);
    assert_int_equal(spk_episode_writer_add(writer, &EPISODES), SPK_OK);
    assert_int_equal(spk_episode_writer_add(writer, episodes), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), says));
    assert_int_equal(spk_episode_occurrence_writer_add(occurrences, &EPISODES), SPK_OK);
    assert_int_equal(spk_episode_occurrence_writer_add(occurrences, episodes), SPK_ERR_ARGUMENT);
    assert_non_null(strstr(spk_context_message(context), says));
    spk_writer_free(writer);
    spk_writer_free(occurrences);
}

static void strange_episodes_are_refused(void **state)
{
    (void)state;
    const uint32_t unit[] = {1, 0, 3, 2}; /* there is no unit 3 */
    const uint16_t delay[] = {0, 0, 0, 2};
    const uint64_t offset[] = {0, 1, 1};
    const spk_delay delays[] = {{{1, -3}, {3, -3}}, {{0, 0}, {1, 0}}};
    spk_episode_columns strange = EPISODES;
    strange.unit = unit;
    assert_refused(&strange, "episode 1 names a unit or a delay that does not exist");
    strange = EPISODES;
    strange.delay = delay;
    assert_refused(&strange, "episode 1 names a unit or a delay that does not exist");
    strange = EPISODES;
    strange.offset = offset;
    assert_refused(&strange, "episode 1 has 0 positions");
    strange = EPISODES;
    strange.delays = delays;
    assert_refused(&strange, "another table of delay intervals");
}

static void strange_patterns_are_refused(void **state)
{
    (void)state;
    const uint32_t item[] = {0, 7, 0, 7, 15}; /* unit 3 */
    const uint64_t offset[] = {0, 2, 2};
    const uint32_t count[] = {3, 10}; /* of 9 windows */
    spk_pattern_columns strange[] = {PATTERNS, PATTERNS, PATTERNS, PATTERNS};
    strange[0].item = item;
    strange[1].offset = offset;
    strange[2].window = 4;
    strange[3].count = count;
    for (int k = 0; k < 4; k++) {
        spk_writer *writer = NULL;
        spk_writer *occurrences = NULL;
        spk_pattern_figure *figure = NULL;
        assert_int_equal(spk_pattern_writer_open(context, in_folder("a"), SPK_FORM_JSON, windows,
                                                 recording, &writer),
                         SPK_OK);
        assert_int_equal(spk_pattern_occurrence_writer_open(context, in_folder("b"), windows,
                                                            recording, &occurrences),
                         SPK_OK);
        assert_int_equal(
            spk_pattern_figure_create(context, recording, windows, (spk_duration){1, -3}, &figure),
            SPK_OK);
        assert_int_equal(spk_pattern_writer_add(writer, &strange[k]), SPK_ERR_ARGUMENT);
        assert_int_equal(spk_pattern_occurrence_writer_add(occurrences, &strange[k]),
                         SPK_ERR_ARGUMENT);
        assert_int_equal(spk_pattern_figure_add(figure, &strange[k]), SPK_ERR_ARGUMENT);
        spk_writer_free(writer);
        spk_writer_free(occurrences);
        spk_pattern_figure_free(figure);
    }
}

static void json_needs_utf8(void **state)
{
    (void)state;
    static const char *const labels[] = {"caf\xe9"};
    const int64_t time[] = {0};
    const uint32_t unit[] = {0};
    spk_recording *other = NULL;
    spk_writer *writer = NULL;
    assert_int_equal(test_recording_create(context, 1, time, unit, 1, labels, (spk_rate){1000, 1},
                                           NULL, NULL, &other),
                     SPK_OK);
    assert_int_equal(
        spk_episode_writer_open(context, in_folder("out"), SPK_FORM_JSON, other, &writer),
        SPK_ERR_FORMAT);
    assert_null(writer);
    assert_non_null(strstr(spk_context_message(context), "not UTF-8"));
    assert_int_equal(n_files(), 0);
    assert_int_equal(
        spk_episode_writer_open(context, in_folder("out"), SPK_FORM_TSV, other, &writer), SPK_OK);
    spk_writer_free(writer);
    spk_recording_free(other);
}

/* ---- disks and readers ----------------------------------------------------------------------- */

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    for (const kind *k = KINDS; k < KINDS + N_KINDS; k++) {
        spk_writer *writer = NULL;
        assert_int_equal(k->open("/dev/full", SPK_FORM_TSV, &writer), SPK_OK);
        /* Few patterns may be still on their way. */
        assert_int_equal(k->add(writer), strncmp(k->name, "pattern", 7) == 0 ? SPK_OK : SPK_ERR_IO);
        assert_int_equal(spk_writer_commit(writer, NULL), SPK_ERR_IO);
        assert_non_null(
            strstr(spk_context_message(context), "/dev/full: writing failed: No space"));
    }
}

/* A named pipe whose reader opens it, so that it can be opened for writing, and leaves. */
static void a_reader_that_leaves_is_told_apart(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    for (const kind *k = KINDS; k < KINDS + N_KINDS; k++) {
        spk_writer *writer = NULL;
        int reader = open(in_folder("pipe"), O_RDONLY | O_NONBLOCK);
        assert_true(reader >= 0);
        assert_int_equal(k->open(in_folder("pipe"), SPK_FORM_TSV, &writer), SPK_OK);
        close(reader);
        assert_int_equal(k->add(writer),
                         strncmp(k->name, "pattern", 7) == 0 ? SPK_OK : SPK_ERR_PIPE);
        assert_int_equal(spk_writer_commit(writer, NULL), SPK_ERR_PIPE);
        assert_non_null(strstr(spk_context_message(context), "pipe: the reader went away"));
    }
    remove_file("pipe");
}

/* ---- the frame ------------------------------------------------------------------------------- */

static int set_up(void **state)
{
    (void)state;
    static const char *const labels[] = {"a", "b", "left hand"};
    const int64_t time[] = {0, 2, 4, 10, 12, 14, 20, 22, 24};
    const uint32_t unit[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    spk_window_options cut;
    spk_window_options_init(&cut, sizeof cut);
    cut.bin = (spk_duration){1, -3};
    cut.window = 5;
    return mkdtemp(folder) == NULL || spk_context_create(&context) != SPK_OK ||
           test_recording_create(context, 9, time, unit, 3, labels, (spk_rate){1000, 1}, NULL, NULL,
                                 &recording) != SPK_OK ||
           spk_windows_create(context, recording, &cut, &windows) != SPK_OK;
}

static int tear_down(void **state)
{
    (void)state;
    spk_windows_free(windows);
    spk_recording_free(recording);
    spk_context_free(context);
    return rmdir(folder); /* nothing was left behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_in_both_formats),
        cmocka_unit_test(what_is_not_complete_says_so),
        cmocka_unit_test(what_is_discarded_leaves_nothing),
        cmocka_unit_test(a_writer_is_a_sink),
        cmocka_unit_test(threads_share_the_rows_of_a_large_call),
        cmocka_unit_test(rows_of_another_kind_are_refused),
        cmocka_unit_test(strange_episodes_are_refused),
        cmocka_unit_test(strange_patterns_are_refused),
        cmocka_unit_test(json_needs_utf8),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(a_reader_that_leaves_is_told_apart),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
