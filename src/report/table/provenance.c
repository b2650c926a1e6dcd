/* Where a result comes from, as JSON. */
#include "report/table/table.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "spikemine/version.h"

/* The object in the making. Where memory is out anything may be missing: it is never written. */
typedef struct builder {
    json_t *json;
    bool failed;
} builder;

/* Takes the value over. */
static void set(builder *object, const char *key, json_t *value)
{
    object->failed |= json_object_set_new(object->json, key, value) != 0;
}

/* Nothing for a text that JSON cannot hold. */
static void set_text(builder *object, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0' && spk_utf8_is_text(text, strlen(text)))
        set(object, key, json_string(text));
}

/* NULL where memory was out. */
static json_t *make_levels(const spk_provenance *p)
{
    json_t *levels = json_array();
    bool good = levels != NULL;
    for (uint32_t k = 0; k < p->n_levels && good; k++) {
        const spk_episode_level *l = &p->levels[k];
        json_t *level =
            json_pack("{s:i,s:I,s:I,s:I,s:f}", "size", (int)l->size, "candidates",
                      (json_int_t)l->candidates, "eliminated", (json_int_t)l->eliminated,
                      "frequent", (json_int_t)l->frequent, "seconds", l->seconds);
        good = json_array_append_new(levels, level) == 0;
    }
    if (good)
        return levels;
    json_decref(levels);
    return NULL;
}

/* NULL where memory was out. */
static json_t *make_energy(const spk_provenance *p)
{
    json_t *meters = json_array();
    bool good = meters != NULL;
    for (size_t k = 0; k < p->n_meters && good; k++) {
        const spk_energy_meter *m = &p->meters[k];
        json_t *meter = m->readable
                            ? json_pack("{s:s,s:f}", "meter", m->name, "joules", m->joules)
                            : json_pack("{s:s,s:s}", "meter", m->name, "not_readable", m->why);
        good = json_array_append_new(meters, meter) == 0;
    }
    if (good)
        return meters;
    json_decref(meters);
    return NULL;
}

static void set_number(builder *object, const char *key, uint64_t number)
{
    set(object, key, json_integer((json_int_t)number));
}

static void set_duration(builder *object, const char *key, spk_duration duration)
{
    char text[48];
    spk_duration_format(duration, text, sizeof text);
    set_text(object, key, text);
}

static void set_surrogates(builder *object, const spk_significance *t)
{
    if (t->method != NULL) {
        set_text(object, "method", t->method);
        set_duration(object, "dither", t->dither);
        set_number(object, "seed", t->seed);
    }
    set_number(object, "surrogates", t->n_surrogates);
}

/* What the test was, and what it found. */
static json_t *make_test(const spk_significance *t, bool *failed)
{
    builder object = {.json = json_object()};
    uint64_t tested = 0;
    uint64_t significant = 0;
    for (uint64_t k = 0; k < t->n_signatures; k++) {
        tested += t->signature[k].tested;
        significant += t->signature[k].significant;
    }
    object.failed = object.json == NULL;
    set_surrogates(&object, t);
    set_text(&object, "spectrum", t->by_duration ? "3d" : "2d");
    set(&object, "alpha", json_real(t->alpha));
    set_text(&object, "correction", t->correction);
    set_text(&object, "rule", t->published ? "published" : "all signatures");
    set_number(&object, "signatures", t->n_signatures);
    set_number(&object, "signatures_tested", tested);
    set_number(&object, "signatures_significant", significant);
    set_number(&object, "patterns", t->n_patterns);
    set_number(&object, "patterns_significant", t->n_significant);
    set_text(&object, "reduction", t->reduction);
    if (t->reduction != NULL)
        set_number(&object, "patterns_kept", t->n_kept);
    set_text(&object, "stability", t->stability);
    *failed |= object.failed;
    return object.json;
}

static json_t *make_exact(const spk_exact_report *t, bool *failed)
{
    builder object = {.json = json_object()};
    json_t *jitter = json_array();
    object.failed = object.json == NULL || jitter == NULL;
    for (size_t k = 0; k < t->n_jitter; k++) {
        char text[48];
        spk_duration_format(t->jitter[k], text, sizeof text);
        object.failed |= json_array_append_new(jitter, json_string(text)) != 0;
    }
    set_text(&object, "method", "exact");
    set_text(&object, "null", t->null != NULL ? t->null : "auto");
    set(&object, "jitter", jitter);
    if (t->history.digits >= 0) {
        char text[48];
        spk_duration_format(t->history, text, sizeof text);
        set_text(&object, "history", text);
    }
    set_number(&object, "seed", t->seed);
    set_number(&object, "surrogates", t->n_surrogates);
    set(&object, "alpha", json_real(t->alpha));
    set_number(&object, "results", t->n_tested);
    set_number(&object, "results_significant", t->n_significant);
    if (t->left_out != NULL && t->round == NULL)
        set_number(&object, "results_core", t->n_core);
    if (t->round != NULL)
        set_number(&object, "rounds", t->n_rounds);
    *failed |= object.failed;
    return object.json;
}

/* NULL where memory was out. */
static json_t *make_condition(const spk_compare_report *c, int g)
{
    builder object = {.json = json_object()};
    object.failed = object.json == NULL;
    set_text(&object, "label", c->label[g]);
    set_number(&object, "trials", c->summary.trials[g]);
    set(&object, "duration_s", json_real(c->summary.duration_s[g]));
    if (g == 1) {
        set_text(&object, "input", c->input_b);
        set_text(&object, "input_sha256", c->sha256_b);
    }
    if (!object.failed)
        return object.json;
    json_decref(object.json);
    return NULL;
}

/* What was compared, and what was found. */
static json_t *make_comparison(const spk_compare_report *c, bool *failed)
{
    builder object = {.json = json_object()};
    object.failed = object.json == NULL;
    set_text(&object, "method", "permutation of trials");
    set(&object, "a", make_condition(c, 0));
    set(&object, "b", make_condition(c, 1));
    set_number(&object, "permutations", c->summary.n_permutations);
    set(&object, "all_permutations", json_boolean(c->summary.all));
    set_number(&object, "seed", c->seed);
    set(&object, "alpha", json_real(c->alpha));
    set(&object, "smallest_p", json_real(c->summary.smallest_p));
    if (isfinite(c->summary.critical_z))
        set(&object, "critical_z", json_real(c->summary.critical_z));
    set_number(&object, "results", c->summary.n_tested);
    set_number(&object, "results_significant", c->n_significant);
    *failed |= object.failed;
    return object.json;
}

static void make_provenance(const spk_recording *recording, const report_tests *tests,
                            const spk_provenance *p, builder *object)
{
    *object = (builder){.json = json_object()};
    object->failed = object->json == NULL;
    set_text(object, "version", spk_version());
    set_text(object, "command", p->command);
    set_text(object, "input", p->input);
    set_text(object, "input_sha256", p->input_sha256);
    if (recording != NULL) {
        set_text(object, "input_sha256", spk_recording_get_facts(recording)->sha256);
        set_text(object, "input_clock", spk_recording_get_facts(recording)->clock);
        set(object, "events", json_integer((json_int_t)spk_recording_whole_events(recording)));
    }
    set_text(object, "engine", p->engine);
    set_text(object, "engine_choice", p->choice);
    set_text(object, "two_pass", p->two_pass);
    if (p->support > 0)
        set(object, "threshold", json_integer((json_int_t)p->support));
    set_text(object, "threshold_choice", p->support_choice);
    set(object, "threads", json_integer(p->threads));
    if (p->gpus > 0)
        set(object, "gpus", json_integer(p->gpus));
    set_text(object, "gpu", p->gpu);
    set(object, "seconds", json_real(p->seconds));
    if (p->n_levels > 0)
        set(object, "levels", make_levels(p));
    if (p->n_meters > 0)
        set(object, "energy", make_energy(p));
    if (tests->signatures != NULL) {
        json_t *json = make_test(tests->signatures, &object->failed);
        set(object, "test", json);
    }
    if (tests->exact != NULL) {
        json_t *json = make_exact(tests->exact, &object->failed);
        set(object, "test", json);
    }
    if (tests->comparison != NULL) {
        json_t *json = make_comparison(tests->comparison, &object->failed);
        set(object, "comparison", json);
    }
}

/* Whether a text can be read back: where memory is out jansson may leave a key empty. */
static bool is_json(const char *text)
{
    json_t *read = json_loads(text, 0, NULL);
    json_decref(read);
    return read != NULL;
}

char *report_provenance_json(const spk_recording *recording, const report_tests *tests,
                             const spk_provenance *provenance)
{
    builder object;
    make_provenance(recording, tests, provenance, &object);
    char *text =
        object.failed ? NULL : json_dumps(object.json, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    json_decref(object.json);
    if (text != NULL && !is_json(text)) {
        free(text);
        text = NULL;
    }
    return text;
}
