"""spikemine: repeated firing patterns in recordings of many neurons.

    import spikemine as sm
    rec = sm.read("session.nwb")
    ep = sm.episodes(rec, delays=[("5ms", "10ms")], support="0.1%", test="exact", seed=7)
    ep.to_pandas()

Two languages of patterns: serial episodes A -(5ms,10ms]-> B (`episodes`), and SPADE patterns of
spikes at fixed lags (`patterns`). All work is done by the C library; results are numpy arrays.
"""

from . import plot
from ._calibrate import AlarmRate, Calibration
from ._compare import Comparison
from ._episodes import Episodes
from ._explore import Exploration
from ._library import (
    ArgumentError,
    CancelledError,
    DeviceError,
    FileError,
    FormatError,
    InternalError,
    OrderError,
    OutOfMemoryError,
    RangeError,
    SpikemineError,
    UnavailableError,
    UnsupportedError,
)
from ._library import (
    version as __version__,
)
from ._live import Live, Occurrence, Partition
from ._live_source import LiveSource, live
from ._objects import Occurrences, Rows
from ._operations import (
    calibrate,
    compare,
    count,
    episodes,
    explore,
    patterns,
    sequences,
    suggest,
    surrogates,
)
from ._patterns import Patterns
from ._pictures import Picture
from ._recording import Recording, read, sample
from ._report import report
from ._sequences import Sequences, WholeSequence
from ._suggest import Suggestion
from ._surrogates import surrogate_methods

__all__ = [
    "AlarmRate",
    "ArgumentError",
    "Calibration",
    "CancelledError",
    "Comparison",
    "DeviceError",
    "Episodes",
    "Exploration",
    "FileError",
    "FormatError",
    "InternalError",
    "Live",
    "LiveSource",
    "Occurrence",
    "Occurrences",
    "OrderError",
    "OutOfMemoryError",
    "Partition",
    "Patterns",
    "Picture",
    "RangeError",
    "Recording",
    "Rows",
    "Sequences",
    "SpikemineError",
    "Suggestion",
    "UnavailableError",
    "UnsupportedError",
    "WholeSequence",
    "__version__",
    "calibrate",
    "compare",
    "count",
    "episodes",
    "explore",
    "live",
    "patterns",
    "plot",
    "read",
    "report",
    "sample",
    "sequences",
    "suggest",
    "surrogate_methods",
    "surrogates",
]
