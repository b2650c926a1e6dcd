/*
 * Valid calls in any order. The bytes are a program: an operation, then its arguments. Recordings
 * lie in four slots, from which operations take them and into which they put what they made; so a
 * slice of a join of a surrogate is searched like a recording from a file.
 *
 * What must hold: each recording is valid, a failure explains itself and is never an internal one,
 * engines agree, and a search counts what counting counts.
 */
#include <stdbool.h>

#include "fuzz.h"

enum { SLOTS = 4, MOST_EVENTS = 48, MOST_UNITS = 6, MOST_STEPS = 24, LONGEST = 200 };

/* The program: bytes that are left, and what it works on. */
typedef struct machine {
    const uint8_t *byte;
    size_t left;
    spk_context *context;
    spk_recording *slot[SLOTS];
} machine;

/* A number below n; 0 where the program has ended. */
static uint32_t take(machine *m, uint32_t n)
{
    uint32_t value = 0;
    if (m->left > 0) {
        value = *m->byte++ % n;
        m->left--;
    }
    return value;
}

/* A failure of a valid call has its reason in one line; true where there was none. */
static bool well(const machine *m, spk_status status)
{
    const char *message = spk_context_message(m->context);
    promise(status != SPK_ERR_INTERNAL, message);
    promise(status == SPK_OK || (message[0] != '\0' && strchr(message, '\n') == NULL),
            "a failure without a one-line message");
    return status == SPK_OK;
}

/* *made is looked at when the call that made it is done, in whatever order arguments are. */
static void put(machine *m, spk_status status, spk_recording *const *made)
{
    const char *reason = "";
    uint32_t k = take(m, SLOTS);
    if (!well(m, status)) {
        promise(*made == NULL, "a failure left a recording behind");
        return;
    }
    promise(spk_recording_validate(*made, &reason), reason);
    spk_recording_free(m->slot[k]);
    m->slot[k] = *made;
}

static spk_time_range take_range(machine *m)
{
    uint32_t start = take(m, LONGEST), length = 1 + take(m, LONGEST);
    return (spk_time_range){{start, -3}, {start + length, -3}};
}

static spk_delay take_delay(machine *m)
{
    uint32_t lo = take(m, 12), length = 1 + take(m, 12);
    return (spk_delay){{lo, -3}, {lo + length, -3}};
}

/* ---- operations: recordings ------------------------------------------------------------------ */

static void make(machine *m, const spk_recording *none)
{
    (void)none;
    int64_t time[MOST_EVENTS];
    uint32_t unit[MOST_EVENTS];
    spk_recording *made = NULL;
    spk_recording_source source;
    spk_recording_source_init(&source, sizeof source);
    source.rate = (spk_rate){1000, 1 + take(m, 2)};
    source.n_units = 1 + take(m, MOST_UNITS);
    source.n_events = take(m, MOST_EVENTS + 1);
    for (uint64_t k = 0; k < source.n_events; k++) {
        time[k] = take(m, LONGEST);
        unit[k] = take(m, source.n_units);
    }
    source.time = time, source.unit = unit;
    put(m, spk_recording_create(m->context, &source, &made), &made);
}

static void slice(machine *m, const spk_recording *recording)
{
    spk_recording *made = NULL;
    int64_t start = take(m, LONGEST), stop = start + 1 + take(m, LONGEST);
    put(m, spk_recording_slice(m->context, recording, &start, &stop, 0, NULL, &made), &made);
}

static void cut(machine *m, const spk_recording *recording)
{
    spk_time_range range[5];
    spk_recording *made = NULL;
    size_t n = 1 + take(m, 5);
    for (size_t k = 0; k < n; k++)
        range[k] = take_range(m);
    put(m, spk_recording_cut(m->context, recording, n, range, &made), &made);
}

static void join(machine *m, const spk_recording *recording)
{
    spk_recording *made = NULL;
    const spk_recording *other = m->slot[take(m, SLOTS)];
    bool small = other != NULL &&
                 spk_recording_events(other).n_events + spk_recording_events(recording).n_events <=
                     4 * (uint64_t)MOST_EVENTS;
    if (small)
        put(m, spk_recording_join(m->context, recording, other, &made), &made);
}

static void draw(machine *m, const spk_recording *recording)
{
    spk_surrogate_options options;
    spk_surrogates *surrogates = NULL;
    spk_recording *made = NULL;
    size_t n_methods = spk_surrogate_method_count();
    spk_surrogate_options_init(&options, sizeof options);
    options.method = spk_surrogate_method_get(take(m, (uint32_t)n_methods))->name;
    options.dither = (spk_duration){1 + take(m, 20), -3};
    options.bin = (spk_duration){1 + take(m, 4), -3};
    options.seed = take(m, 4);
    if (well(m, spk_surrogates_create(m->context, recording, &options, &surrogates)))
        put(m, spk_surrogates_make(m->context, surrogates, take(m, 5), &made), &made);
    spk_surrogates_free(surrogates);
}

/* ---- operations: searches -------------------------------------------------------------------- */

static spk_episode_options episode_options(machine *m, const spk_delay *delay)
{
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.delays = delay, options.n_delays = 1 + take(m, 2);
    options.support = 1 + take(m, 6);
    options.max_size = 1 + take(m, 3);
    return options;
}

/* The episodes of one engine, or NULL after a failure. */
static spk_episode_list *mine(machine *m, const spk_recording *recording,
                              spk_episode_options options, const char *engine)
{
    spk_episode_list *list = NULL;
    options.engine = engine;
    promise(spk_episode_list_create(m->context, &list) == SPK_OK, "no list");
    if (well(m,
             spk_episode_mine(m->context, recording, &options, spk_episode_list_add, list, NULL)))
        return list;
    spk_episode_list_free(list);
    return NULL;
}

static void same_episodes(const spk_episode_list *first, const spk_episode_list *second)
{
    spk_episode_columns a = spk_episode_list_columns(first), b = spk_episode_list_columns(second);
    promise(a.n == b.n, "engines find different episodes");
    for (uint64_t i = 0; i < a.n; i++)
        promise(a.count[i] == b.count[i] && a.offset[i + 1] == b.offset[i + 1],
                "engines count differently");
    for (uint64_t k = 0; a.n > 0 && k < a.offset[a.n]; k++)
        promise(a.unit[k] == b.unit[k] && a.delay[k] == b.delay[k], "engines order differently");
}

static void find_episodes(machine *m, const spk_recording *recording)
{
    spk_delay delay[2] = {take_delay(m), take_delay(m)};
    spk_episode_options options = episode_options(m, delay);
    spk_episode_list *first = mine(m, recording, options, "sweep");
    spk_episode_list *second = mine(m, recording, options, "reference");
    if (first != NULL && second != NULL) {
        same_episodes(first, second);
        if (well(m, spk_episode_count(m->context, recording, &options, first, NULL)))
            same_episodes(first, second);
    }
    spk_episode_list_free(first);
    spk_episode_list_free(second);
}

static spk_window_options window_options(machine *m)
{
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = (spk_duration){1 + take(m, 9), -3};
    options.window = 1 + take(m, 6);
    return options;
}

static spk_pattern_options pattern_options(machine *m)
{
    spk_pattern_options options;
    spk_pattern_options_init(&options, sizeof options);
    options.support = 2 + take(m, 4);
    options.min_spikes = 1 + take(m, 3);
    options.max_spikes = take(m, 2) * 4;
    options.min_neurons = 1 + take(m, 3);
    options.moving_window_filter = take(m, 2) == 0;
    return options;
}

static void find_patterns(machine *m, const spk_recording *recording)
{
    static const char *const engines[] = {"bitmap", "fpgrowth"};
    spk_pattern_summary summary[2];
    spk_windows *windows = NULL;
    spk_window_options cut_up = window_options(m);
    spk_pattern_options options = pattern_options(m);
    bool found = well(m, spk_windows_create(m->context, recording, &cut_up, &windows));
    for (int k = 0; found && k < 2; k++) {
        options.engine = engines[k];
        found = well(m, spk_pattern_mine(m->context, windows, &options, NULL, NULL, &summary[k]));
    }
    promise(!found || summary[0].n_reported == summary[1].n_reported,
            "engines find different patterns");
    spk_windows_free(windows);
}

/* ---- operations: tests ----------------------------------------------------------------------- */

static spk_exact_options test_options(machine *m, spk_duration *jitter)
{
    spk_exact_options options;
    spk_exact_options_init(&options, sizeof options);
    *jitter = (spk_duration){8 + take(m, 40), -3};
    options.jitter = jitter, options.n_jitter = 1;
    options.n_surrogates = 1 + take(m, 3);
    options.seed = take(m, 4);
    return options;
}

/* p of every episode is at least 1 / (B + 1), and at most 1. */
static void test_episodes(machine *m, const spk_recording *recording)
{
    spk_duration jitter;
    spk_delay delay[2] = {take_delay(m), take_delay(m)};
    spk_episode_options options = episode_options(m, delay);
    spk_exact_options test = test_options(m, &jitter);
    spk_exact_verdict *verdict = NULL;
    spk_maxima *maxima = NULL;
    test.episodes = &options;
    spk_episode_list *found = mine(m, recording, options, "auto");
    if (found != NULL && well(m, spk_exact_run(m->context, recording, &test, &maxima))) {
        spk_episode_columns all = spk_episode_list_columns(found);
        verdict = calloc(all.n + 1, sizeof *verdict);
        promise(verdict != NULL, "no memory");
        bool done = well(
            m, spk_exact_test_episodes(m->context, recording, &test, maxima, &all, verdict, NULL));
        for (uint64_t i = 0; done && i < all.n; i++)
            promise(verdict[i].p * (double)(test.n_surrogates + 1) >= 0.999 && verdict[i].p <= 1,
                    "p is no rank");
    }
    free(verdict);
    spk_maxima_free(maxima);
    spk_episode_list_free(found);
}

static void run_pattern_test(machine *m, const spk_recording *recording)
{
    spk_duration jitter;
    spk_window_options windows = window_options(m);
    spk_pattern_options options = pattern_options(m);
    spk_exact_options test = test_options(m, &jitter);
    spk_maxima *maxima = NULL;
    test.windows = &windows, test.patterns = &options;
    (void)well(m, spk_exact_run(m->context, recording, &test, &maxima));
    spk_maxima_free(maxima);
}

static void look(machine *m, const spk_recording *recording)
{
    char text[48];
    spk_recording_description description;
    (void)well(m, spk_recording_describe(m->context, recording, &description));
    promise(spk_recording_format_time(recording, spk_recording_start(recording), text,
                                      sizeof text) < sizeof text,
            "a time that needs more than 48 bytes");
}

/* ---- the program ----------------------------------------------------------------------------- */

typedef void operation(machine *m, const spk_recording *recording);
static operation *const operations[] = {
    make, slice, cut, join, draw, find_episodes, find_patterns, test_episodes, run_pattern_test,
    look};
enum { N_OPERATIONS = sizeof operations / sizeof operations[0] };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    machine m = {.byte = data, .left = size};
    promise(spk_context_create(&m.context) == SPK_OK, "no context");
    spk_context_set_threads(m.context, 1);
    spk_context_set_memory_limit(m.context, 200000000);
    make(&m, NULL);
    for (int step = 0; step < MOST_STEPS && m.left > 0; step++) {
        operation *run = operations[take(&m, N_OPERATIONS)];
        const spk_recording *recording = m.slot[take(&m, SLOTS)];
        if (recording != NULL || run == make)
            run(&m, recording);
    }
    for (int k = 0; k < SLOTS; k++)
        spk_recording_free(m.slot[k]);
    spk_context_free(m.context);
    return 0;
}
