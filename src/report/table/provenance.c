/* Where a result comes from, as JSON. */
#include "report/table/provenance.h"

#include <jansson.h>

#include "spikemine/version.h"

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0')
        json_object_set_new(object, key, json_string(text));
}

static json_t *make_levels(const spk_provenance *p)
{
    json_t *levels = json_array();
    for (uint32_t k = 0; k < p->n_levels; k++) {
        const spk_episode_level *l = &p->levels[k];
        json_array_append_new(levels, json_pack("{s:i,s:I,s:I,s:I,s:f}", "size", (int)l->size,
                                                "candidates", (json_int_t)l->candidates,
                                                "eliminated", (json_int_t)l->eliminated, "frequent",
                                                (json_int_t)l->frequent, "seconds", l->seconds));
    }
    return levels;
}

static json_t *make_provenance(const spk_recording *recording, const spk_provenance *p)
{
    json_t *object = json_object();
    set_text(object, "version", spk_version());
    set_text(object, "command", p->command);
    set_text(object, "input", p->input);
    set_text(object, "input_sha256", p->input_sha256);
    if (recording != NULL) {
        set_text(object, "input_sha256", spk_recording_get_facts(recording)->sha256);
        json_object_set_new(object, "events",
                            json_integer((json_int_t)spk_recording_events(recording).n_events));
    }
    set_text(object, "engine", p->engine);
    set_text(object, "engine_choice", p->choice);
    set_text(object, "two_pass", p->two_pass);
    if (p->threshold > 0)
        json_object_set_new(object, "threshold", json_integer((json_int_t)p->threshold));
    json_object_set_new(object, "threads", json_integer(p->threads));
    if (p->gpus > 0)
        json_object_set_new(object, "gpus", json_integer(p->gpus));
    set_text(object, "gpu", p->gpu);
    json_object_set_new(object, "seconds", json_real(p->seconds));
    if (p->n_levels > 0)
        json_object_set_new(object, "levels", make_levels(p));
    return object;
}

char *spk_provenance_json(const spk_recording *recording, const spk_provenance *provenance)
{
    json_t *object = make_provenance(recording, provenance);
    char *text = object != NULL ? json_dumps(object, JSON_INDENT(1)) : NULL;
    json_decref(object);
    return text;
}
