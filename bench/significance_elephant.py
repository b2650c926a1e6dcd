#!/usr/bin/env python3
"""Seconds that Elephant's pvalue_spectrum takes for a surrogate.

    bench/significance_elephant.py RECORDING SURROGATES WINDOW OCCURRENCES SPIKES NEURONS DITHER_MS METHOD SPECTRUM

RECORDING has lines "seconds unit"; bins are 5 ms. Prints one number. Needs elephant 1.2.1.
"""

import contextlib
import io
import sys
import time
import warnings

import neo
import numpy as np
import quantities as pq

warnings.filterwarnings("ignore")
from elephant.spade import pvalue_spectrum  # noqa: E402


def main():
    path, surrogates, window, occurrences, spikes, neurons, dither, method, spectrum = sys.argv[1:]
    events = np.loadtxt(path)
    stop = (np.floor(events[:, 0].max() / 0.005) + 1) * 0.005
    trains = [neo.SpikeTrain(np.sort(events[events[:, 1] == unit, 0]) * pq.s, t_stop=stop * pq.s)
              for unit in np.unique(events[:, 1])]
    np.random.seed(1)
    begin = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        pvalue_spectrum(trains, 5 * pq.ms, int(window), float(dither) * pq.ms, int(surrogates), min_spikes=int(spikes),
                        min_occ=int(occurrences), min_neu=int(neurons), spectrum=spectrum, surr_method=method)
    print((time.perf_counter() - begin) / int(surrogates))


if __name__ == "__main__":
    main()
