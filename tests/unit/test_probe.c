/* Simulated probes: what each option does to spikes and to truth. */
#include "support/simulated.h"
#include "support/test.h"

static const double SECOND = 100000; /* ticks of simulated units */

static spk_probe_options options;

static int start(void **state)
{
    (void)state;
    spk_probe_options_init(&options, sizeof options);
    return 0;
}

/* The recording of the options; NULL truth: not wanted. */
static spk_recording *make(const spk_recording *background, spk_truth **truth)
{
    const char *reason = "";
    spk_recording *out = NULL;
    assert_int_equal(spk_simulate_probe(NULL, &options, background, &out, truth), SPK_OK);
    if (!spk_recording_validate(out, &reason))
        fail_msg("invalid recording: %s", reason);
    return out;
}

/* A unit's spikes; *n of them. To be freed. */
static int64_t *times_of(const spk_recording *recording, uint32_t unit, uint64_t *n)
{
    const spk_events events = spk_recording_events(recording);
    *n = events.unit_first[unit + 1] - events.unit_first[unit];
    int64_t *out = malloc((*n + 1) * sizeof *out);
    assert_non_null(out);
    for (uint64_t i = 0; i < *n; i++)
        out[i] = events.time[events.by_unit[events.unit_first[unit] + i]];
    return out;
}

static bool fires_at(const spk_recording *recording, uint32_t unit, int64_t time)
{
    uint64_t n = 0;
    int64_t *own = times_of(recording, unit, &n);
    bool found = false;
    for (uint64_t i = 0; i < n; i++)
        found = found || own[i] == time;
    free(own);
    return found;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void a_seed_is_the_same_everywhere(void **state)
{
    (void)state;
    options.burst_share = 0.3;
    options.modulation = options.rhythm = 0.5;
    options.stimulus = (spk_duration){2, 0};
    options.drift = 0.3;
    options.missed = 0.05;
    options.n_merged = options.n_split = 2;
    options.warp = 1.25;
    options.reversed = 0.3;
    options.n_shared = 2;
    spk_truth *truth = NULL;
    spk_recording *recording = make(NULL, &truth);
    assert_int_equal(test_hash_columns(recording), 0x67bcbf6b4a860a4d);
    for (uint32_t k = 0; k < spk_truth_n_chains(truth); k++) {
        const spk_truth_chain chain = spk_truth_get_chain(truth, k);
        assert_int_equal(chain.kept, 30);
        for (uint64_t i = 0; i < chain.kept * chain.size; i++)
            if (chain.time[i] != SPK_TRUTH_MISSING)
                assert_true(chain.unit[i % chain.size] < 40); /* halves of split units, too */
    }
    spk_truth_free(truth);
    spk_recording_free(recording);
}

/* Without sorting errors every spike of the truth is in the recording, and as many are missing as
 * was asked for. */
static void the_truth_is_in_the_recording(void **state)
{
    (void)state;
    options.repeats = 100;
    options.duration = (spk_duration){100, 0};
    options.failing = 0.2;
    options.missed = 0.25;
    spk_truth *truth = NULL;
    spk_recording *recording = make(NULL, &truth);
    double spikes = 0, missing = 0;
    assert_int_equal(spk_truth_n_chains(truth), 2);
    for (uint32_t k = 0; k < 2; k++) {
        const spk_truth_chain chain = spk_truth_get_chain(truth, k);
        assert_true(chain.size >= 5 && chain.size <= 7);
        assert_int_equal(chain.planted, 100);
        assert_int_equal(chain.jitter_ticks, 200);
        for (uint64_t i = 0; i < chain.kept * chain.size; i++) {
            spikes++;
            missing += chain.time[i] == SPK_TRUTH_MISSING;
            assert_true(chain.time[i] == SPK_TRUTH_MISSING ||
                        fires_at(recording, chain.unit[i % chain.size], chain.time[i]));
        }
    }
    const double p = 1 - 0.8 * 0.75;
    assert_true(fabs(missing - p * spikes) < 5 * sqrt(spikes * p * (1 - p)));
    spk_truth_free(truth);
    spk_recording_free(recording);
}

/* ---- sequences ------------------------------------------------------------------------------- */

static void spread_of(const spk_truth_chain *chain, double *first, double *last)
{
    double sum[2] = {0, 0};
    for (uint64_t i = 0; i < chain->kept; i++) {
        const int64_t *row = chain->time + i * chain->size;
        double lag = 0;
        for (uint32_t m = 0; m + 1 < chain->size; m++)
            lag += (double)chain->delay_ticks[m];
        sum[0] += pow((double)(row[1] - row[0] - chain->delay_ticks[0]), 2);
        sum[1] += pow((double)(row[chain->size - 1] - row[0]) - lag, 2);
    }
    *first = sqrt(sum[0] / (double)chain->kept);
    *last = sqrt(sum[1] / (double)chain->kept);
}

/* Jitter of each spike: two of them make a lag, however long. Jitter that adds up: each step adds
 * one. */
static void jitter_is_of_spikes_or_of_steps(void **state)
{
    (void)state;
    options.duration = (spk_duration){600, 0};
    options.repeats = 400;
    options.n_sequences = 1;
    options.min_size = options.max_size = 10;
    options.failing = 0;
    for (int adding = 0; adding < 2; adding++) {
        spk_truth *truth = NULL;
        options.adding_jitter = adding == 1;
        spk_recording *recording = make(NULL, &truth);
        const spk_truth_chain chain = spk_truth_get_chain(truth, 0);
        double first = 0, last = 0;
        spread_of(&chain, &first, &last);
        /* A standard deviation of n draws has a standard error of 1 / sqrt(2 n) of itself. */
        const double error = 5 / sqrt(800);
        assert_true(fabs(first / (200 * (adding ? 1 : sqrt(2))) - 1) < error);
        assert_true(fabs(last / (200 * (adding ? 3 : sqrt(2))) - 1) < error);
        spk_truth_free(truth);
        spk_recording_free(recording);
    }
}

/* Occurrences of exact lags: each is the sequence times a factor, forwards or backwards. */
static void time_is_warped_and_reversed(void **state)
{
    (void)state;
    options.jitter = (spk_duration){0};
    options.failing = 0;
    options.warp = 1.25;
    options.reversed = 0.5;
    spk_truth *truth = NULL;
    spk_recording *recording = make(NULL, &truth);
    const spk_truth_chain chain = spk_truth_get_chain(truth, 0);
    int n_reversed = 0, n_slow = 0;
    for (uint64_t i = 0; i < chain.kept; i++) {
        const int64_t *row = chain.time + i * chain.size;
        const double factor = (double)(row[1] - row[0]) / (double)chain.delay_ticks[0];
        assert_true(fabs(factor) > 0.799 && fabs(factor) < 1.251);
        n_reversed += factor < 0;
        n_slow += fabs(factor) > 1;
        for (uint32_t m = 1; m < chain.size; m++)
            assert_true(fabs((double)(row[m] - row[m - 1]) -
                             factor * (double)chain.delay_ticks[m - 1]) < 6);
    }
    assert_true(n_reversed > 3 && n_reversed < 27 && n_slow > 3 && n_slow < 27);
    spk_truth_free(truth);
    spk_recording_free(recording);
}

static int count_common(const spk_truth_chain *a, const spk_truth_chain *b)
{
    int common = 0;
    for (uint32_t m = 0; m < a->size; m++)
        for (uint32_t n = 0; n < b->size; n++)
            common += a->unit[m] == b->unit[n];
    return common;
}

static void sequences_share_units_when_asked_to(void **state)
{
    (void)state;
    options.n_sequences = 4;
    for (uint32_t shared = 0; shared < 4; shared += 3) {
        spk_truth *truth = NULL;
        options.n_shared = shared;
        spk_recording *recording = make(NULL, &truth);
        for (uint32_t k = 1; k < 4; k++) {
            const spk_truth_chain before = spk_truth_get_chain(truth, k - 1);
            const spk_truth_chain chain = spk_truth_get_chain(truth, k);
            assert_int_equal(count_common(&before, &chain), shared);
            assert_int_equal(count_common(&chain, &chain), chain.size); /* no unit twice */
        }
        spk_truth_free(truth);
        spk_recording_free(recording);
    }
}

static void a_nested_sequence_is_a_part_with_its_lags(void **state)
{
    (void)state;
    options.nested = true;
    options.min_size = options.max_size = 9;
    spk_truth *truth = NULL;
    spk_recording *recording = make(NULL, &truth);
    const spk_truth_chain whole = spk_truth_get_chain(truth, 0);
    const spk_truth_chain part = spk_truth_get_chain(truth, 1);
    assert_int_equal(whole.size, 9);
    assert_int_equal(part.size, 4);
    assert_memory_equal(part.unit, whole.unit + 2, 4 * sizeof *part.unit);
    assert_memory_equal(part.delay_ticks, whole.delay_ticks + 2, 3 * sizeof *part.delay_ticks);
    assert_true(part.time[0] != whole.time[2]);
    spk_truth_free(truth);
    spk_recording_free(recording);
}

static void members_fire_at_once_in_synchrony(void **state)
{
    (void)state;
    options.min_step = options.max_step = options.jitter = (spk_duration){0};
    options.failing = 0;
    spk_truth *truth = NULL;
    spk_recording *recording = make(NULL, &truth);
    const spk_truth_chain chain = spk_truth_get_chain(truth, 1);
    for (uint64_t i = 0; i < chain.kept * chain.size; i++)
        assert_int_equal(chain.time[i], chain.time[i - i % chain.size]);
    spk_truth_free(truth);
    spk_recording_free(recording);
}

/* ---- units ----------------------------------------------------------------------------------- */

/* One busy unit without sequences. */
static int64_t *one_unit(uint64_t *n)
{
    options.n_units = 1;
    options.n_sequences = 0;
    options.rate_spread = 0;
    options.mean_rate_hz = 20;
    options.duration = (spk_duration){300, 0};
    spk_recording *recording = make(NULL, NULL);
    int64_t *out = times_of(recording, 0, n);
    spk_recording_free(recording);
    return out;
}

static void units_have_their_rate_and_refractory_time(void **state)
{
    (void)state;
    for (int bursts = 0; bursts < 2; bursts++) {
        uint64_t n = 0, short_ones = 0;
        options.burst_share = bursts;
        int64_t *time = one_unit(&n);
        for (uint64_t i = 1; i < n; i++) {
            assert_true(time[i] - time[i - 1] > 200);
            short_ones += time[i] - time[i - 1] <= 600;
        }
        /* Bursts of a mean of 3 spikes: some 2.5 times the variance. */
        assert_true(fabs((double)n - 6000) < 5 * sqrt(6000 * (bursts ? 2.5 : 1)));
        const double share = (double)short_ones / (double)n;
        assert_true(bursts ? share > 0.3 : share < 0.12);
        free(time);
    }
}

/* The mean of exp(i phase) is half the depth. */
static void rates_follow_the_rhythm(void **state)
{
    (void)state;
    uint64_t n = 0;
    options.rhythm = 0.8;
    int64_t *time = one_unit(&n);
    double x = 0, y = 0;
    for (uint64_t i = 0; i < n; i++) {
        const double angle = 6.283185307179586 * 8 * (double)time[i] / SECOND;
        x += cos(angle);
        y += sin(angle);
    }
    assert_true(fabs(sqrt(x * x + y * y) / (double)n - 0.4) < 5 / sqrt((double)n));
    free(time);
}

/* A stimulus each 2 s adds four times the rate for 50 ms: a tenth more spikes. */
static void stimuli_raise_the_rate(void **state)
{
    (void)state;
    uint64_t plain = 0, more = 0;
    free(one_unit(&plain));
    options.stimulus = (spk_duration){2, 0};
    free(one_unit(&more));
    assert_true((double)more > 1.05 * (double)plain && (double)more < 1.15 * (double)plain);
}

static void units_fade(void **state)
{
    (void)state;
    uint64_t n = 0, early = 0;
    options.drift = 1;
    int64_t *time = one_unit(&n);
    for (uint64_t i = 0; i < n; i++)
        early += (double)time[i] < 150 * SECOND;
    const double share = (double)early / (double)n;
    assert_true(fabs((double)n - 3000) < 5 * sqrt(3000));
    assert_true(fabs(fmin(share, 1 - share) - 0.25) < 0.05); /* of a triangle */
    free(time);
}

static void spikes_are_missed(void **state)
{
    (void)state;
    uint64_t all = 0, seen = 0;
    free(one_unit(&all));
    options.missed = 0.5;
    free(one_unit(&seen));
    assert_true(fabs((double)seen - 3000) < 5 * sqrt(3000) && all > seen);
}

/* ---- sorting --------------------------------------------------------------------------------- */

static void units_are_merged_and_split(void **state)
{
    (void)state;
    uint64_t n_events[2];
    spk_truth *truth = NULL;
    for (uint32_t k = 0; k < 2; k++) {
        options.n_merged = 3 * k;
        options.n_split = 4 * k;
        spk_recording *recording = make(NULL, k > 0 ? &truth : NULL);
        const spk_events events = spk_recording_events(recording);
        int merged = 0, split = 0;
        n_events[k] = events.n_events;
        assert_int_equal(events.n_units, 40 + k);
        for (uint32_t u = 0; u < events.n_units; u++) {
            const char *label = spk_recording_label(recording, u);
            uint32_t half = 0;
            merged += strchr(label, '+') != NULL;
            if (strchr(label, 'b') == NULL)
                continue;
            char other[16] = "";
            memcpy(other, label, strlen(label) - 1);
            assert_true(spk_recording_find_unit(recording, other, &half));
            const double a = (double)(events.unit_first[u + 1] - events.unit_first[u]);
            const double b = (double)(events.unit_first[half + 1] - events.unit_first[half]);
            assert_true(fabs(a - b) <= 5 * sqrt(a + b));
            split++;
        }
        assert_int_equal(merged, 3 * (int)k);
        assert_int_equal(split, 4 * (int)k);
        if (k == 1) /* members are named as they were sorted */
            for (uint32_t c = 0; c < 2; c++)
                for (uint32_t m = 0; m < spk_truth_get_chain(truth, c).size; m++)
                    assert_null(strchr(
                        spk_recording_label(recording, spk_truth_get_chain(truth, c).unit[m]),
                        'b'));
        spk_recording_free(recording);
    }
    assert_true(n_events[1] <= n_events[0] && n_events[1] + 60 > n_events[0]); /* ties are one */
    spk_truth_free(truth);
}

/* ---- real units ------------------------------------------------------------------------------ */

/* Each unit of the background has the same spikes, moved in a circle; units are moved apart. */
static void a_background_is_shifted_apart(void **state)
{
    (void)state;
    options.n_units = 6;
    options.n_sequences = 0;
    options.duration = (spk_duration){20, 0};
    spk_recording *background = make(NULL, NULL);
    options.seed = 5;
    spk_recording *shifted = make(background, NULL);
    const int64_t stop = spk_recording_stop(background);
    int64_t moved[6];
    assert_int_equal(spk_recording_stop(shifted), stop);
    for (uint32_t u = 0; u < 6; u++) {
        uint64_t n[2], k = 0;
        int64_t *before = times_of(background, u, &n[0]), *after = times_of(shifted, u, &n[1]);
        assert_int_equal(n[0], n[1]);
        assert_true(n[0] > 1);
        bool same = false;
        for (; k < n[1] && !same; k++) { /* the first spike became number k */
            moved[u] = (after[k] - before[0] + stop) % stop;
            same = true;
            for (uint64_t i = 0; i < n[0] && same; i++)
                same = (before[i] + moved[u]) % stop == after[(k + i) % n[1]];
        }
        assert_true(same);
        assert_true(u == 0 || moved[u] != moved[u - 1]);
        free(before);
        free(after);
    }
    spk_recording_free(shifted);
    spk_recording_free(background);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void is_refused(const spk_recording *background, const char *words)
{
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    assert_int_equal(spk_simulate_probe(context, &options, background, &recording, NULL),
                     SPK_ERR_ARGUMENT);
    if (strstr(spk_context_message(context), words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", spk_context_message(context), words);
    assert_null(recording);
    spk_context_free(context);
    (void)start(NULL);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    options.drift = 1.5;
    is_refused(NULL, "the share of units that fade is 1.5");
    options.rhythm = NAN;
    is_refused(NULL, "the depth of the rhythm is nan");
    options.max_size = 4;
    is_refused(NULL, "the largest size is 4; it must be from 5");
    options.n_shared = 5;
    is_refused(NULL, "the number of shared units is 5; it must be from 0 to 4");
    options.n_shared = 1;
    options.nested = true;
    is_refused(NULL, "it must be from 0 to 0");
    options.n_sequences = 6;
    is_refused(NULL, "need 42 units, and there are 40");
    options.n_merged = 20;
    options.n_split = 1;
    is_refused(NULL, "20 merged pairs and 1 split units are more than 40 units");
    options.min_step = (spk_duration){1, 0};
    is_refused(NULL, "the first must not be the larger one");
    options.stimulus = (spk_duration){1, -1};
    is_refused(NULL, "stimuli come every 0.1 s");
    options.repeats = 1000;
    is_refused(NULL, "1000 occurrences of");
    options.refractory = (spk_duration){2, -1};
    is_refused(NULL, "leaves no room for 5 Hz");
}

static void limits_and_cancel_are_heeded(void **state)
{
    (void)state;
    spk_context *context = NULL;
    spk_recording *recording = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_set_memory_limit(context, 100000);
    assert_int_equal(spk_simulate_probe(context, &options, NULL, &recording, NULL), SPK_ERR_MEMORY);
    spk_context_set_memory_limit(context, 0);
    options.mean_rate_hz = 100;
    spk_context_cancel(context);
    assert_int_equal(spk_simulate_probe(context, &options, NULL, &recording, NULL),
                     SPK_ERR_CANCELLED);
    assert_null(recording);
    spk_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_seed_is_the_same_everywhere, start),
        cmocka_unit_test_setup(the_truth_is_in_the_recording, start),
        cmocka_unit_test_setup(jitter_is_of_spikes_or_of_steps, start),
        cmocka_unit_test_setup(time_is_warped_and_reversed, start),
        cmocka_unit_test_setup(sequences_share_units_when_asked_to, start),
        cmocka_unit_test_setup(a_nested_sequence_is_a_part_with_its_lags, start),
        cmocka_unit_test_setup(members_fire_at_once_in_synchrony, start),
        cmocka_unit_test_setup(units_have_their_rate_and_refractory_time, start),
        cmocka_unit_test_setup(rates_follow_the_rhythm, start),
        cmocka_unit_test_setup(stimuli_raise_the_rate, start),
        cmocka_unit_test_setup(units_fade, start),
        cmocka_unit_test_setup(spikes_are_missed, start),
        cmocka_unit_test_setup(units_are_merged_and_split, start),
        cmocka_unit_test_setup(a_background_is_shifted_apart, start),
        cmocka_unit_test_setup(bad_options_are_refused, start),
        cmocka_unit_test_setup(limits_and_cancel_are_heeded, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
