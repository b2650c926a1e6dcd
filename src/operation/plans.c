/* Options of what measures: plan, bench, tune. */
#include "operation/options.h"
#include "spikemine/pattern.h"

const spk_option spk_options_planning[] = {
    OPTION(TEXT, "ranks", "LIST",
           "numbers of ranks, separated by commas; the table has a line for each",
           .fallback = "1,8,64", COMMAND),
    REAL("events", "N", NULL, 1, 1e18,
         "plan for a recording of N events, such as 1e10, of which REC is a sample: the rates are "
         "the same, and the support grows with the length",
         COMMAND),
    TIME("measure", "5s", "time for which pieces of the job are run, beside reading REC", COMMAND),
    OPTION(INTEGER, "surrogates", "B", "plan the job with a test by B surrogates, too",
           .maximum = 1e15, COMMAND),
    WHOLE("threads", "1", 1, 4096,
          "number of worker threads of each rank; with one thread a busy machine does not change "
          "what is measured",
          COMMAND),
    OPTION(BYTES, "max-memory", "SIZE",
           "memory that a rank may have, e.g. 4G; the table marks what does not fit. The "
           "measurement itself keeps to it, too",
           COMMAND),
    WHOLE("processors", NULL, 1, 1e9,
          "processors of all ranks together, where ranks take turns; without this option each "
          "thread of each rank has one",
          COMMAND),
    TIME("latency", "0.000002s", "time of a short message from rank to rank", COMMAND),
    OPTION(BYTES, "bandwidth", "SIZE", "bytes a second that a rank receives", .fallback = "10G",
           COMMAND),
    OPTION(BYTES, "file-bandwidth", "SIZE",
           "bytes a second that the file system gives all ranks together", .fallback = "10G",
           COMMAND),
    FLAG("json", "print one JSON object in place of the table", COMMAND),
    END,
};

const spk_option spk_options_planning_episodes[] = {
    OPTION(TEXT, "support", "N|P%|auto", "support in REC, as in spikemine episodes", .letter = 's',
           COMMAND),
    OPTION(EPISODE_ENGINE, "engine", "NAME", "engine of the job, on processors; auto is sweep",
           .fallback = "auto", COMMAND),
    CHOICE("divide", "auto|candidates|time", "auto",
           "what the ranks share; auto shows both, and says which one the job takes", COMMAND),
    END,
};

const spk_option spk_options_planning_patterns[] = {
    CHOICE("test", "signatures|exact", "signatures",
           "the test, as in spikemine patterns. Surrogates of a test of signatures are made and "
           "searched to see what they cost; those of an exact test are taken to cost as much as "
           "the search",
           COMMAND),
    OPTION(SURROGATE_METHOD, "surrogate-method", "NAME", "as in spikemine patterns",
           .fallback = "joint-isi-dithering", COMMAND),
    TIME("dither", "15ms", "as in spikemine patterns", COMMAND),
    CHOICE("spectrum", "2d|3d", "2d",
           "signatures are numbers of spikes and occurrences, or durations, too", COMMAND),
    END,
};

/* ---- bench ----------------------------------------------------------------------------------- */

const spk_option spk_options_timing[] = {
    WHOLE("runs", "5", 1, 100, "number of runs; the table gives median, minimum and maximum",
          COMMAND),
    WHOLE("threads", "1", 1, 4096, "number of worker threads", COMMAND),
    END,
};

const spk_option spk_options_timing_episodes[] = {
    OPTION(TEXT, "support", "N|P%", "support, as in spikemine episodes", .letter = 's', COMMAND),
    OPTION(TEXT, "engines", "LIST",
           "engines that are timed, separated by commas; NAME+two-pass stands for two passes",
           .more = ", NAME@N for N GPUs", .fallback = "sweep,fsm+two-pass,fsm,reference", COMMAND),
    END,
};

const spk_option spk_options_timing_patterns[] = {
    OPTION(TEXT, "jobs", "N,K;...",
           "jobs, separated by semicolons; N is the smallest number of occurrences, K that of "
           "spikes and of neurons. The default is the paper's eight jobs",
           .fallback = "88,2;25,3;12,4;10,5;10,6;10,7;10,8;10,9", COMMAND),
    TIME("bin", "5ms", "width of a bin", COMMAND),
    OPTION(INTEGER, "window", "BINS", "length of the window in bins", .fallback = "20",
           .minimum = 1, .maximum = SPK_MAX_WINDOW_BINS, COMMAND),
    OPTION(TEXT, "engines", "LIST", "engines that are timed, separated by commas: bitmap, fpgrowth",
           .fallback = "bitmap", COMMAND),
    END,
};

const spk_option spk_options_tuning[] = {
    OPTION(INTEGER, "gpu", "K", "number of the GPU, counted from 0", .fallback = "0",
           .maximum = 1023, COMMAND),
    END,
};
