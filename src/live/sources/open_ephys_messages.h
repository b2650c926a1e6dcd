/*
 * Messages of the plugin ZMQ Interface of Open Ephys: an envelope ("DATA" or "EVENT"), a header in
 * JSON, and bytes that nobody here reads. Spikes are events of the type "spike"; the sample rate
 * stands in DATA messages. Messages are numbered, so that a gap tells of lost ones where all were
 * subscribed to.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "live/sources/collector.h"

typedef struct spk_open_ephys_messages {
    const char *select; /* name of the stream; NULL: the first one with a spike */
    char stream[128];   /* that one, with `followed` */
    bool followed;      /* some spike told it */
    bool numbered;      /* all messages are subscribed to */
    bool any;
    long long number; /* of the newest message */
    bool revived;     /* that the connection is a new one was counted */
    bool told_other;  /* a note told that another stream spikes, too */
} spk_open_ephys_messages;

/* Takes a message by its first two frames. False: what was gathered must be handed over first; come
 * again with the same message. *status: SPK_ERR_FORMAT (the sample rate changed), SPK_ERR_MEMORY.
 */
bool spk_open_ephys_take(spk_open_ephys_messages *messages, spk_collector *collector,
                         const char *envelope, size_t n_envelope, const char *header,
                         size_t n_header, spk_status *status);

/* ---- JSON that is read in one pass ----------------------------------------------------------- */

/*
 * A look into JSON that comes from outside: one pass over the bytes, no tree, no allocation. It
 * tells the values of the paths that were asked for, and whether the whole text is JSON.
 */

/* A value that was found: the bytes of a number or of true, false and null; those between the
 * quotes of a string, with its escapes; NULL where it was not found or is an object or array. */
typedef struct spk_json_value {
    const char *text;
    size_t length;
    bool quoted;
} spk_json_value;

/* Deepest nesting that is read. */
enum { SPK_JSON_DEPTH = 32 };

/* Looks for n paths such as "spike.sample_num" (keys of objects from the outermost one, separated
 * by points). False: [text, text + length) is no JSON object, or nested too deeply. */
bool spk_json_look(const char *text, size_t length, size_t n, const char *const *paths,
                   spk_json_value *values);

/* Copies a string without its escapes, a number as it stands, always terminated; false: the value
 * is not there, longer than size - 1, or has an escape that is no character. */
bool spk_json_copy(const spk_json_value *value, char *out, size_t size);

/* A whole number; a fraction of zeros is one, too. */
bool spk_json_whole(const spk_json_value *value, long long *out);
