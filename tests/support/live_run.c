/* A random live case on its way through stream and watch. */
#include "support/live_run.h"

#include "live/state.h"
#include "support/test.h"

/* ---- sinks ----------------------------------------------------------------------------------- */

static uint32_t case_unit(const live_run *run, uint32_t stream_unit)
{
    uint32_t u = 0;
    while (u < LIVE_UNITS && run->number[u] != stream_unit)
        u++;
    assert_true(u < LIVE_UNITS);
    return u;
}

static spk_status take_batch(void *user, const spk_live_batch *batch)
{
    live_run *run = user;
    /* Behind a state that was loaded a segment begins anew. */
    const uint32_t n_got = (uint32_t)batch->segment + 1;
    assert_true(n_got == run->n_got || (n_got == run->n_got + 1 && batch->begins_segment));
    run->n_got = n_got;
    live_spikes *got = &run->got[batch->segment];
    for (uint64_t k = 0; k < batch->n; k++) {
        assert_true(got->n == 0 || got->time[got->n - 1] <= batch->time[k]);
        assert_true(got->n < LIVE_SPIKES);
        got->time[got->n] = batch->time[k];
        got->unit[got->n++] = case_unit(run, batch->unit[k]);
    }
    return SPK_OK;
}

static spk_status take_occurrence(void *user, const spk_live_occurrence *o)
{
    live_run *run = user;
    assert_true(run->n_told < LIVE_RUN_OCCURRENCES && o->size <= LIVE_RUN_SIZE);
    live_told *told = &run->told[run->n_told++];
    *told = (live_told){.is_pattern = o->is_pattern,
                        .item = o->item,
                        .segment = o->segment,
                        .count = o->count,
                        .size = o->size};
    for (uint32_t p = 0; p < o->size; p++) {
        told->unit[p] = case_unit(run, o->unit[p]);
        told->time[p] = o->time[p];
    }
    assert_string_equal(o->name, spk_live_watch_name(run->watch, o->is_pattern, o->item));
    return SPK_OK;
}

/* ---- life ------------------------------------------------------------------------------------ */

void live_run_open(live_run *run, test_random *random)
{
    uint32_t order[LIVE_UNITS];
    assert_int_equal(spk_live_stream_create(run->context, &run->stream_options, &run->stream),
                     SPK_OK);
    assert_int_equal(
        spk_live_watch_create(run->context, run->stream, &run->watch_options, &run->watch), SPK_OK);
    assert_int_equal(spk_live_stream_add_sink(run->context, run->stream, take_batch, run), SPK_OK);
    spk_live_watch_set_sink(run->watch, take_occurrence, run);
    spk_episode_columns episodes = spk_episode_list_columns(run->episodes);
    spk_pattern_columns patterns = spk_pattern_list_columns(run->patterns);
    assert_int_equal(spk_live_watch_add_episodes(run->context, run->watch, run->labels, &episodes),
                     SPK_OK);
    assert_int_equal(spk_live_watch_add_patterns(run->context, run->watch, run->labels, &patterns),
                     SPK_OK);
    for (uint32_t u = 0; u < LIVE_UNITS; u++) {
        uint32_t other = (uint32_t)test_random_below(random, u + 1);
        order[u] = order[other];
        order[other] = u;
    }
    for (uint32_t k = 0; k < LIVE_UNITS; k++)
        assert_int_equal(spk_live_stream_unit(run->context, run->stream, live_labels[order[k]],
                                              &run->number[order[k]]),
                         SPK_OK);
}

/* Bins of whole ticks and others. */
static spk_duration random_bin(test_random *random, spk_rate rate)
{
    spk_duration bin;
    spk_rate fine = {rate.numerator * 5, rate.denominator};
    bool whole = test_random_chance(random, 0.6) || rate.numerator % 10 != 0;
    assert_true(spk_duration_of_tick(1 + (int64_t)test_random_below(random, whole ? 5 : 25),
                                     whole ? rate : fine, &bin));
    return bin;
}

live_run *live_run_begin(spk_context *context, test_random *random, bool extreme)
{
    live_run *run = calloc(1, sizeof *run);
    assert_non_null(run);
    run->context = context;
    live_case_make(random, extreme, &run->c);
    const spk_rate rate = run->c.rate;
    uint32_t window = test_random_chance(random, 0.8)
                          ? 1 + (uint32_t)test_random_below(random, 12)
                          : 60 + (uint32_t)test_random_below(random, 90);
    run->episodes = live_episodes(context, random, rate, 8);
    run->patterns = live_patterns(context, random, window, 6);
    run->labels = live_recording(context, rate, 0, NULL, NULL, NULL, NULL);
    spk_live_stream_options_init(&run->stream_options, sizeof run->stream_options);
    run->stream_options.rate = rate;
    run->stream_options.tolerance = run->c.tolerance;
    spk_live_watch_options_init(&run->watch_options, sizeof run->watch_options);
    run->watch_options.bin = random_bin(random, rate);
    run->window_ticks = 1 + test_random_below(random, 120);
    assert_true(spk_duration_of_tick((int64_t)run->window_ticks, rate, &run->watch_options.window));
    live_run_open(run, random);
    return run;
}

void live_run_end(live_run *run)
{
    spk_live_watch_free(run->watch);
    spk_live_stream_free(run->stream);
    spk_recording_free(run->labels);
    spk_episode_list_free(run->episodes);
    spk_pattern_list_free(run->patterns);
    free(run);
}

void live_run_restart(live_run *run, test_random *random)
{
    live_writer writer = {.context = run->context};
    spk_live_counts before = spk_live_stream_counts(run->stream);
    live_state_put(&writer, run->stream, run->watch);
    assert_int_equal(writer.status, SPK_OK);
    spk_live_watch_free(run->watch);
    spk_live_stream_free(run->stream);
    live_run_open(run, random);
    if (live_state_get(run->context, "state", writer.bytes, writer.n, run->stream, run->watch) !=
        SPK_OK)
        fail_msg("%s", spk_context_message(run->context));
    spk_live_counts after = spk_live_stream_counts(run->stream);
    assert_memory_equal(&before, &after, sizeof before);
    free(writer.bytes);
}

/* ---- pushing --------------------------------------------------------------------------------- */

static void push_border(live_run *run)
{
    const spk_duration *start = NULL, *stop = NULL;
    if (run->c.segment[run->segment].has_start)
        start = &run->c.segment[run->segment].start;
    if (run->c.segment[run->segment].has_stop)
        stop = &run->c.segment[run->segment].stop;
    assert_int_equal(spk_live_stream_border(run->context, run->stream, start, stop), SPK_OK);
}

static void check_counters(const live_run *run)
{
    spk_live_counts counts = spk_live_stream_counts(run->stream);
    assert_true(counts.received ==
                counts.accepted + counts.duplicates + counts.late + counts.outside + counts.held);
    if (!run->at_end)
        return;
    uint64_t late = 0, duplicates = 0, outside = 0, accepted = 0;
    for (uint32_t s = 0; s < run->c.n_segments; s++) {
        late += run->c.segment[s].late;
        duplicates += run->c.segment[s].duplicates;
        outside += run->c.segment[s].outside;
        accepted += run->c.segment[s].kept.n;
    }
    assert_int_equal(counts.late, late);
    assert_int_equal(counts.duplicates, duplicates);
    assert_int_equal(counts.outside, outside);
    assert_int_equal(counts.accepted, accepted);
    assert_int_equal(counts.held, 0);
    assert_int_equal(counts.segments, run->c.n_segments);
}

bool live_run_push(live_run *run, test_random *random)
{
    if (run->at_end)
        return false;
    const live_spikes *sent = &run->c.segment[run->segment].sent;
    if (run->segment == 0 && run->at == 0 && run->c.begins_with_border)
        push_border(run);
    uint64_t n = 1 + test_random_below(random, test_random_chance(random, 0.2) ? 40 : 4);
    n = n < sent->n - run->at ? n : sent->n - run->at;
    uint32_t unit[64];
    for (uint64_t k = 0; k < n; k++)
        unit[k] = run->number[sent->unit[run->at + k]];
    assert_int_equal(
        spk_live_stream_push(run->context, run->stream, n, sent->time + run->at, unit, NULL),
        SPK_OK);
    run->at += n;
    if (run->at == sent->n && n == 0 && ++run->segment < run->c.n_segments) {
        run->at = 0;
        push_border(run);
    } else if (run->segment == run->c.n_segments) {
        assert_int_equal(spk_live_stream_end(run->context, run->stream), SPK_OK);
        run->at_end = true;
    }
    check_counters(run);
    return true;
}

/* ---- offline counts -------------------------------------------------------------------------- */

/* What was handed on of a segment; `slice`: of the recent slice alone. */
static spk_recording *recording_of(const live_run *run, uint32_t s, bool slice)
{
    const live_spikes *got = &run->got[s];
    uint64_t first = 0;
    int64_t now = 0;
    for (uint32_t k = 0; k < run->n_got; k++)
        now = run->got[k].n > 0 ? run->got[k].time[run->got[k].n - 1] : now;
    while (slice && first < got->n &&
           (uint64_t)now - (uint64_t)got->time[first] >= run->window_ticks)
        first++;
    const spk_duration *start = run->c.segment[s].has_start ? &run->c.segment[s].start : NULL;
    const spk_duration *stop = run->c.segment[s].has_stop ? &run->c.segment[s].stop : NULL;
    return live_recording(run->context, run->c.rate, got->n - first, got->time + first,
                          got->unit + first, slice ? NULL : start, slice ? NULL : stop);
}

/* The first segment since which time has not gone back. */
static uint32_t recent_segment(const live_run *run)
{
    uint32_t since = 0;
    int64_t last = INT64_MIN;
    for (uint32_t s = 0; s < run->n_got; s++) {
        if (run->got[s].n == 0)
            continue;
        if (run->got[s].time[0] < last)
            since = s;
        last = run->got[s].time[run->got[s].n - 1];
    }
    return since;
}

/* Adds the counts of a recording. */
static void add_counts(live_run *run, const spk_recording *recording, uint64_t *count)
{
    spk_episode_options options;
    spk_episode_options_init(&options, sizeof options);
    options.engine = "reference";
    assert_int_equal(spk_episode_count(run->context, recording, &options, run->episodes, NULL),
                     SPK_OK);
    spk_episode_columns columns = spk_episode_list_columns(run->episodes);
    for (uint64_t k = 0; k < columns.n; k++)
        count[k] += columns.count[k];
}

static void compare_counts(live_run *run)
{
    uint64_t n = spk_episode_list_columns(run->episodes).n;
    uint64_t all[16] = {0}, recent[16] = {0}, got[16], got_recent[16];
    for (uint32_t s = 0; s < run->n_got; s++) {
        spk_recording *recording = recording_of(run, s, false);
        add_counts(run, recording, all);
        spk_recording_free(recording);
    }
    for (uint32_t s = recent_segment(run); s < run->n_got; s++) {
        spk_recording *recording = recording_of(run, s, true);
        add_counts(run, recording, recent);
        spk_recording_free(recording);
    }
    spk_live_watch_counts(run->watch, got, NULL);
    spk_live_watch_recent(run->watch, got_recent, NULL);
    for (uint64_t k = 0; k < n; k++) {
        assert_int_equal(got[k], all[k]);
        assert_int_equal(got_recent[k], recent[k]);
    }
}

/* ---- offline occurrences --------------------------------------------------------------------- */

typedef struct checker {
    live_run *run;
    bool is_pattern;
    uint64_t item, segment, count;
    uint64_t at; /* in `told` */
} checker;

/* The next occurrence that was told of the item must be this one. */
static void check_next(checker *c, uint32_t size, const uint32_t *unit, const int64_t *time)
{
    const live_run *run = c->run;
    while (c->at < run->n_told &&
           (run->told[c->at].is_pattern != c->is_pattern || run->told[c->at].item != c->item))
        c->at++;
    assert_true(c->at < run->n_told);
    const live_told *told = &run->told[c->at++];
    assert_int_equal(told->count, ++c->count);
    assert_int_equal(told->segment, c->segment);
    assert_int_equal(told->size, size);
    for (uint32_t p = 0; p < size; p++) {
        assert_int_equal(told->unit[p], unit[p]);
        assert_true(told->time[p] == time[p]);
    }
}

static spk_status check_occurrence(void *user, uint32_t size, const int64_t *time)
{
    checker *c = user;
    spk_episode_columns e = spk_episode_list_columns(c->run->episodes);
    check_next(c, size, e.unit + e.offset[c->item], time);
    return SPK_OK;
}

static uint64_t compare_episode(live_run *run, spk_recording *const *recording, uint64_t k)
{
    spk_episode_columns e = spk_episode_list_columns(run->episodes);
    checker c = {.run = run, .item = k};
    spk_delay delay[SPK_EPISODE_MAX_SIZE];
    uint32_t size = (uint32_t)(e.offset[k + 1] - e.offset[k]);
    for (uint32_t p = 1; p < size; p++)
        delay[p - 1] = e.delays[e.delay[e.offset[k] + p]];
    for (c.segment = 0; c.segment < run->n_got; c.segment++)
        assert_int_equal(spk_episode_occurrences(run->context, recording[c.segment], size,
                                                 e.unit + e.offset[k], delay, check_occurrence, &c),
                         SPK_OK);
    return c.count;
}

/* ---- offline patterns ------------------------------------------------------------------------ */

/* The first spike of a unit in a bin, found with the windows, one of which starts in each bin that
 * has a spike. */
static int64_t first_in_bin(const live_spikes *got, const spk_window_columns *w, uint32_t unit,
                            uint64_t bin)
{
    for (uint64_t i = 0; i < got->n; i++) {
        uint64_t k = w->n_windows;
        while (k > 0 && w->start_time[k - 1] > got->time[i])
            k--;
        if (k > 0 && w->start_bin[k - 1] == bin && got->unit[i] == unit)
            return got->time[i];
    }
    fail_msg("no spike of unit %u in bin %" PRIu64, unit, bin);
    return 0;
}

static int by_lag(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* The occurrences of a pattern in one segment, in order of their ends; adds those of the recent
 * slice to *recent. */
static void compare_in_windows(checker *c, const spk_windows *windows, uint64_t *recent)
{
    const live_run *run = c->run;
    spk_window_columns w = spk_windows_columns(windows);
    spk_pattern_columns p = spk_pattern_list_columns(run->patterns);
    spk_pattern_locator *locator = NULL;
    const uint32_t *items = p.item + p.offset[c->item], *window = NULL;
    uint32_t size = (uint32_t)(p.offset[c->item + 1] - p.offset[c->item]), n = 0;
    uint32_t sorted[LIVE_RUN_SIZE][2], unit[LIVE_RUN_SIZE];
    int64_t time[LIVE_RUN_SIZE], now = 0;
    for (uint32_t s = 0; s < run->n_got; s++)
        now = run->got[s].n > 0 ? run->got[s].time[run->got[s].n - 1] : now;
    for (uint32_t i = 0; i < size; i++) {
        sorted[i][0] = items[i] % p.window;
        sorted[i][1] = items[i] / p.window;
    }
    qsort(sorted, size, sizeof sorted[0], by_lag);
    assert_int_equal(spk_pattern_locator_create(run->context, windows, &locator), SPK_OK);
    assert_int_equal(spk_pattern_locate(locator, size, items, &window, &n), SPK_OK);
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < size; i++) {
            unit[i] = sorted[i][1];
            time[i] = first_in_bin(&run->got[c->segment], &w, unit[i],
                                   w.start_bin[window[k]] + sorted[i][0]);
        }
        check_next(c, size, unit, time);
        *recent += c->segment >= recent_segment(run) &&
                   (uint64_t)now - (uint64_t)w.start_time[window[k]] < run->window_ticks;
    }
    spk_pattern_locator_free(locator);
}

static void compare_patterns(live_run *run, spk_recording *const *recording)
{
    spk_pattern_columns p = spk_pattern_list_columns(run->patterns);
    spk_windows *windows[LIVE_SEGMENTS] = {NULL};
    uint64_t count[16], recent[16];
    spk_window_options options;
    spk_window_options_init(&options, sizeof options);
    options.bin = run->watch_options.bin;
    options.window = p.window;
    spk_live_watch_counts(run->watch, NULL, count);
    spk_live_watch_recent(run->watch, NULL, recent);
    for (uint32_t s = 0; s < run->n_got; s++)
        if (run->got[s].n > 0)
            assert_int_equal(spk_windows_create(run->context, recording[s], &options, &windows[s]),
                             SPK_OK);
    for (uint64_t k = 0; k < p.n; k++) {
        checker c = {.run = run, .is_pattern = true, .item = k};
        uint64_t in_slice = 0;
        for (c.segment = 0; c.segment < run->n_got; c.segment++)
            if (windows[c.segment] != NULL)
                compare_in_windows(&c, windows[c.segment], &in_slice);
        assert_int_equal(count[k], c.count);
        assert_int_equal(recent[k], in_slice);
    }
    for (uint32_t s = 0; s < run->n_got; s++)
        spk_windows_free(windows[s]);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* At the end everything that the definition keeps has been handed on. */
static void compare_spikes(const live_run *run)
{
    for (uint32_t s = 0; s < run->n_got; s++) {
        const live_spikes *got = &run->got[s], *kept = &run->c.segment[s].kept;
        if (!run->at_end && s + 1 == run->n_got)
            continue;
        assert_int_equal(got->n, kept->n);
        for (uint64_t k = 0; k < kept->n; k++)
            assert_true(got->time[k] == kept->time[k]);
    }
}

void live_run_compare(live_run *run)
{
    spk_recording *recording[LIVE_SEGMENTS] = {NULL};
    uint64_t n_told = 0, count[16] = {0};
    compare_spikes(run);
    compare_counts(run);
    for (uint32_t s = 0; s < run->n_got; s++)
        recording[s] = recording_of(run, s, false);
    for (uint64_t k = 0; k < spk_episode_list_columns(run->episodes).n; k++)
        n_told += compare_episode(run, recording, k);
    compare_patterns(run, recording);
    spk_live_watch_counts(run->watch, NULL, count);
    for (uint64_t k = 0; k < spk_pattern_list_columns(run->patterns).n; k++)
        n_told += count[k];
    assert_int_equal(run->n_told, n_told);
    for (uint32_t s = 0; s < run->n_got; s++)
        spk_recording_free(recording[s]);
}
