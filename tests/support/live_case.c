/* Random input of a live stream. */
#include "support/live_case.h"

#include "support/test.h"

/* In natural order, so that a recording numbers them in the same way. */
const char *const live_labels[LIVE_UNITS] = {"2", "10", "ch 1", "ch@2", "x"};

/* ---- what is sent ---------------------------------------------------------------------------- */

/* Spikes in order, with ties and bursts. */
static void make_ordered(test_random *random, int64_t from, int64_t longest, live_spikes *out)
{
    uint64_t step = 1 + test_random_below(random, 12);
    int64_t time = from;
    out->n = 0;
    for (uint64_t n = test_random_below(random, LIVE_SPIKES - 30); out->n < n; out->n++) {
        if (test_random_chance(random, 0.02))
            step = 1 + test_random_below(random, 30);
        int64_t more = (int64_t)test_random_below(random, step);
        if (time > longest - more)
            break;
        time += more;
        out->time[out->n] = time;
        out->unit[out->n] = (uint32_t)test_random_below(random, LIVE_UNITS);
    }
}

static void swap(live_spikes *spikes, uint64_t a, uint64_t b)
{
    int64_t time = spikes->time[a];
    uint32_t unit = spikes->unit[a];
    spikes->time[a] = spikes->time[b];
    spikes->unit[a] = spikes->unit[b];
    spikes->time[b] = time;
    spikes->unit[b] = unit;
}

static void disturb(test_random *random, live_spikes *spikes)
{
    for (uint64_t k = 0; k < 20 && spikes->n > 0; k++) { /* some come twice */
        uint64_t from = test_random_below(random, spikes->n);
        if (!test_random_chance(random, 0.5))
            continue;
        spikes->time[spikes->n] = spikes->time[from];
        spikes->unit[spikes->n++] = spikes->unit[from];
        for (uint64_t at = spikes->n - 1; at > from + 1 && test_random_chance(random, 0.95); at--)
            swap(spikes, at, at - 1);
    }
    for (uint64_t k = 0; k + 1 < spikes->n; k++)
        if (test_random_chance(random, 0.3)) {
            uint64_t reach = 1 + test_random_below(random, 6);
            swap(spikes, k, k + reach < spikes->n ? k + reach : spikes->n - 1);
        }
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static bool is_before(const live_spikes *spikes, uint64_t k, int64_t time, uint32_t unit)
{
    return spikes->time[k] < time || (spikes->time[k] == time && spikes->unit[k] < unit);
}

/* Puts a spike in its place; false where it is there. */
static bool insert(live_spikes *spikes, int64_t time, uint32_t unit)
{
    uint64_t at = 0;
    while (at < spikes->n && is_before(spikes, at, time, unit))
        at++;
    if (at < spikes->n && spikes->time[at] == time && spikes->unit[at] == unit)
        return false;
    for (uint64_t k = spikes->n++; k > at; k--)
        spikes->time[k] = spikes->time[k - 1], spikes->unit[k] = spikes->unit[k - 1];
    spikes->time[at] = time;
    spikes->unit[at] = unit;
    return true;
}

static void keep(live_case *c, uint32_t s)
{
    const live_spikes *sent = &c->segment[s].sent;
    bool any = false;
    int64_t newest = 0;
    c->segment[s].kept.n = c->segment[s].late = c->segment[s].duplicates = 0;
    c->segment[s].outside = 0;
    for (uint64_t k = 0; k < sent->n; k++) {
        int64_t time = sent->time[k];
        if (time < c->segment[s].first_tick || time >= c->segment[s].stop_tick) {
            c->segment[s].outside++;
        } else if (any && time < newest && (uint64_t)newest - (uint64_t)time > c->tolerance_ticks) {
            c->segment[s].late++;
        } else {
            newest = any && newest > time ? newest : time;
            any = true;
            c->segment[s].duplicates += !insert(&c->segment[s].kept, time, sent->unit[k]);
        }
    }
}

/* ---- a case ---------------------------------------------------------------------------------- */

static spk_duration duration_of(int64_t ticks, spk_rate rate)
{
    spk_duration duration;
    assert_true(spk_duration_of_tick(ticks, rate, &duration));
    return duration;
}

/* A moment near a tick, sometimes between two. */
static spk_duration moment_near(test_random *random, int64_t tick, spk_rate rate)
{
    spk_duration moment = duration_of(tick, rate);
    if (test_random_chance(random, 0.4) && rate.numerator % 10 == 0 && moment.divisor <= 1) {
        char text[64];
        spk_rate fine = {rate.numerator * 4, rate.denominator};
        (void)text;
        moment = duration_of(4 * tick + 1 + (int64_t)test_random_below(random, 3), fine);
    }
    return moment;
}

static void make_bounds(test_random *random, live_case *c, uint32_t s, int64_t from)
{
    const live_spikes *sent = &c->segment[s].sent;
    c->segment[s].has_start = test_random_chance(random, 0.5);
    c->segment[s].has_stop = test_random_chance(random, 0.3);
    if (c->segment[s].has_start) {
        c->segment[s].start =
            moment_near(random, from - 10 + (int64_t)test_random_below(random, 14), c->rate);
        c->segment[s].first_tick = spk_duration_first_tick(c->segment[s].start, c->rate);
    }
    if (c->segment[s].has_stop) {
        int64_t last = sent->n > 0 ? sent->time[sent->n - 1] : from;
        c->segment[s].stop =
            moment_near(random, last + 6 + (int64_t)test_random_below(random, 8), c->rate);
        c->segment[s].stop_tick = spk_duration_first_tick(c->segment[s].stop, c->rate);
    }
}

void live_case_make(test_random *random, bool extreme, live_case *c)
{
    static const spk_rate rates[] = {{1000, 1}, {30000, 1}, {1000000000, 1}, {48828125, 2048}};
    memset(c, 0, sizeof *c);
    c->rate = rates[test_random_below(random, 4)];
    c->tolerance_ticks = test_random_chance(random, 0.5) ? 0 : test_random_below(random, 40);
    c->tolerance = duration_of((int64_t)c->tolerance_ticks, c->rate);
    c->n_segments = 1 + (uint32_t)test_random_below(random, LIVE_SEGMENTS);
    c->begins_with_border = test_random_chance(random, 0.5);
    int64_t from = test_random_between(random, -1000, 1000);
    for (uint32_t s = 0; s < c->n_segments; s++) {
        if (extreme)
            from = test_random_chance(random, 0.5) ? INT64_MIN : INT64_MAX - 400;
        c->segment[s].first_tick = INT64_MIN;
        c->segment[s].stop_tick = INT64_MAX;
        make_ordered(random, from, INT64_MAX - 1, &c->segment[s].sent);
        c->begins_with_border |= s == 0 && c->segment[s].sent.n == 0;
        if (!extreme && (s > 0 || c->begins_with_border))
            make_bounds(random, c, s, from);
        const live_spikes *sent = &c->segment[s].sent;
        int64_t last = sent->n > 0 ? sent->time[sent->n - 1] : from;
        if (!extreme)
            from = test_random_chance(random, 0.3) ? last - 50
                                                   : last + (int64_t)test_random_below(random, 60);
        disturb(random, &c->segment[s].sent);
        keep(c, s);
    }
}

/* ---- for the library ------------------------------------------------------------------------- */

spk_recording *live_recording(spk_context *context, spk_rate rate, uint64_t n, const int64_t *time,
                              const uint32_t *unit, const spk_duration *start,
                              const spk_duration *stop)
{
    spk_recording *recording = NULL, *cut = NULL;
    assert_int_equal(test_recording_create(context, n, time, unit, LIVE_UNITS, live_labels, rate,
                                           NULL, NULL, &recording),
                     SPK_OK);
    if (n == 0 || (start == NULL && stop == NULL))
        return recording;
    spk_time_range range = {.stop = {.digits = 1, .exponent = SPK_DURATION_INFINITE}};
    if (start != NULL)
        range.start = *start;
    else
        assert_true(spk_duration_of_tick(time[0], rate, &range.start));
    if (stop != NULL)
        range.stop = *stop;
    assert_int_equal(spk_recording_cut(context, recording, 1, &range, &cut), SPK_OK);
    spk_recording_free(recording);
    return cut;
}

static spk_delay random_delay(test_random *random, spk_rate rate)
{
    spk_delay delay = {.lo = {.digits = 0}};
    int64_t lo = test_random_chance(random, 0.3) ? 0 : (int64_t)test_random_below(random, 12);
    delay.lo = duration_of(lo, rate);
    if (test_random_chance(random, 0.15))
        delay.hi = (spk_duration){.digits = 1, .exponent = SPK_DURATION_INFINITE};
    else
        delay.hi = duration_of(lo + 1 + (int64_t)test_random_below(random, 14), rate);
    return delay;
}

spk_episode_list *live_episodes(spk_context *context, test_random *random, spk_rate rate,
                                uint32_t n)
{
    spk_episode_list *list = NULL;
    spk_delay delay[6], table[3];
    uint32_t unit[6], size = 0;
    assert_int_equal(spk_episode_list_create(context, &list), SPK_OK);
    for (int d = 0; d < 3; d++)
        table[d] = random_delay(random, rate);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t kept = size > 0 ? (uint32_t)test_random_below(random, size + 1) : 0;
        size = kept + (uint32_t)test_random_below(random, 6 - kept);
        size = size > 0 ? size : 1;
        for (uint32_t p = kept; p < size; p++) {
            unit[p] = (uint32_t)test_random_below(random, LIVE_UNITS);
            delay[p] = test_random_chance(random, 0.8) ? table[test_random_below(random, 3)]
                                                       : random_delay(random, rate);
        }
        assert_int_equal(spk_episode_list_append(context, list, size, unit, delay), SPK_OK);
    }
    return list;
}

spk_pattern_list *live_patterns(spk_context *context, test_random *random, uint32_t window,
                                uint32_t n)
{
    spk_pattern_list *list = NULL;
    uint32_t count = 0;
    assert_int_equal(spk_pattern_list_create(context, window, &list), SPK_OK);
    for (uint32_t k = 0; k < n; k++) {
        uint64_t offset[2] = {0, 1};
        uint32_t item[5], size = (uint32_t)test_random_below(random, 5);
        item[0] = (uint32_t)test_random_below(random, LIVE_UNITS) * window;
        for (uint32_t i = 0; i < size; i++) {
            uint32_t other = (uint32_t)test_random_below(random, LIVE_UNITS * window);
            bool is_new = true;
            for (uint64_t j = 0; j < offset[1]; j++)
                is_new &= item[j] != other;
            if (is_new)
                item[offset[1]++] = other;
        }
        spk_pattern_columns one = {
            .n = 1, .window = window, .offset = offset, .item = item, .count = &count};
        assert_int_equal(spk_pattern_list_add(list, &one), SPK_OK);
    }
    return list;
}
