/*
 * A source from inside, and what a kind of source is: one const table in a file of its own. A
 * further kind is one file and one line in kinds.c.
 */
#pragma once

#include "live/sources/collector.h"
#include "spikemine/live_source.h"

/* What open needs. The options were checked for sense by themselves and live as long as the source.
 */
typedef struct spk_live_kind {
    const char *name;
    const char *scheme;  /* with which its addresses begin, "tcp://"; "": a name of a file */
    const char *address; /* as users write it */
    const char *summary;
    bool (*available)(const char **reason); /* NULL: always */
    /* Sets source->own; `rest` is the address behind the scheme. After a failure close is called.
     */
    spk_status (*open)(spk_context *context, spk_live_source *source, const char *rest);
    /* Fills the collector, waiting at most until `until_ns` of spk_now_ns for the first thing.
     */
    spk_status (*poll)(spk_context *context, spk_live_source *source, int64_t until_ns);
    void (*close)(spk_live_source *source); /* own may be NULL */
    /* Each may be NULL. */
    int (*fd)(const spk_live_source *source);
    void (*state)(const spk_live_source *source, spk_live_source_facts *facts);
    void (*set_speed)(spk_live_source *source, double speed);
    void (*pause)(spk_live_source *source, bool pause);
} spk_live_kind;

struct spk_live_source {
    const spk_live_kind *kind;
    void *own; /* of the kind */
    char *address;
    char *select; /* as options.select */
    spk_live_source_options options;
    spk_collector collector;
};

/* Kind k, NULL behind the last one. */
const spk_live_kind *spk_live_kind_at(size_t k);
