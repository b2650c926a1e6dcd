/*
 * Intan RHX as a live source. The other end is played here, from its published protocol: a server
 * of commands, and one of spike records.
 */
#include <errno.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "live/sources/intan_records.h"
#include "support/live.h"
#include "support/test.h"

static uint64_t seed;

/* ---- records --------------------------------------------------------------------------------- */

static size_t put_record(unsigned char *out, const char *channel, uint32_t sample, unsigned id)
{
    static const unsigned char magic[] = {0x0f, 0x71, 0xe2, 0x3a};
    memcpy(out, magic, 4);
    memcpy(out + 4, channel, 5);
    for (int k = 0; k < 4; k++)
        out[9 + k] = (unsigned char)(sample >> (8 * k));
    out[13] = (unsigned char)id;
    return SPK_INTAN_RECORD;
}

typedef struct fed {
    spk_collector collector;
    spk_intan_records records;
    test_live_spike *spike;
    size_t n;
    uint64_t segment;
    unsigned char rest[64];
    size_t n_rest;
} fed;

static void fed_begin(fed *f, size_t most)
{
    memset(f, 0, sizeof *f);
    assert_int_equal(spk_collector_init(NULL, &f->collector, 1000), SPK_OK);
    f->collector.rate = (spk_rate){30000, 1};
    f->spike = malloc((most + 1) * sizeof *f->spike);
    assert_non_null(f->spike);
}

static void fed_take(fed *f)
{
    spk_collector *c = &f->collector;
    f->segment += c->head.border;
    for (uint64_t i = 0; i < c->n; i++) {
        test_live_spike *s = &f->spike[f->n++];
        *s = (test_live_spike){.time = c->time[i], .segment = f->segment};
        snprintf(s->label, sizeof s->label, "%s", spk_labels_text(&c->labels, c->unit[i]));
    }
    c->n = 0;
    c->head = (spk_live_arrivals){.n = 0};
}

/* Hands over a piece, with what was left of the one before it, until nothing more is taken. */
static void fed_piece(fed *f, const unsigned char *bytes, size_t n)
{
    char *all = malloc(f->n_rest + n + 1);
    assert_non_null(all);
    memcpy(all, f->rest, f->n_rest);
    memcpy(all + f->n_rest, bytes, n);
    n += f->n_rest;
    size_t at = 0, taken = 0;
    do {
        assert_int_equal(
            spk_intan_records_take(&f->records, &f->collector, all + at, n - at, false, &taken),
            SPK_OK);
        at += taken;
        fed_take(f);
    } while (at < n && n - at >= SPK_INTAN_RECORD);
    f->n_rest = n - at;
    assert_true(f->n_rest < SPK_INTAN_RECORD);
    memcpy(f->rest, all + at, f->n_rest);
    free(all);
}

static void fed_end(fed *f)
{
    spk_collector_clear(&f->collector);
    free(f->spike);
}

/* Records with garbage between them, in pieces of any size: each spike once, each byte of garbage
 * counted. The clock wraps every few records. */
static void records_among_garbage(void **state)
{
    (void)state;
    enum { N = 300 };
    static const unsigned ids[] = {1, 2, 4, 8, 0x40, 0x80};
    for (uint64_t k = 0; k < test_scaled(200); k++) {
        test_random random = test_random_make(seed, k);
        unsigned char bytes[N * 40];
        int64_t time[N];
        char label[N][12];
        size_t n = 0, spikes = 0, garbage = 0, artefacts = 0;
        int64_t now = test_random_between(&random, 0, INT32_MAX);
        for (int i = 0; i < N; i++) {
            char channel[8];
            const unsigned id = ids[test_random_below(&random, 6)];
            if (test_random_chance(&random, 0.2))
                for (uint64_t g = test_random_below(&random, 20); g > 0; g--, garbage++)
                    bytes[n++] = test_random_chance(&random, 0.2)
                                     ? 0x0f
                                     : (unsigned char)test_random_below(&random, 0x70);
            now += test_random_between(&random, i == 0 ? 0 : -20000, 1000000000);
            now = now < 0 ? 0 : now;
            snprintf(channel, sizeof channel, "%c-%03d",
                     (char)('A' + test_random_below(&random, 8)),
                     (int)test_random_below(&random, 128));
            n += put_record(bytes + n, channel, (uint32_t)now, id);
            artefacts += id == 0x80;
            if (id == 0x80)
                continue;
            time[spikes] = now;
            snprintf(label[spikes++], sizeof label[0], id == 0x40 ? "%s" : "%s/%u", channel, id);
        }
        fed f;
        fed_begin(&f, N);
        for (size_t at = 0; at < n;) {
            size_t piece = 1 + (size_t)test_random_below(&random, k % 2 == 0 ? 1 : 100);
            piece = piece < n - at ? piece : n - at;
            fed_piece(&f, bytes + at, piece);
            at += piece;
        }
        assert_int_equal(f.n, spikes);
        for (size_t i = 0; i < spikes; i++) {
            assert_int_equal(f.spike[i].time, time[i]);
            assert_string_equal(f.spike[i].label, label[i]);
        }
        assert_int_equal(f.collector.facts.garbage, garbage);
        assert_int_equal(f.collector.facts.other, artefacts);
        assert_int_equal(f.collector.facts.messages, spikes + artefacts);
        assert_int_equal(n, SPK_INTAN_RECORD * (spikes + artefacts) + garbage);
        assert_int_equal(f.collector.facts.restarts, 0);
        assert_int_equal(f.segment, 0);
        fed_end(&f);
    }
}

/* 50 rounds of the counter, with late spikes around each wrap. */
static void wraps(void **state)
{
    (void)state;
    fed f;
    unsigned char record[SPK_INTAN_RECORD];
    size_t n = 0;
    fed_begin(&f, 1000);
    const int64_t quarter = (int64_t)1 << 30;
    for (int64_t k = 0; k < 200; k++) {
        const int64_t times[] = {k * quarter - 100, k * quarter + 50, k * quarter - 20};
        for (int i = k == 0 ? 1 : 0; i < (k == 0 ? 2 : 3); i++, n++) {
            put_record(record, "A-001", (uint32_t)times[i], 1);
            fed_piece(&f, record, sizeof record);
            assert_int_equal(f.spike[n].time, times[i]);
        }
    }
    assert_int_equal(f.n, n);
    assert_int_equal(f.collector.facts.wraps, 49);
    assert_int_equal(f.segment, 0);
    fed_end(&f);
}

/* A record of a unit too many is garbage, from its first to its last byte. */
static void units_too_many_are_garbage(void **state)
{
    (void)state;
    fed f;
    unsigned char records[3 * SPK_INTAN_RECORD];
    fed_begin(&f, 10);
    f.collector.max_units = 1;
    put_record(records, "A-001", 10, 1);
    put_record(records + SPK_INTAN_RECORD, "A-002", 20, 1);
    put_record(records + 2 * SPK_INTAN_RECORD, "A-001", 30, 1);
    fed_piece(&f, records, sizeof records);
    assert_int_equal(f.n, 2);
    assert_int_equal(f.collector.facts.messages, 2);
    assert_int_equal(f.collector.facts.garbage, SPK_INTAN_RECORD);
    fed_end(&f);
}

static void restart_is_a_border(void **state)
{
    (void)state;
    fed f;
    unsigned char records[5 * SPK_INTAN_RECORD];
    static const uint32_t sample[] = {5000000, 5000300, 10, 40, 20};
    fed_begin(&f, 10);
    for (size_t k = 0; k < 5; k++)
        put_record(records + k * SPK_INTAN_RECORD, "A-001", sample[k], 1);
    fed_piece(&f, records, sizeof records);
    assert_int_equal(f.n, 5);
    assert_int_equal(f.collector.facts.restarts, 1);
    assert_int_equal(f.spike[1].segment, 0);
    for (size_t k = 2; k < 5; k++) {
        assert_int_equal(f.spike[k].segment, 1);
        assert_int_equal(f.spike[k].time, sample[k]);
    }
    fed_end(&f);
}

static void count_note(void *user, const char *text)
{
    (void)text;
    ++*(unsigned *)user;
}

/* An impostor whose clock begins anew with every other record is told of a few times. */
static void notes_become_rare(void **state)
{
    (void)state;
    enum { RECORDS = 20000 };
    static unsigned char records[RECORDS * SPK_INTAN_RECORD];
    spk_context *context = NULL;
    unsigned n = 0;
    fed f;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    spk_context_set_note(context, count_note, &n);
    fed_begin(&f, RECORDS);
    f.collector.context = context;
    for (size_t k = 0; k < RECORDS; k++)
        put_record(records + k * SPK_INTAN_RECORD, "A-001", k % 2 == 0 ? 5000000 : 10, 1);
    fed_piece(&f, records, sizeof records);
    assert_int_equal(f.n, RECORDS);
    assert_int_equal(f.collector.facts.restarts, RECORDS / 2);
    assert_int_equal(n, 13); /* ten, and 100, 1,000, 10,000 */
    fed_end(&f);
    spk_context_free(context);
}

/* ---- RHX ------------------------------------------------------------------------------------- */

typedef struct rhx {
    int control_listener, data_listener;
    int control_port, data_port;
    int control, data; /* -1: not connected */
    bool open;         /* the spike port was asked for */
    char mode[16];
    char log[65536];
    size_t n_log;
} rhx;

static void rhx_begin(rhx *r, const char *mode)
{
    memset(r, 0, sizeof *r);
    r->control = r->data = -1;
    r->control_listener = test_listen(&r->control_port);
    r->data_listener = test_listen(&r->data_port);
    snprintf(r->mode, sizeof r->mode, "%s", mode);
}

static void rhx_end(rhx *r)
{
    const int all[] = {r->control, r->data, r->control_listener, r->data_listener};
    for (size_t k = 0; k < 4; k++)
        if (all[k] >= 0)
            close(all[k]);
}

static void answer(rhx *r, const char *name, const char *value)
{
    char text[80];
    snprintf(text, sizeof text, "Return: %s %s", name, value);
    assert_true(send(r->control, text, strlen(text), MSG_NOSIGNAL) > 0);
}

static void obey(rhx *r, const char *command)
{
    r->n_log += (size_t)snprintf(r->log + r->n_log, sizeof r->log - r->n_log, "%s\n", command);
    if (strcasecmp(command, "get SampleRateHertz") == 0)
        answer(r, "SampleRateHertz", "25000");
    else if (strcasecmp(command, "get RunMode") == 0)
        answer(r, "RunMode", r->mode);
    else if (strcasecmp(command, "get A.NumberAmplifierChannels") == 0)
        answer(r, "A.NumberAmplifierChannels", "64");
    else if (strcasecmp(command, "get D.NumberAmplifierChannels") == 0)
        answer(r, "D.NumberAmplifierChannels", "2");
    else if (strncasecmp(command, "get ", 4) == 0 && command[4] > 'D')
        (void)!send(r->control, "Error: no such port", 19, MSG_NOSIGNAL);
    else if (strncasecmp(command, "get ", 4) == 0)
        answer(r, command + 4, "0");
    else if (strncasecmp(command, "set RunMode ", 12) == 0)
        snprintf(r->mode, sizeof r->mode, "%.15s", command + 12);
    else if (strcasecmp(command, "execute ConnectTCPSpikeDataOutput") == 0)
        r->open = true;
}

/* Takes connections and obeys the commands that have come. */
static void rhx_step(rhx *r)
{
    char text[4096];
    if (r->control < 0)
        r->control = accept(r->control_listener, NULL, NULL);
    if (r->data < 0 && r->open)
        r->data = accept(r->data_listener, NULL, NULL);
    if (r->control < 0)
        return;
    const ssize_t n = recv(r->control, text, sizeof text - 1, MSG_DONTWAIT);
    if (n <= 0)
        return;
    text[n] = '\0';
    assert_true(n < 1000); /* what RHX reads at once */
    char *rest = NULL;
    for (char *c = strtok_r(text, ";", &rest); c != NULL; c = strtok_r(NULL, ";", &rest))
        obey(r, c);
}

static void rhx_open(rhx *r, test_live *live, spk_live_source_options *options)
{
    char address[64];
    options->control_port = (uint16_t)r->control_port;
    snprintf(address, sizeof address, "intan://127.0.0.1:%d", r->data_port);
    test_live_open(live, address, options);
}

/* Both sides in turn, until the source is connected and RHX runs. */
static void talk(rhx *r, test_live *live)
{
    for (int k = 0; k < 4000; k++) {
        test_live_poll(live, 1);
        rhx_step(r);
        if (r->data >= 0 && strcasecmp(r->mode, "Stop") != 0 &&
            strncmp(test_live_facts(live).state, "connected", 9) == 0)
            return;
    }
    fail_msg("RHX was not set up: %s\n%s", test_live_facts(live).state, r->log);
}

static spk_live_source_options defaults(void)
{
    spk_live_source_options options;
    spk_live_source_options_init(&options, sizeof options);
    return options;
}

static void make_nonblocking_listeners(rhx *r)
{
    /* A listener without a waiting client must not block the test. */
    struct timeval soon = {0, 1000};
    setsockopt(r->control_listener, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    setsockopt(r->data_listener, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
}

static void sets_up_and_streams(void **state)
{
    (void)state;
    rhx r;
    test_live live;
    spk_live_source_options options = defaults();
    rhx_begin(&r, "Stop");
    make_nonblocking_listeners(&r);
    rhx_open(&r, &live, &options);
    talk(&r, &live);
    assert_int_equal(spk_live_source_rate(live.source).numerator, 25000);
    assert_non_null(strstr(r.log, "set TCPNumberDataBlocksPerWrite 1\n"));
    assert_non_null(strstr(r.log, "set A-000.TCPDataOutputEnabledSpike true\n"));
    assert_non_null(strstr(r.log, "set A-063.TCPDataOutputEnabledSpike true\n"));
    assert_non_null(strstr(r.log, "set D-001.TCPDataOutputEnabledSpike true\n"));
    assert_null(strstr(r.log, "set B-000"));
    assert_null(strstr(r.log, "A-064"));
    assert_true(strstr(r.log, "execute ConnectTCPSpikeDataOutput") <
                strstr(r.log, "set RunMode Run"));

    unsigned char records[3 * SPK_INTAN_RECORD];
    put_record(records, "A-010", 100, 1);
    put_record(records + SPK_INTAN_RECORD, "A-010", 130, 0x40);
    put_record(records + 2 * SPK_INTAN_RECORD, "D-001", 125, 8);
    test_random random = test_random_make(seed, 0);
    test_send(&live, r.data, records, sizeof records, 3, &random);
    test_live_wait(&live, 3);
    assert_int_equal(live.n, 3);
    assert_string_equal(live.spike[0].label, "A-010/1");
    assert_string_equal(live.spike[1].label, "A-010");
    assert_string_equal(live.spike[2].label, "D-001/8");
    assert_int_equal(live.spike[2].time, 125);
    test_live_close(&live);
    for (int k = 0; k < 100 && strcasecmp(r.mode, "Stop") != 0; k++)
        rhx_step(&r);
    assert_string_equal(r.mode, "Stop"); /* as it was found */
    rhx_end(&r);
}

/* A run that is under way goes on; the spike port breaks within a record and is opened again. */
static void comes_again(void **state)
{
    (void)state;
    rhx r;
    test_live live;
    spk_live_source_options options = defaults();
    options.select = "A-003,D";
    rhx_begin(&r, "Record");
    make_nonblocking_listeners(&r);
    rhx_open(&r, &live, &options);
    talk(&r, &live);
    assert_null(strstr(r.log, "BlocksPerWrite"));
    assert_null(strstr(r.log, "set A-000"));
    assert_non_null(strstr(r.log, "set A-003.TCPDataOutputEnabledSpike true\n"));
    assert_non_null(strstr(r.log, "set D-000.TCPDataOutputEnabledSpike true\n"));

    unsigned char records[2 * SPK_INTAN_RECORD];
    put_record(records, "A-003", 1000000, 2);
    put_record(records + SPK_INTAN_RECORD, "A-003", 1000100, 2);
    assert_int_equal(send(r.data, records, sizeof records - 5, 0), sizeof records - 5);
    test_live_wait(&live, 1);
    close(r.data);
    r.data = -1;
    r.open = false;
    for (int k = 0; k < 1000 && strncmp(test_live_facts(&live).state, "connected", 9) == 0; k++)
        test_live_poll(&live, 1);
    talk(&r, &live);
    assert_true(r.open); /* it was asked to open the port again */
    put_record(records, "A-003", 1000900, 2);
    put_record(records + SPK_INTAN_RECORD, "A-003", 50, 2);
    assert_int_equal(send(r.data, records, sizeof records, 0), sizeof records);
    test_live_wait(&live, 3);
    assert_int_equal(live.n, 3);
    assert_int_equal(live.spike[1].time, 1000900);
    assert_int_equal(live.spike[1].segment, 0);
    assert_int_equal(live.spike[2].segment, 1);
    const spk_live_source_facts facts = test_live_facts(&live);
    assert_int_equal(facts.reconnects, 1);
    assert_int_equal(facts.garbage, 9); /* bytes of the record that was cut off */
    assert_int_equal(facts.restarts, 1);
    test_live_close(&live);
    rhx_step(&r);
    assert_string_equal(r.mode, "Record");
    assert_null(strstr(r.log, "set RunMode"));
    rhx_end(&r);
}

/* A rate that was given must be that of RHX. */
static void rate_must_stay(void **state)
{
    (void)state;
    rhx r;
    test_live live;
    spk_live_source_options options = defaults();
    options.sample_rate = (spk_rate){30000, 1};
    rhx_begin(&r, "Run");
    make_nonblocking_listeners(&r);
    rhx_open(&r, &live, &options);
    for (int k = 0; k < 2000 && live.status == SPK_OK; k++) {
        test_live_poll(&live, 1);
        rhx_step(&r);
    }
    assert_int_equal(live.status, SPK_ERR_FORMAT);
    assert_non_null(strstr(spk_context_message(live.context), "25000"));
    test_live_close(&live);
    rhx_end(&r);
}

static void wrong_selections(void **state)
{
    (void)state;
    spk_live_source *source = NULL;
    spk_live_source_options options = defaults();
    static const char *const wrong[] = {"Z", "A-3", "A,B-0030"};
    for (size_t k = 0; k < 3; k++) {
        options.select = wrong[k];
        assert_int_equal(spk_live_source_open(NULL, "intan://127.0.0.1", &options, &source),
                         SPK_ERR_ARGUMENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_among_garbage),
        cmocka_unit_test(wraps),
        cmocka_unit_test(units_too_many_are_garbage),
        cmocka_unit_test(restart_is_a_border),
        cmocka_unit_test(notes_become_rare),
        cmocka_unit_test(sets_up_and_streams),
        cmocka_unit_test(comes_again),
        cmocka_unit_test(wrong_selections),
        cmocka_unit_test(rate_must_stay),
    };
    seed = test_seed("live_intan");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
