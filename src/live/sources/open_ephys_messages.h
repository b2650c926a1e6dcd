/*
 * Messages of the plugin ZMQ Interface of Open Ephys: an envelope ("DATA" or "EVENT"), a header in
 * JSON, and bytes that nobody here reads. Spikes are events of the type "spike"; the sample rate
 * stands in DATA messages. Messages are numbered, so that a gap tells of lost ones where all were
 * subscribed to.
 */
#ifndef SPK_LIVE_SOURCES_OPEN_EPHYS_MESSAGES_H
#define SPK_LIVE_SOURCES_OPEN_EPHYS_MESSAGES_H

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

#endif
