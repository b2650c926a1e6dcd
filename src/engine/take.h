/*
 * Which engine a job gets, and on how many GPUs: the rules that hold for every language. What
 * "auto" takes is the language's own policy (episode/engine/policy.c, pattern/engine/policy.c).
 */
#ifndef SPK_ENGINE_TAKE_H
#define SPK_ENGINE_TAKE_H

#include "engine/facts.h"

/* The GPUs of a machine, as far as a choice depends on them. */
typedef struct spk_gpus_found {
    int n;            /* that can be used */
    char reason[160]; /* why there are none; "" where there are */
} spk_gpus_found;

/* Looks for them. A choice looks only when it needs to: the first look at the driver takes time. */
typedef void spk_gpus_look(spk_gpus_found *out);
void spk_gpus_look_here(spk_gpus_found *out);

/* What a caller asks for. */
typedef struct spk_engine_request {
    const char *engine; /* a name; NULL and "auto": the policy's */
    int gpus;           /* as in the options: 0, a number, or SPK_GPUS_ALL */
    spk_gpus_look *look;
    int n_ranks; /* processes that share the job; 0 and 1: this one alone */
} spk_engine_request;

typedef struct spk_engine_choice {
    const spk_engine_facts *engine;
    int gpus;           /* on how many; 0 for an engine on processors */
    const char *reason; /* why auto took it, static text; "" when the caller named it */
} spk_engine_choice;

/* True when the request leaves the engine to the policy. */
bool spk_engine_is_auto(const spk_engine_request *request);

/* Takes the engine `name`, which the caller or the policy named, if the request's GPUs go with it.
 * Errors as include/spikemine/engine.h has them. */
spk_status spk_engine_take(spk_context *context, spk_language language,
                           const spk_engine_request *request, const char *name, const char *reason,
                           spk_engine_choice *out);

#endif
