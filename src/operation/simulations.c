/* Options of simulations. */
#include "operation/options.h"
#include "spikemine/recording.h"

/* What all simulations have. */
const spk_option spk_options_simulating[] = {
    OUTPUT("REC", "file of the recording; - is standard output, "),
    OPTION(TEXT, "truth", "FILE",
           "JSON file of what was planted and when. The default is REC.truth.json; there is none "
           "when the recording is shuffled or goes to standard output, a pipe or a device",
           COMMAND),
    FLAG("shuffle", "move all spikes to uniform times; what remains is chance", COMMAND),
    WHOLE("seed", "1", 0, 0,
          "seed of the random numbers; the same seed and options give the same recording on every "
          "machine",
          COMMAND),
    END,
};

const spk_option spk_options_simulating_sym26[] = {
    TIME("duration", "60s", "length of the recording", COMMAND),
    REAL("rate", "HZ", "20", 0.001, 1000, "basal rate of every neuron", COMMAND),
    REAL("strength", "P", "0.72", 0, 1,
         "probability that a spike of a chain member makes the next member fire", COMMAND),
    END,
};

const spk_option spk_options_simulating_network[] = {
    TIME("duration", "60s", "length of the recording", COMMAND),
    WHOLE("units", "64", 1, SPK_MAX_UNITS, "number of units, labelled from 0 on", COMMAND),
    REAL("rate", "HZ", "10", 0, 1000, "mean rate of the units", COMMAND),
    REAL("rate-spread", "SIGMA", "0", 0, 5,
         "spread of the rates over the units: sigma of their logarithm (log-normal rates)",
         COMMAND),
    TIME("refractory", "1ms",
         "shortest interval between two spikes of a unit; planted spikes may be closer", COMMAND),
    REAL("modulation", "DEPTH", "0", 0, 1, "depth of a slow modulation of all rates together",
         COMMAND),
    REAL("modulation-rate", "HZ", "0.2", 0, 1000, "frequency of the modulation", COMMAND),
    WHOLE("chains", "2", 0, 100000, "number of planted chains", COMMAND),
    WHOLE("chain-size", "5", 2, SPK_MAX_UNITS, "units in a chain", COMMAND),
    TIME("delay", "5ms", "nominal delay between members of a chain", COMMAND),
    TIME("jitter", "1ms",
         "largest difference of a delay from the nominal one; delays are uniform in this range",
         COMMAND),
    REAL("chain-rate", "HZ", "2", 0.000001, 1000, "starts of each chain in a second", COMMAND),
    REAL("strength", "P", "0.9", 0, 1, "probability that a further member follows", COMMAND),
    END,
};

const spk_option spk_options_simulating_probe[] = {
    TIME("duration", "90s", "length of the recording", COMMAND),
    WHOLE("units", "40", 1, SPK_MAX_UNITS, "number of units, labelled from 0 on", COMMAND),
    REAL("rate", "HZ", "5", 0, 1000, "mean rate of the units", COMMAND),
    REAL("rate-spread", "SIGMA", "1", 0, 5,
         "spread of the rates over the units: sigma of their logarithm (log-normal rates)",
         COMMAND),
    REAL("bursts", "SHARE", "0", 0, 1,
         "share of the units that fire in bursts: spikes 3 to 6 ms apart", COMMAND),
    TIME("refractory", "2ms",
         "shortest interval between two spikes of a unit, of which one is not planted", COMMAND),
    OPTION(TEXT, "background", "REC",
           "take the units of this recording in place of simulated ones, each shifted in a circle "
           "by itself: they keep their rhythms, and lose what holds between them. `convert` makes "
           "a file of it that needs no further options",
           COMMAND),
    REAL("modulation", "DEPTH", "0", 0, 1, "depth of a slow modulation of all rates together",
         COMMAND),
    REAL("modulation-rate", "HZ", "0.2", 0, 1000, "frequency of the modulation", COMMAND),
    TIME("stimulus", "0",
         "mean interval of stimuli, 0 for none: behind each one, units fire five times as much "
         "for 50 ms, each with a latency of its own (20 to 150 ms)",
         COMMAND),
    REAL("rhythm", "DEPTH", "0", 0, 1,
         "depth of an oscillation, to which each unit has its own phase", COMMAND),
    REAL("rhythm-rate", "HZ", "8", 0, 1000, "frequency of the oscillation", COMMAND),
    REAL("drift", "SHARE", "0", 0, 1, "share of the units that fade in or out from begin to end",
         COMMAND),
    REAL("missed", "SHARE", "0", 0, 1, "share of all spikes that are missed", COMMAND),
    WHOLE("merged", "0", 0, 100000, "pairs of units that are taken for one, labelled as 3+17",
          COMMAND),
    WHOLE("split", "0", 0, 100000, "units whose spikes are dealt to two, labelled as 5 and 5b",
          COMMAND),
    WHOLE("sequences", "2", 0, 100000, "number of planted sequences", COMMAND),
    WHOLE("min-size", "5", 2, 100000, "fewest members of a sequence", COMMAND),
    WHOLE("max-size", "7", 2, 100000, "most members of a sequence", COMMAND),
    TIME("min-step", "10ms", "shortest lag between neighbouring members", COMMAND),
    TIME("max-step", "30ms",
         "longest lag between neighbouring members; both 0 make them fire at once", COMMAND),
    TIME("jitter", "2ms", "standard deviation of each spike's time (normal)", COMMAND),
    FLAG("adding-jitter", "a member's jitter moves all later members, too", COMMAND),
    REAL("failing", "SHARE", "0.1", 0, 1, "share of planted spikes that are missing", COMMAND),
    WHOLE("repeats", "30", 1, 10000000, "occurrences of each sequence", COMMAND),
    REAL("warp", "FACTOR", "1", 1, 10,
         "an occurrence takes 1/FACTOR to FACTOR times as long as its lags say", COMMAND),
    REAL("reversed", "SHARE", "0", 0, 1, "share of the occurrences in reverse order", COMMAND),
    WHOLE("shared", "0", 0, 100000, "members of each sequence that the next one has, too", COMMAND),
    FLAG("nested", "each second sequence is the inner half of the one before, at times of its own",
         COMMAND),
    END,
};

const spk_option spk_options_simulating_culture[] = {
    WHOLE("events", "1000000", 1, SPK_MAX_EVENTS,
          "approximate number of events; bursts are whole, and the duration follows", COMMAND),
    WHOLE("units", "59", 2, 100000, "number of channels, labelled from 0 on", COMMAND),
    REAL("tonic-rate", "HZ", "0.5", 0, 20, "mean rate of a channel outside bursts", COMMAND),
    REAL("bursts-per-min", "N", "12", 0, 600, "number of population bursts in a minute", COMMAND),
    REAL("burst-spikes", "N", "12", 1, 200, "mean number of spikes of a channel in a burst",
         COMMAND),
    END,
};
