/*
 * A live session: one source, and everything that is done with its spikes while they come in.
 *
 *     spk_live_session_options options;
 *     spk_live_session_options_init(&options, sizeof options);
 *     options.source = "open-ephys://rig:5556";
 *     options.episodes = "list.txt", options.emit = "stdout,tcp:7000";
 *     status = spk_live_session_create(context, &options, &session);
 *     for (bool ended = false; status == SPK_OK && !ended;)
 *         status = spk_live_session_step(session, 100, &ended);
 *     if (status == SPK_OK)
 *         status = spk_live_session_end(session);
 *     spk_live_session_free(session);
 *
 * The parts that a session ties together can be used by themselves, too: sinks (spk_live_emit), the
 * recorder (spk_live_recorder) and the histogram of latencies (spk_live_latency). live.h has the
 * stream and the watch, live_source.h the sources, partitions.h and live_page.h the rest.
 */
#ifndef SPIKEMINE_LIVE_SESSION_H
#define SPIKEMINE_LIVE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/live.h"
#include "spikemine/live_page.h"
#include "spikemine/live_source.h"
#include "spikemine/partitions.h"

SPK_BEGIN_C

/* ---- marks ------------------------------------------------------------------------------------
 */

/* A moment that somebody marked, on the page or elsewhere. */
typedef struct spk_live_mark {
    uint64_t segment; /* of the stream, from 0 */
    int64_t time;     /* ticks of the stream */
    const char *text; /* UTF-8 without control characters; "" where nothing was written */
    uint64_t trial;   /* that the segment is a part of, from 0 */
} spk_live_mark;

/* An episode that a reader of the page chose: from this place on it is followed, or no more. */
typedef struct spk_live_choice {
    bool begins;
    uint64_t item;    /* its number among episodes */
    const char *name; /* its text form */
    spk_live_place place;
} spk_live_choice;

/* ---- latencies ------------------------------------------------------------------------------- */

#define SPK_LIVE_LATENCY_BUCKETS 3776u

/* A histogram of times in nanoseconds. Buckets grow with the time, so that every quantile is right
 * within 1 %. Begins zeroed. Threads: one at a time. */
typedef struct spk_live_latency {
    uint64_t n;
    int64_t most; /* the largest one, exactly */
    uint64_t bucket[SPK_LIVE_LATENCY_BUCKETS];
} spk_live_latency;

/* Adds one time; what is below 0 counts as 0. */
SPK_API void spk_live_latency_add(spk_live_latency *latency, int64_t ns);

/* The smallest time that a share of at least q (0 .. 1) does not pass; 0 while there is none. */
SPK_API int64_t spk_live_latency_quantile(const spk_live_latency *latency, double q);

/* ---- sinks ----------------------------------------------------------------------------------- */

/* Where occurrences go the moment they are complete.
 *
 *     stdout                 one JSON object a line, on standard output
 *     tcp:PORT               the same lines to every client of this port on the loopback address
 *     tcp:ADDRESS:PORT       likewise on this address of the machine; [::1] for IPv6
 *     zmq:PORT               a ZeroMQ publisher: messages of two frames, the type and the object
 *     zmq:ADDRESS:PORT
 *     lsl, lsl:NAME          a stream of markers of the Lab Streaming Layer: names, and marks
 *     open-ephys:HOST[:PORT] an event in Open Ephys; PORT is that of its ZMQ Interface, 5556
 *
 * No sink waits for a slow client: what a client of tcp has not taken is kept up to `client_bytes`,
 * then the client is dropped and counted. Standard output waits, as every program does.
 * Threads: one at a time. */
typedef struct spk_live_emit spk_live_emit;

/* Initialise with spk_live_emit_options_init. */
typedef struct spk_live_emit_options {
    size_t struct_size;     /* set by spk_live_emit_options_init */
    uint64_t client_bytes;  /* most that is kept for one slow client; 4 MB by default */
    uint64_t most_episodes; /* in the line of a partition, the first ones; 0 (default): all */
} spk_live_emit_options;

/* The default above. */
SPK_API void spk_live_emit_options_init(spk_live_emit_options *options, size_t struct_size);

/* Opens the sinks of a list such as "stdout,tcp:7000"; NULL or "" for none. `context` must outlive
 * them. Errors: SPK_ERR_ARGUMENT (an address that is none, one sink twice), SPK_ERR_IO (a port that
 * is taken), SPK_ERR_UNAVAILABLE (a library is missing), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_live_emit_open(spk_context *context, const char *addresses,
                                                     const spk_live_emit_options *options,
                                                     spk_live_emit **out);

/* The stream whose labels and ticks the lines use; before the first occurrence. It must outlive the
 * last one. */
SPK_API void spk_live_emit_set_stream(spk_live_emit *emit, const spk_live_stream *stream);

/* A spk_live_occurrence_sink: sends the occurrence; `emit` is a spk_live_emit. The first one of a
 * burst leaves at once. Those that come within 50 us after it leave together, with the next one
 * that comes later or with spk_live_emit_flush. Errors: SPK_ERR_MEMORY, and those of
 * spk_live_emit_flush. */
SPK_API SPK_MUST_CHECK spk_status spk_live_emit_occurrence(void *emit,
                                                           const spk_live_occurrence *occurrence);

/* Sends the result of a partition, to the sinks that take lines. Errors: as those of
 * spk_live_emit_occurrence. */
SPK_API SPK_MUST_CHECK spk_status spk_live_emit_partition(spk_live_emit *emit,
                                                          const spk_partition_result *result);

/* Sends a mark: to the sinks that take lines, and to LSL as the marker "mark TIME TEXT" with TIME
 * in seconds of the stream, at the moment of this call. Open Ephys gets none, since its events have
 * no text and each of its lines belongs to an item. The stream must have been set. Errors: as those
 * of spk_live_emit_occurrence. */
SPK_API SPK_MUST_CHECK spk_status spk_live_emit_mark(spk_live_emit *emit,
                                                     const spk_live_mark *mark);

/* Sends a choice, to the sinks that take lines. Occurrences of an item whose choice was sent go to
 * all sinks but Open Ephys, whose lines belong to items of the list. Errors: as those of
 * spk_live_emit_occurrence. */
SPK_API SPK_MUST_CHECK spk_status spk_live_emit_choice(spk_live_emit *emit,
                                                       const spk_live_choice *choice);

/* Sends the counts of all items of a watch so far, and those within its window where it has one, to
 * the sinks that take lines. Occurrences that are held leave before it. Errors: as those of
 * spk_live_emit_occurrence. */
SPK_API SPK_MUST_CHECK spk_status spk_live_emit_counts(spk_live_emit *emit, spk_live_watch *watch);

/* Sends what is held, takes new clients and gives slow ones time; call it after each batch and
 * several times a second. Errors: SPK_ERR_PIPE (the reader of standard output has gone; the other
 * sinks go on), SPK_ERR_IO (standard output cannot be written). */
SPK_API SPK_MUST_CHECK spk_status spk_live_emit_flush(spk_live_emit *emit);

/* What has happened to the lines so far. */
typedef struct spk_live_emit_facts {
    uint64_t sinks;       /* that are open; standard output leaves when its reader does */
    uint64_t occurrences; /* that were sent */
    uint64_t clients;     /* of tcp that are there now */
    uint64_t served;      /* that ever came */
    uint64_t dropped;     /* of them, because they were slow */
    uint64_t unsent;      /* messages of zmq, lsl and open-ephys that found no place */
} spk_live_emit_facts;
SPK_API spk_live_emit_facts spk_live_emit_get_facts(const spk_live_emit *emit);

/* Times from the arrival of the spike that completed an occurrence until its line was written to
 * all sinks; owned by the sinks. NULL for NULL. */
SPK_API const spk_live_latency *spk_live_emit_latency(const spk_live_emit *emit);

/* Sends what is held and gives slow clients at most a second to take it; what they have not taken
 * then is counted as not sent. spk_live_emit_get_facts is final after it. Errors: as those of
 * spk_live_emit_flush. */
SPK_API SPK_MUST_CHECK spk_status spk_live_emit_drain(spk_live_emit *emit);

/* Drains, closes and frees; NULL is accepted. */
SPK_API void spk_live_emit_free(spk_live_emit *emit);

/* ---- recorder -------------------------------------------------------------------------------- */

/* Keeps every spike that a stream accepts, in a text file that spk_recording_read reads with the
 * same times, units, segments and trials. The file grows as PATH.part and gets its name at the end,
 * so that a crash loses nothing that was flushed. Late spikes are comments in it.
 *
 * Segments of a stream may overlap, as when a clock begins anew. A segment that would begin before
 * the end of the one before it is written later by a whole number of seconds; a note and a comment
 * say so. Threads: one at a time. */
typedef struct spk_live_recorder spk_live_recorder;

/* Begins PATH.part. `context` and `stream` must outlive the recorder, which adds itself to the
 * stream's sinks. Where the name ends in .gz, .bz2, .xz or .zst, the finished file is compressed.
 * Errors: SPK_ERR_ARGUMENT (the ending of a format that is no text), SPK_ERR_IO (also when
 * PATH.part exists), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_live_recorder_open(spk_context *context,
                                                         spk_live_stream *stream, const char *path,
                                                         spk_live_recorder **out);

/* Hands what was collected to the system; call it several times a second. Errors: SPK_ERR_IO. */
SPK_API SPK_MUST_CHECK spk_status spk_live_recorder_flush(spk_live_recorder *recorder);

/* Keeps a mark as the comment "# mark TIME TEXT", which readers pass over, behind the spikes that
 * came before it. TIME is as in the file's first column. Errors: SPK_ERR_ARGUMENT (a text that is
 * no UTF-8 or has control characters). A disk that is full is told by spk_live_recorder_flush. */
SPK_API SPK_MUST_CHECK spk_status spk_live_recorder_mark(spk_live_recorder *recorder,
                                                         const spk_live_mark *mark);

/* Ends the file, gives it its name and frees the recorder, whatever happens; after a failure
 * PATH.part stays. NULL is accepted. Errors: SPK_ERR_IO, SPK_ERR_FORMAT (a label that text cannot
 * hold), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_live_recorder_commit(spk_live_recorder *recorder);

/* Frees the recorder; PATH.part stays. NULL is accepted. */
SPK_API void spk_live_recorder_free(spk_live_recorder *recorder);

/* ---- the session ----------------------------------------------------------------------------- */

/* A source, its stream, and what was asked for: a watch, partitions, sinks, a page, a recorder. It
 * has no thread of its own beyond that of partitions (when their options ask for a worker) and that
 * of the page. Threads: one at a time. */
typedef struct spk_live_session spk_live_session;

/* Receives the results of partitions; a status other than SPK_OK ends the session. */
typedef spk_status spk_partition_sink(void *user, const spk_partition_result *result);

/* Receives marks; a status other than SPK_OK ends the session. */
typedef spk_status spk_live_mark_sink(void *user, const spk_live_mark *mark);

/* Receives choices; a status other than SPK_OK ends the session. */
typedef spk_status spk_live_choice_sink(void *user, const spk_live_choice *choice);

/* What a session does. Initialise with spk_live_session_options_init; everything is borrowed as
 * long as the session lives. */
typedef struct spk_live_session_options {
    size_t struct_size;                            /* set by spk_live_session_options_init */
    const char *source;                            /* an address (live_source.h); no default */
    const spk_live_source_options *source_options; /* NULL: the defaults */
    spk_duration tolerance;                        /* of the stream; 0 */
    const char *episodes;                          /* file of episodes to watch; NULL: none */
    const char *patterns;                          /* file of patterns to watch; NULL: none */
    spk_duration bin;                              /* of patterns; no default where there are any */
    uint32_t window;     /* of patterns, in bins; 0: the least that holds them */
    spk_duration recent; /* counts of so much time until now, too; 0: none */
    const char *emit;    /* list of sinks (spk_live_emit_open); NULL: none */
    const spk_live_emit_options *emit_options; /* NULL: the defaults */
    /* NULL: nothing is mined. A length of 0: 60 s, and a fifth of a replay that is shorter than
     * five of them; a step of 0: a twelfth of the length, and with a test all of it */
    const spk_partitions_options *partitions;
    const spk_live_page_options *page; /* NULL: there is no page */
    const char *record;                /* file that the spikes are kept in; NULL: none */
    const char *state; /* file of the watch's state: continued where it exists, saved every ten
                          seconds and at the end; NULL: none */
    double seconds;    /* after which the session ends; 0: when the source ends */
    double counts_s;   /* between two lines of counts of the watch; 0: at the end only */
    spk_partition_sink *partition;        /* called for each result; NULL: nobody */
    spk_live_occurrence_sink *occurrence; /* called for each occurrence; NULL: nobody */
    void *user;                           /* of all sinks here */
    bool stay; /* goes on when the source has ended, for those who look at the page, until `seconds`
                  have passed or somebody cancels; without a page it changes nothing; false */
    spk_live_mark_sink *mark;     /* called for each mark of the page; NULL: nobody */
    spk_live_choice_sink *choice; /* called for each choice on the page; NULL: nobody */
} spk_live_session_options;

/* The defaults named above. */
SPK_API void spk_live_session_options_init(spk_live_session_options *options, size_t struct_size);

/* Opens the source and the sinks, and reads the lists. The rest begins when the source tells its
 * rate. `context` must outlive the session; notes of it tell what a user should know. Errors:
 * SPK_ERR_ARGUMENT (options), and those of what is opened. */
SPK_API SPK_MUST_CHECK spk_status spk_live_session_create(spk_context *context,
                                                          const spk_live_session_options *options,
                                                          spk_live_session **out);

/* Waits at most timeout_ms for spikes, and does everything that is due. *ended is true when nothing
 * will follow; then comes spk_live_session_end. Errors: those of the source, of the stream and of
 * the sinks; SPK_ERR_CANCELLED; SPK_ERR_PIPE (the reader of standard output has gone, and nothing
 * else was asked for). spk_live_session_end makes sense after an error, too. */
SPK_API SPK_MUST_CHECK spk_status spk_live_session_step(spk_live_session *session, int timeout_ms,
                                                        bool *ended);

/* Ends the stream: held spikes go out, partitions that are due are mined, the recording gets its
 * name, the state is saved. A second call does nothing. After a cancel, which must be cleared
 * first, it does the same within a second: partitions that are not mined by then are skipped.
 * Returns the first error. */
SPK_API SPK_MUST_CHECK spk_status spk_live_session_end(spk_live_session *session);

/* Frees it; NULL is accepted. What was not ended keeps its recording as PATH.part. */
SPK_API void spk_live_session_free(spk_live_session *session);

/* Where a session stands. Filled in by the library. */
typedef struct spk_live_session_facts {
    bool begun; /* the source has told its rate */
    double seconds;
    spk_live_counts counts;
    spk_live_source_facts source;
    spk_live_emit_facts emit;
    spk_partition_totals partitions;
    double spikes_per_s; /* accepted in the last second; of a replay a second of the recording */
    uint32_t n_units;
    uint64_t n_episodes; /* watched */
    uint64_t n_patterns;
    uint64_t occurrences;
    double latency_ms[3]; /* p50, p99, p99.9 from arrival to event out; 0 while there is none */
    double latency_most_ms;
    const char *page_url; /* NULL: there is no page; owned by the session */
    /* Of a session that stays: the source has ended, and everything of it was handed on. */
    bool ended;
    spk_live_page_facts page; /* zeros without a page */
    char skipped_why[256];    /* why the last partition was skipped; "": none was */
    uint64_t tests_due; /* partitions mined or skipped so far, but for a rest that the end cut short
                           and that has nothing to test; 0 where no test was asked for */
    char untested[256]; /* why some were not tested, and what to change; "": all were */
} spk_live_session_facts;
SPK_API void spk_live_session_get_facts(const spk_live_session *session,
                                        spk_live_session_facts *out);

/* Its stream and its watch, for labels, names and counts; owned by the session. NULL before the
 * source has told its rate, and the watch where nothing is watched and no page offers choices. */
SPK_API const spk_live_stream *spk_live_session_stream(const spk_live_session *session);
SPK_API spk_live_watch *spk_live_session_watch(spk_live_session *session);

SPK_END_C

#endif
