/* Options of all other commands. */
#include "operation/options.h"

const spk_option spk_options_describing[] = {
    FLAG("units-table",
         "a table with a line for each unit in place of the report: events, rate, intervals, and "
         "the unit that shares most of its events; with --format json in addition to it",
         COMMAND),
    FLAG("suggest",
         "try sets of delays from 5 ms to 200 ms, and tell how many episodes the recording has "
         "with each and how many chance gives; then a command to begin with, its time and its "
         "number of results",
         COMMAND),
    FLAG("per-unit", "the same as --units-table", COMMAND),
    CHOICE("format", "text|json", "text",
           "form of the report: three sentences, then lines of key, tab and value, or one JSON "
           "object; of several recordings a table, or an array of these objects",
           COMMAND),
    END,
};

const spk_option spk_options_suggesting[] = {
    WHOLE("suggest-events", "50000", 1, MOST_53,
          "events that --suggest tries delays on, from the start of the recording; more take "
          "longer",
          PYTHON(.name = "events")),
    TIME("suggest-time", "30s",
         "so much work for --suggest, as counted steps; where it does not suffice, supports rise",
         PYTHON(.name = "time")),
    END,
};

const spk_option spk_options_exploring[] = {
    TIME("time", "60s",
         "so much work for all of it, as counted steps; a slow or busy machine takes longer. Where "
         "it does not suffice, fewer surrogates are made, then less of the recording is looked at; "
         "what was left out is told",
         PYTHON()),
    ALPHA("level of all of it. Half is for episodes, divided by the number of sets of delays that "
          "were tried, and half for whole sequences"),
    SEED("seed of surrogates"),
    END,
};

const spk_option spk_options_exploring_in_a_page[] = {
    OPTION(TEXT, "html", "FILE",
           "report to look at: one .html file that opens in a browser, without a network. The "
           "default is the name of the recording, with .report.html in place of its ending",
           .work = true, COMMAND),
    END,
};

const spk_option spk_options_converting[] = {
    OPTION(TEXT, "to", "FORMAT",
           "format of OUT; spikemine formats lists them. The default goes by the ending of the "
           "name, and is text where that says nothing",
           COMMAND),
    END,
};

const spk_option spk_options_sampling[] = {
    OPTION(TEXT, "output", "OUT", "the same as the argument OUT; - is standard output",
           .letter = 'o', .work = true, COMMAND),
    END,
};

const spk_option spk_options_listing_formats[] = {
    CHOICE("format", "text|json", "text", "form of the list: a table, or one JSON object", COMMAND),
    FLAG("live",
         "list the live sources of spikemine watch and spikemine live instead, and what is missing "
         "for one",
         COMMAND),
    END,
};

const spk_option spk_options_listing_engines[] = {
    FLAG("names", "print only the names of the episode engines that run here, one on each line",
         COMMAND),
    END,
};

const spk_option spk_options_helping[] = {
    FLAG("man", "print the manual page (roff) of all commands", COMMAND),
    END,
};
