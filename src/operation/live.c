/* Options of what happens while a recording runs. */
#include "operation/options.h"
#include "spikemine/partitions.h"
#include "spikemine/pattern.h"

/* What is mined, stretch by stretch. */
const spk_option spk_options_mining_live[] = {
    OPTION(TEXT, "support", "N|P%",
           "smallest count of a frequent episode in a partition: a number, or a share of the "
           "partition's spikes such as 0.2%, rounded up",
           .letter = 's', COMMAND),
    TIME("partition", NULL,
         "length of a stretch that is mined; without it 60s, and a fifth of a replay that is "
         "shorter than five of them",
         PYTHON()),
    TIME("step", NULL,
         "time from the start of one partition to that of the next; they overlap where it is "
         "shorter than a partition. Without it a twelfth of --partition; with --test exact all of "
         "it, since a test takes time",
         PYTHON(.fallback = "5s")),
    OPTION(COUNT, "top", "N|all",
           "list N episodes of each partition; without it a table lists 10, and lines of JSON have "
           "all",
           .minimum = 1, .maximum = 1e15, COMMAND),
    FLAG("keep-up",
         "when mining falls behind, double the support rather than skip partitions; every result "
         "tells its support",
         PYTHON()),
    WHOLE("backlog", "4", 1, SPK_PARTITIONS_MAX_BACKLOG,
          "number of partitions that may wait for mining; beyond them the oldest is skipped and "
          "counted",
          PYTHON()),
    END,
};

const spk_option spk_options_testing_live[] = {
    CHOICE("test", "none|exact", "none",
           "exact: p-values and expected counts in each partition, where time allows; a partition "
           "that was not tested says why",
           PYTHON()),
    TIME("jitter", "25ms",
         "length of the windows within which chance may move spikes, as --null says", PYTHON()),
    NULL_HYPOTHESIS("with --test exact: "),
    WHOLE("surrogates", "199", 1, 1e9,
          "number of surrogates of the test; the smallest p-value is 1/(N+1)", PYTHON()),
    ALPHA("largest p-value of a significant episode"),
    SEED("seed of the surrogates"),
    END,
};

const spk_option spk_options_computing_live[] = {
    OPTION(EPISODE_ENGINE, "engine", "NAME",
           "all engines give the same counts; auto takes the fastest one for each partition",
           .fallback = "auto", COMMAND),
    OPTION(COUNT, "gpus", "N|all",
           "number of GPUs that are used; --engine auto then takes the fastest engine for GPUs",
           .gpu = true, .minimum = 1, .maximum = 1024, COMMAND),
    END,
};

/* ---- live and watch -------------------------------------------------------------------------- */

const spk_option spk_options_watching[] = {
    OPTION(TEXT, "episodes", "FILE",
           "episodes to watch, one on each line, or a table that spikemine episodes wrote",
           .letter = 'e', COMMAND),
    OPTION(TEXT, "patterns", "FILE",
           "SPADE patterns to watch, as 12@0 40@3 on each line, or a table that spikemine patterns "
           "wrote; needs --bin",
           COMMAND),
    TIME("bin", NULL, "width of a bin of patterns, that with which they were found, e.g. 5ms",
         COMMAND),
    OPTION(INTEGER, "window", "BINS",
           "length of the window in bins; without it the least that holds the patterns",
           .minimum = 1, .maximum = SPK_MAX_WINDOW_BINS, COMMAND),
    TIME("recent", NULL,
         "count within so much time until now, too, e.g. 60s; the lines of counts have it",
         COMMAND),
    REAL("counts", "SECONDS", NULL, 0.1, 1e9,
         "send the counts of all items so often, as a line; without it at the end only", COMMAND),
    OPTION(TEXT, "state", "FILE",
           "keep counts and partial occurrences in this file, saved every ten seconds and at the "
           "end; where it exists, a run goes on from there",
           COMMAND),
    END,
};

/* Where spikes come from. */
const spk_option spk_options_sources[] = {
    TIME("tolerance", "0",
         "how much older than the newest spike one may be, e.g. 5ms; it is then put in order. "
         "Spikes wait as long for others, which adds to the latency. Later ones are dropped and "
         "counted",
         COMMAND),
    OPTION(TEXT, "sample-rate", "RATE",
           "samples a second of a rig that counts them, e.g. 30000; without it the source tells",
           COMMAND),
    TIME("tick", "1ns",
         "resolution of times that come as text or through LSL; finer digits are cut and counted",
         COMMAND),
    OPTION(
        TEXT, "speed", "X|max",
        "replay of a recording: times as fast as it was, e.g. 10 or 0.5; max: as fast as possible",
        .fallback = "1", COMMAND),
    REAL(
        "seconds", "N", NULL, 0.001, 1e9,
        "end after this number of seconds; without it the end of the source or Ctrl-C ends the run",
        COMMAND),
    OPTION(TEXT, "stream", "NAME",
           "which part of a rig: the name of a stream of Open Ephys, or channels and ports of "
           "Intan, as A,B-003",
           COMMAND),
    FLAG("no-reconnect",
         "end where a connection breaks or cannot be made; else it is made again, after 0.1 s, "
         "then after longer and longer waits up to 10 s",
         COMMAND),
    FLAG("events-only",
         "Open Ephys: take spikes and no continuous data over the network. It needs --sample-rate, "
         "and lost messages are not seen",
         COMMAND),
    OPTION(INTEGER, "control-port", "PORT", "Intan: port of RHX's commands", .fallback = "5000",
           .minimum = 1, .maximum = 65535, COMMAND),
    REAL("give-up", "SECONDS", NULL, 0.1, 1e9,
         "end after so long without a connection; without it the wait has no end", COMMAND),
    END,
};

/* Where occurrences and pages go. */
const spk_option spk_options_emitting[] = {
    OPTION(
        TEXT, "emit", "LIST",
        "where events go, separated by commas: stdout, tcp:PORT, tcp:ADDRESS:PORT, zmq:PORT, lsl, "
        "lsl:NAME, open-ephys:HOST, or none; docs/reference/live-output.md says what arrives there",
        .fallback = "stdout", COMMAND),
    CHOICE("format", "auto|json|table", "auto",
           "form of standard output: one JSON object a line, or a table to read; auto takes the "
           "table on a terminal",
           COMMAND),
    OPTION(BYTES, "client-buffer", "SIZE",
           "what is kept for a slow client of tcp; a client beyond it is dropped", .fallback = "4M",
           COMMAND),
    OPTION(TEXT, "record", "FILE",
           "keep every spike in this text file. It grows as FILE.part, which a crash leaves, and "
           "gets its name at the end, " COMPRESSION,
           COMMAND),
    OPTION(COUNT, "page", "PORT|any",
           "serve a page to watch, on this port of the loopback address; a note tells the address "
           "for the browser",
           .minimum = 1, .maximum = 65535, COMMAND),
    OPTION(TEXT, "page-address", "ADDRESS",
           "let other machines watch, through this address of the machine; 0.0.0.0 is all of them. "
           "The token in the page's address is needed still, but the connection is not encrypted",
           COMMAND),
    OPTION(TEXT, "page-token-file", "FILE",
           "take the page's token from this file, so that browsers find the page again after a "
           "restart; a file that is not there is made, with a new token",
           COMMAND),
    FLAG("page-stay", "serve the page after the source has ended, too, until Ctrl-C", COMMAND),
    WHOLE("threads", NULL, 0, 4096,
          "number of worker threads of mining; the default is one for each processor that may be "
          "used",
          COMMAND),
    END,
};
