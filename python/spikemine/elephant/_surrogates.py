"""Surrogates of spike trains, by the names and arguments of elephant.spike_train_surrogates."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._operations import surrogates as make_surrogates
from .._recording import Recording
from ._common import is_train, renamed, seed_of, warn
from ._mining import magnitudes

Array = npt.NDArray[Any]
NS = 10**9  # ticks a second
METHODS = (
    "dither_spike_train", "dither_spikes", "jitter_spikes", "randomise_spikes", "shuffle_isis",
    "joint_isi_dithering", "isi_dithering", "dither_spikes_with_refractory_period",
    "trial_shifting", "bin_shuffling",
)  # fmt: skip
_INTERVALS = {
    "truncation_limit": "truncation", "n_bins": "n_bins", "sigma": "sigma",
    "alternate": "alternate", "use_sqrt": "use_sqrt", "cutoff": "cutoff",
    "refractory_period": "refractory",
}  # fmt: skip

# ---- trains and recordings -------------------------------------------------------------------


def _ns(value: float, per_second: float) -> int:
    return round(value / per_second * NS)


def _per_second(unit: Any) -> float:
    return float(1 / unit.rescale("s").item())


def recording_of(trains: Any, trials: Sequence[tuple[int, int]] | None = None) -> Recording:
    """The trains with a tick a nanosecond, so that moved spikes have nearly any time.

    `trials`: start and stop of segments in ns. A spike at t_stop moves into the last tick.
    """
    times, owners, unit, start, stop = magnitudes(trains)
    scale = _per_second(unit)
    first, behind = _ns(start, scale), _ns(stop, scale)
    ticks = np.rint(times / scale * NS).astype(np.int64)
    ticks = np.where(ticks == behind, behind - 1, ticks)
    return Recording(
        ticks,
        owners,
        labels=[str(k) for k in range(len(list(trains)))],
        time_unit="samples",
        rate=NS,
        start=f"{first}ns" if trials is None else None,
        stop=f"{behind}ns" if trials is None else None,
        segments=None if trials is None else [(f"{a}ns", f"{b}ns") for a, b in trials],
    )


def _train(times: Array, like: Any) -> Any:
    """A spike train of times in the unit of `like`, with its borders."""
    import neo

    return neo.SpikeTrain(
        times * like.units,
        t_start=like.t_start,
        t_stop=like.t_stop,
        sampling_rate=like.sampling_rate,
    )


def _times(ticks: Array, like: Any) -> Array:
    """Ticks as times in the unit of a train."""
    scale = _per_second(like.units)
    if scale <= NS and NS % scale == 0:
        times: Array = ticks / (NS / scale)
        return times
    return ticks * (scale / NS)


def _make(
    recording: Recording, like: Any, method: str, dither: Any, n: int, seed: int | None, others: Any
) -> Iterator[Array]:
    """Times of n surrogates of one train."""
    made = make_surrogates(recording, method, n, dither=dither, seed=seed_of(seed), **others)
    for one in made:
        yield _times(one.ticks, like)


def _trains(
    train: Any,
    method: str,
    dither: Any,
    n: int,
    seed: int | None,
    decimals: int | None = None,
    unit: Any = None,
    **others: Any,
) -> list[Any]:
    """n surrogates of a train; `decimals` round in `unit`, by default that of the train."""
    if not is_train(train):
        raise TypeError("spiketrain must be an instance neo.SpikeTrain")
    if len(train) == 0:
        return [train.copy() for _ in range(n)]
    made = []
    for times in _make(recording_of([train]), train, method, dither, n, seed, others):
        if decimals is not None:
            scale = 1.0 if unit is None else float(train.units.rescale(unit).item())
            times = np.round(times * scale, decimals) / scale
        made.append(_train(times, train))
    return made


# ---- options for a spectrum ------------------------------------------------------------------


@dataclasses.dataclass
class Made:
    """How surrogates of many trains are made: name, dither and options of the library."""

    method: str
    dither: Any
    others: dict[str, Any]
    trials: list[tuple[int, int]] | None = None


def _refuse(given: dict[str, Any], method: str) -> None:
    if given:
        raise TypeError(f"surr_method {method!r} takes no argument {', '.join(sorted(given))} here")


def options_of(
    trains: Any, method: str, dither: Any, bin_size: Any, given: dict[str, Any], corrected: bool
) -> Made:
    """Elephant's name of a method and its keyword arguments in the form of the library."""
    given = dict(given)
    if given.get("decimals") is not None or given.get("sliding"):
        raise NotImplementedError(
            "spikemine.elephant: decimals and sliding=True are not available for a p-value "
            "spectrum; leave them out"
        )
    given.pop("decimals", None), given.pop("sliding", None)
    made = Made(method.replace("_", "-"), dither, {})
    if method == "trial_shifting":
        made.trials = trials_of(trains[0], given.pop("trial_length"), given.pop("trial_separation"))
    elif method == "bin_shuffling":
        made.dither = displacement(dither, bin_size, "ms", corrected) * bin_size
        made.others["bin"] = bin_size
    elif method in ("joint_isi_dithering", "isi_dithering"):
        made.others = interval_options(given)
        given = {}
    elif method in ("dither_spikes", "dither_spikes_with_refractory_period"):
        refractory = given.pop("refractory_period", None)
        if method != "dither_spikes":
            refractory = bin_size
        made.method, more = _dithering(refractory, given.pop("edges", True))
        made.others.update(more)
    elif method == "dither_spike_train":
        made.others["edges"] = bool(given.pop("edges", True))
    elif method == "jitter_spikes" and float(trains[0].t_start.item()) != 0 and not corrected:
        warn(6, "; spikemine has added it once here, too, because Elephant finds no surrogates")
    _refuse(given, method)
    return made


def _dithering(refractory: Any, edges: bool) -> tuple[str, dict[str, Any]]:
    if not refractory:
        return "dither-spikes", {"edges": bool(edges)}
    if not hasattr(refractory, "dimensionality"):
        raise ValueError("refractory_period must be of type pq.Quantity")
    return "dither-spikes-with-refractory-period", {"refractory": refractory}


def interval_options(given: dict[str, Any]) -> dict[str, Any]:
    """Arguments of JointISI in the form of the library."""
    given = dict(given)
    method = given.pop("method", "window")
    if method not in ("fast", "window"):
        raise ValueError(f"The method can either be 'fast' or 'window', but not '{method}'")
    options: dict[str, Any] = {"fast": method == "fast"}
    for name, ours in _INTERVALS.items():
        if name in given:
            options[ours] = given.pop(name)
    _refuse(given, "joint_isi_dithering")
    return options


def displacement(dither: Any, bin_size: Any, unit: str, corrected: bool) -> int:
    """Bins of a dither: Elephant divides floating-point numbers of a unit and rounds down."""
    quotient = float(dither.rescale(unit).item()) / float(bin_size.rescale(unit).item())
    theirs, ours = int(quotient), int(quotient + 1e-8)
    if corrected:
        return ours
    if ours != theirs:
        warn(8, f" (a displacement of {theirs} bins, not {ours})")
    return theirs


def trials_of(train: Any, length: Any, separation: Any) -> list[tuple[int, int]]:
    """Start and stop of the trials in a train, in ns."""
    start, stop = (_ns(float(t.rescale("s").item()), 1) for t in (train.t_start, train.t_stop))
    long, between = (_ns(float(t.rescale("s").item()), 1) for t in (length, separation))
    if long <= 0 or between < 0:
        raise ValueError("trial_length must be above 0, and trial_separation not below")
    n = (stop - start) // (long + between)
    if n == 0:
        raise ValueError("no trial of trial_length and trial_separation fits into the spike train")
    return [(start + k * (long + between), start + k * (long + between) + long) for k in range(n)]


# ---- Elephant's functions --------------------------------------------------------------------


@renamed(n="n_surrogates")
def dither_spikes(
    spiketrain: Any,
    dither: Any,
    n_surrogates: int = 1,
    decimals: int | None = None,
    edges: bool = True,
    refractory_period: Any = None,
    *,
    seed: int | None = None,
) -> list[Any]:
    """Each spike moves by itself, uniformly up to `dither` (pq.Quantity).

    decimals : of times in ms; 0 and None do not round
    edges : whether spikes that leave the train are dropped; else they go to its end
    refractory_period : pq.Quantity; spikes keep their order and this distance
    seed : by default drawn from numpy.random

    Returns a list of n_surrogates neo.SpikeTrain.
    """
    import quantities as pq

    method, others = _dithering(refractory_period, edges)
    return _trains(
        spiketrain, method, dither, n_surrogates, seed, decimals or None, pq.ms, **others
    )


@renamed(n="n_surrogates")
def randomise_spikes(
    spiketrain: Any, n_surrogates: int = 1, decimals: int | None = None, *, seed: int | None = None
) -> list[Any]:
    """Spikes take any times of the train; as elephant's randomise_spikes."""
    return _trains(spiketrain, "randomise-spikes", "1ms", n_surrogates, seed, decimals)


@renamed(n="n_surrogates")
def shuffle_isis(
    spiketrain: Any, n_surrogates: int = 1, decimals: int | None = None, *, seed: int | None = None
) -> list[Any]:
    """The intervals of the train change places, with that from t_start to the first spike; as
    elephant's shuffle_isis."""
    if len(spiketrain) == 0:
        return [spiketrain.copy() for _ in range(n_surrogates)]
    recording = recording_of([spiketrain])
    start = _ns(float(spiketrain.t_start.rescale("s").item()), 1)
    first = int(recording.ticks[0]) - start
    made = []
    for one in make_surrogates(recording, "shuffle-isis", n_surrogates, seed=seed_of(seed)):
        gaps = np.diff(one.ticks, prepend=start - 1)  # the library's first one is a tick longer
        gaps[np.flatnonzero(gaps == first + 1)[0]] = first
        times = _times(start + np.cumsum(gaps), spiketrain)
        if decimals is not None:  # of the intervals, as Elephant rounds
            begin = float(spiketrain.t_start.rescale(spiketrain.units).item())
            times = begin + np.cumsum(np.round(_times(gaps, spiketrain), decimals))
        made.append(_train(times, spiketrain))
    return made


@renamed(n="n_surrogates")
def dither_spike_train(
    spiketrain: Any,
    shift: Any,
    n_surrogates: int = 1,
    decimals: int | None = None,
    edges: bool = True,
    *,
    seed: int | None = None,
) -> list[Any]:
    """All spikes move together, uniformly up to `shift`; as elephant's dither_spike_train."""
    return _trains(
        spiketrain, "dither-spike-train", shift, n_surrogates, seed, decimals, edges=bool(edges)
    )


@renamed(binsize="bin_size", n="n_surrogates")
def jitter_spikes(
    spiketrain: Any,
    bin_size: Any,
    n_surrogates: int = 1,
    *,
    corrected: bool = False,
    seed: int | None = None,
) -> list[Any]:
    """Spikes take other times of their window of bin_size; as elephant's jitter_spikes.

    Where t_start is not 0, Elephant's windows are wrong, and it may raise IndexError or ValueError;
    `corrected` gives windows from t_start.
    """
    if corrected or float(spiketrain.t_start.item()) == 0:
        return _trains(spiketrain, "jitter-spikes", bin_size, n_surrogates, seed)
    warn(6)
    unit = bin_size.units
    start, stop = (float(t.rescale(unit).item()) for t in (spiketrain.t_start, spiketrain.t_stop))
    width = float(bin_size.item())
    edges = np.append(start + np.arange(start, stop, width), stop)
    own = (np.asarray(spiketrain.rescale(unit).magnitude) / width).astype(np.int64)
    places = np.random.default_rng(seed_of(seed)).random((n_surrogates, own.size))
    moved = np.sort(places * np.diff(edges)[own] + start + edges[own], axis=1)
    scale = float(unit.rescale(spiketrain.units).item())
    return [_train(times * scale, spiketrain) for times in moved]


def bin_shuffling(
    spiketrain: Any,
    max_displacement: int,
    bin_size: Any = None,
    n_surrogates: int = 1,
    sliding: bool = False,
    *,
    seed: int | None = None,
) -> list[Any]:
    """The bins of windows of 2 * max_displacement bins are shuffled; as elephant's bin_shuffling.

    spiketrain : neo.SpikeTrain, with bin_size, or BinnedSpikeTrain
    sliding : overlapping windows, for binned trains; Elephant itself makes these
    """
    if is_train(spiketrain):
        if bin_size is None:
            raise ValueError("surrogates of a neo.SpikeTrain by bin_shuffling need bin_size")
        if sliding:
            warnings.warn("sliding=True needs a BinnedSpikeTrain; taken as False", stacklevel=2)
        dither = max_displacement * bin_size
        return _trains(spiketrain, "bin-shuffling", dither, n_surrogates, seed, bin=bin_size)
    if sliding:
        from . import original

        function = original("spike_train_surrogates", "bin_shuffling")
        made: list[Any] = function(spiketrain, max_displacement, None, n_surrogates, True)
        return made
    return _shuffle_binned(spiketrain, max_displacement, n_surrogates, seed)


def _shuffle_binned(
    binned: Any, max_displacement: int, n_surrogates: int, seed: int | None
) -> list[Any]:
    from elephant.conversion import BinnedSpikeTrain

    from ._mining import recording_of_ticks

    bins = np.flatnonzero(binned.to_bool_array()[0])
    n_bins = int(binned.n_bins)
    recording = recording_of_ticks(np.zeros(bins.size, np.int64), bins, 1, n_bins)
    made = make_surrogates(
        recording, "bin-shuffling", n_surrogates, dither=max_displacement, bin=1, seed=seed_of(seed)
    )
    surrogates = []
    for one in made:
        matrix = np.zeros((1, n_bins), bool)
        matrix[0, one.ticks] = True
        surrogates.append(
            BinnedSpikeTrain(
                matrix,
                bin_size=binned.bin_size,
                t_start=binned.t_start,
                t_stop=binned.t_stop,
                tolerance=None,
            )
        )
    return surrogates


class JointISI:
    """Surrogates that keep how likely pairs of successive intervals are; as elephant's JointISI.

    Parameters
    ----------
    spiketrain : neo.SpikeTrain
    dither, truncation_limit, n_bins, sigma, alternate, use_sqrt, method ("window" or "fast"),
    cutoff, refractory_period, isi_dithering : as in Elephant; times are pq.Quantity
    seed : by default drawn from numpy.random
    """

    MIN_SPIKES = 3  # a train of fewer is given back as it is

    @renamed(num_bins="n_bins", refr_period="refractory_period")
    def __init__(
        self,
        spiketrain: Any,
        dither: Any = "15ms",
        truncation_limit: Any = "100ms",
        n_bins: int = 100,
        sigma: Any = "2ms",
        alternate: bool = True,
        use_sqrt: bool = False,
        method: str = "window",
        cutoff: bool = True,
        refractory_period: Any = "4ms",
        isi_dithering: bool = False,
        *,
        seed: int | None = None,
    ) -> None:
        if not is_train(spiketrain):
            raise TypeError("spiketrain must be of type neo.SpikeTrain")
        self.spiketrain = spiketrain.copy()
        self.spiketrain.sort()
        self.dither, self.method, self.n_bins = dither, method, n_bins
        self.isi_dithering, self.seed = isi_dithering, seed
        self._options = interval_options(
            {
                "truncation_limit": truncation_limit,
                "n_bins": n_bins,
                "sigma": sigma if sigma else "0s",
                "alternate": alternate,
                "use_sqrt": use_sqrt,
                "method": method,
                "cutoff": cutoff,
                "refractory_period": refractory_period,
            }
        )

    @property
    def isi(self) -> Array | None:
        """Intervals in the unit of the train; None for a train of too few spikes."""
        if len(self.spiketrain) < self.MIN_SPIKES:
            return None
        intervals: Array = np.diff(self.spiketrain.magnitude)
        return intervals

    def dithering(self, n_surrogates: int = 1) -> list[Any]:
        """Returns a list of n_surrogates neo.SpikeTrain."""
        if len(self.spiketrain) < self.MIN_SPIKES:
            return [self.spiketrain] * n_surrogates
        method = "isi-dithering" if self.isi_dithering else "joint-isi-dithering"
        return _trains(
            self.spiketrain, method, self.dither, n_surrogates, self.seed, **self._options
        )


def trial_shifting(
    spiketrains: Any, dither: Any, n_surrogates: int = 1, *, seed: int | None = None
) -> list[list[Any]]:
    """Each trial moves round its ends, up to `dither`; as elephant's trial_shifting.

    spiketrains : list of neo.SpikeTrain, one a trial
    Returns a list of n_surrogates lists of neo.SpikeTrain.
    """
    trains = list(spiketrains)
    scales = [_per_second(train.units) for train in trains]
    starts = [_ns(float(t.t_start.rescale(t.units).item()), s) for t, s in zip(trains, scales)]
    stops = [_ns(float(t.t_stop.rescale(t.units).item()), s) for t, s in zip(trains, scales)]
    # One behind the other on one line, with a tick between two of them.
    places = np.concatenate([[0], np.cumsum(np.subtract(stops, starts) + 1)]).tolist()
    ticks = [
        np.minimum(np.rint(train.magnitude / s * NS).astype(np.int64), b - 1) - a + place
        for train, s, a, b, place in zip(trains, scales, starts, stops, places)
    ]
    bounds = [(f"{p}ns", f"{p + b - a}ns") for p, a, b in zip(places, starts, stops)]
    joined = np.concatenate(ticks)
    if joined.size == 0:
        return [[train.copy() for train in trains] for _ in range(n_surrogates)]
    recording = Recording(
        joined,
        np.zeros(joined.size, np.int64),
        labels=["0"],
        time_unit="samples",
        rate=NS,
        segments=bounds,
    )
    made = make_surrogates(
        recording, "trial-shifting", n_surrogates, dither=dither, seed=seed_of(seed)
    )
    surrogates = []
    for one in made:
        parts = np.split(one.ticks, np.searchsorted(one.ticks, places[1:-1]))
        surrogates.append(
            [
                _train(_times(part - place + start, train), train)
                for part, place, start, train in zip(parts, places, starts, trains)
            ]
        )
    return surrogates


def trial_shifting_of_concatenated_spiketrain(
    spiketrain: Any,
    dither: Any,
    trial_length: Any,
    trial_separation: Any,
    n_surrogates: int = 1,
    *,
    seed: int | None = None,
) -> list[Any]:
    """The same for trials that lie in one train; spikes between trials are dropped."""
    if len(spiketrain) == 0:
        return [spiketrain.copy() for _ in range(n_surrogates)]
    trials = trials_of(spiketrain, trial_length, trial_separation)
    recording = recording_of([spiketrain], trials)
    return [
        _train(times, spiketrain)
        for times in _make(recording, spiketrain, "trial-shifting", dither, n_surrogates, seed, {})
    ]


def _interval_surrogates(
    spiketrain: Any, dt: Any, n: int, method: str, corrected: bool, given: dict[str, Any]
) -> list[Any]:
    if "dither" not in given:
        if corrected:
            given = {**given, "dither": dt}
        elif float(dt.rescale("ms").item()) != 15:
            warn(5)
    return JointISI(spiketrain, isi_dithering=method == "isi_dithering", **given).dithering(n)


@renamed(n="n_surrogates", surr_method="method")
def surrogates(
    spiketrain: Any,
    n_surrogates: int = 1,
    method: str = "dither_spike_train",
    dt: Any = None,
    *,
    corrected: bool = False,
    **kwargs: Any,
) -> list[Any]:
    """Surrogates of a train by the name of a method; as elephant's surrogates.

    Parameters
    ----------
    spiketrain : neo.SpikeTrain; for trial_shifting also a list of them, one a trial
    method : one of METHODS
    dt : pq.Quantity, how far spikes move; not of randomise_spikes and shuffle_isis
    corrected : without Elephant's errors: dt of joint_isi_dithering is honoured, windows of
        jitter_spikes begin with the train, displacements in bins are exact
    kwargs : of the method, also `seed`

    Returns a list of n_surrogates neo.SpikeTrain. Raises TypeError, ValueError.
    """
    one = spiketrain[0] if isinstance(spiketrain, list) and spiketrain else spiketrain
    if not is_train(one):
        raise TypeError("spiketrain must be a neo.SpikeTrain or a list of neo.SpikeTrain")
    if method not in METHODS:
        raise ValueError(f"Specified surrogate method ('{method}') is not valid")
    if method in ("randomise_spikes", "shuffle_isis"):
        function = randomise_spikes if method == "randomise_spikes" else shuffle_isis
        made: list[Any] = function(spiketrain, n_surrogates=n_surrogates, **kwargs)
        return made
    if dt is None:
        raise ValueError(f"'{method}' method requires 'dt' parameter to be set")
    if method == "dither_spikes_with_refractory_period":
        warnings.warn(f"'{method}' is deprecated in favor of 'dither_spikes'", DeprecationWarning)
    if method == "dither_spike_train":
        return dither_spike_train(spiketrain, dt, n_surrogates=n_surrogates, **kwargs)
    if method.startswith("dither_spikes"):
        return dither_spikes(spiketrain, dt, n_surrogates=n_surrogates, **kwargs)
    if method == "jitter_spikes":
        return jitter_spikes(
            spiketrain, dt, n_surrogates, corrected=corrected, seed=kwargs.get("seed")
        )
    if method == "bin_shuffling":
        bins = displacement(dt, kwargs["bin_size"], "s", corrected)
        return bin_shuffling(
            spiketrain, bins, kwargs["bin_size"], n_surrogates, seed=kwargs.get("seed")
        )
    if method == "trial_shifting":
        if isinstance(spiketrain, list):
            return trial_shifting(spiketrain, dt, n_surrogates, seed=kwargs.get("seed"))
        return trial_shifting_of_concatenated_spiketrain(
            spiketrain, dt, n_surrogates=n_surrogates, **kwargs
        )
    return _interval_surrogates(spiketrain, dt, n_surrogates, method, corrected, kwargs)
