"""Figures with matplotlib: axes in, axes out.

    import spikemine as sm
    ax = sm.plot.raster(rec, ep[:5], start="2s", stop="4s")
    ax.figure.savefig("raster.pdf")

Every function draws into `ax` and returns it; without `ax` it makes a figure of its own. None of
them calls `plt.show()` or changes a setting of matplotlib. Colours and markers are those of the
command. Colour-blind readers can tell them apart, and no colour is the only mark of anything. Artists carry
names (`get_gid()`), which SVG files keep.

matplotlib is imported with the first figure: `pip install 'spikemine[plot]'`.
"""

from ._findings import findings
from ._lags import lags, patterns
from ._network import network
from ._raster import occurrences, raster
from ._tests import null_distribution, pvalue_spectrum

__all__ = [
    "findings",
    "lags",
    "network",
    "null_distribution",
    "occurrences",
    "patterns",
    "pvalue_spectrum",
    "raster",
]
