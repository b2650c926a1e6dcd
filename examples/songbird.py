"""The songbird's sequences in Python; `make demo` runs this:

    python3 examples/songbird.py RECORDING PICTURE

RECORDING has a frame of 1/30 s and a unit on each line. Without matplotlib there is no PICTURE.
"""

import sys

import spikemine as sm

recording, picture = sys.argv[1:3]
rec = sm.read(recording, time_unit="samples", sample_rate=30)
search = {"test": "exact", "jitter": "500ms", "surrogates": 199, "report": "core"}
ep = sm.episodes(rec, ["0ms:34ms", "34ms:67ms"], 12, distinct_units=2, **search)[:4]
print(f"{rec.n_units} neurons, {rec.n_spikes} spikes; the least likely core episodes:\n")
for episode in ep:
    row = episode.values
    print(f"{episode}: {episode.count} times, {row['expected']:.1g} expected, p = {row['p']:.3f}")

# The episode that begins first in the recording, in the raster around its first occurrence.
try:
    start = min(float(ep.occurrences(k)[0, 0]) for k in range(len(ep)))
    ax = sm.plot.raster(rec, ep, start=max(start - 0.5, rec.start), stop=start + 2.5)
    ax.figure.savefig(picture, dpi=150)
    print(f"\n{picture}")
except ImportError as error:
    print(f"\n{error}")
