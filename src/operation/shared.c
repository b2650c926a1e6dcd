/* Options that any command may offer, and those of both tests. */
#include "operation/options.h"

const spk_option spk_options_shared[] = {
    OPTION(BYTES, "max-memory", "SIZE",
           "limit on the memory that the job holds, e.g. 400M or 4G: the recording, windows, lists "
           "and the search. Work is cut into parts that fit; a job that does not fit stops with a "
           "message. The program itself takes some 20 MB more. The default is three quarters of "
           "what the machine, a container, Slurm and ulimit leave",
           .work = true,
           PYTHON(.help = "limit in bytes on the memory that the job holds: the recording, "
                          "windows, lists and the search. Work is cut into parts that fit; a job "
                          "that does not fit raises OutOfMemoryError. None: three quarters of what "
                          "the machine, a container, Slurm and ulimit leave")),
    WHOLE("threads", "0", 0, 4096,
          "number of worker threads; 0 is one for each processor that may be used; the result "
          "never depends on it",
          .work = true, PYTHON()),
    END,
};

/* Of episodes and of patterns. */
const spk_option spk_options_choosing_supports[] = {
    TIME("support-time", "30s",
         "time for choosing what --support auto takes. A search may take a hundredth of it on one "
         "processor, and one for episodes without a test a fortieth, reckoned from its number of "
         "steps, so that the choice is the same on every machine",
         .synonym = "auto-time", PYTHON()),
    END,
};

/* What is read, and how. */
const spk_option spk_options_reading[] = {
    OPTION(FORMAT, "input-format", "NAME",
           "the format of the file; without this option the content tells it, then the name. "
           "spikemine formats says what each one is",
           COMMAND),
    OPTION(
        TEXT, "time-column", "COLUMN",
        "where the times are: the name of a column or its number from 1, or the name of an array",
        COMMAND),
    OPTION(TEXT, "unit-column", "COLUMN", "the same of the units", COMMAND),
    OPTION(TEXT, "label-column", "COLUMN", "the column of a units table that names the units",
           COMMAND),
    OPTION(TEXT, "select", "EXPRESSION",
           "which units of a units table, by its columns, e.g. quality==good", COMMAND),
    OPTION(TEXT, "group", "NAME",
           "which units of a sorter's folder: good, mua, all, or another group that it has",
           COMMAND),
    OPTION(TEXT, "unit-file", "FILE",
           "file of the events' units, where a file of times has them in another one", COMMAND),
    CHOICE("columns", "guess|time,unit|unit,time", "guess",
           "order of the two columns; guess takes it from the header or from the content, and a "
           "note tells it",
           COMMAND),
    OPTION(TEXT, "time-unit", "guess|s|ms|us|samples@RATE",
           "unit of the times; guess takes it from the header (time_ms), else it is seconds. "
           "samples@30000 stands for sample numbers at 30 kHz; RATE may be 24414.0625 or 390625/16",
           .fallback = "guess", COMMAND),
    TIME("start", NULL, "first time that is used, e.g. 1.5s; earlier events are left out", COMMAND),
    TIME("stop", NULL,
         "time at which the recording ends, e.g. 60s; events at this time or later are left out",
         COMMAND),
    OPTION(TEXT, "trials", "FILE|NAME",
           "trials: a file with the start and the stop of one on each line, as 1.5s 3s or as "
           "numbers in the recording's unit of time, or the name of a table in the recording's "
           "file. Nothing crosses the border of a trial, and events outside all trials are left "
           "out. Where trials overlap, an event counts in each. The lines are the numbers of "
           "trials, whatever else is cut",
           COMMAND),
    OPTION(TEXT, "segments", "FILE|NAME",
           "the same for stretches without an interruption, which may not overlap. With both "
           "options, segments cut trials",
           COMMAND),
    OPTION(TEXT, "units", "LIST", "labels of the units that are used, separated by commas",
           COMMAND),
    REAL("min-rate", "HZ", "0", 0, 1e9,
         "leave out units that fire less often between the start and the stop of what is read",
         COMMAND),
    FLAG("sort", "accept times that go backwards, and put them in order", COMMAND),
    OPTION(INTEGER, "max-expansion", "TIMES",
           "largest factor by which a compressed file may grow when it is read; a file that grows "
           "more is refused. The first 64 MB are always allowed",
           .fallback = "1000", .minimum = 1, .maximum = 1e15, .work = true, COMMAND),
    END,
};

/* What is written. */
const spk_option spk_options_writing[] = {
    OPTION(COUNT, "max-results", "N|none",
           "largest number of rows in a file; a job that would write more stops, and what is "
           "complete is kept as FILE.incomplete",
           .work = true, .fallback = "10000000", .minimum = 1, .maximum = 1e18, COMMAND),
    FLAG("force",
         "replace files that exist already; without this option they stay as they are, and the "
         "command stops before any work",
         .work = true, COMMAND),
    OPTION(BYTES, "disk-reserve", "SIZE",
           "space on the disk that stays free: writing stops before it is used. The default is 1 % "
           "of the disk, at most 1 GB",
           .work = true, COMMAND),
    FLAG("energy",
         "measure the joules of the job, from start to end, by the meters of processors and memory "
         "(RAPL). They count what other programs do, too. A meter that cannot be read says why",
         .work = true, .more = ". So do those of GPUs (NVML)", COMMAND),
    END,
};

const spk_option spk_options_figures[] = {
    OPTION(TEXT, "figure-size", "W[xH]",
           "width and height, in mm, cm, in or pt: 180mm, the default, spans two columns of a "
           "journal, 88mm one, 338x190mm fills a slide. Without a height the figure is as high as "
           "its panels need",
           .work = true, COMMAND),
    OPTION(TEXT, "font-size", "SIZE", "size of the text, e.g. 7pt", .work = true, .fallback = "7pt",
           COMMAND),
    WHOLE("dpi", "300", 30, 2400, "pixels per inch of a .png", .work = true, COMMAND),
    OPTION(COUNT, "figure-top", "N|none", "how many examples are drawn in colour, 1 to 7",
           .work = true, .fallback = "6", .minimum = 1, .maximum = 7, COMMAND),
    OPTION(TEXT, "figure-range", "START:STOP",
           "times that the raster shows, e.g. 12s:14.5s; either may be left out. By default a "
           "stretch with many occurrences of the examples",
           .work = true, COMMAND),
    END,
};

const spk_option spk_options_pages[] = {
    WHOLE("html-rows", "20000", 1, 1e9, "results in the report, the best ones", .work = true,
          COMMAND),
    OPTION(BYTES, "html-occurrences", "SIZE",
           "size that occurrences may take in the report, e.g. 20M; those of the best results come "
           "first, and the report tells how many it has",
           .work = true, .fallback = "2M", COMMAND),
    END,
};

/* ---- tests ----------------------------------------------------------------------------------- */

const spk_option spk_options_calibrating[] = {
    WHOLE("calibrate", NULL, 1, 1e9,
          "with --test exact: test N surrogates in place of the recording, each against surrogates "
          "of its own, and tell how often the test is alarmed by chance. Without --surrogates as "
          "few are made for each as can reach alpha",
          COMMAND),
    OPTION(SURROGATE_METHOD, "calibrate-method", "NAME",
           "draws what --calibrate tests by another method, with the longest window of --jitter as "
           "its jitter: what if chance were like that? shift-apart: what if these units were "
           "independent? The default is that of --null",
           COMMAND),
    END,
};
