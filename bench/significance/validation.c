/*
 * The validation of Stella et al. (2019): which planted patterns does the test find, and what else?
 * 100 units, 1 s, bins of 1 ms, windows of 50; four backgrounds; patterns of 3 to 10 spikes, 5 ms
 * between them, planted 3 to 10 times. One run is one realisation of one background with one
 * pattern. As published, the surrogates of each background's first realisation, which has no
 * pattern, judge all its runs; `--spectrum own` makes surrogates of each run instead.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "study.h"

enum {
    N_UNITS = 100,
    N_BACKGROUNDS = 4,
    FIRST = 3, /* smallest size, fewest occurrences */
    LAST = 10,
    N_SIDE = LAST - FIRST + 1,
    N_CELLS = N_SIDE * N_SIDE,
    N_RUNS = N_BACKGROUNDS * N_CELLS, /* of one realisation */
    N_WINDOW = 50,
    N_LAG = 5
};

typedef struct values {
    study_values study;
    int spectrum;
    int background;
    const char *trains;
} values;

typedef struct validation {
    const values *v;
    spk_maxima *shared[N_BACKGROUNDS]; /* NULL: each run its own */
} validation;

/* Where a run lies on the map. */
typedef struct place {
    uint64_t realisation;
    uint32_t background, size, occurrences;
} place;

static place place_of(uint64_t key)
{
    place p = {.realisation = key / N_RUNS};
    p.background = (uint32_t)(key / N_CELLS % N_BACKGROUNDS);
    p.size = FIRST + (uint32_t)(key / N_SIDE % N_SIDE);
    p.occurrences = FIRST + (uint32_t)(key % N_SIDE);
    return p;
}

/* ---- trains ---------------------------------------------------------------------------------- */

static void stationary(trains *t, trains_random *random, uint32_t unit)
{
    trains_poisson(t, random, unit, 25, 0, 1);
}

static void step(trains *t, trains_random *random, uint32_t unit)
{
    trains_poisson(t, random, unit, 10, 0, 0.6);
    trains_poisson(t, random, unit, 60, 0.6, 0.7);
    trains_poisson(t, random, unit, 10, 0.7, 1);
}

/* Groups of five units that one after the other fire at 100 Hz, twice. */
static void sequence(trains *t, trains_random *random, uint32_t unit)
{
    const uint32_t group = unit / 5;
    const double length = 0.005, first = 0.05 + length * group, second = first + 0.45;
    trains_poisson(t, random, unit, 14, 0, first);
    trains_poisson(t, random, unit, 100, first, first + length);
    trains_poisson(t, random, unit, 14, first + length, second);
    trains_poisson(t, random, unit, 100, second, second + length);
    trains_poisson(t, random, unit, 14, second + length, 1);
}

/* Rates from 5 to 25 Hz in random order, so that the planted units are no special ones. */
static void heterogeneous(trains *t, uint64_t seed, uint64_t realisation)
{
    trains_random random = trains_start(seed, 2, realisation, N_UNITS);
    uint32_t rank[N_UNITS];
    for (uint32_t u = 0; u < N_UNITS; u++) {
        uint32_t other = trains_below(&random, u + 1);
        rank[u] = u;
        rank[u] = rank[other];
        rank[other] = u;
    }
    for (uint32_t u = 0; u < N_UNITS; u++) {
        random = trains_start(seed, 2, realisation, u);
        trains_poisson(t, &random, u, 5 + 20.0 * rank[u] / (N_UNITS - 1), 0, 1);
    }
}

static void draw_background(trains *t, uint64_t seed, const place *p)
{
    if (p->background == 2) {
        heterogeneous(t, seed, p->realisation);
        return;
    }
    for (uint32_t u = 0; u < N_UNITS; u++) {
        trains_random random = trains_start(seed, p->background, p->realisation, u);
        if (p->background == 0)
            stationary(t, &random, u);
        else if (p->background == 1)
            step(t, &random, u);
        else
            sequence(t, &random, u);
    }
}

/* Unit 0 fires first, unit 1 next, and so on. */
static void plant(trains *t, uint64_t seed, const place *p)
{
    trains_random random =
        trains_start(seed, 100 + p->background, p->realisation, p->size * 100 + p->occurrences);
    double last_start = 1 - 0.001 * N_LAG * (p->size - 1);
    for (uint32_t k = 0; k < p->occurrences; k++) {
        double start = last_start * trains_unit(&random);
        for (uint32_t u = 0; u < p->size; u++)
            trains_add(t, u, start + 0.001 * N_LAG * u);
    }
}

static spk_status draw(spk_context *context, uint64_t seed, const place *p, spk_recording **out)
{
    trains t = {0};
    draw_background(&t, seed, p);
    if (p->size > 0)
        plant(&t, seed, p);
    return trains_recording(context, &t, N_UNITS, 1, 1, out);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void set_job(study_job *job, const values *v)
{
    study_job_init(job);
    job->windows.bin = (spk_duration){1, -3, 0};
    job->windows.window = N_WINDOW;
    job->patterns.min_spikes = FIRST;
    job->patterns.support = FIRST;
    job->surrogates.method = "dither-spikes";
    job->surrogates.dither = (spk_duration){5, -3, 0};
    job->n_surrogates = v->study.surrogates;
    job->by_duration = true;
    job->alpha = 0.01;
    job->correction = "holm";
}

/* Unit u with lag 5 u, for all u below size, and nothing else. */
static bool is_planted(const spk_pattern_columns *patterns, uint64_t i, uint32_t size)
{
    const uint32_t *item = patterns->item + patterns->offset[i];
    if (patterns->offset[i + 1] - patterns->offset[i] != size)
        return false;
    for (uint32_t u = 0; u < size; u++)
        if (item[u] != u * N_WINDOW + u * N_LAG)
            return false;
    return true;
}

typedef struct verdict {
    uint64_t planted, others;
} verdict;

static spk_status judge(spk_context *context, const study_found *found, const spk_maxima *maxima,
                        const study_job *job, bool published, uint32_t size, verdict *out)
{
    spk_signature *signatures = NULL;
    spk_pattern_columns patterns = spk_pattern_list_columns(found->patterns);
    uint8_t *keep = calloc(patterns.n + 1, 1);
    *out = (verdict){0};
    spk_status status = keep != NULL ? SPK_OK : SPK_ERR_MEMORY;
    if (status == SPK_OK)
        status = study_test(context, found, maxima, job, published, &signatures);
    if (status == SPK_OK)
        status = study_keep(context, found, maxima, job, published, signatures, keep);
    for (uint64_t i = 0; i < patterns.n && status == SPK_OK; i++) {
        bool planted = is_planted(&patterns, i, size);
        out->planted += keep[i] && planted;
        out->others += keep[i] && !planted;
    }
    free(keep);
    free(signatures);
    return status;
}

static spk_status test_recording(spk_context *context, const spk_recording *recording,
                                 const study_job *job, const spk_maxima *shared, const place *p,
                                 char *row, size_t row_size)
{
    study_found found = {0};
    spk_maxima *own = NULL;
    verdict by_rule[2];
    spk_status status = study_mine(context, recording, job, &found);
    if (status == SPK_OK && shared == NULL)
        status = study_maxima(context, recording, job, NULL, &own);
    const spk_maxima *maxima = shared != NULL ? shared : own;
    for (int rule = 0; rule < 2 && status == SPK_OK; rule++)
        status = judge(context, &found, maxima, job, rule == 1, p->size, &by_rule[rule]);
    if (status == SPK_OK)
        snprintf(row, row_size,
                 "%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
                 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
                 p->background, p->size, p->occurrences, p->realisation,
                 spk_pattern_list_columns(found.patterns).n, found.n_entries, by_rule[0].planted,
                 by_rule[0].others, by_rule[1].planted, by_rule[1].others);
    spk_maxima_free(own);
    study_found_free(&found);
    return status;
}

static spk_status run_one(spk_context *context, const void *study, uint64_t key, char *row,
                          size_t row_size)
{
    const validation *all = study;
    const place p = place_of(key);
    study_job job;
    set_job(&job, all->v);
    job.surrogates.seed = all->v->study.seed + key;
    spk_recording *recording = NULL;
    spk_status status = draw(context, all->v->study.seed, &p, &recording);
    if (status == SPK_OK)
        status =
            test_recording(context, recording, &job, all->shared[p.background], &p, row, row_size);
    spk_recording_free(recording);
    return status;
}

/* ---- the study ------------------------------------------------------------------------------- */

/* The spectrum of a background: surrogates of its first realisation, without a pattern. A file
 * beside the rows keeps it. */
static spk_status share_spectrum(cli_session *session, validation *all, uint32_t background)
{
    const study_values *v = &all->v->study;
    const place p = {.background = background};
    char checkpoint[4096];
    snprintf(checkpoint, sizeof checkpoint, "%s.background%" PRIu32, v->output, background);
    study_job job;
    set_job(&job, all->v);
    job.surrogates.seed = v->seed;
    spk_recording *recording = NULL;
    spk_status status = draw(session->context, v->seed, &p, &recording);
    if (status == SPK_OK)
        status =
            study_maxima(session->context, recording, &job, checkpoint, &all->shared[background]);
    spk_recording_free(recording);
    return status;
}

static int run_map(cli_session *session, validation *all)
{
    const study_values *v = &all->v->study;
    const bool own = all->v->spectrum == 1;
    char what[256];
    snprintf(what, sizeof what,
             "validation: %s, %" PRIu64 " surrogates, dither 5 ms, 3d, holm at 0.01, reduction "
             "2,0,0, seed %" PRIu64,
             own ? "surrogates of each run" : "surrogates of each background", v->surrogates,
             v->seed);
    study_plan plan = {.run = run_one,
                       .study = all,
                       .n_keys = v->runs * N_RUNS,
                       .what = what,
                       .columns = "background\tsize\toccurrences\trealisation\tpatterns\tsignatures"
                                  "\tfound\tothers\tfound_published\tothers_published"};
    int code = study_plan_fill(session, v, &plan);
    for (uint32_t b = 0; b < N_BACKGROUNDS && !own && code == CLI_DONE; b++)
        code = cli_report(session, share_spectrum(session, all, b));
    cli_progress_clear(session);
    return code == CLI_DONE ? study_execute(session, &plan) : code;
}

/* The recordings themselves, for other programs: KEY.txt, and backgroundB.txt without a pattern. */
static int write_trains(cli_session *session, const values *v)
{
    char path[4096];
    int code = CLI_DONE;
    const uint64_t n = v->study.runs * N_RUNS;
    for (uint64_t key = 0; key < n + N_BACKGROUNDS && code == CLI_DONE; key++) {
        const place p = key < n ? place_of(key) : (place){.background = (uint32_t)(key - n)};
        if (key < n)
            snprintf(path, sizeof path, "%s/%" PRIu64 ".txt", v->trains, key);
        else
            snprintf(path, sizeof path, "%s/background%" PRIu32 ".txt", v->trains, p.background);
        spk_recording *recording = NULL;
        code = cli_report(session, draw(session->context, v->study.seed, &p, &recording));
        if (code == CLI_DONE)
            code =
                cli_report(session, spk_recording_write(session->context, recording, path, NULL));
        spk_recording_free(recording);
    }
    return code;
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    if (v->trains != NULL)
        return write_trains(session, v);
    validation all = {.v = v};
    int code = run_map(session, &all);
    for (uint32_t b = 0; b < N_BACKGROUNDS; b++)
        spk_maxima_free(all.shared[b]);
    return code;
}

static const cli_option options[] = {
    {.name = "spectrum",
     .kind = CLI_CHOICE,
     .argument = "shared|own",
     .offset = offsetof(values, spectrum),
     .fallback = "shared",
     .help = "whose surrogates judge a run: those of its background's first realisation "
             "without a pattern, as published, or its own"},
    {.name = "trains",
     .kind = CLI_TEXT,
     .argument = "FOLDER",
     .offset = offsetof(values, trains),
     .help = "write the recordings of the runs there and test nothing"},
    STUDY_OPTIONS(values, study, "100", "realisations", "5000"),
    CLI_END};

const cli_command study_validation = {
    .program = "spikemine-bench-significance",
    .name = "validation",
    .summary = "planted patterns that are found, missed, and found besides",
    .description =
        "Runs the validation of Stella et al. (2019): four backgrounds, patterns of 3 to 10 "
        "spikes\n"
        "planted 3 to 10 times, 100 realisations. Writes a row for each run. Columns: background\n"
        "(0 stationary, 1 step, 2 heterogeneous, 3 sequence), size and occurrences of the "
        "pattern,\n"
        "realisation, patterns and signatures mined, whether the pattern is found and how many\n"
        "others, by our rule and by the published rule.",
    .examples = "  spikemine-bench-significance validation -o validation.tsv\n"
                "  spikemine-bench-significance validation --spectrum own --seconds 600 -o own.tsv",
    .options = options,
    .values_size = sizeof(values),
    .run = run,
};
