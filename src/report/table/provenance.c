/* Where a result comes from, as JSON. */
#include "report/table/table.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "spikemine/version.h"

/* An object or an array in the making. Where memory is out anything may be missing: it is never
 * written. */
typedef struct builder {
    json_t *json;
    bool failed;
} builder;

static builder begin(json_t *json)
{
    return (builder){json, json == NULL};
}

/* Takes the value over. */
static void set(builder *object, const char *key, json_t *value)
{
    object->failed |= json_object_set_new(object->json, key, value) != 0;
}

/* The same of what was made, which fails with it. */
static void set_made(builder *object, const char *key, builder made)
{
    object->failed |= made.failed;
    set(object, key, made.json);
}

static void add(builder *array, json_t *value)
{
    array->failed |= json_array_append_new(array->json, value) != 0;
}

/* Nothing for a text that JSON cannot hold. */
static void set_text(builder *object, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0' && spk_utf8_is_text(text, strlen(text)))
        set(object, key, json_string(text));
}

static builder make_levels(const spk_provenance *p)
{
    builder levels = begin(json_array());
    for (uint32_t k = 0; k < p->n_levels; k++) {
        const spk_episode_level *l = &p->levels[k];
        add(&levels, json_pack("{s:i,s:I,s:I,s:I,s:f}", "size", (int)l->size, "candidates",
                               (json_int_t)l->candidates, "eliminated", (json_int_t)l->eliminated,
                               "frequent", (json_int_t)l->frequent, "seconds", l->seconds));
    }
    return levels;
}

static builder make_energy(const spk_provenance *p)
{
    builder meters = begin(json_array());
    for (size_t k = 0; k < p->n_meters; k++) {
        const spk_energy_meter *m = &p->meters[k];
        add(&meters, m->readable
                         ? json_pack("{s:s,s:f}", "meter", m->name, "joules", m->joules)
                         : json_pack("{s:s,s:s}", "meter", m->name, "not_readable", m->why));
    }
    return meters;
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
static builder make_test(const spk_significance *t)
{
    builder object = begin(json_object());
    uint64_t tested = 0;
    uint64_t significant = 0;
    for (uint64_t k = 0; k < t->n_signatures; k++) {
        tested += t->signature[k].tested;
        significant += t->signature[k].significant;
    }
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
    return object;
}

static builder make_exact(const spk_exact_report *t)
{
    builder object = begin(json_object()), jitter = begin(json_array());
    for (size_t k = 0; k < t->n_jitter; k++) {
        char text[48];
        spk_duration_format(t->jitter[k], text, sizeof text);
        add(&jitter, json_string(text));
    }
    set_text(&object, "method", "exact");
    set_text(&object, "null", t->null != NULL ? t->null : "auto");
    set_made(&object, "jitter", jitter);
    if (t->history.digits >= 0)
        set_duration(&object, "history", t->history);
    set_number(&object, "seed", t->seed);
    set_number(&object, "surrogates", t->n_surrogates);
    set(&object, "alpha", json_real(t->alpha));
    set_number(&object, "results", t->n_tested);
    set_number(&object, "results_significant", t->n_significant);
    if (t->left_out != NULL && t->round == NULL)
        set_number(&object, "results_core", t->n_core);
    if (t->round != NULL)
        set_number(&object, "rounds", t->n_rounds);
    return object;
}

static builder make_condition(const spk_compare_report *c, int g)
{
    builder object = begin(json_object());
    set_text(&object, "label", c->label[g]);
    set_number(&object, "trials", c->summary.trials[g]);
    set(&object, "duration_s", json_real(c->summary.duration_s[g]));
    if (g == 1) {
        set_text(&object, "input", c->input_b);
        set_text(&object, "input_sha256", c->sha256_b);
    }
    return object;
}

/* What was compared, and what was found. */
static builder make_comparison(const spk_compare_report *c)
{
    builder object = begin(json_object());
    set_text(&object, "method", "permutation of trials");
    set_made(&object, "a", make_condition(c, 0));
    set_made(&object, "b", make_condition(c, 1));
    set_number(&object, "permutations", c->summary.n_permutations);
    set(&object, "all_permutations", json_boolean(c->summary.all));
    set_number(&object, "seed", c->seed);
    set(&object, "alpha", json_real(c->alpha));
    set(&object, "smallest_p", json_real(c->summary.smallest_p));
    if (isfinite(c->summary.critical_z))
        set(&object, "critical_z", json_real(c->summary.critical_z));
    set_number(&object, "results", c->summary.n_tested);
    set_number(&object, "results_significant", c->n_significant);
    return object;
}

static builder make_provenance(const spk_recording *recording, const report_tests *tests,
                               const spk_provenance *p)
{
    builder object = begin(json_object());
    set_text(&object, "version", spk_version());
    set_text(&object, "command", p->command);
    set_text(&object, "input", p->input);
    set_text(&object, "input_sha256", p->input_sha256);
    if (recording != NULL) {
        set_text(&object, "input_sha256", spk_recording_get_facts(recording)->sha256);
        set_text(&object, "input_clock", spk_recording_get_facts(recording)->clock);
        set_number(&object, "events", spk_recording_whole_events(recording));
    }
    set_text(&object, "engine", p->engine);
    set_text(&object, "engine_choice", p->choice);
    set_text(&object, "two_pass", p->two_pass);
    if (p->support > 0)
        set_number(&object, "threshold", p->support);
    set_text(&object, "threshold_choice", p->support_choice);
    set(&object, "threads", json_integer(p->threads));
    if (p->gpus > 0)
        set(&object, "gpus", json_integer(p->gpus));
    set_text(&object, "gpu", p->gpu);
    set(&object, "seconds", json_real(p->seconds));
    if (p->n_levels > 0)
        set_made(&object, "levels", make_levels(p));
    if (p->n_meters > 0)
        set_made(&object, "energy", make_energy(p));
    if (tests->signatures != NULL)
        set_made(&object, "test", make_test(tests->signatures));
    if (tests->exact != NULL)
        set_made(&object, "test", make_exact(tests->exact));
    if (tests->comparison != NULL)
        set_made(&object, "comparison", make_comparison(tests->comparison));
    return object;
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
    const builder object = make_provenance(recording, tests, provenance);
    char *text =
        object.failed ? NULL : json_dumps(object.json, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    json_decref(object.json);
    if (text != NULL && !is_json(text)) {
        free(text);
        text = NULL;
    }
    return text;
}
