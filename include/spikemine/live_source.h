/*
 * Live sources: where spikes come from while the recording runs. A source is opened by its address
 * and polled; it has no thread of its own.
 *
 *     spk_live_source_options options;
 *     spk_live_source_options_init(&options, sizeof options);
 *     status = spk_live_source_open(context, "tcp://192.168.1.5:4000", &options, &source);
 *     while (status == SPK_OK && !arrivals.ended) {
 *         status = spk_live_source_poll(context, source, 100, &arrivals);
 *         for (uint64_t i = 0; i < arrivals.n; i++)
 *             use(arrivals.time[i], spk_live_source_label(source, arrivals.unit[i]));
 *     }
 *     spk_live_source_free(source);
 *
 * Addresses:
 *
 *     -                          lines of text from standard input
 *     tcp://HOST:PORT            lines of text from a server
 *     tcp-listen://ADDRESS:PORT  lines of text from whoever connects; ADDRESS may be left out
 *     unix:PATH                  lines of text from a UNIX socket
 *     unix-listen:PATH           lines of text from whoever connects to one
 *     open-ephys://HOST[:5556]   the plugin ZMQ Interface of Open Ephys
 *     intan://HOST[:5002]        Intan RHX; its commands go to port 5000
 *     lsl:NAME                   a stream of the Lab Streaming Layer
 *     FILE or FOLDER             a recording of any format, replayed as if it were live
 *
 * Lines of text are those of text recordings (recording.h): two columns, time and unit, with the
 * same separators, quotes, comments and header. Where neither the options nor a header tell which
 * column is the time, the first lines do: a field that is no number is a unit, one with a decimal
 * point is a time. Lines that do not tell are held back, 400 of them or for a second. The comment
 * "# spikemine segment START STOP" begins a segment; several at once are segments that follow each
 * other, as in a file, with the numbers of trials that a file has. A file lists a spike once where
 * its segments overlap; such a spike counts in the first of them only.
 *
 * Units. Open Ephys: "SOURCE_NODE/ELECTRODE/SORTED_ID". Intan: "A-010/1" for spikes with the id 1,
 * "A-010" where they are not classified; artefacts are no spikes. LSL: the label in the stream's
 * description, else the number; of markers, their text.
 *
 * Connections that break are made again, after 0.1 s, then twice as long each time up to 10 s, by
 * a random part less. What had come of an incomplete line or record is dropped and counted. Where
 * times then begin again, more than a second before the newest one, a new segment begins.
 */
#ifndef SPIKEMINE_LIVE_SOURCE_H
#define SPIKEMINE_LIVE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* Most bytes of a unit's label. A spike with a longer one is garbage. */
#define SPK_LIVE_MAX_LABEL 65536u

/* Threads: one at a time. */
typedef struct spk_live_source spk_live_source;

/* How to open a source. Initialise with spk_live_source_options_init. */
typedef struct spk_live_source_options {
    size_t struct_size;           /* set by spk_live_source_options_init */
    spk_rate sample_rate;         /* of the samples that a rig counts; {0, 0}: the source tells */
    spk_rate tick;                /* ticks a second of text and LSL; 1e9. Finer digits are cut */
    double speed;                 /* of a replay; 1: real time, 0: as fast as possible */
    const spk_read_options *read; /* of a replay: all. Of lines of text: columns, time_unit,
                                   * sample_rate, samples_per_second. NULL: the defaults */
    bool reconnect;               /* after a connection broke, or was not made; true */
    double reconnect_s;           /* gives up after so long without a connection; 0: never */
    double connect_timeout_s;     /* of one attempt; 5 */
    const char *select; /* Open Ephys: name of the stream. Intan: channels and ports, separated by
                         * commas: "A,B-003". NULL: the first stream that spikes, all channels */
    bool events_only;   /* Open Ephys: no continuous data over the network. Needs the sample rate,
                         * and lost messages are not seen */
    uint32_t max_units; /* spikes of further labels are garbage; SPK_MAX_UNITS */
    uint16_t control_port;          /* Intan: of RHX's commands; 5000 */
    const spk_recording *recording; /* replayed in place of the file, which only names it then; must
                                     * outlive the source. NULL: the file is read */
} spk_live_source_options;

/* The defaults named above. */
SPK_API void spk_live_source_options_init(spk_live_source_options *options, size_t struct_size);

/* Opens a source; everything of the options is copied. With `reconnect` a server that is not there
 * yet is waited for by spk_live_source_poll. Errors: SPK_ERR_ARGUMENT (an address of no known kind,
 * options that do not go together), SPK_ERR_UNAVAILABLE (the library of the kind is not here),
 * SPK_ERR_IO (no port to listen at), SPK_ERR_MEMORY, and those of spk_recording_read. */
SPK_API SPK_MUST_CHECK spk_status spk_live_source_open(spk_context *context, const char *address,
                                                       const spk_live_source_options *options,
                                                       spk_live_source **out);

/* What came in since the last call. Pointers are the source's, valid until its next call. */
typedef struct spk_live_arrivals {
    uint64_t n;
    const int64_t *time;       /* ticks, in the order of arrival */
    const uint32_t *unit;      /* the source's own numbers, in order of first appearance */
    const int64_t *arrival_ns; /* CLOCK_MONOTONIC at which the bytes of each spike came in */
    bool border;               /* a segment begins before these spikes; no call spans two */
    bool has_start, has_stop;  /* with `border`: its exact bounds are known */
    spk_duration start, stop;
    uint64_t lost;            /* messages or spikes found missing before these */
    bool ended;               /* nothing will follow */
    uint64_t trial, n_trials; /* with `border`: of which trial, from 0, the segment is a part, and
                               * how many there are; 0 trials where the source does not tell */
} spk_live_arrivals;

/* Waits at most timeout_ms (below 0: without limit) and returns at once when something is there.
 * Nothing may have come (all zero) also before that. Spikes are held back until
 * spk_live_source_rate is known: some ten thousand, the rest counts as lost, and all of them where
 * the source ends before. Memory stays bounded
 * whatever the sender does. Errors: SPK_ERR_IO (no connection, or one that broke with an error,
 * where it is not to be made again or options.reconnect_s has passed), SPK_ERR_FORMAT (a header
 * that contradicts the options, a sample rate that changed), SPK_ERR_CANCELLED, SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_live_source_poll(spk_context *context,
                                                       spk_live_source *source, int timeout_ms,
                                                       spk_live_arrivals *out);

/* Ticks a second; {0, 0} until they are known. They never change afterwards. */
SPK_API spk_rate spk_live_source_rate(const spk_live_source *source);

/* Label of a unit, owned by the source, valid until its next call; NULL where there is none. */
SPK_API const char *spk_live_source_label(const spk_live_source *source, uint32_t unit);
SPK_API uint32_t spk_live_source_n_units(const spk_live_source *source);

/* A source in numbers, readable at any time. Filled in by the library.
 *
 * Whatever came in is in one counter: messages = spikes + held + unrated + garbage + outside +
 * other. Of Intan, where garbage is bytes between records, bytes = 14 messages + garbage + those of
 * the record under way, and messages = spikes + held + other. A replay counts spikes alone. */
typedef struct spk_live_source_facts {
    const char *kind;    /* "tcp"; static */
    char state[96];      /* "connected to HOST:5556", "waiting for HOST:5556 (try 4)" */
    uint64_t bytes;      /* that came in */
    uint64_t messages;   /* lines, records, messages */
    uint64_t spikes;     /* handed over */
    uint64_t garbage;    /* damaged lines and messages; of Intan bytes that are no record */
    uint64_t gaps;       /* places where something is missing */
    uint64_t lost;       /* messages or spikes that are missing there */
    uint64_t reconnects; /* connections made again */
    uint64_t wraps;      /* of a counter of samples */
    uint64_t restarts;   /* of the clock: each began a segment */
    uint64_t cut_digits; /* times with digits finer than a tick */
    uint64_t outside;    /* spikes outside all segments, dropped */
    uint64_t other;    /* messages that are no spikes of units: artefacts, other streams, comments,
                        * sample rates */
    double speed;      /* of a replay: speed; 0: as fast as possible */
    double position_s; /* and place in the observed time of the recording */
    double duration_s;
    char example[160]; /* the first garbage, and why; "" where there was none */
    bool replay;       /* speed and pause can be set */
    bool paused;
    uint64_t held;    /* spikes that came and are not handed over: they wait for the sample rate */
    uint64_t unrated; /* spikes that came without a sample rate and found no room, or none came at
                       * all; they are in `lost`, too */
} spk_live_source_facts;
SPK_API void spk_live_source_get_facts(const spk_live_source *source, spk_live_source_facts *out);

/* A descriptor for poll(2), readable when spk_live_source_poll has something to do. Call that until
 * nothing comes before you wait for the descriptor, and after at most a second. It changes with
 * each connection: ask again after each call. -1: there is none now; poll at least ten times a
 * second.
 */
SPK_API int spk_live_source_fd(const spk_live_source *source);

/* Replay: sets the speed (as options.speed), and stops and goes on; other sources ignore it. The
 * position does not jump. */
SPK_API void spk_live_source_set_speed(spk_live_source *source, double speed);
SPK_API void spk_live_source_pause(spk_live_source *source, bool pause);

/* Closes and frees; NULL is accepted. */
SPK_API void spk_live_source_free(spk_live_source *source);

/* ---- kinds ----------------------------------------------------------------------------------- */

/* A kind of source. Texts but `reason` are static. */
typedef struct spk_live_source_kind {
    const char *name;
    const char *address; /* "tcp://HOST:PORT" */
    const char *summary; /* one line */
    bool available;
    char reason[200]; /* why it is not available and what to install, "" when it is */
} spk_live_source_kind;

/* Number of kinds, and kind k of them. Errors: SPK_ERR_ARGUMENT. */
SPK_API size_t spk_live_source_kind_count(void);
SPK_API SPK_MUST_CHECK spk_status spk_live_source_describe(spk_context *context, size_t k,
                                                           spk_live_source_kind *out);

SPK_END_C

#endif
